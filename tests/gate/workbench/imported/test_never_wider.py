"""An import never widens: what the new policy answers, the source in its stricter reading answers too.

For each source there is an oracle here, written from the source's documentation and not from the importer: given the
configuration as plain data and an event, may it start a turn? Configurations and events are generated from small pools
of ids, so that they meet often. `test_the_pools_meet` shows that the property is not empty.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.gate.admit import admit
from dragoman.gate.asked import Standing
from dragoman.gate.event import AuthorKind, ChatKind, Event, EventKind, ReplyTo
from dragoman.gate.policy_file import parse_policy
from dragoman.gate.workbench.imported.draft import Imported
from dragoman.gate.workbench.imported.field import import_field
from dragoman.gate.workbench.imported.hermes import import_hermes
from dragoman.gate.workbench.imported.openclaw import import_openclaw
from dragoman.gate.workbench.imported.tree import read_tree
from dragoman.gate.workbench.text import policy_text
from dragoman.identity import party, target
from dragoman.words import Fact

NOW = 1_790_000_000_000
OWN = {"slack": "T0A1", "telegram": "777", "discord": "444444", "matrix": "@desk:x.example"}
PLACES = {
    "slack": ("C0A1", "C0A1", "C0B2", "D0A1", "#ops", "*"),
    "telegram": ("-1001", "-1001", "5551", "-1002", "5552", "*"),
    "discord": ("666661", "666661", "666662", "help", "*"),
    "matrix": ("!one:x.example", "!one:x.example", "!two:x.example", "#three:x.example", "*"),
}
PEOPLE = {
    "slack": ("U0A1", "U0A1", "U0B2", "@kim", "*"),
    "telegram": ("5551", "5551", "5552", "tg:5552", "@kim", "*"),
    "discord": ("555551", "555551", "555552", "kim", "*"),
    "matrix": ("@a:x.example", "@a:x.example", "@b:x.example", "kim", "*"),
}
MAYBE = st.sampled_from([True, False, "yes", None])
RARELY = st.sampled_from([None, None, None, None, None, True])


def seldom_no() -> st.SearchStrategy[object]:
    """Mostly a yes."""
    return st.sampled_from([True, True, True, "yes", None, False])


class Asked(NamedTuple):
    """An event as an oracle sees it."""

    platform: str
    workspace: str
    channel: str
    sender: str
    direct: bool
    mention: bool
    reply: bool
    text: str
    files: int


def is_direct(platform: str, channel: str, marked: bool) -> bool:
    """Whether a chat of this id is a one-to-one: by the id where the platform says so, else as marked."""
    return {"slack": channel[:1] == "D", "telegram": channel[:1] != "-", "discord": False}.get(platform, marked)


@st.composite
def asks(draw: st.DrawFn, platforms: tuple[str, ...] = tuple(OWN)) -> Asked:
    """A message of somebody, somewhere."""
    platform = draw(st.sampled_from(platforms))
    channel = draw(st.sampled_from(PLACES[platform][:4]))
    direct = is_direct(platform, channel, draw(st.booleans()))
    sender = draw(st.sampled_from(PEOPLE[platform][:4]))
    if platform == "telegram" and direct:
        sender = channel
    return Asked(
        platform,
        OWN[platform] if draw(st.integers(0, 9)) else "T0ZZ",
        channel,
        sender,
        direct,
        draw(st.integers(0, 2)) > 0,
        draw(st.booleans()) and platform != "slack",
        draw(st.sampled_from(["", "which dates are open?", "the dates are open"])),
        draw(st.integers(0, 1)),
    )


def answered(found: Imported, asked: Asked) -> bool:
    """Whether the imported policy, as it is written down, answers the event."""
    policy = parse_policy(policy_text(found.file, found.notes).encode())
    event = Event(
        kind=EventKind.MESSAGE,
        target=target(asked.platform, asked.workspace, asked.channel),
        event_id="m1",
        dedupe_key="m1",
        received_at=NOW,
        authenticated=Fact.YES,
        author=party(asked.platform, asked.workspace, asked.sender),
        author_kind=AuthorKind.HUMAN,
        chat=ChatKind.DIRECT if asked.direct else ChatKind.GROUP,
        shared=Fact.NO,
        other_bots=Fact.NO,
        mentions_agent=Fact.YES if asked.mention else Fact.NO,
        reply_to=ReplyTo.AGENT if asked.reply else ReplyTo.NOBODY,
        text=asked.text,
        body=asked.text,
        attachments=asked.files,
    )
    return admit(event, policy, Standing(now=NOW), "c1").responds


def yes(value: object) -> bool:
    """The source's yes."""
    return value is True or value == "yes"


