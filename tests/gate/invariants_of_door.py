"""What must hold at the door, steps 0 to 6, whatever its implementation (spec 1 §1-§3, §6, §11)."""

from __future__ import annotations

from dragoman.words import Outcome, Reason
from tests.gate.laws import (
    DOOR_CHANGES,
    DOOR_LAWS,
    DOOR_REASONS,
    REASONS,
    Facts,
    Verdict,
    because,
    door_law,
    may_arrive,
    turning,
)

__all__ = ["DOOR_CHANGES", "DOOR_LAWS"]


@door_law
def the_door_only_refuses(_door: Facts, verdict: Verdict | None) -> bool:
    """The door never says yes or later: it rejects, silences, or lets the question be put."""
    return verdict is None or verdict[0] in (Outcome.REJECTED, Outcome.SILENT)


@door_law
def a_reason_of_the_door_has_one_outcome(_door: Facts, verdict: Verdict | None) -> bool:
    """Every reason given at the door belongs to exactly one outcome, and is a reason of the door."""
    return verdict is None or (verdict[1] in DOOR_REASONS and verdict[1] in REASONS[verdict[0]])


@door_law
def unauthenticated_is_rejected(door: Facts, verdict: Verdict | None) -> bool:
    """What the transport refused is rejected as such before anything else is looked at, and nothing proven is."""
    if door.authenticated == "unknown":
        return True
    return bool((door.authenticated == "no") == (verdict == (Outcome.REJECTED, Reason.AUTH_FAILED)))


@door_law
def unproven_is_unauthenticated(door: Facts, verdict: Verdict | None) -> bool:
    """Unknown is never a yes: authenticity that nobody asserted is rejected like a bad signature."""
    return bool(door.authenticated != "unknown" or verdict == (Outcome.REJECTED, Reason.AUTH_FAILED))


@door_law
def a_duplicate_is_rejected_not_silenced(door: Facts, verdict: Verdict | None) -> bool:
    """An authentic message that was already decided is rejected as a duplicate and never counted as silence."""
    return (door.seen != "duplicate" or door.authenticated != "yes") or verdict == (Outcome.REJECTED, Reason.DUPLICATE)


@door_law
def only_a_duplicate_is_a_duplicate(door: Facts, verdict: Verdict | None) -> bool:
    """A new message, or a twin that may be decided once more, is never called a duplicate."""
    return not because(verdict, Reason.DUPLICATE) or door.seen == "duplicate"


@door_law
def no_request_in_what_is_no_message(door: Facts, verdict: Verdict | None) -> bool:
    """Our own echo, a reaction or receipt, an edit and an old message are rejected, each with its own reason."""
    if door.authenticated != "yes" or door.seen == "duplicate":
        return True
    named = {
        "own": Reason.SELF_ECHO,
        "other": Reason.NOT_A_MESSAGE,
        "edit": Reason.EDIT_NOT_A_REQUEST,
        "stale": Reason.STALE,
    }
    return door.form not in named or verdict == (Outcome.REJECTED, named[door.form])


@door_law
def a_message_is_never_rejected(door: Facts, verdict: Verdict | None) -> bool:
    """Rejected is for what is no decidable event; an authentic new message or schedule is answered or silenced."""
    if door.authenticated == "yes" and door.seen != "duplicate" and door.form in ("message", "synthetic"):
        return verdict is None or verdict[0] is not Outcome.REJECTED
    return True


@door_law
def paused_is_silent(door: Facts, verdict: Verdict | None) -> bool:
    """While the operator paused the agent nothing passes, no grant and no operator included."""
    return door.hold != "paused" or (
        verdict is not None and because(verdict, Reason.PAUSED, *REASONS[Outcome.REJECTED])
    )


@door_law
def takeover_is_silent(door: Facts, verdict: Verdict | None) -> bool:
    """While a colleague has taken the conversation over nothing passes."""
    return door.hold != "takeover" or because(verdict, Reason.HUMAN_TAKEOVER, *REASONS[Outcome.REJECTED])


