"""By which operations a draft leaves: what is declared, what it carries, in how many messages (spec 1 §7)."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.channels.memory.adapter import MAX_LENGTH, Fault, MemoryChannel, operations
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.cli.platforms import operations_of
from dragoman.gate.operations import CLASS_OF, MOST_CHANGES, PAID, Operation, OperationSpec
from dragoman.gate.outgoing import Bound, Step, outputs, steps
from dragoman.gate.parts import NOTHING, Button, Card, File, Link, PartKind, Parts, Poll
from dragoman.gate.ports import Draft, Presence
from dragoman.identity import NOBODY, Target
from dragoman.words import DraftState, Fact, OutputClass, Reason, ReleaseOutcome, SendKey
from tests.gate.draft_parts import NOTE, PICTURE
from tests.gate.world import BUYER, EXT, INT, JORDAN, NOW, OPER, World, asked

pytestmark = pytest.mark.anyio

TEXT = "Good morning."
NOTES = tuple(File(name=f"note{n}.txt", content=NOTE.encode(), caption=f"Note {n}") for n in range(3))
ONE_OF_EACH: dict[PartKind, Parts] = {
    PartKind.SUBJECT: Parts(subject="Dates"),
    PartKind.FILE: Parts(files=NOTES[:1]),
    PartKind.BUTTON: Parts(buttons=(Button(label="Open"),)),
    PartKind.CARD: Parts(cards=(Card(title="Dates"),)),
    PartKind.POLL: Parts(polls=(Poll(question="Open?", options=("yes", "no")),)),
    PartKind.LINK: Parts(links=(Link(target="https://desk.example.com"),)),
}


def row(length: int = 100, pieces: int = 1, **carries: int) -> OperationSpec:
    """One row of a table."""
    return OperationSpec(
        SendKey.NONE, length, carries={PartKind(kind): n for kind, n in carries.items()}, pieces=pieces
    )


UPLOADS = {Operation.UPLOAD: OperationSpec(SendKey.NONE, 20, carries_text=False, carries={PartKind.FILE: 2})}


@pytest.mark.parametrize("operation", list(Operation))
@pytest.mark.parametrize("kind", list(PartKind))
def test_what_a_row_does_not_name_is_refused(operation: Operation, kind: PartKind) -> None:
    """Each kind of part leaves by an operation that names it, and by no other."""
    draft = Draft(text=TEXT, parts=ONE_OF_EACH[kind])

    assert Reason.UNDECLARED_OPERATION is steps(draft, operation, {})
    assert Reason.PART_NOT_CARRIED is steps(draft, operation, {operation: row()})
    assert (Step(operation, TEXT, ONE_OF_EACH[kind]),) == steps(draft, operation, {operation: row(**{kind: 1})})


@pytest.mark.parametrize(
    ("draft", "table", "expected"),
    [
        (Draft(text=TEXT, parts=Parts(files=NOTES)), {Operation.SEND: row(file=2)}, Reason.PART_NOT_CARRIED),
        (
            Draft(text=TEXT, parts=Parts(files=NOTES)),
            {Operation.SEND: row(), **UPLOADS},
            (
                Step(Operation.SEND, TEXT),
                Step(Operation.UPLOAD, "", Parts(files=NOTES[:2])),
                Step(Operation.UPLOAD, "", Parts(files=NOTES[2:])),
            ),
        ),
        (
            Draft(text="", parts=Parts(files=NOTES[:1])),
            {Operation.SEND: row(), **UPLOADS},
            (Step(Operation.UPLOAD, "", Parts(files=NOTES[:1])),),
        ),
        (
            Draft(text=TEXT, output_class=OutputClass.PROGRESS, parts=Parts(files=NOTES[:1])),
            {Operation.SEND: row(), **UPLOADS},
            Reason.PART_NOT_CARRIED,
        ),
        (
            Draft(text=TEXT, parts=Parts(files=(File(name="a", content=b"", caption="c" * 21),))),
            {Operation.SEND: row(), **UPLOADS},
            Reason.TOO_LONG,
        ),
        (Draft(text=""), {Operation.SEND: row()}, Reason.EMPTY_TEXT),
        (Draft(text="", parts=ONE_OF_EACH[PartKind.CARD]), {Operation.SEND: row(card=1)}, 1),
        (Draft(text="x" * 101), {Operation.SEND: row()}, Reason.TOO_LONG),
        (Draft(text="word " * 21), {Operation.SEND: row(pieces=2)}, 2),
        (Draft(text="word " * 61), {Operation.SEND: row(pieces=3)}, Reason.TOO_LONG),
        (
            Draft(text=TEXT, output_class=OutputClass.SAFE_ERROR, parts=Parts(files=NOTES[:1])),
            UPLOADS,
            Reason.UNDECLARED_OPERATION,
        ),
        (
            Draft(text=TEXT, output_class=OutputClass.SAFE_ERROR, parts=Parts(files=NOTES[:1])),
            {Operation.SEND: row(file=1)},
            Reason.PART_NOT_CARRIED,
        ),
    ],
)
def test_the_way_out(draft: Draft, table: dict[Operation, OperationSpec], expected: object) -> None:
    """Files go beside a message that cannot take them; a text is split where it may; the rest is refused whole."""
    found = steps(draft, Operation.SEND, table)

    assert expected == (len(found) if isinstance(expected, int) and isinstance(found, tuple) else found)


@pytest.mark.parametrize(
    ("draft", "spec", "upload", "expected"),
    [
        (Draft(text=TEXT, parts=Parts(files=NOTES[:2])), row(file=2), 2, [(Operation.SEND, 2)]),
        (Draft(text=TEXT, parts=Parts(files=NOTES)), row(file=2), 2, [("send", 0), ("upload", 2), ("upload", 1)]),
        (Draft(text=TEXT, parts=Parts(files=NOTES)), row(), 0, Reason.PART_NOT_CARRIED),
        (Draft(text="x" * 100), row(), 2, [("send", 0)]),
        (Draft(text="x" * 101), row(), 2, Reason.TOO_LONG),
        (Draft(text="word " * 40), row(pieces=2), 2, [("send", 0), ("send", 0)]),
        (Draft(text="word " * 40), row(), 2, Reason.TOO_LONG),
        (Draft(text="x"), OperationSpec(SendKey.NONE, 100, carries_text=False), 2, Reason.TOO_LONG),
        (Draft(text=""), OperationSpec(SendKey.NONE, 100, carries_text=False), 2, [("send", 0)]),
        (Draft(text=TEXT, parts=Parts(files=(File(name="a", content=b"", caption="c" * 20),))), row(), 2, 2),
        (Draft(text=TEXT, parts=Parts(files=(File(name="a", content=b"", caption="c" * 100),))), row(file=1), 2, 1),
        (
            Draft(text=TEXT, parts=Parts(files=(File(name="a", content=b"", caption="c" * 101),))),
            row(file=1),
            2,
            Reason.TOO_LONG,
        ),
    ],
)
def test_exactly_as_much_as_a_row_takes(draft: Draft, spec: OperationSpec, upload: int, expected: object) -> None:
    """The last file, the last character and the last character of a caption that a row takes, and the next."""
    uploads = OperationSpec(SendKey.NONE, 20, carries_text=False, carries={PartKind.FILE: upload} if upload else {})
    found = steps(draft, Operation.SEND, {Operation.SEND: spec, Operation.UPLOAD: uploads})

    if isinstance(expected, int):
        assert expected == len(found)
    else:
        assert expected == (
            found if isinstance(found, Reason) else [(step.operation, len(step.parts.files)) for step in found]
        )


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_only_the_first_answers_and_only_the_last_ends(count: int, complete: bool) -> None:
    """Each step has its own key and all that it is bound to; the answer is the first, the end the last."""
    way = tuple(Step(Operation.SEND, str(number)) for number in range(count))
    bound = Bound(thread="t1", reply_to="m1", edits="m2", only_for=BUYER, complete=complete)
    found = list(outputs(EXT, way, "k", bound))

    assert [str(number) for number in range(count)] == [output.text for output in found]
    assert ["k", "k.2", "k.3"][:count] == [output.key for output in found]
    assert ["m1", None, None][:count] == [output.reply_to for output in found]
    assert [*[False] * (count - 1), complete] == [output.complete for output in found]
    assert {(EXT, "t1", "m2", BUYER)} == {(each.target, each.thread, each.edits, each.only_for) for each in found}


def test_subject_first_blocks_last() -> None:
    """A split text has its subject on the first piece, and what belongs under it on the last."""
    parts = Parts(subject="Dates", buttons=(Button(label="Open"),))
    found = steps(
        Draft(text="word " * 50, parts=parts), Operation.SEND, {Operation.SEND: row(pieces=5, subject=1, button=1)}
    )

    assert not isinstance(found, Reason)
    assert [Parts(subject="Dates"), NOTHING, Parts(buttons=parts.buttons)] == [step.parts for step in found]


# --- through the door ------------------------------------------------------------------------------------------------


@pytest.fixture
def world() -> World:
    """A fresh gate."""
    return World()


def account(world: World, **options: object) -> MemoryChannel:
    """A memory channel without outsiders."""
    agent = MemoryAgent(workspace="desk", id="desk")
    return MemoryChannel(agent, clock=world.clock, presence=Presence(shared=Fact.NO), **options)  # type: ignore[arg-type]


@pytest.fixture
def channel(world: World) -> MemoryChannel:
    """A memory channel without outsiders."""
    return account(world)


LONG = "".join(f"Line {word} is here.\n" for word in ["alpha", "beta", "gamma", "delta"] * 60)


async def test_the_fake_account_can_do_everything(channel: MemoryChannel) -> None:
    """So that every way out can be tried, every operation is in its table, and every kind of part somewhere."""
    assert set(Operation) == set(channel.operations)
    assert set(PartKind) == {kind for spec in channel.operations.values() for kind in spec.carries}


POINTED = {"reply_to": "m1", "edits": "memory-1"}
WORDS = {
    Operation.TYPING: "",
    Operation.READ_RECEIPT: "",
    Operation.UPLOAD: "",
    Operation.UNFURL: "",
    Operation.REACT: "👍",
}


@pytest.mark.parametrize("operation", list(Operation))
async def test_every_operation_leaves_by_the_one_door(
    world: World, channel: MemoryChannel, operation: Operation
) -> None:
    """Each is performed once, recorded with its parts, and written down as delivered with its own consumer path."""
    admission = world.gate.admit(asked(target=INT, author=OPER))
    parts = {
        Operation.UPLOAD: ONE_OF_EACH[PartKind.FILE],
        Operation.UNFURL: ONE_OF_EACH[PartKind.LINK],
    }.get(operation, NOTHING)
    draft = Draft(text=WORDS.get(operation, TEXT), output_class=OutputClass.PROGRESS, parts=parts)

    delivery = await world.gate.deliver(
        draft,
        admission,
        channel,
        key="k",
        operation=operation,
        only_for=OPER if operation is Operation.PRIVATE else None,
        **POINTED,
    )

    assert (Fact.YES, {operation: 1}) == (delivery.delivered, dict(channel.counts))
    assert parts == channel.performed[0].parts
    assert f"memory.{operation}" == world.journal.entries[-1].consumer


@pytest.mark.parametrize("operation", list(Operation))
async def test_an_undeclared_operation_reaches_nobody(
    world: World, channel: MemoryChannel, operation: Operation
) -> None:
    """What the table lacks is refused before anything leaves, and not done in another way."""
    del channel.operations[operation]  # type: ignore[attr-defined]
    admission = world.gate.admit(asked(target=INT, author=OPER))
    delivery = await world.gate.deliver(
        Draft(text=TEXT, output_class=OutputClass.PROGRESS), admission, channel, key="k", operation=operation, **POINTED
    )

    assert (Reason.UNDECLARED_OPERATION, 0) == (delivery.reason, channel.counts.total())


async def test_a_long_text_is_one_decision_and_one_charge(world: World, channel: MemoryChannel) -> None:
    """Pieces have the keys `k`, `k.2`, ...; the admission and the grant pay once; only the first answers."""
    grant = world.policy.grants["weekly"]
    delivery = await world.gate.deliver(Draft(text=LONG), grant, channel, key="k", target=EXT, reply_to="m1")

    assert LONG == "".join(output.text for output in channel.performed)
    assert [("k", "m1"), ("k.2", None)] == [(output.key, output.reply_to) for output in channel.performed]
    assert (Fact.YES, ("memory-1", "memory-2")) == (delivery.delivered, delivery.pieces)
    assert 1 == len(world.charges.uses)
    assert ["sending", "delivered", "delivered"] == [entry.outcome for entry in world.journal.entries]


@pytest.mark.parametrize(
    ("faults", "delivered", "arrived"),
    [
        ((Fault.REFUSED,), Fact.NO, 0),
        ((Fault.ANSWER_LOST,), Fact.UNKNOWN, 1),
        ((Fault.VANISHED,), Fact.UNKNOWN, 0),
        ((None, Fault.ANSWER_LOST), Fact.UNKNOWN, 2),
        ((None, Fault.VANISHED), Fact.UNKNOWN, 1),
        ((None, Fault.REFUSED), Fact.UNKNOWN, 1),
        ((None, Fault.RATE_LIMITED), Fact.UNKNOWN, 1),
        ((None, None, Fault.VANISHED), Fact.UNKNOWN, 2),
    ],
)
async def test_the_first_piece_that_is_not_proven_stops_the_rest(
    world: World, faults: tuple[Fault | None, ...], delivered: Fact, arrived: int
) -> None:
    """What stands there in part is uncertain; the same keys again make it whole, without showing anything twice."""
    channel, admission = account(world, max_length=2_000), world.gate.admit(asked())
    channel.plan(*faults)

    delivery = await world.gate.deliver(Draft(text=LONG), admission, channel, key="k")

    assert (delivered, "", arrived) == (delivery.delivered, delivery.evidence, len(channel.performed))
    again = await world.gate.deliver(Draft(text=LONG), admission, channel, key="k")
    assert (Fact.YES, LONG) == (again.delivered, "".join(output.text for output in channel.performed))


async def test_a_piece_that_would_be_a_leak_by_itself_holds_the_whole(world: World) -> None:
    """Cut in the middle of a long word, the rest could read as a guarded name: that is looked at too."""
    channel, admission = account(world, max_length=20), world.gate.admit(asked())
    text = "x" * 20 + "Northwind depot"

    assert Reason.RELEASED is (await world.gate.deliver(Draft(text=text), admission, account(world), key="k")).reason
    delivery = await world.gate.deliver(Draft(text=text), world.gate.admit(asked()), channel, key="k2")
    assert (Reason.LEAK_SUSPECTED, 0) == (delivery.reason, channel.counts.total())


@settings(max_examples=40)
@given(
    words=st.lists(st.sampled_from(["alpha", "beta.", "gamma\n", "日期。", "👩\u200d👧"]), max_size=60),
    at=st.integers(0, 60),
    limit=st.integers(24, 80),
)
def test_length_splits_change_nothing(words: list[str], at: int, limit: int) -> None:
    """Wherever a guarded term stands in a long text, and however short the platform's messages: nothing leaves."""

    async def play() -> None:
        world = World()
        channel = account(world, max_length=limit)
        text = " ".join([*words[:at], "Northwind depot", *words[at:]])
        delivery = await world.gate.deliver(Draft(text=text), world.gate.admit(asked()), channel, key="k")
        assert delivery.reason in (Reason.LEAK_SUSPECTED, Reason.TOO_LONG)
        assert 0 == channel.counts.total()

    anyio.run(play)


