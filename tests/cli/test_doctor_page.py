"""`dragoman doctor` for people and for machines: every blocker first, each with its fix, in either language."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dragoman.receiver.findings import FINDINGS
from tests.cli.desk import process

CHINESE = re.compile(r"[\u3400-\u9fff]")
FIELDS = ["name", "state", "detail", "code", "where", "fix"]
"""What a check has always had, in this order; what is new stands behind."""


def written(folder: Path, **sections: Any) -> str:
    """A private configuration; its path."""
    folder.chmod(0o700)
    path = folder / "dragoman.json"
    path.write_text(json.dumps({"state_dir": "state", "handler": {"command": ["/usr/bin/true"]}, **sections}))
    path.chmod(0o600)
    return str(path)


@pytest.fixture
def broken(tmp_path: Path) -> str:
    """A configuration with several things wrong at once."""
    return written(tmp_path, colour="blue", language="fr", handler={}, owner_instruction=7)


@pytest.fixture
def alone(tmp_path: Path) -> str:
    """A configuration whose hub is not there, with an attended role and a key that was just made."""
    key = tmp_path / "us.key"
    made = subprocess.run(
        [sys.executable, "-m", "dragoman.cli", "hub", "keygen", "--out", str(key)], capture_output=True, check=True
    )
    role = json.loads(made.stdout)["role_id"]
    return written(tmp_path, hub={"url": "http://127.0.0.1:9", "role_id": role, "key_file": "us.key"})


def test_all_blockers_stand_first_each_with_its_fix(broken: str) -> None:
    """In both languages as many as a machine is told, and the exit code of the first."""
    machine = process("doctor", "--config", broken, "--json")
    blockers = json.loads(machine.out)["blockers"]
    assert len(blockers) >= 3
    for spoken, verdict, state, fix in (
        ("en", f"Not ready; blockers: {len(blockers)}.", "blocker ", "fix: "),
        ("zh", f"未就绪；阻碍 {len(blockers)} 项。", "阻碍 ", "处理："),
    ):
        done = process("doctor", "--config", broken, "--lang", spoken)
        lines = done.out.splitlines()
        assert (machine.code, "", verdict) == (done.code, done.err, lines[0])
        rows = lines[1 : 1 + 2 * len(blockers)]
        assert [True] * len(blockers) == [row.startswith(state) for row in rows[::2]]
        assert [True] * len(blockers) == [row.strip().startswith(fix) for row in rows[1::2]]
        assert not any(row.startswith(state) for row in lines[1 + len(rows) :])


def test_an_error_is_told_by_its_safe_sentence(alone: str) -> None:
    """A hub that does not answer hides no other check, and is named in the reader's language."""
    done = process("doctor", "--config", alone, "--lang", "zh")

    assert 3 == done.code
    assert re.search(r"^阻碍 +平台: http://127\.0\.0\.1:9: 无法连接平台", done.out, re.MULTILINE)
    assert [] == [name for name in ("存储", "HTTPS", "版本", "后台", "调度") if f" {name}: " not in done.out]


def test_a_machine_gets_what_it_always_got(alone: str) -> None:
    """The same fields in the same order, new ones behind; what a finding says in English is its `detail`."""
    checks = json.loads(process("doctor", "--config", alone, "--json").out)["checks"]

    assert [] == [each for each in checks if FIELDS != list(each)[: len(FIELDS)]]
    assert [] == [
        each
        for each in checks
        if each["finding"] and FINDINGS[each["finding"]].en.format(**each["values"]) != each["detail"]
    ]


def test_every_row_of_a_chinese_page_is_chinese(alone: str) -> None:
    """But for the path of the configuration, no row is left in English alone."""
    rows = process("doctor", "--config", alone, "--lang", "zh").out.splitlines()

    assert [] == [row for row in rows if not CHINESE.search(row)]
