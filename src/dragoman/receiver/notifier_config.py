"""`notifier` of the configuration: exactly one way to tell the owner, with everything that it needs (spec 2 §2).

Each kind is a table of its own, so that a key of another kind is an unknown key. What only shows between keys is in
`notifier_problems`; what lies outside of the file (policy, files, servers) is for `doctor` and the start.
"""

from __future__ import annotations

from typing import Annotated, Final, Protocol

import msgspec
from msgspec import Meta

from dragoman.agents.notify_addresses import Mailbox, Security, refused_mailbox, refused_url
from dragoman.channels.account import AccountSection
from dragoman.identity import Target, parse_target
from dragoman.receiver.fields import Argv, Path_, Seconds, Section

KINDS: Final = ("command", "desktop", "email", "webhook", "channel")
Address = Annotated[str, Meta(min_length=3, max_length=254)]


class DesktopSection(Section, frozen=True, kw_only=True):
    """`notifier.desktop`: this machine's desktop. `details` shows the handler's words too, in a process's arguments."""

    program: Path_ = "/usr/bin/notify-send"
    details: bool = False


class EmailSection(Section, frozen=True, kw_only=True):
    """`notifier.email`: one mailbox. `password_file` is a private file; `port` is the usual one when left out."""

    server: Annotated[str, Meta(min_length=1, max_length=253)]
    sender: Address = msgspec.field(name="from")
    to: Address
    security: Security = "tls"
    port: Annotated[int, Meta(ge=1, le=65_535)] | None = None
    username: Annotated[str, Meta(min_length=1, max_length=254, pattern=r"^[\x21-\x7e]+\Z")] | None = None
    password_file: Path_ | None = None
    ca_file: Path_ | None = None

    @property
    def mailbox(self) -> Mailbox:
        """The same, as the notifier takes it."""
        return Mailbox(
            server=self.server,
            security=self.security,
            sender=self.sender,
            to=self.to,
            port=self.port or 0,
            username=self.username or "",
        )


class WebhookSection(Section, frozen=True, kw_only=True):
    """`notifier.webhook`: one signed request. `secret_file` and `bearer_file` are private files."""

    url: Annotated[str, Meta(min_length=8, max_length=2_000)]
    secret_file: Path_
    bearer_file: Path_ | None = None
    ca_file: Path_ | None = None


class TargetSection(Section, frozen=True, kw_only=True):
    """`notifier.channel`: an internal target of a chat under `channels`, `platform/workspace/channel`."""

    target: Annotated[str, Meta(min_length=5, max_length=2_000)]


class NotifierSection(Section, frozen=True, kw_only=True):
    """`notifier`: exactly one of `command`, `desktop`, `email`, `webhook`, `channel` tells the owner."""

    command: Argv | None = None
    desktop: DesktopSection | None = None
    email: EmailSection | None = None
    webhook: WebhookSection | None = None
    channel: TargetSection | None = None
    timeout_seconds: Seconds = 30
    max_output_bytes: Annotated[int, Meta(ge=256, le=1024 * 1024)] = 16 * 1024
    environment: tuple[str, ...] = ()


class Chats(Protocol):
    """The chats that the same file configures."""

    def accounts(self) -> list[tuple[str, AccountSection]]:
        """Each with its platform."""
        ...

    def serving(self, target: Target) -> str | None:
        """Which of them can speak to a target."""
        ...


def notifier_problems(section: NotifierSection, chats: Chats) -> list[tuple[str, str, str]]:
    """Where, what and how to mend it, of everything that only shows between the keys.

    Args:
        section: as it was read.
        chats: what the same file configures.
    """
    named = [kind for kind in KINDS if getattr(section, kind) is not None]
    if len(named) != 1:
        detail = f"needs exactly one of {', '.join(f'`{kind}`' for kind in KINDS)}"
        detail += f", has {', '.join(named)}" if named else ""
        return [("notifier", detail, "keep one; there is one way to tell the owner")]
    found = []
    if section.environment and section.command is None:
        found.append(("notifier.environment", "has no effect beside this notifier", "remove it"))
    if section.email is not None:
        found += _email(section.email)
    if section.webhook is not None and (why := refused_url(section.webhook.url)) is not None:
        found.append(("notifier.webhook.url", why, "use an `https://` address"))
    if section.channel is not None:
        found += _channel(section.channel, chats)
    return found


def _email(section: EmailSection) -> list[tuple[str, str, str]]:
    found = []
    if (wrong := refused_mailbox(section.mailbox)) is not None:
        found.append((f"notifier.email.{wrong[0]}", wrong[1], wrong[2]))
    if (section.username is None) != (section.password_file is None):
        found.append(("notifier.email", "`username` and `password_file` belong together", "give both, or neither"))
    if section.ca_file is not None and section.security == "none":
        found.append(("notifier.email.ca_file", "has no effect without TLS", "remove it"))
    return found


def _channel(section: TargetSection, chats: Chats) -> list[tuple[str, str, str]]:
    target = parse_target(section.target)
    where = "notifier.channel.target"
    if not target.known:
        return [(where, "not a target", "write `platform/workspace/channel`, as in the policy")]
    if chats.serving(target) is None:
        names = ", ".join(sorted(f"{platform}/{each.account}" for platform, each in chats.accounts())) or "none"
        return [(where, "no chat of `channels` serves it", f"configured accounts: {names}")]
    return []
