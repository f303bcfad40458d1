"""Dragoman as a library: what `from dragoman import …` gives works, is typed, is private, and survives the process."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
import threading
from inspect import signature
from pathlib import Path

import pytest

import dragoman
from dragoman import Gate, PolicyWatch, Turn, load_policy, open_state
from dragoman.channels.memory.adapter import MemoryChannel
from dragoman.channels.memory.facts import MemoryAgent, facts
from dragoman.clock import DAY, SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.admit import Admission
from dragoman.gate.embedded import Agent
from dragoman.gate.event import Event
from dragoman.gate.in_memory import MemoryJournal, MemorySeen
from dragoman.gate.ports import Entry, Presence, SeenState
from dragoman.opening import STORES
from dragoman.words import DraftState, Fact, Outcome, Reason

ROOT = Path(__file__).parent.parent
ME = MemoryAgent(workspace="desk", id="desk")

POLICY = """
version = 1

[[targets]]
platform = "memory"
workspace = "desk"
channel = "shelves"
audience = "external"
"""
OBSERVING = """observe_unmentioned_group_messages = true
observation_seconds = 3600
observation_access = "agent"
"""


def policy_at(folder: Path, text: str = POLICY) -> Path:
    """A policy file, written beside and renamed."""
    beside, path = folder / "new.toml", folder / "policy.toml"
    beside.write_text(text)
    beside.rename(path)
    return path


def asked(text: str, event_id: str, *, mentions: tuple[str, ...] = ("desk",), **more: object) -> Event:
    """A message in the shelves."""
    raw = {"kind": "message", "id": event_id, "channel": "shelves", "author": "buyer", "bot": False, "text": text}
    raw |= {"mentions": list(mentions), "direct": False, **more}
    return facts(raw, ME, received_at=SystemClock().now(), authenticated=Fact.YES)


def channel() -> MemoryChannel:
    """The platform, with nobody of another organisation there."""
    return MemoryChannel(ME, clock=SystemClock(), presence=Presence(shared=Fact.NO))


def saying(text: str) -> Agent:
    """An agent that says one thing."""

    async def agent(turn: Turn) -> None:
        await turn.reply(text)

    return agent


def handled(gate: Gate, event: Event, where: MemoryChannel, text: str = "Good morning.") -> Admission:
    """One event through the gate."""
    return asyncio.run(gate.handle(event, where, saying(text)))


def test_a_gate_in_one_line(tmp_path: Path) -> None:
    """A policy is all that a gate needs: it answers who asked, stays silent else, and knows what it decided."""
    gate, there = Gate(policy=load_policy(policy_at(tmp_path))), channel()

    assert Outcome.SILENT == handled(gate, asked("closing list B", "m1", mentions=()), there).outcome
    admission = handled(gate, asked("which dates?", "m2"), there)
    assert (Outcome.RESPOND, ["Good morning."]) == (admission.outcome, [output.text for output in there.performed])
    assert Reason.DUPLICATE == handled(gate, asked("which dates?", "m2"), there).reason
    assert len(admission.id) == len("cor-") + 32


def test_ids_are_not_guessed() -> None:
    """No two ids are alike, and none counts."""
    from dragoman.opening import unguessable

    assert 1000 == len({unguessable("dft") for _ in range(1000)})
    assert unguessable("dft").startswith("dft-")


def test_a_state_gives_the_gate_every_store() -> None:
    """What `**open_state(…)` hands over are the gate's own stores, all of them, and nothing else."""
    stores = {name for name, each in signature(Gate).parameters.items() if each.default is None} - {"clock"}
    assert stores == set(STORES)


def test_a_state_survives_the_process(tmp_path: Path) -> None:
    """Decisions, drafts, pauses and observed texts are there again afterwards, and a request is answered once."""
    path, folder = policy_at(tmp_path, POLICY + OBSERVING), tmp_path / "state"
    with open_state(folder) as state:
        gate, there = Gate(policy=load_policy(path), **state), channel()
        handled(gate, asked("closing list B", "m1", mentions=()), there)
        handled(gate, asked("what does a shelf cost?", "m2"), there, "A shelf costs 40 EUR.")
        state.seen.pause(asked("", "m0").target, SystemClock().now())
        assert [] == there.performed
    with open_state(folder) as state:
        gate, there = Gate(policy=load_policy(path), **state), channel()
        (draft,) = state.approvals.listed(DraftState.FILED)
        assert "A shelf costs 40 EUR." == draft.text
        assert ["closing list B"] == [seen.text for seen in gate.observed(draft.target)]
        assert Reason.DUPLICATE == handled(gate, asked("what does a shelf cost?", "m2"), there).reason
        assert Reason.PAUSED == handled(gate, asked("and a table?", "m3"), there).reason
        assert state.seen.resume(draft.target)
        now = SystemClock().now()
        state.approvals.approve(draft.id, sha256=draft.sha256, operator="oper", nonce="n", now=now)
        delivery = asyncio.run(gate.deliver_approved(draft.id, there, key="key"))
        assert delivery is not None
        assert (Fact.YES, ["A shelf costs 40 EUR."]) == (delivery.delivered, [each.text for each in there.performed])
        assert state.journal.verify().seq > 5
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert {"state": 0o700} | dict.fromkeys((each.name for each in folder.iterdir()), 0o600) == modes


