"""The wall beside the door: may this call of a platform's SDK leave, although no door opened for it? (spec 1 §7)

A bot that embeds the gate still holds its SDK's client. The wall stands in the SDK's transport, which all its methods,
shortcuts and helpers end in, and judges each call by its name, first rule first:

1. It is the call that let us in: what a transport calls below itself is judged once.
2. The platform's table says that it only reads, or connects us: it passes.
3. The gate's door is carrying out one output of this wall's own channel, in this very task (or thread), and that
   output takes this call: it passes, as often as the output needs it. A task or thread that copied the context is
   another one, and gets nothing.
4. In shadow mode it passes, and the journal says what would have been stopped.
5. Anything else is stopped before a byte leaves: `ungated_send`, one record in the journal. So is a call that is in no
   table: unknown is never a yes.

It guards against mistakes of the bot's own code, not against code that means to get out: whoever runs in the process
can read the token and open a socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, Final, Protocol

from dragoman.chance import unguessable
from dragoman.errors import DragomanError
from dragoman.gate.entries import ungated_entry
from dragoman.gate.policy import Policy
from dragoman.gate.ports import Entry, Output, Receipt

FIX: Final = "say it with the turn that your agent is handed, or deliver it under a grant by `Gate.deliver`"
_FENCED: Final = "__dragoman_fenced__"

Owner = tuple[int, "asyncio.Task[Any] | None"]
"""Who makes a call: a thread, and the task that runs in it."""


class Watched(Protocol):
    """What the wall asks of the gate."""

    @property
    def policy(self) -> Policy:
        """The policy in force: its mode and its version."""
        ...

    def note(self, entry: Entry) -> None:
        """Write one journal record."""
        ...

    def now(self) -> int:
        """The time, epoch milliseconds."""
        ...


class _Pass:
    """What one output still takes, and who carries it out."""

    __slots__ = ("left", "owner", "wall")

    def __init__(self, wall: Wall, owner: Owner, calls: Iterable[str]) -> None:
        self.wall, self.owner, self.left = wall, owner, Counter(calls)


_pass: ContextVar[_Pass | None] = ContextVar("dragoman_pass", default=None)
_inside: ContextVar[tuple[Wall, Owner, str] | None] = ContextVar("dragoman_inside", default=None)


class Wall:
    """One guarded client.

    Args:
        platform: its name, the first part of the journal's consumer path.
        reads: calls that pass; what others can notice is not among them.
        sends: calls that the door alone makes.
        gate: whose door it is.
    """

    def __init__(self, platform: str, reads: frozenset[str], sends: frozenset[str], gate: Watched) -> None:
        self._platform, self._reads, self._sends, self._gate = platform, reads, sends, gate
        self._home = threading.get_ident()
        self._loop = _loop()

    @contextlib.contextmanager
    def crossing(self, call: str) -> Iterator[None]:
        """Around one call of the transport.

        Raises:
            DragomanError: `ungated_send`; the call must not be made.
        """
        self.judge(call, below=call)
        mark = _inside.set((self, _owner(), call))
        try:
            yield
        finally:
            _inside.reset(mark)

    def judge(self, call: str, *, below: str = "") -> None:
        """Let a call pass, or not. `below`: the call above it that would have been judged already; empty for any.

        Raises:
            DragomanError: `ungated_send`.
        """
        if self._judged(below) or call in self._reads or self._let(call):
            return
        shadow = self._gate.policy.mode == "shadow"
        self._tell(call, shadow)
        if not shadow:
            known = "sends" if call in self._sends else "is not known to the guard, so that it may send"
            raise DragomanError("ungated_send", f"`{call}` {known}; nothing left", where=self._platform, fix=FIX)

    @contextlib.contextmanager
    def open_for(self, calls: Iterable[str]) -> Iterator[None]:
        """Around the one output that the door carries out: these calls pass once each, in this task or thread."""
        mark = _pass.set(_Pass(self, _owner(), calls))
        try:
            yield
        finally:
            _pass.reset(mark)

    async def letting(
        self, carry_out: Callable[[Output], Awaitable[Receipt]], calls: Iterable[str], output: Output
    ) -> Receipt:
        """Let an adapter carry out one output, with the calls that it takes."""
        with self.open_for(calls):
            return await carry_out(output)

    def _judged(self, below: str) -> bool:
        inside = _inside.get()
        return inside is not None and inside[:2] == (self, _owner()) and below in ("", inside[2])

    def _let(self, call: str) -> bool:
        granted = _pass.get()
        if granted is None or granted.wall is not self or granted.owner != _owner() or granted.left[call] < 1:
            return False
        granted.left[call] -= 1
        return True

    def _tell(self, call: str, shadow: bool) -> None:
        """Write it down, on the thread that the gate lives on; what cannot be written is stopped all the same, and
        beside a live bot blocks nothing."""
        version, now = self._gate.policy.version, self._gate.now()
        consumer = f"{self._platform}.{call}"
        entry = ungated_entry(unguessable("cor"), consumer, version, now, shadow=shadow)
        here = threading.get_ident() == self._home
        self._loop = self._loop or (_loop() if here else None)
        with contextlib.suppress(Exception):
            if here or self._loop is None or self._loop.is_closed():
                self._gate.note(entry)
            else:
                self._loop.call_soon_threadsafe(self._gate.note, entry)


class Walls:
    """Every wall of one SDK in this process. A wall stands until the process ends."""

    def __init__(self) -> None:
        self._all: list[tuple[object, Callable[[], Iterable[str | None]], Wall]] = []

    def build(self, client: object, secrets: Callable[[], Iterable[str | None]], wall: Wall) -> None:
        """Put a wall around `client`, and around every other one that speaks by one of its secrets.

        Raises:
            DragomanError: `conflict` if one stands there.
        """
        if any(guarded is client for guarded, _, _ in self._all):
            raise DragomanError("conflict", "this client is guarded already", fix="guard it once, and keep the channel")
        self._all.append((client, secrets, wall))

    def around(self, *clients: object, secret: str | None = None) -> Wall | None:
        """The wall around one of these, or around whoever speaks by this secret; an account that has not said its
        secret yet may speak by any."""
        for guarded, secrets, wall in self._all:
            if any(client is guarded for client in clients):
                return wall
            known = set(secrets())
            if secret and (secret in known or None in known):
                return wall
        return None

    def any(self) -> Wall | None:
        """A wall for what names no account, such as the address of a webhook: the first that stands."""
        return self._all[0][2] if self._all else None

    def clear(self) -> None:
        """Take every wall down: for tests, which share a process."""
        self._all.clear()


def fence(
    owner: type,
    name: str,
    crossing: Callable[..., AbstractContextManager[None]],
    after: Callable[[Any], None] = lambda result: None,
) -> None:
    """Let every call of the SDK's `owner.name` go through `crossing`, which gets its arguments, and what it returns
    through `after`; once per process.

    Raises:
        DragomanError: `not_ready` when this version of the SDK has no such method: another transport may stand there.
    """
    method = vars(owner).get(name)
    if method is None:
        what = f"{owner.__module__}.{owner.__qualname__} has no `{name}`"
        raise DragomanError("not_ready", what, where="guard", fix="use a version of the SDK that this guard knows")
    if getattr(method, _FENCED, False):
        return

    @functools.wraps(method)
    async def awaited(*args: Any, **named: Any) -> Any:
        with crossing(*args, **named):
            result = await method(*args, **named)
        after(result)
        return result

    @functools.wraps(method)
    def called(*args: Any, **named: Any) -> Any:
        with crossing(*args, **named):
            result = method(*args, **named)
        after(result)
        return result

    fenced: Any = awaited if inspect.iscoroutinefunction(method) else called
    del fenced.__wrapped__  # nothing reaches the method beside its fence by accident
    setattr(fenced, _FENCED, True)
    setattr(owner, name, fenced)


def passing(*_: Any, **__: Any) -> AbstractContextManager[None]:
    """What is around a call that no wall concerns."""
    return contextlib.nullcontext()


def _owner() -> Owner:
    try:
        return threading.get_ident(), asyncio.current_task()
    except RuntimeError:  # a thread without a loop
        return threading.get_ident(), None


def _loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