async def test_an_approval_lets_the_whole_draft_out_once(world: World, channel: MemoryChannel) -> None:
    """Text and parts are filed, hashed and sent again as they were; a second use releases nothing."""
    parts = Parts(files=(PICTURE,), buttons=(Button(label="Open"),))
    held = await world.gate.deliver(Draft(text=TEXT, parts=parts), world.gate.admit(asked()), channel, key="k")
    world.approvals.approve(held.draft_id, "oper", "n1", NOW)

    first = await world.gate.deliver_approved(held.draft_id, channel, key="r1")
    second = await world.gate.deliver_approved(held.draft_id, channel, key="r1")

    assert (Reason.UNCHECKED_CONTENT, None) == (held.reason, second)
    assert first is not None
    assert [(TEXT, parts)] == [(output.text, output.parts) for output in channel.performed]
    assert DraftState.DELIVERED is world.approvals.drafts[held.draft_id].state


async def test_what_is_denied_under_an_approval_is_not_claimed(world: World, channel: MemoryChannel) -> None:
    """A pause at the last moment: nothing left, the draft stays approved, the reason is in the journal."""
    held = await world.gate.deliver(Draft(text="The price is 40 EUR."), world.gate.admit(asked()), channel, key="k")
    world.approvals.approve(held.draft_id, "oper", "n1", NOW)
    world.seen.pause(EXT)
    kept = await world.gate.deliver_approved(held.draft_id, channel, key="r1")
    state = world.approvals.drafts[held.draft_id].state
    world.seen.resume(EXT)
    gone = await world.gate.deliver_approved(held.draft_id, channel, key="r1")

    assert kept is not None
    assert gone is not None
    assert (ReleaseOutcome.DENY, Reason.PAUSED, DraftState.APPROVED) == (kept.outcome, kept.reason, state)
    assert Fact.YES is gone.delivered
    assert Reason.PAUSED in [entry.reason for entry in world.journal.entries]


