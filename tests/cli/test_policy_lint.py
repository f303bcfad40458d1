"""`dragoman policy lint`: exit codes, one JSON object, words for people, and what the file system says."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.gate.workbench.lint.lint import RULES
from tests.cli.desk import NOW, POLICY, one_object, process, refused, run, told

SOUND = """version = 1
[[targets]]
platform = "matrix"
workspace = "@desk:example.org"
channel = "!shelves:example.org"
audience = "external"
counterparty = "acme"
[[counterparties]]
id = "acme"
terms_file = "acme.txt"
[[operators]]
platform = "matrix"
workspace = "@desk:example.org"
id = "@olga:example.org"
"""


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """A policy in which nothing is found, with its term file, private."""
    for name, text in (("policy.toml", SOUND), ("acme.txt", "Project Falcon\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)
    return tmp_path / "policy.toml"


def test_a_sound_policy_passes(sound: Path) -> None:
    """Exit 0 and empty findings."""
    done = told(run("policy", "lint", str(sound), "--now", NOW, "--json"))

    assert (False, []) == (done["failed"], done["findings"])
    assert (0, f"{sound}: 0 errors, 0 warnings, 0 notes; passes\n", "") == process("policy", "lint", str(sound))


@pytest.mark.parametrize(
    ("name", "mode", "rule", "where"),
    [
        ("policy.toml", 0o644, "file_readable", ""),
        ("policy.toml", 0o660, "file_writable", ""),
        ("acme.txt", 0o640, "file_readable", "acme.txt"),
        ("acme.txt", 0o602, "file_writable", "acme.txt"),
    ],
)
def test_open_files_fail_it(sound: Path, name: str, mode: int, rule: str, where: str) -> None:
    """Modes are those on disk, of the policy and of what it names."""
    (sound.parent / name).chmod(mode)
    done = run("policy", "lint", str(sound), "--now", NOW, "--json")

    assert 1 == done.code
    assert (rule, where) in {(each["rule"], each["where"]) for each in one_object(done.out)["findings"]}


@pytest.mark.parametrize(("mode", "rules"), [(0o770, {"file_writable"}), (0o755, set()), (0o1777, set())])
def test_an_open_folder_fails_it(sound: Path, mode: int, rules: set[str]) -> None:
    """Who can write in the folder can put another policy there; looking into it, or a sticky folder, does no harm."""
    sound.parent.chmod(mode)
    done = run("policy", "lint", str(sound), "--now", NOW, "--json")

    assert rules == {each["rule"] for each in one_object(done.out)["findings"]}


def test_a_missing_term_file_is_a_policy_that_does_not_load(sound: Path) -> None:
    """The finding names the key and its line."""
    (sound.parent / "acme.txt").unlink()
    done = run("policy", "lint", str(sound), "--json")
    (only,) = one_object(done.out)["findings"]

    assert (1, "not_valid", "counterparties[0].terms_file", 10) == (
        done.code,
        only["rule"],
        only["where"],
        only["line"],
    )


def test_accepting_a_warning(sound: Path) -> None:
    """A named warning fails no more, and is told as accepted."""
    sound.write_text(SOUND.replace('counterparty = "acme"', 'counterparty = "acme"\nrequire_mention = false'))
    rule = "mention_off_external"

    assert 1 == run("policy", "lint", str(sound)).code
    accepted = run("policy", "lint", str(sound), "--accept", rule)
    assert 0 == accepted.code
    assert f"warning (accepted) {rule} at targets[0].require_mention" in accepted.out
    assert "usage" == refused(run("policy", "lint", str(sound), "--accept", "bogus", "--json"), "usage")["code"]


def test_the_example_policy_of_the_gate_commands(tmp_path: Path) -> None:
    """What is known of it is found, by name, and nothing else."""
    path = tmp_path / "policy.toml"
    path.write_text(POLICY)
    path.chmod(0o600)
    done = run("policy", "lint", str(path), "--now", NOW, "--json")
    rules = {each["rule"] for each in one_object(done.out)["findings"]}

    assert {"unknown_targets_with_commands", "grant_expired", "grant_without_budget"} == rules


def test_the_rules_can_be_listed() -> None:
    """Each with its example, for people and for machines."""
    assert [rule.id for rule in RULES] == [
        each["rule"] for each in told(run("policy", "lint", "--rules", "--json"))["rules"]
    ]
    assert all(f"{rule.id} ({rule.severity})" in run("policy", "lint", "--rules").out for rule in RULES)


def test_what_cannot_be_read_is_bad_input(tmp_path: Path) -> None:
    """No file, or no argument, is no failed lint."""
    assert "policy_invalid" == refused(run("policy", "lint", str(tmp_path / "no"), "--json"), "policy_invalid")["code"]
    assert "usage" == refused(run("policy", "lint", "--json"), "usage")["code"]
