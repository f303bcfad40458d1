"""3H: transport. The road between receiver and hub is as bad as was reported, or the hub is asked by hand."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable

import pytest

from tests.cases.receiver.road import Fault, no, road
from tests.cases.receiver.stage import YES, Stage, refused, seconds
from tests.cases.reports import case
from tests.receiver.world import until

pytestmark = pytest.mark.slow
LEASE = r"^POST .*/leases$"
POST = r"^POST .*/contacts/\w+/messages$"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


TRUNCATED = {
    "shorter than it says": HEAD + b'content-length: 900\r\n\r\n{"lease":null,"messages":[],"server_time":1}',
    "cut JSON": HEAD + b'connection: close\r\n\r\n{"lease":null,"messages":[',
    "a field is missing": HEAD + b'connection: close\r\n\r\n{"lease":null,"messages":[]}',
    "nothing": HEAD + b"connection: close\r\n\r\n",
    "an open chunk": HEAD + b"transfer-encoding: chunked\r\n\r\n2c\r\n" + b'{"lease":null,"messages":[],',
}


@case("R080", "compare bytes with Content-Length; close-delimited JSON must parse whole and have required fields")
def test_r080_a_truncated_answer(stage: Stage) -> None:
    """It is no answer: each time an error with its code and fix, no handler call; then the message is there."""
    stage.peer_says("Can we meet?")
    for name, raw in TRUNCATED.items():
        stage.road.bad(LEASE, Fault(raw=raw))
        done = stage.ran("once")
        assert (done.code, done.error, stage.calls()) == (3, "hub_unreachable", []), f"{name}: {done.printed}"
        assert done.answer["error"]["fix"]
    stage.on()

    assert stage.texts() == [YES]


@case("R080", "have required fields")
def test_r080_a_truncated_receipt_is_no_receipt(stage: Stage) -> None:
    """Half an answer to the send proves nothing: it is asked about, and the peer has one message."""
    stage.peer_says("Can we meet?")
    stage.road.bad(POST, Fault(raw=HEAD + b'content-length: 500\r\n\r\n{"message_id":"msg_'))
    stage.at("-")
    assert until(lambda: bool(stage.once()) and not stage.unacked())

    assert (stage.texts(), len(stage.calls())) == ([YES], 1)
    assert len({each.body["reply_id"] for each in stage.road.of(POST)}) == 1


@case("R081", "no redirects at all on API calls; 3xx = blocker")
@pytest.mark.parametrize("status", [301, 302, 307])
def test_r081_a_redirect_is_not_followed(stage: Stage, status: int) -> None:
    """The other host hears nothing, neither token nor word, and `doctor` calls it a blocker."""
    stage.peer_says("Can we meet?")
    with road() as elsewhere:
        moved = (("location", f"{elsewhere.url}/api/v1/leases"), ("content-type", "text/html"))
        stage.road.bad(LEASE, Fault(status=status, headers=moved))
        done = stage.ran("once")
        stage.road.bad(r"/sessions$", Fault(status=status, headers=moved), None)
        found = stage.doctor()["hub"]
        assert elsewhere.asked == []

    assert (done.code, done.error, stage.calls()) == (3, "hub_unreachable", [])
    assert (found["state"], bool(found["fix"])) == ("blocker", True)


@case("R083", "3 s ahead accepted; reject tells server time; doctor reports offset")
@pytest.mark.parametrize("ahead", [3, -3])
def test_r083_a_little_ahead(stage: Stage, ahead: int) -> None:
    """Log-in, lease, reply and ack under a clock that is a little off; the offset is said, and is no blocker."""
    stage.peer_says("Can we meet?")
    stage.on(ahead)
    found = stage.doctor(f"ahead={ahead}")["clock"]

    assert stage.texts() == [YES]
    assert found["state"] in ("ok", "note")
    assert abs(int(found["values"]["skew"]) + ahead * 1000) < 1_000


@case("R083", "doctor reports offset")
def test_r083_far_ahead_is_a_blocker(stage: Stage) -> None:
    """An hour off is said with its size; what the hub's answers carry is its own time."""
    found = stage.doctor("ahead=3600")["clock"]
    entry = stage.as_role(stage.key, lambda client: client.log_in())

    assert found["state"] == "blocker"
    assert abs(int(found["values"]["skew"]) + 3_600_000) < 5_000
    assert abs(entry.server_time - time.time() * 1000) < 5_000


@case("R084", "same request twice → second refused, also after hub restart (murmur v2.6 notes)")
def test_r084_a_log_in_is_good_once(own_stage: Callable[..., Stage]) -> None:
    """A recorded log-in, byte for byte, is refused the second time, and after a restart of the hub; so is its path
    under another origin."""
    stage = own_stage()
    stage.on()
    (recorded,) = stage.road.of(r"^POST .*/sessions$")
    assert _asked(stage.url, recorded.path, recorded.raw) == (401, "nonce_used")
    stage.hub.kill()
    stage.hub.start()

    assert _asked(stage.url, recorded.path, recorded.raw) == (401, "nonce_used")
    moved = json.dumps(recorded.body | {"origin": "https://hub.example"}).encode()
    assert _asked(stage.url, recorded.path, moved)[1] in ("origin_mismatch", "nonce_used")


