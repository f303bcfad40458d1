"""Many roles in one process, each from a folder of its own, none of them able to stop another (spec 2 §2).

1. A sub-folder of the roles folder is a role; it holds one private `dragoman.toml` or `dragoman.json`. Names that begin
   with a dot are no roles. The folder itself is private, and looked at again: a new role starts, one that is gone ends.
2. A role is served as `run` or `once` would serve it alone: its own lock, key, ledger, connection and notifier. Shared
   are the event loop and the bound on how many handlers run at once. Starts are spread.
3. What ends a role ends only that role. It is noted in the role's ledger, told to its owner once by its own notifier,
   and the role is tried again, after longer and longer waits: what was mended goes on by itself.
4. A role id is served once in a process: the second folder with it is refused (`state_locked`).
5. To stop, all are asked at once, and each has its own grace.

Nothing here reads a message, and nothing here prints.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Final

import msgspec

from dragoman.clock import Clock
from dragoman.errors import DragomanError, unforeseen
from dragoman.ledger.files import NotPrivate, private_folder
from dragoman.receiver.config import Config, load_config
from dragoman.receiver.ended import forgotten, told_owner
from dragoman.receiver.serving import Served, serving
from dragoman.receiver.wiring import Receiver

FILES: Final = ("dragoman.toml", "dragoman.json")
"""What a role's configuration is called; a folder holds one of them."""
SPREAD_SECONDS: Final = 0.1
LOOK_SECONDS: Final = 10.0
FIRST_SECONDS: Final = 5.0
LONGEST_SECONDS: Final = 300.0
STOP_SECONDS: Final = 15.0
"""How long a stop may take at most: the grace of a receiver, and closing."""


class Role(msgspec.Struct, frozen=True, order=True):
    """One sub-folder."""

    name: str
    folder: Path

    def config(self) -> Path:
        """Where its configuration lies; a folder without one is named after the first of `FILES`.

        Raises:
            DragomanError: `config_invalid` when there are two.
        """
        found = [self.folder / name for name in FILES if os.path.lexists(self.folder / name)]
        if len(found) > 1:
            fix = "keep the one that the owner meant"
            raise DragomanError("config_invalid", f"both {' and '.join(FILES)}", where=str(self.folder), fix=fix)
        return found[0] if found else self.folder / FILES[0]


