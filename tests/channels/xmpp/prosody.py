"""A real XMPP server (Debian's Prosody) on the loopback, and people with clients of their own.

    server.user("kim")                  an account at `home.test`; `user("guest", "away.test")` at another domain
    await server.client(jid, rooms)     a person's client, signed in and in its rooms
    await client.say(to, body, ...)     a message with any payloads; `client.heard` is what came

It has message archives (XEP-0313) for accounts and rooms, occupant-ids, stream management, and no way to other servers.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, fromstring

import pytest
import slixmpp
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath

HOME, AWAY, ROOMS = "home.test", "away.test", "rooms.home.test"
PASSWORD: Final = "only-on-this-machine"
_OWNER: Final = "http://jabber.org/protocol/muc#owner"
_FORM: Final = "jabber:x:data"
_MUC: Final = "http://jabber.org/protocol/muc"
_ADMIN: Final = "http://jabber.org/protocol/muc#admin"
_CONFIG: Final = """
pidfile = "{folder}/prosody.pid"
run_as_root = true
data_path = "{folder}/data"
interfaces = {{ "127.0.0.1" }}
c2s_ports = {{ {port} }}
s2s_ports = {{ }}
c2s_direct_tls_ports = {{ }}
http_ports = {{ }}
https_ports = {{ }}
modules_enabled = {{ "roster", "saslauth", "disco", "offline", "ping", "message", "presence", "iq", {more} }}
modules_disabled = {{ "s2s", "posix" {plain} }}
{tls}
authentication = "internal_hashed"
allow_unencrypted_plain_auth = false
c2s_require_encryption = {sealed}
storage = "internal"
archive_expires_after = "1d"
log = {{ {{ levels = {{ min = "debug" }}, to = "file", filename = "{folder}/prosody.log" }} }}
VirtualHost "home.test"
VirtualHost "away.test"
Component "rooms.home.test" "muc"
  modules_enabled = {{ {rooms} }}
  muc_log_by_default = true
  muc_room_default_public_jids = false
"""


class Prosody:
    """One server in a folder."""

    def __init__(
        self, folder: Path, *, archives: bool = True, counts: bool = True, certificate: Path | None = None
    ) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        more = [f'"{name}"' for name, on in (("mam", archives), ("smacks", counts)) if on]
        tls = f'ssl = {{ key = "{certificate}.key", certificate = "{certificate}" }}' if certificate else ""
        more += ['"tls"'] if certificate else []
        config = _CONFIG.format(
            tls=tls,
            plain="" if certificate else ', "tls"',
            sealed="true" if certificate else "false",
            folder=folder,
            port=self.port,
            more=", ".join(more),
            rooms='"muc_mam"' if archives else "",
        )
        (folder / "data").mkdir()
        (folder / "prosody.cfg.lua").write_text(config)
        self._process: subprocess.Popen[bytes] | None = None
        self._users: set[str] = set()

    def start(self) -> None:
        """Start it, and wait until it accepts."""
        words = ["prosody", "--config", str(self.folder / "prosody.cfg.lua"), "-F"]
        out = (self.folder / "out").open("ab")
        self._process = subprocess.Popen(words, stdout=out, stderr=out, start_new_session=True)
        out.close()
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        raise AssertionError((self.folder / "out").read_text() + (self.folder / "prosody.log").read_text()[-3000:])

    def stop(self) -> None:
        """Kill it."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._process = None

    def user(self, name: str, host: str = HOME) -> str:
        """An account's bare JID; it is made on first use."""
        jid = f"{name}@{host}"
        if jid not in self._users:
            words = ["prosodyctl", "--config", str(self.folder / "prosody.cfg.lua"), "register", name, host, PASSWORD]
            done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            self._users.add(jid)
        return jid

    def log(self) -> str:
        """What the server logged."""
        return (self.folder / "prosody.log").read_text(errors="replace")

    def messages_of(self, jid: str) -> int:
        """How many messages of any kind the server received from the streams of an account."""
        streams: dict[str, str] = {}
        found = 0
        for line in self.log().splitlines():
            stream, _, told = line[16:].partition("\t")
            if "Authenticated as " in told:
                streams[stream] = told.rpartition(" ")[2]
            found += "Received[c2s]: <message" in told and streams.get(stream) == jid
        return found