def no(value: object) -> bool:
    """The source's explicit no."""
    return value is False or value == "no"


# --- the field -------------------------------------------------------------------------------------------------------


def field_answers(config: dict[str, Any], asked: Asked) -> bool:
    """The field's contract, for the one row that names exactly this place."""
    rows = [
        row
        for row in config["channels"]
        if (row.get("platform"), row.get("workspace_id"), row.get("channel_id"))
        == (asked.platform, asked.workspace, asked.channel)
    ]
    if len(rows) != 1 or rows[0].get("access") != "allowed":
        return False
    if asked.mention or asked.reply or (asked.direct and bool(asked.text or asked.files)):
        return True
    question = asked.text.endswith("?") and yes(rows[0].get("open_question_responses"))
    return bool(asked.text) and (question or no(rows[0].get("require_mention")))


def field_rows(platform: str) -> st.SearchStrategy[dict[str, Any]]:
    """A row of `channels`, often incomplete."""
    return st.fixed_dictionaries(
        {
            "platform": st.just(platform),
            "workspace_id": st.sampled_from([OWN[platform]] * 5 + [None]),
            "channel_id": st.sampled_from(PLACES[platform]),
            "access": st.sampled_from(["allowed", "allowed", "allowed", "denied", "maybe"]),
        },
        optional={
            "audience": st.sampled_from(["external", "internal", "private_operator", "friends"]),
            "require_mention": MAYBE,
            "open_question_responses": MAYBE,
            "operator_messages_are_requests": MAYBE,
        },
    )


def fields(asked: Asked) -> st.SearchStrategy[dict[str, Any]]:
    """The field's data around an event."""
    return st.fixed_dictionaries(
        {"channels": st.lists(field_rows(asked.platform), min_size=1, max_size=4)},
        optional={
            "unknown_audience": st.sampled_from(["external", "internal"]),
            "autonomy": st.just({"default": "auto"}),
        },
    )


@settings(max_examples=400, deadline=None)
@given(asks().flatmap(lambda asked: st.tuples(fields(asked), st.just(asked))))
def test_the_field(case: tuple[dict[str, Any], Asked]) -> None:
    """No event is answered that the field's contract would not answer."""
    config, asked = case
    found = import_field(read_tree(json.dumps(config).encode()))

    assert not answered(found, asked) or field_answers(config, asked)


# --- OpenClaw --------------------------------------------------------------------------------------------------------


def listed(value: object, sender: str, platform: str) -> bool:
    """Whether a list names this account by its exact id; `*` and names name nobody, in the stricter reading."""
    if not isinstance(value, list) or sender in ("*", "@kim", "kim"):
        return False
    prefixes = ("", f"{platform}:", "tg:" if platform == "telegram" else "")
    return any(prefix + sender in [str(each) for each in value] for prefix in prefixes)


def claw_answers(config: dict[str, Any], asked: Asked, accepted: frozenset[str]) -> bool:
    """OpenClaw by its documentation, the stricter way wherever it leaves two."""
    block = config["channels"].get(asked.platform)
    if block is None or no(block.get("enabled")) or block.get("accounts"):
        return False
    as_room = asked.platform == "matrix" and "direct" in accepted
    if asked.direct and not as_room:
        alone = block.get("dmPolicy") == "allowlist" and asked.platform == "telegram"
        return alone and asked.workspace == "777" and listed(block.get("allowFrom"), asked.sender, "telegram")
    places = block.get("groups") or block.get("channels") or {}
    server: dict[str, Any] = {}
    if asked.platform == "discord":
        server = block.get("guilds", {}).get(asked.workspace, {})
        places = server.get("channels", {})
    elif asked.workspace != OWN[asked.platform]:
        return False
    place = places.get(asked.channel)
    if place is None or asked.channel in ("*", "#ops", "help", "#three:x.example"):
        return False
    policy = place.get("groupPolicy", block.get("groupPolicy", "allowlist"))
    if policy not in ("open", "allowlist") or block.get("groupPolicy", "allowlist") not in ("open", "allowlist"):
        return False
    if no(place.get("allow")) or no(place.get("enabled")) or place.get("topics"):
        return False
    if not claw_lets_in(block, server, place, policy, asked):
        return False
    implicit = not no(block.get("implicitMentions", {}).get("replyToBot")) and asked.platform != "matrix"
    if asked.mention or (asked.reply and (implicit or "replies" in accepted)):
        return True
    if as_room and asked.direct and (asked.text or asked.files):
        return True
    return no(place.get("requireMention"))


