"""`dragoman hub` as an owner's agent uses it: real commands, a real hub, JSON out, exit codes, texts from stdin."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import socketserver
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import born
from tests.hub_process import HubProcess, running_hub

pytestmark = pytest.mark.slow


def dragoman(*words: str, text: str = "") -> tuple[int, dict[str, Any]]:
    """Run one command of the group; its exit code and the JSON it wrote."""
    command = [sys.executable, "-m", "dragoman.cli.main", "hub", *words, "--json"]
    done = born.run(command, input=text.encode(), capture_output=True, timeout=60, check=False)
    return done.returncode, json.loads(done.stdout)


def told(*words: str, text: str = "") -> dict[str, Any]:
    """The answer of a command that must succeed."""
    code, answer = dragoman(*words, text=text)
    assert code == 0, answer
    return answer


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """One hub process for the whole file."""
    with running_hub(tmp_path_factory.mktemp("cli") / "hub") as running:
        yield running


def test_from_key_to_message(hub: HubProcess, tmp_path: Path) -> None:
    """An owner's agent makes two roles, opens a contact, sends a text from stdin, and the other side reads it."""
    at = {}
    for name in ("a", "b"):
        at[name] = ("--url", hub.url, "--key", str(tmp_path / f"{name}.key"))
        made = told("keygen", "--out", str(tmp_path / f"{name}.key"))
        assert made["role_id"] == told("register", *at[name])["role_id"]
    a, b = told("login", *at["a"]), told("login", *at["b"])
    contact = told("contact", *at["a"], "--role", a["role_id"], "--peer", b["role_id"])["contact_id"]
    sent = told("send", *at["a"], "--contact", contact, "--text-file", "-", text="第一行\n第二行\n")

    read = told("messages", *at["b"], "--contact", contact)
    assert [("第一行\n第二行", a["role_id"])] == [(each["text"], each["sender_role_id"]) for each in read["messages"]]
    assert told("communication", *at["a"], "--contact", contact)["delivery"]["state"] == "awaiting_peer_pickup"
    assert [contact] == [each["contact_id"] for each in told("contacts", *at["b"])["contacts"]]
    again = told(
        "send",
        *at["a"],
        "--contact",
        contact,
        "--text-file",
        "-",
        "--reply-id",
        sent["reply_id"],
        text="第一行\n第二行",
    )
    assert (sent["message_id"], True) == (again["message_id"], again["replayed"])
    assert told("close", *at["a"], "--contact", contact)["closed_at"]


def test_errors_end_in_codes(hub: HubProcess, tmp_path: Path) -> None:
    """What the hub refuses, what cannot be reached and what is no key are told by code, exit code and fix."""
    key = str(tmp_path / "role.key")
    told("keygen", "--out", key)
    at = ("--url", hub.url, "--key", key)
    table = [
        (("login", *at), 3, "hub_refused"),
        (("login", "--url", "http://127.0.0.1:9", "--key", key), 3, "hub_unreachable"),
        (("login", "--url", "http://hub.example", "--key", key), 2, "config_invalid"),
        (("login", "--url", hub.url, "--key", key + "x"), 3, "key_invalid"),
        (("keygen", "--out", key), 3, "key_invalid"),
        (("contact", *at, "--role", f"role_{0:032x}", "--peer", f"role_{1:032x}"), 2, "input_invalid"),
        (("send", *at, "--contact", "con_1", "--text-file", key + "x"), 2, "input_invalid"),
        (("send", *at, "--text-file", "-"), 2, "usage"),
        (("serve", "--db", "mysql://db.example/hub"), 3, "not_implemented"),
        (("serve", "--db", str(tmp_path / "hub.db"), "--listen", "0.0.0.0:0"), 2, "config_invalid"),
        (("serve", "--db", str(tmp_path / "hub.db"), "--listen", "nowhere"), 2, "input_invalid"),
        (("serve", "--db", key, "--listen", "127.0.0.1:0"), 3, "store_broken"),
    ]
    for words, code, name in table:
        found, answer = dragoman(*words)
        assert (code, name) == (found, answer["error"]["code"]), words
        if name == "hub_unreachable":
            assert answer["error"]["where"] == "http://127.0.0.1:9"
            assert "see that the hub runs" in answer["error"]["fix"]


class Relay(socketserver.StreamRequestHandler):
    """A middle man: passes requests on to the hub at `hub_port`, but takes sends and hangs up."""

    hub_port = 0

    def handle(self) -> None:
        while head := self.rfile.readline():
            length = 0
            while (line := self.rfile.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            body = self.rfile.read(length)
            path = head.split()[1].decode()
            if path.endswith("/messages"):
                return
            link = http.client.HTTPConnection("127.0.0.1", self.hub_port)
            link.request("POST", path, body, {"content-type": "application/json"})
            answer = link.getresponse()
            raw = answer.read()
            link.close()
            status = f"HTTP/1.1 {answer.status} x\r\ncontent-type: application/json\r\n"
            self.wfile.write(f"{status}content-length: {len(raw)}\r\n\r\n".encode() + raw)


@contextlib.contextmanager
def relaying(hub_port: int, own_port: int = 0) -> Iterator[str]:
    """A running relay; its address."""
    relay = type("RelayToHub", (Relay,), {"hub_port": hub_port})
    with socketserver.ThreadingTCPServer(("127.0.0.1", own_port), relay) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_relay_gets_no_token(hub: HubProcess, tmp_path: Path) -> None:
    """A log-in signed for a middle man's address is worth nothing at the hub, however faithfully he passes it on."""
    key = str(tmp_path / "role.key")
    told("keygen", "--out", key)
    told("register", "--url", hub.url, "--key", key)
    with relaying(hub.port) as address:
        code, answer = dragoman("login", "--url", address, "--key", key)

    assert (3, "hub_refused", "origin_mismatch") == (code, answer["error"]["code"], answer["error"]["detail"])


def test_a_lost_answer_tells_how_to_repeat(tmp_path: Path) -> None:
    """When the answer to a send is lost the command names the option that repeats it under the same id."""
    key = str(tmp_path / "role.key")
    told("keygen", "--out", key)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    proxied = ("--origin", f"http://127.0.0.1:{port}")
    with running_hub(tmp_path / "hub", *proxied) as own, relaying(own.port, port) as address:
        told("register", "--url", address, "--key", key)
        words = ("send", "--url", address, "--key", key, "--contact", f"con_{0:032x}", "--text-file", "-")
        code, answer = dragoman(*words, text="x")

    assert (3, "hub_unreachable") == (code, answer["error"]["code"])
    assert re.search(r"--reply-id rep_[0-9a-f]{32}", answer["error"]["fix"])
