"""A policy that is not exactly right is refused whole, by name, from every command that reads it (DESIGN §6)."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.gate.policy_keys import (
    CounterpartyEntry,
    GrantEntry,
    PartyEntry,
    PolicyFile,
    RecordEntry,
    TargetEntry,
)
from tests.cli.desk import POLICY, Desk, asked, one_object, refused, run, told

PLACE: dict[str, Any] = {"platform": "memory", "workspace": "desk", "channel": "X"}
ENTRIES: dict[str, tuple[type, dict[str, Any]]] = {
    "": (PolicyFile, {"version": 1}),
    "targets": (TargetEntry, {**PLACE, "audience": "external"}),
    "operators": (PartyEntry, {"platform": "memory", "workspace": "desk", "id": "oper"}),
    "counterparties": (CounterpartyEntry, {"id": "acme"}),
    "grants": (
        GrantEntry,
        {
            "id": "g",
            "purpose": "schedule",
            "targets": [PLACE],
            "given_by": "oper",
            "expires_at": "2026-10-21T14:13:20Z",
        },
    ),
    "records": (RecordEntry, {"facts": ["Open: 6 October 2026."], "target": PLACE}),
}
"""Every table of the file with a row that holds what it needs."""
WRONG: tuple[object, ...] = (-1, 1.5, "", "Internal", "false", True, [], [1], [""], {}, {"x": 1}, [[]])
"""Values of every TOML type; each key takes some of them and refuses the others."""


def toml(table: str, row: dict[str, Any]) -> str:
    """A policy whose table holds exactly this row."""
    top = row if table == "" else {"version": 1, table: [row]}
    return "".join(f"{key} = {_inline(value)}\n" for key, value in top.items())


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_inline(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value)


SCHEMA = jsonschema_rs.Draft202012Validator(told(run("gate", "schema", "policy")))


def decided(folder: Path, policy: str | bytes) -> Any:
    """A check under this policy."""
    desk = Desk(folder)
    desk.policy = desk.write("policy.toml", policy)
    return desk.check(asked(channel="X"))


@pytest.mark.parametrize("table", ENTRIES)
def test_the_least_row_is_enough(tmp_path: Path, table: str) -> None:
    """What a table needs, and no more, is accepted by the command and by the published schema."""
    policy = toml(table, ENTRIES[table][1])

    told(decided(tmp_path, policy))
    assert SCHEMA.is_valid(tomllib.loads(policy))


@pytest.mark.parametrize("table", ENTRIES)
def test_unknown_keys_are_refused_with_the_accepted_ones(tmp_path: Path, table: str) -> None:
    """A misspelt key names its table and every key that would have been accepted."""
    kind, row = ENTRIES[table]
    policy = toml(table, {**row, "audiense": "internal"})

    error = refused(decided(tmp_path, policy), "policy_invalid")

    assert "audiense" in error["detail"]
    assert f"$.{table}" in error["detail"] or table == ""
    assert all(key in error["fix"] for key in kind.__struct_fields__)  # type: ignore[attr-defined]
    assert not SCHEMA.is_valid(tomllib.loads(policy))


@pytest.mark.parametrize(
    ("table", "key"),
    [(table, key) for table, (kind, _) in ENTRIES.items() for key in kind.__struct_fields__],  # type: ignore[attr-defined]
)
def test_wrong_values_are_refused_by_name(tmp_path: Path, table: str, key: str) -> None:
    """Each key refuses the values that are not its own, names itself or its table, and never ends in a crash."""
    row, refusals = ENTRIES[table][1], 0
    for value in WRONG:
        policy = toml(table, {**row, key: value})
        done = decided(tmp_path, policy)
        fits = SCHEMA.is_valid(tomllib.loads(policy))
        if done.code == 0:
            assert fits, f"the schema refuses {key} = {value!r}, the command accepts it"
            continue
        refusals += 1
        error = refused(done, "policy_invalid")
        named = value if key == "terms_file" and isinstance(value, str) else key
        assert named in error["detail"] + error.get("where", ""), error
        assert error["fix"]
    assert refusals


@pytest.mark.parametrize(("table", "key"), [(table, key) for table, (_, row) in ENTRIES.items() for key in row])
def test_a_missing_key_is_refused_by_name(tmp_path: Path, table: str, key: str) -> None:
    """Nothing that a row needs is guessed."""
    row = {name: value for name, value in ENTRIES[table][1].items() if name != key}

    error = refused(decided(tmp_path, toml(table, row)), "policy_invalid")

    assert key in error["detail"] + error["fix"]


@pytest.mark.parametrize(
    ("policy", "detail"),
    [
        (b"", "version"),
        (b"\xff\xfe", "TOML"),
        (b"version = ", "TOML"),
        (b"version = 1\nversion = 1\n", "TOML"),
        (b"version = 1\nx = " + b"[" * 5000 + b"]" * 5000, "TOML"),
        (b"version = 2\n", "version"),
        (b'{"version": 1}', "TOML"),
        (b"#" * (4 * 1024 * 1024 + 1), "larger than"),
    ],
    ids=["empty", "bytes", "cut off", "twice", "deep", "another version", "JSON", "large"],
)
def test_what_is_no_policy(tmp_path: Path, policy: bytes, detail: str) -> None:
    """A file that does not hold one policy is refused, and says which way it is wrong."""
    assert detail in refused(decided(tmp_path, policy), "policy_invalid")["detail"]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=st.binary(max_size=80), at=st.integers(0, len(POLICY)))
def test_any_bytes_end_in_a_decision_or_an_error(tmp_path: Path, raw: bytes, at: int) -> None:
    """A policy with arbitrary bytes written into it is either read or refused, never half applied and never a crash."""
    whole = POLICY.encode()
    done = decided(tmp_path, whole[:at] + raw + whole[at:])

    assert (done.code in (0, 2), "") == (True, done.err)
    if done.code:
        assert "policy_invalid" == one_object(done.out)["error"]["code"]


def test_both_commands_refuse_it(tmp_path: Path) -> None:
    """`release` refuses a broken policy as `check` does, before it reads the text."""
    desk = Desk(tmp_path, "version = 1\nmode = 1\n")

    assert refused(desk.check(asked()), "policy_invalid") == refused(desk.release("hi", "--admitted"), "policy_invalid")


def test_a_terms_file_lies_beside_the_policy(tmp_path: Path) -> None:
    """Its terms count; one in another folder, missing, or not UTF-8 is refused by name."""
    row = {"id": "zenith", "terms_file": "terms.txt"}
    desk = Desk(tmp_path, toml("counterparties", row))
    assert "terms.txt" in refused(desk.release("hi", "--admitted"), "policy_invalid")["where"]

    desk.write("terms.txt", "Kestrel-7\n\nNorthwind depot\n")
    assert "leak_suspected" == told(desk.release("It went to the Northwind depot.", "--admitted"))["reason"]

    desk.write("terms.txt", b"\xff")
    assert "terms_file" in refused(desk.release("hi", "--admitted"), "policy_invalid")["where"]

    desk.policy = desk.write("policy.toml", toml("counterparties", {**row, "terms_file": "../terms.txt"}))
    assert "../terms.txt" == refused(desk.release("hi", "--admitted"), "policy_invalid")["where"]


@pytest.mark.parametrize(
    ("row", "fix"),
    [
        ({**PLACE, "audience": "Internal"}, "accepted values: external, internal, operator"),
        ({**PLACE, "audience": "external", "public": 1}, "give true or false"),
        ({**PLACE, "audience": "external", "takeover_seconds": "1"}, "give a whole number"),
    ],
    ids=["audience", "truth", "number"],
)
def test_a_wrong_value_is_refused_with_the_file_the_key_and_what_is_accepted(
    tmp_path: Path, row: dict[str, Any], fix: str
) -> None:
    """The place names the file and the key, the fix the values of that key."""
    error = refused(decided(tmp_path, toml("targets", row)), "policy_invalid")

    assert error["fix"].partition("; accepted keys: ")[0] == fix
    assert error["where"].startswith(f"{tmp_path / 'policy.toml'}: targets[0].")


@pytest.mark.parametrize("form", ["utf-8-sig", "utf-16"])
def test_a_policy_saved_in_another_form_says_how_to_save_it(tmp_path: Path, form: str) -> None:
    """What an editor adds without being asked is named as what it is."""
    error = refused(decided(tmp_path, POLICY.encode(form)), "policy_invalid")

    assert error["fix"] == "save it as UTF-8 without a byte order mark"
    assert error["where"] == str(tmp_path / "policy.toml")
