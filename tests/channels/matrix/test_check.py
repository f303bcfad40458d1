"""What doctor is told of a Matrix account, on a real Synapse; and that nobody in a room notices."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.channels.account import Place
from dragoman.channels.inlet import Inlet
from dragoman.channels.matrix.check import checks
from dragoman.channels.matrix.section import MatrixSection
from dragoman.channels.spool import Spool
from dragoman.clock import SystemClock
from tests.synapse import VISIBLE, Synapse, User

pytestmark = [pytest.mark.synapse, pytest.mark.slow, pytest.mark.anyio]


def place(folder: Path) -> Place:
    """A place in a folder."""
    clock = SystemClock()
    return Place(
        clock=clock,
        at=lambda name: folder / name,
        spool=lambda name: Spool(folder / name, clock),
        inlet=Inlet("127.0.0.1", 0, clock, lambda failed: None),
        report=lambda error: None,
    )


async def said(synapse: Synapse, folder: Path, user: User, token: str, *hosts: str) -> dict[str, str]:
    """What is said of each thing."""
    (folder / "token").unlink(missing_ok=True)
    (folder / "token").touch(0o600)
    (folder / "token").write_text(token)
    section = MatrixSection(
        homeserver=synapse.url, user_id=user.user_id, token_file="token", accept_invitations_from=hosts
    )
    return {found.what: found.state for found in await checks(section, place(folder))}


async def test_what_doctor_is_told(synapse: Synapse, tmp_path: Path) -> None:
    """A wrong token blocks; no room, an encrypted room and nobody to accept from are worth knowing."""
    desk, buyer = synapse.user("desk-checked"), synapse.user("buyer-checked")
    assert {"token": "blocker"} == await said(synapse, tmp_path, desk, "syt_nobody")
    assert {"token": "blocker"} == await said(synapse, tmp_path, desk, buyer.token)
    assert {"token": "ok", "rooms": "note", "invitations": "note"} == await said(synapse, tmp_path, desk, desk.token)
    synapse.room(buyer, desk)
    found = await said(synapse, tmp_path, desk, desk.token, buyer.user_id)
    assert {"token": "ok", "rooms": "ok", "invitations": "ok"} == found
    encrypted = {"type": "m.room.encryption", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}
    synapse.room(buyer, desk, initial_state=[encrypted])
    found = await said(synapse, tmp_path, desk, desk.token, buyer.user_id)
    assert {"token": "ok", "rooms": "ok", "encryption": "note", "invitations": "ok"} == found
    assert dict.fromkeys(VISIBLE, 0) == synapse.visible(desk)
