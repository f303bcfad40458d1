"""A real IRC network (Debian's InspIRCd with Atheme's services) on the loopback, and people with clients of their own.

    network.account("kim")              a services account, made on first use
    await network.client("kim")         a person's client, logged in by SASL (or not: `account=""`)
    await client.say("#hall", "hello")  a message; its `msgid`
    client.heard                        the lines that came

Without the packages the tests are skipped, but fail where `CI` is `true`. A person's client speaks the protocol itself:
it is an onlooker, and shares no line of code with the adapter.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

NETWORK: Final = "HomeTest"
PASSWORD: Final = "only-on-this-machine"
PEOPLE: Final = ("desk", "buyer", "jordan", "oper", "crier", "guest", "kim")
_MODULES: Final = (
    *("spanningtree", "services_account", "sasl", "cap", "ircv3", "ircv3_accounttag", "ircv3_batch", "ircv3_ctctags"),
    *(
        "ircv3_echomessage",
        "ircv3_labeledresponse",
        "ircv3_msgid",
        "ircv3_servertime",
        "botmode",
        "chanhistory",
        "samode",
    ),
)
_SERVER: Final = """
<server name="irc.home.test" description="here" id="1AA" network="{network}">
<admin name="nobody" email="nobody@home.test" nick="nobody">
<bind address="127.0.0.1" port="{port}" type="clients">
<bind address="127.0.0.1" port="{link}" type="servers">
{modules}
<sasl target="services.home.test">
<link name="services.home.test" ipaddr="127.0.0.1" port="{link}" allowmask="127.0.0.1"
 sendpass="{word}" recvpass="{word}">
<uline server="services.home.test" silent="yes">
<connect name="main" allow="*" timeout="30" fakelag="off" commandrate="100000" threshold="1000" hardsendq="1M"
 softsendq="128K" recvq="64K" localmax="1000" globalmax="1000" maxchans="200" resolvehostnames="no" useident="no">