# --- private ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [Fault.REFUSED, Fault.VANISHED, Fault.RATE_LIMITED])
async def test_a_failed_private_send_is_never_public(world: World, channel: MemoryChannel, fault: Fault) -> None:
    """Whatever becomes of it, nobody else sees it, and no apology for it (spec 1 §6)."""
    channel.plan(fault)

    async def agent(turn) -> None:  # type: ignore[no-untyped-def]
        await turn.reply(TEXT, private=True)
        raise ValueError("the agent is upset")

    await world.gate.handle(asked(), channel, agent)

    assert {Operation.PRIVATE} == set(channel.counts)


async def test_without_private_messages_nothing_is_said(world: World, channel: MemoryChannel) -> None:
    """A platform that has none refuses; neither the text nor a safe sentence appears in public."""
    del channel.operations[Operation.PRIVATE]  # type: ignore[attr-defined]

    async def agent(turn) -> None:  # type: ignore[no-untyped-def]
        assert Reason.UNDECLARED_OPERATION is (await turn.reply(TEXT, private=True)).reason
        raise ValueError("the agent is upset")

    await world.gate.handle(asked(), channel, agent)

    assert 0 == channel.counts.total()


@pytest.mark.parametrize(
    ("operation", "only_for", "reason"),
    [
        (Operation.PRIVATE, None, Reason.TARGET_INVALID),
        (Operation.PRIVATE, NOBODY, Reason.TARGET_INVALID),
        (Operation.SEND, BUYER, Reason.TARGET_INVALID),
        (Operation.PRIVATE, JORDAN, Reason.OTHER_TARGET),
        (Operation.PRIVATE, BUYER, Reason.RELEASED),
    ],
)
async def test_private_is_for_the_one_who_asked(
    world: World, channel: MemoryChannel, operation: Operation, only_for: object, reason: Reason
) -> None:
    """A private answer names exactly the author of what it answers, and a public one names nobody."""
    delivery = await world.gate.deliver(
        Draft(text=TEXT),
        world.gate.admit(asked()),
        channel,
        key="k",
        operation=operation,
        only_for=only_for,  # type: ignore[arg-type]
    )

    assert reason is delivery.reason


