"""`dragoman policy import`: a new private file, what is left on standard output, and errors by name."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.cli.desk import one_object, process, refused, run, told

FIELD = """
channels:
  - {platform: slack, workspace_id: T0SYNTH, channel_id: C0EXT, audience: external, access: allowed}
autonomy: {default: auto, draft_only: [], never: []}
"""
CLAW = """{
  // what the other runtime has
  channels: { slack: { botToken: 'xoxb-secret', channels: { C0A1: { users: ['U0A1'] }, '#ops': {} } } },
}
"""
HERMES = "telegram: {allowed_chats: [-1001], group_allowed_chats: [-1001]}\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file to import."""
    path = tmp_path / "source"
    path.write_text(CLAW)
    return path


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        (FIELD, (), "field"),
        (CLAW, ("--workspace", "slack=T0A1"), "openclaw"),
        (HERMES, ("--workspace", "telegram=777"), "hermes"),
    ],
)
def test_each_source_is_told_by_its_keys(source: Path, text: str, words: tuple[str, ...], kind: str) -> None:
    """The new file is private, loads, and lints without an error."""
    source.write_text(text)
    out = source.parent / "policy.toml"
    done = told(run("policy", "import", str(source), "--out", str(out), *words, "--json"))

    assert (kind, {"targets": 1, "operators": 0}) == (done["source"], done["counts"])
    assert 0o600 == stat.S_IMODE(out.stat().st_mode)
    assert done["policy"] == out.read_text()
    assert 0 == one_object(run("policy", "lint", str(out), "--json").out)["counts"]["error"]


def test_without_out_the_output_is_a_policy(source: Path) -> None:
    """What is left stands in comments, so that the whole output loads."""
    done = process("policy", "import", str(source), "--workspace", "slack=T0A1")
    path = source.parent / "policy.toml"
    path.write_text(done.out)

    assert (0, "") == (done.code, done.err)
    assert 'channel = "C0A1"' in done.out
    assert "#   channels.slack.channels.#ops: closed: no exact ids of that platform" in done.out
    assert 0 == one_object(run("policy", "lint", str(path), "--json").out)["counts"]["error"]


def test_no_secret_of_the_source_is_ever_shown(source: Path) -> None:
    """Neither in the policy nor beside it, in either form."""
    words = ("policy", "import", str(source), "--workspace", "slack=T0A1")

    assert "secret" not in run(*words).out + run(*words, "--json").out


def test_nothing_is_overwritten(source: Path) -> None:
    """Not even an empty file, and not through a link."""
    out = source.parent / "policy.toml"
    out.symlink_to(source)

    assert "conflict" == refused(run("policy", "import", str(source), "--out", str(out), "--json"), "conflict")["code"]
    assert CLAW == source.read_text()


@pytest.mark.parametrize(
    ("text", "words", "code", "where"),
    [
        ("hello: world\n", (), "usage", "--from"),
        (FIELD, ("--from", "bogus"), "usage", "--from"),
        (FIELD, ("--workspace", "slack"), "usage", "--workspace"),
        (FIELD, ("--accept", "everything"), "usage", "--accept"),
        ("a: &a 1\n", (), "input_invalid", "source"),
        ("a: [1\n", (), "input_invalid", "source"),
    ],
)
def test_what_is_given_wrongly(source: Path, text: str, words: tuple[str, ...], code: str, where: str) -> None:
    """An error names the option or the file."""
    source.write_text(text)

    assert where == refused(run("policy", "import", str(source), *words, "--json"), code)["where"]


def test_replies_come_over_only_when_accepted(source: Path) -> None:
    """The one thing that may be wider here is said, and done only by the operator's word."""
    source.write_text(json.dumps({"matrix": {"allowed_rooms": ["!a:x.example"], "allowed_users": ["@k:x.example"]}}))
    words = ("policy", "import", str(source), "--workspace", "matrix=@desk:x.example", "--json")

    assert 0 == told(run(*words))["counts"]["targets"]
    done = told(run(*words, "--accept", "replies"))
    assert 1 == done["counts"]["targets"]
    assert "accepted" in [each["kind"] for each in done["left"]]
