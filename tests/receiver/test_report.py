"""What the receiver tells the hub of itself and learns there, on real hub processes: reports, waits, limits, marks,
expiry, and what a set clock shows."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman import wire
from dragoman.channels.hub.client import HubClient
from dragoman.clock import DAY, HOUR, MINUTE, SECOND, SystemClock
from dragoman.ledger.cycles import Cycle
from dragoman.receiver.background import background
from dragoman.receiver.books import side_file
from dragoman.receiver.hub_marks import fallen
from dragoman.receiver.steps import boot_of, run_of
from tests import born
from tests.e2e.counting import Proxy, proxy
from tests.hub_process import HubProcess, running_hub
from tests.receiver.world import World, until

pytestmark = pytest.mark.slow


class MovedHub(HubProcess):
    """A hub whose clock the test moves."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.clock = folder / "hub-clock"
        self.clock.write_text("0")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def start(self) -> None:
        """Start and wait for the line that says where it listens."""
        words = (str(self.clock), str(self.db), str(self.port), "60", f"http://127.0.0.1:{self.port}")
        command = [sys.executable, "-m", "tests.cases.receiver.hub_at", *words]
        self._process = born.Popen(command, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self.url = json.loads(self._process.stdout.readline())["listening"]

    def move(self, milliseconds: int) -> None:
        """The hub is ahead by so much from now on; what it sweeps, it sweeps when it is started again."""
        self.clock.write_text(str(milliseconds))


@pytest.fixture
def moved(tmp_path: Path) -> Iterator[tuple[World, MovedHub]]:
    """Our role and a peer at a hub whose clock can be moved."""
    hub = MovedHub(tmp_path)
    hub.start()
    yield World(tmp_path / "world", hub.url), hub
    hub.kill()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[World, Proxy]]:
    """Our role and a peer at a hub; every request goes by a counter."""
    with proxy("http://127.0.0.1:9") as way, running_hub(tmp_path, "--origin", way.url) as hub:
        way.upstream = hub.url.removeprefix("http://")
        yield World(tmp_path / "world", way.url), way


def asked_by(way: Proxy, cycle: Callable[[], object]) -> list[str]:
    """Method and path of what one cycle asked."""
    before = len(way.requests)
    cycle()
    return [each.partition("?")[0] for each in way.requests[before:]]


def at_hub(world: World, contact: str | None = None, *, peer: bool = False) -> wire.Communication:
    """Where a conversation stands, as the hub shows it to us or to the peer."""

    async def look(client: HubClient) -> wire.Communication:
        return await client.reports.communication(contact or world.contact)

    return world.as_role(world.peer if peer else world.key, look)


def both(world: World) -> tuple[str, str]:
    return str(at_hub(world).delivery.state), str(at_hub(world, peer=True).delivery.state)


def readiness(world: World) -> wire.Readiness:
    async def look(client: HubClient) -> wire.Readiness:
        return (await client.reports.readiness()).autonomy

    return world.as_role(world.key, look)


# --- reports ---------------------------------------------------------------------------------------------------------


def test_the_hub_learns_what_is_on_record_and_nothing_else(world: World) -> None:
    """Before the first cycle nothing is known; after it and a probe all is there but the cycles in the background.
    The owner's status and `doctor` show what the hub says."""
    before = readiness(world)
    world.once()
    unprobed = readiness(world)
    assert world.command("probe").returncode == 0
    world.once()
    probed = readiness(world)
    status = world.status()["hub"]
    doctor = json.loads(world.command("doctor").stdout)
    (seen,) = [each for each in doctor["checks"] if each["name"] == "hub_readiness"]
    pages = [world.command("status", "--lang", each, json=False).stdout for each in ("en", "zh")]

    assert "none" == before.level
    assert ("reachable", ["notification", "background", "handler"]) == (unprobed.level, unprobed.blockers)
    assert ("attended", ["background"]) == (probed.level, probed.blockers)
    assert ("attended", ["background"]) == (status["readiness"]["level"], status["readiness"]["blockers"])
    assert [world.contact] == [each["contact_id"] for each in status["seen"]["conversations"]]
    assert ("hub_misses", "attended") == (seen["finding"], seen["values"]["level"])
    assert ("at the hub" in pages[0], "attended, by our report of" in pages[0]) == (True, True)
    assert "平台所见" in pages[1]


