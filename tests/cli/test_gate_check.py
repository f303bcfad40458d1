"""`dragoman gate check`: one raw event in, one decision out, nothing else on its streams."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.cli.platforms import PLATFORMS
from tests.cli.desk import AGENT, NOW, Desk, asked, one_object, process, refused, run, said, told

STATE: dict[str, Any] = {
    "lookup": {},
    "seen": "new",
    "paused": False,
    "colleague_at": 1,
    "burst_open": False,
    "spent": {"peer": {"total": 1, "on_target": 1, "today": 1}},
}
MATRIX_AGENT = {"user_id": "@desk:desk.example", "bots": ["@b:x.example"], "notice_is_bot": True}
ROOM: dict[str, Any] = {
    "joined_members": ["@desk:desk.example", "@buyer:shop.example"],
    "m_direct": {"@buyer:shop.example": ["!d:desk.example"]},
    "agent_member_event": {"content": {"is_direct": True}},
    "is_direct": True,
    "senders": {"$1": "@buyer:shop.example"},
    "federate": False,
    "world_readable": False,
}
MATRIX_EVENT = {
    "type": "m.room.message",
    "event_id": "$r2",
    "room_id": "!d:desk.example",
    "sender": "@buyer:shop.example",
    "origin_server_ts": 1790000000000,
    "content": {"msgtype": "m.text", "body": "is the 13th free?", "m.mentions": {}},
}
WRONG: tuple[object, ...] = (0, -1, 1.5, "", "yes", True, None, [], [1], ["x"], {}, {"x": 1}, {"x": "y"}, [[]], 10**30)
"""Values of every JSON type; each key takes some of them and refuses the others."""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A fresh folder."""
    return Desk(tmp_path)


# --- the answer ------------------------------------------------------------------------------------------------------

SHAPE: dict[str, type | tuple[type, ...]] = {
    "outcome": str,
    "reason": str,
    "audience": str,
    "allowed_classes": list,
    "authenticated": bool,
    "target": (str, type(None)),
    "grant_id": (str, type(None)),
    "policy_version": str,
    "expires_at": (int, type(None)),
}
"""Every key that `check` prints, in this order, with its type. Changing one breaks its users."""


