"""The laws of a connected channel: its table, its receipts, its keys, its presence. A part of `contract.py`.

1. The table: what is declared reaches the platform once, as it was said; what is not declared does not.
2. The receipt: YES only with the platform's evidence, NO only when nothing arrived, UNKNOWN else; no error of the
   platform is raised.
3. The key: where it is said to be native, the same key is the same message, also after a lost answer; another key is
   another message. Nobody else's target is served.
4. Presence: what cannot be found out is unknown.

Every test is an ordinary function with a fresh world (`in_a_world.py`), so that no async plugin is needed.
"""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec
import pytest

from dragoman.gate.operations import Operation
from dragoman.gate.parts import NOTHING, PartKind, Parts
from dragoman.gate.ports import Output, Presence
from dragoman.identity import Target, well_formed
from dragoman.testing.adapter_world import FILE, TEXT, AdapterWorld, Shown, Trouble
from dragoman.testing.in_a_world import InAWorld
from dragoman.testing.payloads import variants
from dragoman.words import Fact, Reason, SendKey

TEXTS: Final = (
    "Good morning.",
    "two\nlines",
    "1 < 2 & 3 > 2",
    "*stars* _lines_ `ticks` ~waves~",
    "@everyone, <!here>, /me and :smile:",
    "早上好，现货 42 件 😀",
)
"""Texts that platforms like to change."""


