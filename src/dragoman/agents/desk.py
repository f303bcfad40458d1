"""A handler for the demo: a small local model answers from the owner's facts.

`python -m dragoman.agents.desk --base-url URL` reads one `HandlerRequest` on stdin and prints one `HandlerAnswer`.

A model of 135 million parameters cannot follow rules or fill in a form, so it is asked two things that it can do:
1. *Which fact?* For every fact (and for "nothing is known" and "no question") the model says how likely it holds the
   counterparty's words to be, given that fact. The most likely one is its choice. The words are only measured here,
   never obeyed: an instruction inside them can change a number, not the task.
2. *Say it.* The model answers the words in one sentence, given the chosen fact.

"Nothing is known" becomes `waiting_owner`, "no question" becomes `no_reply`, everything else is returned as a `reply`
in the model's own words, right or wrong: a price that it makes up is for the gate to stop. No rule here looks at a word
of a question, no answer is written down, and a model that does not answer is a failed turn.

The examples below belong to no customer of anybody. The first step uses what this server can and most cannot: the
likelihood of given tokens (a grammar of token numbers).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from typing import Any, Final

import msgspec

from dragoman.agents.contract import (
    REQUEST_BYTES,
    Fault,
    HandlerAnswer,
    HandlerFailed,
    HandlerMessage,
    HandlerRequest,
    parse_answer,
    read_request,
    write_answer,
)
from dragoman.agents.openai import Endpoint
from dragoman.errors import DragomanError
from dragoman.words import Action

NOTHING: Final = "Nothing is known about that."
FAREWELL: Final = "The customer has no question and only says thanks."
_PENDING: Final = 5
_CHARACTERS: Final = 400
_TOKENS: Final = 60

_ASK: Final = "You write one short question that the fact answers."
_ASKED: Final = (
    ("The library closes at 18:00.", "Until when can I stay in the library?"),
    ("Parking costs nothing.", "Do I have to pay to park?"),
    ("Dogs may not enter the garden.", "Can I bring my dog?"),
    ("Ms Lee repairs the bicycles.", "Who can mend my bike?"),
)
_SAY: Final = "You answer a customer in one short sentence that repeats the fact."
_SAID: Final = (
    ("The library closes at 18:00.", "Until when can I stay?", "The library closes at 18:00."),
    ("The tower has 90 steps.", "Is it a long way up?", "The tower has 90 steps."),
    ("Ms Lee repairs the bicycles.", "Who can mend my bike?", "Ms Lee repairs the bicycles."),
    ("Tickets are sold at door 5.", "Can I buy a ticket here?", "Tickets are sold at door 5."),
)


class _Tokens(msgspec.Struct, frozen=True):
    tokens: list[int]


class Desk:
    """The two questions to the model, over one endpoint of `dragoman.agents.local`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def answer(self, request: HandlerRequest) -> HandlerAnswer:
        """What the model decides and says for `request`.

        Raises:
            HandlerFailed: the model gave nothing usable.
        """
        if request.probe:
            return await self._probe()
        words = pending(request.messages)
        if not words:
            return HandlerAnswer(schema_version=1, action=Action.NO_REPLY)
        chosen = [(text, await self.choose(text, request.record)) for text in words]
        unknown = [text for text, fact in chosen if fact == NOTHING]
        if unknown:
            return HandlerAnswer(
                schema_version=1, action=Action.WAITING_OWNER, owner_summary=f"No fact answers: {' / '.join(unknown)}"
            )
        said = [await self.say(text, fact) for text, fact in chosen if fact != FAREWELL]
        if not said:
            return HandlerAnswer(schema_version=1, action=Action.NO_REPLY)
        return HandlerAnswer(schema_version=1, action=Action.REPLY, message=" ".join(dict.fromkeys(said)))

    async def choose(self, words: str, facts: tuple[str, ...]) -> str:
        """The fact after which the model holds `words` to be most likely; `NOTHING` or `FAREWELL` count as facts."""
        tokens = await self._tokens(words)
        candidates = [*facts, NOTHING, FAREWELL]
        scores = [await self._likelihood(fact, words, tokens) for fact in candidates]
        return candidates[max(range(len(candidates)), key=scores.__getitem__)]

    async def say(self, words: str, fact: str) -> str:
        """One sentence of the model that answers `words` from `fact`."""
        examples = [(f"Question: {asked}\nFact: {known}", said) for known, asked, said in _SAID]
        body = _body(_SAY, examples, f"Question: {words}\nFact: {fact}") | {"max_tokens": _TOKENS}
        said = ((await self._endpoint.chat(body)).message.content or "").strip()
        if not said:
            raise HandlerFailed(Fault.EMPTY_MESSAGE, "the model said nothing")
        return said

    async def _probe(self) -> HandlerAnswer:
        said = await self.say("Does the model answer?", "The model answers.")
        return HandlerAnswer(
            schema_version=1, action=Action.COMPLETED, owner_summary=f"self-check: the model answered `{said[:200]}`"
        )

    async def _tokens(self, words: str) -> list[int]:
        raw = await self._endpoint.post("/tokenize", {"content": words})
        try:
            return msgspec.json.decode(raw, type=_Tokens).tokens
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise HandlerFailed(Fault.WRONG_SCHEMA, "the server's tokens") from error

    async def _likelihood(self, fact: str, words: str, tokens: list[int]) -> float:
        """Log-likelihood of exactly `tokens` as the next question after `fact`."""
        body = _body(_ASK, [(f"Fact: {known}", asked) for known, asked in _ASKED], f"Fact: {fact}")
        body |= {
            "logprobs": True,
            "top_logprobs": 1,
            "max_tokens": len(tokens) + 1,
            "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
        }
        choice = await self._endpoint.chat(body)
        if choice.message.content != words or choice.logprobs is None or not choice.logprobs.content:
            raise HandlerFailed(Fault.WRONG_SCHEMA, "the server did not measure the given words")
        return sum(token.logprob for token in choice.logprobs.content)


def pending(messages: tuple[HandlerMessage, ...]) -> list[str]:
    """What the peer said since the agent last spoke: at most `_PENDING` texts, each on one line and cut."""
    texts: list[str] = []
    for message in reversed(messages):
        if message.origin == "agent":
            break
        if text := " ".join(message.text.split())[:_CHARACTERS].strip():
            texts.insert(0, text)
    return texts[-_PENDING:]


def _body(task: str, examples: list[tuple[str, str]], last: str) -> dict[str, Any]:
    messages = [{"role": "system", "content": task}]
    for asked, answered in examples:
        messages += [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
    messages.append({"role": "user", "content": last})
    return {"messages": messages, "temperature": 0, "seed": 1}


def main(argv: list[str] | None = None) -> int:
    """One request in, one answer out; a failure is a sentence on stderr and a bad exit code."""
    parser = argparse.ArgumentParser(prog="python -m dragoman.agents.desk", description="Answer one request.")
    parser.add_argument("--base-url", required=True)
    options = parser.parse_args(argv)
    try:
        request = read_request(sys.stdin.buffer.read(REQUEST_BYTES + 1))
        answer = asyncio.run(Desk(Endpoint(options.base_url)).answer(request))
        raw = write_answer(answer)
        parse_answer(raw, probe=request.probe, max_message_bytes=request.limits.max_message_bytes)
    except DragomanError as error:
        print(json.dumps({"error": error.code, "detail": error.detail, "where": error.where}), file=sys.stderr)
        return int(error.exit)
    sys.stdout.buffer.write(raw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
