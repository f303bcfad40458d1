"""What a Chinese question takes for granted, and so says.

1. A rhetorical question (还用自己搭服务器吗) says that nobody needs to do it: that UAIX does, if no other is named.
2. A request about how UAIX does a thing (推的时候能不能先合并) says that it does it.
3. What asks, reports or supposes says nothing. A question longer than `LONGEST` says nothing either.
"""

from __future__ import annotations

import re
from typing import Final

from dragoman.packets.rules.claim_turns import (
    ADAPTERS,
    CERTIFIES,
    IMPORTS,
    LONGEST,
    MESSAGING,
    OURS_ZH,
    RUNS,
    SYNC,
    WRITES,
    turned,
)

_NO_NEED: Final = (
    r"(?:还用(?:得着)?|还[要得需]|何必|何须|何苦|谁还|哪还[用需要]|哪里?用得?着?|干嘛还|犯得着|还愁|还怕|用得着)"
)
_RHETORICAL: Final = re.compile(
    rf"^(?P<said>[^？?]{{0,200}}?)[，,]?\s*{_NO_NEED}(?P<what>[^，。？?]{{2,40}}?)[吗呢啊呀嘛]?\s*[?？]", re.I
)
_REQUEST: Final = re.compile(
    r"^(?P<said>[^？?]{4,200}?)[，,]\s*(?:麻烦|请问)?(?:能不能|可不可以|能否|可否"
    r"|可以)(?P<how>[^？?]{2,60})[?？]",
    re.I,
)
_WHILE: Final = re.compile(
    rf"(?:能不能|可不可以|能否|可否)(?:让|请|叫"
    rf"|使)?\s*(?P<who>{OURS_ZH})(?P<act>[^，。？?不没]{{2,20}}?)(?:的时候|时|之?前|之?后)",
    re.I,
)
_WANTED: Final = (
    (
        re.compile(
            "收不到[^，]{0,4}(?:消息|信)|丢(?:消息|信)|搭[^，]{0,6}服务器|消息队列|MQ|存消息|搭[^，]{0,4}邮箱|收发"
        ),
        MESSAGING,
    ),
    (re.compile("手[动工][^，]{0,4}(?:同步|更新)|同步|拷来拷去|传来传去|版本[^，]{0,4}(?:打架|不一|冲突)"), SYNC),
    (re.compile("调度|盯着|排班|派活|编排|叫醒"), RUNS),
    (re.compile("推代码|提交|合并|PR"), WRITES),
    (re.compile("(?:写|做|找)[^，]{0,6}(?:适配器|插件|连接器|桥接)"), ADAPTERS),
    (re.compile("(?:送审|考证|办证|找人?认证)"), CERTIFIES),
    (re.compile("导入|导数据|搬数据"), IMPORTS),
)
_ASKED: Final = re.compile("[吗么]|是否|是不是|有没有|会不会|谁|怎么|问|以为|如果|要是|假如")


def granted(question: str) -> str | None:
    """What a question takes for granted: that nobody needs to do it, or that UAIX does what it is asked to do so."""
    if len(question) > LONGEST:
        return None
    during = _WHILE.search(question)
    if during:
        return f"{during['who']}会{during['act']}"
    needless = _RHETORICAL.match(question)
    if needless:
        return _needless(needless["said"], needless["what"])
    request = _REQUEST.match(question)
    if request and _ASKED.search(request["said"]) is None:
        return turned(request["said"])
    return None


def _needless(said: str, what: str) -> str | None:
    if _ASKED.search(said):
        return None
    bare = said.strip()
    if bare and re.fullmatch(
        rf"(?:(?:既然|都|如今|现在|已经|我们|咱们)\s*)*(?:有了?|用了?|上了)\s*{OURS_ZH}(?:了"
        rf"|在|以后|之后)?",
        bare,
    ):
        bare = ""
    if bare:
        return turned(bare)
    if "自己" in what or "手" in what or said:
        return next((plain for wanted, plain in _WANTED if wanted.search(what)), None)
    return None
