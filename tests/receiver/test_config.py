"""The configuration as a careless owner leaves it: every fault is a coded problem with its place and its fix."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from dragoman.receiver.config import parse_config

GOOD: dict[str, Any] = {
    "version": 1,
    "state_dir": "state",
    "hub": {"url": "https://hub.example", "role_id": f"role_{1:032x}", "key_file": "us.key"},
    "handler": {"command": ["/bin/handler", "--fast"], "timeout_seconds": 20, "environment": ["LANG"]},
    "notifier": {"command": ["/bin/tell"], "timeout_seconds": 20},
    "autonomy": {
        "version": 1,
        "grant_id": "grant-7f3a",
        "expires_at": 1_800_000_000_000,
        "contact_ids": [f"con_{1:032x}"],
        "accept_inbound": False,
        "max_turns_per_contact": 12,
        "max_dispatches_per_day": 80,
        "wait_timeout_seconds": 1800,
        "notification_mode": "milestones",
    },
    "owner_instruction": "Find a day to meet.",
    "policy": "policy.toml",
    "language": "en",
}
VALUES: list[Any] = [None, True, 0, -1, 1.5, 2**53, "", "a\x00b", "x" * 5_000, "\x1b[31m", [], [None], {}, {"x": 1}]
OPTIONAL = {
    ("version",), ("notifier",), ("autonomy",), ("policy",), ("language",),
    ("handler", "timeout_seconds"), ("handler", "environment"), ("notifier", "timeout_seconds"),
    ("autonomy", "notification_mode"),
}  # fmt: skip


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every key of the file, at any depth."""
    if place:
        yield place
    for key, inside in value.items() if isinstance(value, dict) else ():
        yield from places(inside, (*place, key))


def test_the_good_one_is_good() -> None:
    """The table below starts from a file without a problem."""
    assert parse_config(json.dumps(GOOD).encode(), toml=False)[1] == []


@pytest.mark.parametrize("place", list(places(GOOD)), ids=lambda place: ".".join(map(str, place)))
def test_each_key_dropped_retyped_and_doubled(place: tuple[Any, ...]) -> None:
    """Without it, with another kind of value, or standing twice: problems with code and fix, or a file that is read
    whole; nothing is raised, and a key that stands twice is never read."""
    key = place[-1]
    for value in VALUES:
        body, inside = _copy(place)
        inside[key] = value
        _judge(body)
    body, inside = _copy(place)
    del inside[key]
    assert bool(_judge(body)) == (place not in OPTIONAL)
    body, inside = _copy(place)
    text = json.dumps(inside)
    twice = text[:-1] + f", {json.dumps(key)}: {json.dumps(inside[key])}}}"
    (problem,) = parse_config(json.dumps(body).replace(text, twice, 1).encode(), toml=False)[1]
    assert ("config_invalid", "/" + "/".join(place)) == (problem.code, problem.where)


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"null", b"[]", b"\xff\xfe", json.dumps(GOOD).encode("utf-16"), b"\xef\xbb\xbf{}", b"{}{}",
        b'{"version": NaN}', b'{"version": 1' + b"0" * 5_000 + b"}", b"[" * 100_000, b'{"language": "\\ud800"}',
    ],
)  # fmt: skip
def test_what_is_not_the_file_at_all(raw: bytes) -> None:
    """Bytes that are no strict JSON object: a problem that says so."""
    for toml in (False, True):
        file, problems = parse_config(raw, toml=toml)
        assert file is None
        assert {problem.code for problem in problems} == {"config_invalid"}
        assert all(problem.fix for problem in problems)


def _copy(place: tuple[Any, ...]) -> tuple[Any, Any]:
    body = copy.deepcopy(GOOD)
    inside: Any = body
    for key in place[:-1]:
        inside = inside[key]
    return body, inside


def _judge(body: Any) -> list[Any]:
    file, problems = parse_config(json.dumps(body).encode(), toml=False)
    assert (file is None) == bool(problems)
    assert all(problem.code and problem.fix for problem in problems)
    return problems


def test_a_configuration_saved_in_another_form_says_how_to_save_it() -> None:
    """A byte order mark, or two bytes for a character."""
    for toml, raw in ((True, "version = 1".encode("utf-8-sig")), (False, "{}".encode("utf-16"))):
        _, problems = parse_config(raw, toml=toml)
        assert [each.fix for each in problems] == ["save it as UTF-8 without a byte order mark"]
