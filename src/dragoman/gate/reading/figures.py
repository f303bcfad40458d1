"""Which amounts, quantities, specifications, percentages and bare numbers does a folded text state? Called by `claims`.

1. Phone numbers (`+49 40 555 0137`) and names that hold digits (`po-4410`, `RAL 7035`, `m8`, `dock.4`, links) are one
   number each: the whole of it.
2. Each remaining number is read with what stands before it (currency, `百分之`, `第`) and behind it (currency, percent,
   unit, noun); a number without either that is joined to the next one (`5-10 kg`, `40 x 60 cm`) shares the next one's.
3. An English noun is the first listed one of the next three words, else the next word that is no function word.
4. A single Chinese numeral, an English `one`, and 一 with a general measure word state nothing by themselves.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import re2

from dragoman.gate.reading.numbers import DIGITS, HAN, HAN_DECIMAL, SAID, readings_of
from dragoman.gate.reading.patterns import READERS, Open
from dragoman.gate.reading.taker import Found
from dragoman.gate.reading.words import (
    ARTICLE_LIKE,
    CASED_UNITS,
    CLASSIFIERS,
    COUNTED,
    CURRENCIES,
    FUNCTION_WORDS,
    LARGE,
    MONTHS,
    SMALL,
    SPACED_UPPER,
    TIME_ZONES,
    UNITS,
)


def _choice(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_CODES: Final = _choice([word for word in CURRENCIES if word.isascii() and word.isalpha() and len(word) == 3])
_NAME: Final = READERS.add(
    rf"(?<![a-z0-9_])(?!(?:{_CODES})\s?\d)(?=[a-z_./:@#-]{{0,100}}\d)(?:https?://\S+|[a-z_][a-z0-9_]*(?:[-/.:@#&=?%+][a-z0-9_]+)*(?<=[a-z0-9_]))"
)
_NUMBER: Final = re.compile(rf"{DIGITS}|{SAID}|{HAN_DECIMAL}")
_ANY: Final = re2.compile(rf"\d|{HAN[:-1]}|分之|" + _choice([*SMALL, *LARGE]))
"""What a text without a figure lacks."""
_FRACTION: Final = READERS.add(rf"(百分之)|{HAN[:-1]}{{1,5}}分之{HAN}")
_BEFORE: Final = re.compile(
    rf"(?:(?<![a-z])({_choice(list(CURRENCIES))})\s?|(百分之)|(第)|每({_choice(['分钟', '秒', '小时', '天', '周', '月', '年', '箱', '托盘', '人', '台', '件'])})[㐀-鿿]{{0,4}})$"
)
_POINTS: Final = re.compile(r"(?:\b(?:which|any|each|every|either|another|this|that) |[哪每任某另这那同该])$")
_PERCENT: Final = re.compile(r"\s?(?:%|％|per ?cent\b|pct\b|percentage points?\b)|\s?(‰)")
_LATIN_END: Final = r"(?![a-z])"
_MONEY: Final = re.compile(rf"[\s-]?({_choice(list(CURRENCIES))})(?![a-z旦件器素组])")
_UNIT: Final = re.compile(rf"([\s-]?)({_choice(list(UNITS))})(?![a-z])(\^[23])?")
_COUNT: Final = re.compile(rf"[\s-]?({_choice(list(COUNTED))})(?:(?<=[a-z]){_LATIN_END}|(?<![a-z]))")
_ZH_NOUN: Final = re.compile(
    rf"[个件只箱组块台张条套根座排]({_choice([word for word in COUNTED if not word.isascii() and len(word) > 1])})"
)
_WORDS: Final = re.compile(r"[\s-]([a-z][a-z'’]*)(?:[\s-]([a-z][a-z'’]*))?(?:[\s-]([a-z][a-z'’]*))?")
_PER: Final = re.compile(
    rf"\s?(?:/\s?|per |an? |each |every |每)({_choice([word for word in COUNTED if len(word) > 1 or not word.isascii()])}){_LATIN_END}"
)
_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th)(?![a-z])")
_JOIN: Final = re.compile(r"\s?(?:-|–|—|~|至|到|或|、|\bto\b|\bor\b|\band\b|[x×*])\s?")
_BY: Final = re.compile(r"\s?[x×*乘]\s?|\sby\s")
_TO_MORE: Final = rf"-\d{{1,4}}(?:[.,]\d+)?[\s-]?(?:%|(?:{_choice([*UNITS, *COUNTED])})(?![a-z]))"
_TAIL: Final = re.compile(rf"[a-z][a-z0-9_]*(?:-[a-z0-9]+)*|(?!{_TO_MORE})-[a-z]*\d[a-z0-9-]*")
_OF_ONE: Final = re.compile(
    r"\s[a-z]+ (?:weighs|carries|holds|takes|contains|measures|needs|fits)\b"
    rf"|个?(?:{_choice([word for word in COUNTED if not word.isascii() and len(word) > 1 and word[0] != '个'])})(?:可以|能|最多)?[重装承长宽高放载有]"
)
_PHONE: Final = READERS.add(r"(?<![a-z0-9+])\+\d{1,3}(?:[\s./()-]{0,3}\d{1,8}){2,7}")
_CODE: Final = READERS.add(r"(?<![a-z0-9])([a-z]{2,5}) (\d{3,}(?:[-/]\d+)*)(?![\d%]|[.,]\d)")
_NO_CODES: Final = frozenset({*CURRENCIES, *MONTHS, *TIME_ZONES.split("|"), *FUNCTION_WORDS})
_ZH_SAID: Final = re.compile(
    rf"({_choice([word for word in COUNTED if not word.isascii() and len(word) > 1 and word[0] not in '个件种块层'])})[^,。.;:!?\d\n]{{0,6}}$"
)

Typed = tuple[str, str, int]
"""Kind, unit (or "" for none), where it ends."""


def read(folded: str, text: str, origins: Sequence[int], taken: bytearray, open: Open) -> list[Found]:
    """Figures of a folded text as (kind, value, start, end); marks their characters in `taken`."""
    if _ANY.search(folded) is None:
        return []
    found: list[Found] = []
    for value, start, end in _codes(folded, text, origins, open):
        if not any(taken[start:end]):
            found.append(("number", value, start, end))
            taken[start:end] = b"\1" * (end - start)
    for name in _NAME.finditer(folded) if id(_NAME) in open else ():
        if not any(taken[name.start() : name.end()]) and any(char.isdigit() for char in name.group()):
            found.append(("number", f"?{name.group()}", *name.span()))
            taken[name.start() : name.end()] = b"\1" * len(name.group())
    for part in _FRACTION.finditer(folded) if id(_FRACTION) in open else ():
        if not any(taken[part.start() : part.end()]):
            found += [] if part[1] else [("number", f"?{part.group()}", *part.span())]
            taken[part.start() : part.end()] = b"\1" * len(part.group())
    tokens = [hit for hit in _free(folded, taken) if not _chosen(folded, hit)]
    typed = [_typed(folded, text, origins, hit) for hit in tokens]
    for at in range(len(tokens) - 2, -1, -1):
        _share(folded, tokens, typed, at, at + 1)
    found += _measures(folded, tokens, typed, taken)
    for at in range(1, len(tokens)):
        if typed[at - 1][0] == "amount":
            _share(folded, tokens, typed, at, at - 1)
    for hit, (kind, unit, end) in zip(tokens, typed, strict=True):
        value = "" if taken[hit.start()] else _value(hit.group(), kind, unit)
        if value:
            found.append((kind, value, hit.start(), end))
            taken[hit.start() : end] = b"\1" * (end - hit.start())
    return found


def _free(folded: str, taken: bytearray) -> Iterator[re.Match[str]]:
    """Numbers none of whose characters is taken; behind one that reaches into a claim the search goes on (`15:00,3`)."""
    at = 0
    while hit := _NUMBER.search(folded, at):
        last = taken.rfind(1, hit.start(), hit.end())
        if last < 0:
            yield hit
        at = hit.end() if last < 0 else last + 1


def _chosen(folded: str, hit: re.Match[str]) -> bool:
    """Whether "one" only points at something (`which one day`, `哪一天`) and counts nothing."""
    return hit.group() in ("one", "一") and _POINTS.search(folded[max(0, hit.start() - 12) : hit.start()]) is not None


def _codes(folded: str, text: str, origins: Sequence[int], open: Open) -> Iterator[tuple[str, int, int]]:
    """Phone numbers, and codes written apart in capitals (`RAL 7035`)."""
    for hit in _PHONE.finditer(folded) if id(_PHONE) in open else ():
        digits = re.sub(r"\D", "", hit.group().replace("(0)", ""))
        if len(digits) >= 8:
            yield f"?tel+{digits}", *hit.span()
    for hit in _CODE.finditer(folded) if id(_CODE) in open else ():
        written = text[origins[hit.start(1)] : origins[hit.end(1) - 1] + 1]
        measured = _UNIT.match(folded, hit.end()) or _COUNT.match(folded, hit.end())
        if written.isupper() and hit[1] not in _NO_CODES and not measured:
            yield f"?{hit.group()}", *hit.span()


def _measures(folded: str, tokens: list[re.Match[str]], typed: list[Typed], taken: bytearray) -> list[Found]:
    """`40 x 60 x 85 cm` as one claim, for 60 x 40 is another thing."""
    found: list[Found] = []
    at = 0
    while at < len(tokens):
        last = at
        while last + 1 < len(tokens) and _BY.fullmatch(folded[tokens[last].end() : tokens[last + 1].start()]):
            last += 1
        if last > at:
            sides = ["/".join(readings_of(token.group())) for token in tokens[at : last + 1]]
            kind, unit, end = typed[last]
            found.append((kind, "x".join(sides) + (f" {unit}" if unit else ""), tokens[at].start(), end))
            taken[tokens[at].start() : end] = b"\1" * (end - tokens[at].start())
        at = last + 1
    return found


def _share(folded: str, tokens: list[re.Match[str]], typed: list[Typed], bare: int, other: int) -> None:
    """Gives a bare number the kind and unit of the neighbour it is joined to."""
    first, second = sorted((bare, other))
    between = folded[tokens[first].end() : tokens[second].start()]
    if typed[bare][:2] == ("number", "") and typed[other][:2] != ("number", "") and _JOIN.fullmatch(between):
        typed[bare] = (*typed[other][:2], typed[bare][2])


def _typed(folded: str, text: str, origins: Sequence[int], hit: re.Match[str]) -> Typed:
    """What the number's surroundings make of it."""
    before = _BEFORE.search(folded[max(0, hit.start() - 20) : hit.start()])
    end = hit.end()
    if before and before[1]:
        own = _MONEY.match(folded, end) if before[1] in "$¥" else None
        unit, end = (CURRENCIES[own[1]], own.end()) if own else (CURRENCIES[before[1]], end)
        if folded[end : end + 1] == "m" and not folded[end + 1 : end + 2].isalnum():
            unit, end = f"m {unit}", end + 1
        return _each("amount", unit, end, folded)
    if before and before[2]:
        return "percent", "%", end
    if before and before[3]:
        return "number", "#", end
    if found := _PERCENT.match(folded, end):
        return "percent", "‰" if found[1] else "%", found.end()
    if found := _MONEY.match(folded, end):
        return _each("amount", CURRENCIES[found[1]], found.end(), folded)
    kind, unit, end = _measured(folded, text, origins, hit)
    if kind != "number" and _PER.match(folded, end):
        return _each(kind, unit, end, folded)
    if kind != "number" and before and before[4]:
        return kind, f"{unit}/{COUNTED.get(before[4], before[4])}", end
    return kind, unit, end