def test_what_failed_and_what_was_refused_is_kept_for_the_operator(tmp_path: Path) -> None:
    """In the private store, under the decision's id, for a time; the journal has none of the words."""

    async def failing(turn: Turn) -> None:
        raise ValueError("no such table: prices")

    with open_state(tmp_path / "state") as state:
        gate, there = Gate(policy=load_policy(policy_at(tmp_path)), evidence_ms=1_000, **state), channel()
        failed = asyncio.run(gate.handle(asked("which dates?", "m1"), there, failing))
        refused = handled(gate, asked("and now?", "m2"), there, "I signed the order and paid the deposit.")
        held = handled(gate, asked("and the price?", "m3"), there, "A shelf costs 40 EUR.")
        now = SystemClock().now()
        (trace,), (text,) = (state.evidence.of(each.id, now) for each in (failed, refused))

        assert ("turn_failed", "draft_denied") == (trace.kind, text.kind)
        assert trace.body.endswith(b"ValueError: no such table: prices\n")
        assert b"hard_stop\nI signed the order and paid the deposit." == text.body
        assert 1_000 == text.until - text.kept_at
        assert [] == state.evidence.of(held.id, now)  # a held text is a draft
        records = str(state.journal.newest(100))
        assert not any(word in records for word in ("prices", "deposit"))


def test_a_request_that_waited_for_its_parts_is_taken_up_again(tmp_path: Path) -> None:
    """The process ends while attachments are arriving; the next one answers on all that came."""
    path, folder = policy_at(tmp_path), tmp_path / "state"

    async def begin() -> None:
        with open_state(folder) as state:
            gate = Gate(policy=load_policy(path), **state)
            admission = await gate.handle(
                asked("what is on the picture?", "m1", attachments=1), channel(), saying("A shelf.")
            )
            assert Outcome.DEFER is admission.outcome
            gate.close()

    async def go_on() -> list[str]:
        with open_state(folder) as state:
            gate, there = Gate(policy=load_policy(path), **state), channel()
            assert 1 == gate.resume(there, saying("A shelf."))
            await gate.settled()
            return [output.text for output in there.performed]

    asyncio.run(begin())
    assert ["A shelf."] == asyncio.run(go_on())


def test_what_was_being_sent_is_uncertain(tmp_path: Path) -> None:
    """A draft that was claimed when the process died is uncertain at the next start, written down, and not sent."""
    path, folder = policy_at(tmp_path), tmp_path / "state"
    with open_state(folder) as state:
        gate = Gate(policy=load_policy(path), **state)
        handled(gate, asked("what does a shelf cost?", "m1"), channel(), "A shelf costs 40 EUR.")
        (draft,) = state.approvals.listed()
        now = SystemClock().now()
        state.approvals.approve(draft.id, sha256=draft.sha256, operator="oper", nonce="n", now=now)
        assert state.approvals.claim(draft.id, draft.sha256, draft.epoch, now)
    with open_state(folder) as state:
        (draft,) = state.approvals.listed()
        gate, there = Gate(policy=load_policy(path), **state), channel()
        assert DraftState.UNCERTAIN is draft.state
        assert asyncio.run(gate.deliver_approved(draft.id, there, key="key")) is None
        assert [] == there.performed
        assert "interrupted" in [record.reason for record in state.journal.newest(5)]


def test_what_is_over_is_over_at_the_next_start(tmp_path: Path) -> None:
    """Drafts whose time has come are expired when the state is opened, and observed texts are gone."""
    path, folder = policy_at(tmp_path, POLICY + OBSERVING), tmp_path / "state"
    with open_state(folder) as state:
        gate = Gate(policy=load_policy(path), **state)
        handled(gate, asked("closing list B", "m1", mentions=()), channel())
        handled(gate, asked("what does a shelf cost?", "m2"), channel(), "A shelf costs 40 EUR.")
        before = [draft.state for draft in state.approvals.listed()]
    with open_state(folder, clock=Later()) as state:
        after = [draft.state for draft in state.approvals.listed()]
        observed = state.observations.of(asked("", "m0").target, SystemClock().now())

    assert ([DraftState.FILED], [DraftState.EXPIRED], ()) == (before, after, observed)


