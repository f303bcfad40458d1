"""Control commands in the embedded life: what is done, what is answered where, and what nobody outside ever sees."""

from __future__ import annotations

from typing import Any

import anyio
import msgspec
import pytest

from dragoman.channels.memory.adapter import Fault, MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent
from dragoman.clock import DAY, MINUTE
from dragoman.gate.event import AuthorKind, Event, EventKind
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.ports import Presence, Turn
from dragoman.identity import UNKNOWN, Party, Target
from dragoman.words import DraftState, Fact, Outcome, OutputClass, Reason
from tests.gate.world import BUYER, EXT, INT, JORDAN, NOW, OPER, OPS, POLICY, RIVAL, World, asked, said

pytestmark = pytest.mark.anyio

PRICE = "The price is 40 EUR per shelf."
LEAK = "The Northwind depot has it."


class Room:
    """A gate, a channel whose groups are closed, and the two sides of a conversation."""

    def __init__(self, world: World) -> None:
        self.world = world
        agent = MemoryAgent(workspace="desk", id="desk")
        self.channel = MemoryChannel(agent, clock=world.clock, presence=Presence(shared=Fact.NO))

    async def files(self, text: str = PRICE) -> str:
        """The buyer asks, the agent says something that is held; the draft's id."""
        before = set(self.world.approvals.drafts)

        async def agent(turn: Turn) -> None:
            await turn.reply(text)

        await self.world.gate.handle(asked(), self.channel, agent)
        (draft_id,) = set(self.world.approvals.drafts) - before
        return draft_id

    async def says(self, text: str, author: Party = OPER, target: Target = OPS, **facts: Any) -> str:
        """Somebody says something; what was answered there."""
        before = len(self.channel.performed)
        await self.world.gate.handle(said(text, author=author, target=target, **facts), self.channel, _never)
        return "\n".join(out.text for out in self.channel.performed[before:] if out.target == target)

    def shown(self, target: Target = EXT) -> list[tuple[str, str]]:
        """Everything that ever arrived at a target: operation and text."""
        return [(str(out.operation), out.text) for out in self.channel.performed if out.target == target]

    def state(self, draft_id: str) -> DraftState:
        """Where a draft stands."""
        return self.world.approvals.drafts[draft_id].state

    def record(self) -> tuple[str, str, str]:
        """The newest record about a command: kind, outcome, reason."""
        kinds = ("operator", "life")
        found = [e for e in self.world.journal.entries if e.kind in kinds and e.outcome != "sending"]
        return found[-1].kind, found[-1].outcome, found[-1].reason


async def _never(turn: Turn) -> None:
    raise AssertionError("a control command needs no model call")


@pytest.fixture
def room() -> Room:
    """A fresh one."""
    return Room(World())


async def test_an_approved_draft_goes_out_once_and_the_operator_hears_it(room: Room) -> None:
    """Filed, listed, approved by its id, delivered to its own target, and never a second time."""
    draft_id = await room.files()
    assert f"{draft_id}  draft_only_topic" in await room.says("/status")

    assert "Approved and delivered." == await room.says(f"/approve {draft_id}")
    assert "This draft does not wait any more. (draft_decided)" == await room.says(f"/approve {draft_id}")

    draft = room.world.approvals.drafts[draft_id]
    assert [("send", PRICE)] == room.shown()
    assert (DraftState.DELIVERED, str(OPER)) == (draft.state, draft.operator)
    assert draft.nonce.startswith("non-")


REFUSALS = {
    "unknown id": ("/approve dft-99", {}, "draft_unknown"),
    "a prefix of the id": ("/approve dft", {}, "draft_unknown"),
    "another letter case": ("/approve DFT-2", {}, "draft_unknown"),
    "another text's hash": (f"/approve ID {'0' * 64}", {}, "draft_other_text"),
    "a short hash": ("/approve ID SHORT", {}, "draft_other_text"),
    "expired": ("/approve ID", {"expires_at": NOW}, "draft_expired"),
    "a leak": ("/approve ID", {"approvable": False}, "draft_not_approvable"),
    "rejected before": ("/approve ID", {"state": DraftState.REJECTED}, "draft_decided"),
    "claimed": ("/reject ID", {"state": DraftState.CLAIMED}, "draft_decided"),
    "uncertain": ("/approve ID", {"state": DraftState.UNCERTAIN}, "draft_decided"),
    "under another policy": ("/approve ID", {"epoch": "older:external"}, "draft_stale"),
    "no id": ("/approve", {}, "command_unclear"),
    "too many words": ("/reject ID because it is wrong", {}, "command_unclear"),
}


