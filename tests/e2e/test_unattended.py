"""A short unattended run: what the ten minutes of `make soak` show, in half a one, and that its judge can complain."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dragoman.cli.demo_stage import Stage
from tests.e2e.unattended import Run, options, page
from tests.e2e.unattended_judge import Ending, leaks, lost, released

pytestmark = pytest.mark.slow


def played(folder: Path) -> tuple[Run, list[Ending], list[str]]:
    """One short run, whole, and what its judge says."""
    words = ["--minutes", "0.22", "--contacts", "2", "--messages", "2", "--kills", "1", "--stand-in", "--seed", "5"]
    stage = Stage(folder, lambda line: None)
    run = Run(stage, options(words))
    try:
        run.set_up()
        run.play()
        return run, *run.end()
    finally:
        stage.close()


@pytest.mark.timeout(300)
def test_nobody_touches_it(tmp_path: Path) -> None:
    """Two contacts, one `kill -9`, a stand-in for the model: every contact in a named stop that the owner can read,
    nothing said twice, unreleased or beyond the grant; and a planted leak or a second message is seen."""
    for attempt in range(3):  # grants end on the clock: a machine that stood still meanwhile has shown nothing
        run, endings, complaints = played(tmp_path / f"unattended-{attempt}")
        if run.handled() >= run.options.messages:
            break

    assert [] == complaints, page(run, endings, complaints)
    assert 2 == len(endings)
    assert 1 == len(run.killed)
    (side,), (peer,) = run.sides, run.peers
    contact, found = next((contact, found) for contact, found in peer.seen.items() if found)
    reply_id, message = next(iter(found.items()))
    assert [] == list(leaks(run.peers))
    peer.state[contact] = "awaiting_peer_reply"
    waiting = list(lost(side, run.peers))  # what the hub still holds for the receiver, if anything
    peer.sent[contact].append("msg_never")
    assert [f"{contact}: msg_never is nowhere"] == [each for each in lost(side, run.peers) if each not in waiting]
    peer.views.append(b'{"detail":"Traceback"}')
    assert ["Traceback"] == [word for word, _ in leaks(run.peers)]
    again = {contact: found | {"rep_again": message}}
    assert f"{side.name}: rep_again is visible only" in list(released(side, again, []))
    other = {contact: {**found, reply_id: msgspec.structs.replace(message, text="Something else.")}}
    assert f"{side.name}: {reply_id} reads otherwise than it was released" in list(released(side, other, []))