<options prefixquit="" syntaxhints="no" pingwarning="0" splitwhois="no">
<class name="all" commands="*" privs="*" usermodes="*" chanmodes="*">
<type name="all" classes="all">
<oper name="root" password="{word}" host="*@*" type="all">
<performance quietbursts="yes" softlimit="1000" somaxconn="128">
<security runasuser="" customversion="">
<log method="file" type="*" level="default" target="{folder}/ircd.log" flush="1">
<log method="file" type="USERINPUT" level="rawio" target="{folder}/input.log" flush="1">
"""
_SERVICES: Final = """
loadmodule "modules/protocol/inspircd";
loadmodule "modules/backend/opensex";
loadmodule "modules/crypto/posix";
loadmodule "modules/nickserv/main";
loadmodule "modules/nickserv/identify";
loadmodule "modules/nickserv/register";
loadmodule "modules/saslserv/main";
loadmodule "modules/saslserv/plain";
serverinfo {{
 name = "services.home.test"; desc = "services"; numeric = "00A"; recontime = 1; netname = "{network}";
 hidehostsuffix = "users.home.test"; adminname = "nobody"; adminemail = "nobody@home.test";
 registeremail = "nobody@home.test"; auth = none; casemapping = rfc1459; loglevel = {{ error; info; network; }};
 maxlogins = 500; maxusers = 500; mdlimit = 30; emaillimit = 1000; emailtime = 300;
}};
general {{ flood_msgs = 0; flood_time = 1; ratelimit_uses = 0; commit_interval = 5; default_clone_limit = 0; }};
nickserv {{ nick = "NickServ"; user = "s"; host = "home.test"; real = "s"; maxnicks = 500; expire = 0; }};
saslserv {{ nick = "SaslServ"; user = "s"; host = "home.test"; real = "s"; }};
uplink "irc.home.test" {{
 host = "127.0.0.1"; send_password = "{word}"; receive_password = "{word}"; port = {link};
}};
"""


class Network:
    """One server and its services, in a folder of their own."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="irc-"))
        self.port, self._link = _free(), _free()
        modules = "\n".join(f'<module name="{name}">' for name in _MODULES)
        words = {"network": NETWORK, "port": self.port, "link": self._link, "word": "link", "folder": self.folder}
        (self.folder / "ircd.conf").write_text(_SERVER.format(modules=modules, **words))
        (self.folder / "services.conf").write_text(_SERVICES.format(**words))
        (self.folder / "db").mkdir()
        self._accounts: set[str] = set()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._out = (self.folder / "out").open("ab")

    def start(self) -> None:
        """Start both, and wait until the services are linked."""
        root = os.geteuid() == 0
        words = ["inspircd", *(["--runasroot"] if root else []), "--nofork", f"--config={self.folder}/ircd.conf"]
        self._run(words)
        _until(lambda: _answers(self.port), self._trouble)
        services = ["atheme-services", "-n", "-c", f"{self.folder}/services.conf", "-D", f"{self.folder}/db"]
        services += ["-p", f"{self.folder}/db/pid", "-l", f"{self.folder}/db/log"]
        if root:  # the services refuse to be root
            user = pwd.getpwnam("irc")
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, user.pw_uid, user.pw_gid)
            self._run(services, "irc")
        else:
            self._run(services)

    def _run(self, words: list[str], user: str | None = None) -> None:
        self._processes.append(
            subprocess.Popen(
                words, stdout=self._out, stderr=self._out, start_new_session=True, user=user, cwd=self.folder
            )
        )

    def stop(self) -> None:
        """Kill both, and leave nothing."""
        for process in self._processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._out.close()
        shutil.rmtree(self.folder)

    def input(self) -> list[str]:
        """Every line that clients sent to the server."""
        path = self.folder / "input.log"
        return path.read_text(errors="replace").splitlines() if path.exists() else []

    def messages_of(self, nick: str) -> int:
        """How many messages of any kind the server received from whoever asked for this nick when he connected."""
        told = [line.partition(" USERINPUT: ")[2].split(" ", 3) for line in self.input()]
        mine = {words[0] for words in told if words[2:4] == ["NICK", nick]}
        kinds = ("PRIVMSG", "NOTICE", "TAGMSG")
        return sum(
            words[0] in mine and any(f" {kind} " in f" {words[3]}" or words[2] == kind for kind in kinds)
            for words in told
            if len(words) > 3
        )

    async def account(self, name: str) -> str:
        """A services account."""
        if name not in self._accounts:
            client = Client(self.port, f"{name}-new"[:30])
            await client.open()
            nick = client.nick
            for _ in range(100):  # the services may not be linked yet
                await client.put(f"NICK {name}")
                await client.put(f"PRIVMSG NickServ :REGISTER {PASSWORD} {name}@home.test")
                await asyncio.sleep(0.1)
                if any(f" 900 {name} " in line or "is now registered" in line for line in client.heard):
                    break
            else:
                raise AssertionError([nick, client.heard[-10:], self._trouble()])
            await client.close()
            self._accounts.add(name)
        return name

    def _trouble(self) -> str:
        logs = ("out", "ircd.log", "db/log")
        return "\n".join((self.folder / n).read_text()[-2000:] for n in logs if (self.folder / n).exists())


