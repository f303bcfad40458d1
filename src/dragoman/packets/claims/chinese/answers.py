"""What a Chinese text says in two pieces, as one sentence: an answered question, a key with its value.

1. A question that is answered with yes is said. Where it asks who, and the answer names UAIX, it is said of UAIX. Any
   other answer says what it says by itself.
2. A key and a value (同步：自动) is said where the value is a yes or the manner.
3. "别家都没有官方适配器，UAIX 有" says that UAIX has one, and what agents lack they get from UAIX (没有信箱的智能体).
Every pattern is bounded, so that the work stays linear.
"""

from __future__ import annotations

import re
from typing import Final

_LONGEST: Final = 400
_HAS: Final = "支持"
_TAG: Final = re.compile(r"^\s*(?:[-*•]\s*)?(?:q|a|faq|问题?|答案?|回答)\s*[:：.]\s*", re.IGNORECASE)
_YES: Final = re.compile(
    r"""^(?:亲[，,]\s*)?(?:yes\b|是的?|会的?|能的?|可以的?|有的?|对的?|支持的?|当然[^，。,]{0,4}|没错)
    (?=\s*(?:$|[，,。！!、~～]|UAIX|它|数据包|本包|啊|呀|哦))""",
    re.IGNORECASE | re.VERBOSE,
)
_REST: Final = re.compile(r"^\s*[,，.。!！、—-]*\s*(?:$|[啊呀哦~～！]|UAIX|它|数据包|本包|我们|都|全)", re.IGNORECASE)
_NAMED: Final = re.compile(r"uaix|packet|数据包|本包", re.IGNORECASE)
_UAIX_DOES: Final = re.compile(
    r"^(?:是|当然是|由|全由)?uaix(?:\s*[,.!，。！]|\s*$|\s*(?:来|会|负责|做|替|帮))", re.IGNORECASE
)
_WHO: Final = re.compile(r"(?:由|是)?谁(?:来|会|替我们?|帮我们?)?|哪家|哪个[^\s，]{0,3}")
_ASKS: Final = re.compile(r"是否|是不是|会不会|能不能|可不可以|有没有|[吗么呢]?\s*[?？]\s*$")
_TURNED: Final = {"是否": "", "是不是": "是", "会不会": "会", "能不能": "能", "可不可以": "可以", "有没有": "有"}
_PAIR: Final = re.compile(
    r"""^\s*(?:[-*•·]\s*)?[`"'*]*([a-z][a-z _/-]{1,38}|[\u3400-\u9fff]{2,10})[`"'*]*\s*[:：=＝]\s*[`"'*]*
    (?:(?P<yes>true|yes|on|✓|✔|是|有|支持|已?开启|已?启用|提供|已?开通|包含)
    |(?P<how>hosted|auto|official|托管|云端|在线|自动|官方)|(?P<own>UAIX))
    [`"'*]*\s*(?:[(（,，;；.。]?\s*(?:(?P<uaix>(?:由\ ?)?UAIX[^\s]{0,6}?)|包含)?\s*[)）]?)[.。]?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
_ONLY: Final = re.compile(
    r"""^\W{0,3}(?:别的|其他|其它|别家)[^，。；没不]{0,12}(?:都|也)?(?:没有?|不能|不会|不)(?P<has>[^，。；]{2,60})
    [，；]\s*(?:但|只有|唯有|而)?(?:UAIX|本包|数据包)\s*(?:就|却|倒是|则)?(?:有|能|会|可以|托管|做)""",
    re.IGNORECASE | re.VERBOSE,
)
_WANTING: Final = re.compile(
    r"^[^，。；]{0,12}?没有?(?P<of>[^，。；的]{1,14})的(?=(?:智能体|代理|进程|人|团队|用户|任务|作业|一方)[^。；]{0,30}UAIX)"
)


def answered(question: str, answer: str) -> str | None:
    """What a question and the sentence after it say together; None if the answer is no yes."""
    question, answer = _TAG.sub("", question[-_LONGEST:]).strip(), _TAG.sub("", answer[:_LONGEST]).strip()
    if _UAIX_DOES.match(answer) and _WHO.search(question):
        return _said(_WHO.sub("UAIX", question, count=1))
    yes = _YES.match(answer)
    if yes and (_NAMED.search(question + answer) or _REST.match(answer[yes.end() :])):
        return _said(question)
    return None


def _said(question: str) -> str:
    return _ASKS.sub(lambda found: _TURNED.get(found[0], ""), question).strip() + _HAS


def plainly(sentence: str) -> str:
    """The sentence as a reader takes it: a key with a yes, what only we have, and who lacks something."""
    if len(sentence) > _LONGEST:
        return sentence
    pair = _PAIR.match(sentence)
    if pair:
        owner = "UAIX：" if pair["uaix"] or pair["own"] else ""
        return f"{owner}{pair['how'] or ''}{pair[1]}{_HAS}"
    only = _ONLY.match(sentence)
    if only:
        return f"UAIX有{only['has']}"
    wanting = _WANTING.match(sentence)
    return f"有{wanting['of']}的{sentence[wanting.end() :]}" if wanting else sentence
