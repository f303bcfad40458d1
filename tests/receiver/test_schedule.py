"""What a scheduler is given: read back by the scheduler's own rules, whatever stands in a path.

Reports R095 (a user service dies at log-out), R096 (a LaunchAgent waits for a log-in) and R097 (a misread `KeepAlive`)
are here and in `test_host.py`.
"""

from __future__ import annotations

import json
import os
import plistlib
import re
import shlex
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError, Exit
from dragoman.receiver.schedule import Mode, Plan, Printed, Scheduler, name_of, printed
from tests.cli.desk import COMMAND, one_object, process

PATHS = [
    "/home/kim/desk/dragoman.toml",
    "/home/kim/my desk/dragoman.toml",
    "/home/kim/100%h %% done/dragoman.toml",
    '/home/kim/it\'s "the" desk/dragoman.toml',
    "/home/kim/$HOME ${X} $(id) `id`;|&<>/dragoman.toml",
    "/home/小明/我的 办公桌/dragoman.toml",
]
PROGRAM = "/opt/venv 100%/bin/dragoman"


def plan(config: str = PATHS[0], mode: Mode = Mode.RUN, program: str = PROGRAM, **changed: object) -> Plan:
    """A plan for one configuration."""
    return Plan(program=(program,), config=Path(config), mode=mode, **changed)  # type: ignore[arg-type]


def only(scheduler: Scheduler, which: Plan) -> Printed:
    """The one file of a scheduler that wants one."""
    (file,) = printed(scheduler, which)
    return file


# --- systemd ---------------------------------------------------------------------------------------------------------


def keys(text: str) -> dict[str, str]:
    """A unit's keys, sections aside."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def systemd_words(command: str) -> list[str]:
    """A command line as systemd.service(5) reads it: quotes and C escapes, `%%`, and `$$` behind the program."""
    raw = re.findall(r'"((?:[^"\\]|\\.)*)"', command)
    words = [re.sub(r"\\(.)", r"\1", word).replace("%%", "%") for word in raw]
    return [words[0], *(word.replace("$$", "$") for word in words[1:])]


@pytest.mark.parametrize("config", PATHS)
@pytest.mark.parametrize("mode", Mode)
def test_systemd_reads_the_words_back(config: str, mode: Mode) -> None:
    """Program, mode and path arrive as they are."""
    which = plan(config, mode)
    service = keys(printed(Scheduler.SYSTEMD, which)[0].text)

    assert [PROGRAM, str(mode), "--config", config] == systemd_words(service["ExecStart"])


@pytest.mark.parametrize("config", PATHS)
@pytest.mark.parametrize("mode", Mode)
def test_systemd_itself_accepts_the_units(tmp_path: Path, config: str, mode: Mode) -> None:
    """`systemd-analyze verify` has nothing to say, a misspelt key included."""
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("systemd-analyze is not installed")
    program = tmp_path / "venv 100%" / "dragoman"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    files = printed(Scheduler.SYSTEMD, plan(config, mode, str(program)))
    for file in files:
        (tmp_path / Path(file.place).name).write_text(file.text)
    names = [str(tmp_path / Path(file.place).name) for file in files]
    with tempfile.TemporaryDirectory(prefix="run-") as runtime:  # short: the machine's own sockets have names in it
        done = subprocess.run(
            [verify, "verify", "--user", "--man=no", *names],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "XDG_RUNTIME_DIR": runtime},
        )

    assert (0, "") == (done.returncode, done.stderr)


def test_a_lasting_service() -> None:
    """R095, R097: wanted by what a user's manager starts; tried again when it fails, not when its file is wrong."""
    service = printed(Scheduler.SYSTEMD, plan())[0].text
    found = keys(service)

    assert "[Install]\nWantedBy=default.target\n" in service
    assert ("on-failure", str(int(Exit.BAD_INPUT))) == (found["Restart"], found["RestartPreventExitStatus"])
    assert ("0077", "mixed", "0") == (found["UMask"], found["KillMode"], found["StartLimitIntervalSec"])


def test_a_timer_keeps_its_seconds() -> None:
    """Every 30 seconds, to the second, with a first trigger, and the service itself is not started with the machine."""
    service, timer = (keys(file.text) for file in printed(Scheduler.SYSTEMD, plan(mode=Mode.ONCE)))

    assert ("1s", "30s", "1s") == (timer["AccuracySec"], timer["OnUnitActiveSec"], timer["OnActiveSec"])
    assert ("timers.target", "oneshot") == (timer["WantedBy"], service["Type"])
    assert "WantedBy" not in service


def test_the_stop_leaves_the_handler_its_time() -> None:
    """The grace is longer than the handler's own limit."""
    assert "TimeoutStopSec=630" in printed(Scheduler.SYSTEMD, plan(handler_seconds=600))[0].text


