"""What is the first policy? Three answers (where, who is there, who is the operator) as entries with their comments.

1. Everything that is not asked stays at its default, which is the closed one.
2. The comments say what the owner is likely to add next; none of them opens anything.
3. An answer that is no exact id of its platform is refused, so that no entry is written that never matches.

Pure: the command asks the questions and writes the file.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from dragoman.errors import DragomanError
from dragoman.gate.policy import Language
from dragoman.gate.policy_keys import CounterpartyEntry, PartyEntry, PolicyFile, TargetEntry
from dragoman.gate.workbench.lint.shapes import PLATFORMS, SHAPES, fits
from dragoman.identity import well_formed
from dragoman.words import Audience


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """What was answered. `counterparty` is None for a place where only our own people are."""

    platform: str
    workspace: str
    channels: tuple[str, ...]
    counterparty: str | None
    operator: str | None = None
    language: Language = "en"


def start(answers: Answers) -> tuple[PolicyFile, Mapping[str, str]]:
    """The first policy and its notes, for `text.py`.

    Raises:
        DragomanError: `input_invalid`, with the answer that is no exact id and what would be one.
    """
    _checked(answers)
    external = answers.counterparty is not None
    file = PolicyFile(
        version=1,
        language=answers.language,
        targets=tuple(
            TargetEntry(
                platform=answers.platform,
                workspace=answers.workspace,
                channel=channel,
                audience=Audience.EXTERNAL if external else Audience.INTERNAL,
                counterparty=answers.counterparty,
            )
            for channel in dict.fromkeys(answers.channels)
        ),
        operators=()
        if answers.operator is None
        else (PartyEntry(platform=answers.platform, workspace=answers.workspace, id=answers.operator),),
        counterparties=() if answers.counterparty is None else (CounterpartyEntry(id=answers.counterparty),),
    )
    return file, _notes(external)


def _notes(external: bool) -> Mapping[str, str]:
    head = (
        "Who may be answered where. Every key: docs/reference/policy.md; after a change: `dragoman policy lint`.\n"
        "Whatever is not listed here is external and stays silent."
    )
    where = (
        "An outsider listens here. The agent answers when it is mentioned, replied to, or written to one to one;\n"
        "prices, commitments, legal text and facts without a record are filed for you instead."
        if external
        else "Only our own people, and only while it is proven that nobody from outside is there."
    )
    who = (
        "Its name is never shown outside. Terms that nobody else may see:\n"
        'terms = ["Project name"]\n'
        "Facts that may be stated to it, until they expire:\n"
        "[[records]]\n"
        'counterparty = "the id below"\n'
        'facts = ["Open start dates are 6 October 2026 and 13 October 2026."]'
    )
    return {
        "": head,
        "targets[0]": where,
        "operators[0]": "May command the agent and approve drafts, from this account only.",
        "counterparties[0]": who,
    }


def _checked(answers: Answers) -> None:
    if answers.platform not in PLATFORMS:
        raise _refused("platform", answers.platform, f"use one of: {', '.join(sorted(PLATFORMS))}")
    ids = [("workspace", "workspace", answers.workspace)]
    ids += [("channel", "channel", channel) for channel in answers.channels]
    ids += [] if answers.operator is None else [("operator", "user", answers.operator)]
    for name, kind, id in ids:
        if not well_formed(id) or not fits(answers.platform, kind, id):
            looks = SHAPES[answers.platform].looks if answers.platform in SHAPES else "exact, printable, unpadded"
            raise _refused(name, id, f"copy the id as the platform sends it: {looks}")
    if not answers.channels:
        raise _refused("channel", "", "name at least one")
    if answers.counterparty is not None and not well_formed(answers.counterparty):
        raise _refused("counterparty", answers.counterparty, "give it a short name of your own")
    if answers.operator is not None and answers.operator == answers.workspace:
        raise _refused("operator", answers.operator, "this is the agent's own account; name a person's")


def _refused(where: str, value: str, fix: str) -> DragomanError:
    return DragomanError("input_invalid", f"`{value}` cannot be used", where=where, fix=fix)
