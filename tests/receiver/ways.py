"""The ways to tell the owner, each as a test sees it: configured in a world, told or hanging, and what arrived."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agents.desktop import session
from tests.agents.hook import hooked
from tests.agents.mail import posted
from tests.receiver.world import World

POLICY = """
version = 1

[[targets]]
platform = "memory"
workspace = "W1"
channel = "OWNER"
audience = "internal"
"""
ROOM = {"memory": {"folder": "chat", "workspace": "W1", "id": "AGENT"}}


class Way:
    """One kind. `arrived` gives the id of each notification that got through, as far as the kind shows ids; `hang`
    lets the next ones hang after they arrived, `heal` ends that."""

    kind = ""

    def __init__(self, world: World, stack: ExitStack) -> None:
        self.world, self.stack = world, stack

    def arrived(self) -> list[str]:
        """What got through to the owner."""
        raise NotImplementedError

    def hang(self) -> None:
        """From now on nothing is confirmed."""
        raise NotImplementedError

    def heal(self) -> None:
        """From now on all is well again."""
        raise NotImplementedError


class Command(Way):
    """The notifier of the world: a Python text."""

    kind = "command"

    def __init__(self, world: World, stack: ExitStack) -> None:
        super().__init__(world, stack)
        world.write(notifier={"command": [sys.executable, str(world.notifier)], "timeout_seconds": 20})
        text = world.notifier.read_text()
        hanging = 'import time\nif (here / "hang").exists():\n    time.sleep(60)\nprint('
        world.notifier.write_text(text.replace("print(", hanging))

    def arrived(self) -> list[str]:
        return [told["notification_id"] for told in self.world.told()]

    def hang(self) -> None:
        (self.world.folder / "hang").touch()

    def heal(self) -> None:
        (self.world.folder / "hang").unlink()


class Desktop(Way):
    """The real `notify-send` on a real bus; to hang, a stand-in takes the place of the service's answer."""

    kind = "desktop"

    def __init__(self, world: World, stack: ExitStack, environment: pytest.MonkeyPatch) -> None:
        super().__init__(world, stack)
        self._shown = world.folder / "numbers"
        self._shown.touch()
        folder = world.folder / "desktop"
        folder.mkdir()
        self._desktop = stack.enter_context(session(folder))
        environment.setenv("DBUS_SESSION_BUS_ADDRESS", self._desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
        program = world.folder / "notify-send"
        hang = f'[ -e {world.folder}/hang ] && sleep 60\nexec /usr/bin/notify-send "$@"\n'
        program.write_text(f'#!/bin/sh\n[ -e {world.folder}/hang ] && /usr/bin/notify-send "$@"\n{hang}')
        program.chmod(0o700)
        world.write(notifier={"desktop": {"program": str(program)}, "timeout_seconds": 20})

    def arrived(self) -> list[str]:
        return ["" for _ in self._desktop.shown()]

    def hang(self) -> None:
        (self.world.folder / "hang").touch()

    def heal(self) -> None:
        (self.world.folder / "hang").unlink()


class Email(Way):
    """A real SMTP server in this process."""

    kind = "email"

    def __init__(self, world: World, stack: ExitStack) -> None:
        super().__init__(world, stack)
        self._post = stack.enter_context(posted())
        box = {"server": "127.0.0.1", "security": "none", "port": self._post.port}
        box |= {"from": "desk@example.org", "to": "owner@example.org"}
        world.write(notifier={"email": box, "timeout_seconds": 20})

    def arrived(self) -> list[str]:
        return [message["Message-ID"].strip("<>").partition("@")[0] for message in self._post.messages]

    def hang(self) -> None:
        self._post.answer = "hang"

    def heal(self) -> None:
        self._post.answer = "ok"


class Webhook(Way):
    """A real HTTP server in this process."""

    kind = "webhook"

    def __init__(self, world: World, stack: ExitStack) -> None:
        super().__init__(world, stack)
        self.hook = stack.enter_context(hooked())
        secret = world.folder / "hook.secret"
        secret.write_text("0123456789abcdef0123456789abcdef")
        secret.chmod(0o600)
        world.write(notifier={"webhook": {"url": self.hook.url, "secret_file": secret.name}, "timeout_seconds": 20})

    def arrived(self) -> list[str]:
        return [json.loads(body)["notification_id"] for _, body in self.hook.requests]

    def hang(self) -> None:
        self.hook.answer = "slow"

    def heal(self) -> None:
        self.hook.answer = "ok"


class Chat(Way):
    """A room of the fake platform; to hang, the test holds the platform's own lock."""

    kind = "channel"

    def __init__(self, world: World, stack: ExitStack) -> None:
        super().__init__(world, stack)
        self._outbox = world.folder / "chat" / "outbox.jsonl"
        self._outbox.parent.mkdir(mode=0o700)
        (self._outbox.parent / "inbox.jsonl").touch(0o600)
        (self._outbox.parent / "presence.json").write_text('{"OWNER": {"shared": false}}')
        (world.folder / "policy.toml").write_text(POLICY)
        notifier = {"channel": {"target": "memory/W1/OWNER"}, "timeout_seconds": 20}
        world.write(notifier=notifier, channels=ROOM, policy="policy.toml")
        self._held = -1

    def arrived(self) -> list[str]:
        lines = [json.loads(line) for line in self._outbox.read_text().splitlines()] if self._outbox.exists() else []
        return [line["key"] for line in lines if "OWNER" in json.dumps(line["target"])]

    def hang(self) -> None:
        self._held = os.open(self._outbox, os.O_RDWR)
        fcntl.flock(self._held, fcntl.LOCK_EX)

    def heal(self) -> None:
        os.close(self._held)


KINDS: dict[str, Any] = {way.kind: way for way in (Command, Desktop, Email, Webhook, Chat)}


@contextmanager
def way_of(kind: str, world: World, environment: pytest.MonkeyPatch) -> Iterator[Way]:
    """One kind, configured in a world."""
    with ExitStack() as stack:
        arguments = (world, stack, environment) if kind == "desktop" else (world, stack)
        yield KINDS[kind](*arguments)


def rows(world: World) -> list[tuple[str, str, int]]:
    """The notifications as the ledger holds them: id, state, attempts."""
    books = world.books()
    try:
        return [(each.id, str(each.state), each.attempts) for each in books.notifications.listed()]
    finally:
        books.close()


def exists(path: Path) -> bool:
    """Whether a ledger is there yet."""
    return (path / "state" / "ledger.db").exists()