@pytest.mark.parametrize(
    ("event", "state", "outcome", "reason"),
    [
        (asked(), None, "respond", "agent_mentioned"),
        (said(), None, "silent", "not_requested"),
        (said(mentions=["jordan"]), None, "silent", "addressed_to_other"),
        (said(mentions=["jordan", "desk"]), None, "respond", "agent_mentioned"),
        (said(reply_to="desk"), None, "respond", "reply_to_agent"),
        (said(channel="DM1", direct=True), None, "respond", "direct_message"),
        (asked(author="B2", bot=True), None, "respond", "operator_requested"),
        (asked(author="B3", bot=True), None, "silent", "bot_without_grant"),
        (asked(author="mallory"), None, "silent", "access_denied"),
        (asked(author="desk"), None, "rejected", "self_echo"),
        (asked(kind="other"), None, "rejected", "not_a_message"),
        (asked(sent_at=1), None, "rejected", "stale"),
        (asked(channel=7), None, "silent", "invalid_facts"),
        (asked(), {"seen": "duplicate"}, "rejected", "duplicate"),
        (asked(), {"seen": "twin"}, "respond", "agent_mentioned"),
        (asked(), {"paused": True}, "silent", "paused"),
        (asked(), {"colleague_at": 1789999990000}, "silent", "human_takeover"),
        (asked(), {"burst_open": True}, "defer", "attachment_burst"),
        (asked(author="B2", bot=True), {"spent": {"peer": {"total": 3}}}, "silent", "bot_without_grant"),
        (
            {"kind": "synthetic", "id": "s1", "channel": "EXT", "grant_id": "weekly"},
            None,
            "respond",
            "operator_requested",
        ),
        ({"kind": "synthetic", "id": "s1", "channel": "EXT"}, None, "silent", "synthetic_without_grant"),
        ({"kind": "synthetic", "id": "s1", "grant_id": "weekly"}, None, "silent", "synthetic_without_target"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_event_one_decision(desk: Desk, event: object, state: object, outcome: str, reason: str) -> None:
    """Each row is decided as said, and whatever the outcome, the answer has the same keys and types."""
    answer = told(desk.check(event, state=state))

    assert (outcome, reason) == (answer["outcome"], answer["reason"])
    assert list(SHAPE) == list(answer)
    assert {} == {key: answer[key] for key, kind in SHAPE.items() if not isinstance(answer[key], kind)}


@pytest.mark.parametrize(
    ("channel", "shared", "audience", "classes"),
    [
        ("EXT", False, "external", ["final", "safe_error"]),
        ("UNLISTED", False, "external", ["final", "safe_error"]),
        ("INT", False, "internal", ["final", "operational", "progress", "safe_error"]),
        ("OPS", False, "operator", ["final", "operational", "progress", "safe_error"]),
        ("INT", True, "external", ["final", "safe_error"]),
        ("INT", None, "external", ["final", "safe_error"]),
    ],
)
def test_audience_and_classes(desk: Desk, channel: str, shared: object, audience: str, classes: list[str]) -> None:
    """Who listens, and what may reach them; not knowing who is there is external."""
    answer = told(desk.check(asked(channel=channel, shared=shared)))

    assert ("respond", audience, classes) == (answer["outcome"], answer["audience"], sorted(answer["allowed_classes"]))


def test_silence_allows_nothing(desk: Desk) -> None:
    """A silent turn has no class at all, not even a safe error, and no admission that could expire."""
    answer = told(desk.check(said()))

    assert ([], None, None) == (answer["allowed_classes"], answer["expires_at"], answer["grant_id"])


def test_the_clock_is_the_callers(desk: Desk) -> None:
    """`--now` alone decides what is stale and when the admission ends."""
    event = asked(sent_at=1790000000000)

    assert 1790000900000 == told(desk.check(event, now=NOW))["expires_at"]
    assert "stale" == told(desk.check(event, now="2026-09-21T15:13:20Z"))["reason"]
    assert "stale" == told(desk.check(event, now="2026-09-21T13:13:20Z"))["reason"]


def test_the_machines_clock_without_now(desk: Desk) -> None:
    """Without `--now` the event is judged at this moment."""
    flags = ("--policy", desk.policy, "--platform", "memory", "--agent", desk.agent)

    answer = told(run("gate", "check", *flags, stdin=json.dumps(asked(sent_at=1)).encode()))

    assert "stale" == answer["reason"]


# --- bare, or with its transport -------------------------------------------------------------------------------------


def envelope(body: bytes = b"{}", **changes: object) -> dict[str, object]:
    """A raw event with its transport."""
    return {"headers": {"x": "y"}, "body_base64": base64.b64encode(body).decode(), **changes}


def test_a_bare_event_is_not_authenticated(desk: Desk) -> None:
    """It says so, and step 0 is skipped: the decision is about everything else."""
    answer = told(desk.check(asked()))

    assert (False, "respond") == (answer["authenticated"], answer["outcome"])


@pytest.mark.parametrize("received", [None, 1790000000000, NOW], ids=["missing", "milliseconds", "rfc3339"])
def test_an_envelope_that_nothing_proves_is_rejected(desk: Desk, received: object) -> None:
    """A platform without a rule for headers proves nothing, so an envelope of it is `auth_failed`."""
    extra = {} if received is None else {"received_at": received}
    answer = told(desk.check(envelope(json.dumps(asked()).encode(), **extra)))

    assert ("rejected", "auth_failed", False) == (answer["outcome"], answer["reason"], answer["authenticated"])


@pytest.mark.parametrize(
    "raw",
    [
        envelope(recieved_at=1),
        {"body_base64": "e30="},
        envelope(headers=[]),
        envelope(headers={"x": 1}),
        envelope(body_base64=7),
        envelope(body_base64="?"),
        envelope(b"[]"),
        envelope(b"\xff"),
        envelope(received_at=1.5),
        envelope(received_at="yesterday"),
    ],
    ids=["misspelt", "no headers", "list", "number", "type", "base64", "no object", "bytes", "fraction", "no time"],
)
def test_a_broken_envelope_is_never_read_as_bare(desk: Desk, raw: object) -> None:
    """Whoever gives `body_base64` asked for the transport to be judged; a slip must not skip that."""
    refused(desk.check(raw), "input_invalid")


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stdin", "code"),
    [
        (b"", "input_invalid"),
        (b"null", "input_invalid"),
        (b"[]", "input_invalid"),
        (b'"x"', "input_invalid"),
        (b"\xff\xfe", "input_invalid"),
        (b'{"text": "\xff"}', "input_invalid"),
        (b'{"text": "\\ud800"}', "input_invalid"),
        (b"{} {}", "input_invalid"),
        (b"[" * 100_000, "input_invalid"),
        (b'{"a":' * 100_000, "input_invalid"),
        (b" " * (8 * 1024 * 1024 + 1), "input_too_large"),
    ],
    ids=["empty", "null", "list", "text", "bytes", "bytes in text", "half", "two", "deep", "deep keys", "large"],
)
def test_input_that_is_no_event(desk: Desk, stdin: bytes, code: str) -> None:
    """Whatever is not one JSON object of bearable size is refused, as one JSON object."""
    assert "standard input" == refused(desk.check(stdin), code)["where"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    [*asked(), "command", "reply_to", "attachments", "album", "thread", "grant_id", "edit", "sent_at"]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stdin=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_end_in_a_decision_or_an_error(desk: Desk, stdin: bytes) -> None:
    """Whatever arrives, the answer is one JSON object with exit 0 or 2, and nothing on standard error."""
    done = desk.check(stdin)

    assert (done.code in (0, 2), "") == (True, done.err)
    assert (done.code == 2) == ("error" in one_object(done.out))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.dictionaries(KEYS, JSON, max_size=4))
def test_any_facts_end_in_a_decision(desk: Desk, changes: dict[str, Any]) -> None:
    """An event with any value under any key is decided: malformed facts are silence, not an error."""
    answer = told(desk.check({**asked(), **changes}))

    assert answer["outcome"] in ("respond", "silent", "defer", "rejected")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.dictionaries(st.sampled_from(list(MATRIX_EVENT)), JSON, max_size=3),
    content=st.dictionaries(
        st.sampled_from(["msgtype", "body", "m.mentions", "m.relates_to", "m.new_content", "formatted_body", "format"]),
        JSON,
        max_size=3,
    ),
)
def test_any_matrix_event_ends_in_a_decision(desk: Desk, changes: dict[str, Any], content: dict[str, Any]) -> None:
    """The same for the raw events of a real platform."""
    raw = {**MATRIX_EVENT, "content": {"msgtype": "m.text", "body": "hi", **content}, **changes}

    assert 0 == desk.check(raw, platform="matrix", agent=MATRIX_AGENT, state={"lookup": ROOM}).code


# --- the files beside it ---------------------------------------------------------------------------------------------

FILES: dict[str, tuple[str, dict[str, Any]]] = {
    "agent:memory": ("memory", AGENT),
    "agent:matrix": ("matrix", MATRIX_AGENT),
    "lookup:matrix": ("matrix", ROOM),
    "lookup:memory": ("memory", {}),
    "state": ("memory", STATE),
}


def asking(desk: Desk, part: str, content: object) -> Any:
    """A check in which this content stands in the place that the schema `part` describes."""
    platform = FILES[part][0]
    event = MATRIX_EVENT if platform == "matrix" else asked()
    agent: object = MATRIX_AGENT if platform == "matrix" else AGENT
    state: object = {}
    if part.startswith("agent"):
        agent = content
    elif part.startswith("lookup"):
        state = {"lookup": content}
    else:
        state = content
    return desk.check(event, platform=platform, agent=agent, state=state)


def published(part: str) -> jsonschema_rs.Draft202012Validator:
    """The schema that the command prints for this part."""
    return jsonschema_rs.Draft202012Validator(told(run("gate", "schema", part)))


@pytest.mark.parametrize("part", FILES)
def test_what_is_accepted_fits_the_published_schema(desk: Desk, part: str) -> None:
    """A whole file is accepted by the command and by its schema."""
    content = FILES[part][1]

    told(asking(desk, part, content))
    assert published(part).is_valid(content)


@pytest.mark.parametrize(("part", "key"), [(part, key) for part, (_, content) in FILES.items() for key in content])
def test_wrong_types_are_refused_as_the_schema_says(desk: Desk, part: str, key: str) -> None:
    """For each key and each JSON type: what the schema refuses the command refuses, by name; nothing ends in a crash.

    `lookup` has a schema of its own, and the form of an identity is checked beyond its type.
    """
    schema, refusals = published(part), 0
    for value in WRONG:
        content = {**FILES[part][1], key: value}
        done = asking(desk, part, content)
        if schema.is_valid(content) and done.code == 0:
            continue
        refusals += 1
        error = refused(done, "input_invalid")
        if not schema.is_valid(content):
            assert f"$.{key}" in error["detail"], error
    assert refusals or (part, key) == ("lookup:matrix", "agent_member_event")


@pytest.mark.parametrize("part", FILES)
def test_unknown_keys_are_refused_with_the_accepted_ones(desk: Desk, part: str) -> None:
    """A misspelt key is an error that names what would have been accepted."""
    content = {**FILES[part][1], "sene": 1}

    error = refused(asking(desk, part, content), "input_invalid")

    assert "sene" in error["detail"]
    assert all(key in error["fix"] for key in FILES[part][1])
    assert not published(part).is_valid(content)


def test_a_misspelt_budget_is_refused(desk: Desk) -> None:
    """What was spent is strict all the way down: a slip there would make a spent grant look fresh."""
    state = {"spent": {"peer": {"totl": 3}}}

    refused(desk.check(asked(), state=state), "input_invalid")
    assert not published("state").is_valid(state)


@pytest.mark.parametrize("junk", [b"", b"\xff", b"[1]", b"null", b"[" * 100_000, b"{}{}"])
@pytest.mark.parametrize("part", ["agent:memory", "state"])
def test_files_that_are_no_json(desk: Desk, part: str, junk: bytes) -> None:
    """A file that does not hold one JSON object is refused, whatever it holds."""
    refused(asking(desk, part, junk), "input_invalid")


@pytest.mark.parametrize("flag", ["--agent", "--state", "--policy"])
@pytest.mark.parametrize("place", ["missing.json", "folder", ""])
def test_files_that_cannot_be_read(desk: Desk, flag: str, place: str) -> None:
    """A missing file, a folder, no name at all: refused, and the place is named."""
    (desk.folder / "folder").mkdir()

    error = refused(
        desk.check(asked(), flag, str(desk.folder / place)), "policy_invalid" if flag == "--policy" else "input_invalid"
    )

    assert error["where"]


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        (("--now", "yesterday"), "input_invalid", 2),
        (("--now", "2026-09-21T14:13:20+02:00"), "input_invalid", 2),
        (("--platform", "slak"), "not_implemented", 3),
        (("--unknown",), "usage", 2),
        (("surplus",), "usage", 2),
    ],
)
def test_wrong_flags(desk: Desk, words: tuple[str, ...], code: str, exit_code: int) -> None:
    """A flag that cannot be understood ends with its documented code and says how to mend it."""
    assert refused(desk.check(asked(), *words), code, exit_code)["fix"]


