"""Tells the owner, and says honestly what became of it (spec 2 §2, §3.10). One contract for every kind of notifier.

Only evidence of its own kind counts as told, never a good exit or the absence of an error:

    command   exit 0 and the acknowledgement below, with the same notification id       (this file)
    webhook   2xx and the same acknowledgement                                          (`notify_webhook`)
    e-mail    250 after the whole message: the server has taken it                      (`notify_email`)
    desktop   exit 0 and the number that the desktop gave the notification              (`notify_desktop`)
    channel   what the platform's transport proved, by the gate's one door              (`notify_channel`)

1. Nothing began, or the other side said a plain no → `failed`: it provably told nobody.
2. The evidence → `delivered`. Delivered is not read.
3. Anything else (time, size, exit code, garbage, another id, a cut connection) → `uncertain`: it may have told the
   owner, so it is never resent by itself.

The acknowledgement: `{"schema_version":1,"delivered":true,"notification_id":<same>}`; `false` is a plain no.
"""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from dragoman.agents.contract import HandlerFailed, read_object, unquoted
from dragoman.agents.process import Ended, Ran
from dragoman.agents.program import Changed, Program
from dragoman.words import Milestone, NotificationState


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """What a notifier is given; a command reads it on stdin, a webhook gets it. `summary` is for the owner's eyes."""

    notification_id: str
    milestone: Milestone
    summary: str
    contact_id: str | None = None
    probe: bool = False
    schema_version: Literal[1] = 1


class Told(msgspec.Struct, frozen=True):
    """What became of one notification: `DELIVERED`, `FAILED` or `UNCERTAIN`, and why.

    `evidence` is for the operator: the end of stderr, a server's answer, an event id. `slow`: the time ran out.
    """

    state: NotificationState
    why: str = ""
    evidence: str = ""
    slow: bool = False


class Notifier(Protocol):
    """One way to tell the owner."""

    kind: str
    """The key of the configuration that names it."""

    def fingerprint(self) -> str:
        """What the scope digest holds of it: another address, target or file is another one."""
        ...

    def ready(self) -> bool:
        """Whether it may be used at this moment; what is queued waits until it may."""
        ...

    async def check(self) -> dict[str, str]:
        """Look at what it needs without telling anybody; the facts that `doctor` names.

        Raises:
            DragomanError: what is not as it must be, with its fix.
        """
        ...

    async def notify(self, notification: Notification) -> Told:
        """Tell the owner once; never raises for what the other side does."""
        ...


class _Acknowledgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema_version: Literal[1]
    delivered: bool
    notification_id: str


class CommandNotifier:
    """A notifier that runs one authorised `Program` per notification."""

    kind = "command"

    def __init__(self, program: Program) -> None:
        self.program = program

    def fingerprint(self) -> str:
        """What the scope digest holds of this notifier: arguments and file hashes."""
        return self.program.fingerprint()

    def ready(self) -> bool:
        """A command may always be run."""
        return True

    async def check(self) -> dict[str, str]:
        """Path, owner, mode and hash were judged when it was authorised."""
        return {}

    async def notify(self, notification: Notification) -> Told:
        """Run the command once; never raises for what the command does."""
        ran = await once(self.program, msgspec.json.encode(notification) + b"\n")
        if isinstance(ran, Told):
            return ran
        state, why = judge(ran, notification.notification_id)
        return Told(state, why, ran.stderr.decode("utf-8", "replace"), slow=ran.ended is Ended.TIMEOUT)


async def once(program: Program, stdin: bytes, *more: str) -> Ran | Told:
    """One run of `program`, with `more` arguments, or that it never began."""
    try:
        ran = await program.run(stdin, *more)
    except Changed as error:
        return Told(NotificationState.FAILED, f"command_changed: {error}")
    except OSError as error:
        return Told(NotificationState.FAILED, f"cannot_start: {error}")
    if ran.ended is Ended.CANNOT_START:
        return Told(NotificationState.FAILED, f"cannot_start: {ran.detail}", ran.stderr.decode("utf-8", "replace"))
    return ran


def judge(ran: Ran, notification_id: str) -> tuple[NotificationState, str]:
    """The state after one finished run, and the reason when it is not `DELIVERED`."""
    if ran.ended is Ended.CANNOT_START:
        return NotificationState.FAILED, f"cannot_start: {ran.detail}"
    if ran.ended is not Ended.EXITED:
        return NotificationState.UNCERTAIN, str(ran.ended)
    if ran.exit_code != 0:
        return NotificationState.UNCERTAIN, f"exit_code: {ran.exit_code}"
    return acknowledged(ran.stdout, notification_id)


def acknowledged(raw: bytes, notification_id: str) -> tuple[NotificationState, str]:
    """What an acknowledgement comes to, and the reason when it is not `DELIVERED`."""
    try:
        said = msgspec.convert(read_object(raw), _Acknowledgement)
    except HandlerFailed as error:
        return NotificationState.UNCERTAIN, error.detail
    except msgspec.ValidationError as error:
        return NotificationState.UNCERTAIN, f"wrong_schema: {unquoted(error)}"
    if said.notification_id != notification_id:
        return NotificationState.UNCERTAIN, "other_notification"
    return (NotificationState.DELIVERED, "") if said.delivered else (NotificationState.FAILED, "not_delivered")
