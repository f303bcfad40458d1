"""The Chinese rows of `reading.plain`: pattern over the folded text, and what is written instead.

`七成` → `70%`, `零六年` → `2006年`, `腊月二十` → `12月20日`, `周二、四` → `周二、周四`, `一打` → `12`, `八个g` → `8gb`.
"""

# A pattern stays on one line.

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from dragoman.gate.reading.numbers import HAN, han_readings, normal

Put = Callable[[re.Match[str]], str]

_N: Final = rf"(?:\d{{1,9}}(?:\.\d{{1,6}})?|{HAN[:-1]}{{1,6}})"
_DIGITS: Final = {char: str(number) for number, char in enumerate("零一二三四五六七八九")} | {"〇": "0"}
_WD: Final = "一二三四五六日天"


def _value(said: str) -> str:
    """A number in digits or Chinese numerals, in digits; as it stands when it names none."""
    if said[0].isdigit():
        return said
    return next(iter(han_readings(said)), said)


def _put(template: str) -> Put:
    return lambda hit: hit.expand(template)


def _tenths(hit: re.Match[str]) -> str:
    return f"{_value(hit[1])}{'5' if hit[2] == '半' else _value(hit[2] or '零')}%"


def _fraction(hit: re.Match[str]) -> str:
    return f"{_value(hit[2])}%" if hit[1] == "百" else hit.group()


def _short_year(hit: re.Match[str]) -> str:
    two = "".join(_DIGITS.get(char, char) for char in hit[1])
    return f"{'19' if int(two) > 40 else '20'}{two}年"


def _weekdays(hit: re.Match[str]) -> str:
    days = [char for char in hit[3] if char in _WD]
    return "、".join(f"{hit[1] or ''}{hit[2]}{day}" for day in (hit[0][len(hit[1] or "") + len(hit[2])], *days))


def _week_range(hit: re.Match[str]) -> str:
    names = "一二三四五六日"
    first, last = (names.index("日" if day == "天" else day) for day in (hit[3], hit[4]))
    return "、".join(f"{hit[1]}{hit[2]}{names[at]}" for at in range(first, last + 1)) if first < last else hit.group()


def _small_share(hit: re.Match[str]) -> str:
    said = _value(hit[2])
    if hit[1] == "千":
        return f"{said}‰"
    return f"{normal(Decimal(said) / 100)}%" if said.replace(".", "", 1).isdigit() else hit.group()


def _weekdays_alone(hit: re.Match[str]) -> str:
    """`一三五送货`: days that rise, and so are no number."""
    days = [_WD.index(day) for day in hit[1]]
    return "、".join(f"周{day}" for day in hit[1]) if days == sorted(set(days)) else hit.group()


def _dozens(hit: re.Match[str]) -> str:
    number = _value(hit[1])
    return str(12 * int(number)) if number.isdigit() else hit.group()


def _lunar(hit: re.Match[str]) -> str:
    month = {"腊": "12", "冬": "11", "正": "1"}[hit[1]]
    return f"{month}月{_value(hit[2])}日"


def _to_unit(unit: str) -> Put:
    return lambda hit: f"{_value(hit[1])}{unit}"