def test_lingering_is_part_of_installing() -> None:
    """R095: without it the service ends with the last log-out."""
    assert "loginctl enable-linger" in printed(Scheduler.SYSTEMD, plan())[-1].install


# --- launchd ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("config", PATHS)
@pytest.mark.parametrize("mode", Mode)
def test_launchd_reads_the_words_back(config: str, mode: Mode) -> None:
    """A property list of the words, private files, no shell."""
    job = plistlib.loads(only(Scheduler.LAUNCHD, plan(config, mode)).text.encode())

    assert [PROGRAM, str(mode), "--config", config] == job["ProgramArguments"]
    assert (0o077, True) == (job["Umask"], job["RunAtLoad"])


def test_launchd_restarts_only_what_failed() -> None:
    """R097: `SuccessfulExit: false` alone means "again unless it ended with 0"; one attempt a minute at most."""
    lasting = plistlib.loads(only(Scheduler.LAUNCHD, plan()).text.encode())
    single = plistlib.loads(only(Scheduler.LAUNCHD, plan(mode=Mode.ONCE)).text.encode())

    assert ({"SuccessfulExit": False}, 60) == (lasting["KeepAlive"], lasting["ThrottleInterval"])
    assert (30, False) == (single["StartInterval"], "KeepAlive" in single)


# --- cron ------------------------------------------------------------------------------------------------------------


def cron_command(line: str) -> str:
    """The command of a crontab line as cron hands it to the shell: an unescaped `%` ends it."""
    command = re.fullmatch(r"(?:@\w+|(?:\S+ ){4}\S+) (.*)\n", line)
    assert command is not None, line
    return re.split(r"(?<!\\)%", command[1])[0].replace("\\%", "%")


@pytest.mark.parametrize("config", PATHS)
def test_a_real_shell_reads_the_words_back(tmp_path: Path, config: str) -> None:
    """What cron hands to `sh` really starts the program with its words, in the right mask."""
    program = tmp_path / "100% 程序's"
    said = tmp_path / "said"
    program.write_text(f'#!/bin/sh\n{{ umask; printf "%s\\n" "$@"; }} > {shlex.quote(str(said))}\n')
    program.chmod(0o755)
    line = only(Scheduler.CRON, plan(config, Mode.ONCE, str(program))).text
    done = subprocess.run(["sh", "-c", cron_command(line)], capture_output=True, text=True, check=False)

    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    assert ["0077", "once", "--config", config] == said.read_text().splitlines()
    assert line.startswith("* * * * * ")


def test_cron_refuses_what_it_reads_in_two_ways() -> None:
    """A backslash is taken away before `%` by some and by others not."""
    with pytest.raises(DragomanError) as refused:
        printed(Scheduler.CRON, plan("/home/kim/a\\%b/dragoman.toml"))
    assert ("input_invalid", True) == (refused.value.code, bool(refused.value.fix))


# --- windows ---------------------------------------------------------------------------------------------------------

TASKS = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"