class Client:
    """A person's client."""

    def __init__(self, jid: str, nick: str, port: int) -> None:
        self.jid, self.nick, self._port = jid, nick, port
        self.heard: list[Element] = []
        self.seen: list[Element] = []
        settings = {"feature_mechanisms": {"unencrypted_scram": True}}
        client = slixmpp.ClientXMPP(jid, PASSWORD, plugin_config=settings)
        client.enable_plaintext = True
        client.enable_starttls = client.enable_direct_tls = False
        kept = {"message": self.heard, "presence": self.seen}
        for name, found in kept.items():
            client.register_handler(
                Callback(name, MatchXPath(f"{{jabber:client}}{name}"), lambda came, into=found: into.append(came.xml))
            )
        self._client: Any = client

    async def open(self) -> None:
        """Sign in, and be there."""
        started = asyncio.get_running_loop().create_future()
        self._client.add_event_handler("session_start", lambda _: started.done() or started.set_result(None))
        self._client.connect("127.0.0.1", self._port)
        await asyncio.wait_for(started, 15)
        self.put("<presence xmlns='jabber:client'/>")

    async def close(self) -> None:
        """Sign out."""
        await self._client.disconnect(wait=1.0, ignore_send_queue=True)
        self._client._run_out_filters.cancel()

    def put(self, xml: str) -> None:
        """Any stanza."""
        element = fromstring(xml)
        make = slixmpp.Message if element.tag.endswith("message") else slixmpp.Presence
        self._client.send(make(self._client, xml=element))

    async def ask(self, to: str, kind: str, payload: Element) -> Element:
        """Any question."""
        iq = self._client.Iq()
        iq["type"], iq["to"] = kind, to
        iq.xml.append(payload)
        return (await iq.send(timeout=10)).xml

    async def enter(self, room: str, nick: str = "") -> None:
        """Go into a room."""
        self.put(
            f"<presence xmlns='jabber:client' to='{room}/{nick or self.nick}'>"
            f"<x xmlns='{_MUC}'><history maxstanzas='0'/></x></presence>"
        )
        await self.until(lambda: any(p.get("from") == f"{room}/{nick or self.nick}" for p in self.seen))

    def leave(self, room: str, nick: str = "") -> None:
        """Go out of a room."""
        self.put(f"<presence xmlns='jabber:client' to='{room}/{nick or self.nick}' type='unavailable'/>")

    async def configure(self, room: str, **changed: str) -> None:
        """Set a room's options, by the names of the form's fields with `_` for `#`."""
        query = Element(f"{{{_OWNER}}}query")
        form = SubElement(query, f"{{{_FORM}}}x", {"type": "submit"})
        for name, value in {"FORM_TYPE": f"{_MUC}#roomconfig", **changed}.items():
            field = SubElement(form, f"{{{_FORM}}}field", {"var": name.replace("muc_", "muc#", 1)})
            SubElement(field, f"{{{_FORM}}}value").text = value
        await self.ask(room, "set", query)

    async def role(self, room: str, nick: str, role: str) -> None:
        """Set an occupant's role."""
        query = Element(f"{{{_ADMIN}}}query")
        SubElement(query, f"{{{_ADMIN}}}item", {"nick": nick, "role": role})
        await self.ask(room, "set", query)

    async def say(self, to: str, body: str, payload: str = "", *, id: str, room: bool = True) -> str:
        """A message; in a room the id that the room gave it, else its own."""
        kind = "groupchat" if room else "chat"
        text = body.replace("&", "&amp;").replace("<", "&lt;")
        self.put(
            f"<message xmlns='jabber:client' to='{to}' type='{kind}' id='{id}'><body>{text}</body>{payload}</message>"
        )
        if not room:
            return id
        await self.until(lambda: self._echo(id) is not None)
        echo = self._echo(id)
        stamp = None if echo is None else echo.find("{urn:xmpp:sid:0}stanza-id")
        return id if stamp is None else stamp.get("id", "")

    def _echo(self, id: str) -> Element | None:
        """The room's echo of a message of ours."""
        mine = (m for m in self.heard if m.get("id") == id and m.get("from", "").endswith(f"/{self.nick}"))
        return next(mine, None)

    async def until(self, true: Callable[[], bool], seconds: float = 45.0) -> None:
        """Wait until something is true."""
        end = asyncio.get_running_loop().time() + seconds
        while not true():
            assert asyncio.get_running_loop().time() < end, [slixmpp.xmlstream.tostring(e) for e in self.heard[-5:]]
            await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def client(server: Prosody, jid: str, *rooms: str, nick: str = "") -> AsyncIterator[Client]:
    """A person's client, in some rooms."""
    person = Client(jid, nick or jid.partition("@")[0], server.port)
    await person.open()
    try:
        for room in rooms:
            await person.enter(room)
        yield person
    finally:
        await person.close()


@contextlib.contextmanager
def running(folder: Path, **how: Any) -> Iterator[Prosody]:
    """A server, or a skip where there is none (a failure in CI)."""
    if shutil.which("prosody") is None:
        missing = "Prosody is not installed: apt-get install prosody"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)
    server = Prosody(folder, **how)
    server.start()
    try:
        yield server
    finally:
        server.stop()
