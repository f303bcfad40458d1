"""One connection to an IRC server: signs in by SASL, keeps track of who is where, says lines and waits for their echo.

1. Off the loopback the connection is TLS with a verified certificate; the password leaves only by SASL PLAIN, in it.
2. Capabilities: what the facts stand on is asked for (`account-tag`, `message-tags`, `server-time`, `batch`), what
   proves a line (`echo-message`, `labeled-response`), and what tells who is there (`extended-join`, `account-notify`).
3. A line is said only when what became of the one before is known, or its time is up; after the first few, lines are
   `spacing` apart. A name or text that would be a line of its own is never written.
4. irctokens writes lines, ircstates knows nicks, channels and what the network announced. A line that either cannot
   read stops nothing.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from dragoman.channels.irc.facts import BOT_TAGS
from dragoman.channels.irc.line import LIMIT, Line, parsed
from dragoman.channels.irc.state import Member
from dragoman.errors import DragomanError

try:
    from ircstates.server import Server
    from irctokens.line import build, tokenise
except ImportError as missing:
    raise DragomanError(
        "extra_missing", str(missing), where="irc", fix="install it with `pip install 'dragoman[irc]'`"
    ) from missing

WANTED: Final = (
    *("account-tag", "message-tags", "server-time", "batch", "echo-message", "labeled-response"),
    *("extended-join", "account-notify", "sasl"),
)
_REFUSED: Final = frozenset({"902", "904", "905", "906", "908"})
_NICK_TAKEN: Final = frozenset({"432", "433", "436", "437"})
_CLOSED: Final = frozenset({"403", "405", "437", "471", "473", "474", "475", "476", "477", "489"})
_SILENCE: Final = 90.0
"""Seconds of silence after which the server is asked whether it is there."""

Heard = Callable[[str, Line, bool], None]


class Unsent(Exception):
    """There was no connection: no byte of the line left."""


class Connection:
    """One connection of the account `login`.

    Args:
        address: host and port.
        login: our services account, and `password` its password.
        nick: the nick that we ask for.
        in_the_clear: whether the connection may be unencrypted (loopback only).
        heard: is told every line that came, in order: its text, the line, and whether it is of a playback.
        ca_file: certificates to verify with instead of the system's.
        timeout: seconds that signing in, and every answer, may take.
    """

    def __init__(
        self,
        address: tuple[str, int],
        login: str,
        password: str,
        nick: str,
        *,
        in_the_clear: bool,
        heard: Heard,
        ca_file: Path | None = None,
        timeout: float = 15.0,
    ) -> None:
        self._address, self._login, self._password, self._nick = address, login, password, nick
        self._clear, self._ca_file, self._heard, self.timeout = in_the_clear, ca_file, heard, timeout
        self.server: Any = Server(address[0])
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: list[tuple[Callable[[Line], bool], asyncio.Future[Line]]] = []
        self._playbacks: set[str] = set()
        self._bots: set[str] = set()
        self._offered: set[str] = set()
        self.ended = asyncio.Event()

    # --- signing in --------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Connect and sign in.

        Raises:
            DragomanError: `channel_refused` if the login is not accepted or there is no SASL, `channel_unreachable` if
                nobody answered in time, or not with the encryption that we need.
        """
        context = None if self._clear else ssl.create_default_context(cafile=self._ca_file)
        try:
            async with asyncio.timeout(self.timeout):
                reader, self._writer = await asyncio.open_connection(*self._address, ssl=context, limit=LIMIT * 2)
                self._reading = asyncio.ensure_future(self._read(reader))
                await self._sign_in()
        except (OSError, TimeoutError, Unsent) as failed:
            await self.close()
            raise DragomanError(
                "channel_unreachable", type(failed).__name__, where="irc", fix="check host, port and certificate"
            ) from failed
        except DragomanError:
            await self.close()
            raise

    async def _sign_in(self) -> None:
        listed = self._expect(
            lambda line: line.command == "CAP" and line.params[1:2] == ("LS",) and len(line.params) == 3
        )
        ready = self._expect(lambda line: line.command in ("376", "422"))
        await self.put("CAP", "LS", "302")
        await self.put("NICK", self._nick)
        await self.put("USER", self._nick, "0", "*", self._nick)
        await listed
        offered = [name for name in WANTED if name in self._offered]
        if "sasl" not in offered:
            raise DragomanError("channel_refused", "no SASL", where="irc", fix="use a network whose services offer it")
        answered = self._expect(lambda line: line.command == "CAP" and line.params[1:2] in (("ACK",), ("NAK",)))
        await self.put("CAP", "REQ", " ".join(offered))
        await answered
        await self._log_in()
        await self.put("CAP", "END")
        await ready
        bot = self.server.isupport.raw.get("BOT")
        if bot:
            await self.put("MODE", self.nick, f"+{bot}")

    async def _log_in(self) -> None:
        ready = self._expect(lambda line: line.command == "AUTHENTICATE" or line.command in _REFUSED)
        await self.put("AUTHENTICATE", "PLAIN")
        word = base64.b64encode(f"{self._login}\0{self._login}\0{self._password}".encode()).decode()
        if (await ready).command == "AUTHENTICATE":
            account = self._expect(lambda line: line.command == "900" or line.command in _REFUSED)
            for at in range(0, len(word) + 1, 400):
                await self.put("AUTHENTICATE", word[at : at + 400] or "+")
            told = await account
            if told.command == "900" and told.params[2:3] == (self._login,):
                return
        raise DragomanError("channel_refused", "login", where="irc", fix="check `login` and the password file")

    async def close(self) -> None:
        """End the connection."""
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError):
                await self._reading
        if self._writer is not None:
            self._writer.close()
            with contextlib.suppress(OSError, ssl.SSLError):
                await self._writer.wait_closed()
            self._writer = None
        self._end()

    # --- what is known -----------------------------------------------------------------------------------------------

    @property
    def up(self) -> bool:
        """Whether the connection stands and we are signed in."""
        return self._writer is not None and not self.ended.is_set() and bool(self.server.registered)

    @property
    def nick(self) -> str:
        """Our nick now."""
        return str(self.server.nickname)

    @property
    def mapping(self) -> str:
        """The network's case mapping."""
        return str(self.server.isupport.casemapping.value)

    @property
    def chantypes(self) -> str:
        """What a channel's name begins with."""
        return "".join(self.server.isupport.chantypes)

    @property
    def network(self) -> str:
        """How the network calls itself."""
        return str(self.server.isupport.network or "")

    def can(self, capability: str) -> bool:
        """Whether the server agreed to a capability."""
        return capability in self.server.agreed_caps

    def members(self, channel: str) -> tuple[Member, ...] | None:
        """Who is in a channel now, we included; None when we are not in it."""
        found = self.server.get_channel(channel)
        if found is None:
            return None
        users = [self.server.users.get(name) for name in found.users]
        return tuple(
            Member(nick=each.nickname, account=each.account, bot=each.nickname_lower in self._bots)
            for each in users
            if each is not None
        )

    def nick_of(self, account: str) -> str:
        """A nick in one of our channels that is logged in to an account; empty without one."""
        return next((str(user.nickname) for user in self.server.users.values() if user.account == account), "")

    # --- saying ------------------------------------------------------------------------------------------------------

    async def put(self, command: str, *params: str, tags: Mapping[str, str] | None = None) -> None:
        """Write one line.

        Raises:
            Unsent: there is no connection. ValueError: it would be more than one line.
        """
        if self._writer is None or self.ended.is_set():
            raise Unsent
        written = build(command, list(params), tags=dict(tags) if tags else None).format()
        if any(char in written for char in "\r\n\0"):
            raise ValueError("a line within a line")
        self._writer.write(f"{written}\r\n".encode())
        try:
            await self._writer.drain()
        except OSError:
            self._end()

    async def ask(self, true: Callable[[Line], bool], command: str, *params: str, **how: Any) -> Line:
        """Write one line, and wait for what answers it. Raises `Unsent`, or `TimeoutError`, also when cut off."""
        answer = self._expect(true)
        try:
            await self.put(command, *params, **how)
            async with asyncio.timeout(self.timeout):
                return await answer
        finally:
            answer.cancel()

    async def join(self, channel: str) -> bool:
        """Go into a channel, and learn who is there; whether it let us in.

        Raises:
            Unsent, TimeoutError.
        """

        def told(line: Line) -> bool:
            named = line.params[1:2]
            return line.command in ({"366"} | _CLOSED) and bool(named) and self._same(named[0], channel)

        answer = await self.ask(told, "JOIN", channel)
        if answer.command != "366":
            return False
        if self.server.isupport.whox:
            who = self.server.prepare_whox(channel)
            await self.ask(lambda line: line.command == "315", who.command, *who.params)
        return True

    async def account_of(self, nick: str) -> str:
        """The account to which a nick is logged in at this moment; empty for none.

        Raises:
            Unsent, TimeoutError.
        """
        found: list[str] = []

        def told(line: Line) -> bool:
            if line.command == "330" and len(line.params) > 2 and self._same(line.params[1], nick):
                found.append(line.params[2])
            return line.command in ("318", "401") and self._same("".join(line.params[1:2]), nick)

        await self.ask(told, "WHOIS", nick)
        return found[0] if len(found) == 1 else ""

    # --- what comes --------------------------------------------------------------------------------------------------

    def _expect(self, true: Callable[[Line], bool]) -> asyncio.Future[Line]:
        future: asyncio.Future[Line] = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._waiting.append((true, future))
        return future

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                try:
                    async with asyncio.timeout(_SILENCE):
                        data = await reader.readline()
                except TimeoutError:
                    await self.put("PING", "still-there")
                    async with asyncio.timeout(self.timeout):
                        data = await reader.readline()
                if not data:
                    return
                await self._came(data.strip(b"\r\n"))
        except (OSError, ValueError, TimeoutError, Unsent):
            return  # cut, or a line without an end: the adapter makes a new connection
        finally:
            self._end()

    async def _came(self, data: bytes) -> None:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        line = parsed(text)
        if line is None:
            return
        if line.command == "PING":
            await self.put("PONG", *line.params)
        if line.command == "CAP" and line.params[1:2] == ("LS",):
            self._offered |= {name.partition("=")[0] for name in line.params[-1].split()}
        if line.command in _NICK_TAKEN and not self.server.registered:
            self._nick += "_"
            await self.put("NICK", self._nick)
        self._batch(line)
        self._heard(text, line, line.tags.get("batch", "") in self._playbacks)
        with contextlib.suppress(Exception):  # an odd line must not stop the stream; what it changed is not known
            self.server.parse_tokens(tokenise(data))
        self._mark_bots(line)
        for true, future in list(self._waiting):
            if future.done():
                self._waiting.remove((true, future))
            elif true(line):
                self._waiting.remove((true, future))
                future.set_result(line)

    def _batch(self, line: Line) -> None:
        mark, name = (line.target[:1], line.target[1:]) if line.command == "BATCH" else ("", "")
        if mark == "+" and "chathistory" in line.text:
            self._playbacks.add(name)
        elif mark == "-":
            self._playbacks.discard(name)

    def _mark_bots(self, line: Line) -> None:
        nick = self.server.casefold(line.nick)
        if nick and BOT_TAGS & line.tags.keys():
            self._bots.add(nick)
        if line.command in ("NICK", "QUIT"):
            self._bots.discard(nick)
        if line.command == "NICK" and BOT_TAGS & line.tags.keys():
            self._bots.add(self.server.casefold(line.target))

    def _same(self, one: str, other: str) -> bool:
        return bool(self.server.casefold_equals(one, other))

    def _end(self) -> None:
        self.ended.set()
        for _, future in self._waiting:
            if not future.done():
                future.set_exception(TimeoutError("the connection ended"))
        self._waiting.clear()