def windows_words(line: str) -> list[str]:
    """Words of a command line by the rules of CommandLineToArgvW."""
    words, word, quoted, begun, index = [], "", False, False, 0
    while index < len(line):
        slashes = len(line[index:]) - len(line[index:].lstrip("\\"))
        index += slashes
        mark = line[index : index + 1]
        if mark == '"':
            word += "\\" * (slashes // 2)
            if slashes % 2:
                word += '"'
            else:
                quoted, begun = not quoted, True
            index += 1
            continue
        word += "\\" * slashes
        if mark in (" ", "\t", "") and not quoted:
            words += [word] if word or begun else []
            word, begun = "", False
        else:
            word += mark
        index += 1
    return [*words, *([word] if word or begun else [])]


@pytest.mark.parametrize("config", [path for path in PATHS if "%%" not in path and "$(" not in path])
@pytest.mark.parametrize("mode", Mode)
def test_windows_reads_the_words_back(config: str, mode: Mode) -> None:
    """Plain ASCII XML; inside WSL the program gets its words; no second copy, on battery too, without a time limit."""
    text = only(Scheduler.WINDOWS, plan(config, mode, "/opt/venv/bin/dragoman", wsl="Debian")).text
    task = ET.fromstring(text)
    settings = {each.tag.removeprefix(TASKS): each.text for each in task.find(f"{TASKS}Settings") or ()}
    arguments = task.findtext(f"{TASKS}Actions/{TASKS}Exec/{TASKS}Arguments") or ""

    assert text.isascii()
    expected = ["-d", "Debian", "--exec", "/opt/venv/bin/dragoman", str(mode), "--config", config]
    assert expected == windows_words(arguments)
    assert ("IgnoreNew", "false") == (settings["MultipleInstancesPolicy"], settings["DisallowStartIfOnBatteries"])
    assert {"run": "PT0S", "once": "PT1H"}[mode] == settings["ExecutionTimeLimit"]


@pytest.mark.parametrize("config", ["/home/%USERNAME%/dragoman.toml", "/home/$(Arg0)/dragoman.toml"])
def test_windows_refuses_what_it_would_replace(config: str) -> None:
    """There is no way to write these; nothing is left to luck."""
    with pytest.raises(DragomanError) as refused:
        printed(Scheduler.WINDOWS, plan(config, program="/opt/dragoman"))
    assert "input_invalid" == refused.value.code


# --- all -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheduler", Scheduler)
def test_a_line_break_in_a_path_is_refused(scheduler: Scheduler) -> None:
    """It would be a line of its own in every one of them."""
    with pytest.raises(DragomanError) as refused:
        printed(scheduler, plan("/home/kim/a\nExecStartPre=/bin/evil/dragoman.toml"))
    assert "input_invalid" == refused.value.code


@settings(deadline=None, max_examples=200)
@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=40))
def test_any_path_is_carried_or_refused(name: str) -> None:
    """Whatever is printable in a path: each scheduler reads it back, or none is printed."""
    config = f"/home/{name.replace('/', '_')}/dragoman.toml"
    words = ["/opt/dragoman", "run", "--config", config]
    which = plan(config, program="/opt/dragoman")
    assert words == systemd_words(keys(printed(Scheduler.SYSTEMD, which)[0].text)["ExecStart"])
    assert words == plistlib.loads(only(Scheduler.LAUNCHD, which).text.encode())["ProgramArguments"]
    if cron := carried(Scheduler.CRON, which):
        assert ["umask", "077;", "exec", *words, ">/dev/null"] == shlex.split(cron_command(cron))
    if windows := carried(Scheduler.WINDOWS, which):
        arguments = ET.fromstring(windows).findtext(f"{TASKS}Actions/{TASKS}Exec/{TASKS}Arguments") or ""
        assert ["--exec", *words] == windows_words(arguments)


def carried(scheduler: Scheduler, which: Plan) -> str:
    """The text, or empty when the scheduler cannot carry the path, which is said."""
    try:
        return only(scheduler, which).text
    except DragomanError as error:
        if error.code != "input_invalid":
            raise
        return ""


def test_names_are_readable_and_never_shared() -> None:
    """Two roles in folders of the same name have jobs of their own; a name is a plain word everywhere."""
    names = [name_of(Path(path)) for path in (*PATHS, "/home/lee/desk/dragoman.toml", "/home/kim/desk/other.toml")]

    assert len(names) == len(set(names))
    assert [] == [name for name in names if not re.fullmatch(r"dragoman-[a-z0-9-]+", name)]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A private configuration on the memory channel, in a folder with a space."""
    folder = tmp_path / "my desk"
    folder.mkdir(mode=0o700)
    path = folder / "dragoman.json"
    memory = {"memory": {"folder": "chat", "workspace": "desk", "id": "agent"}}
    path.write_text(json.dumps({"state_dir": "state", "handler": {"command": ["/usr/bin/true"]}, "channels": memory}))
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("scheduler", Scheduler)
@pytest.mark.parametrize("mode", Mode)
def test_the_command_prints_and_installs_nothing(config: Path, scheduler: Scheduler, mode: Mode) -> None:
    """Standard output is the text alone, what to do is beside it; `--json` is one object; no file is made."""
    words = ("schedule", "print", str(scheduler), "--config", str(config), "--mode", str(mode))
    plain, machine = process(*words, "--lang", "en"), one_object(process(*words, "--json").out)
    texts = [file["text"] for file in machine["files"]]

    assert 0 == plain.code
    assert [] == [text for text in texts if text not in plain.out]
    assert (texts[0] == plain.out) is (len(texts) == 1)
    assert "use one of `run` and `once`, never both" in plain.err
    assert ["dragoman.json"] == [path.name for path in config.parent.iterdir()]


def test_the_notes_are_the_owners_language(config: Path) -> None:
    """R096 in Chinese: a LaunchAgent belongs to a log-in session."""
    done = process("schedule", "print", "launchd", "--config", str(config), "--lang", "zh")

    assert "仅限登录会话" in done.err
    assert plistlib.loads(done.out.encode())["ProgramArguments"][-1] == str(config)


def test_the_exit_codes_that_a_service_relies_on(config: Path) -> None:
    """R097: an asked stop ends with 0, a wrong configuration with the code that is not tried again."""
    running = subprocess.Popen(
        [COMMAND, "run", "--config", str(config), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    assert b"running" in running.stdout.readline()
    running.terminate()
    out, err = running.communicate(timeout=60)
    config.write_text("{}")
    broken = process("run", "--config", str(config))

    assert (0, b'{"stopped":"run"}\n', b"") == (running.returncode, out, err)
    assert int(Exit.BAD_INPUT) == broken.code
