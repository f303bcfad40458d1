"""OpenClaw's channel configuration (`openclaw.json`) as a policy: Slack, Discord, Telegram, Matrix, Teams.

Read in its stricter sense, which is that of its documentation:

1. Only a group, channel or room under its exact id is taken over; `*`, names, aliases and whole servers are not.
2. A group is open to whom an exact list names; without a list to everyone, where the platform's list is optional
   (Slack, Discord, Matrix, Teams), and to nobody where the group policy asks for one (Telegram).
3. `requireMention: false` counts at the exact entry only, never as a default of many.
4. Pairing, open direct messages and other bots are not taken over; a named Telegram user's own chat is.
5. Where a reply to the agent, or a room that is a one-to-one, would ask here and not there, the entry stays out unless
   the operator accepts that (`replies`, `direct`).
6. A platform with several accounts, or without a workspace id, stays out whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from dragoman.gate.policy_keys import TargetEntry
from dragoman.gate.workbench.imported.draft import Draft, Imported
from dragoman.gate.workbench.imported.tree import Tree, path_of, text, texts, truth
from dragoman.gate.workbench.lint.shapes import fits
from dragoman.identity import party
from dragoman.words import Audience


class Platform(msgspec.Struct, frozen=True, kw_only=True):
    """How one channel block is read."""

    here: str
    """Its platform's name in a policy."""
    groups: tuple[str, ...] = ()
    """Keys under which single places stand by id."""
    users: str = "users"
    """The key of a place's own list of senders."""
    list_needed: bool = False
    """Whether an allow-list policy lets in nobody without a list of senders."""
    replies: bool = True
    """Whether a reply to the agent asks there as it does here (or the platform has no such fact)."""
    rooms_may_be_direct: bool = False


PLATFORMS: Final[dict[str, Platform]] = {
    "slack": Platform(here="slack", groups=("channels",)),
    "discord": Platform(here="discord"),
    "telegram": Platform(here="telegram", groups=("groups",), users="allowFrom", list_needed=True),
    "matrix": Platform(here="matrix", groups=("groups", "rooms"), replies=False, rooms_may_be_direct=True),
    "msteams": Platform(here="teams"),
}
_NO_REPLY_FACT: Final = frozenset({"slack", "msteams"})
_NARROWER: Final = ("topics", "threads")
"""Parts of a place with rules of their own, which a target cannot have."""

Steps = tuple[str | int, ...]


def import_openclaw(tree: Tree, workspaces: Mapping[str, str], accepted: frozenset[str] = frozenset()) -> Imported:
    """OpenClaw's channels as a policy. `workspaces` names our account on each platform that the file does not."""
    draft = Draft(tree, accepted)
    for name in tree.keys("channels"):
        if name in ("defaults", "modelByChannel"):
            continue
        platform = PLATFORMS.get(name)
        if platform is None:
            tree.get("channels", name)
            draft.leave(f"channels.{name}", "no_counterpart", "no counterpart for this channel; nothing of it is open")
        else:
            _Channel(draft, name, platform, workspaces).read()
    return draft.done("an OpenClaw configuration")


