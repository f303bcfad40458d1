"""Prints `docs/reference/decisions.md` from the gate's own tables; a test holds the page to them.

python docs/make_decisions.py > docs/reference/decisions.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dragoman.gate.admit import ALLOWED_CLASSES, DOOR, GROUNDS
from dragoman.gate.commands import OUTSIDE_AND_INSIDE
from dragoman.gate.operations import CHANGING, CLASS_OF, PAID, POINTING, Operation
from dragoman.gate.policy import Policy
from dragoman.gate.release import APPROVABLE
from dragoman.gate.topics import HARD_STOPS, TOPICS
from dragoman.gate.why import in_words
from dragoman.leaks.places import PLACES
from dragoman.leaks.secrets import SHAPES
from dragoman.words import HardStop, OutputClass, Reason, Topic

HEAD: Final = """# Decisions

Printed from the tables of the gate (`python docs/make_decisions.py`); what stands here is what runs.
Each question is asked apart; a yes to one is never a yes to another, and an error in answering is a no.
"""


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """A Markdown table."""
    names = list(head)
    yield "| " + " | ".join(names) + " |"
    yield "|" + "---|" * len(names)
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"
    yield ""


def asked() -> Iterator[str]:
    """Q2, in the order in which it is asked."""
    yield "## Were we asked?\n"
    yield "The first row that holds decides. Steps 0 to 6 are the door; text is read by none of them.\n"
    rows = [(step, outcome, f"`{reason}`", in_words(reason)) for step, _, (outcome, reason) in DOOR]
    rows.append(("7", "silent", "`addressed_to_other`", in_words(Reason.ADDRESSED_TO_OTHER)))
    rows += [("8", "respond", f"`{reason}`", in_words(reason)) for _, reason in GROUNDS]
    rows.append(("9", "silent", "`not_requested`", in_words(Reason.NOT_REQUESTED)))
    rows.append(("10", "defer", "`attachment_burst`", in_words(Reason.ATTACHMENT_BURST)))
    yield from table(("step", "outcome", "reason", "when"), rows)
    yield "Step 10 is asked only of what would be answered, and never of a control command.\n"


def may_go_out() -> Iterator[str]:
    """Q3: classes, topics, stops."""
    yield "## May this go out?\n"
    classes = list(OutputClass)
    yield from table(
        ("audience", *(f"`{each}`" for each in classes)),
        (
            [audience, *("yes" if each in allowed else "" for each in classes)]
            for audience, allowed in ALLOWED_CLASSES.items()
        ),
    )
    yield "A silent or deferred turn has no class at all.\n"
    stops = {stop: sum(rule.mark is stop for rule in HARD_STOPS.rules) for stop in HardStop}
    yield from table(("hard stop: denied everywhere", "rules"), ((f"`{stop}`", count) for stop, count in stops.items()))
    topics = {topic: sum(rule.mark is topic for rule in TOPICS.rules) for topic in Topic}
    drafts = Policy(version="").draft_only
    yield from table(
        ("topic", "rules over the text", "a draft until approved, by default"),
        (
            (f"`{topic}`", count or "by the record, or by the send", "yes" if topic in drafts else "")
            for topic, count in topics.items()
        ),
    )
    yield f"An approval lifts {', '.join(f'`{reason}`' for reason in sorted(APPROVABLE))}, and nothing else.\n"
    yield f"Guarded everywhere: {len(SHAPES)} shapes of secrets, {len(PLACES)} of paths, traces and internal hosts;"
    yield "at external targets every other counterparty's protected terms.\n"


def operations() -> Iterator[str]:
    """What an adapter may declare."""
    yield "## By which operation?\n"
    yield "An adapter declares what it has; everything else is refused (`undeclared_operation`).\n"
    rows = [
        (
            f"`{each}`",
            "a send of the admission or grant" if each in PAID else "",
            "a message of ours" if each in CHANGING else "a message" if each in POINTING else "",
            f"`{CLASS_OF[each]}`" if each in CLASS_OF else "the draft's",
        )
        for each in Operation
    ]
    yield from table(("operation", "costs", "names", "class"), rows)


def commands() -> Iterator[str]:
    """What a control command does."""
    yield "## Control commands\n"
    rows = [
        (f"`{control}`", who, f"`{outside}`", f"`{inside}`")
        for (control, who), (outside, inside) in OUTSIDE_AND_INSIDE.items()
    ]
    yield from table(("command", "said by", "external target", "internal or operator target"), rows)
    yield "In an external target nothing is ever answered to a command.\n"


def page() -> str:
    """The whole page."""
    parts = (asked(), may_go_out(), operations(), commands())
    return HEAD + "\n" + "\n".join(line for part in parts for line in part)


if __name__ == "__main__":
    print(page(), end="")
