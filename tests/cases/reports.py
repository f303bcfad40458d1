"""Public failure reports, and how a test quotes them.

The reports are data made by others (`tests.packets.material.shared`): where they are absent the tests are skipped, and
say so. A test is marked `case(id, words)` with the words of the report that it holds Dragoman to, and before it runs
they are compared with the report, so that the expected value stays the report's own. Names that differ between a report
and the specification are translated in the test's table; where they disagree on behaviour, the specification wins, and
`account.DISAGREE` says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

import pytest

from tests.packets.material import shared

RIGHT = {"events.jsonl": "right", "channel-scenarios.jsonl": "expected", "receiver-scenarios.jsonl": "right"}
"""Each file and the key under which it says what is right."""


class Report(NamedTuple):
    """One failure report."""

    id: str
    right: str
    input: Any
    symptom: str = ""
    platform: str = ""

    def quoted(self, words: str) -> None:
        """Fail unless the report itself says these words."""
        assert words, f"{self.id}: a row must quote the report"
        assert words in self.right, f"{self.id} does not say: {words}"

    def at(self, path: str) -> Any:
        """A value of the report's input, by keys and numbers joined with `/`."""
        found = self.input
        for step in path.split("/"):
            found = found[int(step)] if isinstance(found, list) else found[step]
        return found


def reports(file: str) -> dict[str, Report]:
    """All reports of one file by their id; the test is skipped where the file is absent."""
    lines = (shared("cases") / file).read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return {
        case["id"]: Report(
            case["id"],
            case[RIGHT[file]],
            case.get("input", case.get("facts")),
            case["symptom"],
            case.get("platform", ""),
        )
        for case in found
    }


case = pytest.mark.case
"""`@case(id, *words)`: the test holds Dragoman to these words of this report. A test may be marked for several."""


class Quoting(Protocol):
    """A row of a table that quotes a report."""

    @property
    def case(self) -> str:
        """The report's id."""
        ...

    @property
    def right(self) -> str:
        """Words of it."""
        ...


def rows(*tables: Iterable[Quoting], name: Callable[[Any], str]) -> list[Any]:
    """The rows of these tables as parameters of one test, each marked for its report."""
    return [
        pytest.param(row, id=f"{row.case}-{name(row)}", marks=case(row.case, row.right))
        for table in tables
        for row in table
    ]


NOT_BUILT = {
    "never_silent_ack": "acknowledgements are not built",
    "ack_reaction": "acknowledgements are not built",
    "observe_unmentioned_group_messages": "observation is not built",
    "bot_requests": "is how it always is",
    "default": "routine answers always go out by themselves",
    "progress": "is how it always is on internal targets",
}
"""Keys of a report's policy that Dragoman's policy does not have: the rows of that report hold without them."""
ACCESS = {"open": "allow"}

WEEKLY = """
[[grants]]
id = "g-55"
purpose = "schedule"
given_by = "U0OPERATR1"
targets = [{ platform = "memory", workspace = "T0HOMEORG1", channel = "C0SHELVES1" }]
not_before = "2026-09-21T14:13:20Z"
expires_at = "2026-10-21T14:13:20Z"
max_total = 4
"""
"""The schedule of C057."""


def policy_of(rows: Iterable[dict[str, Any]], *, platform: str | None = None, workspace: str | None = None) -> str:
    """The policy of a report as a policy file; platform and workspace can be set to those that run it."""
    parts = ["version = 1\n"]
    for row in rows:
        for person in row.get("trusted_operators", ()):
            parts.append(
                _table(
                    "operators",
                    {
                        "platform": platform or person["platform"],
                        "workspace": workspace or person["workspace"],
                        "id": person["user_id"],
                    },
                )
            )
        if "target" in row:
            place = dict(row["target"])
            place["platform"] = platform or place["platform"]
            place["workspace"] = workspace or place["workspace"]
            rest = {key: value for key, value in row.items() if key not in ("target", "trusted_operators", *NOT_BUILT)}
            if "access" in rest:
                rest["access"] = ACCESS.get(rest["access"], rest["access"])
            parts.append(_table("targets", {**place, **rest}))
    return "".join(parts)


def _table(name: str, row: dict[str, Any]) -> str:
    lines = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in row.items())
    return f"\n[[{name}]]\n{lines}"
