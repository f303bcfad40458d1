"""Tells the owner through one authorised command, and says honestly what became of it (spec 2 §2, §3.10).

Only an explicit acknowledgement with the same notification id counts, never a good exit alone:
1. could not start, or the command was changed → `failed` (it provably told nobody);
2. exit 0 and `{"schema_version":1,"delivered":true,"notification_id":<same>}` → `delivered`; `false` → `failed`;
3. anything else after the start (time, size, exit code, garbage, another id) → `uncertain`: it may have told the owner,
   so it is never resent by itself.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from dragoman.agents.contract import HandlerFailed, read_object, unquoted
from dragoman.agents.process import Ended, Ran
from dragoman.agents.program import Changed, Program
from dragoman.words import Milestone, NotificationState


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """What the notifier command reads on stdin. `summary` is for the owner's eyes."""

    notification_id: str
    milestone: Milestone
    summary: str
    contact_id: str | None = None
    probe: bool = False
    schema_version: Literal[1] = 1


class Told(msgspec.Struct, frozen=True):
    """What became of one notification: `DELIVERED`, `FAILED` or `UNCERTAIN`, and why; `evidence` is stderr."""

    state: NotificationState
    why: str = ""
    evidence: str = ""


class _Acknowledgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema_version: Literal[1]
    delivered: bool
    notification_id: str


class CommandNotifier:
    """A notifier that runs one authorised `Program` per notification."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def fingerprint(self) -> str:
        """What the scope digest holds of this notifier: arguments and file hashes."""
        return self.program.fingerprint()

    async def notify(self, notification: Notification) -> Told:
        """Run the command once; never raises for what the command does."""
        try:
            ran = await self.program.run(msgspec.json.encode(notification) + b"\n")
        except Changed as error:
            return Told(NotificationState.FAILED, f"command_changed: {error}")
        except OSError as error:
            return Told(NotificationState.FAILED, f"cannot_start: {error}")
        state, why = judge(ran, notification.notification_id)
        return Told(state, why, ran.stderr.decode("utf-8", "replace"))


def judge(ran: Ran, notification_id: str) -> tuple[NotificationState, str]:
    """The state after one finished run, and the reason when it is not `DELIVERED`."""
    if ran.ended is Ended.CANNOT_START:
        return NotificationState.FAILED, f"cannot_start: {ran.detail}"
    if ran.ended is not Ended.EXITED:
        return NotificationState.UNCERTAIN, str(ran.ended)
    if ran.exit_code != 0:
        return NotificationState.UNCERTAIN, f"exit_code: {ran.exit_code}"
    try:
        said = msgspec.convert(read_object(ran.stdout), _Acknowledgement)
    except HandlerFailed as error:
        return NotificationState.UNCERTAIN, error.detail
    except msgspec.ValidationError as error:
        return NotificationState.UNCERTAIN, f"wrong_schema: {unquoted(error)}"
    if said.notification_id != notification_id:
        return NotificationState.UNCERTAIN, "other_notification"
    return (NotificationState.DELIVERED, "") if said.delivered else (NotificationState.FAILED, "not_delivered")