class _Channel:
    """One `channels.<name>` block."""

    def __init__(self, draft: Draft, name: str, platform: Platform, workspaces: Mapping[str, str]) -> None:
        self.draft, self.tree, self.name, self.platform = draft, draft.tree, name, platform
        self.base: Steps = ("channels", name)
        self.workspace = self._workspace(workspaces)

    def read(self) -> None:
        """Take over what is exact, tell the rest."""
        policy = self._policy()
        if (why := self._shut(policy)) is not None:
            self.tree.get(*self.base)
            self.draft.leave(path_of(self.base), "closed", why)
            return
        for key in ("enabled", "botToken", "appToken", "token", "accessToken", "password", "userId", "tenantId"):
            self.tree.get(*self.base, key)
        if policy != "disabled":
            for steps, workspace, above in self._places():
                self._place(steps, workspace, above, policy)
        self._direct()

    def _workspace(self, workspaces: Mapping[str, str]) -> str | None:
        own = {"matrix": "userId", "msteams": "tenantId"}.get(self.name)
        found = workspaces.get(self.platform.here) or (text(self.tree.peek(*self.base, own)) if own else None)
        return found if found and fits(self.platform.here, "workspace", found) else None

    def _policy(self) -> str:
        value = self.tree.get(*self.base, "groupPolicy")
        if value is None:
            value = self.tree.get("channels", "defaults", "groupPolicy")
        return str(value) if value in ("open", "allowlist", "disabled") else "disabled" if value else "allowlist"

    def _shut(self, policy: str) -> str | None:
        """Why nothing of this block can be taken over."""
        peek = self.tree.peek
        if truth(peek(*self.base, "enabled")) is False:
            return "switched off there"
        if peek(*self.base, "accounts"):
            return "several accounts: import each from a file of its own"
        if self.name != "discord" and self.workspace is None:
            return f"our own account there is not named, or by no id: add `--workspace {self.platform.here}=ID`"
        replied = [peek(*steps, "implicitMentions", "replyToBot") for steps in (self.base, ("messages", "groupChat"))]
        counts = truth(replied[0] if replied[0] is not None else replied[1]) is not False
        same = self.name in _NO_REPLY_FACT or (counts and self.platform.replies)
        if not same and "replies" not in self.draft.accepted and policy != "disabled":
            return "a reply to the agent asks here, and not there: `--accept replies` takes it over all the same"
        if not same and policy != "disabled":
            self.draft.leave(path_of(self.base), "accepted", "a reply to the agent asks here")
        if self.platform.rooms_may_be_direct and "direct" not in self.draft.accepted:
            return "a room that is a one-to-one asks here without a mention: `--accept direct` takes it over"
        if self.platform.rooms_may_be_direct:
            self.draft.leave(path_of(self.base), "accepted", "a room that is a one-to-one asks without a mention")
        return None

    def _places(self) -> Iterator[tuple[Steps, str, Steps | None]]:
        """Each single place with its workspace, and the server's block above it if there is one."""
        for key in self.platform.groups:
            for id in self.tree.keys(*self.base, key):
                yield (*self.base, key, id), self.workspace or "", None
        above = {"discord": "guilds", "msteams": "teams"}.get(self.name)
        for server in self.tree.keys(*self.base, above) if above else ():
            block: Steps = (*self.base, above or "", server)
            if not self.tree.keys(*block, "channels"):
                self.draft.leave(path_of(block), "closed", "a whole server; only its channels by id are taken over")
            for id in self.tree.keys(*block, "channels"):
                yield (*block, "channels", id), (server if self.name == "discord" else self.workspace or ""), block

    def _place(self, steps: Steps, workspace: str, above: Steps | None, policy: str) -> None:
        get, path, id = self.tree.get, path_of(steps), str(steps[-1])
        mention = truth(get(*steps, "requireMention"))
        allowed = [truth(get(*steps, key)) for key in ("allow", "enabled")]
        own = get(*steps, "groupPolicy")
        place_policy = policy if own is None else own
        inner = [key for key in _NARROWER if get(*steps, key)]
        for block in (above,) if above else ():
            if truth(get(*block, "requireMention")) is False:
                self.draft.leave(path_of((*block, "requireMention")), "closed", "a default of many places")
        if id == "*":
            for key in self.tree.keys(*steps):
                get(*steps, key)
            self.draft.leave(path, "closed", "a wildcard: every place is listed by its id here")
            return
        if not self._group_id(id):
            self._senders(steps, above, place_policy, workspace)
            self.draft.leave(path, "closed", "no exact id of a group; names and aliases match nothing here")
            return
        denied = False in allowed or place_policy not in ("open", "allowlist")
        if inner and not denied:
            denied = True
            why = f"`{inner[0]}` have rules of their own, which a target cannot have: denied"
            self.draft.leave(path, "closed", why)
        senders = self._senders(steps, above, place_policy, workspace)
        entry = TargetEntry(
            platform=self.platform.here,
            workspace=workspace,
            channel=id,
            audience=Audience.EXTERNAL,
            access="deny" if denied else "allow",
            require_mention=denied or mention is not False,
            allowed_senders=None if denied else senders,
        )
        self.draft.add(path, entry)

    def _group_id(self, id: str) -> bool:
        """Whether an id can only be that of a group: one-to-ones have other rules there."""
        if self.name == "telegram":
            return id.startswith("-") and fits("telegram", "channel", id)
        return id[:1] != "D" if self.name == "slack" else True

    def _senders(self, steps: Steps, above: Steps | None, policy: Any, workspace: str) -> tuple[str, ...] | None:
        """Who may ask at a place: None is everyone."""
        own = self._list((*steps, self.platform.users), workspace)
        server = self._list((*above, "users"), workspace) if above else None
        roles = any(self.tree.get(*block, "roles") for block in (steps, above) if block)
        group = self._list((*self.base, "groupAllowFrom"), workspace)
        if self.name == "matrix":
            return own if group is None else group if own is None else tuple(each for each in own if each in group)
        found = next((each for each in (own, server, group) if each is not None), None)
        if found is None and self.platform.list_needed and policy == "allowlist":
            direct = self._list((*self.base, "allowFrom"), workspace)
            found = () if direct is None else direct
            if direct is None:
                self.draft.leave(path_of(steps), "closed", "no list of senders: nobody is let in")
        if roles and found is None:
            self.draft.leave(path_of(steps), "closed", "roles have no counterpart: nobody is let in by one")
            return ()
        return found

    def _list(self, steps: Steps, workspace: str) -> tuple[str, ...] | None:
        value = self.tree.get(*steps)
        if value is None:
            return None
        bare = [self._bare(each) for each in texts(value) or ()]
        path = path_of(steps)
        return self.draft.senders(path, None if texts(value) is None else tuple(bare), self.platform.here, workspace)

    def _bare(self, id: str) -> str:
        """An id without the documented prefix of its platform."""
        for prefix in (f"{self.name}:", *(("tg:",) if self.name == "telegram" else ())):
            if id.startswith(prefix):
                return id[len(prefix) :]
        return id

    def _direct(self) -> None:
        """Direct messages: only a named Telegram user's own chat has an id that the file knows."""
        get = self.tree.get
        policy = get(*self.base, "dmPolicy") or get(*self.base, "dm", "policy") or "pairing"
        off = truth(get(*self.base, "dm", "enabled")) is False or policy == "disabled"
        listed = [get(*self.base, key) for key in ("allowFrom",)] + [get(*self.base, "dm", "allowFrom")]
        if off:
            return
        path = f"{path_of(self.base)}.dmPolicy"
        if self.name != "telegram" or policy != "allowlist":
            self.draft.leave(path, "closed", "direct messages: list each one-to-one by its channel id")
            return
        if listed[0] is not None and listed[1] is not None:
            self.draft.leave(path, "closed", "two lists of direct senders: which one holds is unclear")
            return
        for each in texts(listed[0] if listed[0] is not None else listed[1]) or ():
            id = self._bare(each)
            if not fits("telegram", "user", id):
                self.draft.leave(path, "closed", "an entry is no exact telegram account id and lets nobody in")
                continue
            entry = TargetEntry(
                platform="telegram",
                workspace=self.workspace or "",
                channel=id,
                audience=Audience.EXTERNAL,
                allowed_senders=(str(party("telegram", self.workspace, id)),),
            )
            self.draft.add(f"{path_of(self.base)}.allowFrom", entry)