@pytest.mark.parametrize(("command", "changes", "code"), REFUSALS.values(), ids=REFUSALS.keys())
async def test_a_refusal_names_its_code_and_changes_nothing(
    room: Room, command: str, changes: dict[str, object], code: str
) -> None:
    """A clear fixed answer; nothing leaves, and nothing that was typed comes back."""
    draft_id = await room.files()
    drafts = room.world.approvals.drafts
    drafts[draft_id] = before = msgspec.structs.replace(drafts[draft_id], **changes)
    text = command.replace("ID", draft_id).replace("SHORT", before.sha256[:11])

    answer = await room.says(text)

    assert answer.endswith(f"({code})")
    assert (before, []) == (drafts[draft_id], room.shown())
    assert ("operator", code, text[1:].split()[0]) == room.record()
    assert "dft" not in answer


async def test_the_hash_of_what_was_shown_approves(room: Room) -> None:
    """Twelve hex digits, in either letter case."""
    draft_id = await room.files()
    digest = room.world.approvals.drafts[draft_id].sha256

    assert "Approved and delivered." == await room.says(f"/approve {draft_id} {digest[:12].upper()}")


NOT_FROM = {
    "an external target": {"target": EXT},
    "a target that nobody listed": {"target": Target("memory", "desk", "UNK")},
    "a buyer on the operator's surface": {"author": BUYER},
    "a bot under the operator's id": {"author_kind": AuthorKind.BOT},
    "an author of unknown kind": {"author_kind": AuthorKind.UNKNOWN},
    "the same id in another workspace": {"author": Party("memory", "elsewhere", "oper")},
    "a click on a card (K07)": {"kind": EventKind.OTHER},
    "a buyer's click (K07)": {"kind": EventKind.OTHER, "author": BUYER},
    "an edit": {"kind": EventKind.EDIT},
    "a schedule": {"kind": EventKind.SYNTHETIC},
    "a malformed surface (Q09)": {"target": UNKNOWN},
    "malformed facts (Q09)": {"malformed": ("channel",)},
    "what the transport did not prove": {"authenticated": Fact.UNKNOWN},
    "another bot's command": {"text": "/approve@other ID"},
    "a quotation": {"text": "> /approve ID"},
    "a forwarded text (cut from the live text)": {"text": "", "body": "/approve ID"},
    "a text that mentions it": {"text": "please /approve ID"},
}


@pytest.mark.parametrize("facts", NOT_FROM.values(), ids=NOT_FROM.keys())
async def test_what_approves_nothing(room: Room, facts: dict[str, Any]) -> None:
    """Only a fresh message of the operator's exact account, from where nobody from outside listens."""
    draft_id = await room.files()
    text = facts.get("text", "/approve ID").replace("ID", draft_id)
    body = facts.get("body", text).replace("ID", draft_id)
    known = {"author": OPER, "target": OPS} | {key: fact for key, fact in facts.items() if key not in ("text", "body")}

    await room.world.gate.handle(msgspec.structs.replace(said(text, **known), body=body), room.channel, _stays)

    assert (DraftState.FILED, []) == (room.state(draft_id), room.channel.performed)


async def _stays(turn: Turn) -> None:
    await turn.stay_silent()


