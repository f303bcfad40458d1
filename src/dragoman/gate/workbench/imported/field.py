"""The field's own policy data (`channels[]` with full identities, `participation`, `output`, `autonomy`) as a policy.

1. A target is taken over when its three ids, its audience and its access are stated in known words; else it is left
   out (unlisted is external and closed) or denied.
2. A key that opens something opens here only by its exact yes.
3. Rules that hold here always are told as such; a rule that the source switches off stays on here.
4. An autonomy that is missing, unknown or frozen anywhere becomes `draft_only` everywhere.
"""

from __future__ import annotations

from typing import Any, Final

from dragoman.gate.policy_keys import TargetEntry
from dragoman.gate.workbench.imported.draft import Draft, Imported
from dragoman.gate.workbench.imported.tree import Tree, path_of, text, texts, truth
from dragoman.words import Audience, HardStop, Topic

AUDIENCES: Final = {
    "external": Audience.EXTERNAL,
    "internal": Audience.INTERNAL,
    "operator": Audience.OPERATOR,
    "private_operator": Audience.OPERATOR,
}
_ACCESS: Final = {"allowed": "allow", "allow": "allow", "denied": "deny", "deny": "deny", "blocked": "deny"}

_ALWAYS: Final[tuple[tuple[tuple[str, ...], Any, str], ...]] = (
    (("unknown_audience",), "external", "a target that is not listed is external"),
    (("unknown_unsolicited_participation",), "mute", "a target that is not listed is not answered"),
    (("participation", "historical_thread_is_consent"), False, "an earlier thread is never consent"),
    (("participation", "group_attachments_are_consent"), False, "attachments alone never open a group"),
    (("participation", "bot_requires_scoped_operator_request"), True, "a bot needs a grant that names it"),
    (("participation", "synthetic_requires_exact_target_and_grant"), True, "a schedule needs a target and a grant"),
    (("participation", "defer_pending_attachment_burst"), True, "a burst of attachments is waited for"),
    (("participation", "recognized_commands_bypass_only_burst_deferral"), True, "control words pass the burst only"),
    (("participation", "observation_requires_retention_and_access_policy"), True, "observation needs both keys"),
    (("output", "never_silent_ack_internal_only"), True, "an acknowledgement is for internal targets only"),
    (("output", "classify_after_final_assembly"), True, "the finished text is judged"),
    (("output", "check_every_send_edit_stream_and_standalone_path"), True, "every output passes the one door"),
    (("output", "raw_diagnostics_are_message_content"), False, "diagnostics are never message content"),
)
"""What the source may say, in the only way that holds here; the other way is told and not followed."""

_TOPICS: Final = {
    "prices_or_rates": Topic.PRICES,
    "commitments": Topic.COMMITMENTS,
    "contractual": Topic.CONTRACT_LANGUAGE,
    "legal_or_dd": Topic.LEGAL,
    "public_posts": Topic.PUBLIC_POST,
    "unverified_claims": Topic.UNVERIFIED_CLAIM,
    "unmeasured_technical_specs": Topic.UNMEASURED_SPECIFICATION,
    **{str(topic): topic for topic in Topic},
}
_STOPS: Final = {
    "signing": HardStop.SIGNING,
    "money_movement": HardStop.MOVING_MONEY,
    "credential_entry": HardStop.ENTERING_CREDENTIALS,
    "package_publication": HardStop.PUBLISHING_PACKAGES,
    **{str(stop): stop for stop in HardStop},
}
_CLASSES: Final = {
    "external": frozenset({"final", "safe_error"}),
    "internal": frozenset({"final", "safe_error", "operational", "progress"}),
}


def import_field(tree: Tree) -> Imported:
    """The field's data as a policy."""
    draft = Draft(tree)
    tree.get("schema")
    channels = tree.peek("channels")
    for index in range(len(channels) if isinstance(channels, list) else 0):
        _channel(draft, index)
    for steps, holds, why in _ALWAYS:
        _always(draft, steps, holds, why)
    _observation(draft)
    _output(draft)
    _autonomy(draft)
    return draft.done("channel policy data")


