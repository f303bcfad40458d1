"""The axes of `record_sides`: pairs of opposite words, English and Chinese, and the words of negation.

`flips`: a negation puts the clause on the other side, unless it stands in the word itself ("no longer available", 没有货).
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import Final

import msgspec

from dragoman.gate.reading.patterns import Gates


class Axis(msgspec.Struct, frozen=True):
    """Two sides that exclude each other."""

    id: str
    one: re.Pattern[str]
    other: re.Pattern[str]
    flips: bool = False


SIDES: Final = Gates()
"""The gates of all sides."""


def _axis(id: str, one: str, other: str, flips: bool = False) -> Axis:
    return Axis(id, SIDES.add(one), SIDES.add(other), flips)


AXES: Final[tuple[Axis, ...]] = (
    _axis("open", r"\b(?:open(?:s|ed)?|as usual|operat\w+|running|available|working)\b|营业|开门|开馆|开园|开放|照常|照旧|(?:正常|恢复)(?:发货|上班|营业|供应)", r"\b(?:closed|shut|suspend\w*|out of (?:order|service))\b|闭园|闭馆|闭店|打烊|关门|关闭|休息|公休|店休|轮休|停业|歇业|放假(?!期间)|停止|暂停|停工", True),
    _axis("stock", r"\b(?:in stock|available|on hand|on the shelf|ready to ship|free)\b|还有|还剩|有(?:的是|售)|有(?:现)?货|现货|库存充足|货足|有库存", r"\b(?:out of stock|sold out|unavailable|back-?order\w*|on order|run out|none left|no longer available|not available|not in stock|rented(?: out)?|hired out|on loan|(?:is|are|all|already) (?:taken|gone|out)|fully booked|booked (?:out|up)|no (?:\w+ ){0,3}left)\b|缺货|无货|没有?货|断货|售罄|卖完|[需要]等|等货|没现货|无现货|无库存|没库存|暂时没有", True),
    _axis("start", r"\b(?:starts?|starting|started|begins?|beginning|commenc\w+|opens? on|opening on|from \w+ onwards?|from \d{1,2}(?:[:.]\d\d)?(?: ?[a-z]+){0,2} onwards?|(?:possible|available|open|begins|opens|can be \w+(?: in)?) from \d[\w:. ]{0,14}(?=$|[.,;])|at the earliest|earliest|not before)\b|开始|起(?!订|送|重|来)|最早|不早于|启动|开幕", r"\b(?:ends?|ending|ended|closes? on|closing (?:on|date)|until|till|deadline|at the latest|latest|no later|expires?|due by|(?:need|has|have|must)\w*(?: to)? (?:be|reach|arrive)\b[^.,;]{0,24}\bby (?=\d|the|mon|tue|wed|thu|fri|sat|sun|noon|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|last day|over by|finish\w*)\b|截止|结束|为止|最迟|最晚|不晚于|不会晚于|到期|闭幕|完结|之前完成|(?:使用|有效|持续|保留|开放|营业|延长)至|\bruns? (?:through|until|till|to)\b"),
    _axis("arrive", r"\b(?:arriv\w+|due in|eta|reach(?:es|ed)?|lands?|landed|docks|gets? in|berths?)\b|到港|抵达|到达|已到|到了|到货|靠泊", r"\b(?:sails?|sailed|sailing|depart\w*|leaves?|etd|sets? off|takes? off)\b|出发|离港|启运|起航|开船|开航|在途|at sea|离开"),
    _axis("check", r"\bcheck(?:ing|ed)?[- ]?in\b|入住", r"\bcheck(?:ing|ed)?[- ]?out\b|退房"),
    _axis("half", r"\b(?:mornings?|before lunch|before noon|a\.m\.)\b|上午|早上|清晨|早晨", r"\b(?:afternoons?|evenings?|after lunch|tonight|p\.m\.)\b|下午|晚上|傍晚|午后"),
    _axis("before", r"\b(?:before|prior to|ahead of|earlier than|preced\w+)\b|之前|以前|早于|提前", r"\b(?:after|following|later than|once|subsequent\w*)\b|之后|以后|晚于|推后|延后"),
    _axis("online", r"\b(?:online|remote(?:ly)?|virtual(?:ly)?|by video|zoom|teams|webinar|by phone)\b|线上|远程|视频|网上", r"\b(?:on[- ]site|onsite|in person|face to face|at our (?:office|premises|site|plant)|(?:takes? place|held|happens) (?:in|at) (?!\d|noon|the morning)[a-z]+)\b|线下|现场|当面|面对面|到场"),
    _axis("include", r"\b(?:includ\w+|comes? with|covers?|covered|contains?|with)\b|包括|包含|涵盖|含(?!量|义|糊)|附带|带有", r"\b(?:exclud\w+|without|not included|except|excepting|extra|separately)\b|不包括|不包含|不含|除外|另购|另配|不带|不在(?:\S{0,4})范围", True),
    _axis("more", r"\b(?:increas\w+|rais\w+|rose|rise[sn]?|grew|grow\w*|longer|extend\w*|more than|higher|faster|larger)\b|增加|上升|提高|延长|更长|更快|增长|多于", r"\b(?:decreas\w+|reduc\w+|fell|falls?|shrink\w*|shorter|shorten\w*|less than|fewer|lower(?:ed)?|slower|smaller)\b|减少|下降|降低|缩短|更短|更慢|少于"),
    _axis("least", r"\b(?:at least|minimum|no less|not less)\b|至少|最少|最低|不低于|不少于|以上", r"\b(?:at most|maximum|up to|no more than|not more|limit\w*)\b|至多|最多|最高|不超过|不高于|以下|以内|上限"),
    _axis("left", r"\bleft(?:-hand| side)\b|on the left\b|左", r"\bright(?:-hand| side)\b|on the right\b|右"),
    _axis("inside", r"\b(?:indoors?|inside|internal)\b|室内|内部", r"\b(?:outdoors?|outside|external)\b|室外|户外|外部"),
    _axis("north", r"\b(?:north\w*)\b|北(?!京)", r"\b(?:south\w*)\b|南(?!京)"),
    _axis("east", r"\b(?:east\w*)\b|东(?!西|京)", r"\b(?:west\w*)\b|西"),
    _axis("already", r"\balready\b|已经|已(?!知)|好了|完了", r"\bnot yet\b|\bstill not\b|还没|尚未|仍未|未(?:能|曾|经)|没有?[^有,]{0,3}(?:好|完)", True),
    _axis("ready", r"\b(?:ready|done|finished|completed?|shipped|dispatched|left the|delivered|signed for|passed|approved|repaired|fixed|arrived|received|sent|loaded|installed)\b|已(?:经)?(?:\S{0,8})(?:出厂|发|寄|到|完成|装|签收|修好|通过|批|出|入库|交付|送)|(?:完成|修好|签收|出厂|通过)了|准备好", r"\b(?:still (?:in|being|waiting|at|under|on)|pending|not yet|delayed|waiting for|in progress|to be|under way|awaiting|failed|rejected|missing|lost|yet to)\b|还没|尚未|未(?:完成|出厂|发|寄|到|装|签收|通过)|没(?:有)?(?:完成|出厂|发|寄|到|装|签收|收到|通过)|正在|还在|待(?:\S{0,2})(?:发|处理|检)|延误|推迟", True),
    _axis("free", r"\b(?:free of|vacant|unoccupied|optional|voluntary)\b|空闲|可选|自愿", r"\b(?:occupied|booked (?:out|up)|fully booked|full|mandatory|compulsory|required)\b|订满|约满|满员|满房|必须|强制"),
    _axis("single", r"\b(?:single|one-way|single-sided)\b|单(?:人|面|程|床|层)", r"\b(?:double|return trip|round[- ]trip|twin|two-sided|double-sided)\b|双(?:人|面|程|床|层)|往返"),
    _axis("first", r"\bfirst\b|第一|首|先(?!生|进|到)", r"\b(?:second|last|later)\b|第二|末|最后|后发|后到"),
    _axis("cold", r"\b(?:cold|chilled|frozen|cool)\b|冷|冻", r"\b(?:hot|warm|heated|ambient)\b|热|常温|加热"),
    _axis("import", r"\b(?:import\w*|inbound|incoming|inward)\b|进口|入库|进仓", r"\b(?:export\w*|outbound|outgoing|outward)\b|出口|出库|出仓"),
    _axis("male", r"\b(?:male|men's|gentlemen)\b|男", r"\b(?:female|women's|ladies)\b|女"),
    _axis("new", r"\b(?:brand[- ]new|unused)\b|全新", r"\b(?:used|second-hand|refurbished)\b|二手|翻新"),
)  # fmt: skip
FLIPPING: Final = frozenset(axis.id for axis in AXES if axis.flips)
NEGATION: Final = SIDES.add(
    r"\b(?:not|no(?!\.|\s?[\d#])|never|none|nor|neither|cannot|without|nobody|nothing|unable|out of (?:use|order|service|action)|cancelled|canceled|discontinued|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|won't|can't|couldn't|hasn't|haven't|wouldn't|shouldn't|dont|doesnt|wont|cant)\b"
    r"|不(?!同|过|客气|好意思|锈|少|错|仅|但|止|晚于|早于|低于|高于|超过|只|便(?![停走进开]))|没(?!问题|关系)|未(?!来)|无(?!锡|线|缝|尘)|停(?!车|留|靠|泊|放)|取消|尚缺|缺"
)
UNKNOWN: Final = SIDES.add(
    r"\b(?:don't know|do not know|not sure|no idea|can't say|cannot say|couldn't tell|wonder|if|whether|unless|please|let me)\b|不清楚|不知道|不确定|不好说|是否|如果|假如|要是|请(?!假)|麻烦|吗|到了(?:会|再|就|以后|给)|(?:once|when|as soon as) (?:it|he|she|they|the \w+) "
)
