"""What a text says in two pieces, as one sentence: an answered question, a key with its value, what only we have.

1. A question that is answered with yes is said: "Does the packet sync? Yes, it does." Where the question asks who, and
   the answer names UAIX, it is said of UAIX. Any other answer says what it says by itself.
2. A key and a value ("import: hosted (UAIX)", `hosted_messaging: true`) is said where the value is a yes or the manner.
3. "No other format has a relay; UAIX does" says that UAIX has one.
4. What agents or people lack or cannot do by themselves ("agents without a mailbox get one from UAIX") is no denial.
Every pattern is bounded, so that the work stays linear.
"""

from __future__ import annotations

import re
from typing import Final

_LONGEST: Final = 400
_TAG: Final = re.compile(r"^\s*(?:[-*•]\s*)?(?:q(?:uestion)?|a(?:nswer)?|faq)\s*[:.]\s*", re.IGNORECASE)
_YES: Final = re.compile(
    r"""^(?:oh\s+)?(?:yes|yep|yeah|sure|certainly|absolutely|we\ do|of\ course|indeed|correct|right
    |it\ (?:does|can|will|is)|
    (?:uaix|the\ packet)\ (?:does|can|will|has|is))\b(?!\s*(?:not\b|no\b|,?\s*(?:but|if)\b)|n't)""",
    re.IGNORECASE | re.VERBOSE,
)
_REST: Final = re.compile(
    r"""^\s*[,.!—-]*\s*(?:$|(?:it|they|there|that|this|uaix|we
    |the\ packet|all|both|always|every|on|from)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_NAMED: Final = re.compile(r"uaix|\bpacket\b", re.IGNORECASE)
_UAIX_DOES: Final = re.compile(
    r"^(?:it\s+is\s+|it's\s+|that\s+is\s+|by\s+)?uaix(?:\s+(?:does|do|can|will|has|is)\b(?!\s*not\b|n't)|\s*[,.!]|\s*$)",
    re.IGNORECASE,
)
_WHO: Final = re.compile(r"\b(?:who|which\s+\w{1,20}|what)\b", re.IGNORECASE)
_ASKS: Final = re.compile(r"^(?:is|are)\s+there\b|\s*[?]\s*$", re.IGNORECASE)
_HAS: Final = "available"
_BY_UAIX: Final = re.compile(r"\bby\s+uaix\b", re.IGNORECASE)


def answered(question: str, answer: str) -> str | None:
    """What a question and the sentence after it say together; None if the answer is no yes."""
    question, answer = _TAG.sub("", question[-_LONGEST:]).strip(), _TAG.sub("", answer[:_LONGEST]).strip()
    if _UAIX_DOES.match(answer) and _WHO.search(question):
        return _said(_WHO.sub(" UAIX ", question, count=1), "").strip()
    yes = _YES.match(answer)
    if yes and (_NAMED.search(question + answer) or _REST.match(answer[yes.end() :])):
        return _said(question, answer)
    return None


def _said(question: str, answer: str) -> str:
    said = _ASKS.sub("", question).strip()
    by = " by UAIX" if _BY_UAIX.search(answer) else ""
    return f"{said}{by} {_HAS}"


_PAIR: Final = re.compile(
    r"""^\s*(?:[-*•·]\s*)?[`"'*]*([a-z][a-z _/-]{1,38})[`"'*]*\s*[:=]\s*[`"'*]*
    (?:(?P<yes>true|yes|on|enabled|supported|included|available|provided|active|✓|✔)
    |(?P<how>hosted|managed|cloud|server[- ]side|online|automatic|auto|official|first[- ]party)|(?P<own>UAIX))
    [`"'*]*\s*(?:[(,;.]?\s*(?:(?P<uaix>(?:by\ )?UAIX[^\s]{0,6}?)|included)?\s*[)]?)[.]?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
_ONLY: Final = re.compile(
    r"""^\W{0,3}(?:(?:(?:no\ (?:other|rival|competing)\ [\w\ -]{1,40}?|nobody\ else|no\ one\ else|none\ of\ the\ others)
      \s(?P<verb>has|have|offers?|does|can|will)
    |(?:rivals|others|competitors|other\ [\w\ -]{1,30}?)\ (?:do\ not|don't|cannot|can't))\s
    (?P<en>[^.;,:]{2,120})[.;,:—-]\s*(?:but\s+|only\s+)?(?:uaix|this\ packet)
      \s+(?:does|has|can|will)\b(?!\s+(?:not|no)\b))""",
    re.IGNORECASE | re.VERBOSE,
)
_WANTING: Final = re.compile(
    r"""^(?P<who>(?:the\ |all\ |any\ |an\ |a\ |our\ |your\ )?(?:agent|worker|people|user|team|task|job|process
    |party|side|peer|runtime|author|customer|those|shop|compan)\w{0,5})\s+
    (?:(?:without|with\s+no)\s+(?P<thing>(?:an?\s|any\s|their\s+own\s)?[\w-]{2,20}(?:\s[\w-]{2,20}){0,2}?)
      |(?:that|who|which)\s+(?:do\ not|does\ not|don't|doesn't|cannot|can't|can\ not|have\ no|has\ no|lack|lacks
      |are\ not|is\ not|never|will\ not|won't)\s+[^,;.]{1,60}?)
    (?=\s+(?:gets?|receives?|may|can|are|is|will|has|have|finds?|uses?|borrows?|lets?)\s)""",
    re.IGNORECASE | re.VERBOSE,
)


def plainly(sentence: str) -> str:
    """The sentence as a reader takes it: a key with a yes, what only we have, and who lacks something."""
    if len(sentence) > _LONGEST:
        return sentence
    pair = _PAIR.match(sentence)
    if pair:
        if pair["uaix"] or pair["own"]:
            key = pair[1].replace("_", " ").strip()
            return f"UAIX: {pair['how'] or ''} {key} {_HAS}"
        key = pair[1].replace("_", " ").strip()
        return f"{pair['how']} {key} available" if pair["how"] else f"{key} {_HAS}"
    only = _ONLY.match(sentence)
    if only:
        return f"UAIX {only['verb'] or 'can'} {only['en']}"
    wanting = _WANTING.match(sentence)
    if wanting is None:
        return sentence
    rest = sentence[wanting.end() :]
    return f"{wanting['who']} of {wanting['thing']}{rest}" if wanting["thing"] else wanting["who"] + rest