class Later:
    """A clock that is a year ahead."""

    def now(self) -> int:
        """The time in a year."""
        return SystemClock().now() + 365 * DAY


def test_one_process_per_state(tmp_path: Path) -> None:
    """A second process is refused while the first lives, and let in when it was killed."""
    code = f"import sys, dragoman; state = dragoman.open_state({str(tmp_path / 'state')!r}); print('open', flush=True)"
    first = subprocess.Popen(
        [sys.executable, "-c", f"{code}; sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdout is not None
    assert "open\n" == first.stdout.readline()
    with pytest.raises(DragomanError) as refused:
        open_state(tmp_path / "state")
    first.kill()
    first.communicate(timeout=60)

    assert "state_locked" == refused.value.code
    open_state(tmp_path / "state").close()


@pytest.mark.parametrize("wrong", ["folder", "ledger"])
def test_a_state_open_to_others_is_refused(tmp_path: Path, wrong: str) -> None:
    """A folder or a file that others can read is no private state; and the lock is let go."""
    folder = tmp_path / "state"
    open_state(folder).close()
    at = {"folder": folder, "ledger": folder / "ledger.db"}[wrong]
    mode = at.stat().st_mode
    at.chmod(0o755)
    with pytest.raises(DragomanError, match="ledger_broken"):
        open_state(folder)
    at.chmod(mode)

    open_state(folder).close()


def test_a_state_closes_once_and_hands_over_nothing_else(tmp_path: Path) -> None:
    """Closing twice is closing once; what is no store is no key."""
    state = open_state(tmp_path / "state")
    with pytest.raises(KeyError):
        state["inbox"]
    state.close()
    state.close()

    assert os.listdir(tmp_path / "state")


# --- a policy that is looked at again ---------------------------------------------------------------------------------


def test_a_changed_policy_holds_from_the_next_event_on(tmp_path: Path) -> None:
    """The operator denies a target while the bot runs; one that does not load keeps the last good one, and is told."""
    told: list[DragomanError] = []
    journal, there, path = MemoryJournal(), channel(), policy_at(tmp_path)
    gate = Gate(policy=PolicyWatch(path, refused=told.append), journal=journal)
    outcomes = [handled(gate, asked("hello?", "m1"), there).reason]
    policy_at(tmp_path, POLICY + 'access = "deny"\n')
    outcomes.append(handled(gate, asked("hello?", "m2"), there).reason)
    policy_at(tmp_path, POLICY + "acess = 1\n")
    outcomes += [handled(gate, asked("hello?", f"m{number}"), there).reason for number in (3, 4)]
    policy_at(tmp_path)
    outcomes.append(handled(gate, asked("hello?", "m5"), there).reason)

    mentioned, denied = Reason.AGENT_MENTIONED, Reason.ACCESS_DENIED
    assert [mentioned, denied, denied, denied, mentioned] == outcomes
    assert ["policy_invalid"] == [error.code for error in told]
    notes = [(entry.outcome, entry.reason) for entry in journal.entries if entry.kind == "operator"]
    changed = ("policy_changed", "policy")
    assert [changed, ("policy_refused", "policy_invalid"), changed] == notes


def test_a_policy_that_changes_while_the_agent_thinks_stops_the_answer(tmp_path: Path) -> None:
    """The door looks again: what was admitted under the old policy does not leave under the new one."""
    path, there = policy_at(tmp_path), channel()
    gate = Gate(policy=PolicyWatch(path))

    async def agent(turn: Turn) -> None:
        policy_at(tmp_path, POLICY + 'access = "deny"\n')
        delivery = await turn.reply("Good morning.")
        assert Reason.POLICY_CHANGED is delivery.reason

    asyncio.run(gate.handle(asked("hello?", "m1"), there, agent))
    assert [] == there.performed


def test_a_policy_that_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    """Half of the old files and half of the new ones is nobody's policy: the last good one holds until all is read."""
    watch = PolicyWatch(policy_at(tmp_path))
    first, pipe = watch.current(), tmp_path / "slow"
    os.mkfifo(pipe)
    policy_at(tmp_path, POLICY + '\n[[counterparties]]\nid = "zenith"\nterms_file = "slow"\n')

    def meanwhile() -> None:
        with pipe.open("w") as terms:  # opens when the other end is read
            policy_at(tmp_path, POLICY + 'access = "deny"\n')
            terms.write("Northwind depot\n")

    writer = threading.Thread(target=meanwhile)
    writer.start()
    second = watch.current()
    writer.join()
    third = watch.current()

    assert first is second
    assert third.version == load_policy(tmp_path / "policy.toml").version


def test_a_terms_file_is_part_of_the_policy(tmp_path: Path) -> None:
    """A term that is added to the file beside the policy is guarded from then on."""
    (tmp_path / "terms.txt").write_text("Project Falcon\n")
    text = POLICY + '\n[[counterparties]]\nid = "zenith"\nterms_file = "terms.txt"\n'
    watch = PolicyWatch(policy_at(tmp_path, text))
    first = watch.current()
    (tmp_path / "terms.txt").write_text("Project Falcon\nNorthwind depot\n")
    second = watch.current()
    (tmp_path / "terms.txt").unlink()
    third = watch.current()

    assert (1, 2) == (len({first.version}), len({first.version, second.version}))
    assert (second, "policy_invalid") == (third, watch.refused.code if watch.refused else "")


def test_an_unchanged_policy_is_not_read_again(tmp_path: Path) -> None:
    """Looking is cheap: the same policy comes back, the very object."""
    watch = PolicyWatch(policy_at(tmp_path))

    assert watch.current() is watch.current()


def test_there_is_no_gate_without_a_first_policy(tmp_path: Path) -> None:
    """A file that never loaded is an error at the start, not a silent closed gate."""
    with pytest.raises(DragomanError, match="policy_invalid"):
        PolicyWatch(tmp_path / "nothing.toml")


# --- stores in memory are bounded -------------------------------------------------------------------------------------


def test_memory_stores_are_bounded() -> None:
    """A gate without stores does not grow without end; what goes is the oldest."""
    journal, seen = MemoryJournal(limit=3), MemorySeen(limit=3)
    for number in range(10):
        journal.record(Entry(correlation_id=str(number), kind="event", outcome="", reason="", time=number))
        seen.decided(str(number), Outcome.RESPOND, Reason.AGENT_MENTIONED, number)

    assert ["7", "8", "9"] == [entry.correlation_id for entry in journal.entries][-3:]
    assert len(journal.entries) <= 6
    assert [SeenState.NEW] * 7 + [SeenState.DUPLICATE] * 3 == [seen.seen(str(number)) for number in range(10)]


# --- what it costs, and what a type checker sees ----------------------------------------------------------------------


def test_importing_the_package_takes_no_time() -> None:
    """`import dragoman` is under 5 ms, by the interpreter's own count; the rest comes when a name is asked for."""

    def cost() -> int:
        words = [sys.executable, "-X", "importtime", "-c", "import dragoman"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        (line,) = [line for line in done.stderr.splitlines() if line.endswith("| dragoman")]
        return int(line.split("|")[1])

    assert min(cost() for _ in range(5)) < 5_000


def test_every_name_is_there_and_no_other() -> None:
    """Each name of `__all__` is what it says, `dir` lists it, and a wrong name is an attribute error."""
    assert list(dragoman.__all__) == [getattr(dragoman, name).__name__ for name in dragoman.__all__]
    assert set(dragoman.__all__) <= set(dir(dragoman))
    with pytest.raises(AttributeError, match="no attribute `gates`"):
        dragoman.gates  # type: ignore[attr-defined]  # noqa: B018


def test_a_type_checker_sees_the_names_as_they_are(tmp_path: Path) -> None:
    """`mypy --strict` of a bot finds the types behind the lazy names, and its mistakes."""
    code = tmp_path / "bot.py"
    code.write_text(
        "import dragoman\n"
        "from dragoman import Gate, PolicyWatch, load_policy, open_state\n"
        'gate = Gate(policy=load_policy("policy.toml"), **open_state("state"))\n'
        'watched = Gate(policy=PolicyWatch("policy.toml"))\n'
        "reveal_type(gate)\n"
        "Gate(policy=3)\n"
        "dragoman.gates\n"
    )
    words = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-incremental", str(code)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    found = [line.split(":", 1)[1].split(" ", 1)[0].rstrip(":") for line in done.stdout.splitlines()]

    assert ["5", "6", "7"] == found, done.stdout
    assert "dragoman.guarding.Gate" in done.stdout
    assert (ROOT / "src/dragoman/py.typed").exists()
