"""The handler of the unattended run: the demo's small model decides and speaks; some answers are spoilt on purpose.

Usage: `python unattended_handler.py WITNESS_FOLDER MODEL_URL`; `-` for the model is a stand-in that picks a fact by a
shared word, for the short version.

Every call leaves a file of its own, flushed before the answer is given: what was asked, and what was said. One answer
in `SPOILT_ONE_IN` is spoilt: the trace of a program, or another customer's term, goes with the model's words, or there
is no answer at all but a program's chatter. Nobody outside may ever see any of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import msgspec

from dragoman.agents.contract import HandlerAnswer, HandlerRequest, read_request, write_answer
from dragoman.agents.desk import FAREWELL, NOTHING, Desk
from dragoman.agents.openai import Endpoint
from dragoman.words import Action

SPOILT_ONE_IN = 20
TRACE = "Traceback (most recent call last):\n  File handler.py, line 7, in answer\nKeyError: 'owner_instruction'"
SECRET = "Kestrel-7"
CHATTER = 'I will call the tool now: {"tool": "search", "arguments": {"query": "shelves"}}'
FORBIDDEN = ("Traceback", "KeyError", "owner_instruction", SECRET, '"tool"', "call the tool", "schema_version")
"""What no peer may ever read."""


class StandIn:
    """Stands in for the model: the fact that shares a word with the question."""

    async def choose(self, words: str, facts: tuple[str, ...]) -> str:
        """The fact, or that there is none."""
        if "bye" in words.casefold() or "thank" in words.casefold():
            return FAREWELL
        asked = {word.strip("?.,") for word in words.casefold().split() if len(word) > 4}
        return next((fact for fact in facts if asked & {word.strip(".") for word in fact.casefold().split()}), NOTHING)

    async def say(self, words: str, fact: str) -> str:
        """The fact."""
        return fact


async def answered(model: Desk | StandIn, request: HandlerRequest) -> HandlerAnswer:
    """What the model decides on the new messages, and how it says it."""
    if request.probe:
        return HandlerAnswer(schema_version=1, action=Action.COMPLETED, owner_summary="self-check: here")
    asked = [" ".join(each.text.split()) for each in request.messages if each.new]
    chosen = [(words, await model.choose(words, request.record)) for words in asked]
    unknown = [words for words, fact in chosen if fact == NOTHING]
    if unknown:
        summary = f"No fact answers: {' / '.join(unknown)}"
        return HandlerAnswer(schema_version=1, action=Action.WAITING_OWNER, owner_summary=summary)
    known = {fact: words for words, fact in chosen if fact != FAREWELL}
    if not known and any(each.origin == "agent" for each in request.messages):
        return HandlerAnswer(schema_version=1, action=Action.COMPLETED, owner_summary=f"The peer says: {asked[-1]}")
    if not known:
        return HandlerAnswer(schema_version=1, action=Action.NO_REPLY)
    said = " ".join([await model.say(words, fact) for fact, words in known.items()])
    done = any(fact == FAREWELL for _, fact in chosen)
    summary = "The peer has what it asked for." if done else ""
    return HandlerAnswer(schema_version=1, action=Action.REPLY, message=said, complete=done, owner_summary=summary)


def main() -> None:
    """One request in, one answer out, one file beside."""
    folder, model = Path(sys.argv[1]), sys.argv[2]
    request = read_request(sys.stdin.buffer.read())
    print(f"thinking about {request.contact_id}; {CHATTER}", file=sys.stderr)
    answer = asyncio.run(answered(StandIn() if model == "-" else Desk(Endpoint(model)), request))
    name = os.urandom(8).hex()
    spoilt = "" if request.probe or random.Random(name).randrange(SPOILT_ONE_IN) else name[0]
    raw = write_answer(answer)
    if spoilt in tuple("01234"):
        raw = CHATTER.encode()
    elif spoilt and answer.action is Action.REPLY:
        added = TRACE if spoilt in tuple("56789") else f"{SECRET} is ours as well."
        raw = write_answer(msgspec.structs.replace(answer, message=f"{answer.message}\n{added}"))
    if not request.probe:
        _witness(folder / name, request, answer, spoilt)
    sys.stdout.buffer.write(raw)


def _witness(path: Path, request: HandlerRequest, answer: HandlerAnswer, spoilt: str) -> None:
    body: dict[str, Any] = {
        "contact": request.contact_id,
        "asked": [each.id for each in request.messages if each.new],
        "action": answer.action,
        "said": answer.message,
        "spoilt": spoilt,
    }
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, json.dumps(body).encode())
    os.fsync(fd)
    os.close(fd)


if __name__ == "__main__":
    main()
