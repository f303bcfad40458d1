"""Claims that no packet may make: a record is not what a runtime does (seed, support boundary; spec 3 §5.4).

The question of each sentence, in this order:
1. Does it name a capability that is not ours? If not, there is nothing to ask.
2. Is it denied? A denial before it holds until a contrast or a new assertion; one after it holds if nothing was
   asserted before. A denied claim is what a support boundary should say, and passes.
3. Is another named as the one that has it: a runtime, a product, a party? It may; this is no claim for the packet.
4. Is it asserted at all: by a claimant, or by a verb that gives? If not, it is only mentioned.
Two negations are read as one denial; "not only" is none. English and Chinese; letter case does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dragoman.packets.profiles import shown
from dragoman.packets.rules.prose import places_of
from dragoman.packets.rules.rule import Hit, Rule, Subject

NEEDLES: Final = (
    "host", "auto", "orchestrat", "repositor", "adapter", "certif",
    "托管", "同步", "编排", "写入", "适配器", "认证", "证书",
)  # fmt: skip
"""One of these is part of every claim; a packet without them is done in one pass."""

MOST: Final = 200
"""Most capabilities looked at in one sentence; one with more is no denial that anybody reads, and counts as a claim."""

REACH: Final = 600
"""How far around a capability its denial or its bearer is looked for, in characters."""

_CLAIM: Final = re.compile(
    r"""hosted[\s-]+messag\w*|hosts?\s+messages
    |auto(?:matic(?:ally)?)?[\s-]*sync\w*|sync\w*\s+automatically
    |runtime[\s-]+orchestrat\w*|orchestrat\w+\s+(?:the\s+|your\s+|all\s+)?(?:runtimes?|agents?|workflows?)
    |repositor(?:y|ies)[\s-]+writ\w+|writ\w+\s+(?:directly\s+)?(?:in)?to\s+(?:\w+\s+)?repositor(?:y|ies)
    |official(?:ly\s+supported)?\s+(?:\w+\s+)?adapters?
    |certified\s+(?:by|as|under|for)\b|\b(?:is|are)\s+(?:\w+\s+)?certified\b|\bcertif(?:ies|ication|icate\s+authority)\b
    |hosted[\s-]+imports?
    |托管(?:的)?消息|消息托管|自动同步|运行时编排|编排运行时|(?:存储库|仓库|代码库)写入|写入(?:存储库|仓库|代码库)
    |官方(?:的)?适配器|颁发证书|证书颁发|官方认证|认证机构|通过\w{0,8}认证|托管(?:的)?导入""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|[;。！？；\n]")
_CONTRAST: Final = re.compile(
    r"\b(?:but|however|yet|instead|whereas|while|although|though|nevertheless)\b|但|然而|不过|而是|反而", re.IGNORECASE
)
_NOT: Final = re.compile(
    r"\b(?:not|no|never|without|neither|nor|cannot|none|nothing|nobody|lacks?|den(?:y|ies)|refuses?|excludes?|forbids?"
    r"|disclaims?)\b|n['’]t\b|\bfree\s+of\b|不|没有|并非|非|无|未|禁止|拒绝|绝无",
    re.IGNORECASE,
)
_NOT_ONLY: Final = re.compile(r"\b(?:not|n['’]t)\s+(?:only|just|merely|simply)\b|不仅|不但|不只|不光", re.IGNORECASE)
_GIVES: Final = re.compile(
    r"\b(?:provid|offer|support|includ|enabl|perform|handl|guarante|deliver|execut|ship|run|giv|featur)(?:es?|s|ing|ees?)\b"
    r"|\b(?:provided|offered|supported|included|enabled|guaranteed|certified|has|have|is|are|comes|does|via|get|gets)\b"
    r"|提供|支持|包括|执行|实现|具有|保证|负责|已获|通过|拥有|带有",
    re.IGNORECASE,
)
_NEW_ASSERTION: Final = re.compile(
    r"(?:\band\b|,|\bthat\b|\bwhich\b)\s+(?:\w+\s+){0,2}?"
    r"(?:provides|offers|supports|includes|enables|performs|handles|guarantees|delivers|executes|ships|runs|gives|has|is)\b"
    r"|(?:[，,]|并且|而且|并|且)\s*(?:也|还|它|本包)?(?:提供|支持|包括|执行|实现|具有|保证|负责)",
    re.IGNORECASE,
)
_DENIED_AFTER: Final = re.compile(
    r"\b(?:is|are|was|were|be|remains?|stays?)\s+(?:\w+\s+)?(?:not|never|out\s+of\s+scope|outside|unsupported|excluded)\b"
    r"|\b(?:isn|aren|wasn|weren)['’]t\b|\bout\s+of\s+scope\b|(?:均|都|也|并)?(?:不|未|没有|无法)",
    re.IGNORECASE,
)
_CLAIMANT: Final = re.compile(
    r"\b(?:uaix?(?:-1)?|(?:this|the)\s+(?:packet|record|message|profile)|we|our|it)\b|本包|本数据包|此数据包|该数据包|我们",
    re.IGNORECASE,
)
_OTHER: Final = re.compile(
    r"\b(?:carcinus(?:\.org)?|localendpoint|mcp|a2a|openai|codex|claude|dragoman|they"
    r"|(?:a|an|the|another|any|some|each|every|external|separate|named|other|their|your|his|her)\s+(?:\w+\s+)?"
    r"(?:runtimes?|orchestrators?|tools?|suppliers?|vendors?|customers?|clients?|counterpart(?:y|ies)|providers?"
    r"|manufacturers?|carriers?|compan(?:y|ies)|buyers?|sellers?|shops?|platforms?|teams?))\b"
    r"|(?:其他|外部|单独的|某个)运行时|运行时(?!编排)|供应商|客户|厂商|对方|他们",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"\b(?!(?:UAIX?|This|The|It|We|Our|And|Also|Packets?|Records?)\b)[A-Z][\w.-]*\s+"
    r"(?:provides|offers|supports|includes|enables|performs|handles|guarantees|delivers|executes|ships|runs|gives|has)\b"
)


