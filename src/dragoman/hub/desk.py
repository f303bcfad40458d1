"""What every room of the hub works with: one store, one clock, one maker of ids, the published limits, one bell."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dragoman import wire
from dragoman.clock import Clock
from dragoman.hub.store import Store
from dragoman.hub.wake import Bell

NewId = Callable[[str], str]
"""Makes an unguessable id: the prefix and 32 random lower-case hex."""


class Desk(NamedTuple):
    """The common parts of the rooms.

    `store`: open. `limits`: the bounds, also published. `origins`: the origins that log-ins may be signed for, as
    `wire.origin_of` writes them. `bell`: wakes the polls of this process. `invited`: a new role needs an invitation.
    `minimum_client_version`, `client_releases`: published for clients to look at themselves by.
    """

    store: Store
    clock: Clock
    new_id: NewId
    limits: wire.Limits
    origins: frozenset[str]
    bell: Bell
    invited: bool = False
    minimum_client_version: str = ""
    client_releases: tuple[wire.ClientRelease, ...] = ()
