"""From a Chinese text to its sentences and clauses, each a row of known words (see `reading`).

1. All is read in one form: simplified letters, lower case, no space beside a Han letter. Letters of Cantonese that
   deny or point are read as their northern ones.
2. What stands in quotation marks is said by somebody else and is blanked, unless it is the whole text, the name of a
   button, or a short name that is given away ("提供“自动同步”功能").
3. A clause ends at a comma, a colon, a dash or a word of contrast. At each place the longest known word is taken; a
   Latin word that nobody knows is the name of a product.
Every step is one pass over the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from dragoman.packets.claims.chinese.fields import FIELDS
from dragoman.packets.claims.chinese.tags import Tag
from dragoman.packets.claims.chinese.words import WORDS
from dragoman.packets.claims.seven import Role

MOST: Final = 60
"""Most known words in one clause, and clauses in one sentence; what comes after is read as another."""

Tags = frozenset[Tag]
Roles = frozenset[Role]


class Token(msgspec.Struct, frozen=True):
    """One known word, and how many unknown letters stand between the last one and it."""

    word: str
    tags: Tags
    roles: Roles
    gap: int
    start: int


class Clause(msgspec.Struct, frozen=True):
    """The known words of a clause, what they are together, and the mark that ends it."""

    tokens: tuple[Token, ...]
    tags: Tags
    roles: Roles
    turned: bool
    end: str
    unknown: int


class Sentence(msgspec.Struct, frozen=True):
    """A sentence as it was written, and whether it asks."""

    text: str
    asks: bool


_OLD: Final = (
    "訊傳遞發機構證書認對應適連絡線擴統編譯調環運執記錄據導匯檔圖網數處務別話說請問還過進時會們個這來為於無與麼種從後當將員開關點動標題體斷變寫庫碼儲權設備號錢實資質頒屬閱審討論計劃轉達條須單雙離讓給兩邊麵"
    "裡裏佈嗎誰啟擔該電郵遠帳貨報價買賣費鍵滿業專產雲層級規範確驗測試歸結樣總難內詢區隊佇獨聯橋廠優選擇張蓋參觸喚監負責決託極簡純屜屆絕雖儘項舊術語歡長頭寶沒並爲裝檢複復佔隻衹錯誤謊騙拋廣約紅綁維護簽頁顯輸"
    "訂貼尋稱職聲興舉補視覺訪評詞誠課談識財貴贊趕車軌輪輯辦遲邏鄰釋針鈕銷鏈鏡閉閒間隨險隱雜靜響頂順預領頻顧類飛餘駐驅齊則剛創勞勢協圍場塊壓夠學寬幣帶幹廢彈徑恆愛態慣憑戰戶損撥擁攔敗暫欄氣沖況準減滯牽獎獲現"
    "異盡眾著穩競筆節紀細終組綠緊續義聽腳臺萬虛親許誇諾僅偽傷償冊歷曆嘗繼齣麗夾轄鏽鑰鎖閘陣際韌頓願魚鳥麥黨啓週遺鄉釐録鐘鍾陸隸盤盜礎禦積籤糾納紙紛緒績織繞罵脫臨艱藝蹤軍較載輕輔辭遊鑑鑒閃闊階靈頗飾騷驚幫併"
    "製東軟藍燈"
)
_NEW: Final = (
    "讯传递发机构证书认对应适连络线扩统编译调环运执记录据导汇档图网数处务别话说请问还过进时会们个这来为于无与么种从后当将员开关点动标题体断变写库码储权设备号钱实资质颁属阅审讨论计划转达条须单双离让给两边面"
    "里里布吗谁启担该电邮远帐货报价买卖费键满业专产云层级规范确验测试归结样总难内询区队伫独联桥厂优选择张盖参触唤监负责决托极简纯屉届绝虽尽项旧术语欢长头宝没并为装检复复占只只错误谎骗抛广约红绑维护签页显输"
    "订贴寻称职声兴举补视觉访评词诚课谈识财贵赞赶车轨轮辑办迟逻邻释针钮销链镜闭闲间随险隐杂静响顶顺预领频顾类飞余驻驱齐则刚创劳势协围场块压够学宽币带干废弹径恒爱态惯凭战户损拨拥拦败暂栏气冲况准减滞牵奖获现"
    "异尽众着稳竞笔节纪细终组绿紧续义听脚台万虚亲许夸诺仅伪伤偿册历历尝继出丽夹辖锈钥锁闸阵际韧顿愿鱼鸟麦党启周遗乡厘录钟钟陆隶盘盗础御积签纠纳纸纷绪绩织绕骂脱临艰艺踪军较载轻辅辞游鉴鉴闪阔阶灵颇饰骚惊帮并"
    "制东软蓝灯"
)
_CANTONESE: Final = {
    "佢": "它",
    "唔": "不",
    "冇": "没",
    "嘅": "的",
    "畀": "给",
    "咗": "了",
    "係": "是",
    "喺": "在",
    "㗎": "吗",
}
_FORM: Final = {ord(one): two for one, two in zip(_OLD, _NEW, strict=True)} | {
    ord(one): two for one, two in _CANTONESE.items()
}
_SPACE: Final = re.compile(r"(?<=[\u3400-\u9fff])[ \t]+(?=[\u3400-\u9fff])")
_BESIDE: Final = re.compile(r"(?<=[\u3400-\u9fff])[ \t]+|(?<![. \t])[ \t]+(?=[\u3400-\u9fff])")
_QUOTED: Final = re.compile(
    r"“[^“”]{1,400}”|\"[^\"\n]{1,400}\"|「[^「」]{1,400}」|『[^『』]{1,400}』|‘[^‘’]{1,400}’|《[^《》]{1,400}》"
)
_BUTTON: Final = re.compile(r"(?:点|点击|点一下|按|按下|选|选择|勾选|提供|支持|具备|享有|自带|内置)\s?$")
_GIVEN: Final = re.compile(r"^\s?(?:功能|服务|能力|机制|按钮)")
_SHORT: Final = 8
_SHORTEST: Final = 2
HAN: Final = re.compile(r"[\u3400-\u9fff]")
_LETTER: Final = re.compile(r"[^\W_]")
_SENTENCE: Final = re.compile(r"[。!！\n]+|[?？]+[」”』\")]*|(?<=[.])\s+|[~～]+")
_CUT: Final = re.compile(r"[,;:()|…=，；：（）｜＝]|—+|\s[-–·*]+\s|·")
_LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f0-9_.+#/@'-]*|[0-9][A-Za-z0-9_.+#/@-]*")
_PLAIN_WORDS: Final = """
    json csv api http https url id ppt moq mcp tls ssl ssh ui cli excel pdf ai llm ga ok app usb post db sql html yaml
    diy nit vip demo mb gb tb crm oa hr kpi ceo cto
    """
_PLAIN: Final = frozenset(_PLAIN_WORDS.split())


_ENDS: Final = frozenset(",;:()|，；：（）｜、")
_ADVERBS: Final = frozenset({"可是", "只是", "结果", "不过", "其实", "事实上", "实际上", "而"})
_TOOLS: Final = frozenset({"n8n", "k8s", "npm", "cron", "rsync", "git", "bot", "webhook"})


def form(text: str) -> str:
    """The text in the one form in which words are looked up, letter case kept."""
    text = text.translate(_FORM)
    return _BESIDE.sub("", _SPACE.sub("，", text))


def without_quoted(text: str) -> str:
    """The text without what it quotes."""
    if _QUOTED.search(text) is None:
        return text

    def judged(found: re.Match[str]) -> str:
        inner, before = found.group()[1:-1], text[max(0, found.start() - 6) : found.start()]
        alone = not _LETTER.search(text, 0, found.start()) and not _LETTER.search(text, found.end())
        named = _BUTTON.search(before) or _GIVEN.match(text[found.end() : found.end() + 4])
        return inner if alone or (named and len(inner) <= _SHORT) else "〇"

    return _QUOTED.sub(judged, text)


def parted(text: str) -> tuple[str, str]:
    """The sentences that hold Han letters, in the form in which they are read, and all others."""
    han: list[str] = []
    others: list[str] = []
    for piece in pieces(without_quoted(form(text))):
        (han if HAN.search(piece) else others).append(piece)
    return "".join(han), "".join(others)


def pieces(text: str) -> Iterator[str]:
    """The sentences of a text in either language, with the marks that end them; together they are the text."""
    start = 0
    for cut in [*_SENTENCE.finditer(text), None]:
        end = cut.end() if cut else len(text)
        if end > start:
            yield text[start:end]
        start = end


def sentences(text: str) -> Iterator[Sentence]:
    """Each sentence of a text that has been brought into form."""
    start = 0
    for cut in [*_SENTENCE.finditer(text), None]:
        end = cut.start() if cut else len(text)
        piece = text[start:end]
        if piece.strip():
            yield Sentence(piece, cut is not None and not {"?", "？"}.isdisjoint(cut.group()))
        start = cut.end() if cut else end


class _Entry(msgspec.Struct):
    tags: set[Tag]
    roles: set[Role]


class _Lexicon(msgspec.Struct):
    words: dict[str, tuple[Tags, Roles]]
    lengths: dict[str, tuple[int, ...]]


@cache
def _lexicon() -> _Lexicon:
    entries: dict[str, _Entry] = {}
    for tag, words in WORDS.items():
        for word in words:
            entries.setdefault(word, _Entry(set(), set())).tags.add(tag)
    for role, words in FIELDS.items():
        for word in words:
            if word.startswith("uaix"):
                entries.setdefault(word, _Entry(set(), set())).tags.add(Tag.UAIX)
            entries.setdefault(word, _Entry(set(), set())).roles.add(role)
    lengths: dict[str, set[int]] = {}
    for word in entries:
        lengths.setdefault(word[0], set()).add(len(word))
    return _Lexicon(
        {word: (frozenset(entry.tags), frozenset(entry.roles)) for word, entry in entries.items()},
        {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()},
    )


_NOBODY: Final[Roles] = frozenset()
_NAMED: Final[Tags] = frozenset({Tag.NAME})


def tokens_of(text: str) -> list[Token]:
    """The known words of a text in order."""
    lexicon, low = _lexicon(), text.lower()
    if len(low) != len(text):
        low = "".join(each.lower() if len(each.lower()) == 1 else each for each in text)
    found: list[Token] = []
    at = gap = 0
    while at < len(text):
        word = _longest(lexicon, low, at)
        latin = None if word else _LATIN.match(text, at)
        if word:
            tags, roles = lexicon.words[word]
            found.append(Token(word, tags, roles, gap, at))
            at, gap = at + len(word), 0
        elif latin:
            if _is_name(latin.group()):
                found.append(Token(low[at : latin.end()], _NAMED, _NOBODY, gap, at))
                gap = 0
            at = latin.end()
        else:
            gap = 0 if low[at] in _ENDS else gap + ("\u3400" <= low[at] <= "\u9fff")
            at += 1
    return found


def _is_name(word: str) -> bool:
    """Whether an unknown Latin word is the name of a product."""
    if len(word) < _SHORTEST or word.lower().rstrip(".") in _PLAIN:
        return False
    return word in _TOOLS or any(map(str.isupper, word))


def _longest(lexicon: _Lexicon, low: str, at: int) -> str:
    for length in lexicon.lengths.get(low[at], ()):
        word = low[at : at + length]
        after = low[at + length : at + length + 1]
        if word in lexicon.words and not (word[-1].isascii() and after.isascii() and after.isalnum()):
            return word
    return ""


def clauses_of(text: str) -> list[Clause]:
    """The clauses of a sentence; one without any known word is none."""
    tokens = tokens_of(text)
    cuts = [(cut.start(), cut.group()) for cut in _CUT.finditer(text)]
    cuts += [
        (token.start, "")
        for token in tokens
        if Tag.CONTRAST in token.tags and (token.word not in _ADVERBS or text[token.start - 1 : token.start] in _ENDS)
    ]
    cuts.sort()
    made: list[Clause] = []
    here: list[Token] = []
    turned, number = False, 0

    def close(end: str, contrast: bool) -> None:
        nonlocal here, turned
        if here:
            tags = frozenset[Tag]().union(*(token.tags for token in here))
            roles = frozenset[Role]().union(*(token.roles for token in here))
            made.append(Clause(tuple(here), tags, roles, turned, end, here[0].gap))
            turned = False
        turned = turned or contrast
        here = []

    for token in tokens:
        while number < len(cuts) and cuts[number][0] <= token.start:
            close(cuts[number][1], not cuts[number][1])
            number += 1
        here.append(token)
        if len(here) == MOST:
            close("", False)
    close(cuts[number][1] if number < len(cuts) else "", False)
    return made