def test_the_peer_is_told_of_the_owner_only_when_the_handler_asked(world: World) -> None:
    """The handler's question shows as `peer_waiting_owner`; once the owner has let it go on, nothing of it is left."""
    world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
    world.peer_says("Which day?")
    world.once()
    asked = both(world)
    world.answers("Tell us more, please.")
    world.resolve(contact_id=world.contact, decision="continue", note="yes")
    world.once()
    answered = both(world)

    assert ("waiting_owner", "peer_waiting_owner") == asked
    assert ("awaiting_peer_pickup", "awaiting_local") == answered


def test_a_draft_that_the_gate_holds_shows_the_peer_that_we_work(world: World) -> None:
    """The owner must decide here too, but not because the handler asked: the peer sees `peer_processing`."""
    world.answers("We accept the price of 120 EUR and confirm the order.")
    world.peer_says("Do you accept 120 EUR?")
    world.once()
    held = world.stands()["drafts"]

    assert 1 == len(held)
    assert ("waiting_owner", "peer_processing") == both(world)


def test_a_running_receiver_reports_a_change_at_once(world: World) -> None:
    """Nobody waits for the next minute: seconds after the handler asked, the peer can see it; it ends when told to."""
    world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
    process = world.running()
    began = readiness(world)
    world.peer_says("Which day?")
    shown = until(lambda: both(world) == ("waiting_owner", "peer_waiting_owner"))
    process.terminate()
    process.communicate(timeout=60)

    assert began.level in ("none", "configured", "reachable")
    assert shown
    assert 0 == process.returncode


def test_a_busy_receiver_costs_the_hub_little(watched: tuple[World, Proxy]) -> None:
    """Three messages one after the other within seconds: one look at the conversations, and each kind of event is asked
    for once."""
    world, way = watched
    process = world.running()
    talk = {"Can we meet?": "Yes, we can meet.", "What about?": "The new garden shed.", "Whose?": "Our neighbour asks."}
    for number, (text, reply) in enumerate(talk.items(), 1):
        world.answers(reply)
        world.peer_says(text)
        assert until(lambda number=number: len(world.texts()) == number)
    process.terminate()
    process.communicate(timeout=60)
    asked = [each.partition("?")[0] for each in way.requests]

    assert (2, 1) == (asked.count("GET /api/v1/events"), asked.count("GET /api/v1/communication/status"))
    assert 3 >= asked.count("PUT /api/v1/communication/receiver") >= 1
    assert 4 >= asked.count("PUT /api/v1/marks") >= 1


def test_more_than_fifty_conversations_are_all_known(world: World) -> None:
    """R088: the hub names fifty and says that there are more; the receiver asks for each other one by its id."""

    async def open_many(client: HubClient) -> list[str]:
        opened = [await client.open_contact(f"opn_many_{n:04}", world.peer.role_id) for n in range(53)]
        return [each.contact_id for each in opened]

    contacts = [world.contact, *world.as_role(world.key, open_many)]
    world.write(autonomy__contact_ids=contacts)
    world.once()
    seen = world.stands()["hub"]["seen"]

    assert seen["truncated"]
    assert sorted(contacts) == sorted(each["contact_id"] for each in seen["conversations"])
    assert {"awaiting_local"} == {each["delivery"]["state"] for each in seen["conversations"]}


def test_a_report_that_cannot_be_sent_stops_no_reply(watched: tuple[World, Proxy]) -> None:
    """A hub that answers every report and mark with an error page: the message is answered all the same, and the cycle
    is a success."""
    world, way = watched
    way.instead = lambda request: (503, b"<html>") if request.startswith("PUT") else None
    world.peer_says("Can we meet?")
    asked = asked_by(way, world.once)

    assert ["Yes, we can meet."] == world.texts()
    assert ["PUT /api/v1/communication/receiver", "PUT /api/v1/marks"] == [e for e in asked if e.startswith("PUT")]
    assert [(True, 1)] == [(each.ok, each.seq) for each in world.books().cycles.newest()]


# --- a reply settles what it answers ---------------------------------------------------------------------------------