class Client:
    """A person's client. Every line that comes is kept; pings are answered."""

    def __init__(self, port: int, nick: str, account: str = "", *, bot: bool = False) -> None:
        self.nick, self._port, self._account, self._bot = nick, port, account, bot
        self.heard: list[str] = []
        self._serial = 0

    async def open(self) -> None:
        """Connect, log in, and wait for the welcome."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._task = asyncio.ensure_future(self._read())
        caps = "message-tags server-time account-tag echo-message labeled-response batch"
        await self.put(f"CAP REQ :{caps}" + (" sasl" if self._account else ""))
        await self.put(f"NICK {self.nick}")
        await self.put(f"USER {self.nick} 0 * :{self.nick}")
        await self.until(lambda: any(" ACK " in line for line in self.heard))
        if self._account:
            await self.put("AUTHENTICATE PLAIN")
            await self.until(lambda: any("AUTHENTICATE" in line and line.endswith("+") for line in self.heard))
            word = base64.b64encode(f"{self._account}\0{self._account}\0{PASSWORD}".encode()).decode()
            await self.put(f"AUTHENTICATE {word}")
            await self.until(lambda: any(" 903 " in line for line in self.heard))
        await self.put("CAP END")
        await self.until(lambda: any(" 376 " in line or " 422 " in line for line in self.heard))
        if self._bot:
            await self.put(f"MODE {self.nick} +B")

    async def close(self) -> None:
        """Quit."""
        self._task.cancel()
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def put(self, line: str) -> None:
        """One raw line."""
        self._writer.write(f"{line}\r\n".encode())
        await self._writer.drain()

    async def join(self, channel: str) -> None:
        """Go into a channel."""
        await self.put(f"JOIN {channel}")
        await self.until(lambda: any(f" 366 {self.nick} {channel} " in line for line in self.heard))

    async def rename(self, nick: str) -> None:
        """Another nick."""
        await self.put(f"NICK {nick}")
        await self.until(lambda: any(line.endswith(f" NICK :{nick}") for line in self.heard))
        self.nick = nick

    async def rule(self, line: str) -> None:
        """A command of the server's operator."""
        await self.put("OPER root link")
        await self.until(lambda: any(f" 381 {self.nick} " in line for line in self.heard))
        await self.put(line)

    async def say(self, target: str, text: str, tags: str = "", command: str = "PRIVMSG") -> str:
        """A message; its id, as the server gave it."""
        self._serial += 1
        label = f"{self.nick}-{self._serial}"
        await self.put(f"@{tags}{';' if tags else ''}label={label} {command} {target} :{text}")
        await self.until(lambda: bool(self._labelled(label)))
        told = dict(part.partition("=")[::2] for part in self._labelled(label)[1:].partition(" ")[0].split(";"))
        return told.get("msgid", "")

    def _labelled(self, label: str) -> str:
        """The server's answer to a labelled line."""
        answers = (line for line in self.heard if line.startswith("@"))
        return next((line for line in answers if f"label={label}" in line[1:].partition(" ")[0].split(";")), "")

    def lines_of(self, nick: str, target: str) -> list[tuple[str, str]]:
        """The texts that somebody said to a target, each with its id, in order."""
        found = []
        for line in self.heard:
            tags, _, bare = line.partition(" ") if line.startswith("@") else ("", "", line)
            source, _, rest = bare.partition(" ")
            if source.startswith(f":{nick}!") and rest.startswith(f"PRIVMSG {target} "):
                told = dict(part.partition("=")[::2] for part in tags[1:].split(";"))
                found.append((rest.partition(" :")[2], told.get("msgid", "")))
        return found

    async def until(self, true: Callable[[], bool], seconds: float = 45.0) -> None:
        """Wait until something is true."""
        end = asyncio.get_running_loop().time() + seconds
        while not true():
            assert asyncio.get_running_loop().time() < end, self.heard[-8:]
            await asyncio.sleep(0.01)

    async def _read(self) -> None:
        while line := await self._reader.readline():
            text = line.decode(errors="replace").rstrip("\r\n")
            if text.startswith("PING"):
                await self.put(f"PONG{text[4:]}")
            self.heard.append(text)


@contextlib.asynccontextmanager
async def client(network: Network, nick: str, *channels: str, account: str | None = None) -> AsyncIterator[Client]:
    """A person's client, logged in to the account of the same name, in some channels."""
    name = nick if account is None else account
    person = Client(network.port, nick, await network.account(name) if name else "")
    await person.open()
    try:
        for channel in channels:
            await person.join(channel)
        yield person
    finally:
        await person.close()


@contextlib.contextmanager
def running() -> Iterator[Network]:
    """A network, or a skip where there is none (a failure in CI)."""
    if any(shutil.which(name) is None for name in ("inspircd", "atheme-services")):
        missing = "apt-get install inspircd atheme-services"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"no IRC server is installed: {missing}")
    network = Network()
    try:
        network.start()
        asyncio.run(_known(network))
        yield network
    finally:
        network.stop()


async def _known(network: Network) -> None:
    """Everybody's account, made at once."""
    await asyncio.gather(*map(network.account, PEOPLE))


def _free() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _until(true: Callable[[], bool], trouble: Callable[[], str]) -> None:
    for _ in range(200):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError(trouble())


class Said:
    """One output of ours, as an onlooker saw it: the id of its first line, and its text put together again."""

    def __init__(self, id: str, text: str) -> None:
        self.id, self.text = id, text


def outputs(network: Network, onlooker: Client, nick: str, target: str) -> list[Said]:
    """What an onlooker heard of us, put together by the labels that the server's own log shows: `n` begins a line of
    the text, `c` continues the one before, and the first number counts outputs."""
    sent = re.compile(rf" I @(?:[^ ]*;)?label=(\d+)-(\d+)-([cn])(?:;[^ ]*)? PRIVMSG {re.escape(target)} :?(.*)")
    asked = [found.groups() for line in network.input() if (found := sent.search(line))]
    found: list[Said] = []
    at = 0
    for text, id in onlooker.lines_of(nick, target):
        while asked[at][3] != text:
            at += 1  # it was refused
        _, number, how, _ = asked[at]
        at += 1
        if number == "0":
            found.append(Said(id, text))
        else:
            found[-1].text += ("\n" if how == "n" else "") + text
    return found
