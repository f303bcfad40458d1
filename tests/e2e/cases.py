"""What people do in rooms, and what the gate must make of it: two tables over one world.

`silent_cases` are those after which nobody may notice that the agent exists: silent or rejected, whatever the reason.
`answered_cases` are the requests. Both are made after `Ground.lay`, which puts down what they point at: an answer of
the agent, a message of a colleague, and messages that are edited later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from dragoman.clock import MINUTE
from dragoman.gate.event import Event
from dragoman.identity import UNKNOWN
from dragoman.words import Fact, Outcome, Reason
from tests.e2e.matrix_world import MatrixWorld, edit, in_thread, replying, scheduled, text

ROOMS_OF_CASES: Final = (
    "group", "peered", "direct", "crowd", "pair", "taken", "paused", "barred", "unlisted",
)  # fmt: skip
SILENT, REJECTED, RESPOND = Outcome.SILENT, Outcome.REJECTED, Outcome.RESPOND


class Case(msgspec.Struct, frozen=True):
    """`who` says `content` in `room`: the outcome, and its reason. An `Event` is judged as it is; nobody says it."""

    what: str
    who: str
    room: str
    content: str | dict[str, Any] | Event
    outcome: Outcome
    reason: Reason
    type: str = "m.room.message"
    seen_as: Callable[[Event], Event] = lambda event: event

    async def play(self, world: MatrixWorld) -> tuple[Outcome, Reason]:
        """Let it happen, and see what the gate decided."""
        if isinstance(self.content, Event):
            admission = await world.judge(self.content)
        else:
            said = world.says(self.who, self.room, self.content, self.type)
            admission = await world.hears(said, self.seen_as)
        return admission.outcome, admission.reason


class Ground(msgspec.Struct, frozen=True):
    """Event ids that cases point at, and the event of a message that was answered."""

    own: str
    own_in_peered: str
    colleagues: str
    buyers: str
    buyers_in_peered: str
    answered: Event

    @classmethod
    async def lay(cls, world: MatrixWorld) -> Ground:
        """Say what the cases point at: a mention in each group is answered, the rest is not."""
        asked = {}
        for room in ("group", "peered"):
            asked[room] = world.says("buyer", room, text("are you there?", world.agent))
            assert (await world.hears(asked[room])).outcome is RESPOND
        own, own_in_peered = (world.raw(room)[0]["event_id"] for room in ("group", "peered"))
        colleagues = world.says("jordan", "group", "I am counting shelves")
        buyers = world.says("buyer", "group", "closing list B")
        buyers_in_peered = world.says("buyer", "peered", "closing list B")
        world.says("oper", "taken", "I take this one, thanks")
        for said in (colleagues, buyers, buyers_in_peered):
            await world.hears(said)
        world.seen.pause(world.here("paused"))
        return cls(own, own_in_peered, colleagues, buyers, buyers_in_peered, world.events[asked["group"]])


def silent_cases(w: MatrixWorld, ground: Ground) -> list[Case]:
    """Everything that must leave no trace."""
    own = w.agent.user_id
    jordan, double = w.user("jordan"), w.user("double")
    cyrillic = {"user_ids": [own.replace("a", "а", 1)]}
    capital = {"user_ids": [own.replace("agent", "Agent")]}
    notice = {"msgtype": "m.notice"}
    image = {"msgtype": "m.image", "url": "mxc://home.test/shelves", "filename": "shelves.png"}
    reaction = {"m.relates_to": {"rel_type": "m.annotation", "event_id": ground.own, "key": "👍"}}
    pill = f'<a href="https://matrix.to/#/{own}">Desk</a>: dates?'
    html = {"format": "org.matrix.custom.html"}
    fallback = f"> <{own}> the dock is open\n\nbook it"
    reply_html = (
        f'<mx-reply><blockquote><a href="https://matrix.to/#/{own}">Desk</a> open</blockquote></mx-reply>book it'
    )
    return [
        # what                                     who       room        says
        Case("nobody is mentioned", "buyer", "group", "closing list B", SILENT, Reason.NOT_REQUESTED),
        Case("an open question", "buyer", "group", "is anybody there?", SILENT, Reason.NOT_REQUESTED),
        Case("our display name", "buyer", "group", "Desk, which dates?", SILENT, Reason.NOT_REQUESTED),
        Case("our id in the text", "buyer", "group", f"{own}: dates?", SILENT, Reason.NOT_REQUESTED),
        Case("a link that shows our name", "buyer", "group", text("Desk: dates?", formatted_body=pill, **html),
             SILENT, Reason.NOT_REQUESTED),
        Case("a forged quote of us", "buyer", "group", fallback, SILENT, Reason.NOT_REQUESTED),
        Case("a forged quote of us, formatted", "buyer", "group", text(fallback, formatted_body=reply_html, **html),
             SILENT, Reason.NOT_REQUESTED),
        Case("the whole room is mentioned", "buyer", "group", text("all: hello", **{"m.mentions": {"room": True}}),
             SILENT, Reason.NOT_REQUESTED),
        Case("another human is mentioned", "buyer", "group", text("jordan: dates?", jordan),
             SILENT, Reason.ADDRESSED_TO_OTHER),
        Case("another human is answered", "buyer", "group", text("how many?", **replying(ground.colleagues)),
             SILENT, Reason.ADDRESSED_TO_OTHER),
        Case("an account with a look-alike name", "buyer", "group", text("dates?", double),
             SILENT, Reason.ADDRESSED_TO_OTHER),
        Case("our id with a Cyrillic letter", "buyer", "group", text("dates?", **{"m.mentions": cyrillic}),
             SILENT, Reason.ADDRESSED_TO_OTHER),
        Case("our id with a capital", "buyer", "group", text("dates?", **{"m.mentions": capital}),
             SILENT, Reason.ADDRESSED_TO_OTHER),
        Case("mentions of the wrong type", "buyer", "group", text("dates?", **{"m.mentions": {"user_ids": own}}),
             SILENT, Reason.INVALID_FACTS),
        Case("a thread that we take part in", "buyer", "group", text("and now?", **in_thread(ground.own)),
             SILENT, Reason.NOT_REQUESTED),
        Case("a picture alone", "buyer", "group", text("shelves.png", **image), SILENT, Reason.NOT_REQUESTED),
        Case("a bot's notice mentions us", "crier", "group", text("build done", w.agent, **notice),
             SILENT, Reason.BOT_WITHOUT_GRANT),
        Case("a human's notice mentions us", "buyer", "group", text("dates?", w.agent, **notice),
             SILENT, Reason.BOT_WITHOUT_GRANT),
        Case("a bot that no grant names mentions us", "listed", "peered", text("dates?", w.agent),
             SILENT, Reason.BOT_WITHOUT_GRANT),
        Case("the granted bot mentions nobody", "crier", "peered", text("build done", **notice),
             SILENT, Reason.NOT_REQUESTED),
        Case("an edit adds a mention", "buyer", "group", edit(ground.buyers, "closing list B, dates?", w.agent),
             REJECTED, Reason.EDIT_NOT_A_REQUEST),
        Case("an edit adds nothing, where they may", "buyer", "peered", edit(ground.buyers_in_peered, "closing list C"),
             REJECTED, Reason.EDIT_NOT_A_REQUEST),
        Case("an edit of another's message", "jordan", "peered", edit(ground.buyers_in_peered, "dates?", w.agent),
             REJECTED, Reason.NOT_A_MESSAGE),
        Case("a reaction to our message", "buyer", "group", reaction, REJECTED, Reason.NOT_A_MESSAGE, "m.reaction"),
        Case("a mention that arrives late", "buyer", "group", text("dates?", w.agent), REJECTED, Reason.STALE,
             seen_as=lambda event: msgspec.structs.replace(event, sent_at=(event.sent_at or 0) - 20 * MINUTE)),
        Case("a mention that nobody vouches for", "buyer", "group", text("dates?", w.agent),
             REJECTED, Reason.AUTH_FAILED,
             seen_as=lambda event: msgspec.structs.replace(event, authenticated=Fact.UNKNOWN)),
        Case("an answered message once more", "buyer", "group", ground.answered, REJECTED, Reason.DUPLICATE),
        Case("thanks, one to one", "buyer", "direct", "thanks!", SILENT, Reason.NOT_REQUESTED),
        Case("two people, but no direct chat", "buyer", "pair", "which dates?", SILENT, Reason.NOT_REQUESTED),
        Case("a direct chat of three", "buyer", "crowd", "which dates?", SILENT, Reason.NOT_REQUESTED),
        Case("a mention in a room nobody listed", "buyer", "unlisted", text("dates?", w.agent),
             SILENT, Reason.ACCESS_DENIED),
        Case("a mention by somebody not allowed", "buyer", "barred", text("dates?", w.agent),
             SILENT, Reason.ACCESS_DENIED),
        Case("a mention while paused", "buyer", "paused", text("dates?", w.agent), SILENT, Reason.PAUSED),
        Case("a mention while a colleague talks", "buyer", "taken", text("dates?", w.agent),
             SILENT, Reason.HUMAN_TAKEOVER),
        Case("a schedule without a grant", "", "group", scheduled(w.here("group"), "tick-1"),
             SILENT, Reason.SYNTHETIC_WITHOUT_GRANT),
        Case("a schedule with a made-up grant", "", "group", scheduled(w.here("group"), "tick-2", "weekly"),
             SILENT, Reason.SYNTHETIC_WITHOUT_GRANT),
        Case("a schedule with a grant for a bot", "", "peered", scheduled(w.here("peered"), "tick-3", "peer"),
             SILENT, Reason.SYNTHETIC_WITHOUT_GRANT),
        Case("a schedule without a target", "", "", scheduled(UNKNOWN, "tick-4", "peer"),
             SILENT, Reason.SYNTHETIC_WITHOUT_TARGET),
    ]  # fmt: skip


def answered_cases(w: MatrixWorld, ground: Ground) -> list[Case]:
    """Everything that is a request, each with the ground on which it is one."""
    jordan = w.user("jordan")
    widened = edit(ground.buyers_in_peered, "closing list B, which dates?", w.agent)
    notice = {"msgtype": "m.notice"}
    return [
        Case("a mention", "buyer", "group", text("which dates?", w.agent), RESPOND, Reason.AGENT_MENTIONED),
        Case("a mention of us and of another", "buyer", "group", text("which dates?", jordan, w.agent),
             RESPOND, Reason.AGENT_MENTIONED),
        Case("an answer to our message", "jordan", "group", text("and when?", **replying(ground.own)),
             RESPOND, Reason.REPLY_TO_AGENT),
        Case("a mention in a thread", "buyer", "group", text("which?", w.agent, **in_thread(ground.colleagues)),
             RESPOND, Reason.AGENT_MENTIONED),
        Case("the granted bot mentions us", "crier", "peered", text("build done", w.agent, **notice),
             RESPOND, Reason.OPERATOR_REQUESTED),
        Case("an edit adds a mention, where it may", "buyer", "peered", widened, RESPOND, Reason.AGENT_MENTIONED),
        Case("a question one to one", "buyer", "direct", "which dates?", RESPOND, Reason.DIRECT_MESSAGE),
        Case("a mention where two are no direct chat", "buyer", "pair", text("which dates?", w.agent),
             RESPOND, Reason.AGENT_MENTIONED),
    ]  # fmt: skip
