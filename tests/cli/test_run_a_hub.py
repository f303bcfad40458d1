"""The page `docs/how-to/run-a-hub.md`: every command and option of it exists, and what it says of files is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from dragoman.cli.hub import app
from dragoman.hub.rates import Rates

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/run-a-hub.md").read_text()
COMMANDS = sorted(
    {
        (each[0], each[1])
        for each in re.findall(r"dragoman hub ((?:key )?[a-z]+)((?: [^`\n]*)?)", PAGE.replace("\\\n", " "))
    }
)


@pytest.mark.parametrize(("name", "rest"), COMMANDS)
def test_each_command_and_option_exists(name: str, rest: str) -> None:
    """As it stands on the page."""
    found = typer.main.get_command(app)
    for part in name.split():
        found = found.commands[part]  # type: ignore[attr-defined]
    known = {option for parameter in found.params for option in (*parameter.opts, *parameter.secondary_opts)}

    assert [] == [option for option in re.findall(r"--[a-z-]+", rest) if option not in known]


def test_options_named_alone_exist() -> None:
    """Those of `serve` in the table and the text."""
    known = {option for each in typer.main.get_command(app).commands["serve"].params for option in each.opts}  # type: ignore[attr-defined]
    alone = set(re.findall(r"`(--[a-z-]+)", PAGE)) - {"--resume", "--unchanged", "--out"}

    assert alone - known == set()


def test_the_table_of_rates_is_current() -> None:
    """Numbers as in the code."""
    rates = Rates()

    for option, rate in (("address", rates.address), ("entrance", rates.entrance), ("role", rates.role)):
        assert f"| `--rate-{option}` | {rate.per_second:g} a second, {rate.burst} at once |" in PAGE
    assert (0.2, 30) == (rates.log_in.per_second, rates.log_in.burst)


def test_links_lead_somewhere() -> None:
    """Pages, and the place in SECURITY."""
    links = re.findall(r"\]\(([^)#]+)", PAGE)

    assert [] == [link for link in links if not (ROOT / "docs/how-to" / link).exists()]
    assert "## What a hub's operator can read" in (ROOT / "SECURITY.md").read_text()