def test_a_reply_settles_its_messages_in_one_request(watched: tuple[World, Proxy]) -> None:
    """The hub holds the reply and nothing waits any more, and nobody asked for an ack."""
    world, way = watched
    world.peer_says("Can we meet?")
    world.peer_says("This week?")
    asked = asked_by(way, world.once)

    assert ["Yes, we can meet."] == world.texts()
    assert 1 == sum(each.endswith("/messages") and each.startswith("POST") for each in asked)
    assert [] == [each for each in asked if each.endswith("/leases/ack")]
    assert not world.unacked()
    assert {"done": 2} == world.stands()["messages"]


def test_without_a_reply_the_ack_goes_by_itself(watched: tuple[World, Proxy]) -> None:
    """Silence settles too: one ack, as before."""
    world, way = watched
    world.answers()
    world.peer_says("Thanks.")
    asked = asked_by(way, world.once)

    assert 1 == sum(each.endswith("/leases/ack") for each in asked)
    assert not world.unacked()


def test_an_answer_that_was_lost_is_settled_afterwards(watched: tuple[World, Proxy]) -> None:
    """The hub took reply and ack, and the connection broke: the next cycle finds both, sends nothing again, and the
    ledger says so."""
    world, way = watched
    world.peer_says("Can we meet?")
    way.answered = lambda request: request.startswith("POST") and request.endswith("/messages")
    world.once()
    sent = world.stands()["replies"]
    way.answered = lambda request: False
    world.once()

    assert {"sending": 1} == sent
    assert ["Yes, we can meet."] == world.texts()
    assert ({"sent": 1}, {"done": 1}) == (world.stands()["replies"], world.stands()["messages"])
    assert not world.unacked()
    assert [] == world.books().inbox.unacked()


# --- limits ----------------------------------------------------------------------------------------------------------


def test_a_reply_over_the_limit_is_kept_and_sent_later_under_its_id(tmp_path: Path) -> None:
    """One message per hour, and ours was said: the reply is kept with the moment that the hub named; the handler is not
    asked again, the owner is told nothing, and the same text leaves under the same id when the limit has passed."""
    with running_hub(tmp_path, "--replies-per-contact-hour", "1") as hub:
        world = World(tmp_path / "world", hub.url)
        world.as_role(world.key, lambda client: client.send(world.contact, reply_id="first-of-ours", text="Hello."))
        world.peer_says("Can we meet?")
        for _ in range(3):
            world.once()
        limited = world.stands()
        state = at_hub(world)
        (unsent,) = limited["unsent"]
        task = limited["autonomy"][0]
        hub.kill()
        hub.options = ("--replies-per-contact-hour", "0")
        hub.start()
        world.cycle(shift=50 * MINUTE)
        early = world.texts()
        world.cycle(shift=HOUR + MINUTE)

        assert ("reply_limited", "saved") == (task["stop_reason"], unsent["state"])
        assert "reply_limited" == state.delivery.state
        assert abs((state.delivery.retry_at or 0) - unsent["retry_at"]) < 5 * SECOND
        assert ["Hello."] == early
        assert (unsent["reply_id"], "Yes, we can meet.") == world.sent()[-1]
        assert 1 == len(world.calls())
        assert [] == world.told()


# --- marks -----------------------------------------------------------------------------------------------------------


def test_deleting_database_and_side_file_is_seen_by_the_hub(world: World) -> None:
    """Both guards of this machine are gone; the hub still knows the grant. `doctor` names it, nothing is handled, and
    the owner's new grant goes on."""
    world.peer_says("Can we meet?")
    world.once()
    shutil.rmtree(world.folder / "state")
    side_file(world.config).unlink()
    world.peer_says("Are you there?")
    refused = world.command("once")
    doctor = json.loads(world.command("doctor").stdout)
    blockers = [(each["name"], each["code"]) for each in doctor["checks"] if each["state"] == "blocker"]
    calls = len(world.calls())
    world.write(autonomy__grant_id="grant-new-1")
    world.once()

    assert 0 != refused.returncode
    assert "ledger_missing" in refused.stdout + refused.stderr
    assert ("ledger", "ledger_missing") in blockers
    assert (1, 2) == (calls, len(world.calls()))