@door_law
def a_hold_is_real(door: Facts, verdict: Verdict | None) -> bool:
    """Silence is blamed on a pause or a colleague only where there is one."""
    return (not because(verdict, Reason.PAUSED) or door.hold == "paused") and (
        not because(verdict, Reason.HUMAN_TAKEOVER) or door.hold == "takeover"
    )


@door_law
def unknown_or_malformed_never_passes(door: Facts, verdict: Verdict | None) -> bool:
    """A malformed fact or a missing target never passes, whatever grant or access there is."""
    return door.identity == "valid" or verdict is not None


@door_law
def malformed_is_called_malformed(door: Facts, verdict: Verdict | None) -> bool:
    """`invalid_facts` is said of malformed facts, `synthetic_without_target` of a missing target, of nothing else."""
    return (not because(verdict, Reason.INVALID_FACTS) or door.identity != "valid") and (
        not because(verdict, Reason.SYNTHETIC_WITHOUT_TARGET) or door.identity == "no_target"
    )


@door_law
def denied_access_always_wins(door: Facts, verdict: Verdict | None) -> bool:
    """Denied access never passes: a grant, an operator or a schedule does not lift it."""
    return door.access != "denied" or verdict is not None


@door_law
def access_is_blamed_only_where_denied(door: Facts, verdict: Verdict | None) -> bool:
    """`access_denied` is said only where access is denied and the facts are in order."""
    return not because(verdict, Reason.ACCESS_DENIED) or (door.access == "denied" and door.identity == "valid")


@door_law
def a_schedule_needs_a_grant(door: Facts, verdict: Verdict | None) -> bool:
    """A synthetic event without a grant never passes, whatever flags it carries."""
    return door.author != "synthetic" or door.granted or verdict is not None


@door_law
def a_machine_needs_a_grant(door: Facts, verdict: Verdict | None) -> bool:
    """A bot, or an author of unknown kind, never passes without a grant for it."""
    return door.author != "machine" or door.granted or verdict is not None


@door_law
def grants_are_asked_for_in_the_right_name(door: Facts, verdict: Verdict | None) -> bool:
    """A missing grant is blamed only on the one who needs it and lacks it, once access is settled."""
    blamed = {Reason.SYNTHETIC_WITHOUT_GRANT: "synthetic", Reason.BOT_WITHOUT_GRANT: "machine"}
    if verdict is None or verdict[1] not in blamed:
        return True
    return door.author == blamed[verdict[1]] and not door.granted and door.access != "denied"


@door_law
def a_person_in_order_is_heard(door: Facts, verdict: Verdict | None) -> bool:
    """An authentic new message in order, with access and no hold, passes; so does a granted machine or schedule."""
    in_order = (
        door.authenticated == "yes"
        and door.seen != "duplicate"
        and door.form in ("message", "synthetic")
        and door.hold == "open"
        and door.identity == "valid"
        and door.access != "denied"
    )
    return not (in_order and may_arrive(door)) or verdict is None


@turning(DOOR_CHANGES, "granted", True, False)
@turning(DOOR_CHANGES, "access", "allowed", "explicit_only")
@turning(DOOR_CHANGES, "access", "allowed", "denied")
@turning(DOOR_CHANGES, "access", "explicit_only", "denied")
@turning(DOOR_CHANGES, "authenticated", "yes", "unknown")
@turning(DOOR_CHANGES, "authenticated", "unknown", "no")
@turning(DOOR_CHANGES, "identity", "valid", "malformed")
@turning(DOOR_CHANGES, "identity", "valid", "no_target")
@turning(DOOR_CHANGES, "hold", "open", "paused")
@turning(DOOR_CHANGES, "seen", "new", "duplicate")
@turning(DOOR_CHANGES, "seen", "twin", "duplicate")
def less_authority_never_opens_the_door(_door: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """Taking away a grant, access, proof, identity or peace never lets pass what did not pass before."""
    return before is None or after is not None


@turning(DOOR_CHANGES, "access", "allowed", "explicit_only")
@turning(DOOR_CHANGES, "seen", "new", "twin")
@turning(DOOR_CHANGES, "author", "human", "operator")
def these_are_the_same_at_the_door(_door: Facts, before: Verdict | None, after: Verdict | None) -> bool:
    """To the door an operator is a person, a twin a message, and restricted access is access."""
    return before == after