ROWS_ZH: Final[tuple[tuple[str, Put], ...]] = (
    # sayings that count nothing
    (
        r"十有八九|三天两头|五五开|七上八下|一来二去|三言两语|二话不说|第一时间|(?<![零一二三四五六七八九周期拜])一一(?![零一二三四五六七八九])|三番五次|一时半会儿?|半天(?=没|才|都)|对一半|错一半|一言为定|四号字|头一回|千万(?=别|要|不|记|当|注意)|百忙|一五一十|再三|五花八门|乱七八糟|(?<![一二三四五六七八九十百千\d])万一(?![千百十二三四五六七八九])|(?<![周期拜十第零一二三四五六七八九百千万])一(?:会儿?|下子?(?!午|周|月)|切|旦|向|直|起|样|般|定)|(?<![点一二三四五六七八九\d])十分(?!钟|之)",
        _put(" "),
    ),
    # a measure word before a measure
    (
        rf"({_N}(?:点[零〇一二三四五六七八九]{{1,4}})?)个(?=毫米|厘米|公分|公里|米(?![袋饭粉线酒面])|公斤|千克|克(?!隆)|吨|升|毫升|千瓦|瓦|英寸|寸)",
        _put(r"\1"),
    ),
    (r"([一两二三])刻钟", lambda hit: f"{15 * int(_value(hit[1]))}分钟"),
    (rf"(千|万)分之({_N})", _small_share),
    (
        r"(?<![\d一二三四五六七八九十])([一二三四五六七八九])([一二三四五六七八九])折",
        lambda hit: f"{_value(hit[1])}{_value(hit[2])}折",
    ),
    (r"(?<![\d二])十一(?=假期|长假|黄金周|放假|期间)", _put("国庆")),
    (
        r"(?<![一二三四五六七八九十百千万零\d周期拜第])([一二三四五六]{2,5})(?=收货|送货|发货|上课|上班|休息|开门|营业|开放|配送|出车)",
        _weekdays_alone,
    ),
    (rf"民国({_N})年", lambda hit: f"{int(_value(hit[1])) + 1911}年" if _value(hit[1]).isdigit() else hit.group()),
    (r"(?<![a-z])win ?(7|8|10|11)(?![\d.])", _put(r"windows \1;")),
    # shares
    (
        rf"(?<![\d完收变译])({_N})成([一二三四五六七八九半])?(?=[的新多左以]|[^\w]|$|[一-鿿])(?!了|为|立|型|本|品|功|就|员|交|套|熟|分|果|都|绩|人|份|长)",
        _tenths,
    ),
    (rf"(百)分之({_N}(?:点[零〇一二三四五六七八九]+)?)(?!个)", _fraction),
    (r"一年(\S{0,3})(?=[两二三四五六\d]次)", _put(r"每年\1")),
    # years, months, days
    (
        r"(?<![\d一二三四五六七八九十百千零〇])([零〇八九七][零〇一二三四五六七八九]|[一二][零〇一二三四五六七八九])年(?=[建成创开入搬投起注买生的底初春夏秋冬]|[,。,.\s]|[一二三四五六七八九十]{1,2}月|$)",
        _short_year,
    ),
    (r"(?<!\d)([0789]\d)年(?=[建成创开入搬投起注买生的初春夏秋冬底]|[,。,.\s]|$)", _short_year),
    (r"(?:农历|阴历|旧历)", _put("")),
    (rf"([腊冬正])月(?:初)?({_N})(?:[日号])?", _lunar),
    (r"大?年三十(?:晚上)?|大年夜", _put("除夕")),
    (
        r"(?<![\d一二三四五六七八九十年]月)(?:大年|年|正月)?初([一二三四五六七八九十])(?![一-鿿]?[级中次步始期稿版])",
        lambda hit: f"1月{_value(hit[1])}日",
    ),
    (r"(?<=月)(?:份|的)?(?:最后一天|最末一天)", _put("底")),
    (r"((?:本|这个|这|当|每个?|下个?|上个?)月的?)(?=(?:\d{1,2}|[一二三四五六七八九十]{1,3})[日号])", _put(r"\1 ")),
    (
        rf"(下下|下|上|这|本|每)?((?:个)?(?:周|星期|礼拜))[{_WD}]((?:、?[{_WD}]){{1,5}})(?![一二三四五六七八九十点月号楼个天年层到至早])",
        _weekdays,
    ),
    (
        rf"(下下|下|上|这|本)((?:个)?(?:周|星期|礼拜))([{_WD}])(?:到|至|-|–|—|~)(?:下|上|这|本)?(?:个)?(?:周|星期|礼拜)?([{_WD}])",
        _week_range,
    ),
    (r"第?([一二三四1-4])季度", lambda hit: f"q{_value(hit[1])}"),
    (rf"第({_N})周", lambda hit: f" week no {_value(hit[1])} "),
    (r"(?<![a-z])w(\d{2})(?!\d|[a-z])", _put(r" week no \1 ")),
    (r"每(?:半年|隔半年)|半年(?=[一1]次)", _put("每6个月")),
    (
        r"每(?:个)?(小时|天|周|星期|月|季度|年)(?=一[次班趟回份期])",
        lambda hit: "每1" + {"月": "个月", "季度": "个季度"}.get(hit[1], hit[1]),
    ),
    (
        r"(?<![每\d])一?个?(季度|月|星期|小时)(?=一[次班趟回份期])",
        lambda hit: "每1" + {"月": "个月", "季度": "个季度", "星期": "周"}.get(hit[1], hit[1]),
    ),
    # clock
    (
        r"(?:凌晨|半夜|夜里|午夜|深夜)?(?:零点|0点)(?=[一二三四五六七八九十\d]|整|前|后|[,。,.]|$|[^一-鿿])(?!\s?[一二三四五六七八九\d]{1,3}\s?[a-z毫微千公厘米升克吨元倍秒%度])",
        _put("0点"),
    ),
    (r"零点(?=[一二三四五六七八九]+\s?(?:[a-z毫微千公厘米升克吨元倍秒%度]))", _put("零点")),
    (r"(?:半夜|夜里|深夜|午夜|夜间|晚上|当晚|今晚|夜)(?:的)?(?:12|十二)点", _put("0点")),
    (r"(?:上午|早上|早晨|清晨|凌晨|早)\s?0?(\d{1,2}):(\d\d)", lambda hit: f"{int(hit[1]):02d}:{hit[2]}"),
    (r"(?:下午|傍晚|晚上|晚|夜里|午后)\s?0?([1-9]|1[01]):(\d\d)", lambda hit: f"{int(hit[1]) + 12}:{hit[2]}"),
    # units and counts
    (rf"({_N})\s?(?:个)?g(?=的?(?:内存|显存|硬盘|存储|流量|空间|运存|容量))", _to_unit("gb")),
    (
        rf"(?<=内存|显存|硬盘|存储|流量|空间|运存|容量)(?:是|为|有|要|需要|需|至少|最少|最大|:)?\s?({_N})\s?(?:个)?g(?![a-z])",
        lambda hit: f"{_value(hit[1])}gb",
    ),
    (rf"({_N})个g(?![a-z])", _to_unit("gb")),
    (rf"({_N})(?:个平方?|平(?![方米均时台板等])|个平米)", _to_unit("平方米")),
    (r"朝九晚([五六])", lambda hit: f"9:00至{'17' if hit[1] == '五' else '18'}:00"),
    (rf"({_N})打(?![印开电包折算磨孔样])", _dozens),
    (r"(?<![\d])(\d{1,4})p(?=[,。,.;\s一-鿿]|$)", _put(r"\1页")),
    (r"(?<!\d)(\d{1,2})f(?=[,。,.;\s一-鿿]|$)", _put(r"\1楼")),
    (
        r"((?:\d{1,2}|[一二三四五六七八九十]{1,3}))层(?=大厅|大堂|[的,。,.\s]|会议|前台|东|西|南|北|[ab]区|左|右|走廊|展厅|办公|接待|餐厅|$)",
        _put(r"\1楼"),
    ),
    (rf"(?:零下|负)({_N})(?=度|摄氏|°)", lambda hit: f"-{_value(hit[1])}"),
    (
        r"([零〇一二三四五六七八九十]{1,3}点[零〇一二三四五六七八九]{1,4})(?=\s?(?:[a-z]|毫|微|千|公|厘|米|升|克|吨|瓦|倍|兆|伏))",
        _to_unit(""),
    ),
    (r"(末|后|尾|前|最后)([一二三四五六七八\d])位", _put(r"\1")),
)
"""`(?<=a|bb)` needs one width: every word before a memory size has two characters."""
