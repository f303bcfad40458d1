"""Which language a person is spoken to in, and that a machine is always spoken to in the same one."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from dragoman.cli.language import configured, language, of_locale, without_flag
from dragoman.cli.screen import bar, cells, pad
from dragoman.errors import DragomanError
from tests.cli.desk import COMMAND, one_object, process, refused, run

LOCALES = [
    ({}, "en"),
    ({"LANG": "zh_CN.UTF-8"}, "zh"),
    ({"LANG": "zh_TW.Big5"}, "zh"),
    ({"LANG": "de_DE.UTF-8"}, "en"),
    ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
    ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
    ({"LANG": "C", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
    ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
]
SILENT = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": ""}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A private configuration on the memory channel that names no language."""
    tmp_path.chmod(0o700)
    path = tmp_path / "dragoman.json"
    memory = {"memory": {"folder": "chat", "workspace": "desk", "id": "agent"}}
    path.write_text(json.dumps({"state_dir": "state", "handler": {"command": ["/usr/bin/true"]}, "channels": memory}))
    path.chmod(0o600)
    assert 0 == process("once", "--config", str(path)).code
    return path


def speaks(path: Path, spoken: str | None) -> None:
    """The configuration names a language."""
    path.write_text(json.dumps(json.loads(path.read_text()) | {"language": spoken}))


@pytest.mark.parametrize(("environment", "expected"), LOCALES)
def test_the_locale(environment: dict[str, str], expected: str) -> None:
    """As POSIX orders its variables; an empty one is not there."""
    assert expected == of_locale(environment)


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["--lang", "zh", "status", "--json"], ["status", "--json"]),
        (["status", "--lang=zh", "--json"], ["status", "--json"]),
        (["status", "--", "--lang", "zh"], ["status", "--", "--lang", "zh"]),
        ([], []),
    ],
)
def test_the_flag_may_stand_anywhere(words: list[str], left: list[str]) -> None:
    """Before the command or behind it; what follows `--` belongs to the command."""
    assert left == without_flag(words)
    assert (("zh" in words or "--lang=zh" in words) and "--" not in words) is (language() == "zh")


@pytest.mark.parametrize("words", [["--lang", "fr", "status"], ["status", "--lang"], ["status", "--lang="]])
def test_another_language_is_refused(words: list[str]) -> None:
    """With the two that there are."""
    with pytest.raises(DragomanError) as error:
        without_flag(words)
    assert ("usage", "say `--lang en` or `--lang zh`") == (error.value.code, error.value.fix)
    assert "usage" == refused(run(*words, "--json"), "usage")["code"]


def test_a_call_begins_with_nothing_said() -> None:
    """One command's language is not the next one's."""
    without_flag(["--lang", "zh"])
    configured("zh")
    without_flag([])

    assert of_locale(os.environ) == language()


@pytest.mark.parametrize(
    ("flag", "named", "locale", "chinese"),
    [
        ("en", "zh", "zh_CN.UTF-8", False),
        ("zh", "en", "C", True),
        (None, "zh", "C", True),
        (None, "en", "zh_CN.UTF-8", False),
        (None, None, "zh_CN.UTF-8", True),
        (None, None, "C", False),
    ],
)
def test_flag_before_configuration_before_locale(
    config: Path, flag: str | None, named: str | None, locale: str, chinese: bool
) -> None:
    """The first that says something wins, in real processes."""
    speaks(config, named)
    words = ["--lang", flag] if flag else []
    done = process(*words, "status", "--config", str(config), **{**SILENT, "LANG": locale})

    assert (0, "") == (done.code, done.err)
    assert chinese is ("没有事项等待您处理" in done.out)
    assert chinese is not ("Nothing waits for you" in done.out)


