"""The pages that set up an account: what stands on them as a file is a file that loads."""

from __future__ import annotations

import re
from pathlib import Path

from dragoman.gate.policy import Policy
from dragoman.gate.policy_file import parse_policy
from dragoman.receiver.config import Config, load_config

PAGES = Path(__file__).parent.parent.parent / "docs" / "how-to"


def set_up(page: str, folder: Path) -> tuple[Config, Policy]:
    """The configuration and the policy of a page, as it says them."""
    found = dict(re.findall(r'```toml title="([\w.]+)"\n(.*?)```', (PAGES / page).read_text(), re.DOTALL))
    folder.chmod(0o700)
    config = folder / "dragoman.toml"
    config.touch(0o600)
    config.write_text(found["dragoman.toml"])
    return load_config(config), parse_policy(found["policy.toml"].encode())
