"""Tells the owner in a chat: one of our own, served by the receiver, whose platform says who is there (spec 2 §2).

1. The words leave by the gate's one door, as an operational text: that class exists for internal and operator targets
   only, so a target that is external, shared or not verified at this moment gets nothing (spec 1 §1, §4).
2. The authority is one grant of purpose `notification`, for this one target, which only the receiver's configuration
   makes. It answers no message and admits nobody.
3. Told is what the transport proved. Denied, held or provably not sent → `failed`; no proof, or the time ran out after
   the door's mark → `uncertain`.
4. While the agent is paused there, or only looks on, what is queued waits.
5. What the door would stop for its content (a hard stop, a suspicious link) is left out; the owner is told the event.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from typing import Final

import msgspec

from dragoman.agents.notifier import Notification, Told
from dragoman.agents.notify_words import body, cut, first_line, title
from dragoman.clock import SECOND
from dragoman.errors import DragomanError
from dragoman.gate.checks import links, stops
from dragoman.gate.gate import Gate
from dragoman.gate.parts import NOTHING, passages
from dragoman.gate.policy import Policy
from dragoman.gate.ports import Channel, Delivery, Draft
from dragoman.grants import Grant
from dragoman.identity import Target
from dragoman.words import Audience, Fact, NotificationState, OutputClass, Purpose, ReleaseOutcome

LENGTH: Final = 3_500
"""Characters of one message; every platform takes that in one or a few pieces."""
FOREVER: Final = 2**53 - 1
"""The grant ends with the configuration that names the target."""
_STATES: Final = {
    Fact.YES: NotificationState.DELIVERED,
    Fact.NO: NotificationState.FAILED,
    Fact.UNKNOWN: NotificationState.UNCERTAIN,
}


class Door(msgspec.Struct, frozen=True):
    """The gate, the channel that serves the target, and whether the agent is paused there now."""

    gate: Gate
    channel: Channel
    paused: Callable[[Target], bool]


class ChannelNotifier:
    """One internal target.

    Args:
        target: where the owner reads.
        door: the way out; without one nothing can be told, only looked at.
        language: of title and hints.
        time_ms: limit of one whole send.
    """

    kind = "channel"

    def __init__(self, target: Target, door: Door | None, *, language: str = "en", time_ms: int = 30_000) -> None:
        self._target = target
        self._door = door
        self._language = language
        self._time_s = time_ms / SECOND
        self._grant = grant_for(target)

    def fingerprint(self) -> str:
        """The target."""
        return hashlib.sha256(msgspec.json.encode([self.kind, str(self._target)])).hexdigest()

    def ready(self) -> bool:
        """Not while the agent is paused there, nor while it only looks on."""
        door = self._door
        return door is None or not (door.paused(self._target) or door.gate.policy.mode == "shadow")

    async def check(self) -> dict[str, str]:
        """Whether the target is internal and verified now; nothing is said there.

        Raises:
            DragomanError: `config_invalid` when the policy does not say so, `not_ready` when the platform does not.
        """
        if self._door is None:
            raise DragomanError("not_ready", "no channel serves it", where=str(self._target), fix="see `channels`")
        listed_inside(self._door.gate.policy, self._target)
        audience = await self._door.gate.audience(self._target, self._door.channel)
        if audience is Audience.EXTERNAL:
            fix = "let nobody from outside be in there, and the platform say so"
            raise DragomanError(
                "not_ready", "the platform does not prove who is there", where=str(self._target), fix=fix
            )
        return {"target": str(self._target), "audience": str(audience)}

    async def notify(self, notification: Notification) -> Told:
        """Say it once."""
        if self._door is None:
            return Told(NotificationState.FAILED, "no_channel")
        marked: list[bool] = []
        try:
            async with asyncio.timeout(self._time_s):
                return told(await self._say(self._door, notification, lambda: marked.append(True)))
        except TimeoutError:
            state = NotificationState.UNCERTAIN if marked else NotificationState.FAILED
            return Told(state, "timeout", slow=True)

    async def _say(self, door: Door, notification: Notification, mark: Callable[[], None]) -> Delivery:
        """The queue's own row is the mark before the bytes leave: it stood at `sending` before this began."""
        draft = Draft(text=self.words(notification), output_class=OutputClass.OPERATIONAL)
        key = notification.notification_id
        return await door.gate.deliver(draft, self._grant, door.channel, key=key, target=self._target, sending=mark)

    def words(self, notification: Notification) -> str:
        """What is said: the milestone, the summary, whom it is about, where to answer."""
        head = title(notification.milestone, self._language)
        whole = f"{head}\n\n{body(notification, self._language)}"
        said = passages(whole, NOTHING)
        if stops(said) or links(said, NOTHING):
            bare = msgspec.structs.replace(notification, summary=first_line(notification))
            whole = f"{head}\n\n{body(bare, self._language)}"
        return cut(whole, LENGTH, self._language)


def grant_for(target: Target) -> Grant:
    """The one authority to tell the owner at `target`."""
    name = hashlib.sha256(str(target).encode()).hexdigest()[:16]
    return Grant(
        id=f"notifier-{name}",
        purpose=Purpose.NOTIFICATION,
        targets=frozenset({target}),
        given_by="owner",
        expires_at=FOREVER,
    )


def listed_inside(policy: Policy, target: Target) -> None:
    """See that the operator's policy lists `target` as internal or the operator's own.

    Raises:
        DragomanError: `config_invalid`.
    """
    here = policy.at(target)
    if policy.broken or not here.listed or here.denied or here.audience is Audience.EXTERNAL:
        raise DragomanError(
            "config_invalid",
            "not an internal target of the policy: the owner is never told where outsiders may read",
            where=f"notifier.channel.target: {target}",
            fix='list it under `[[targets]]` of the policy with `audience = "internal"` or `"operator"`',
        )


def told(delivery: Delivery) -> Told:
    """What the door's answer means for a notification."""
    if delivery.outcome is not ReleaseOutcome.SEND:
        return Told(NotificationState.FAILED, f"{delivery.outcome}: {delivery.reason}")
    state = _STATES[delivery.delivered]
    return Told(state, "" if state is NotificationState.DELIVERED else "not_proven", delivery.evidence)