class ChannelLaws(InAWorld):
    """See the top of this file."""

    # --- the table ----------------------------------------------------------------------------------------------------

    def test_the_table_can_be_read(self) -> None:
        """There is a table, its platform is that of its targets, and a text has a length exactly where there is one."""

        async def law(world: AdapterWorld) -> None:
            channel = world.channel
            assert channel.operations, "an adapter that can do nothing declares nothing"
            assert well_formed(channel.platform)
            assert world.target.platform == channel.platform
            for operation, spec in channel.operations.items():
                assert operation in Operation, f"`{operation}` is no operation"
                assert spec.send_key in SendKey, f"{operation}: `{spec.send_key}` is no send key"
                assert spec.max_length > 0 or not spec.carries_text, f"{operation}: a text of no length"
                assert spec.pieces > 0, f"{operation}: a message in {spec.pieces} pieces"
                assert all(most > 0 for most in spec.carries.values()), f"{operation}: a part is named, but none fits"
            uploads = channel.operations.get(Operation.UPLOAD)
            assert uploads is None or PartKind.FILE in uploads.carries, "an upload without a file"

        self._hold(law)

    def test_what_is_declared_arrives_once(self) -> None:
        """Each declared operation reaches the platform exactly once, and no other operation with it."""

        async def law(world: AdapterWorld) -> None:
            for number, operation in enumerate(world.channel.operations):
                own_id = await self._own(world, operation)
                before = await self._shown(world)
                receipt = await self._perform(world, world.output(operation, f"once-{number}", TEXT, own_id))
                after = await self._shown(world)
                assert receipt.delivered is Fact.YES, f"{operation} is declared, but {receipt}"
                came = {each: len(after[each]) - len(before[each]) for each in after}
                assert came == {each: int(each is operation) for each in after}, f"{operation}: {came} arrived"

        self._hold(law)

    def test_a_text_arrives_as_it_was_said(self) -> None:
        """Nothing is added to a text, taken from it, or read as an instruction to the platform."""

        async def law(world: AdapterWorld) -> None:
            for operation in self._speaking(world):
                own_id = await self._own(world, operation)
                texts = [text for text in TEXTS if operation is not Operation.THREAD or "\n" not in text]
                for number, text in enumerate(texts):
                    await self._perform(world, world.output(operation, f"{operation}-{number}", text, own_id))
                shown = [each.text for each in await world.shown(operation)]
                assert shown[-len(texts) :] == texts, f"{operation}: other texts are shown than were sent"

        self._hold(law)

    def test_the_longest_text_arrives_whole(self) -> None:
        """A text of the declared length fits, in any script; the door stops a longer one before it leaves."""

        async def law(world: AdapterWorld) -> None:
            for operation in self._speaking(world):
                own_id = await self._own(world, operation)
                spec = world.channel.operations[operation]
                longest, pieces = spec.max_length, spec.pieces
                for letter in ("x", "汉", "😀"):
                    output = world.output(operation, f"{operation}-{letter}", letter * longest, own_id)
                    receipt = await self._perform(world, output)
                    shown = await world.shown(operation)
                    whole = bool(shown) and shown[-1].text == letter * longest
                    assert receipt.delivered is Fact.YES, f"{operation}: {longest} of `{letter}`: {receipt}"
                    assert whole, f"{operation}: {longest} of `{letter}` did not arrive whole"
                before = await self._shown(world)
                reason = await self._door(world, operation, "x" * (longest * pieces + 1), own_id)
                assert reason == Reason.TOO_LONG, f"{operation}: the door says {reason} of a text that is too long"
                assert before == await self._shown(world)

        self._hold(law)

    def test_a_file_arrives_as_it_is(self) -> None:
        """Where files are carried, name and content arrive byte for byte."""

        async def law(world: AdapterWorld) -> None:
            carriers = [o for o, spec in world.channel.operations.items() if PartKind.FILE in spec.carries]
            if not carriers:
                pytest.skip("no operation carries files")
            for operation in carriers:
                own_id = await self._own(world, operation)
                output = world.output(operation, f"file-{operation}", TEXT, own_id)
                receipt = await self._perform(world, msgspec.structs.replace(output, parts=Parts(files=(FILE,))))
                (*_, last) = [Shown(""), *await world.shown(operation)]
                assert receipt.delivered is Fact.YES, f"{operation} carries files, but {receipt}"
                assert last.files == ((FILE.name, FILE.content),), f"{operation}: another file is shown than was sent"

        self._hold(law)

    def test_what_is_not_declared_does_not_leave(self) -> None:
        """An operation that is not in the table is refused by the door, and by the adapter if it is asked anyway."""

        async def law(world: AdapterWorld) -> None:
            missing = [operation for operation in Operation if operation not in world.channel.operations]
            if not missing:
                pytest.skip("every operation is declared")
            own_id = await self._own(world, Operation.EDIT)
            before = await self._shown(world)
            for operation in missing:
                assert await self._door(world, operation, TEXT, own_id) == Reason.UNDECLARED_OPERATION
                bare = Output(operation=operation, target=world.target, key=f"bare-{operation}", text=TEXT)
                whole = Parts(files=(FILE,)) if operation is Operation.UPLOAD else NOTHING
                output = msgspec.structs.replace(
                    bare, reply_to=world.message_id, edits=own_id, only_for=world.somebody, parts=whole
                )
                receipt = await self._perform(world, output)
                assert receipt.delivered is not Fact.YES, f"{operation} is not declared, and was carried out"
                assert before == await self._shown(world), f"{operation} is not declared, and something arrived"

        self._hold(law)

    # --- the receipt --------------------------------------------------------------------------------------------------

    def test_evidence_is_the_platforms_own(self) -> None:
        """YES comes with evidence, and where the platform names what it shows, the evidence is that name."""

        async def law(world: AdapterWorld) -> None:
            for operation in world.channel.operations:
                own_id = await self._own(world, operation)
                receipt = await self._perform(world, world.output(operation, f"evidence-{operation}", TEXT, own_id))
                (*_, last) = [Shown(""), *await world.shown(operation)]
                assert receipt.evidence, f"{operation}: a YES without evidence proves nothing"
                assert last.id in ("", receipt.evidence), f"{operation}: `{receipt.evidence}` is shown as `{last.id}`"

        self._hold(law)

    def test_a_refusal_is_a_no(self) -> None:
        """The platform said no: nothing arrived, and that is known."""
        self._trouble(Trouble.REFUSED, allowed=frozenset({Fact.NO}))

    def test_a_rate_limit_is_a_no_with_a_time(self) -> None:
        """Not now: nothing arrived, and the receipt says when to come back."""
        for receipt in self._trouble(Trouble.RATE_LIMITED, allowed=frozenset({Fact.NO})):
            assert receipt.retry_at is not None, f"{receipt} does not say when to come back"

    def test_nobody_there_is_no_yes(self) -> None:
        """Nothing could be reached: NO if no byte left, else UNKNOWN; never an error that is raised."""
        self._trouble(Trouble.UNREACHABLE, allowed=frozenset({Fact.NO, Fact.UNKNOWN}))

    def test_a_lost_request_is_unknown(self) -> None:
        """The request left and nobody answered: nobody can know that it did not arrive."""
        self._trouble(Trouble.VANISHED, allowed=frozenset({Fact.UNKNOWN}))

    def test_a_lost_answer_is_no_no(self) -> None:
        """It arrived: UNKNOWN, or YES where the adapter read the evidence back; NO would be a lie."""
        self._trouble(Trouble.ANSWER_LOST, allowed=frozenset({Fact.UNKNOWN, Fact.YES}))

    # --- the key and the target ---------------------------------------------------------------------------------------

    def test_a_native_key_is_one_message(self) -> None:
        """Where the send key is native, the same output again is the same message with the same evidence."""

        async def law(world: AdapterWorld) -> None:
            for operation in self._native(world):
                own_id = await self._own(world, operation)
                before = len(await world.shown(operation))
                output = world.output(operation, f"twice-{operation}", TEXT, own_id)
                first, second = await self._perform(world, output), await self._perform(world, output)
                arrived = len(await world.shown(operation)) - before
                assert arrived == 1, (
                    f"{operation}: the key is said to be native, and one output arrived {arrived} times"
                )
                assert first.evidence == second.evidence, f"{operation}: one message, two names"

        self._hold(law)

    def test_a_native_key_repeats_nothing_after_a_lost_answer(self) -> None:
        """Where the send key is native, what is said again after a lost answer stands there once."""

        async def law(world: AdapterWorld) -> None:
            for operation in self._native(world):
                own_id = await self._own(world, operation)
                before = len(await world.shown(operation))
                output = world.output(operation, f"again-{operation}", TEXT, own_id)
                async with self._possible(world, Trouble.ANSWER_LOST):
                    await self._perform(world, output)
                receipt = await self._perform(world, output)
                arrived = len(await world.shown(operation)) - before
                assert (arrived, receipt.delivered) == (1, Fact.YES), f"{operation}: {arrived} arrived, {receipt}"

        self._hold(law)

    def test_another_key_is_another_message(self) -> None:
        """The same text under other keys, said at once, stands there as often as it was said."""

        async def law(world: AdapterWorld) -> None:
            before = len(await world.shown(Operation.SEND))
            outputs = [world.output(Operation.SEND, f"other-{number}", TEXT, "") for number in range(3)]
            receipts = await asyncio.gather(*(self._perform(world, output) for output in outputs))
            assert len({receipt.evidence for receipt in receipts}) == len(outputs), "two messages have one name"
            assert len(await world.shown(Operation.SEND)) - before == len(outputs)

        self._hold(law)

    def test_nobody_elses_target_is_served(self) -> None:
        """Another platform, another account of ours, an id that only looks the same: NO, and nothing arrives."""

        async def law(world: AdapterWorld) -> None:
            target, before = world.target, await self._shown(world)
            wrong = [Target(f"{target.platform}x", target.workspace, target.channel)]
            wrong += [Target(target.platform, other, target.channel) for other in variants(target.workspace)]
            wrong += [Target(target.platform, target.workspace, other) for other in variants(target.channel)]
            for number, other in enumerate(wrong):
                output = world.output(Operation.SEND, f"elsewhere-{number}", TEXT, "")
                receipt = await self._perform(world, msgspec.structs.replace(output, target=other))
                if other.channel == target.channel:
                    assert receipt.delivered is Fact.NO, f"`{other}` is not of this account, but {receipt}"
                assert before == await self._shown(world), f"what was for `{other}` arrived at `{target}`"

        self._hold(law)

    # --- presence -----------------------------------------------------------------------------------------------------

    def test_presence_is_well_formed(self) -> None:
        """Who is there is a fact, and everybody who is named is named exactly; we ourselves are not."""

        async def law(world: AdapterWorld) -> None:
            presence = await world.channel.presence(world.target)
            assert isinstance(presence, Presence)
            assert presence.shared in Fact
            for other in presence.parties or ():
                assert (other.known, other.platform) == (True, world.channel.platform), f"`{other}` is nobody"

        self._hold(law)

    def test_presence_that_fails_is_unknown(self) -> None:
        """A look-up that fails says nothing: not an error, and not that nobody of another organisation is there."""

        async def law(world: AdapterWorld) -> None:
            async with self._possible(world, Trouble.LOOK_UPS_FAIL):
                try:
                    presence = await world.channel.presence(world.target)
                except Exception as error:
                    raise AssertionError(f"presence raised {error!r}") from error
            assert presence == Presence(Fact.UNKNOWN), f"the look-up failed, but {presence}"

        self._hold(law)
