"""`dragoman` itself: exit codes, one JSON error, help for people, and no traceback whatever happens (DESIGN §6)."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman import __version__
from dragoman.cli.main import PARTS, help_page
from dragoman.errors import CODES, Exit
from tests.cli.desk import COMMAND, Desk, one_object, process, refused, run

BUILT = [name for name, (module, _) in PARTS.items() if module != "dragoman.cli.demo"]
GROUPS = {
    "gate": ("check", "release", "schema"),
    "packet": ("validate", "verify", "new", "seal", "explain", "schema", "profiles"),
    "policy": ("init", "lint", "explain", "import", "diff"),
    "drafts": ("list", "show", "approve", "reject"),
}


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",), ("help",)])
def test_help_names_every_command(words: tuple[str, ...]) -> None:
    """Every top-level command has its line, and nothing of a part is imported for it."""
    done = run(*words)

    assert (0, help_page(), "") == done
    assert [] == [name for name, (_, line) in PARTS.items() if f"  {name} " not in done.out or line not in done.out]


@pytest.mark.parametrize("name", BUILT)
def test_each_command_explains_itself(name: str) -> None:
    """`--help` of each command ends well and goes to standard output."""
    done = run(name, "--help")

    assert (0, "") == (done.code, done.err)
    assert f"dragoman {name}" in done.out


@pytest.mark.parametrize(("group", "command"), [(group, each) for group, names in GROUPS.items() for each in names])
def test_each_subcommand_takes_json(group: str, command: str) -> None:
    """Every command of a group has `--json`."""
    assert "--json" in run(group, command, "--help").out


def test_version() -> None:
    """The version of the package."""
    assert (0, f"dragoman {__version__}\n", "") == run("--version")


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        (("bogus",), "usage", 2),
        (("",), "usage", 2),
        (("--bogus",), "usage", 2),
        (("gate", "bogus"), "usage", 2),
        (("gate", "check", "--bogus"), "usage", 2),
        (("gate", "schema"), "usage", 2),
        (("packet", "new", "uai.agent.gossip.v1"), "not_found", 2),
        (("packet", "validate", "missing.json"), "input_invalid", 2),
        (("packet", "validate", "x", "--format", "xml"), "usage", 2),
        (("status",), "usage", 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_one_error_in_two_voices(words: tuple[str, ...], code: str, exit_code: int) -> None:
    """With `--json` one object on standard output, without it lines on standard error; the same exit code."""
    error = refused(run(*words, "--json"), code, exit_code)
    people = run(*words)

    assert (exit_code, "") == (people.code, people.out)
    assert people.err.startswith(f"dragoman: {code}: {error['message']}\n")
    assert CODES[code][1] == error["message"]


def test_a_missing_configuration(tmp_path: Path) -> None:
    """In a private folder without a configuration, `status` says that it is missing, `doctor` lists it as a blocker."""
    tmp_path.chmod(0o700)
    missing = str(tmp_path / "dragoman.toml")

    assert missing == refused(run("status", "--config", missing, "--json"), "config_missing")["where"]
    done = run("doctor", "--config", missing, "--json")
    assert (2, "", False) == (done.code, done.err, one_object(done.out)["ready"])
    assert ["config_missing"] == [each["code"] for each in one_object(done.out)["blockers"]]


def test_every_code_has_a_documented_exit() -> None:
    """Bad input is 2, what cannot run is 3, a failed check is 1; of errors only an altered journal is one of those."""
    assert {Exit.BAD_INPUT, Exit.CANNOT_RUN, Exit.FAILED_CHECK} == {exit_code for exit_code, _ in CODES.values()}
    assert ["journal_altered"] == [code for code, (exit_code, _) in CODES.items() if exit_code is Exit.FAILED_CHECK]


def test_a_failed_check_is_one(tmp_path: Path) -> None:
    """A packet that does not validate ends with 1, and its verdict on standard output."""
    bad = Desk(tmp_path).write("packet.json", "{}")

    done = run("packet", "validate", bad, "--json")

    assert (1, "fail", "") == (done.code, one_object(done.out)["result"], done.err)


def test_new_packets_validate_through_a_pipe(tmp_path: Path) -> None:
    """What `packet new` prints, `packet validate` passes, both as processes without a terminal."""
    made = process("packet", "new", "uai.agent.task-status.v1")
    path = Desk(tmp_path).write("packet.json", made.out)

    verdict = process("packet", "validate", path, "--format", "json")

    assert (0, 0, "pass") == (made.code, verdict.code, one_object(verdict.out)["result"])


WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=150, deadline=None)
@given(
    words=st.lists(
        st.sampled_from(
            [*(name for name in BUILT if name != "run"), "check", "release", "--policy", "--now", "-", "--"]
        )
        | WORDS,
        max_size=5,
    )
)
def test_any_words_end_in_a_documented_code(words: list[str]) -> None:
    """Whatever is typed, the exit code is documented, and nothing that is wrong ends as `internal`."""
    done = run(*words, "--json")

    assert done.code in (0, 1, 2, 3), done
    assert "Traceback" not in done.out + done.err
    assert '"internal"' not in done.out, done


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C ends a command that waits for input quietly, with the shell's own code for it."""
    desk = Desk(tmp_path)
    flags = ("--policy", desk.policy, "--target", "memory/desk/EXT", "--class", "final")
    waiting = subprocess.Popen(
        [COMMAND, "gate", "release", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(1.5)
    waiting.send_signal(signal.SIGINT)
    out, err = waiting.communicate(timeout=60)

    assert (130, b"", b"") == (waiting.returncode, out, err)


def test_the_reader_went_away() -> None:
    """A closed pipe behind the command is no failure of the command, and no traceback."""
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    assert reader.stdin is not None
    reader.wait()
    done = subprocess.run(
        [COMMAND, "gate", "schema", "policy"], stdout=reader.stdin, stderr=subprocess.PIPE, check=False, timeout=30
    )
    reader.stdin.close()

    assert b"" == done.stderr
    assert done.returncode in (0, -signal.SIGPIPE)


def test_answers_are_one_line_each() -> None:
    """A machine reads one line: no colours, no wrapping, whatever the width of a terminal."""
    done = process("gate", "schema", "policy", COLUMNS="20", FORCE_COLOR="1")

    assert (0, 1) == (done.code, done.out.count("\n"))
    assert "\x1b" not in done.out
    assert "PolicyFile" in json.loads(done.out)["$defs"]
