"""The other side of a webhook notifier: checks who asks, tells the owner once per id, and confirms it.

    python webhook_receiver.py --secret FILE --port 8787 --out told.jsonl

It listens on this machine only; put it behind a TLS server for anything else. "Telling the owner" is here a line in a
file: put your own way in `tell`, and let it return only once the owner was really told.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

SKEW_SECONDS = 300
SIZE_LIMIT = 256 * 1024


def genuine(secret: bytes, timestamp: str, signature: str, body: bytes, now: float) -> bool:
    """Whether a request was signed with our secret, lately."""
    if not timestamp.isdecimal() or abs(now - int(timestamp)) > SKEW_SECONDS:
        return False
    right = "v1=" + hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(right.encode(), signature.encode())


def tell(out: Path, notification: dict[str, Any]) -> None:
    """Tell the owner, once per id: an attempt under the same id is the same notification."""
    lines = out.read_text().splitlines() if out.exists() else []
    if notification["notification_id"] not in {json.loads(line)["notification_id"] for line in lines}:
        with out.open("a") as file:
            file.write(json.dumps(notification, ensure_ascii=False) + "\n")


def main() -> None:
    """Serve until stopped."""
    options = argparse.ArgumentParser()
    options.add_argument("--secret", type=Path, required=True)
    options.add_argument("--port", type=int, default=8787)
    options.add_argument("--out", type=Path, required=True)
    given = options.parse_args()
    secret = given.secret.read_text().strip().encode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers.get("content-length", "0"))
            body = self.rfile.read(size) if size <= SIZE_LIMIT else b""
            stamp, signature = self.headers.get("dragoman-timestamp", ""), self.headers.get("dragoman-signature", "")
            if not genuine(secret, stamp, signature, body, time.time()):
                self.send_error(401)
                return
            notification = json.loads(body)
            tell(given.out, notification)
            said = {"schema_version": 1, "delivered": True, "notification_id": notification["notification_id"]}
            answer = json.dumps(said).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", given.port), Handler)
    print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
