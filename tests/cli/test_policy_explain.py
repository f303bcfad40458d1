"""`dragoman policy explain`: words with file lines, JSON with keys, and errors by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.desk import NOW, POLICY, refused, run, told


@pytest.fixture
def policy(tmp_path: Path) -> str:
    """The example policy of the gate's commands."""
    path = tmp_path / "policy.toml"
    path.write_text(POLICY)
    return str(path)


def test_the_lines_are_those_of_the_file(policy: str) -> None:
    """Each line that is named holds a key of the sentence."""
    (part,) = told(run("policy", "explain", policy, "--target", "memory/desk/EXT", "--now", NOW, "--json"))["parts"]
    lines = POLICY.split("\n")

    named = [(key, number) for said in part["said"] for key, number in zip(said["keys"], said["lines"], strict=True)]
    assert named
    assert [] == [key for key, number in named if key.rpartition(".")[2].partition("[")[0] not in lines[number - 1]]


def test_the_whole_policy_is_one_page(policy: str) -> None:
    """Everything once, in either language."""
    english, chinese = (run("policy", "explain", policy, "--language", each).out for each in ("en", "zh"))

    assert 6 == len([each for each in english.splitlines() if not each.startswith("  ")])
    assert len(english.splitlines()) == len(chinese.splitlines())
    assert "整个策略" in chinese


def test_a_sender_at_a_target(policy: str) -> None:
    """A denied sender is told so, and has no ground."""
    words = ("policy", "explain", policy, "--target", "memory/desk/EXT", "--sender", "memory/desk/mallory", "--json")
    (part,) = told(run(*words))["parts"]

    assert [] == part["grounds"]
    assert "memory/desk/mallory is denied everywhere." in [said["text"] for said in part["said"]]


@pytest.mark.parametrize(
    ("words", "code", "where"),
    [
        (("--target", "memory/desk"), "input_invalid", "--target"),
        (("--target", "memory/desk/EXT", "--sender", "x"), "input_invalid", "--sender"),
        (("--sender", "memory/desk/kim"), "usage", "--sender"),
        (("--language", "fr"), "usage", "--language"),
        (("--now", "yesterday"), "input_invalid", "--now"),
    ],
)
def test_what_is_asked_wrongly(policy: str, words: tuple[str, ...], code: str, where: str) -> None:
    """An error names the option."""
    assert where == refused(run("policy", "explain", policy, *words, "--json"), code)["where"]


def test_a_policy_that_does_not_load(tmp_path: Path) -> None:
    """Is not explained."""
    path = tmp_path / "policy.toml"
    path.write_text("version = 1\ntargets = 3\n")

    assert f"{path}: targets" == refused(run("policy", "explain", str(path), "--json"), "policy_invalid")["where"]