def claw_lets_in(
    block: dict[str, Any], server: dict[str, Any], place: dict[str, Any], policy: str, asked: Asked
) -> bool:
    """Whether the sender may ask there."""
    key = "allowFrom" if asked.platform == "telegram" else "users"
    lists = [each for each in (place.get(key), server.get("users"), block.get("groupAllowFrom")) if each is not None]
    if asked.platform == "matrix":
        return all(listed(each, asked.sender, "matrix") for each in lists)
    if lists:
        return listed(lists[0], asked.sender, asked.platform)
    if asked.platform == "telegram" and policy == "allowlist":
        return listed(block.get("allowFrom"), asked.sender, "telegram")
    return not (place.get("roles") or server.get("roles"))


POLICIES = st.sampled_from(["open", "open", "allowlist", "allowlist", "disabled", "odd"])


def near(pool: tuple[str, ...], one: str, empty: bool = True) -> st.SearchStrategy[list[str]]:
    """A list with ids, names and wildcards in it, mostly with the one that is asked about."""
    some = st.lists(st.sampled_from(pool), max_size=3)
    with_one = some.map(lambda rest: [one, *rest])
    return st.one_of(with_one, with_one, with_one, some if empty else with_one)


def people(asked: Asked) -> st.SearchStrategy[list[str]]:
    """An allow-list of accounts."""
    return near(PEOPLE[asked.platform], asked.sender)


def claw_place(asked: Asked) -> st.SearchStrategy[dict[str, Any]]:
    """The settings of one place."""
    return st.fixed_dictionaries(
        {},
        optional={
            "allow": seldom_no(),
            "enabled": seldom_no(),
            "requireMention": MAYBE,
            "allowFrom" if asked.platform == "telegram" else "users": people(asked),
            "groupPolicy": POLICIES,
            "topics": st.sampled_from([{}, {}, {}, {"7": {}}]),
            "roles": st.sampled_from([[], [], ["9"]]),
        },
    )


def claw_block(asked: Asked) -> st.SearchStrategy[dict[str, Any]]:
    """One `channels.<platform>` block."""
    platform = asked.platform
    others = st.dictionaries(st.sampled_from(PLACES[platform]), claw_place(asked), max_size=3)
    places = st.builds(lambda rest, own: {**rest, asked.channel: own}, others, claw_place(asked)) | others
    server = st.fixed_dictionaries(
        {"channels": places}, optional={"users": people(asked), "requireMention": MAYBE, "roles": st.just(["9"])}
    )
    key = "channels" if platform == "slack" else "groups"
    guilds = st.dictionaries(st.sampled_from(["444444", "444444", "T0ZZ", "*"]), server, min_size=1)
    return st.fixed_dictionaries(
        {"guilds": guilds} if platform == "discord" else {key: places},
        optional={
            "enabled": seldom_no(),
            "groupPolicy": POLICIES,
            "groupAllowFrom": people(asked),
            "allowFrom": people(asked),
            "dmPolicy": st.sampled_from(["pairing", "allowlist", "open", "disabled"]),
            "implicitMentions": st.fixed_dictionaries({}, optional={"replyToBot": seldom_no()}),
            "accounts": st.sampled_from([{}, {}, {}, {}, {"work": {}}]),
        },
    )


def claws(asked: Asked) -> st.SearchStrategy[dict[str, Any]]:
    """An OpenClaw configuration around an event."""
    return st.fixed_dictionaries({"channels": st.fixed_dictionaries({asked.platform: claw_block(asked)})})


ACCEPTED = st.frozensets(st.sampled_from(["replies", "direct"]))


@settings(max_examples=800, deadline=None)
@given(asks().flatmap(lambda asked: st.tuples(claws(asked), st.just(asked))), ACCEPTED)
def test_openclaw(case: tuple[dict[str, Any], Asked], accepted: frozenset[str]) -> None:
    """No event is answered that OpenClaw would not answer, but for what the operator accepted."""
    config, asked = case
    found = import_openclaw(read_tree(json.dumps(config).encode()), OWN, accepted)

    assert not answered(found, asked) or claw_answers(config, asked, accepted)


# --- Hermes ----------------------------------------------------------------------------------------------------------

CHATS = {"slack": "channels", "discord": "channels", "telegram": "chats", "matrix": "rooms"}