async def test_an_edit_that_may_ask_still_approves_nothing(room: Room) -> None:
    """Where the platform marks added mentions and the policy lets an edit ask, a command in it is not obeyed."""
    policy = POLICY.replace('audience = "operator"', 'audience = "operator"\nedits_may_request = true')
    room = Room(World(parse_policy(policy.encode())))
    draft_id = await room.files()
    facts: dict[str, Any] = {"kind": EventKind.EDIT, "edit_marks_mentions": True, "mentions_agent": Fact.YES}

    assert "" == await room.says(f"/approve {draft_id}", **facts)
    assert (DraftState.FILED, ("operator", "command_not_theirs", "approve")) == (room.state(draft_id), room.record())


@pytest.mark.parametrize("shared", [Fact.YES, Fact.UNKNOWN], ids=str)
async def test_a_surface_that_has_guests_at_this_moment_approves_nothing(room: Room, shared: Fact) -> None:
    """Case C016: the policy says operator, the event says closed, the platform now says otherwise or nothing."""
    draft_id = await room.files()
    room.channel.presence_of[OPS] = Presence(shared=shared)

    assert "" == await room.says(f"/approve {draft_id}")
    assert "" == await room.says("/status")
    assert (DraftState.FILED, ("operator", "command_not_here", "status")) == (room.state(draft_id), room.record())


async def test_an_operator_in_an_external_target_approves_nothing_and_it_is_written_down(room: Room) -> None:
    """Nothing to see there, and one record."""
    draft_id = await room.files()

    assert "" == await room.says(f"/approve {draft_id}", target=EXT)
    assert "" == await room.says(f"/reject {draft_id}", target=EXT)
    assert (DraftState.FILED, {}) == (room.state(draft_id), dict(room.channel.counts))
    assert ("operator", "command_not_here", "reject") == room.record()


async def test_the_counterparty_never_learns_of_a_filing(room: Room) -> None:
    """Filed, asked about, rejected, expired, not approvable, approved late: no text, no typing, no reaction at EXT."""
    rejected, expired, leaked, late = [await room.files(text) for text in (PRICE, PRICE, LEAK, PRICE)]
    await room.says(f"/reject {rejected}")
    await room.says(f"/approve {leaked}")
    room.world.clock.time += DAY
    drafts = room.world.approvals.drafts
    drafts[late] = msgspec.structs.replace(drafts[late], expires_at=room.world.clock.time + MINUTE)
    await room.says(f"/approve {expired}", sent_at=room.world.clock.time, received_at=room.world.clock.time)

    assert [] == room.shown()
    assert {OPS} == {out.target for out in room.channel.performed}
    assert {"send"} == {str(operation) for operation in room.channel.counts}

    now = room.world.clock.time
    assert "Approved and delivered." == await room.says(f"/approve {late}", sent_at=now, received_at=now)
    assert [("send", PRICE)] == room.shown()  # what was approved, and nothing about it


async def test_an_answer_tells_no_counterpartys_words(room: Room) -> None:
    """A status names ids, reasons and ages; the words of a draft stay where the operator shows them."""
    await room.files(LEAK)

    for target in (INT, OPS):
        text = await room.says("/status", target=target)
        assert "Drafts waiting: 1" in text
        assert "Northwind" not in text
        assert ("memory/desk/EXT" in text) is (target == OPS)


async def test_a_pause_holds_before_the_next_send(room: Room) -> None:
    """A turn that runs when the pause comes says nothing; the operator hears of the pause, nobody else does."""
    answers = []

    async def agent(turn: Turn) -> None:
        answers.append(await room.says("/pause everywhere"))
        answers.append((await turn.reply("6 October is open.")).reason)

    await room.world.gate.handle(asked(), room.channel, agent)
    again = await room.world.gate.handle(asked(), room.channel, agent)

    assert ["Paused everywhere; nothing more is sent.", Reason.PAUSED] == answers
    assert ([], Reason.PAUSED) == (room.shown(), again.reason)


