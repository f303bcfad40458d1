"""A loopback server in place of Meta's: OUR OWN, built from the documented Cloud API. No server by others exists.

What it does is what Meta's pages say, and no more (developers.facebook.com/documentation/business-messaging/whatsapp):
webhooks/overview (verification, `X-Hub-Signature-256`, retries), webhooks/reference/messages (text, image, group, edit,
revoke, status), cloud-api/reference/phone-numbers (messages, media), typing-indicators, support/error-codes (190, 100,
131009, 131030, 131047). That our adapter agrees with it shows that we read those pages, not that Meta keeps to them.

People act by `say` and `edits`; what we said is in `Number.sent`; every writing request is counted in `writes`. The
24 hours are kept here: outside of them a text is accepted, and then fails by a status, as the pages have it.
"""

from __future__ import annotations

import email
import email.policy
import hashlib
import hmac
import http.client
import itertools
import json
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

DAY_MS: Final = 86_400_000
PATIENCE: Final = 60.0
"""Seconds for which a webhook is offered again; Meta's are days."""


class Sent:
    """One message of ours, as its receiver sees it."""

    def __init__(self, wamid: str, body: dict[str, Any]) -> None:
        self.wamid, self.body = wamid, body

    @property
    def text(self) -> str:
        """The words: of a file its caption."""
        inner = self.body[self.body["type"]]
        return str(inner["body"] if self.body["type"] == "text" else inner.get("caption", ""))


