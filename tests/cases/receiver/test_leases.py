"""3B: leases, clocks, two instances. What was renewed, acked and refused is read on the road; the clock is a port."""

from __future__ import annotations

import contextlib
import fcntl
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cases.receiver.road import Fault, no
from tests.cases.receiver.stage import YES, Stage, refused, seconds
from tests.cases.reports import case
from tests.receiver.world import until

pytestmark = pytest.mark.slow
RENEW = r"^POST .*/leases/renew$"
POST = r"^POST .*/contacts/\w+/messages$"
LEASE_SECONDS = 2


@case("R018", "handler sleeps 3×lease: renewals seen, one handler run, one reply")
def test_r018_a_long_turn(stage: Stage) -> None:
    """The lease is renewed while the handler thinks, and the message is asked about once."""
    stage.answers(YES, sleep=3 * LEASE_SECONDS)
    stage.peer_says("Can we meet?")
    stage.on()

    assert len(stage.road.of(RENEW)) >= 3
    assert (len(stage.calls()), stage.texts(), stage.unacked()) == (1, [YES], False)


@case("R019", "same, with renewals blocked: second delivery must be refused locally while the first runs")
def test_r019_the_same_message_again(stage: Stage) -> None:
    """The hub offers the message anew while its handler runs; no second one begins, here or in another process."""
    stage.road.bad(RENEW, no(503, "overloaded"), None)
    stage.answers(YES, sleep=3 * LEASE_SECONDS)
    stage.peer_says("Can we meet?")
    with stage.serving():
        assert until(lambda: len(stage.calls()) == 1)
        assert until(lambda: stage.delivery() == "awaiting_local")
        beside = stage.ran("once")
        assert until(lambda: len(stage.ends()) == 1)
        stage.road.clear()
        assert until(lambda: stage.texts() == [YES])
        assert until(lambda: not stage.unacked())

    assert (beside.code, beside.error) == (3, "state_locked")
    assert (len(stage.calls()), stage.texts()) == (1, [YES])
    assert stage.task()["turns_used"] == 1


@case("R021", "absolute cap: handler timeout ends renewal")
def test_r021_a_hung_handler_is_not_renewed_for_ever(stage: Stage) -> None:
    """After the handler's time nothing is renewed any more, and the message is free at the hub."""
    stage.handled_by(timeout_seconds=3)
    stage.answers(YES, sleep=60)
    stage.peer_says("Can we meet?")
    stage.on()
    renewals = len(stage.road.of(RENEW))
    assert until(lambda: stage.delivery() == "awaiting_local", 2 * LEASE_SECONDS)

    assert 1 <= renewals == len(stage.road.of(RENEW))
    assert (len(stage.calls()), stage.ends(), stage.texts()) == (1, [], [])


@case("R021", "absolute cap")
def test_r021_the_hub_has_a_cap_of_its_own(own_stage: Callable[..., Stage]) -> None:
    """Whoever renews for ever does not hold for ever: past the cap the lease has ended; a late answer still goes."""
    stage = own_stage("--lease-seconds", "2", "--lease-cap-seconds", "4")
    stage.answers(YES, sleep=7)
    stage.peer_says("Can we meet?")
    with stage.serving():
        assert until(lambda: len(stage.calls()) == 1)
        time.sleep(5)
        assert stage.delivery() == "awaiting_local"
        assert until(lambda: stage.texts() == [YES])

    assert len(stage.calls()) == 1


@case("R022", "renewal timeout < remaining lease (no `max(1, …)` floor)")
def test_r022_a_renewal_that_hangs(own_stage: Callable[..., Stage]) -> None:
    """A renewal without an answer is given up before the lease ends: another is asked for in time, and none is lost."""
    lease = 6
    stage = own_stage("--lease-seconds", str(lease))
    stage.road.bad(RENEW, Fault(slow=15), 1)
    stage.answers(YES, sleep=lease + 2)
    stage.peer_says("Can we meet?")
    process = stage.start("once")
    assert until(lambda: len(stage.road.of(RENEW)) >= 2)
    first, second = stage.road.of(RENEW)[:2]
    process.communicate(timeout=60)

    assert second.at - first.at < lease - 1
    assert len(stage.road.of(r"^POST .*/leases$")) == 1, "the lease was lost, and taken again"
    assert (len(stage.calls()), stage.texts()) == (1, [YES])


@case("R024", "second client with same identity cannot renew or ack the first one's lease")
def test_r024_the_token_is_the_fence(stage: Stage) -> None:
    """The same role and instance without the first one's token, and with a token of its own, changes nothing."""
    first = stage.peer_says("Can we meet?")
    assert stage.at("kill=leased").code == -9
    stage.peer_says("And where?")
    own = stage.leased()

    assert own.token != "", "the second client holds the second message"
    assert first not in own.message_ids
    assert refused(stage, lambda client: client.ack(own.token, [first])) == "lease_lost"
    assert refused(stage, lambda client: client.release(own.token, [first])) == "lease_lost"
    assert refused(stage, lambda client: client.renew("lse_" + "0" * 32)) == "lease_lost"
    assert stage.delivery() == "processing"


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    """A clock that stands right until the file says otherwise."""
    path = tmp_path / "clock"
    path.write_text("0")
    return path


