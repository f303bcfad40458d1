"""Errors have two voices: what is safe to show, and what only the operator reads (DESIGN §2)."""

from __future__ import annotations

import re

import pytest

from dragoman.errors import CODES, DragomanError, Exit


@pytest.mark.parametrize("code", CODES)
def test_the_safe_sentence_gives_nothing_away(code: str) -> None:
    """Whatever the detail says, the safe sentence is the fixed one: lower case, no full stop, nothing interpolated."""
    error = DragomanError(code, "password hunter2 in /srv/desk/db.py", where="/srv/desk")

    assert CODES[code][1] == error.safe
    assert re.fullmatch(r"[a-z][a-z0-9 ,;'-]+", error.safe)
    assert Exit.OK is not error.exit


def test_an_unknown_code_is_internal() -> None:
    """A code that nobody declared says nothing and ends with `cannot run`."""
    error = DragomanError("made_up")

    assert ("internal error", Exit.CANNOT_RUN) == (error.safe, error.exit)


def test_the_operators_words_hold_the_fix() -> None:
    """Code, place, detail and fix on one line, as they are when it is read; what is missing leaves no gap."""
    error = DragomanError("state_locked", "held by `run`", where="/srv/desk", fix="stop it")
    assert "state_locked: /srv/desk: held by `run` (fix: stop it)" == str(error)
    error.where = ""
    assert "state_locked: held by `run` (fix: stop it)" == str(error)
    assert "internal" == str(DragomanError("internal"))