async def test_a_pause_is_ended_by_whoever_may_begin_it(room: Room) -> None:
    """Here and everywhere are two pauses; an operator's command is heard during either."""
    told = [
        await room.says(text, target=INT)
        for text in ("/pause", "/pause everywhere", "/status", "/resume", "/resume everywhere", "/resume")
    ]

    assert [
        "Paused here; nothing more is sent here.",
        "Paused everywhere; nothing more is sent.",
        "Paused everywhere. Turns running here: 0. Drafts waiting: 0, uncertain: 0.",
        "Going on here as soon as the pause everywhere ends.",
        "Going on; single places that were paused stay so.",
        "There was no such pause. (not_paused)",
    ] == told


async def test_in_an_external_target_a_pause_acts_unseen(room: Room) -> None:
    """The operator says it before the counterparty: it holds, and there is nothing to see."""
    assert "" == await room.says("/pause", target=EXT)
    assert Reason.PAUSED is (await room.world.gate.handle(asked(), room.channel, _never)).reason
    assert "" == await room.says("/resume", target=EXT)
    assert (False, {}) == (room.world.seen.paused(EXT), dict(room.channel.counts))


async def test_what_a_pause_kept_back_can_still_go(room: Room) -> None:
    """An approval during a pause is not used up; it goes out afterwards, once."""
    draft_id = await room.files()
    await room.says("/pause", target=EXT)

    assert "Approved, but it did not leave: a check refused it. (draft_kept_back)" == await room.says(
        f"/approve {draft_id}"
    )
    assert (DraftState.APPROVED, []) == (room.state(draft_id), room.shown())

    await room.says("/resume", target=EXT)
    await room.says("/resume", target=EXT)
    assert (DraftState.DELIVERED, [("send", PRICE)]) == (room.state(draft_id), room.shown())


async def test_a_lost_answer_leaves_it_uncertain_and_says_so(room: Room) -> None:
    """Nobody knows whether it arrived: the operator is told, nothing is sent again, an approval finds nothing."""
    draft_id = await room.files()
    room.channel.plan(Fault.VANISHED)

    assert (await room.says(f"/approve {draft_id}")).endswith("(draft_uncertain)")
    assert (await room.says(f"/approve {draft_id}")).endswith("(draft_decided)")
    assert (DraftState.UNCERTAIN, []) == (room.state(draft_id), room.shown())


async def test_a_takeover_does_not_silence_commands(room: Room) -> None:
    """A colleague has taken the conversation over; his command is still for the gate."""
    policy = POLICY.replace('channel = "INT"\n', 'channel = "INT"\ntakeover_seconds = 600\n')
    room = Room(World(parse_policy(policy.encode())))
    room.world.seen.colleague_wrote(INT, NOW)

    assert "Nothing was running here. (nothing_runs)" == await room.says("/stop", target=INT)


class Slow:
    """An agent that waits until it is let go, and counts how it ended."""

    def __init__(self) -> None:
        self.go = anyio.Event()
        self.begun = 0
        self.cancelled = 0
        self.said: list[Reason] = []

    async def __call__(self, turn: Turn) -> None:
        self.begun += 1
        try:
            await self.go.wait()
        except BaseException:
            self.cancelled += 1
            raise
        self.said.append((await turn.reply("6 October is open.")).reason)


STOPS = {
    "the author's own": (BUYER, EXT, 1, [Reason.RELEASED]),
    "another author's": (JORDAN, EXT, 1, [Reason.RELEASED]),
    "the operator's, for all there": (OPER, EXT, 2, []),
    "the operator's, elsewhere": (OPER, INT, 0, [Reason.RELEASED, Reason.RELEASED]),
    "the author's, elsewhere": (BUYER, RIVAL, 0, [Reason.RELEASED, Reason.RELEASED]),
}


@pytest.mark.parametrize(("author", "target", "ended", "said_after"), STOPS.values(), ids=STOPS.keys())
async def test_a_stop_ends_turns(
    room: Room, author: Party, target: Target, ended: int, said_after: list[Reason]
) -> None:
    """Buyer and Jordan both wait for an answer in EXT when somebody says stop."""
    agent = Slow()
    async with anyio.create_task_group() as group:
        for who in (BUYER, JORDAN):
            group.start_soon(room.world.gate.handle, asked(author=who), room.channel, agent)
        with anyio.fail_after(5):
            while agent.begun < 2:
                await anyio.sleep(0)
        await room.says("/stop", author=author, target=target)
        await anyio.sleep(0)
        agent.go.set()

    assert (ended, said_after) == (agent.cancelled, agent.said)
    assert len(said_after) == len(room.shown())