class Number:
    """One business number: its secrets, its webhook, its chats."""

    _serial = itertools.count(1)

    def __init__(self, server: GraphServer) -> None:
        serial = next(self._serial)
        self.phone_number_id, self.display = f"1065403522{serial:05d}", f"1555078{serial:04d}"
        self.business_id = f"1022901293{serial:05d}"
        self.token, self.app_secret, self.word = f"EAAtoken{serial}", f"secret{serial}", f"word{serial}"
        self.callback: Callable[[], str] = lambda: ""
        """Where to call, or an empty text as long as that is not known."""
        self.statuses: tuple[str, ...] = ("sent", "delivered")
        self.fails_with: int | None = None
        """A code with which every accepted message fails afterwards."""
        self.slow = 0.0
        """Seconds that a webhook takes to leave."""
        self.groups: set[str] = set()
        self.sent: list[Sent] = []
        self.media: dict[str, tuple[str, bytes]] = {}
        self.heard: dict[str, int] = {}
        self.names: dict[str, str] = {}
        self.writes = 0
        self.refused: list[int] = []
        """Every answer to a webhook that was not 200."""
        self._webhooks: queue.Queue[bytes | None] = queue.Queue()
        self._verified = False
        self._stopped = threading.Event()
        self._calling = threading.Thread(target=self._call, daemon=True)
        self._calling.start()
        self._server = server

    # --- people ---

    def say(self, sender: str, text: str = "", *, group: str = "", ago_ms: int = 0, **more: Any) -> str:
        """Somebody writes; the id of the message. `more` is put into it (`type`, `image`, `context` ...)."""
        message = {"type": "text", "text": {"body": text}} if "type" not in more else {}
        return self.webhook_of(sender, {**message, **more}, group=group, ago_ms=ago_ms)

    def edits(self, sender: str, original: str, text: str, *, group: str = "") -> str:
        """Somebody changes a message."""
        message = {"type": "text", "text": {"body": text}}
        return self.webhook_of(
            sender, {"type": "edit", "edit": {"original_message_id": original, "message": message}}, group=group
        )

    def webhook_of(self, sender: str, told: dict[str, Any], *, group: str = "", ago_ms: int = 0) -> str:
        """Put one message of somebody on its way."""
        wamid, now = self.wamid(), time.time_ns() // 1_000_000 - ago_ms
        self.heard[group or sender] = max(now, self.heard.get(group or sender, 0))
        known = "from" if sender.isdigit() else "from_user_id"
        message = {known: sender, "id": wamid, "timestamp": str(now // 1_000), **told}
        if group:
            self.groups.add(group)
            message["group_id"] = group
        contacts = [
            {"profile": {"name": self.names.get(sender, sender)}, ("wa_id" if sender.isdigit() else "user_id"): sender}
        ]
        self.tell({"contacts": contacts, "messages": [message]})
        return wamid

    def tell(self, value: dict[str, Any], number: str = "") -> None:
        """Put one webhook on its way."""
        metadata = {"display_phone_number": self.display, "phone_number_id": number or self.phone_number_id}
        change = {"value": {"messaging_product": "whatsapp", "metadata": metadata, **value}, "field": "messages"}
        body = {"object": "whatsapp_business_account", "entry": [{"id": self.business_id, "changes": [change]}]}
        self._webhooks.put(json.dumps(body).encode())

    def idle(self) -> bool:
        """Whether every webhook was taken."""
        return self._webhooks.unfinished_tasks == 0

    def wamid(self) -> str:
        """A fresh message id."""
        return f"wamid.HBgL{self.phone_number_id}{next(self._serial):06d}"

    def close(self) -> None:
        """Stop calling."""
        self._stopped.set()
        self._webhooks.put(None)
        self._calling.join(5)

    # --- webhooks ---

    def _call(self) -> None:
        while (body := self._webhooks.get()) is not None:
            self._stopped.wait(self.slow)
            end, wait = time.monotonic() + PATIENCE, 0.05
            while not self._stopped.is_set() and time.monotonic() < end and not self._posted(body):
                self._stopped.wait(wait)
                wait = min(wait * 2, 0.5) if self.callback() else wait
            self._webhooks.task_done()

    def _posted(self, body: bytes) -> bool:
        if not self.callback():
            return False
        try:
            if not self._verified:
                self._verified = self.subscribe(self.word) == (200, b"1158201444")
            signature = hmac.new(self.app_secret.encode(), body, hashlib.sha256).hexdigest()
            status = self.post(body, {"X-Hub-Signature-256": f"sha256={signature}"})
        except OSError:
            return False
        if status != 200:
            self.refused.append(status)
        return status == 200

    def subscribe(self, word: str) -> tuple[int, bytes]:
        """Ask the callback whether it is meant for us."""
        query = urlencode({"hub.mode": "subscribe", "hub.verify_token": word, "hub.challenge": "1158201444"})
        address = urlsplit(self.callback())
        connection = http.client.HTTPConnection(address.netloc, timeout=10)
        try:
            connection.request("GET", f"{address.path}?{query}")
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def post(self, body: bytes, headers: dict[str, str]) -> int:
        """Call the callback once; its status."""
        address = urlsplit(self.callback())
        connection = http.client.HTTPConnection(address.netloc, timeout=10)
        try:
            connection.request("POST", address.path, body, {"content-type": "application/json", **headers})
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except http.client.HTTPException as failed:
            raise OSError(str(failed)) from failed
        finally:
            connection.close()

    # --- our requests ---

    def take(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """`POST /messages`."""
        self.writes += 1
        group = body.get("recipient_type") == "group"
        to, scoped = str(body.get("to", "")), str(body.get("recipient", ""))
        if body.get("messaging_product") != "whatsapp" or body.get("type") not in ("text", "image", "document"):
            return fault(100, "(#100) Invalid parameter")
        inner = body.get(str(body["type"]), {})
        words = str(inner.get("body", "")) if body["type"] == "text" else str(inner.get("caption", ""))
        limit = 4_096 if body["type"] == "text" else 1_024
        if len(words.encode("utf-16-le")) // 2 > limit or len(str(body.get("biz_opaque_callback_data", ""))) > 512:
            return fault(131009, "(#131009) Parameter value is not valid")
        if body["type"] != "text" and inner.get("id") not in self.media:
            return fault(131009, "(#131009) Parameter value is not valid")
        if (to not in self.groups) if group else not (to.isdigit() or scoped[2:3] == "."):
            return fault(131030, "(#131030) Recipient phone number not in allowed list")
        to = to or scoped
        wamid, code = self.wamid(), self.fails_with
        if time.time_ns() // 1_000_000 - self.heard.get(to, 0) > DAY_MS:
            code = 131047
        if code is None:
            self.sent.append(Sent(wamid, body))
        for status in self.statuses if code is None else ("failed",):
            self._status(wamid, to, status, code, body.get("biz_opaque_callback_data"))
        told = {"input": to, "wa_id": to}
        message = {"id": wamid, "message_status": "accepted"}
        return 200, {"messaging_product": "whatsapp", "contacts": [told], "messages": [message]}

    def _status(self, wamid: str, to: str, status: str, code: int | None, key: object) -> None:
        told: dict[str, Any] = {"id": wamid, "status": status, "timestamp": str(int(time.time())), "recipient_id": to}
        if key is not None:
            told["biz_opaque_callback_data"] = key
        if code is not None:
            told["errors"] = [{"code": code, "title": "failed", "message": "failed", "error_data": {"details": ""}}]
        self.tell({"statuses": [told]})

    def store(self, content_type: str, raw: bytes) -> tuple[int, dict[str, Any]]:
        """`POST /media`."""
        self.writes += 1
        parts = email.message_from_bytes(
            b"content-type: " + content_type.encode() + b"\r\n\r\n" + raw, policy=email.policy.HTTP
        )
        for part in parts.iter_parts():  # type: ignore[attr-defined]
            if part.get_param("name", header="content-disposition") == "file":
                id = f"media{len(self.media) + 1}"
                self.media[id] = (part.get_filename() or "", part.get_payload(decode=True) or b"")
                return 200, {"id": id}
        return fault(100, "(#100) Invalid parameter")


def fault(code: int, message: str, status: int = 400) -> tuple[int, dict[str, Any]]:
    """A Graph API error."""
    return status, {"error": {"message": message, "type": "OAuthException", "code": code, "fbtrace_id": "A1"}}


class GraphServer(ThreadingHTTPServer):
    """The API; numbers are made by `number`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.numbers: dict[str, Number] = {}

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"

    def number(self) -> Number:
        """A fresh number."""
        made = Number(self)
        self.numbers[made.phone_number_id] = made
        return made

    def of_business(self, business_id: str) -> Number | None:
        """The number of a business account."""
        return next((each for each in self.numbers.values() if each.business_id == business_id), None)

    def handle_error(self, request: object, client_address: object) -> None:
        """Who hangs up is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: GraphServer
    protocol_version = "HTTP/1.1"

    def _do(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        status, body = self._answer(raw)
        said = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = _do

    def _answer(self, raw: bytes) -> tuple[int, dict[str, Any]]:
        address = urlsplit(self.path)
        _, version, id, *verb = address.path.split("/")
        number = self.server.numbers.get(id) or self.server.of_business(id)
        if number is None or not version.startswith("v"):
            return fault(100, "(#100) Unsupported request")
        if self.headers.get("authorization") != f"Bearer {number.token}":
            return fault(190, "Invalid OAuth access token", 401)
        match self.command, verb:
            case "GET", ["subscribed_apps"]:
                return 200, {"data": [{"whatsapp_business_api_data": {"id": "67884", "name": "Desk"}}]}
            case "GET", []:
                asked = parse_qs(address.query).get("fields", ["id"])[0].split(",")
                known = {"id": id, "display_phone_number": number.display, "quality_rating": "GREEN"}
                known |= {"verified_name": "Desk", "status": "CONNECTED", "platform_type": "CLOUD_API"}
                return 200, {name: known[name] for name in asked if name in known}
            case "POST", ["messages"]:
                return number.take(json.loads(raw))
            case "POST", ["media"]:
                return number.store(self.headers.get("content-type", ""), raw)
            case _:
                return fault(100, "(#100) Unsupported request")

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@contextmanager
def graph_server() -> Iterator[GraphServer]:
    """A running server."""
    server = GraphServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        for number in server.numbers.values():
            number.close()
        server.shutdown()
        thread.join()
        server.server_close()
