"""Bends every platform's payloads at many places at once, and says what must hold of the facts that come out.

    python -m tests.channels.fuzzing SECONDS        # coverage-guided (atheris), over all platforms; ends 0 if all held

The payloads are those of each adapter's contract; what is bent is keys, types, sizes, texts, and parts of one
platform's payload in another's. Whatever comes of it: reading raises nothing and gives facts of the right types, and
what is malformed, or names no exact target, is not answered by a gate whose policy answers everybody there.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import warnings
from pathlib import Path
from typing import Any, Final

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.gate.admit import Admission
from dragoman.gate.event import Event
from dragoman.gate.gate import Gate
from dragoman.gate.policy_file import parse_policy
from dragoman.identity import Target, well_formed
from dragoman.testing.adapter_world import Payloads
from dragoman.testing.by_hand import HandClock, counting_ids
from dragoman.testing.facts_laws import FactsLaws
from dragoman.testing.payloads import JUNK, changed, places
from dragoman.words import Outcome
from tests.channels.email import mails

ROOMS: Final = Path(__file__).parent
MOST: Final = 6
"""How many bends one payload gets."""


def worlds() -> dict[str, Payloads]:
    """The payloads of every platform, as its contract has them."""
    found: dict[str, Payloads] = {}
    for room in sorted(ROOMS.iterdir()):
        if not (room / "test_contract.py").exists():
            continue
        module = importlib.import_module(f"tests.channels.{room.name}.test_contract")
        for laws in vars(module).values():
            if inspect.isclass(laws) and issubclass(laws, FactsLaws) and not inspect.isabstract(laws):
                found.setdefault(room.name, laws().payloads())
    return found | {"email": _mails()}


def _mails() -> Payloads:
    """Mail has no mention to leave out: whoever writes to us asks."""
    first = mails.read(mails.raw())
    return Payloads(
        read=mails.read,
        asking=mails.raw(),
        unasked=mails.raw("closing list B", message_id="<2@shop.example>"),
        target=first.target,
        author=first.author,
        text_may_ask=True,
    )


def answering(target: Target, now: int) -> Gate:
    """A gate that answers every human at `target`, asked or not."""
    listed = target if target.known else Target("memory", "desk", "listed")
    lines = ["version = 1", "[[targets]]", 'audience = "external"', "require_mention = false"]
    for name in ("platform", "workspace", "channel"):
        lines.append(f"{name} = {msgspec.json.encode(getattr(listed, name)).decode()}")
    return Gate(policy=parse_policy("\n".join(lines).encode()), clock=HandClock(now), new_id=counting_ids())


def admitted(event: Event) -> Admission:
    """What that gate makes of an event, at the very moment that it says it was sent."""
    return answering(event.target, event.sent_at or event.received_at).admit(event)


def holds(given_: Payloads, raw: Any) -> Event:
    """Read one payload and hold its facts to what must hold.

    Raises:
        AssertionError: it did not.
    """
    event = given_.read(raw)
    msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=Event)
    target = event.target
    exact = well_formed(target.platform) and well_formed(target.workspace) and well_formed(target.channel)
    assert exact or not target.known, f"{target} is no exact target"
    if event.malformed or not target.known:
        admission = admitted(event)
        assert admission.outcome is not Outcome.RESPOND, f"answered by {admission.reason}, though {event.malformed}"
    return event


@st.composite
def bent(draw: st.DrawFn, originals: list[Any]) -> Any:
    """One payload with up to `MOST` bends, each at a place of what the ones before it left."""
    raw = draw(st.sampled_from(originals))
    for _ in range(draw(st.integers(0, MOST))):
        every = places(raw)
        if not every:
            break
        raw = _bend(draw, raw, every, originals)
    return raw


def _bend(draw: st.DrawFn, raw: Any, every: list[Any], originals: list[Any]) -> Any:
    place = draw(st.sampled_from(every))
    match draw(st.integers(0, 5)):
        case 0:
            return changed(raw, place)
        case 1:
            return changed(raw, place, draw(JUNK))
        case 2:
            return changed(raw, place, at(raw, draw(st.sampled_from(every))))
        case 3:  # a part of another payload, perhaps another platform's
            other = draw(st.sampled_from(originals))
            found = places(other)
            return changed(raw, place, at(other, draw(st.sampled_from(found))) if found else None)
        case 4:
            value = at(raw, place)
            return changed(raw, place, [value] if draw(st.booleans()) else {"0": value})
        case _:
            value = at(raw, place)
            return changed(raw, place, _spliced(draw, value) if isinstance(value, str) else draw(JUNK))


def _spliced(draw: st.DrawFn, text: str) -> str:
    """A text with something else in one stretch of it."""
    start, length = draw(st.integers(0, len(text))), draw(st.integers(0, 20))
    return text[:start] + draw(st.text(max_size=10) | st.sampled_from(NASTY)) + text[start + length :]


NASTY: Final = (
    *("\r\n", "\x00", "\ud800", "\u202e", "<", "]]>", '"', "\\", "&#x0;", "<@", "@", ":", ";", "a" * 5_000, "\u200b"),
    *("=?utf-8?q?", "\n\n", "<!DOCTYPE x [", "1e999", "-1", "null", "\uff20", "\U0001f600"),
)


def at(raw: Any, place: tuple[str | int, ...]) -> Any:
    """What stands at a place."""
    for key in place:
        raw = raw[key]
    return raw


def payloads_of(world: Payloads) -> list[Any]:
    """The payloads of one platform."""
    return [raw for raw in (world.asking, world.unasked, world.echo) if raw is not None]


def main(seconds: int) -> None:
    """Fuzz all platforms for a time, guided by what of the parsers is reached; ends the process."""
    import atheris  # type: ignore[import-not-found, unused-ignore]

    with atheris.instrument_imports(include=["dragoman.channels", "dragoman.gate"]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = worlds()
    originals = [raw for world in found.values() for raw in payloads_of(world)]

    @settings(database=None, deadline=None)
    @given(st.sampled_from(sorted(found)), bent(originals))
    def one(platform: str, raw: Any) -> None:
        holds(found[platform], raw)

    atheris.Setup([sys.argv[0], f"-max_total_time={seconds}", "-max_len=4096"], one.hypothesis.fuzz_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main(int(sys.argv[1]))