async def test_a_stopped_turn_says_nothing_more(room: Room) -> None:
    """An agent that does not mind being cancelled is denied; no safe sentence follows, and the stopper hears it."""
    reasons: list[Reason] = []
    begun = anyio.Event()

    async def agent(turn: Turn) -> None:
        begun.set()
        try:
            await anyio.sleep(5)
        finally:
            with anyio.CancelScope(shield=True):
                reasons.append((await turn.reply("6 October is open.")).reason)

    async with anyio.create_task_group() as group:
        group.start_soon(room.world.gate.handle, asked(target=INT), room.channel, agent)
        with anyio.fail_after(5):
            await begun.wait()
        answer = await room.says("/stop", target=INT)

    assert ("Stopped.", [Reason.ADMISSION_EXPIRED]) == (answer, reasons)
    assert [("send", "Stopped.")] == room.shown(INT)


async def test_a_stop_empties_the_buffer(room: Room) -> None:
    """Parts that were still arriving are not answered; the stop is not merged into them."""
    waiting = await room.world.gate.handle(asked("here is the first photo", attachments=1), room.channel, _never)
    assert Outcome.DEFER is waiting.outcome

    await room.says("/stop", author=BUYER, target=EXT)
    with anyio.fail_after(5):
        await room.world.gate.settled()

    assert ([], ("life", "stopped", "stop")) == (room.shown(), room.record())


async def test_cancelling_the_caller_cancels_the_agent(room: Room) -> None:
    """Who embeds the gate and gives up on a message leaves no agent running behind."""
    agent = Slow()
    with anyio.move_on_after(0.05):
        await room.world.gate.handle(asked(), room.channel, agent)

    assert (1, 1) == (agent.begun, agent.cancelled)
    assert "Turns running here: 0." in await room.says("/status", target=INT)


async def test_an_answer_is_operational_and_passes_the_door(room: Room) -> None:
    """It is journalled as an output of its class, as an answer to the command's own message."""
    await room.says("/status", event_id="m-77", thread="t1")

    (output,) = room.channel.performed
    entry = next(entry for entry in room.world.journal.entries if entry.kind == "output")
    assert (OutputClass.OPERATIONAL, "delivered", "memory.send") == (entry.output_class, entry.outcome, entry.consumer)
    assert ("m-77", "t1") == (output.reply_to, output.thread)


async def test_a_command_is_obeyed_once(room: Room) -> None:
    """The same message again is a duplicate: nothing is done a second time."""
    event: Event = said("/pause", author=OPER, target=INT)
    await room.world.gate.handle(event, room.channel, _never)
    await room.says("/resume", target=INT)
    again = await room.world.gate.handle(event, room.channel, _never)

    assert (Reason.DUPLICATE, False) == (again.reason, room.world.seen.paused(INT))


async def test_what_was_approved_elsewhere_waits_for_its_own_account(room: Room) -> None:
    """A draft for another account stays approved; whoever serves that account lets it out, once."""
    draft_id = await room.files()
    drafts = room.world.approvals.drafts
    drafts[draft_id] = msgspec.structs.replace(drafts[draft_id], target=Target("memory", "shop", "EXT"))

    answer = await room.says(f"/approve {draft_id}")

    assert "Approved; it goes out once, if every check still passes." == answer
    other = MemoryChannel(
        MemoryAgent(workspace="shop", id="desk"), clock=room.world.clock, presence=Presence(shared=Fact.NO)
    )
    assert [] == await room.world.gate.release_approved(room.channel, "desk")
    assert [Fact.YES] == [each.delivered for each in await room.world.gate.release_approved(other, "shop")]
    assert [] == await room.world.gate.release_approved(other, "shop")
    assert (DraftState.DELIVERED, [PRICE]) == (room.state(draft_id), [out.text for out in other.performed])
