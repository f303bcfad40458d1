"""What excludes each other without being opposites? By air or by sea, red or blue, Dr Li or Dr Zhang. For `record_sides`.

1. A set is one question with many answers. A clause that gives another answer than the record, while it shares words with
   the record's clause that gives one, turns it around.
2. A person with a title is such an answer: another name with the same title.
3. `from X to Y` is turned by `from Y to X`.
4. A code or figure joined to what the record joins to another of its kind ("the successor is TX-90" where TX-90 is the
   predecessor) is turned.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import Final

from dragoman.gate.reading.patterns import Gates, Open

EXCLUSIVE: Final = Gates()
"""The gates of all answers."""

_COLOURS: Final = {
    "black": "黑", "white": "白", "red": "红", "blue": "蓝", "green": "绿", "yellow": "黄", "gr[ae]y": "灰", "brown": "棕", "pink": "粉",
    "purple": "紫", "orange": "橙", "silver": "银", "beige": "米", "turquoise": "",
}  # fmt: skip
SETS: Final[tuple[tuple[str, dict[str, re.Pattern[str]]], ...]] = tuple(
    (id, {name: EXCLUSIVE.add(pattern) for name, pattern in answers.items()})
    for id, answers in (
        ("transport", {
            "air": r"\bby (?:air|plane)\b|\bair ?(?:freight|mail|cargo)\b|\bflown\b|空运|航空件", "sea": r"\bby (?:sea|ship|boat|vessel)\b|\b(?:sea|ocean) ?freight\b|海运|船运",
            "road": r"\bby (?:road|truck|lorry|van)\b|陆运|汽运|公路运输", "rail": r"\bby (?:rail|train)\b|铁路|中欧班列",
            "courier": r"\bby (?:courier|express|dhl|ups|fedex)\b|快递", "post": r"\bby post\b|平邮",
        }),
        ("colour", {name: rf"\b{name}\b" + (f"|{zh}色" if zh else "") for name, zh in _COLOURS.items()}),
        ("language", {name: rf"\bin {name}\b|\b{name} (?:version|manual|edition|copy|text)\b" for name in ["english", "german", "french", "spanish", "italian", "dutch", "polish", "chinese", "russian"]}
         | {one: one for one in ("英文", "中文", "德文", "法文", "日文", "俄文", "西班牙文")}),
        ("material", {name: rf"\b{name}\b" for name in ["oak", "beech", "pine", "walnut", "steel", "aluminium", "copper", "plastic", "cardboard", "wooden", "cotton", "polyester", "leather", "ceramic", "marble", "granite"]}
         | {one: one for one in ("不锈钢", "铝合金", "塑料", "橡木", "松木", "纸箱", "木箱", "纯棉", "涤纶")}),
        ("meal", {"breakfast": r"\bbreakfast\b|早餐", "lunch": r"\blunch\b|午餐|中餐", "dinner": r"\bdinner\b|晚餐"}),
        ("payer", {"we": r"\bat our expense\b", "you": r"\bat your expense\b"}),
    )
)  # fmt: skip
_SURNAMES: Final = "赵钱孙李周吴郑王冯陈沈韩杨朱秦许何吕张孔曹严金魏陶姜谢邹苏潘范彭鲁马方任袁柳史唐薛雷贺罗郝常于傅齐康顾孟黄萧尹姚邵汪毛戴宋庞熊项祝董梁杜贾江郭梅林徐邱骆高夏蔡田胡霍万卢莫房丁邓石崔龚程陆段侯武刘叶黎白乔谭曾关"
_PERSON: Final = EXCLUSIVE.add(
    rf"(?P<zh>[{_SURNAMES}])(?P<job>医生|经理|老师|工程师|师傅|主任|教授|律师|顾问|主管)|\b(?P<title>mr|mrs|ms|miss|dr|prof|herr|frau)\.? (?P<name>[a-z]{{2,}})"
)
_FROM_TO: Final = EXCLUSIVE.add(
    r"\bfrom (?:the )?([\w.:/-]+(?: [ap]m)?) to (?:the )?([\w.:/-]+)|[从由自]([^\s,。到至改换调移]{1,8}?)(?:改|换|调|移|搬|变|升|降)?(?:到|至|为|成)([^\s,。,了的]{1,6})"
)


Asked = tuple[tuple[str, str, re.Pattern[str]], ...]
"""Set, answer, pattern of what a text may give."""


def asked_in(open: Open) -> Asked:
    """The answers that a text may give at all."""
    return tuple((one, name, pattern) for one, names in SETS for name, pattern in names.items() if id(pattern) in open)


def answers(part: str, asked: Asked, open: Open) -> frozenset[tuple[str, str]]:
    """The (set, answer) pairs that a clause gives."""
    found = {(id, name) for id, name, pattern in asked if pattern.search(part)}
    for hit in _PERSON.finditer(part) if id(_PERSON) in open else ():
        found.add((hit["job"] or "person", hit["zh"] or hit["name"]))
    return frozenset(found)


def routes(text: str, open: Open) -> frozenset[tuple[str, str]]:
    """Every `from X to Y`."""
    found = _FROM_TO.finditer(text) if id(_FROM_TO) in open else ()
    return frozenset((hit[1] or hit[3], (hit[2] or hit[4]).rstrip(".")) for hit in found)


def kind_of(value: str) -> str:
    """What kind of claim a value is: a code, a day, a time, or its unit."""
    if value.startswith("?"):
        return "code" if any(char.isdigit() for char in value) else ""
    if value[:2] == "--" or (value[:4].isdigit() and value[4:5] == "-"):
        return "day"
    return "time" if value[2:3] == ":" else value.partition(" ")[2]
