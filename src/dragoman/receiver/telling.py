"""Which notifier does the configuration name, and through which door does it speak (spec 2 §2)?

1. One kind, one notifier; what it cannot be made of is an error of the configuration before anything is served.
2. A chat target must be internal in the operator's policy, and served by a channel of the same configuration. Its grant
   is made here and nowhere else, and it opens nothing but that target for the owner's notifications.
3. Nothing here tells anybody.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from dragoman.agents.notifier import CommandNotifier, Notifier
from dragoman.agents.notify_channel import ChannelNotifier, Door, grant_for, listed_inside
from dragoman.agents.notify_desktop import SESSION, DesktopNotifier
from dragoman.agents.program import Program
from dragoman.clock import SECOND, Clock
from dragoman.gate.gate import Gate
from dragoman.grants import Grant
from dragoman.identity import Target, parse_target
from dragoman.receiver.config import Config
from dragoman.receiver.source import Source

MakeProgram = Callable[[tuple[str, ...], tuple[str, ...]], Program]
"""`make(argv, environment names)`: authorise a command under the section's limits."""


def target_of(config: Config) -> Target | None:
    """The chat target that the owner is told at, if that is the way."""
    section = config.file.notifier
    return None if section is None or section.channel is None else parse_target(section.channel.target)


def standing_grants(config: Config) -> tuple[Grant, ...]:
    """The grants that the notifier needs: one for a chat target, else none."""
    target = target_of(config)
    return () if target is None else (grant_for(target),)


def door_of(config: Config, gate: Gate, sources: Iterable[Source], paused: Callable[[Target], bool]) -> Door | None:
    """The way out to the configured chat target; None when that is not the way.

    Raises:
        DragomanError: `config_invalid` when the policy does not list the target as an internal one.
    """
    target = target_of(config)
    if target is None:
        return None
    listed_inside(gate.policy, target)
    serving = config.file.channels.serving(target)
    for source in sources:
        if source.name == serving:
            return Door(gate, source.channel, paused)
    return None


def notifier_from(config: Config, program: MakeProgram, door: Door | None, clock: Clock) -> Notifier | None:
    """The configured notifier, or None.

    Raises:
        DragomanError: `config_invalid` when a command is refused.
    """
    section, language = config.file.notifier, config.file.language
    if section is None:
        return None
    time_ms = section.timeout_seconds * SECOND
    if section.command is not None:
        return CommandNotifier(program(section.command, section.environment))
    if section.desktop is not None:
        shows = program((section.desktop.program,), SESSION)
        return DesktopNotifier(shows, details=section.desktop.details, language=language, environment=os.environ)
    if section.email is not None:
        from dragoman.agents.notify_email import EmailNotifier  # the standard library's e-mail is slow to load

        mail = section.email
        return EmailNotifier(
            mail.mailbox,
            password_file=config.at(mail.password_file) if mail.password_file else None,
            ca_file=config.at(mail.ca_file) if mail.ca_file else None,
            language=language,
            clock=clock,
            time_ms=time_ms,
        )
    if section.webhook is not None:
        from dragoman.agents.notify_webhook import WebhookNotifier

        hook = section.webhook
        return WebhookNotifier(
            hook.url,
            secret_file=config.at(hook.secret_file),
            bearer_file=config.at(hook.bearer_file) if hook.bearer_file else None,
            ca_file=config.at(hook.ca_file) if hook.ca_file else None,
            clock=clock,
            time_ms=time_ms,
            answer_bytes=section.max_output_bytes,
        )
    target = target_of(config)
    assert target is not None  # exactly one kind: `notifier_problems`
    return ChannelNotifier(target, door, language=language, time_ms=time_ms)
