"""The contract sees what it is for: an honest adapter keeps every law, and for every law a wrong one breaks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from dragoman.gate.event import AuthorKind, ChatKind, EventKind
from dragoman.gate.operations import Operation, OperationSpec
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Party, Target
from dragoman.testing import AdapterContract
from dragoman.words import Fact, SendKey
from tests.testing.wall import LONGEST, Wall, WallChannel, WallContract, laws

UNKNOWN = Receipt(delivered=Fact.UNKNOWN)


class TestHonest(WallContract):
    """The adapter of `wall.py` keeps every law; nothing is skipped."""

    def test_nothing_is_skipped(self) -> None:
        """A law that is skipped for the honest adapter would be shown by nothing."""
        for law in laws():
            getattr(self, law)()


def with_row(operation: Operation, spec: OperationSpec) -> Mapping[Operation, OperationSpec]:
    """The honest table with one other row."""
    return {**WallChannel.operations, operation: spec}


# --- wrong in one thing each ------------------------------------------------------------------------------------------


class _DeclaresNothing(WallChannel):
    operations: Mapping[Operation, OperationSpec] = {}


class _TextWithoutLength(WallChannel):
    operations = with_row(Operation.EDIT, OperationSpec(SendKey.NATIVE, 0))


class _OtherPlatform(WallChannel):
    @property
    def platform(self) -> str:
        return "fence"


class _Twice(WallChannel):
    async def perform(self, output: Output) -> Receipt:
        await super().perform(msgspec.structs.replace(output, key=f"{output.key}-too"))
        return await super().perform(output)


class _DeclaresWhatItCannot(WallChannel):
    operations = with_row(Operation.PRIVATE, OperationSpec(SendKey.NATIVE, LONGEST))

    async def perform(self, output: Output) -> Receipt:
        return UNKNOWN if output.operation is Operation.PRIVATE else await super().perform(output)


class _TypesBeforeItSends(WallChannel):
    async def perform(self, output: Output) -> Receipt:
        if output.operation is Operation.SEND and self.ours(output.target) and self.wall.trouble is None:
            await super().perform(msgspec.structs.replace(output, operation=Operation.TYPING))
        return await super().perform(output)


class _Signs(WallChannel):
    def words(self, output: Output) -> str:
        return output.text.replace("\n", " ")


class _Promises(WallChannel):
    operations = with_row(Operation.SEND, OperationSpec(SendKey.NATIVE, LONGEST + 1, pieces=2))


class _PromisesAndRefuses(_Promises):
    def pinned(self, output: Output) -> Receipt:
        return self.refused() if len(output.text) > LONGEST else super().pinned(output)


class _NoFileInAnUpload(WallChannel):
    operations = with_row(Operation.UPLOAD, OperationSpec(SendKey.NATIVE, LONGEST, carries_text=False))


class _WrongFile(WallChannel):
    def files(self, output: Output) -> tuple[tuple[str, bytes], ...]:
        return tuple((name, content.replace(b"\r\n", b"\n")) for name, content in super().files(output))


class _PrivateInPublic(WallChannel):
    async def perform(self, output: Output) -> Receipt:
        if output.operation is Operation.PRIVATE:
            output = msgspec.structs.replace(output, operation=Operation.SEND)
        return await super().perform(output)


class _NoEvidence(WallChannel):
    def pinned(self, output: Output) -> Receipt:
        return msgspec.structs.replace(super().pinned(output), evidence="")


class _OwnEvidence(WallChannel):
    def pinned(self, output: Output) -> Receipt:
        return msgspec.structs.replace(super().pinned(output), evidence=f"id of {output.key}")


class _RefusalUnknown(WallChannel):
    def refused(self) -> Receipt:
        return UNKNOWN


class _RefusalRaised(WallChannel):
    def refused(self) -> Receipt:
        raise PermissionError("no")


class _LimitWithoutTime(WallChannel):
    def limited(self) -> Receipt:
        return self.refused()


class _RaisesWhenDown(WallChannel):
    def lost(self, output: Output) -> Receipt:
        raise TimeoutError


class _LossIsNo(WallChannel):
    def lost(self, output: Output) -> Receipt:
        return Receipt(delivered=Fact.NO)


class _LossIsYes(WallChannel):
    def lost(self, output: Output) -> Receipt:
        return Receipt(delivered=Fact.YES, evidence="surely")


class _KeyForgotten(WallChannel):
    def key(self, output: Output) -> str | None:
        return None


class _NamesTwice(WallChannel):
    def pinned(self, output: Output) -> Receipt:
        receipt = super().pinned(output)
        return msgspec.structs.replace(receipt, evidence=f"{receipt.evidence}-{id(receipt)}")


class _KeyIsTheText(WallChannel):
    def key(self, output: Output) -> str | None:
        return f"{output.operation} {output.text}"


class _NewKeyAfterALoss(WallChannel):
    def __init__(self, wall: Wall) -> None:
        super().__init__(wall)
        self.tries = 0

    def key(self, output: Output) -> str | None:
        return f"{output.key}-{self.tries}"

    def lost(self, output: Output) -> Receipt:
        self.tries += 1
        return UNKNOWN


class _AnyAccount(WallChannel):
    def ours(self, where: Target) -> bool:
        return where.platform == self.platform


class _TrimsTheTarget(WallChannel):
    async def perform(self, output: Output) -> Receipt:
        where = msgspec.structs.replace(output.target, channel=output.target.channel.strip())
        return await super().perform(msgspec.structs.replace(output, target=where))


class _NamesNobody(WallChannel):
    def counted(self, people: list[str]) -> Presence:
        return Presence(Fact.NO, frozenset({Party("", "", "")}))


class _AloneWhenDown(WallChannel):
    def unsaid(self) -> Presence:
        return Presence(Fact.NO, frozenset())


class _RaisesPresence(WallChannel):
    def unsaid(self) -> Presence:
        raise TimeoutError


class _HearsNothing(WallChannel):
    def kind(self, raw: Mapping[str, Any]) -> EventKind:
        return EventKind.OTHER


class _CalledByEverything(WallChannel):
    def mentions(self, raw: Mapping[str, Any], calls: list[str]) -> Fact:
        return Fact.YES


class _ReadsNothing(WallChannel):
    def body(self, raw: Mapping[str, Any]) -> str:
        return ""


class _OneForAll(WallChannel):
    def dedupe(self, raw: Mapping[str, Any]) -> str:
        return "note"


class _CopiesAreNew(WallChannel):
    def dedupe(self, raw: Mapping[str, Any]) -> str:
        return f"{raw.get('id')} {id(object())} {self.count()}"

    def count(self) -> int:
        self.counted_up = getattr(self, "counted_up", 0) + 1
        return self.counted_up


class _HearsItself(WallChannel):
    def author_kind(self, by: object) -> AuthorKind:
        return AuthorKind.HUMAN


class _CalledByText(WallChannel):
    def mentions(self, raw: Mapping[str, Any], calls: list[str]) -> Fact:
        return Fact.YES if "desk" in calls or "@desk" in str(raw.get("text")) else Fact.NO


class _AloneIfNotSaid(WallChannel):
    def chat(self, raw: Mapping[str, Any]) -> ChatKind:
        return ChatKind.GROUP if raw.get("crowd") else ChatKind.DIRECT


class _RaisesOnJunk(WallChannel):
    def dedupe(self, raw: Mapping[str, Any]) -> str:
        return f"{raw['room']} {raw['id']}"


class _AnyType(WallChannel):
    def body(self, raw: Mapping[str, Any]) -> str:
        found: str = raw.get("note", raw["text"])
        return found

    def is_text(self, value: object) -> bool:
        return True


class _LowerCase(WallChannel):
    def exact(self, value: object) -> object:
        return value.lower() if isinstance(value, str) else value


class _Trimmed(WallChannel):
    def exact(self, value: object) -> object:
        return value.strip() if isinstance(value, str) else value


BROKEN: list[tuple[str, type[WallChannel]]] = [
    ("test_the_table_can_be_read", _DeclaresNothing),
    ("test_the_table_can_be_read", _TextWithoutLength),
    ("test_the_table_can_be_read", _OtherPlatform),
    ("test_what_is_declared_arrives_once", _Twice),
    ("test_what_is_declared_arrives_once", _DeclaresWhatItCannot),
    ("test_what_is_declared_arrives_once", _TypesBeforeItSends),
    ("test_a_text_arrives_as_it_was_said", _Signs),
    ("test_the_longest_text_arrives_whole", _Promises),
    ("test_the_longest_text_arrives_whole", _PromisesAndRefuses),
    ("test_the_table_can_be_read", _NoFileInAnUpload),
    ("test_a_file_arrives_as_it_is", _WrongFile),
    ("test_what_is_not_declared_does_not_leave", _PrivateInPublic),
    ("test_evidence_is_the_platforms_own", _NoEvidence),
    ("test_evidence_is_the_platforms_own", _OwnEvidence),
    ("test_a_refusal_is_a_no", _RefusalUnknown),
    ("test_a_refusal_is_a_no", _RefusalRaised),
    ("test_a_rate_limit_is_a_no_with_a_time", _LimitWithoutTime),
    ("test_nobody_there_is_no_yes", _RaisesWhenDown),
    ("test_nobody_there_is_no_yes", _LossIsYes),
    ("test_a_lost_request_is_unknown", _LossIsNo),
    ("test_a_lost_request_is_unknown", _LossIsYes),
    ("test_a_lost_answer_is_no_no", _LossIsNo),
    ("test_a_native_key_is_one_message", _KeyForgotten),
    ("test_a_native_key_is_one_message", _NamesTwice),
    ("test_a_native_key_repeats_nothing_after_a_lost_answer", _NewKeyAfterALoss),
    ("test_another_key_is_another_message", _KeyIsTheText),
    ("test_nobody_elses_target_is_served", _AnyAccount),
    ("test_nobody_elses_target_is_served", _TrimsTheTarget),
    ("test_presence_is_well_formed", _NamesNobody),
    ("test_presence_that_fails_is_unknown", _AloneWhenDown),
    ("test_presence_that_fails_is_unknown", _RaisesPresence),
    ("test_a_request_is_one_and_the_rest_is_none", _HearsNothing),
    ("test_a_request_is_one_and_the_rest_is_none", _CalledByEverything),
    ("test_a_request_is_one_and_the_rest_is_none", _ReadsNothing),
    ("test_a_message_is_decided_once", _OneForAll),
    ("test_a_message_is_decided_once", _CopiesAreNew),
    ("test_our_own_message_is_an_echo", _HearsItself),
    ("test_no_text_asks", _CalledByText),
    ("test_nothing_that_is_missing_is_a_yes", _AloneIfNotSaid),
    ("test_no_payload_raises", _RaisesOnJunk),
    ("test_nothing_malformed_is_answered", _AnyType),
    ("test_identities_are_exact", _LowerCase),
    ("test_identities_are_exact", _Trimmed),
]


@pytest.mark.parametrize(("law", "wrong"), BROKEN, ids=lambda value: getattr(value, "__name__", value))
def test_a_wrong_adapter_is_seen(law: str, wrong: type[WallChannel]) -> None:
    """The adapter that is wrong in this one thing fails this law."""

    class Wrong(WallContract):
        channel = wrong

    with pytest.raises(AssertionError):
        getattr(Wrong(), law)()


def test_every_law_is_broken_by_somebody() -> None:
    """There is no law that nothing can break."""
    assert set(laws()) == {law for law, _ in BROKEN}


def test_a_world_that_cannot_fail_is_skipped_and_said() -> None:
    """Where an adapter's author gives no way to fail, the law is skipped with the reason; it never passes unseen."""

    class Calm(WallContract):
        def _possible(self, world: Any, kind: Any) -> Any:
            world.trouble = lambda kind: None
            return super()._possible(world, kind)

    with pytest.raises(pytest.skip.Exception, match="cannot make the platform fail so: answer_lost"):
        Calm().test_a_lost_answer_is_no_no()


def test_a_contract_without_a_world_is_no_contract() -> None:
    """Who subclasses it must give both."""
    with pytest.raises(TypeError):
        AdapterContract()  # type: ignore[abstract]
