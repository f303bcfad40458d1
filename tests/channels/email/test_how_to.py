"""The page on e-mail holds."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from dragoman.channels.email.addresses import people_of
from dragoman.channels.email.state import KEY_LENGTH
from dragoman.channels.secret_file import read_secret
from tests.channels.how_to import PAGES, set_up


def test_the_page_sets_up_an_account(tmp_path: Path) -> None:
    """Its configuration loads, and its policy lists channels that exactly that account serves."""
    config, policy = set_up("email.md", tmp_path)
    section = config.file.channels.email

    assert section is not None
    assert "desk@acme.example" == section.agent("a key that is long enough").mailbox
    assert all(people_of(target.channel) for target in policy.targets)
    assert {f"email:{section.account}"} == {config.file.channels.serving(target) for target in policy.targets}


def test_the_page_makes_private_files(tmp_path: Path) -> None:
    """Its command leaves two private files, and a key that is long enough."""
    (command,) = re.findall(r"^\$ (.*)$", (PAGES / "email.md").read_text(), re.MULTILINE)
    subprocess.run(["bash", "-c", command], cwd=tmp_path, input=b"a-password\n", check=True)

    assert "a-password" == read_secret(tmp_path / "mail.password")
    assert len(read_secret(tmp_path / "mail.key")) >= KEY_LENGTH
    assert {0o600} == {os.stat(path).st_mode & 0o777 for path in tmp_path.iterdir()}