def _each(kind: str, unit: str, end: int, folded: str) -> Typed:
    """With `per hour`, `/unit` ... behind it, if that stands there."""
    per = _PER.match(folded, end)
    return (kind, f"{unit}/{COUNTED[per[1]]}", per.end()) if per else (kind, unit, end)


def _measured(folded: str, text: str, origins: Sequence[int], hit: re.Match[str]) -> Typed:
    end = hit.end()
    if hit.group() in ("one", "一") and _OF_ONE.match(folded, end):
        return "number", "", end  # "one pallet carries ..." speaks of any pallet
    if (found := _UNIT.match(folded, end)) and (unit := _unit(found, text, origins)):
        return "specification", unit, found.end()
    if hit.group()[0].isdigit() and (found := _ORDINAL.match(folded, end)):
        return "number", "#", found.end()
    if found := _ZH_NOUN.match(folded, end) or _COUNT.match(folded, end):
        unit = COUNTED[found[1]]
        said = _ZH_SAID.search(folded[max(0, hit.start() - 24) : hit.start()]) if unit in CLASSIFIERS else None
        return "quantity", COUNTED[said[1]] if said else unit, found.end()
    if hit.group()[-1].isdigit() and (found := _TAIL.match(folded, end)):
        return "number", found.group(), found.end()
    words = _WORDS.match(folded, end)
    listed = [word for word in (words.groups() if words else ()) if word]
    stop = next(
        (at for at, word in enumerate(listed) if word in FUNCTION_WORDS and word not in {"free", "available"}),
        len(listed),
    )
    for at, word in enumerate(listed[:stop]):
        if word in COUNTED and words:
            return "quantity", COUNTED[word], words.end(at + 1)
    first = listed[0] if listed and listed[0] not in FUNCTION_WORDS else ""
    return ("quantity", _singular(first), words.end(1)) if first and words else ("number", "", end)