def test_an_older_copy_of_everything_is_seen_by_the_hub(world: World) -> None:
    """State folder and side file put back to before the second turn: both agree with each other, and not with the hub.
    Put forward again, all goes on."""
    world.peer_says("Can we meet?")
    world.once()
    state, side = world.folder / "state", side_file(world.config)
    shutil.copytree(state, world.folder / "older")
    older = side.read_bytes()
    world.peer_says("Which day?")
    world.once()
    shutil.move(state, world.folder / "newer")
    shutil.move(world.folder / "older", state)
    newer = side.read_bytes()
    side.write_bytes(older)
    refused = world.command("once")
    shutil.rmtree(state)
    shutil.move(world.folder / "newer", state)
    side.write_bytes(newer)
    again = world.command("once")

    assert "ledger_missing" in refused.stdout + refused.stderr
    assert (2, 0) == (len(world.calls()), again.returncode)


FALLEN = [
    ("never used", None, {}, ""),
    ("the same ledger, as far", "a", {"uses": 3, "all": 5}, ""),
    ("the same ledger, farther", "a", {"uses": 1}, ""),
    ("another ledger", "b", {"uses": 0}, "another ledger"),
    ("an older copy", "a", {"uses": 4, "all": 5}, "`uses`"),
    ("other grants were used since", "a", {"uses": 3, "all": 6}, "`all`"),
    ("a count that this one does not keep", "a", {"more": 1}, "`more`"),
]


@pytest.mark.parametrize(("ledger", "marks", "why"), [row[1:] for row in FALLEN], ids=[row[0] for row in FALLEN])
def test_what_a_ledger_must_reach(ledger: str | None, marks: dict[str, int], why: str) -> None:
    """A ledger `a` that used the grant three times, and all grants five times, against what the hub remembers."""
    found = fallen(wire.Marks(grant_id="grant-1", ledger_id=ledger, counts=marks), "a", {"uses": 3, "all": 5})

    assert (why in found, bool(found)) == (True, bool(why))


# --- retention -------------------------------------------------------------------------------------------------------


def test_the_owner_is_told_once_of_a_message_that_nobody_fetched(moved: tuple[World, MovedHub]) -> None:
    """Seven days unread: the hub drops it; one notification names the contact, however often the receiver looks."""
    world, hub = moved
    world.write(autonomy__expires_at=_far(), autonomy__wait_timeout_seconds=80 * 86_400)
    world.peer_says("Can we meet?")
    world.once()
    ((reply_id, _),) = world.sent()
    hub.move(7 * DAY + HOUR)
    _swept(world, reply_id)
    for _ in range(3):
        world.once()
    told = world.told()

    assert [("wait_reminder", world.contact)] == [(each["milestone"], each["contact_id"]) for each in told]
    books = world.books()
    bodies = [json.loads(each.raw)["body"] for place in books.packets.targets() for each in books.packets.of(place)]
    books.close()
    unread = [body for body in bodies if "expired" in body.get("progress", {}).get("summary", "")]

    assert [reply_id] == at_hub(world).expired
    assert 1 == len(world.calls())
    assert [[{"kind": "log", "ref": f"reply:{reply_id}"}]] == [body["evidence_refs"] for body in unread]


def test_a_reply_whose_proof_is_gone_is_uncertain(moved: tuple[World, MovedHub]) -> None:
    """Killed while sending, started again a month later: the hub can no longer say, so the owner must. Nothing is sent
    and nobody is asked."""
    world, hub = moved
    world.write(autonomy__expires_at=_far())
    world.peer_says("Can we meet?")
    killed = world.command("sending", "once", entry="tests.crash.receiver_at")
    hub.move(31 * DAY)
    world.cycle(shift=31 * DAY)
    stands = world.stands(shift=31 * DAY)

    assert -9 == killed.returncode
    assert ["Yes, we can meet."] == [each["text"] for each in stands["uncertain_sends"]]
    assert "uncertain_send" == stands["waiting_owner"][0]["stop_reason"]
    assert [] == world.texts()
    assert 1 == len(world.calls())


def test_a_reply_that_is_provably_not_there_is_sent_under_its_id(moved: tuple[World, MovedHub]) -> None:
    """The same kill, a day later: absent is proof, the saved text goes out."""
    world, hub = moved
    world.peer_says("Can we meet?")
    world.command("sending", "once", entry="tests.crash.receiver_at")
    hub.move(DAY)
    world.cycle(shift=DAY)

    assert ["Yes, we can meet."] == world.texts()
    assert 1 == len(world.calls())


