"""What does the policy say, in words? For one target, for one sender there, or the whole on one page.

1. What is said comes from the compiled policy, the same that decides; the file only says which key made it so.
2. `grounds` are exactly the reasons on which an event of this sender at this target can be answered: a test asks
   `admit` about every event and compares.
3. A grant is told with its end and budgets, and only as holding when it holds now.

It explains and decides nothing: what is asked of `admit` and `release` is asked there. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from dragoman.clock import rfc3339
from dragoman.gate.admit import ALLOWED_CLASSES
from dragoman.gate.policy import Policy, TargetPolicy
from dragoman.gate.policy_keys import PolicyFile
from dragoman.gate.why import in_words
from dragoman.gate.workbench.sentences import sentence
from dragoman.grants import Grant
from dragoman.identity import NOBODY, Party, Target
from dragoman.identity import target as target_of
from dragoman.words import Audience, Fact, Purpose, Reason


class Said(msgspec.Struct, frozen=True):
    """One sentence, and the keys of the file that made it so; none where a default holds."""

    text: str
    keys: tuple[str, ...] = ()


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """What holds at one place. `grounds` are reasons of `admit` that a person's message can be answered on."""

    heading: str
    audience: Audience
    grounds: tuple[Reason, ...]
    said: tuple[Said, ...]


_EXPLICIT: Final = (Reason.AGENT_MENTIONED, Reason.AGENT_COMMAND, Reason.REPLY_TO_AGENT, Reason.DIRECT_MESSAGE)


def grounds(policy: Policy, target: Target, sender: Party = NOBODY) -> tuple[Reason, ...]:
    """On what a message of this person, or of one whom no list names, can be answered at `target`."""
    here = policy.at(target)
    barred = here.allowed_senders is not None and sender not in here.allowed_senders
    if policy.broken or not target.known or here.denied or barred or sender in policy.denied_senders:
        return ()
    if not here.listed and policy.unknown_targets != "explicit_requests":
        return ()
    operator = sender in policy.operators
    found = [Reason.OPERATOR_COMMAND] if operator else []
    found += [each for each in _EXPLICIT if each is not Reason.AGENT_COMMAND or not operator or policy.commands]
    if here.listed and here.open_question:
        found.append(Reason.OPEN_QUESTION)
    if here.listed and here.operator_messages and operator and here.audience is not Audience.EXTERNAL:
        found.append(Reason.OPERATOR_MESSAGE)
    if here.listed and not here.require_mention:
        found.append(Reason.MENTION_NOT_REQUIRED)
    return tuple(found)


def explain_target(
    file: PolicyFile, policy: Policy, target: Target, now: int, language: str = "en", sender: Party | None = None
) -> Explained:
    """What holds at one target, for anybody or for one sender, at the time `now` (epoch milliseconds)."""
    here = policy.at(target)
    row = _row(file, target)
    who = sender or NOBODY
    found = _open_grounds(policy, target, here, sender)
    said = [
        *_mode(policy, language),
        *_audience(here, row, language),
        *_access(policy, here, row, who, language, found),
        *_engagement(policy, here, row, language, found),
    ]
    granted = [*_grants(policy, target, here, now, language)]
    said += granted
    if found or granted:
        said += _output(policy, target, here, row, now, language)
    heading = sentence("target", language, target=target)
    return Explained(heading=heading, audience=here.audience, grounds=found, said=tuple(said))


def explain_all(file: PolicyFile, policy: Policy, now: int, language: str = "en") -> tuple[Explained, ...]:
    """The whole policy: what holds everywhere, at each listed target in the file's order, and at every other."""
    everywhere = Explained(
        heading=sentence("whole", language),
        audience=Audience.EXTERNAL,
        grounds=(),
        said=tuple(_whole(policy, language)),
    )
    listed = [
        explain_target(file, policy, target_of(entry.platform, entry.workspace, entry.channel), now, language)
        for entry in file.targets
    ]
    elsewhere = target_of("unlisted", "unlisted", "unlisted")
    other = explain_target(file, policy, elsewhere, now, language)
    unlisted = msgspec.structs.replace(other, heading=sentence("unlisted", language))
    return (everywhere, *listed, unlisted)


