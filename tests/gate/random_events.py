"""Random events, places and policies from small pools, so that they meet each other often."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from dragoman.gate.asked import Standing
from dragoman.gate.event import AuthorKind, ChatKind, Command, Event, EventKind, ReplyTo
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.ports import SeenState
from dragoman.grants import Grant, Spent
from dragoman.identity import NOBODY, UNKNOWN, Party, Target
from dragoman.words import Audience, Fact, Purpose

NOW = 1_790_000_000_000
SECOND = 1_000

TARGETS = (
    Target("memory", "desk", "C1"),
    Target("memory", "desk", "C2"),
    Target("memory", "other", "C1"),
    Target("hub", "role", "con"),
)
PARTIES = (
    Party("memory", "desk", "kim"),
    Party("memory", "desk", "oper"),
    Party("memory", "desk", "bot2"),
    Party("hub", "role", "peer"),
)
NAMES = ("Desk", "desk", "Jordan", "小助")
PREFIXES = ("/", "!", "//", "·")
COMMANDS = ("help", "stop", "quote")
GRANTS = ("weekly", "peer", "task")
TEXTS = (
    "",
    " ",
    "ok",
    "🙂 👍",
    "hello there everybody",
    "which dates are open?",
    "What is the weight limit",
    "Jordan, can you take this?",
    "jordan, can you look at it?",
    "@jordan hello",
    "@Desk which dates are open?",
    "Desk, can you take this?",
    "Jordan and Desk, can you look?",
    "Hi Desk",
    "Thanks, Jordan. What next?",
    "小王，你好吗？",
    "小助，明天行吗？",
    "/stop",
    "/stop@Desk",
    "/stop@Other now",
    "/help me",
    "//help me",
    "!status",
    "·quote 7",
    "/unknown thing",
    "- first item\n- second",
    "`/stop`",
    "> quoted?\nI agree",
)

facts = st.sampled_from(Fact)
times = st.sampled_from((0, 1, 59, 60, 61, 3_600, -1, -400)).map(lambda seconds: seconds * SECOND)
fresh = st.integers(0, 9).flatmap(lambda n: times if n == 9 else st.just(SECOND))


def _mostly(usual: Any, rest: Any) -> st.SearchStrategy[Any]:
    """`usual` in nine cases of ten; what seldom happens must not hide everything behind it."""
    return st.integers(0, 9).flatmap(lambda n: st.sampled_from(rest) if n == 9 else st.just(usual))


commands = st.builds(Command, st.sampled_from((*COMMANDS, "resume", "other")), st.just(""), facts)
events = st.builds(
    Event,
    kind=_mostly(EventKind.MESSAGE, tuple(EventKind)),
    target=_mostly(TARGETS[0], (*TARGETS, UNKNOWN)) | st.sampled_from(TARGETS),
    event_id=_mostly("m1", ("",)),
    dedupe_key=st.just("C1:m1"),
    received_at=fresh.map(lambda age: NOW - age),
    sent_at=st.none() | fresh.map(lambda age: NOW - age),
    authenticated=_mostly(Fact.YES, tuple(Fact)),
    author=_mostly(PARTIES[0], (*PARTIES, NOBODY)) | st.sampled_from(PARTIES),
    author_kind=_mostly(AuthorKind.HUMAN, tuple(AuthorKind)) | st.just(AuthorKind.BOT),
    chat=st.sampled_from(ChatKind),
    shared=facts,
    other_bots=facts,
    mentions_agent=facts,
    mentions_other=facts,
    reply_to=st.sampled_from(ReplyTo),
    command=st.none() | commands,
    edit_marks_mentions=st.booleans(),
    text=st.sampled_from(TEXTS) | st.text(max_size=12),
    attachments=st.integers(0, 2),
    album=st.none() | st.just("a1"),
    thread=st.none() | st.just("t1"),
    grant_id=st.none() | st.sampled_from(GRANTS),
    malformed=_mostly((), (("author",), ("author", "text"))),
)


def _some(pool: tuple[Any, ...]) -> st.SearchStrategy[frozenset[Any]]:
    return st.frozensets(st.sampled_from(pool), max_size=len(pool))


places = st.builds(
    TargetPolicy,
    audience=st.sampled_from(Audience),
    listed=st.just(True),
    denied=_mostly(False, (True,)),
    require_mention=st.booleans(),
    open_question=st.booleans(),
    operator_messages=st.booleans(),
    edits_may_request=st.booleans(),
    allowed_senders=st.none() | st.none() | _some(PARTIES),
    takeover_ms=st.sampled_from((0, 0, 60 * SECOND)),
)
bounds = st.none() | st.integers(0, 3)


@st.composite
def grants(draw: st.DrawFn) -> dict[str, Grant]:
    """Up to three grants under their ids."""
    return {
        name: Grant(
            id=name,
            purpose=draw(st.sampled_from((Purpose.SCHEDULE, Purpose.BOT, Purpose.AUTONOMY))),
            targets=draw(_some(TARGETS)),
            given_by="oper",
            expires_at=NOW + draw(st.sampled_from((-1, 1, 1, 1))),
            admits=draw(st.none() | st.sampled_from(PARTIES)),
            max_total=draw(bounds),
            max_per_target=draw(bounds),
            max_per_day=draw(bounds),
        )
        for name in draw(_some(GRANTS))
    }


policies = st.builds(
    Policy,
    version=st.just("v"),
    broken=_mostly(False, (False, False, True)),
    unknown_targets=st.sampled_from(("closed", "explicit_requests")),
    freshness_ms=st.sampled_from((60 * SECOND, 3_600 * SECOND)),
    agent_names=_some(NAMES),
    command_prefixes=_some(PREFIXES).map(lambda some: tuple(sorted(some))),
    commands=_some(COMMANDS),
    denied_senders=st.just(frozenset()) | _some(PARTIES),
    targets=st.dictionaries(st.sampled_from(TARGETS), places, min_size=1),
    operators=_some(PARTIES),
    grants=grants(),
)
counts = st.builds(Spent, total=st.integers(0, 3), on_target=st.integers(0, 3), today=st.integers(0, 3))


@st.composite
def standings(draw: st.DrawFn, policy: Policy, event: Event) -> Standing:
    """What is known of the place; what was spent is known of the grants that name it, as live."""
    return Standing(
        now=NOW,
        seen=draw(_mostly(SeenState.NEW, tuple(SeenState))),
        paused=draw(_mostly(False, (True,))),
        colleague_at=draw(st.none() | times.map(lambda age: NOW - age)),
        burst_open=draw(st.booleans()),
        spent={grant.id: draw(counts) for grant in policy.grants.values() if event.target in grant.targets},
    )