def claims(text: str) -> bool:
    """Whether one of the sentences of `text` asserts a capability that is not ours."""
    return any(_asserted(sentence) for sentence in _SENTENCE.split(text))


def unsupported_claim(subject: Subject) -> Iterator[Hit]:
    """No text of the packet, in whatever field, claims what the model does not do."""
    prose = subject.prose.lower()
    if not any(needle in prose for needle in NEEDLES):
        return
    for place, text in places_of(subject.packet):
        if any(needle in text.lower() for needle in NEEDLES) and claims(text):
            yield shown(place), "claims a capability that no packet has"


def _asserted(sentence: str) -> bool:
    sentence = _NOT_ONLY.sub(" ", sentence)
    return any(count == MOST or _holds(sentence, match) for count, match in enumerate(_CLAIM.finditer(sentence)))


def _holds(sentence: str, match: re.Match[str]) -> bool:
    """Whether the capability at `match` is asserted in this sentence."""
    before = sentence[max(0, match.start() - REACH) : match.start()]
    cuts = [cut.end() for cut in _CONTRAST.finditer(before)]
    before = before[cuts[-1] :] if cuts else before
    after = sentence[match.end() : match.end() + REACH]
    contrast = _CONTRAST.search(after)
    after = after[: contrast.start()] if contrast else after
    return not _denied(before, after) and not _another_has_it(before) and _said(before, match.group(), after)


def _denied(before: str, after: str) -> bool:
    negations = list(_NOT.finditer(before))
    if negations:
        return _NEW_ASSERTION.search(before, negations[-1].end()) is None
    if _GIVES.search(before):
        return False
    denial = _DENIED_AFTER.search(after)
    return denial is not None and _GIVES.search(after, 0, denial.start()) is None


def _another_has_it(before: str) -> bool:
    others = [found.end() for found in _OTHER.finditer(before) if not _CLAIMANT.search(found.group())]
    others += [found.start() + 1 for found in _NAMED.finditer(before)]
    claimants = [found.end() for found in _CLAIMANT.finditer(before)]
    if not others or not claimants:
        return bool(others)
    return max(others) > claimants[-1] and _GIVES.search(before, max(others)) is not None


def _said(before: str, phrase: str, after: str) -> bool:
    around = (before, phrase, after)
    return any(_CLAIMANT.search(part) or _GIVES.search(part) for part in around)


RULES: Final = (
    Rule(
        id="unsupported_claim",
        reason="No automatic sync, hosted messaging, runtime orchestration, official adapters, repository writes, "
        "certification or hosted import comes with a packet; runtimes execute elsewhere.",
        fix="remove the claim, deny it, or name the runtime that does it",
        check=unsupported_claim,
    ),
)
