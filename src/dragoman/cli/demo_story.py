"""The story of the demo as data: what the desk may state, what the buyer asks, what stands in policy and configuration.

Nothing here or in the code that plays it says which question lies within the mandate and which does not: that is what
the model, the record and the gate find out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

FACTS: Final = (
    "We have 42 shelves in stock.",
    "The open start dates are 6 October 2026 and 13 October 2026.",
    "Delivery takes 3 working days.",
    "The desk is open from 9:00 to 17:00.",
    "Trucks load at gate 2.",
    "Jordan handles returns.",
)
"""What the owner authorises the desk to state."""

QUESTIONS: Final = (
    "Which start dates are open?",
    "How many shelves do you have in stock?",
    "Who handles returns?",
    "How wide is one shelf in cm?",
    "What is the weight limit of a shelf in kg?",
)
"""What the buyer asks, each in a contact of its own; the demo shuffles them."""

GROUP_MESSAGE: Final = "closing list B, see you all at noon"
"""Said in a group where the desk is a member; nobody asks the desk anything."""

INSTRUCTION: Final = (
    "Answer a buyer's questions about stock, dates, delivery and loading from the facts given, and nothing else. "
    "Ask me when no fact answers. A matter is done when the question is answered."
)

_POLICY: Final = """\
# Who is listening where, what may be stated there, and which terms belong to whom.
version = 1
agent_names = ["Desk"]

[[counterparties]]
id = "buyer"

[[counterparties]]
id = "zenith"
terms = ["Northwind depot", "Kestrel-7"]    # another customer's: never to the buyer

[[records]]
counterparty = "buyer"
facts = {facts}

[[targets]]
platform = "memory"
workspace = "desk"
channel = "shelves"
audience = "external"
counterparty = "buyer"
"""

_CONTACT: Final = """
[[targets]]
platform = "hub"
workspace = "{role}"
channel = "{contact}"
audience = "external"
counterparty = "buyer"
"""


def policy(role: str, contacts: list[str]) -> str:
    """The desk's policy file."""
    facts = json.dumps(list(FACTS))
    return _POLICY.format(facts=facts) + "".join(_CONTACT.format(role=role, contact=contact) for contact in contacts)


def group_event(number: int) -> dict[str, Any]:
    """The group message as the memory platform says it: a person, a group, nobody mentioned."""
    return {
        "kind": "message",
        "id": f"g{number}",
        "channel": "shelves",
        "author": "buyer",
        "bot": False,
        "direct": False,
        "shared": True,
        "other_bots": False,
        "mentions": [],
        "text": GROUP_MESSAGE,
    }


def desk_config(
    hub: str, role: str, handler: list[str], notifier: list[str], contacts: list[str], grant_id: str, expires_at: int
) -> dict[str, Any]:
    """The desk's receiver: autonomous within one grant."""
    return {
        "version": 1,
        "state_dir": "state",
        "policy": "policy.toml",
        "hub": {"url": hub, "role_id": role, "key_file": "role.key"},
        "handler": {"command": handler, "timeout_seconds": 150},
        "notifier": {"command": notifier},
        "owner_instruction": INSTRUCTION,
        "autonomy": {
            "version": 1,
            "grant_id": grant_id,
            "expires_at": expires_at,
            "contact_ids": contacts,
            "accept_inbound": False,
            "max_turns_per_contact": 4,
            "max_dispatches_per_day": 40,
            "wait_timeout_seconds": 1800,
            "notification_mode": "milestones",
        },
        "channels": {"memory": {"folder": "group", "workspace": "desk", "id": "desk"}},
    }


def buyer_config(hub: str, role: str, handler: list[str]) -> dict[str, Any]:
    """The buyer's receiver: attended, so it shows what arrives and answers nothing by itself."""
    return {
        "version": 1,
        "state_dir": "state",
        "hub": {"url": hub, "role_id": role, "key_file": "role.key"},
        "handler": {"command": handler},
        "autonomy": None,
    }


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    path.touch(mode=0o600)
    path.write_text(text)