@pytest.mark.parametrize("flag", ["--policy", "--platform", "--agent"])
def test_needed_flags(desk: Desk, flag: str) -> None:
    """Each of the three needed flags is asked for by name."""
    flags = {"--policy": desk.policy, "--platform": "memory", "--agent": desk.agent}
    words = [word for name, value in flags.items() if name != flag for word in (name, value)]

    assert flag in refused(run("gate", "check", *words, "--json", stdin=b"{}"), "usage")["detail"]


def test_no_schema_of_that_name() -> None:
    """An unknown part names the known ones, an unknown platform the known platforms."""
    assert "agent:PLATFORM" in refused(run("gate", "schema", "polcy", "--json"), "usage")["fix"]
    assert "matrix" in refused(run("gate", "schema", "agent:slak", "--json"), "not_implemented", 3)["fix"]


# --- real processes --------------------------------------------------------------------------------------------------


def test_the_installed_command(desk: Desk) -> None:
    """The same answers from the installed command, without a terminal."""
    assert told(desk.check(asked())) == told(desk.check(asked(), launch=process))
    assert desk.check(b"\xff") == desk.check(b"\xff", launch=process)


def test_words_that_are_not_utf8(desk: Desk) -> None:
    """A path of arbitrary bytes is refused like any other, not answered with a traceback."""
    done = process(b"gate", b"check", b"--policy", b"\xff", b"--platform", b"x", b"--agent", b"x", b"--json")

    assert "\\udcff" == refused(done, "policy_invalid")["where"]


