"""A handler: it answers from the record when a word of the question stands there, and asks its owner otherwise.

Put your own agent in the place of `answer`. It gets the contract of docs/reference/receiver.md on standard input.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def answer(asked: dict[str, Any]) -> dict[str, object]:
    """What the agent decides; the gate decides whether a reply may leave."""
    if asked["probe"]:
        return {"action": "completed", "owner_summary": "ready"}
    question = asked["messages"][-1]["text"]
    words = {word.strip("?.!,").lower() for word in question.split() if len(word) > 3}
    for fact in asked["record"]:
        if words & set(fact.lower().split()):
            return {"action": "reply", "message": fact}
    return {"action": "waiting_owner", "owner_summary": f"No fact answers this: {question}"}


json.dump({"schema_version": 1, **answer(json.load(sys.stdin))}, sys.stdout)