@pytest.mark.parametrize("command", [("status",), ("doctor",), ("pause",), ("resume",), ("drafts", "list")])
def test_a_pipe_gets_plain_text(config: Path, command: tuple[str, ...]) -> None:
    """Not one control character but the line breaks, in either language, whatever colours are forced."""
    for spoken in ("en", "zh"):
        done = process(*command, "--config", str(config), "--lang", spoken, FORCE_COLOR="1", COLUMNS="20")
        assert 0 == done.code, done
        assert [] == re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", done.out)


@pytest.mark.parametrize("command", [("status",), ("doctor",), ("pause",), ("resume",), ("drafts", "list")])
def test_a_machine_is_never_translated(config: Path, command: tuple[str, ...]) -> None:
    """The same object under `--lang zh` and a Chinese locale as without, but for the time of day."""
    words = (*command, "--config", str(config), "--json")
    plain = one_object(process(*words, **{**SILENT, "LC_ALL": "C"}).out)
    chinese = one_object(process(*words, "--lang", "zh", LANG="zh_CN.UTF-8").out)

    assert plain | {"now": 0, "changed": 0} == chinese | {"now": 0, "changed": 0}


def test_an_error_in_both_languages(config: Path) -> None:
    """The safe sentence, the labels and the fix; code, place and detail are the same."""
    config.chmod(0o644)
    english = process("status", "--config", str(config), "--lang", "en").err.splitlines()
    chinese = process("status", "--config", str(config), "--lang", "zh").err.splitlines()

    assert "dragoman: config_not_private: the configuration is readable or writable by others" == english[0]
    assert "dragoman: config_not_private: 配置可被他人读取或修改" == chinese[0]
    assert "  fix: chmod 600 the file and 700 its folder, owned by you" == english[-1]
    assert "  处理: 文件权限 600，所在目录 700，属于您本人" == chinese[-1]


def on_a_terminal(*words: str, **environment: str) -> str:
    """What a command writes when its output is a terminal."""
    main, other = pty.openpty()
    child = subprocess.Popen(
        [COMMAND, *words], stdin=other, stdout=other, stderr=other, env={**os.environ, "TERM": "xterm", **environment}
    )
    os.close(other)
    said = b""
    while True:
        try:
            piece = os.read(main, 65_536)
        except OSError:
            break
        if not piece:
            break
        said += piece
    child.wait(timeout=30)
    os.close(main)
    return said.decode().replace("\r\n", "\n")


def test_a_terminal_gets_the_same_rows_in_colour(config: Path) -> None:
    """Colours are only colours: without them the page is the pipe's, line by line, never wrapped."""
    environment = {"COLUMNS": "30", "NO_COLOR": ""}
    shown = on_a_terminal("status", "--config", str(config), "--lang", "zh", **environment)
    piped = process("status", "--config", str(config), "--lang", "zh").out

    assert "\x1b[" in shown
    assert piped == re.sub(r"\x1b\[[0-9;]*m", "", shown)


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colours(config: Path, environment: dict[str, str]) -> None:
    """As the two usual ways to say so."""
    assert "\x1b[3" not in on_a_terminal("status", "--config", str(config), **environment)


@pytest.mark.parametrize(("text", "width"), [("turns", 5), ("次数", 4), ("今日（全部会话）", 16), ("é", 1), ("", 0)])
def test_columns_are_counted_in_cells(text: str, width: int) -> None:
    """A Chinese character and its brackets take two, a mark on a letter none."""
    assert width == cells(text)
    assert 20 == cells(pad(text, 20))


@pytest.mark.parametrize(
    ("used", "most", "drawn"),
    [
        (0, 12, "[....................] 0/12"),
        (1, 100, "[#...................] 1/100"),
        (6, 12, "[##########..........] 6/12"),
        (99, 100, "[###################.] 99/100"),
        (12, 12, "[####################] 12/12"),
        (15, 12, "[####################] 15/12"),
        (0, 0, "[....................] 0/0"),
    ],
)
def test_a_bar(used: int, most: int, drawn: str) -> None:
    """What was used shows, and only a spent budget is full."""
    assert drawn == bar(used, most)
