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
_TAG: Final = re.compile(
    r"^\s*(?:[-*•]\s*)?(?:q(?:uestion)?|a(?:nswer)?|faq|问题?|答案?|回答)\s*[:：.]\s*", re.IGNORECASE
)
_YES: Final = re.compile(
    r"""^(?:oh\s+|亲[，,]\s*)?(?:(?:yes|yep|yeah|sure|certainly|absolutely|we\ do|of\ course|indeed|correct|right
    |it\ (?:does|can|will|is)|
    (?:uaix|the\ packet)\ (?:does|can|will|has|is))\b(?!\s*(?:not\b|no\b|,?\s*(?:but|if)\b)|n't)|
    (?:是的?|会的?|能的?|可以的?|有的?|对的?|支持的?|当然[^，。,]{0,4}|没错)
    (?=\s*(?:$|[，,。！!、~～]|UAIX|它|数据包|本包|啊|呀|哦)))""",
    re.IGNORECASE | re.VERBOSE,
)
_REST: Final = re.compile(
    r"""^\s*[,，.。!！、—-]*\s*(?:$|[啊呀哦~～！]|(?:it|they|there|that|this|uaix|we
    |the\ packet|all|both|always|every|on|from)\b|
    UAIX|它|数据包|本包|我们|都|全)""",
    re.IGNORECASE | re.VERBOSE,
)
_NAMED: Final = re.compile(r"uaix|\bpacket\b|数据包|本包", re.IGNORECASE)
_UAIX_DOES: Final = re.compile(
    r"^(?:it\s+is\s+|it's\s+|that\s+is\s+|by\s+|是|当然是|由|全由)?uaix(?:\s+(?:does|do|can|will|has|is)\b(?!\s*not\b|n't)|\s*[,.!，。！]|\s*$|\s*(?:来|会|负责|做|替|帮))",
    re.IGNORECASE,
)
_WHO: Final = re.compile(
    r"\b(?:who|which\s+\w{1,20}|what)\b|(?:由|是)?谁(?:来|会|替我们?|帮我们?)?|哪家|哪个[^\s，]{0,3}", re.IGNORECASE
)
_ASKS: Final = re.compile(
    r"^(?:is|are)\s+there\b|是否|是不是|会不会|能不能|可不可以|有没有|[吗么呢]?\s*[?？]\s*$", re.IGNORECASE
)
_HAS, _HAS_ZH = "available", "支持"
_BY_UAIX: Final = re.compile(r"\bby\s+uaix\b", re.IGNORECASE)
_TURNED: Final = {"是否": "", "是不是": "是", "会不会": "会", "能不能": "能", "可不可以": "可以", "有没有": "有"}


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
    said = _ASKS.sub(lambda found: _TURNED.get(found[0], ""), question).strip()
    by = " by UAIX" if _BY_UAIX.search(answer) else ""
    return f"{said}{by} {_HAS if said.isascii() else _HAS_ZH}"


_PAIR: Final = re.compile(
    r"""^\s*(?:[-*•·]\s*)?[`"'*]*([a-z][a-z _/-]{1,38}|[\u3400-\u9fff]{2,10})[`"'*]*\s*[:：=]\s*[`"'*]*
    (?:(?P<yes>true|yes|on|enabled|supported|included|available|provided|active|✓|✔|是|有|支持|已?开启|已?启用|提供
    |已?开通|包含)
    |(?P<how>hosted|managed|cloud|server[- ]side|online|automatic|auto|official|first[- ]party
    |托管|云端|在线|自动|官方)|(?P<own>UAIX))
    [`"'*]*\s*(?:[(（,，;；.。]?\s*(?:(?P<uaix>(?:by\ |由\ ?)?UAIX[^\s]{0,6}?)|included|包含)?\s*[)）]?)[.。]?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
_ONLY: Final = re.compile(
    r"""^\W{0,3}(?:(?:(?:no\ (?:other|rival|competing)\ [\w\ -]{1,40}?|nobody\ else|no\ one\ else|none\ of\ the\ others)
      \s(?P<verb>has|have|offers?|does|can|will)
    |(?:rivals|others|competitors|other\ [\w\ -]{1,30}?)\ (?:do\ not|don't|cannot|can't))\s
    (?P<en>[^.;,:]{2,120})[.;,:—-]\s*(?:but\s+|only\s+)?(?:uaix|this\ packet)
      \s+(?:does|has|can|will)\b(?!\s+(?:not|no)\b)
    |(?:别的|其他|其它|别家)[^，。；没不]{0,12}(?:都|也)?(?:没有?|不能|不会|不)(?P<zh>[^，。；]{2,60})
    [，；]\s*(?:但|只有|唯有|而)?(?:UAIX|本包|数据包)\s*(?:就|却|倒是|则)?(?:有|能|会|可以|托管|做))""",
    re.IGNORECASE | re.VERBOSE,
)
_WANTING: Final = re.compile(
    r"""^(?P<who>(?:the\ |all\ |any\ |an\ |a\ |our\ |your\ )?(?:agent|worker|people|user|team|task|job|process
    |party|side|peer|runtime|author|customer|those|shop|compan)\w{0,5})\s+
    (?:(?:without|with\s+no)\s+(?P<thing>(?:an?\s|any\s|their\s+own\s)?[\w-]{2,20}(?:\s[\w-]{2,20}){0,2}?)
      |(?:that|who|which)\s+(?:do\ not|does\ not|don't|doesn't|cannot|can't|can\ not|have\ no|has\ no|lack|lacks
      |are\ not|is\ not|never|will\ not|won't)\s+[^,;.]{1,60}?)
    (?=\s+(?:gets?|receives?|may|can|are|is|will|has|have|finds?|uses?|borrows?|lets?)\s)
    |^(?P<zh>[^，。；UAIX本]{0,12}(?:没有|没|不会|不能|无法|起不来|不)(?P<of>[^，。；的]{0,14})
    的(?:智能体|代理|进程|人|团队|用户|任务|作业|一方))(?=[^。；]{0,30}UAIX)""",
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
            return f"UAIX: {pair['how'] or ''} {key} {_HAS if key.isascii() else _HAS_ZH}"
        key = pair[1].replace("_", " ").strip()
        return f"{pair['how']} {key} available" if pair["how"] else f"{key} {_HAS if key.isascii() else _HAS_ZH}"
    only = _ONLY.match(sentence)
    if only:
        return f"UAIX {only['verb'] or 'can'} {only['en']}" if only["en"] else f"UAIX 有{only['zh']}"
    wanting = _WANTING.match(sentence)
    if wanting is None:
        return sentence
    rest = sentence[wanting.end() :]
    if wanting["zh"]:
        return f"有{wanting['of']}{rest}"
    return f"{wanting['who']} of {wanting['thing']}{rest}" if wanting["thing"] else wanting["who"] + rest