def _open_grounds(policy: Policy, target: Target, here: TargetPolicy, sender: Party | None) -> tuple[Reason, ...]:
    """Without a sender: of whoever is let in, be it a named sender."""
    if sender is None and here.allowed_senders:
        let_in = sorted(here.allowed_senders - policy.denied_senders, key=str)
        every = {ground for party in let_in for ground in grounds(policy, target, party)}
        return tuple(reason for reason in Reason if reason in every)
    return grounds(policy, target, sender or NOBODY)


def _whole(policy: Policy, language: str) -> Iterator[Said]:
    yield from _mode(policy, language)
    names = ", ".join(sorted(map(str, policy.operators)))
    key = "operators" if policy.operators else "no_operators"
    yield Said(sentence(key, language, count=len(policy.operators), names=names), ("operators",))
    owners = sorted({owner for here in policy.targets.values() for owner in here.owners} | set(policy.owner_records))
    if owners:
        told = sentence("counterparties", language, count=len(owners), names=", ".join(owners))
        yield Said(told, ("counterparties",))
    if policy.commands:
        yield Said(sentence("commands", language, names=", ".join(sorted(policy.commands))), ("commands",))
    if policy.command_prefixes:
        told = sentence("prefixes", language, names=" ".join(policy.command_prefixes))
        yield Said(told, ("command_prefixes",))
    seconds = policy.freshness_ms // 1000
    yield Said(sentence("freshness", language, seconds=seconds), ("freshness_seconds",))
    filled = {"seconds": policy.admission_ms // 1000, "sends": policy.admission_sends}
    yield Said(sentence("admission", language, **filled), ("admission_seconds", "admission_sends"))
    yield _topics(policy, language)


def _mode(policy: Policy, language: str) -> Iterator[Said]:
    if policy.mode == "shadow":
        yield Said(sentence("shadow", language), ("mode",))


def _audience(here: TargetPolicy, row: str, language: str) -> Iterator[Said]:
    if not here.listed:
        yield Said(sentence("external_unlisted", language))
        return
    yield Said(sentence(str(here.audience), language), (f"{row}.audience",))
    if here.owners:
        told = sentence("owners", language, names=", ".join(sorted(here.owners)))
        yield Said(told, (f"{row}.counterparty", f"{row}.counterparties"))
    if here.public:
        yield Said(sentence("public", language), (f"{row}.public",))


def _access(
    policy: Policy, here: TargetPolicy, row: str, sender: Party, language: str, found: tuple[Reason, ...]
) -> Iterator[Said]:
    if here.denied:
        yield Said(sentence("denied", language), (f"{row}.access",))
    elif not here.listed:
        if policy.unknown_targets == "closed":
            yield Said(sentence("closed", language), ("unknown_targets",))
        else:
            told = sentence("explicit_only", language, grounds=_told(found or _EXPLICIT, language))
            yield Said(told, ("unknown_targets",))
    elif here.allowed_senders is None:
        key = "everyone_but" if policy.denied_senders else "everyone"
        told = sentence(key, language, count=len(policy.denied_senders))
        yield Said(told, ("denied_senders",) if policy.denied_senders else ())
    else:
        key = "only" if here.allowed_senders else "nobody"
        told = sentence(key, language, count=len(here.allowed_senders))
        yield Said(told, (f"{row}.allowed_senders",))
    if sender.known:
        yield _sender(policy, here, row, sender, language)


def _sender(policy: Policy, here: TargetPolicy, row: str, sender: Party, language: str) -> Said:
    if sender in policy.denied_senders:
        return Said(sentence("sender_denied", language, sender=sender), ("denied_senders",))
    if here.allowed_senders is not None and sender not in here.allowed_senders:
        return Said(sentence("sender_barred", language, sender=sender), (f"{row}.allowed_senders",))
    key = "sender_operator" if sender in policy.operators else "sender_person"
    return Said(sentence(key, language, sender=sender), ("operators",) if sender in policy.operators else ())


_GROUND_KEYS: Final = {
    Reason.OPEN_QUESTION: "open_question_responses",
    Reason.OPERATOR_MESSAGE: "operator_messages_are_requests",
    Reason.MENTION_NOT_REQUIRED: "require_mention",
}


def _engagement(
    policy: Policy, here: TargetPolicy, row: str, language: str, found: tuple[Reason, ...]
) -> Iterator[Said]:
    if not found:
        yield Said(sentence("asks_nothing", language))
    else:
        keys = tuple(f"{row}.{key}" for reason, key in _GROUND_KEYS.items() if reason in found)
        yield Said(sentence("asks", language, grounds=_told(found, language)), keys)
    if Reason.AGENT_COMMAND in found and not policy.commands:
        yield Said(sentence("only_stop", language))
    yield Said(sentence("silent_else", language))
    if here.edits_may_request:
        yield Said(sentence("edits", language), (f"{row}.edits_may_request",))
    if here.takeover_ms:
        told = sentence("takeover", language, seconds=here.takeover_ms // 1000)
        yield Said(told, (f"{row}.takeover_seconds",))
    if here.acknowledges:
        yield Said(sentence("acknowledges", language), (f"{row}.never_silent_ack",))
    if here.observes is not None:
        filled = {"seconds": here.observes.retention_ms // 1000, "readers": here.observes.readers}
        told = sentence("observes", language, **filled)
        yield Said(told, (f"{row}.observe_unmentioned_group_messages", f"{row}.observation_seconds"))


def _grants(policy: Policy, target: Target, here: TargetPolicy, now: int, language: str) -> Iterator[Said]:
    for grant in policy.grants.values():
        if target not in grant.targets or here.denied:
            continue
        span = {"id": grant.id, "until": rfc3339(grant.expires_at)}
        if not grant.not_before <= now < grant.expires_at:
            told = sentence("ended", language, from_=rfc3339(grant.not_before), **span)
        elif grant.purpose is Purpose.BOT:
            told = sentence("bot", language, party=grant.admits, **span)
        else:
            told = sentence("schedule", language, purpose=grant.purpose, budget=_budget(grant, language), **span)
        yield Said(told, ("grants",))


def _budget(grant: Grant, language: str) -> str:
    limits = {name: getattr(grant, name) for name in ("max_total", "max_per_target", "max_per_day")}
    numbers = ", ".join(f"{name} {limit}" for name, limit in limits.items() if limit is not None)
    return sentence("budget", language, numbers=numbers) if numbers else ""


def _output(policy: Policy, target: Target, here: TargetPolicy, row: str, now: int, language: str) -> Iterator[Said]:
    classes = ", ".join(ALLOWED_CLASSES[policy.audience(target, Fact.NO)])
    yield Said(sentence("classes", language, classes=classes), (f"{row}.audience",) if row else ())
    if here.audience is Audience.EXTERNAL:
        if here.draft_only:
            yield Said(sentence("tier", language), (f"{row}.autonomy", "autonomy") if row else ("autonomy",))
        yield _topics(policy, language)
        count = len(_facts(policy, target, here, now))
        yield Said(sentence("record" if count else "no_record", language, count=count), ("records",) if count else ())
        if len(policy.guard.terms):
            filled = {"count": len(policy.guard.terms), "names": ", ".join(sorted(here.owners))}
            yield Said(sentence("terms" if here.owners else "terms_all", language, **filled), ("counterparties",))
    where = (f"{row}.language", "language") if row else ("language",)
    yield Said(sentence(f"in_{here.language}", language), where)


def _facts(policy: Policy, target: Target, here: TargetPolicy, now: int) -> list[str]:
    rows = list(policy.target_records.get(target, ()))
    if len(here.owners) == 1:
        rows += policy.owner_records.get(next(iter(here.owners)), ())
    return [fact for each in rows if each.expires_at is None or now < each.expires_at for fact in each.facts]


def _topics(policy: Policy, language: str) -> Said:
    key = "topics" if policy.draft_only else "no_topics"
    return Said(sentence(key, language, topics=", ".join(sorted(policy.draft_only))), ("draft_only",))


def _told(found: tuple[Reason, ...], language: str) -> str:
    return ("；" if language == "zh" else "; ").join(in_words(reason, language) for reason in found)


def _row(file: PolicyFile, target: Target) -> str:
    for index, entry in enumerate(file.targets):
        if target_of(entry.platform, entry.workspace, entry.channel) == target:
            return f"targets[{index}]"
    return ""