class News(msgspec.Struct, frozen=True, kw_only=True):
    """What happened to a role: it works (`running`), met something on its way, or has ended and is tried again."""

    role: str
    running: bool = False
    error: DragomanError | None = None
    again_seconds: float | None = None


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What one cycle of a role came to, or why there was none."""

    role: str
    served: Served | None = None
    error: DragomanError | None = None


def roles_in(folder: Path) -> list[Role]:
    """The roles of a private folder, by name.

    Raises:
        DragomanError: `config_missing` when it is missing or holds none, `config_not_private`.
    """
    found = _listed(folder)
    if not found:
        fix = f"make a folder for each role with its `{FILES[0]}`"
        raise DragomanError("config_missing", "no roles", where=str(folder), fix=fix)
    return found


def _listed(folder: Path) -> list[Role]:
    if not folder.is_dir():
        raise DragomanError("config_missing", "no such folder", where=str(folder), fix="check the path")
    try:
        private_folder(folder)
        return sorted(Role(each.name, each) for each in folder.iterdir() if each.is_dir() and each.name[0] != ".")
    except NotPrivate as error:
        fix = "chmod 700, owned by you; no symlink"
        raise DragomanError("config_not_private", str(error), where=str(folder), fix=fix) from None
    except OSError as error:
        raise DragomanError(
            "config_unreadable", error.strerror or "", where=str(folder), fix="check the path"
        ) from None


class Roles:
    """The roles of one process.

    Args:
        folder: the roles folder.
        stop: set when all are to end.
        slots: held while a handler runs.
        tell: hears what happens to each role.
    """

    def __init__(
        self,
        folder: Path,
        *,
        clock: Clock,
        started_by: str,
        stop: asyncio.Event,
        slots: AbstractAsyncContextManager[object],
        tell: Callable[[News], None],
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._started_by = started_by
        self._stop = stop
        self._slots = slots
        self._tell = tell
        self._ids: set[str] = set()
        self._known: dict[str, Config] = {}
        self._last: dict[str, Role] = {}
        self._unreadable = ""

    async def run(self) -> None:
        """Serve every role until `stop`."""
        tasks: dict[str, asyncio.Task[None]] = {}
        stops: dict[str, asyncio.Event] = {}
        try:
            while not self._stop.is_set():
                found = self._looked()
                for name in stops.keys() - found.keys():
                    stops.pop(name).set()
                for name, role in found.items():
                    before = tasks.get(name)
                    if name in stops or (before is not None and not before.done()):
                        continue
                    stops[name] = asyncio.Event()
                    tasks[name] = asyncio.create_task(self._keep(role, stops[name]), name=name)
                    if await _pause(self._stop, SPREAD_SECONDS):
                        break
                await _pause(self._stop, LOOK_SECONDS)
        finally:
            for each in stops.values():
                each.set()
            await _all_ended(list(tasks.values()))

    async def once(self) -> list[Ended]:
        """One cycle of every role, side by side; what each came to, by name."""
        tasks = []
        for role in roles_in(self._folder):
            tasks.append(asyncio.create_task(self._once(role), name=role.name))
            await _pause(self._stop, SPREAD_SECONDS / 5)
        return list(await asyncio.gather(*tasks))

    # --- one role ----------------------------------------------------------------------------------------------------

    async def _keep(self, role: Role, stop: asyncio.Event) -> None:
        """Serve a role again and again until it is asked to stop."""
        wait = FIRST_SECONDS
        while not stop.is_set():
            worked: list[bool] = []
            error = await self._serve(role, stop, worked)
            if error is None or stop.is_set():
                return
            wait = FIRST_SECONDS if worked else wait
            self._tell(News(role=role.name, error=error, again_seconds=wait))
            telling = asyncio.ensure_future(self._told(role, error))
            try:
                if await _pause(stop, wait):
                    return
            finally:
                telling.cancel()
                await asyncio.wait({telling})
            wait = min(wait * 2, LONGEST_SECONDS)

    async def _serve(self, role: Role, stop: asyncio.Event, worked: list[bool]) -> DragomanError | None:
        """Serve a role once; what ended it, or None when it was asked to stop."""

        def ready(receiver: Receiver) -> None:
            worked.append(True)
            forgotten(receiver.books)
            self._tell(News(role=role.name, running=True))

        try:
            config = self._loaded(role)
            with self._claimed(role, config), _heard(stop) as mine:
                await serving(
                    config,
                    clock=self._clock,
                    started_by=self._started_by,
                    stop=mine,
                    single=False,
                    report=lambda error: self._tell(News(role=role.name, error=error)),
                    ready=ready,
                    slots=self._slots,
                )
        except Exception as error:  # noqa: BLE001  whatever one role meets, the others go on
            return unforeseen(error)
        return None

    async def _once(self, role: Role) -> Ended:
        try:
            config = self._loaded(role)
            with self._claimed(role, config), _heard(self._stop) as mine:
                served = await serving(
                    config,
                    clock=self._clock,
                    started_by=self._started_by,
                    stop=mine,
                    single=True,
                    report=lambda error: self._tell(News(role=role.name, error=error)),
                    ready=lambda receiver: forgotten(receiver.books),
                    slots=self._slots,
                )
        except Exception as found:  # noqa: BLE001  whatever one role meets, the others have their cycle
            error = unforeseen(found)
            await self._told(role, error)
            return Ended(role=role.name, error=error)
        return Ended(role=role.name, served=served)

    async def _told(self, role: Role, error: DragomanError) -> None:
        """Note and tell the owner what ended a role, by the last configuration of it that could be read."""
        config = self._known.get(role.name)
        if config is not None:
            await told_owner(config, error, self._clock)

    def _loaded(self, role: Role) -> Config:
        config = load_config(role.config())
        self._known[role.name] = config
        return config

    def _looked(self) -> dict[str, Role]:
        """The roles as they are now. A folder that cannot be read takes nobody's role away, and is told of once."""
        try:
            self._last = {role.name: role for role in _listed(self._folder)}
            self._unreadable = ""
        except DragomanError as error:
            if error.code != self._unreadable:
                self._tell(News(role="", error=error))
            self._unreadable = error.code
        return self._last

    @contextlib.contextmanager
    def _claimed(self, role: Role, config: Config) -> Iterator[None]:
        """A role id belongs to one folder at a time; the key file's lock does not see a copy of it."""
        id = config.file.hub.role_id if config.file.hub else ""
        if id in self._ids:
            fix = "one receiver per role: stop the other one, or use its state"
            raise DragomanError("state_locked", "another folder holds the same role", where=role.name, fix=fix)
        claimed = {id} - {""}
        self._ids |= claimed
        try:
            yield
        finally:
            self._ids -= claimed


@contextlib.contextmanager
def _heard(stop: asyncio.Event) -> Iterator[asyncio.Event]:
    """An event that is set with `stop`, and that a receiver which ends may set for its own parts."""
    mine = asyncio.Event()

    async def hear() -> None:
        await stop.wait()
        mine.set()

    hearing = asyncio.ensure_future(hear())
    try:
        yield mine
    finally:
        hearing.cancel()


async def _pause(stop: asyncio.Event, seconds: float) -> bool:
    """Wait; whether `stop` was set meanwhile."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
    return stop.is_set()


async def _all_ended(tasks: list[asyncio.Task[None]]) -> None:
    """Wait for all, then end those that take too long."""
    if tasks:
        await asyncio.wait(tasks, timeout=STOP_SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