@case("R025", "fake clock ±1 h: durations from monotonic; only `expires_at` and UTC day use wall time")
@pytest.mark.parametrize("step", [3_600_000, -3_600_000])
def test_r025_the_clock_steps_during_a_turn(own_stage: Callable[..., Stage], clock: Path, step: int) -> None:
    """An hour forth or back while the handler thinks: it is not ended early, and neither its lease nor it lasts longer.

    The failed turn after it is tried again, however far its moment now lies away.
    """
    stage = own_stage("--lease-seconds", "5")
    stage.answers(YES, sleep=7)
    stage.peer_says("Can we meet?")
    with stage.serving(f"clock={clock}"):
        assert until(lambda: len(stage.calls()) == 1)
        _step(clock, step)
        assert until(lambda: stage.texts() == [YES])
        assert (len(stage.calls()), len(stage.road.of(POST))) == (1, 1)
        assert len(stage.road.of(r"^POST .*/leases$")) <= 2, "the first lease was held to the end"
        stage.answers(exit=1)
        stage.peer_says("And where?")
        assert until(lambda: len(stage.ends()) == 2)
        stage.answers("At the station.")
        _step(clock, 0)
        assert until(lambda: len(stage.texts()) == 2, 15)


def _step(clock: Path, milliseconds: int) -> None:
    beside = clock.with_suffix(".new")
    beside.write_text(str(milliseconds))
    beside.replace(clock)


@case("R025", "only `expires_at` and UTC day use wall time")
def test_r025_the_grants_end_is_wall_time(stage: Stage) -> None:
    """An hour forth ends a grant of half an hour; an hour back gives it no second one."""
    stage.write(autonomy__expires_at=int(time.time() * 1000) + 1_800_000)
    stage.peer_says("Can we meet?")
    done = stage.at("ahead=3600")

    assert (done.code, stage.calls(), stage.texts()) == (0, [], [])
    assert stage.task()["stop_reason"] == "grant_expired"


@case("R028", "kernel lock (flock), not pid; plant a pid file naming a live unrelated process")
def test_r028_a_pid_is_not_believed(stage: Stage) -> None:
    """A file that names a living process keeps nobody out, and that process is left alone."""
    bystander = subprocess.Popen(["/bin/sleep", "60"])
    try:
        state = stage.folder / "state"
        state.mkdir(mode=0o700)
        for name in ("owner.lock", "dragoman.pid", "run.pid"):
            (state / name).write_text(str(bystander.pid))
        (state / "owner.lock").write_text(f"`run`, process {bystander.pid}")
        stage.peer_says("Can we meet?")
        stage.on()
        assert stage.texts() == [YES]
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


@case("R028", "kernel lock (flock), not pid")
def test_r028_the_lock_holds_whatever_is_written_in_it(stage: Stage) -> None:
    """Emptied under the holder's hand, or naming a dead process, it still keeps the second one out."""
    stage.on()
    stage.peer_says("Can we meet?")
    with _locked(stage.folder / "state" / "owner.lock"):
        (stage.folder / "state" / "owner.lock").write_text("`run`, process 999999999")
        done = stage.ran("once")
    assert (done.code, done.error, stage.calls()) == (3, "state_locked", [])
    stage.on()
    assert stage.texts() == [YES]


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@case(
    "R030", "generation bumped mid-handler → the finished decision is refused, receiver stops with `generation_changed`"
)
def test_r030_taken_over_during_the_turn(stage: Stage) -> None:
    """The old machine's answer never reaches the peer, and it says why it ends."""
    stage.answers(YES, sleep=3)
    stage.peer_says("Can we meet?")
    process = stage.running()
    assert until(lambda: len(stage.calls()) == 1)
    stage.taken_over()
    out, err = process.communicate(timeout=60)

    assert process.returncode == 3, out + err
    assert json.loads(out.splitlines()[-1])["error"]["code"] == "generation_changed"
    assert (stage.texts(), stage.unacked()) == ([], True)
    assert [told["milestone"] for told in stage.told()] == ["decision_needed"]


@case("R032", "lock taken before any DB open")
def test_r032_a_locked_state_is_not_opened(stage: Stage) -> None:
    """While another holds the lock the ledger is not even looked at: garbage in it is neither met nor mended."""
    stage.on()
    ledger = stage.folder / "state" / "ledger.db"
    with _locked(stage.folder / "state" / "owner.lock"):
        kept = ledger.read_bytes()
        ledger.write_bytes(b"garbage" * 2_000)
        codes = [(done.code, done.error) for done in (stage.ran("once"), stage.ran("once"))]
        assert ledger.read_bytes() == b"garbage" * 2_000
        ledger.write_bytes(kept)

    assert codes == [(3, "state_locked")] * 2


LONG_LOG = """
import os, sqlite3, sys
ledger = sqlite3.connect(sys.argv[1], isolation_level=None)
ledger.execute("PRAGMA wal_autocheckpoint = 0")
ledger.execute("CREATE TABLE filler (body)")
for _ in range(40):
    ledger.execute("INSERT INTO filler VALUES (zeroblob(1000000))")
ledger.execute("DROP TABLE filler")
os.kill(os.getpid(), 9)
"""


@case("R032", "no long checkpoint at startup")
def test_r032_a_long_log_delays_no_start(stage: Stage) -> None:
    """Forty megabytes that a killed process left in the log cost a start no more than a second."""
    stage.on()
    began = time.monotonic()
    stage.on()
    usual = seconds(began)
    subprocess.run([sys.executable, "-c", LONG_LOG, str(stage.folder / "state" / "ledger.db")], check=False)
    assert (stage.folder / "state" / "ledger.db-wal").stat().st_size > 40_000_000
    began = time.monotonic()
    stage.on()

    assert seconds(began) < usual + 1.5
