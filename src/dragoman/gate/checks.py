"""What is found in the texts of a draft, and where? (spec 1 §4 steps 1 to 5, §5)

Each function asks one question of every passage of a draft (`parts.passages`) and gives findings: rule id and place,
never the text and never the party. Leaks, hard stops and topics are also looked for across neighbours, since what is
cut in two by a label and its value, or by two sends, is still there.

Pure. Which answer follows, and in which order the questions are asked, is `release`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import msgspec

from dragoman.gate.links import marked_up, suspicious
from dragoman.gate.markup import as_shown
from dragoman.gate.parts import Parts, Passage, Voice, neighbours
from dragoman.gate.policy import Policy
from dragoman.gate.topics import hard_stops_in, topics_in
from dragoman.identity import Target
from dragoman.leaks import Hit
from dragoman.words import Audience, Fact, Topic

if TYPE_CHECKING:
    from dragoman.gate.records import Record

Said = tuple[Passage, ...]

_JOINTS: Final = ("", "\n")
"""A word may be cut at a joint, or the line may end there."""


class Finding(msgspec.Struct, frozen=True, order=True):
    """One find: rule id, place (two joined by `+` when it lies across them) and the half-open span in that place."""

    rule: str
    place: str = "text"
    start: int = 0
    end: int = 0

    def __str__(self) -> str:
        span = f":{self.start}-{self.end}" if self.end else ""
        return f"{self.rule}@{self.place}{span}"


def marked(said: Said, token: str) -> bool:
    """Whether the marker of silence stands in a text: it is ours, no word for anybody outside (spec 1 §3)."""
    pattern = re.compile(rf"(?<![A-Za-z0-9]){re.escape(token)}(?![A-Za-z0-9])")
    return any(token in passage.text and pattern.search(passage.text) for passage in said)


def stops(said: Said) -> tuple[Finding, ...]:
    """Hard stops, in each passage and in all of them read as one."""
    found = [Finding(str(stop), passage.place) for passage in _prose(said) for stop in hard_stops_in(passage.text)]
    if found or len(said) < 2:
        return tuple(sorted(found))
    return tuple(sorted(Finding(str(stop), "+") for stop in hard_stops_in(_as_one(said))))


def topics(said: Said) -> frozenset[Topic]:
    """Topics by rule, in each passage and in all of them read as one."""
    found = frozenset(topic for passage in _prose(said) for topic in topics_in(passage.text))
    return found if len(said) < 2 else found | topics_in(_as_one(said))


def claims(said: Said, record: Record, now: int) -> tuple[Finding, ...]:
    """Statements that the record does not make, passage by passage."""
    from dragoman.gate.records import unverified  # with its patterns, where a text is read and not before

    return tuple(
        Finding(str(claim.kind), passage.place, claim.start, claim.end)
        for passage in _prose(said)
        for claim in unverified(passage.text, record, now)
    )


def links(said: Said, parts: Parts) -> tuple[Finding, ...]:
    """Links that are not what they seem: those of the parts, and those in the markup of a text."""
    found = [
        Finding(rule, place, 0, len(target))
        for place, target, shown in _targets(parts)
        if (rule := suspicious(target, shown)) is not None
    ]
    for passage in _prose(said):
        found += [Finding(rule, passage.place, link.start, link.end) for link, rule in marked_up(passage.text)]
    return tuple(found)


class Leaks:
    """The leak check for one target at this moment (spec 1 §5)."""

    def __init__(self, target: Target, audience: Audience, shared: Fact, policy: Policy) -> None:
        self._guard = policy.guard
        self._terms = audience is Audience.EXTERNAL
        self._owners = policy.at(target).owners if shared is not Fact.UNKNOWN else frozenset()

    def found(self, said: Said, *shown: str) -> tuple[Finding, ...]:
        """Everything guarded in a passage, else what lies across neighbours or behind a `shown`."""
        inside = [
            Finding(hit.rule, passage.place, hit.start, hit.end) for passage in said for hit in self._hits(passage.text)
        ]
        for passage in _prose(said):  # words that are torn apart only by the targets of links
            if not inside and (seen := as_shown(passage.text)) is not None:
                inside = [Finding(hit.rule, passage.place) for hit in self._hits(seen)]
        if inside:
            return tuple(inside)
        for before in shown or ("",):
            for sequence in neighbours(said, before):
                if across := tuple(self._across(sequence)):
                    return across
        return ()

    def _hits(self, text: str) -> tuple[Hit, ...]:
        """A term may go only where every counterparty present owns it; unknown company owns nothing."""
        if len(self._owners) < 2:
            return self._guard.scan(text, self._owners, terms=self._terms)
        each = (self._guard.scan(text, frozenset({owner}), terms=self._terms) for owner in self._owners)
        return tuple(sorted({hit for hits in each for hit in hits}, key=lambda hit: (hit.start, hit.end, hit.rule)))

    def _across(self, sequence: Said) -> Iterator[Finding]:
        for joint in _JOINTS:
            for hit in self._hits(joint.join(passage.text for passage in sequence)):
                start = 0
                for passage in sequence:
                    end = start + len(passage.text)
                    if start <= hit.start < end < hit.end - len(joint):
                        yield Finding(hit.rule, f"{passage.place}+", hit.start - start, hit.end - start)
                    start = end + len(joint)


def _targets(parts: Parts) -> Iterator[tuple[str, str, str]]:
    """Place, target and shown text of every link of the parts."""
    for at, link in enumerate(parts.links):
        yield f"link[{at}].target", link.target, link.title
    for place, buttons in (
        ("", parts.buttons),
        *((f"card[{at}].", card.buttons) for at, card in enumerate(parts.cards)),
    ):
        for at, button in enumerate(buttons):
            if button.link:
                yield f"{place}button[{at}].link", button.link, button.label


def _prose(said: Said) -> Iterator[Passage]:
    return (passage for passage in said if passage.voice is not Voice.ADDRESS)


def _as_one(said: Said) -> str:
    return " ".join(passage.text for passage in said if passage.voice is Voice.PROSE)
