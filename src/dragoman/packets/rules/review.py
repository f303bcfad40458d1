"""What a person must look at: blockers, memory, handoffs, corrections (seed, core ideas and memory boundary)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dragoman.packets.envelope import MISSING, at, list_at
from dragoman.packets.rules.rule import Hit, Rule, Subject

REVIEWED_BLOCKERS: Final = frozenset({"authorization", "access", "secret", "destructive", "boundary"})
DURABLE_FACTS: Final = frozenset({"architecture", "interface", "constraint", "decision", "convention"})

_DECIDED: Final = ("approved", "promoted")
_BLOCKER: Final = frozenset({"uai.agent.blocker.v1"})
_MEMORY: Final = frozenset({"uai.agent.memory-proposal.v1"})
_HANDOFF: Final = frozenset({"uai.agent.handoff.v1"})
_CORRECTION: Final = frozenset({"uai.agent.correction.v1"})
_CITATION: Final = frozenset({"grant_ref", "given_by"})


def blocker_without_review(subject: Subject) -> Iterable[Hit]:
    """Five kinds of blocker always go before a person."""
    kind = subject.body.get("blocker_type")
    if type(kind) is str and kind in REVIEWED_BLOCKERS and subject.body.get("human_review_required") is not True:
        return [("/body/human_review_required", "is not true for a blocker that needs a person")]
    return ()


def memory_not_durable(subject: Subject) -> Iterator[Hit]:
    """Only stable facts are proposed."""
    for index, fact in enumerate(list_at(subject.body, "proposed_facts")):
        kind = at(fact, "kind")
        if type(kind) is not str or kind not in DURABLE_FACTS:
            yield f"/body/proposed_facts/{index}/kind", "is not a kind of durable fact"


def memory_mixed_with_execution(subject: Subject) -> Iterable[Hit]:
    """Execution records stay apart from proposals."""
    if subject.body.get("task_execution_separation") is not True:
        return [("/body/task_execution_separation", "is not true")]
    return ()


def cold_memory_promoted(subject: Subject) -> Iterable[Hit]:
    """Background material becomes current truth only through a review, and a packet reviews nothing."""
    source = subject.body.get("source_type")
    if source in ("cold_memory", "imported_packet") and subject.body.get("proposed_status") in _DECIDED:
        return [("/body/proposed_status", "promotes background material directly")]
    return ()


def review_missing(subject: Subject) -> Iterable[Hit]:
    """A proposal waits for a review; one that claims more than `proposed` names the review."""
    found = []
    if subject.body.get("review_required") is not True:
        found.append(("/body/review_required", "is not true"))
    if subject.body.get("proposed_status") in _DECIDED and subject.body.get("review_ref", MISSING) is MISSING:
        found.append(("/body/review_ref", "names no review although the status claims one"))
    return found


def authority_in_handoff(subject: Subject) -> Iterator[Hit]:
    """A handoff cites grants that stand elsewhere; anything else in their place would be authority made by a packet."""
    found = subject.body.get("delegated_authorization", MISSING)
    if found is MISSING:
        return
    if type(found) is not list:
        yield "/body/delegated_authorization", "is no list of cited grants"
        return
    for index, cited in enumerate(found):
        if type(cited) is not dict or cited.keys() != _CITATION:
            yield f"/body/delegated_authorization/{index}", "is no citation of a grant and its giver"


def correction_history_broken(subject: Subject) -> Iterator[Hit]:
    """The history ends with the packet that is corrected, repeats nothing, and does not hold the correction itself."""
    history = [item for item in list_at(subject.body, "history") if type(item) is str]
    if not history or history[-1] != subject.body.get("corrects_message_id"):
        yield "/body/history", "does not end with the packet that is corrected"
    elif len(set(history)) != len(history) or subject.packet.get("message_id") in history:
        yield "/body/history", "names a packet twice or the correction itself"
    kind, corrected = subject.body.get("correction_kind"), subject.body.get("corrected_body", MISSING)
    if kind == "retract" and type(corrected) is dict:
        yield "/body/corrected_body", "is given although the packet is taken back"
    elif kind in ("supersede", "amend") and corrected is None:
        yield "/body/corrected_body", "is null although something is put in place"


RULES: Final = (
    Rule(
        id="blocker_without_review",
        reason="Authorization, access, secret, destructive and boundary blockers all need a person.",
        fix="set `human_review_required` to true",
        check=blocker_without_review,
        profiles=_BLOCKER,
    ),
    Rule(
        id="memory_not_durable",
        reason="Endpoint state, session and write tokens, beta instructions and local traces are not promoted.",
        fix="propose architecture, interface, constraint, decision or convention; drop the rest",
        check=memory_not_durable,
        profiles=_MEMORY,
    ),
    Rule(
        id="memory_mixed_with_execution",
        reason="Durable memory proposals stay apart from task execution records.",
        fix="move execution records to a status or report packet",
        check=memory_mixed_with_execution,
        profiles=_MEMORY,
    ),
    Rule(
        id="cold_memory_promoted",
        reason="Cold memory cannot become current truth by direct promotion.",
        fix="propose it as `proposed` and let an operator review it",
        check=cold_memory_promoted,
        profiles=_MEMORY,
    ),
    Rule(
        id="review_missing",
        reason="Only stable architectural facts enter durable memory, and only after review.",
        fix="set `review_required` to true, and cite the review that a claimed status rests on",
        check=review_missing,
        profiles=_MEMORY,
    ),
    Rule(
        id="authority_in_handoff",
        reason="Agents execute under a runtime's authority; a record cites a grant and never makes one.",
        fix="list objects of `grant_ref` and `given_by`, or an empty list",
        check=authority_in_handoff,
        proven=True,
        profiles=_HANDOFF,
    ),
    Rule(
        id="correction_history_broken",
        reason="Handoff, completion and correction keep the complete history of corrections.",
        fix="list every earlier packet of this line, oldest first, the corrected one last",
        check=correction_history_broken,
        profiles=_CORRECTION,
    ),
)