async def test_a_held_private_text_cannot_be_approved_into_public(world: World, channel: MemoryChannel) -> None:
    """An approval sends a message; what was meant for one person is only rejected."""
    delivery = await world.gate.deliver(
        Draft(text="The price is 40 EUR."),
        world.gate.admit(asked()),
        channel,
        key="k",
        operation=Operation.PRIVATE,
        only_for=BUYER,
    )

    assert Reason.DRAFT_ONLY_TOPIC is delivery.reason
    assert not world.approvals.drafts[delivery.draft_id].approvable


async def test_changes_under_one_admission_are_bounded(world: World, channel: MemoryChannel) -> None:
    """Edits cost no send, but they end somewhere."""
    admission = world.gate.admit(asked())
    reasons = [
        (
            await world.gate.deliver(
                Draft(text=TEXT), admission, channel, key=f"k{n}", operation=Operation.EDIT, edits="memory-1"
            )
        ).reason
        for n in range(MOST_CHANGES + 1)
    ]

    assert [Reason.RELEASED] * MOST_CHANGES + [Reason.ADMISSION_SPENT] == reasons
    assert Operation.EDIT not in PAID


def test_the_table_of_the_fake_account_is_what_the_command_line_takes() -> None:
    """`gate release` rehearses with the very rows of the adapter."""
    assert operations(SendKey.NATIVE, MAX_LENGTH) == operations_of("memory")
    assert Target("memory", "desk", "EXT") == EXT


def test_the_page_of_operations_says_what_is_declared() -> None:
    """Class, cost and adapters of every operation, as `docs/reference/operations.md` has them."""
    page = (Path(__file__).parent.parent.parent / "docs" / "reference" / "operations.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `")
    ]
    told = {cells[0].strip("`"): cells[2:] for cells in rows if len(cells) == 7}
    yes = {True: "yes", False: "no"}

    assert {
        str(operation): [
            f"`{CLASS_OF[operation]}`" if operation in CLASS_OF else "any",
            yes[operation in PAID],
            *(yes[operation in operations_of(platform)] for platform in ("memory", "matrix", "hub")),
        ]
        for operation in Operation
    } == told
    assert str(MOST_CHANGES) in page
