"""`dragoman packet keys|sign`: keys stay private, trust is a list of public ones, a signed packet says whose it is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.packets.test_cli_packet import run


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A fresh private key."""
    assert 0 == run("keys", "new", str(tmp_path / "own.key"))[0]
    return tmp_path / "own.key"


@pytest.fixture
def packet(tmp_path: Path) -> Path:
    """A fresh packet of the agent of the examples."""
    file = tmp_path / "packet.json"
    file.write_text(run("new", "uai.agent.message.v1")[1])
    return file


def public(key: Path) -> dict[str, str]:
    """The public half, as it is printed."""
    found: dict[str, str] = json.loads(run("keys", "show", str(key), "--json")[1])
    return found


def test_from_a_key_to_a_verdict(tmp_path: Path, key: Path, packet: Path) -> None:
    """Signed by a listed key it passes, and fails changed, unsigned, or after the key was withdrawn."""
    trust, signed = str(tmp_path / "trust.json"), tmp_path / "signed.json"
    listed = ("--public-key", public(key)["public_key"], "--agent", "agent:stock", "--must-sign")
    assert 0 == run("keys", "trust", trust, *listed)[0]
    signed.write_text(run("sign", str(packet), "--key", str(key))[1])

    def rules(file: Path) -> list[str]:
        said = json.loads(run("validate", str(file), "--trust", trust, "--json")[1])
        return [found["rule"] for found in said["packets"][0]["findings"]]

    assert [] == rules(signed)
    assert ["signature_missing"] == rules(packet)
    changed = tmp_path / "changed.json"
    changed.write_text(signed.read_text().replace("oak shelves", "elm shelves"))
    assert ["checksum_mismatch", "signature_invalid"] == sorted(rules(changed))
    assert 0 == run("keys", "withdraw", trust, "--key-id", public(key)["key_id"])[0]
    assert ["signature_invalid"] == rules(signed)


def test_a_key_is_private(tmp_path: Path, key: Path) -> None:
    """0600 whatever the umask, never written over, never printed, refused when others may read it."""
    seed = json.loads(key.read_text())["seed"]
    assert 0o600 == key.stat().st_mode & 0o777
    assert (2, "conflict") == run("keys", "new", str(key))
    assert seed not in run("keys", "show", str(key))[1]
    os.chmod(key, 0o644)
    assert (3, "config_not_private") == run("keys", "show", str(key))


def test_bad_input(tmp_path: Path, key: Path, packet: Path) -> None:
    """No key, halves that do not fit, no public key, a key twice, an unknown key: each with its code."""
    trust = str(tmp_path / "trust.json")
    broken = json.loads(key.read_text()) | {"seed": "A" * 43}
    wrong = tmp_path / "wrong.key"
    wrong.touch(mode=0o600)
    wrong.write_text(json.dumps(broken))
    agent = ("--agent", "agent:stock")
    assert (3, "key_invalid") == run("sign", str(packet), "--key", str(wrong))
    assert (3, "config_not_private") == run("sign", str(packet), "--key", str(packet))
    assert (2, "usage") == run("keys", "trust", trust, "--public-key", "short", *agent)
    listed = ("--public-key", public(key)["public_key"], *agent)
    assert 0 == run("keys", "trust", trust, *listed)[0]
    assert (2, "conflict") == run("keys", "trust", trust, *listed)
    assert (2, "not_found") == run("keys", "withdraw", trust, "--key-id", "key-0")
    assert (2, "input_invalid") == run("validate", str(packet), "--trust", str(packet))