def test_what_expired_at_the_hub_is_still_settled_here(moved: tuple[World, MovedHub]) -> None:
    """Given back at the daily limit and then off for eight days: the words kept here are answered, and nobody waits for
    an ack of a message that the hub has dropped."""
    world, hub = moved
    world.write(autonomy__max_dispatches_per_day=1)
    for text in ("Can we meet?", "Which day?"):
        world.peer_says(text)
        world.cycle()
    back = world.stands()["messages"]
    hub.move(8 * DAY)
    world.cycle(shift=8 * DAY)
    world.cycle(shift=8 * DAY)

    assert {"deferred": 1, "done": 1} == back
    assert {"done": 2} == world.stands()["messages"]
    assert [] == world.books().inbox.unacked()


def _far() -> int:
    return SystemClock().now() + 90 * DAY


def _swept(world: World, reply_id: str) -> None:
    assert until(lambda: at_hub(world).expired == [reply_id], 60)


# --- a clock that is set ---------------------------------------------------------------------------------------------

START = 1_800_000_000_000
STEPS = [
    ("nothing happens", [(0, 0), (30, 30), (60, 60)], True),
    ("set a minute ahead between two cycles that are close", [(0, 0), (62, 2)], False),
    ("set an hour ahead", [(0, 0), (3630, 30)], False),
    ("set an hour back", [(0, 0), (-3570, 30)], False),
    ("set back by just so much that it fits", [(0, 0), (30, 90)], False),
    ("after the step two cycles come by themselves again", [(0, 0), (3630, 30), (3660, 60)], True),
    ("pulled along slowly", [(0, 0), (30.9, 30), (61.8, 60), (92.7, 90)], True),
]


@pytest.mark.parametrize(("moments", "observed"), [row[1:] for row in STEPS], ids=[row[0] for row in STEPS])
def test_a_step_of_the_clock_shows_no_background(moments: list[tuple[float, float]], observed: bool) -> None:
    """Cycles at these seconds of the wall and of a clock that nobody sets; is that work in the background?"""
    cycles: list[Cycle] = []
    kept: str | None = None
    for number, (wall, steady) in enumerate(moments):
        at = START + int(wall * SECOND)
        run, kept = run_of(kept, "boot-1", at, 5_000_000 + int(steady * SECOND))
        cycles.insert(0, Cycle(number, at, at + 1, True, run, "run"))
    found = background(cycles, cycles[0].started_at + SECOND)

    assert (observed, 1) == (found["observed"], found["boots"])


def test_a_reboot_is_a_run_of_its_own() -> None:
    """The clock that nobody sets begins anew; that is no step, and another boot's id says so."""
    run, kept = run_of(None, "boot-1", START, 9_000_000)
    again, _ = run_of(kept, "boot-2", START + HOUR, 1_000)
    spoilt, _ = run_of("not what was kept", "boot-1", START, 9_000_000)

    assert ("boot-1", "boot-2", "boot-1") == (run, again, spoilt)
    assert "boot-1" == boot_of("boot-1~3")


@pytest.mark.parametrize("shift", [HOUR, -HOUR], ids=["an hour ahead", "an hour back"])
def test_a_clock_set_between_two_cycles_loses_and_doubles_nothing(world: World, shift: int) -> None:
    """R025: what was leased before the step is answered once, what comes after it too, and a failed turn is tried
    again without waiting for the hour."""
    world.peer_says("Can we meet?")
    world.cycle()
    world.answers(raw="no answer at all")
    world.peer_says("Which day?")
    world.cycle()
    world.answers("Tell us more, please.")
    world.cycle(shift=shift)
    world.cycle(shift=shift + 31 * SECOND)

    assert ["Yes, we can meet.", "Tell us more, please."] == world.texts()
    assert 3 == len(world.calls())
    assert not world.unacked()


def test_a_clock_set_back_over_midnight_pays_no_day_twice(world: World) -> None:
    """R074: one dispatch a day: used up tomorrow, the clock goes back to today and nothing more is paid for."""
    today: dict[str, Any] = {"autonomy__max_dispatches_per_day": 1}
    world.write(**today)
    world.peer_says("Can we meet?")
    world.cycle(shift=DAY)
    world.peer_says("Which day?")
    world.cycle()
    world.cycle(shift=HOUR)

    assert 1 == len(world.calls())
    assert "daily_limit" == world.stands()["autonomy"][0]["stop_reason"]
