"""What every platform's account is to whoever runs it: a name, a stream of what came in, and a channel to speak by.

A platform's room has, besides its facts and its operations table:

    section.py   `Section`: the account's part of the receiver's configuration; no SDK is imported for it
    account.py   `account(section, place)`: the account on the platform's own SDK, not opened yet

1. An arrival is bytes from which its event can be made again at any time, by any later process: payload and look-ups.
2. `Batch.position` is stored by the caller in the commit that stores the batch's arrivals; reading goes on from there.
   What a platform pushes and does not keep goes through the `Spool` first, and is confirmed to the platform after.
3. Nothing here decides. `perform` is called by the gate's door only.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated, Protocol

import msgspec
from msgspec import Meta

from dragoman.channels.inlet import Inlet
from dragoman.channels.spool import Arrival as Arrival
from dragoman.channels.spool import Batch as Batch
from dragoman.channels.spool import Spool
from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.ports import Channel
from dragoman.identity import Target
from dragoman.words import Fact

Id = Annotated[
    str, Meta(min_length=1, max_length=255, pattern=r"^[^\x00-\x20\x7f](?:[^\x00-\x1f\x7f]*[^\x00-\x20\x7f])?\Z")
]
"""An id of the platform, unpadded."""
Address = Annotated[str, Meta(min_length=8, max_length=300)]
"""A URL."""
PathName = Annotated[str, Meta(min_length=1, max_length=4_096, pattern=r"^[^\x00-\x1f\x7f]+\Z")]
"""A path, taken from the folder of the configuration."""


class AccountSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One account in the configuration; unknown keys are errors. Secrets stand in private files that it names."""

    @property
    def account(self) -> str:
        """What names the account among those of its platform; positions are kept under it, so it never changes."""
        raise NotImplementedError

    def serves(self, workspace: str) -> bool:
        """Whether a target of this workspace can be spoken to by this account."""
        return workspace == self.account


class Proof(msgspec.Struct, frozen=True):
    """What the platform says of a key: YES with its evidence, NO when it is not there, or a repetition under the same
    key is harmless; UNKNOWN for no proof now, and with `gone` for none ever."""

    there: Fact
    evidence: str = ""
    gone: bool = False


class Account(Channel, Protocol):
    """One account of a platform, as the receiver runs it."""

    @property
    def name(self) -> str:
        """`platform:account`, as in the configuration."""
        ...

    async def open(self) -> None:
        """Connect, and see that the credentials are the account's.

        Raises:
            DragomanError: `channel_refused` if they are not, `channel_unreachable` if nobody answered.
        """
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...

    def events(self, since: str | None) -> AsyncIterator[Batch]:
        """Batches from the stored position on, without end; outages are waited out. None is the first time: what was
        said before is history.

        Raises:
            DragomanError: `channel_refused` when the platform does not accept us any more.
        """
        ...

    def event(self, raw: bytes, received_at: int) -> Event:
        """The facts of one arrival that this account authenticated on its way in."""
        ...

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """What became of the send under `key`, which was decided at `minted_at` and whose answer was lost."""
        ...


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """What whoever runs an account gives it."""

    clock: Clock
    at: Callable[[str], Path]
    """A path of the configuration, taken from its folder."""
    spool: Callable[[str], Spool]
    """The private inbox of an account, by its name."""
    inlet: Inlet
    """Where platforms call us; it listens only when an account asks for a path of it."""
    report: Callable[[DragomanError], None]
    """Is told what the owner should see, such as an outage."""
