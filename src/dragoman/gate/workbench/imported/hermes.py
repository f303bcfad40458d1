"""Hermes' channel configuration (`config.yaml`) as a policy: Slack, Discord, Telegram, Matrix.

Read in its stricter sense, which is that of its documentation:

1. Only a chat under its exact id is taken over, from the lists that allow, free, tighten or ignore it, and from the
   `message_audience` entries, which carry full identities.
2. Where a list of allowed chats stands, a chat outside it is denied; an ignored chat is denied always.
3. A person must stand in every list of allowed users that the file has; without any list nobody is let in, since the
   lists of the environment are not read. A Telegram chat of `group_allowed_chats` lets in its members.
4. A chat is free of mentions only by name, and not where anything asks for a mention again.
5. A key that says two things in two places says the stricter one, or nothing is taken over.
6. On Discord and Matrix a reply to the agent asks here and not there: a chat that needs a mention stays out, unless
   the operator accepts `replies`.

`.env` files are never read: they hold secrets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from dragoman.gate.policy_keys import TargetEntry
from dragoman.gate.workbench.imported.draft import Draft, Imported
from dragoman.gate.workbench.imported.field import AUDIENCES
from dragoman.gate.workbench.imported.tree import Tree, path_of, text, texts, truth
from dragoman.gate.workbench.lint.shapes import fits
from dragoman.words import Audience


class Platform(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of one platform's block."""

    allowed: str
    free: str
    ignored: str = ""
    members: str = ""
    """Chats whose members are let in without standing in a list of users."""
    replies: bool = False
    """Whether a reply to the agent asks there (or the platform has no such fact)."""
    narrower: tuple[str, ...] = ()
    """Keys that close parts of a chat, which a target cannot."""


PLATFORMS: Final[dict[str, Platform]] = {
    "slack": Platform(allowed="allowed_channels", free="free_response_channels", replies=True),
    "discord": Platform(
        allowed="allowed_channels",
        free="free_response_channels",
        ignored="ignored_channels",
        narrower=("allowed_roles",),
    ),
    "telegram": Platform(
        allowed="allowed_chats",
        free="free_response_chats",
        members="group_allowed_chats",
        replies=True,
        narrower=("allowed_topics", "ignored_threads"),
    ),
    "matrix": Platform(allowed="allowed_rooms", free="free_response_rooms", narrower=("ignore_user_patterns",)),
}
_USERS: Final = ("allowed_users", "allow_from", "group_allow_from")
_MENTION_AGAIN: Final = ("strict_mention", "thread_require_mention")
_EMPTY: Final[tuple[Any, ...]] = (None, "", [])


def import_hermes(tree: Tree, workspaces: Mapping[str, str], accepted: frozenset[str] = frozenset()) -> Imported:
    """Hermes' channels as a policy. `workspaces` names our account on each platform."""
    draft = Draft(tree, accepted)
    for name, platform in PLATFORMS.items():
        block = _Block(draft, name, platform, workspaces.get(name))
        if block.present:
            block.read()
    return draft.done("a Hermes configuration")


