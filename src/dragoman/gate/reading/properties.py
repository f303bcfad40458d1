"""Which properties of a product does a text claim without a figure? For `records`: a specification that no record holds.

1. A property is one idea in both languages (`waterproof`, 防水): the record states it when a fact names the same idea.
2. Compatibility (`works with Android`, 支持...系统) is stated only when the record speaks of compatibility too.
3. Questions and clauses that say nobody knows claim nothing; what is wanted or ordered ("you asked for a waterproof one")
   is the outsider's word and claims nothing either.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import re2

PROPERTIES: Final[tuple[tuple[str, str], ...]] = (
    (
        "waterproof",
        r"\b(?:[a-z]{3,}-(?:resistant|proof|repellent)|[a-z]{3,} resistant)\b|\b(?:water|splash|rain|shower|weather|dust|shock)[- ]?(?:proof|resistant|tight|repellent)\b|防水|防尘|防潮|防摔|耐候",
    ),
    ("fireproof", r"\b(?:flame|fire)[- ]?(?:retardant|proof|resistant|rated)\b|\bnon-?flammable\b|阻燃|防火|耐火|不燃"),
    (
        "corrosion",
        r"\b(?:corrosion|rust|acid|alkali|chemical|oil|uv|heat|frost|scratch|wear|abrasion|tear|salt[- ]water|seawater)[- ]?(?:proof|resistant|resistance|stable)\b|\bresists? (?:uv|water|heat|rust|oil|acids?|frost|rodents?|scratches|chemicals|corrosion|moisture|wear|fire|flames?)\b|\bgalvani[sz]ed\b|\bano?di[sz]ed\b|\bpowder[- ]coated\b|防锈|防腐|耐酸|耐碱|耐油|耐磨|耐高温|耐低温|耐腐蚀|抗紫外|抗老化|镀锌|阳极氧化",
    ),
    (
        "food",
        r"\bfood[- ](?:safe|grade|contact)\b|\b(?:dishwasher|microwave|oven|freezer|autoclave)[- ]?(?:safe|proof|able|suitable)\b|\b(?:goes|go|put) in(?:to)? the (?:dishwasher|microwave|autoclave|freezer)\b|食品级|食品接触|(?:进|用|放)(?:\S{0,2})(?:微波炉|洗碗机|烤箱|蒸箱)|洗碗机可用|可微波",
    ),
    (
        "free_of",
        r"\b(?:free (?:of|from) (?:lead|bpa|solvents?|gluten|lactose|nuts?|latex|halogens?|silicone|phthalates?|formaldehyde|pvc|plasticisers?|allergens?|parabens?|chlorine|cadmium|asbestos|nickel|sugar|alcohol|additives)|(?:lead|bpa|solvent|gluten|lactose|nut|latex|halogen|silicone|phthalate|formaldehyde|pvc|nickel|sugar|alcohol|oil|maintenance)[- ]free)\b|不含(?:\S{0,4})(?:酚|铅|甲醛|荧光|糖|麸质|乳糖|酒精|防腐剂|双酚|塑化剂|溶剂|镍|卤|硅油|香精|添加)|无(?:铅|毒|甲醛|卤|味|麸质|糖|油|硅|刺激|荧光)|零甲醛",
    ),
    (
        "certified",
        r"\b(?:certifi(?:ed|cate|cation)|(?:type |fda |ce |ul |tüv |tuv )approved|listed|accredited|passed (?:the )?(?:\w+ )?(?:test|audit|certification)|meets? (?:the )?(?:\w+ ){0,3}standards?|conform\w* to|compl(?:y|ies|iant) with (?:en|iso|din|astm|ul|ce|rohs|reach|fda)|ce[- ]mark(?:ed|ing)?|energy star|organic|oeko-?tex|gots|fsc|halal|kosher|vegan|cruelty[- ]free|fair ?trade|rohs|reach[- ]compliant|hypoallergenic|medical[- ]grade|military[- ]grade|atex)\b|认证|认可证|(?:通过|符合)(?:\S{0,8})(?:标准|检测|测试|要求|国标|欧标|美标)|[ab]类标准|有机(?:种植|食品|产品)|清真|医用级|军工级|母婴级|可降解|环保级|达到(?:\S{0,6})标准",
    ),
    (
        "material",
        r"\b(?:stainless(?: steel)?|solid (?:oak|wood|brass|steel|gold|silver)|(?:100 ?% )?(?:pure |virgin |merino )?(?:cotton|wool|linen|silk|cashmere|leather)|aluminium alloy|carbon fib(?:re|er)|titanium|tempered glass|hardened steel|polycarbonate|marine grade|borosilicate|food grade|nylon|brass|bronze)\b|不锈钢|纯棉|全棉|羊绒|真皮|头层牛皮|实木|钛合金|碳纤维|钢化玻璃|航空铝|硼硅|尼龙|黄铜|紫铜",
    ),
    (
        "compatible",
        r"\b(?:compatib\w+|interoperab\w+|works? (?:fine |well |perfectly |seamlessly )?with (?:any|all|both|every|most|your|(?-i:[A-Z]\w+)|windows|linux|mac\w*|android|ios|python|excel|sap|older|existing)|runs? on (?:windows|linux|mac\w*|android|ios|any|all|arm|older)|supports? (?:the )?(?:\w+ ){0,2}(?:protocol|standard|format|browsers?|platforms?|systems?|windows|linux|android|ios|bluetooth|wi-?fi|usb\S*|hdmi|oauth\S*|sso|saml|ipv6|rest|mqtt|modbus|profinet|5g|4g|lte|nfc)|plug[- ]and[- ]play|drop-in replacement|interchangeable with|fits (?:all|any|every|most) (?:\w+ )?(?:models?|machines?|types?|brands?|standard|bikes?|cars?|trucks?))\b|兼容|适配|通用于|支持(?:\S{0,10}?)(?:系统|协议|格式|平台|接口|浏览器|蓝牙|快充|双频|芯片|并发)|即插即用",
    ),
    (
        "performance",
        r"\b(?:runs?|works?|lasts?|operates?|performs?) (?:twice|three times|much|far|considerably|significantly) (?:as )?(?:long|fast|quiet\w*|longer|faster|better)\b|\b(?:silent|noiseless|maintenance-free|shatterproof|unbreakable|bulletproof|tamper[- ]proof|child[- ]proof|leak[- ]?proof|airtight|breathable|biodegradable|compostable|recyclable|rechargeable|dimmable|end-to-end encrypted|encrypted|redundant|hot-swappable|fault[- ]tolerant|energy[- ]efficient)\b|静音|免维护|防漏|透气|可回收|可充电|可调光|加密(?:存储|传输)|双机热备|节能|(?:扛|抗|耐)(?:\S{0,6})(?:风|震|压|摔|拉|晒)|贴身穿",
    ),
)
_PLATFORMS: Final = tuple(
    (id, re.compile(pattern, re.IGNORECASE))
    for id, pattern in (
        ("windows", r"\bwin(?:dows)?(?:\b|(?=\d))"), ("android", r"\bandroid|安卓"), ("ios", r"\b(?:ios|iphones?|ipads?)\b|苹果"),
        ("mac", r"\bmac(?:os|book)?\b"), ("linux", r"\blinux\b"), ("harmony", r"\bharmony\s?os\b|鸿蒙"),
    )
)  # fmt: skip
_FOR_PLATFORM: Final = re.compile(
    r"\b(?:supported|supports|requires?|requirements?|system|minimum|needs?)\b|系统|支持|要求|适用", re.IGNORECASE
)
_READY: Final = tuple((id, re.compile(pattern, re.IGNORECASE)) for id, pattern in PROPERTIES)
_ANY: Final = re2.compile("(?i)" + "|".join(pattern for _, pattern in PROPERTIES))
_CLAUSE: Final = re.compile(r"[.!](?=\s|$)|[?？。!！;；\n]")
_NO_CLAIM: Final = re.compile(
    r"\b(?:whether|if|can(?:no|')t say|don't know|do not know|not sure|would need to ask|you (?:asked|wanted|need|ordered|said|mentioned|want|require)|your (?:wish|request|own|question)|please|have to ask|let me (?:ask|check)|find out|(?:could|can|do|does|is|are|would|did) (?:you|your))\b"
    r"|不清楚|不知道|不确定|不敢|得问|问一下|问问|是否|有没有|您(?:要|想|问|说|需要|提)|客户要求|请|麻烦|吗",
    re.IGNORECASE,
)


def _any(text: str) -> bool:
    """Whether any property may be named; a lone surrogate is no letter of one."""
    return _ANY.search(text.encode("utf-8", "replace").decode()) is not None


def properties(text: str) -> Iterator[tuple[str, int, int]]:
    """Properties that a text claims, as (id, start, end)."""
    if not _any(text):
        return
    start = 0
    for end in [*_CLAUSE.finditer(text), None]:
        stop = end.start() if end else len(text)
        question = end is not None and end.group() in "?？"
        part = text[start:stop]
        if not question and not _NO_CLAIM.search(part):
            for id, pattern in _READY:
                if hit := pattern.search(part):
                    yield id, start + hit.start(), start + hit.end()
                    if id == "compatible":
                        yield from _on_platforms(part, start)
        start = end.end() if end else stop


def _on_platforms(part: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Each platform that a sentence on compatibility names."""
    for id, pattern in _PLATFORMS:
        if hit := pattern.search(part):
            yield f"on {id}", start + hit.start(), start + hit.end()


def named(facts: tuple[str, ...]) -> frozenset[str]:
    """The properties that the facts of a record name."""
    found = {id for fact in facts if _any(fact) for id, pattern in _READY if pattern.search(fact)}
    for fact in facts:
        platforms = {f"on {id}" for id, pattern in _PLATFORMS if pattern.search(fact)}
        found |= platforms | ({"compatible"} if platforms and _FOR_PLATFORM.search(fact) else set())
    return frozenset(found)