def _channel(draft: Draft, index: int) -> None:
    tree, path = draft.tree, f"channels[{index}]"

    def get(key: str) -> Any:
        return tree.get("channels", index, key)

    ids = [text(get(key)) for key in ("platform", "workspace_id", "channel_id")]
    audience, access = AUDIENCES.get(str(get("audience"))), _ACCESS.get(str(get("access")))
    if None in ids:
        draft.leave(path, "closed", "platform, workspace or channel is missing: not listed, so external and closed")
        for key in ("require_mention", "open_question_responses", "operator_messages_are_requests"):
            get(key)
        return
    if audience is None:
        draft.leave(f"{path}.audience", "closed", "no known audience: external")
    if access is None:
        draft.leave(f"{path}.access", "closed", "access is not stated in known words: denied")
    mention, question = truth(get("require_mention")), truth(get("open_question_responses"))
    operators = truth(get("operator_messages_are_requests"))
    if operators and audience in (None, Audience.EXTERNAL):
        draft.leave(f"{path}.operator_messages_are_requests", "closed", "counts on internal and operator targets only")
    platform, workspace, channel = (each or "" for each in ids)
    closed = access != "allow"
    entry = TargetEntry(
        platform=platform,
        workspace=workspace,
        channel=channel,
        audience=audience or Audience.EXTERNAL,
        access="deny" if closed else "allow",
        require_mention=closed or mention is not False,
        open_question_responses=not closed and question is True,
        operator_messages_are_requests=not closed
        and operators is True
        and audience in (Audience.INTERNAL, Audience.OPERATOR),
    )
    draft.add(path, entry)


def _always(draft: Draft, steps: tuple[str, ...], holds: Any, why: str) -> None:
    value = draft.tree.get(*steps)
    said = truth(value) if isinstance(holds, bool) else value
    if value is not None:
        draft.leave(path_of(steps), "always" if said == holds else "closed", why)


def _observation(draft: Draft) -> None:
    steps = ("participation", "observe_unmentioned_group_messages")
    if truth(draft.tree.get(*steps)):
        why = "nothing is observed: a target needs its own retention and access rule first"
        draft.leave(path_of(steps), "closed", why)


def _output(draft: Draft) -> None:
    for name, ours in _CLASSES.items():
        listed = texts(draft.tree.get("output", name))
        if listed is None:
            continue
        path = f"output.{name}"
        if frozenset(listed) == ours:
            draft.leave(path, "always", f"{name} targets get {', '.join(sorted(ours))}")
        elif more := sorted(frozenset(listed) - ours):
            draft.leave(path, "closed", f"never leaves here: {', '.join(more)}")
        if missing := sorted(ours - frozenset(listed)):
            draft.leave(path, "no_counterpart", f"may go out here as well, and no key narrows it: {', '.join(missing)}")


def _autonomy(draft: Draft) -> None:
    tree = draft.tree
    if tree.peek("autonomy") is None:
        draft.autonomy = "draft_only"
        draft.leave("autonomy", "closed", "not stated: every answer to an outsider is filed")
        return
    default = tree.get("autonomy", "default")
    frozen = tree.get("autonomy", "frozen")
    if default != "auto":
        draft.autonomy = "draft_only"
        draft.leave("autonomy.default", "closed", "anything but `auto`: every answer to an outsider is filed")
    if frozen:
        draft.autonomy = "draft_only"
        why = "what is frozen there has no name here: every answer to an outsider is filed until you decide"
        draft.leave("autonomy.frozen", "closed", why)
    for steps, known, why in (
        (("autonomy", "draft_only"), frozenset(_TOPICS), "every topic stays a draft here"),
        (("autonomy", "never"), frozenset(_STOPS), "all hard stops hold here"),
    ):
        listed = texts(tree.get(*steps))
        unknown = sorted(frozenset(listed or ()) - known)
        draft.leave(path_of(steps), "always", why)
        if unknown or listed is None:
            draft.autonomy = "draft_only"
            told = f"not known here: {len(unknown)} names; every answer to an outsider is filed until you decide"
            draft.leave(path_of(steps), "closed", told)
