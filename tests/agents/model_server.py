"""A model's server on loopback for the real CLIs: speaks `/v1/messages` and `/v1/responses`, and says what a test says.

Each request takes the next act of the script (the last one stays): `Say` a text, `Call` a tool, `Hang`, `Fail` with a
status, or `Relay` the words to the real local model. What was asked is kept in `seen`.
"""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

from dragoman.agents.contract import ANSWER_SCHEMA

Events = list[tuple[str, dict[str, Any]]]


class Say(msgspec.Struct, frozen=True):
    """The model says this text."""

    text: str


class Call(msgspec.Struct, frozen=True):
    """The model calls a tool. `free` is Codex' form of a call whose argument is one text."""

    name: str
    arguments: dict[str, Any]
    free: bool = False


class Hang(msgspec.Struct, frozen=True):
    """Nothing comes back until the server ends."""


class Fail(msgspec.Struct, frozen=True):
    """An error status."""

    status: int


class Relay(msgspec.Struct, frozen=True):
    """The real local model at this address speaks: held to the shape of a reply, in words of its own."""

    address: str


Act = Say | Call | Hang | Fail | Relay


class ModelServer(ThreadingHTTPServer):
    """The server; `seen` holds path and body of each request to the model."""

    daemon_threads = True

    def __init__(self, acts: tuple[Act, ...]) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.acts = acts
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.headers_seen: list[dict[str, str]] = []
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up early is part of the test."""

    def next_act(self) -> Act:
        """The act of the request that was just seen."""
        return self.acts[min(len(self.seen), len(self.acts)) - 1]


@contextmanager
def serving(*acts: Act) -> Iterator[ModelServer]:
    """A running server."""
    server = ModelServer(acts)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Answer(BaseHTTPRequestHandler):
    server: ModelServer

    def do_HEAD(self) -> None:
        self._give(200, b"", "text/plain")

    def do_GET(self) -> None:
        self._give(404, b"{}", "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.headers_seen.append({name.lower(): value for name, value in self.headers.items()})
        self.server.seen.append((self.path, body))
        act = self.server.next_act()
        if isinstance(act, Hang):
            self.server.ended.wait(60)
            return
        if isinstance(act, Fail):
            self._give(act.status, b'{"error":{"type":"error","message":"refused"}}', "application/json")
            return
        if isinstance(act, Relay):
            act = Say(_ask_the_model(act.address, body))
        events = _messages(act, body) if "/messages" in self.path else _responses(act, len(self.server.seen))
        raw = "".join(f"event: {name}\ndata: {json.dumps(value)}\n\n" for name, value in events)
        self._give(200, raw.encode(), "text/event-stream")

    def _give(self, status: int, raw: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


def _messages(act: Say | Call, body: dict[str, Any]) -> Events:
    if isinstance(act, Call):
        block: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": act.name, "input": {}}
        delta, stop = {"type": "input_json_delta", "partial_json": json.dumps(act.arguments)}, "tool_use"
    else:
        block, delta, stop = {"type": "text", "text": ""}, {"type": "text_delta", "text": act.text}, "end_turn"
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 1}}
    ends = {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 9}}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", **ends},
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]


def _responses(act: Say | Call, number: int) -> Events:
    item: dict[str, Any]
    if isinstance(act, Call) and act.free:
        item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c1", "name": act.name}
        item |= {"input": act.arguments["input"], "status": "completed"}
    elif isinstance(act, Call):
        item = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": act.name, "status": "completed"}
        item |= {"arguments": json.dumps(act.arguments)}
    else:
        content = [{"type": "output_text", "text": act.text, "annotations": []}]
        item = {"type": "message", "id": "m_1", "role": "assistant", "status": "completed", "content": content}
    response = {"id": f"resp_{number}", "object": "response", "status": "in_progress", "output": []}
    usage = {"input_tokens": 5, "output_tokens": 5, "total_tokens": 10}
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]
    return [(event["type"], event) for event in events]


def texts(body: dict[str, Any]) -> list[tuple[str, str]]:
    """Role and text of everything that a request shows to the model, in order."""
    system = body.get("system", [])
    found = [("system", block["text"]) for block in system] if isinstance(system, list) else [("system", system)]
    for message in [*body.get("messages", []), *body.get("input", [])]:
        content = message.get("content", [])
        blocks = [{"text": content}] if isinstance(content, str) else content
        found += [(message.get("role", ""), block["text"]) for block in blocks if "text" in block]
    return found


def _ask_the_model(address: str, body: dict[str, Any]) -> str:
    narrow = {
        "action": {"type": "string", "const": "reply"},
        "message": {"type": "string", "minLength": 2, "maxLength": 120},
        "complete": {"type": "boolean", "const": False},
        "owner_summary": {"type": "string", "const": ""},
        "topics": {"type": "array", "items": {"type": "string"}, "maxItems": 0},
    }
    schema = ANSWER_SCHEMA | {"properties": ANSWER_SCHEMA["properties"] | narrow}
    roles = {"system": "system", "developer": "system"}
    asked = {
        "messages": [{"role": roles.get(role, "user"), "content": text} for role, text in texts(body)],
        "temperature": 0,
        "max_tokens": 200,
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
    }
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{address}/v1/chat/completions", json.dumps(asked).encode(), headers)
    with urllib.request.urlopen(request, timeout=90) as response:
        return str(json.load(response)["choices"][0]["message"]["content"])
