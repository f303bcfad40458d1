"""`dragoman hub search|stall|subscribe|delegate|contact|show|block|events|trade` on a real hub: JSON in, JSON out."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_hub import dragoman, told
from tests.hub_process import HubProcess, running_hub

pytestmark = pytest.mark.slow

STALL = {"title": "Legal advice 法律咨询", "text": "Contracts. 合同审查。", "tags": ["Law", "法律"]}


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """One hub process for the whole file."""
    with running_hub(tmp_path_factory.mktemp("cli") / "hub") as running:
        yield running


@pytest.fixture(scope="module")
def roles(hub: HubProcess, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, ...]]:
    """The options by which two registered roles speak."""
    folder = tmp_path_factory.mktemp("keys")
    at = {name: ("--url", hub.url, "--key", str(folder / f"{name}.key")) for name in ("a", "b")}
    for name in at:
        told("keygen", "--out", str(folder / f"{name}.key"))
        told("register", *at[name])
    return at


def test_from_search_to_contact(hub: HubProcess, roles: dict[str, tuple[str, ...]]) -> None:
    """An owner's agent subscribes, finds a stall, opens a contact, writes, and reads where it stands."""
    a, b = roles["a"], roles["b"]
    saved = told("subscribe", *a, "合同", "--tag", "law")
    put = told("stall", *b, "--put", "-", text=json.dumps(STALL))

    assert [put["entry_id"]] == [each["entry_id"] for each in told("search", *a, "contract 法律")["entries"]]
    assert [put["entry_id"]] == [each["entry_id"] for each in told("search", *a, "--tag", "LAW")["entries"]]
    assert [] == told("search", *a, "coffee")["entries"]
    assert put == told("stall", *a, "--role", put["role_id"]) == told("stall", *b)
    match = told("events", *a, "--kind", "subscription_match")["events"]
    assert [(saved["subscription_id"], put["entry_id"], 1)] == [
        (each["facts"]["subscription_id"], each["facts"]["entry_id"], each["facts"]["version"]) for each in match
    ]
    contact = told("contact", *a, "--peer", put["role_id"])
    for number in range(3):
        told("send", *a, "--contact", contact["contact_id"], "--text-file", "-", text=f"question {number}")

    shown = told("show", *a, "--contact", contact["contact_id"], "--last", "2")
    assert ["question 1", "question 2"] == [each["text"] for each in shown["messages"]]
    assert contact["contact_id"] == shown["contact"]["contact_id"]
    assert "awaiting_peer_pickup" == shown["communication"]["delivery"]["state"]
    assert [saved["subscription_id"]] == [
        each["subscription_id"] for each in told("subscribe", *a, "--list")["subscriptions"]
    ]
    assert [] == told("subscribe", *a, "--end", saved["subscription_id"])["subscriptions"]


def test_from_delegation_to_answer(hub: HubProcess, roles: dict[str, tuple[str, ...]]) -> None:
    """A published request is found and answered; its publisher is told and takes it back."""
    a, b = roles["a"], roles["b"]
    ends = int(time.time() * 1000) + 3_600_000
    asked = json.dumps({"title": "Need a translator 求翻译", "expires_at": ends, "tags": ["翻译"]})
    made = told("delegate", *a, "--publish", "-", "--publish-id", "pub_story_1", text=asked)

    assert told("delegate", *a, "--publish", "-", "--publish-id", "pub_story_1", text=asked)["replayed"]
    assert [made["entry_id"]] == [each["entry_id"] for each in told("search", *b, "翻译", "--delegations")["entries"]]
    assert [made["entry_id"]] == [each["entry_id"] for each in told("delegate", *a)["entries"]]
    answer = told(
        "contact", *b, "--peer", made["role_id"], "--delegation", made["entry_id"], "--open-id", "opn_story_1"
    )
    answered = told("events", *a, "--kind", "delegation_answered")["events"]
    assert [(made["entry_id"], answer["contact_id"])] == [
        (each["facts"]["delegation_id"], each["facts"]["contact_id"]) for each in answered
    ]
    assert not told("delegate", *a, "--close", made["entry_id"])["open"]
    code, error = dragoman("delegate", *b, "--id", made["entry_id"])
    assert (3, "entry_unknown") == (code, error["error"]["detail"])


def test_a_block_and_a_trade_event(hub: HubProcess, roles: dict[str, tuple[str, ...]]) -> None:
    """A blocked role cannot write; the operator's trade event is read by its role, once."""
    a, b = roles["a"], roles["b"]
    mine, theirs = told("login", *a)["role_id"], told("login", *b)["role_id"]
    contact = told("contact", *a, "--peer", theirs)["contact_id"]
    assert told("block", *b, "--role", mine)["blocked"]
    code, error = dragoman("send", *a, "--contact", contact, "--text-file", "-", text="hello")
    assert (3, "contact_blocked") == (code, error["error"]["detail"])
    assert "do not" in error["error"]["fix"]
    assert [mine] == [each["role_id"] for each in told("block", *b)["blocks"]]
    assert not told("block", *b, "--role", mine, "--lift")["blocked"]

    words = ("trade", "--db", str(hub.db), "--role", mine, "--kind", "order_placed", "--event-id", "evt_story_1")
    assert not told(*words, "--reference", "A-17", "--text-file", "-", text="Two lamps.")["replayed"]
    assert told(*words)["replayed"]
    trades = told("events", *a, "--kind", "trade", "--wait-seconds", "5")["events"]
    assert [{"trade_kind": "order_placed", "reference": "A-17", "text": "Two lamps."}] == [
        {name: value for name, value in each["facts"].items() if value} for each in trades
    ]


def test_errors_end_in_codes(hub: HubProcess, roles: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    """What is not JSON of the right shape, what asks for two things, and what the hub refuses."""
    a = roles["a"]
    db = ("--db", str(hub.db), "--event-id", "evt_00000001")
    table = [
        (("stall", *a, "--put", "-"), '{"title":"x","colour":"red"}', 2, "input_invalid"),
        (("stall", *a, "--put", str(tmp_path / "none.json")), "", 2, "input_invalid"),
        (("stall", *a, "--put", "-", "--role", f"role_{0:032x}"), "{}", 2, "usage"),
        (("stall", *a, "--put", "-"), json.dumps({"title": "x" * 200}), 3, "hub_refused"),
        (("stall", *a), "", 3, "hub_refused"),
        (("subscribe", *a), "", 3, "hub_refused"),
        (("subscribe", *a, "tea", "--list"), "", 2, "usage"),
        (("delegate", *a, "--publish", "-"), '{"title":"x","expires_at":1}', 3, "hub_refused"),
        (("delegate", *a, "--publish", "-"), '{"title":"x"}', 2, "input_invalid"),
        (("block", *a, "--lift"), "", 2, "usage"),
        (("events", *a, "--kind", "gossip"), "", 2, "usage"),
        (("trade", *db, "--role", f"role_{0:032x}", "--kind", "paid"), "", 3, "hub_refused"),
        (("trade", *db, "--role", f"role_{0:032x}", "--kind", "Paid!"), "", 2, "input_invalid"),
    ]
    for words, text, code, name in table:
        found, answer = dragoman(*words, text=text)
        assert (code, name) == (found, answer["error"]["code"]), (words, answer)
