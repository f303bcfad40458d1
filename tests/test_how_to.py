"""The pages on embedding and on adapters cannot rot: every file of theirs runs, as it stands on the page."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EMBED = (ROOT / "docs/how-to/embed.md").read_text()
ADAPTER = (ROOT / "docs/how-to/write-an-adapter.md").read_text()


def files_of(page: str, folder: Path) -> list[str]:
    """Write the files of a page; their names."""
    found = re.findall(r'```\w+ title="([\w.]+)"\n(.*?)```', page, re.DOTALL)
    for name, text in found:
        (folder / name).write_text(text)
    return [name for name, _ in found]


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """One Python command in that folder."""
    return subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=100, check=False
    )


def said(folder: Path, number: int) -> list[str]:
    """The first so many texts that left the bot."""
    outbox, deadline = folder / "bot" / "outbox.jsonl", time.monotonic() + 30
    while time.monotonic() < deadline:
        texts = [json.loads(line)["text"] for line in outbox.read_text().splitlines()] if outbox.exists() else []
        if len(texts) >= number:
            return texts
        time.sleep(0.05)
    raise AssertionError(f"{number} texts never left")


def message(number: int, text: str) -> str:
    """A line of the inbox: somebody asks the bot."""
    raw = {"kind": "message", "id": f"m{number}", "channel": "shelves", "author": "kim", "bot": False, "direct": False}
    return json.dumps({**raw, "text": text, "mentions": ["desk"]}) + "\n"


def test_the_bot_of_the_page_runs_and_is_operated(tmp_path: Path) -> None:
    """It answers, files a price, lets it out once an operator approved it beside it, and keeps to a changed policy."""
    files_of(EMBED, tmp_path)
    (tmp_path / "bot").mkdir(mode=0o700)
    inbox = tmp_path / "bot" / "inbox.jsonl"
    inbox.write_text(message(1, "what does a shelf cost?") + message(2, "good morning"))
    commands = re.findall(r"^\$ dragoman (.*)$", EMBED, re.MULTILINE)
    with subprocess.Popen([sys.executable, "bot.py"], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as bot:
        try:
            assert ["You said: good morning"] == said(tmp_path, 1)
            listed = run(tmp_path, "-m", "dragoman.cli", *commands[0].split())
            draft = listed.stdout.split()[0]
            approve = re.sub(r"\$\(.*\)", draft, commands[1])
            approved = run(tmp_path, "-m", "dragoman.cli", *approve.split())
            assert "A shelf costs 40 EUR." == said(tmp_path, 2)[1]
            why = run(tmp_path, "-m", "dragoman.cli", *commands[2].split())
            (tmp_path / "new.toml").write_text("version = 2\n")
            (tmp_path / "new.toml").rename(tmp_path / "policy.toml")
            with inbox.open("a") as lines:
                lines.write(message(3, "good night"))
            assert "You said: good night" == said(tmp_path, 3)[2]
            assert bot.poll() is None
        finally:
            bot.kill()
            assert bot.stderr is not None
            told = bot.stderr.read()

    assert [0, 0, 0] == [done.returncode for done in (listed, approved, why)], (listed, approved, why)
    assert re.fullmatch(r"dft-\w+  filed  draft_only_topic  .*  memory/desk/shelves\n", listed.stdout)
    assert f"{draft}: approved\n" == approved.stdout
    assert told.startswith("the changed policy is not in force: policy_invalid")
    assert 1 == told.count("\n")


def test_the_tests_of_the_embedding_page_pass(tmp_path: Path) -> None:
    """Its tests of the bot, with the fixture that the plugin registers."""
    files_of(EMBED, tmp_path)
    done = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_bot.py")

    assert (0, True) == (done.returncode, "3 passed" in done.stdout), done.stdout


def test_the_adapter_of_the_page_keeps_the_contract(tmp_path: Path) -> None:
    """Its contract passes; what is skipped is what its world says that it cannot do."""
    files_of(ADAPTER, tmp_path)
    (command,) = re.findall(r"^\$ python (.*)$", ADAPTER, re.MULTILINE)
    done = run(tmp_path, *command.split(), "-p", "no:cacheprovider", "-rs")

    assert 0 == done.returncode, done.stdout
    skipped = sorted(re.findall(r"^SKIPPED.*?: (.*)$", done.stdout, re.MULTILINE))
    assert ["no operation carries files", "this world cannot make the platform fail so: rate_limited"] == skipped


@pytest.mark.parametrize("page", [EMBED, ADAPTER], ids=["embed", "write-an-adapter"])
def test_the_files_of_the_pages_are_well_typed(page: str, tmp_path: Path) -> None:
    """`mypy --strict` has nothing to say of them."""
    names = [name for name in files_of(page, tmp_path) if name.endswith(".py")]
    done = run(
        tmp_path, "-m", "mypy", "--strict", "--no-incremental", "--config-file", str(ROOT / "pyproject.toml"), *names
    )

    assert 0 == done.returncode, done.stdout


@pytest.mark.parametrize("page", [EMBED, ADAPTER], ids=["embed", "write-an-adapter"])
def test_the_pages_point_at_what_is_there(page: str) -> None:
    """Links and named files exist."""
    links = re.findall(r"\]\(([\w./-]+)\)", page)
    named = re.findall(r"`(tests/[\w./]+)`", page)

    assert [] == [link for link in links if not (ROOT / "docs/how-to" / link).exists()]
    assert [] == [path for path in named if not (ROOT / path).exists()]