def test_json_is_utf8_whatever_the_locale(desk: Desk) -> None:
    """An ASCII terminal changes nothing about the bytes of an answer."""
    done = process(
        "gate",
        "release",
        *("--policy", desk.policy, "--target", "memory/desk/EXT", "--class", "final", "--admitted", "--json"),
        stdin="Sehr gern, bis später.".encode(),
        PYTHONIOENCODING="ascii",
    )

    assert "Sehr gern, bis später." == told(done)["sent"][0]["text"]


def test_an_agent_that_is_no_json_is_told_to_be_json(desk: Desk) -> None:
    """Where nothing can be read, no list of keys helps."""
    desk.agent = desk.write("agent.json", "{me:")

    assert refused(desk.check(asked()), "input_invalid")["fix"] == "give valid JSON"


def test_a_form_is_judged_with_its_transport(desk: Desk) -> None:
    """A slash command of Slack's is a form: its signature is over those bytes, and its fields are the event."""
    secret, stamp = "8f742231b10e8888abcd99yyyzzz85a5", "1790000000"
    form = b"team_id=T0HOMEORG1&channel_id=C0SHELVES1&user_id=U0BUYERAA1&command=%2Fdates&text=&trigger_id=1.2.3"
    signature = hmac.new(secret.encode(), b"v0:%b:%b" % (stamp.encode(), form), hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={signature}",
    }
    agent = {"user_id": "U0DESKBT01", "app_id": "A0DESKAP01", "signing_secret": secret}

    for body, proven in ((form, True), (form.replace(b"dates", b"other"), False)):
        event = {"headers": headers, "body_base64": base64.b64encode(body).decode()}
        found = told(desk.check(event, platform="slack", agent=agent))
        assert (proven, proven) == (found["authenticated"], found["reason"] != "auth_failed")


def test_the_page_names_every_platform() -> None:
    """`docs/reference/cli.md` has a row for each platform that `gate check` reads, and for no other."""
    page = (Path(__file__).parents[2] / "docs/reference/cli.md").read_text()
    part = page.partition("## `dragoman gate check`")[2].partition("```console")[0]
    rows = [line.split("`")[1] for line in part.splitlines() if line.startswith("| `")]

    assert sorted(PLATFORMS) == sorted(rows)