class _Block:
    """What the file says of one platform, in every place where it may say it."""

    def __init__(self, draft: Draft, name: str, platform: Platform, workspace: str | None) -> None:
        self.draft, self.tree, self.name, self.platform, self.workspace = draft, draft.tree, name, platform, workspace
        roots = ((name,), ("platforms", name), ("gateway", "platforms", name))
        self.places = [steps for root in roots for steps in (root, (*root, "extra")) if self.tree.keys(*steps)]

    @property
    def present(self) -> bool:
        """Whether the file speaks of this platform."""
        return bool(self.places)

    def read(self) -> None:
        """Take over what is exact, tell the rest."""
        shut = [key for key in self.platform.narrower if any(value not in _EMPTY for _, value in self._all(key))]
        if shut:
            self.draft.leave(self.name, "closed", f"`{shut[0]}` closes parts of chats, which a target cannot: denied")
        entries = {
            self._entry((*steps, index), bool(shut))
            for steps, value in self._all("message_audience")
            for index in range(len(value) if isinstance(value, list) else 0)
        }
        chats = {id: path for id, path in self._chats().items() if id not in entries}
        if not chats:
            return
        if self.workspace is None or not fits(self.name, "workspace", self.workspace):
            why = f"our own account there is not named, or by no id: add `--workspace {self.name}=ID`"
            self.draft.leave(self.name, "closed", why)
            return
        allowed, denied = self._list(self.platform.allowed), self._list(self.platform.ignored) or ()
        for id, path in chats.items():
            barred = bool(shut) or id in denied or (allowed is not None and id not in allowed)
            self._chat(id, path, barred)

    def _chat(self, id: str, path: str, barred: bool) -> None:
        free = self._free(id)
        if not barred and not free and not self.platform.replies:
            if "replies" not in self.draft.accepted:
                why = "a reply to the agent asks here, and not there: `--accept replies` takes it over all the same"
                self.draft.leave(path, "closed", why)
                return
            self.draft.leave(path, "accepted", "a reply to the agent asks here")
        if not _group_id(self.name, id):
            self.draft.leave(path, "closed", "no exact id of a group; names, aliases and wildcards match nothing here")
            return
        entry = TargetEntry(
            platform=self.name,
            workspace=self.workspace or "",
            channel=id,
            audience=Audience.EXTERNAL,
            access="deny" if barred else "allow",
            require_mention=barred or not free,
            allowed_senders=None if barred else self._senders(id, path),
        )
        self.draft.add(path, entry)

    def _entry(self, steps: tuple[str | int, ...], shut: bool) -> str | None:
        """One `message_audience` entry: a full identity with its audience. Its channel."""
        get, path = self.tree.get, path_of(steps)
        platform, workspace, channel = (text(get(*steps, key)) for key in ("platform", "workspace_id", "channel_id"))
        audience = AUDIENCES.get(str(get(*steps, "audience")))
        operators = truth(get(*steps, "operator_messages_are_requests")) is True
        if truth(get(*steps, "desk_voice")):
            self.draft.leave(f"{path}.desk_voice", "closed", "open questions are answered only where you say so anew")
        if audience is None or platform != self.name or not workspace or not channel:
            self.draft.leave(path, "closed", "platform, workspace, channel or audience is missing, or is another's")
            return channel
        barred = shut or any(channel in (self._list(key) or ()) for key in (self.platform.ignored,) if key)
        allowed = self._list(self.platform.allowed)
        barred = barred or (allowed is not None and channel not in allowed)
        trusted = audience is not Audience.EXTERNAL
        entry = TargetEntry(
            platform=platform,
            workspace=workspace,
            channel=channel,
            audience=audience,
            access="deny" if barred else "allow",
            operator_messages_are_requests=trusted and operators and not barred,
            allowed_senders=None if barred else self._senders(channel, path, workspace),
        )
        self.draft.add(path, entry)
        return channel

    def _chats(self) -> dict[str, str]:
        """Every chat that the file names, with where it stands first."""
        keys = (self.platform.allowed, self.platform.free, self.platform.members, self.platform.ignored)
        found: dict[str, str] = {}
        for key in (*keys, "require_mention_channels"):
            for steps, value in self._all(key) if key else ():
                for id in texts(value) or ():
                    found.setdefault(id, path_of(steps))
                if texts(value) is None and value is not None:
                    self.draft.leave(path_of(steps), "closed", "no list of ids")
        for steps, value in self._all("require_mention"):
            if truth(value) is False:
                self.draft.leave(path_of(steps), "closed", "a default of every chat: a mention is asked for")
        return found

    def _free(self, id: str) -> bool:
        """Whether a chat by name needs no mention, in every place that speaks of it, and nothing asks for one again."""
        again = any(
            truth(value) is not False for key in _MENTION_AGAIN for _, value in self._all(key) if value is not None
        )
        listed = [texts(value) for _, value in self._all(self.platform.free) if value not in _EMPTY]
        return (
            bool(listed)
            and all(id in (each or ()) for each in listed)
            and id not in (self._list("require_mention_channels") or ())
            and not again
        )

    def _senders(self, id: str, path: str, workspace: str | None = None) -> tuple[str, ...] | None:
        """Who may ask: whoever stands in every list of users; None is everyone there."""
        found: tuple[str, ...] | None = None
        for key in _USERS:
            for steps, value in self._all(key):
                if value is None:
                    continue
                each = self.draft.senders(path_of(steps), texts(value), self.name, workspace or self.workspace or "")
                found = each if found is None else tuple(sender for sender in found if sender in each)
        members = self._list(self.platform.members) if self.platform.members else None
        if found is None and members is not None and id in members:
            return None
        if found is None:
            self.draft.leave(path, "closed", "the file names no allowed users: nobody is let in until you name them")
        return found or ()

    def _list(self, key: str) -> tuple[str, ...] | None:
        """The ids of a list: of an allowing list what every place names, of an ignoring one what any names."""
        lists = [texts(value) or () for _, value in self._all(key) if value not in _EMPTY] if key else []
        if not lists:
            return None
        if key in (self.platform.ignored, "require_mention_channels"):
            return tuple(id for each in lists for id in each)
        return tuple(id for id in lists[0] if all(id in each for each in lists))

    def _all(self, key: str) -> Iterator[tuple[tuple[str | int, ...], Any]]:
        """Every place that has the key, with its value."""
        for steps in self.places:
            if key in self.tree.keys(*steps):
                yield (*steps, key), self.tree.get(*steps, key)


def _group_id(platform: str, id: str) -> bool:
    if not fits(platform, "channel", id):
        return False
    return id.startswith("-") if platform == "telegram" else id[:1] != "D" if platform == "slack" else True
