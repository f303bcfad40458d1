"""The seven capabilities that no packet has, as words that stand together: one row for each way to name one.

A row turns on one kind of word (`pivot`): a name of the capability (`noun`), or an act with its object, place or
manner in the same clause (`beside`), or whatever is done with an object (`agent`). `ours` says of whom it has to be
said; where it is empty, a capability that nobody is named for counts too.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman.packets.claims.english.capabilities.clauses import Kinds
from dragoman.packets.claims.english.kinds import Kind

_K: Final = Kind


class Capability(msgspec.Struct, frozen=True):
    """One way to name a capability: the word it turns on, what has to be beside it, and whose it must be said to be."""

    pivot: Kind
    beside: tuple[frozenset[Kind], ...] = ()
    ours: Kinds = frozenset()
    noun: bool = False
    agent: bool = False
    """UAIX has to be the one that acts, whatever the act is."""


UAIX: Final = frozenset({_K.UAIX})
THING: Final = frozenset({_K.UAIX, _K.PACKET, _K.IT})
OURS: Final = THING | {_K.WE}


def _beside(*kinds: Kind) -> frozenset[Kind]:
    return frozenset(kinds)


CAPABILITIES: Final = (
    Capability(_K.HOST_IS, (), UAIX, noun=True),
    Capability(_K.FOR_YOU, (), UAIX),
    Capability(_K.AUTO_SURE, (), UAIX),
    Capability(_K.MSG_IS, noun=True),
    Capability(_K.MSG_BOX, (), UAIX, noun=True),
    Capability(_K.MSG_DO, (_beside(_K.MSG_OF),), UAIX),
    Capability(_K.MSG_DO, (_beside(_K.MSG_OF), _beside(_K.PLACE)), OURS),
    Capability(_K.MSG_OF, (_beside(_K.PLACE),), UAIX, noun=True),
    Capability(_K.MSG_DO, (_beside(_K.MSG_SAID),), UAIX),
    Capability(_K.MSG_DO, (_beside(_K.MSG_SAID), _beside(_K.MSG_TO)), THING),
    Capability(_K.AT_UAIX, (_beside(_K.MSG_OF, _K.MSG_SAID, _K.MSG_BOX), _beside(_K.MSG_DO)), UAIX, noun=True),
    Capability(_K.SYNC_IS, noun=True),
    Capability(_K.SYNC_DO, (), UAIX),
    Capability(_K.SYNC_DO, (_beside(_K.AUTO, _K.EASE),), OURS, noun=True),
    Capability(_K.SYNC_MAY, (_beside(_K.AUTO, _K.EASE), _beside(_K.SYNC_OF)), OURS),
    Capability(_K.SYNC_DO, (_beside(_K.SYNC_OF),), THING),
    Capability(_K.SYNC_MAY, (_beside(_K.SYNC_OF),), UAIX),
    Capability(_K.SYNC_DO, (_beside(_K.AUTO),), noun=True),
    Capability(_K.SYNC_SAME, (_beside(_K.SYNC_SURE), _beside(_K.SYNC_MANY)), THING),
    Capability(_K.SYNC_EVER, (_beside(_K.SYNC_OF), _beside(_K.SYNC_MANY)), noun=True),
    Capability(_K.SYNC_FLOW, (_beside(_K.AUTO), _beside(_K.SYNC_OF)), noun=True),
    Capability(_K.RUN_IS, noun=True),
    Capability(_K.RUN_SURE, (), THING),
    Capability(_K.RUN_NOUN, (), UAIX, noun=True),
    Capability(_K.RUN_DO, (_beside(_K.RUN_OF),), THING),
    Capability(_K.RUN_MAY, (_beside(_K.RUN_OF, _K.RUN_WHO),), UAIX),
    Capability(_K.REPO_IS, noun=True),
    Capability(_K.REPO_DO, (_beside(_K.REPO_OF),), THING),
    Capability(_K.REPO_DO, (_beside(_K.REPO_FIX),), THING),
    Capability(_K.REPO_MAY, (_beside(_K.REPO_OF),), THING),
    Capability(_K.REPO_SURE, (), UAIX),
    Capability(_K.REPO_DO, (_beside(_K.FOR_YOU),), THING),
    Capability(_K.ACCESS, (), THING, noun=True),
    Capability(_K.ADAPTER_IS, noun=True),
    Capability(_K.ADAPTER, (_beside(_K.OFFICIAL),), OURS, noun=True),
    Capability(_K.CERT_ANY, noun=True),
    Capability(_K.CERT_IS, (), OURS, noun=True),
    Capability(_K.CERT_DO, (), THING),
    Capability(_K.CERT_OF, (), UAIX, noun=True),
    Capability(_K.CERT_PROOF, (_beside(_K.CERT_STATE), _beside(_K.CERT_WHO)), THING),
    Capability(_K.IMPORT_IS, noun=True),
    Capability(_K.AT_UAIX, (_beside(_K.IMPORT_DO),), UAIX, noun=True),
    Capability(_K.IMPORT_DO, (_beside(_K.PLACE, _K.FOR_YOU, _K.AUTO),), UAIX),
    Capability(_K.IMPORT_DO, (), UAIX),
    Capability(_K.IMPORT_DO, (_beside(_K.PLACE, _K.AUTO),), THING),
    Capability(_K.IMPORT_DO, (_beside(_K.UAIX),), THING),
    Capability(_K.IMPORT_DO, (_beside(_K.FOR_YOU),), OURS),
    *(Capability(kind, (), UAIX, agent=True) for kind in (_K.MSG_OF, _K.SYNC_OF, _K.RUN_OF, _K.REPO_OF, _K.CERT_OF)),
)
