"""Identities that look right and never match: names in the place of ids, look-alikes, what no eye can see."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Final

from dragoman.gate.workbench.lint.rule import Hit, Look, Rule, Severity, place, rule
from dragoman.gate.workbench.lint.shapes import PLATFORMS, SHAPES, fits
from dragoman.leaks.fold import fold

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_BLANKS: Final = frozenset("\u2800\u3164\uffa0\u115f\u1160")
"""Characters that print as nothing or as a space, and count as letters."""


def _parties(look: Look) -> Iterator[tuple[str, str, str, str]]:
    """Every account of the file: where it stands, platform, workspace, id."""
    for index, each in enumerate(look.file.operators):
        yield f"operators[{index}]", each.platform, each.workspace, each.id
    texts = [(f"denied_senders[{n}]", text) for n, text in enumerate(look.file.denied_senders)]
    for where, entry in look.targets():
        texts += [(f"{where}.allowed_senders[{n}]", text) for n, text in enumerate(entry.allowed_senders or ())]
    for index, grant in enumerate(look.file.grants):
        texts += [(f"grants[{index}].admits", grant.admits)] if grant.admits else []
    for where, text in texts:
        platform, workspace, id = (part.replace("%2F", "/").replace("%25", "%") for part in text.split("/"))
        yield where, platform, workspace, id


def _places(look: Look) -> Iterator[tuple[str, str, str, str]]:
    """Every target that the file names: where it stands, platform, workspace, channel."""
    for where, entry in look.targets():
        yield where, entry.platform, entry.workspace, entry.channel
    for index, grant in enumerate(look.file.grants):
        for each in grant.targets:
            yield f"grants[{index}].targets", each.platform, each.workspace, each.channel
    for index, record in enumerate(look.file.records):
        if record.target is not None:
            yield f"records[{index}].target", record.target.platform, record.target.workspace, record.target.channel


@rule(
    _ERROR,
    "A platform is compared byte for byte; an entry under a name that no adapter uses never matches.",
    "use the adapter's name",
    hit=place().replace('"matrix"', '"Matrix"'),
    miss=place(),
)
def platform_unknown(look: Look) -> Iterator[Hit]:
    """A platform name that no adapter has."""
    for where, platform, _, _ in (*_places(look), *_parties(look)):
        if platform not in PLATFORMS:
            near = difflib.get_close_matches(platform.lower(), sorted(PLATFORMS), 1)
            yield where, f"`{platform}`" + (f"; did you mean `{near[0]}`?" if near else "")


@rule(
    _ERROR,
    "Names and aliases can be changed by others and never match; the platform sends ids.",
    "copy the id from the platform",
    hit=place(channel="#room:x.example"),
    miss=place(),
)
def name_for_id(look: Look) -> Iterator[Hit]:
    """A display name or an alias where the platform uses ids."""
    for kind, last, found in (("channel", "channel", _places(look)), ("user", "id", _parties(look))):
        for where, platform, workspace, id in found:
            looks = SHAPES[platform].looks if platform in SHAPES else ""
            if not fits(platform, "workspace", workspace):
                yield f"{where}.workspace", f"`{workspace}` is no {platform} workspace; {looks}"
            if not fits(platform, kind, id):
                yield f"{where}.{last}", f"`{id}` is no {platform} {kind}; {looks}"


@rule(
    _ERROR,
    "Two ids that look alike are two identities: one of them may be somebody else's, or a slip.",
    "compare both with the platform's own, and remove the wrong one",
    hit=place() + place(channel="!rооm:x.example"),
    miss=place() + place(channel="!other:x.example"),
)
def ids_look_alike(look: Look) -> Iterator[Hit]:
    """Different ids that fold to the same."""
    seen: dict[tuple[str, str], tuple[str, str]] = {}
    for where, kind, text in _named(look):
        first = seen.setdefault((kind, fold(text).text.strip()), (text, where))
        if first[0] != text:
            yield where, f"looks like {first[1]} and differs from it"


@rule(
    _ERROR,
    "A character that prints as nothing makes an id or a term that nobody can type and nothing matches.",
    "type it anew",
    hit=place(channel="!room\u3164:x.example"),
    miss=place(),
)
def blank_characters(look: Look) -> Iterator[Hit]:
    """Fillers and blanks inside ids, and invisible characters inside terms."""
    for where, _, text in _named(look):
        if _BLANKS & set(text):
            yield where, "holds a character that prints as nothing"
    for owner, where, term in look.terms:
        if _BLANKS & set(term) or not term.isprintable():
            yield where, f"a term of `{owner}` holds a character that prints as nothing"


@rule(
    _WARNING,
    "A letter of another script that looks like a Latin one is nearly always pasted from a name or a forgery.",
    "copy the id from the platform",
    hit=place(channel="!rооm:x.example"),
    miss=place(),
)
def letters_of_two_scripts(look: Look) -> Iterator[Hit]:
    """An id in Latin letters with look-alikes among them."""
    for where, _, text in _named(look):
        latin = any(char.isascii() and char.isalpha() for char in text)
        alike = [char for char in text if not char.isascii() and char.isalpha() and fold(char).cased.isascii()]
        if latin and alike:
            yield where, f"holds U+{ord(alike[0]):04X} among Latin letters"


def _named(look: Look) -> Iterator[tuple[str, str, str]]:
    """Every id of the file with its kind."""
    for where, _, workspace, channel in _places(look):
        yield f"{where}.workspace", "workspace", workspace
        yield f"{where}.channel", "channel", channel
    for where, _, workspace, id in _parties(look):
        yield f"{where}.workspace", "workspace", workspace
        yield f"{where}.id", "account", id
    for index, each in enumerate(look.file.counterparties):
        yield f"counterparties[{index}].id", "counterparty", each.id
    for index, grant in enumerate(look.file.grants):
        yield f"grants[{index}].id", "grant", grant.id


@rule(
    _WARNING,
    "A wildcard is an ordinary character here: the entry matches only that very character, so nobody.",
    "leave `allowed_senders` out for everyone, and list every target",
    hit=place(more='allowed_senders = ["memory/desk/*"]'),
    miss=place(more='allowed_senders = ["matrix/@desk:x.example/@kim:y.example"]'),
)
def wildcard(look: Look) -> Iterator[Hit]:
    """A `*` in the place of an id."""
    for where, _, workspace, id in (*_places(look), *_parties(look)):
        if "*" in (workspace, id):
            yield where, "`*` is no wildcard"


RULES: Final[tuple[Rule, ...]] = (
    platform_unknown,
    name_for_id,
    ids_look_alike,
    blank_characters,
    letters_of_two_scripts,
    wildcard,
)