def hermes_answers(config: dict[str, Any], asked: Asked, accepted: frozenset[str]) -> bool:
    """Hermes by its documentation: every block of the platform must agree."""
    roots = [config.get(asked.platform), config.get("platforms", {}).get(asked.platform)]
    blocks = [block for root in roots if root for block in (root, root.get("extra", {}))]
    if not blocks or asked.workspace != OWN[asked.platform]:
        return False
    kind = CHATS[asked.platform]

    def ids(key: str) -> list[list[str]]:
        found = [block[key] for block in blocks if block.get(key)]
        return [each.split(",") if isinstance(each, str) else each for each in found]

    if any(asked.channel in each for each in ids("ignored_channels")) and asked.platform == "discord":
        return False
    if any(block.get("ignored_threads") for block in blocks) and asked.platform == "telegram":
        return False
    if not all(asked.channel in each for each in ids(f"allowed_{kind}")):
        return False
    users = [block[key] for block in blocks for key in ("allowed_users", "allow_from") if block.get(key) is not None]
    members = asked.platform == "telegram" and any(asked.channel in each for each in ids("group_allowed_chats"))
    if users and not all(listed(each, asked.sender, asked.platform) for each in users):
        return False
    if not users and not members:
        return False
    if asked.direct and asked.platform in ("matrix", "telegram"):
        return True
    replies = asked.platform == "telegram" or "replies" in accepted
    if asked.mention or (asked.reply and replies):
        return True
    free = ids(f"free_response_{kind}")
    tightened = any(asked.channel in each for each in ids("require_mention_channels"))
    again = any(block.get("strict_mention") not in (None, False) for block in blocks)
    return bool(free) and all(asked.channel in each for each in free) and not tightened and not again


def hermes_block(asked: Asked) -> st.SearchStrategy[dict[str, Any]]:
    """One block of a platform's keys."""
    chats = near(PLACES[asked.platform], asked.channel)
    some = st.one_of(chats, chats.map(",".join))
    other = st.one_of(*[st.just([])] * 5, chats)
    kind = CHATS[asked.platform]
    return st.fixed_dictionaries(
        {f"allowed_{kind}": some, "allowed_users": people(asked), f"free_response_{kind}": some},
        optional={
            "ignored_channels": other,
            "group_allowed_chats": some,
            "require_mention_channels": other,
            "allow_from": people(asked),
            "require_mention": MAYBE,
            "strict_mention": RARELY,
            "ignored_threads": st.sampled_from([[], [], [], [], [], ["7"]]),
        },
    )


def hermeses(asked: Asked) -> st.SearchStrategy[dict[str, Any]]:
    """A Hermes configuration around an event: a block, at times with an `extra`, at times another elsewhere."""
    block = hermes_block(asked)
    seldom = st.one_of(*[st.none()] * 5, block)
    with_extra = st.builds(lambda top, extra: {**top, **({"extra": extra} if extra else {})}, block, seldom)
    return st.builds(
        lambda top, inner: {asked.platform: top, **({"platforms": {asked.platform: inner}} if inner else {})},
        with_extra,
        seldom,
    )


@settings(max_examples=800, deadline=None)
@given(asks().flatmap(lambda asked: st.tuples(hermeses(asked), st.just(asked))), ACCEPTED)
def test_hermes(case: tuple[dict[str, Any], Asked], accepted: frozenset[str]) -> None:
    """No event is answered that Hermes would not answer, but for what the operator accepted."""
    config, asked = case
    found = import_hermes(read_tree(json.dumps(config).encode()), OWN, accepted)

    assert not answered(found, asked) or hermes_answers(config, asked, accepted)


# --- the property is not empty ---------------------------------------------------------------------------------------


def test_the_pools_meet() -> None:
    """A plain configuration of each source answers something, so silence alone does not pass."""
    asked = Asked("slack", "T0A1", "C0A1", "U0A1", False, True, False, "which dates are open?", 0)
    row = {
        "platform": "slack",
        "workspace_id": "T0A1",
        "channel_id": "C0A1",
        "audience": "external",
        "access": "allowed",
    }
    field = {"channels": [row]}
    claw = {"channels": {"slack": {"channels": {"C0A1": {"users": ["U0A1"]}}}}}
    hermes = {"slack": {"allowed_channels": ["C0A1"], "allowed_users": ["U0A1"]}}

    assert answered(import_field(read_tree(json.dumps(field).encode())), asked)
    assert answered(import_openclaw(read_tree(json.dumps(claw).encode()), OWN), asked)
    assert answered(import_hermes(read_tree(json.dumps(hermes).encode()), OWN), asked)
    assert field_answers(field, asked)
    assert claw_answers(claw, asked, frozenset())
    assert hermes_answers(hermes, asked, frozenset())
