"""How every shipped model handler asks, and how it reads what comes back (spec 1 §8, spec 2 §2).

One fixed order: `STRICT_PROMPT` → the owner's block → (where a host takes no schema beside the words) `FORM` → and, in
a message of its own, the counterparty's words as JSON data. A probe has no such words and gets `PROBE` instead.

`inert` is for hosts that give some characters of a prompt a meaning of their own (`@file`, `$skill`): inside the JSON
data they are written as escapes, so that the model reads the same text and the host sees no command. It is applied to
the counterparty's words and to nothing else.

The answer is the model's whole text and passes `parse_answer` or is none: no fence is peeled off, nothing is repaired.
This file must never put a word of others into the standing orders, and never look at what a message means.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dragoman.agents.contract import ANSWER_SCHEMA, HandlerAnswer, HandlerRequest, parse_answer
from dragoman.gate.prompt import STRICT_PROMPT, envelope, owner_block

PROBE: Final = (
    'This is a self-check without messages: answer with action "completed" and one sentence in "owner_summary".'
)
FORM: Final = f"""\
The answer is exactly one JSON object with nothing before or after it: no prose, no code fence. Its JSON Schema:
{msgspec.json.encode(ANSWER_SCHEMA).decode()}
Actions: "reply" puts the words for the other side in "message" ("complete": true when that ends the matter);
"waiting_owner" puts a question to the owner in "owner_summary"; "completed" ends the matter without a reply;
"no_reply" says nothing. "message" is empty and "complete" false with every action but "reply".
"""
"""What an answer looks like, in words, for hosts whose model cannot be held to a schema."""

_MEANT_BY_HOSTS: Final = {ord("@"): "\\u0040", ord("$"): "\\u0024"}


def orders(request: HandlerRequest) -> tuple[str, str]:
    """What stands above the counterparty's words: the strict prompt, and the owner's block."""
    return STRICT_PROMPT, owner_block(request.owner_instruction, request.record)


def orders_in_one(request: HandlerRequest) -> str:
    """The same and the form of the answer, as one text for hosts that take only one."""
    return "\n".join((*orders(request), FORM))


def words(request: HandlerRequest) -> str:
    """The message that holds the counterparty's words, as data."""
    return PROBE if request.probe else envelope(request.messages, language=request.language)


def inert(data: str) -> str:
    """`words` with every character that a host may take for a command written as a JSON escape."""
    return data.translate(_MEANT_BY_HOSTS)


def read_words(said: str, request: HandlerRequest) -> HandlerAnswer:
    """The answer in a model's whole text.

    Raises:
        HandlerFailed: with its fault.
    """
    return parse_answer(
        said.encode("utf-8", "surrogatepass"),
        probe=request.probe,
        max_message_bytes=request.limits.max_message_bytes,
    )


__all__ = ["FORM", "PROBE", "inert", "orders", "orders_in_one", "read_words", "words"]