def _unit(found: re.Match[str], text: str, origins: Sequence[int]) -> str:
    """The unit's normal form; "" when a letter that is only a unit as a capital stands there small."""
    spelled = found[2]
    written = text[origins[found.start(2)] : origins[found.end(2) - 1] + 1]
    if spelled in SPACED_UPPER and not written.isupper():
        return ""
    return CASED_UNITS.get(written, UNITS[spelled]) + (found[3] or "")


def _singular(word: str) -> str:
    for end, put in (
        ("ies", "y"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("ss", "ss"),
        ("s", ""),
    ):
        if word.endswith(end) and len(word) > len(end) + 1:
            return word[: -len(end)] + put
    return word


def _value(spelling: str, kind: str, unit: str) -> str:
    """The normal form of one figure, or "" when it states nothing."""
    if unit == "#" and not spelling[0].isdigit():
        return ""
    readings = readings_of(spelling)
    if kind == "number" and not unit:
        if spelling == "one" or (len(spelling) == 1 and not spelling.isdigit()):
            return ""
    elif (spelling == "一" and unit in ARTICLE_LIKE) or (
        spelling == "one" and kind == "quantity" and unit not in COUNTED.values()
    ):
        return ""
    if unit == "#":
        return "|".join(f"#{reading}" for reading in readings)
    joint = "" if kind == "number" else " "
    return "|".join(f"{reading}{joint}{unit}" if unit else reading for reading in readings)
