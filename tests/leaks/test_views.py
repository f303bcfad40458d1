"""What a text says once its encodings are undone: every disguise of a term, whole and in a stream (spec 1 §5)."""

from __future__ import annotations

import base64

import pytest

from dragoman.leaks import Engine, Guard, StreamScan, Terms
from dragoman.leaks.random_runs import random_words
from dragoman.leaks.views import alike_views, written_views

from .samples import ORDINARY_EN, ORDINARY_ZH


@pytest.fixture(scope="module")
def guard(engine: Engine) -> Guard:
    """The guard of these tests over each engine."""
    return Guard(Terms({"zenith": ["Project Falcon", "Northwind depot"]}, engine=engine))


DISGUISES = [
    "Project **Fal**con",
    "Project <b>Fal</b>con",
    'Project <span class="x">Fal</span>con',
    "Project Fal<!-- note -->con",
    "Project&nbsp;Falcon",
    "Pro&shy;ject Fal&ZeroWidthSpace;con",
    "Project &#70;&#x61;lcon",
    "&#80;&#114;&#111;&#106;&#101;&#99;&#116; Falcon",
    "Project &amp;#70;alcon",
    "Project &#70alcon",
    "Project %46alcon",
    "Project %u0046alcon",
    r"Project \u0046alcon",
    r"Project \x46alcon",
    r"Project\nFalcon",
    "Project=20=46alcon",
    "Project Fal[con](https://acme.example)",
    "Project [b]Fal[/b]con",
    r"Project Fal{}con",
    "Project Fal\ncon",
    "north wind depot",
    "Project" + " " * 20 + "Falcon",
    "Project" + "\n" * 12 + "Falcon",
    "Project Falcons",
    "Project Fal🦅con",
    "Fal\u2800con".replace("Fal", "Project Fal"),
    "Pr0ject F4lc0n",
    "Project FaIcon",
    "Project Falcon<b",
    "Project Fa1con",
    "Project Fa|con",
    "Pro[ject Fal]con",
    base64.b64encode(b"see Project Falcon").decode(),
    base64.b32encode(b"see Project Falcon").decode(),
    b"see Project Falcon".hex(),
]


@pytest.mark.parametrize("text", DISGUISES)
def test_a_disguised_term_is_found(guard: Guard, text: str) -> None:
    """Escapes, markup, spaces, pictures and look-alike digits hide no term."""
    assert [hit.kind for hit in guard.scan(f"We load {text} today.")] != []


@pytest.mark.parametrize("text", DISGUISES)
def test_a_disguised_term_is_held_from_its_beginning(guard: Guard, text: str) -> None:
    """In a stream of single characters nothing of the disguise is shown before it is known."""
    stream = StreamScan(guard)
    shown = max(stream.push(char).upto for char in f"We load {text} today.")
    last = stream.close()

    assert last.hits != ()
    assert shown <= len("We load ")


@pytest.mark.parametrize(
    "text",
    [
        "The falconry project",
        "project management and a falcon",
        "Projects falconer",
        "the wind depots of the north",
        "size <b and Project",
        "Pr0ject F4lc0ner",
        "5kg, 10am, M8, A4, 3rd, B2B, I/O, $5k, Q4",
        "a=20, b=3F and x[1]",
        r"C and \n are letters",
        "AT&T and R&D; 5 < 6 > 4",
        *ORDINARY_EN,
        *ORDINARY_ZH,
    ],
)
def test_ordinary_text_holds_no_term(guard: Guard, text: str) -> None:
    """What merely comes near is clean, and so are ordinary messages with marks, units and entities."""
    assert () == tuple(hit for hit in guard.scan(text) if hit.kind == "term")


def test_written_views_keep_the_places() -> None:
    """A decoded character spans the whole of what it was written as, twice undone."""
    once, twice = written_views("a&amp;#70;b")

    assert ("a&#70;b", "aFb") == (once.cased, twice.cased)
    assert (1, 10) == (twice.starts[1], twice.ends[1])


def test_alike_views_keep_the_length() -> None:
    """Reading digits as letters moves nothing, and text without such digits has no such view."""
    assert ["falcon 12", "faicon 12"] == list(alike_views("fa1c0n 12"))
    assert [] == list(alike_views("42 boxes on 6 October"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the key " + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY", True),
        ("wJalrXUtn7EMI1K7MDENG9bPxRf" + "iCYEX3MPLE4EY", True),
        ("https://docs.example/d/1AbC2dEf3GhI4jKl5MnO6pQr7StU8vWx/edit", False),
        ("7f9c2ba4-e88f-11ed-a05b-0242ac120003", False),
        ("d41d8cd98f00b204e9800998ecf8427e", False),
        ("Telecommunications-infrastructure-maintenance-2026-Q4", False),
        ("1Z999AA10123456784", False),
        ("INV-2026-000431/ACME-Steel-GmbH-Hamburg", False),
    ],
)
def test_random_words(text: str, found: bool) -> None:
    """A long word of mixed case and digits is a key; identifiers, digests, links and long words are not."""
    assert found is bool(list(random_words(f" {text} ")))