@case("R084", "same request twice → second refused")
def test_r084_a_send_again_is_the_first_one(stage: Stage) -> None:
    """A recorded send has no effect of its own: with its token it is the first message again, without it a no."""
    stage.peer_says("Can we meet?")
    stage.on()
    (recorded,) = stage.road.of(POST)

    assert _asked(stage.url, recorded.path, recorded.raw) == (401, "token_missing")
    again = stage.as_role(
        stage.key,
        lambda client: client.send(stage.contact, reply_id=recorded.body["reply_id"], text=recorded.body["text"]),
    )
    assert (again.replayed, stage.texts()) == (True, [YES])
    other = lambda client: client.send(stage.contact, reply_id=recorded.body["reply_id"], text="Other words.")  # noqa: E731
    assert refused(stage, other) == "reply_id_conflict"


def _asked(url: str, path: str, raw: bytes) -> tuple[int, str]:
    """A request by hand; its status and code."""
    request = urllib.request.Request(url + path, raw, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())["code"]


@case("R085", "`awaiting_peer_pickup`", "receiver reminds owner once")
def test_r085_a_peer_that_never_comes(stage: Stage) -> None:
    """What nobody fetches is said to wait for the peer, and our owner is reminded once."""
    stage.peer_says("Can we meet?")
    stage.on()
    stage.at("cycles=5,ahead=7200")
    first = stage.as_role(stage.peer, lambda client: client.lease(limit=50))
    assert first.lease is not None
    token, ids = first.lease.lease_token, [each.message_id for each in first.messages]
    stage.as_role(stage.peer, lambda client: client.release(token, ids))

    assert stage.delivery() == "awaiting_peer_pickup"
    assert [told["milestone"] for told in stage.told()] == ["wait_reminder"]
    assert stage.texts() == [YES]


@case("R086", "bounded batch fetch; backoff cap minutes")
def test_r086_catching_up(own_stage: Callable[..., Stage]) -> None:
    """A hundred and twenty messages come in three fetches, and no request can ask for all at once."""
    stage = own_stage("--lease-seconds", "60")
    stage.many_say(120)
    stage.answers()
    fetched = [stage.ran("once").answer["fetched"] for _ in range(4)]

    assert fetched == [50, 50, 20, 0]
    assert refused(stage, lambda client: client.lease(limit=100_000)) == "bad_request"


@case("R086", "backoff cap minutes")
def test_r086_back_after_an_outage(own_stage: Callable[..., Stage]) -> None:
    """The hub is gone for some seconds while the receiver runs: soon after it is back the message is answered."""
    stage = own_stage()
    with stage.serving():
        assert until(lambda: len(stage.road.of(LEASE)) >= 1)
        stage.hub.kill()
        time.sleep(6)
        stage.hub.start()
        stage.peer_says("Can we meet?")
        began = time.monotonic()
        assert until(lambda: stage.texts() == [YES], 40)

    assert seconds(began) < 20


@case("R086", "backoff cap minutes")
def test_r086_a_far_retry_after(stage: Stage) -> None:
    """A hub that says "in ten days" is asked again within the hour."""
    stage.road.bad(POST, no(503, "overloaded", retry_at=int(time.time() * 1000) + 10 * 86_400_000))
    stage.peer_says("Can we meet?")
    stage.on()
    assert stage.texts() == []
    stage.on(3_660)

    assert (stage.texts(), len(stage.calls())) == ([YES], 1)


DEEP, ENDLESS = b"[" * 200_000, b'{"server_time":' + b"9" * 5_000 + b"}"
ANSWERS = {
    "HTML 502": Fault(status=502, said=b"<html>Bad Gateway</html>", headers=(("content-type", "text/html"),)),
    "HTML 200": Fault(status=200, said=b"<html>Welcome</html>", headers=(("content-type", "text/html"),)),
    "error in 200": Fault(status=200, said=b'{"code":"overloaded","message":"no"}'),
    "JSON as text": Fault(
        status=200,
        said=b'{"lease":null,"messages":[],"server_time":1}',
        headers=(("content-type", "text/plain"),),
    ),
    "huge": Fault(status=200, said=b'"' + b"x" * (12 * 1024 * 1024) + b'"'),
    "deep": Fault(status=200, said=DEEP),
    "deep 400": Fault(status=400, said=DEEP),
    "big number": Fault(status=200, said=ENDLESS),
    "not UTF-8": Fault(status=200, said=b'{"lease":"\xff"}'),
    "unknown code": Fault(status=409, said=b'{"code":"moved","message":"no"}'),
}


@case("R087", "size cap before parse, depth cap, content-type check; RecursionError and int-digit ValueError caught")
def test_r087_what_is_no_answer_to_a_fetch(stage: Stage) -> None:
    """A coded error each time, never a crash and never a call; the message is there when the road is good again."""
    stage.peer_says("Can we meet?")
    for name, fault in ANSWERS.items():
        stage.road.bad(LEASE, fault)
        done = stage.ran("once")
        assert (done.code, done.error, stage.calls()) == (3, "hub_unreachable", []), f"{name}: {done.printed}"
    stage.on()

    assert stage.texts() == [YES]


@case("R087", "size cap before parse, depth cap, content-type check")
@pytest.mark.parametrize("name", ["HTML 502", "error in 200", "deep"])
def test_r087_what_is_no_answer_to_a_send(stage: Stage, name: str) -> None:
    """It proves nothing: the hub is asked, and the peer has one message."""
    stage.peer_says("Can we meet?")
    stage.road.bad(POST, ANSWERS[name])
    stage.at("-")
    assert until(lambda: bool(stage.once()) and not stage.unacked())

    assert (stage.texts(), len(stage.calls())) == ([YES], 1)
