"""The words of `record_asked`: what speaks of this conversation, of who leads it, or wishes something.

What they touch is never in a record, and nobody acts on it as on a fact: "I'm out today", "I'll ring you in five minutes",
"page 2 of your scan", "have a good Monday", 昨天没顾上回.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import Final

WISH: Final = re.compile(
    r"\b(?:have an? (?:\w+ )?(?:good|nice|great|lovely|pleasant|wonderful|relaxing|restful|safe)?|happy|merry|enjoy|good luck|all the best|best wishes|season's greetings|lovely|delightful|cheers|congratulations|hope you (?:had|have)|how was|thanks? (?:you )?(?:again )?for (?:a|the|your|coming|having|hosting|last|yesterday)|nice (?:to see|meeting|talking|speaking)|good (?:to see|talking|speaking)|pleasure (?:to|meeting|speaking))\b"
    r"|快乐|愉快|吉祥|安康|大吉|辛苦|顺利|祝|恭喜|聊得|见到您|谢谢您(?:昨|今|上)|感谢您(?:昨|今|上)|过得(?:怎么样|好)"
)
"""Greetings and thanks."""
_I: Final = r"(?:i|we|my colleagues?|[a-z]+ and i|our (?:phone|line|mail|e-?mail|internet|server|system|connection|office)(?: line)?|the (?:line|phone|internet|connection|boss|weather))"
_TELL: Final = r"(?:call|ring|phone|write|reply|answer|get back|come back to|be back|back at|look|check|ask|read|forward|let you know|update|talk|chat|speak|spoke|chatted|discussed|mailed|wrote|tried|in touch|follow up|catch up|confirm|say|tell|promise|in the office|at my desk|out of (?:the )?office|out (?:sick|ill)|on (?:holiday|leave|vacation|the road|site)|off (?:sick|ill)|not in|away|available to talk|reach\w*|busy|swamped|home office|working from home|training|late to reply|crackl\w+|down|slow|noisy|missed your|got your|received your|saw your|read your|your (?:e-?mail|mail|message|call|note|letter|question|request|enquiry))"
OWN: Final = re.compile(
    rf"\b{_I}(?:'m|'ll|'ve|'re|'d| \w+)?\b[^.;!?]{{0,40}}\b{_TELL}\b|\bcan(?:no|')t (?:say|tell|confirm|promise|give|name|quote|see|find|reach|answer)\b|\b(?:nothing (?:new|more|else)|no (?:news|word|update|answer|reply)|out of office)\b|\bit's (?:only )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:yesterday|today|last \w+)'s (?:mail|e-?mail|message|call|letter)\b|\bwill be off\b|\bi'll be (?:off|away|out|back)\b|\bi'm (?:in|out|off|back|here|away|alone)\b"
    r"|(?:我|我们|咱们|同事|老板|经理|这边)\S{0,10}(?:不在|出差|请假|休假|开会|外出|在外|没顾上|没空|值班|打电话|回电|回复|联系|给您(?:打|回|写|发消息|答复)|再(?:问|看|聊|说|查)|在办公室|在公司|在线|没来得及|没看到|没收到)|(?:[小老阿][一-鿿]|[一-鿿](?:工|经理|总|姐|哥|师傅))(?:今天|今日|明天|昨天|这两天|\S{0,3})(?:休假|请假|不在|出差|调休|外出|轮休|没来|病假)|\b[a-z]+ is (?:on (?:leave|holiday|vacation)|off (?:sick|work)|out of (?:the )?office|not in)\b|(?:邮件|消息|信)(?:回慢|回晚|才看)|睡得|打过?(?:您|你)(?:的)?电话|没顾上|没来得及|来不及回|(?:再|给您)(?:回话|回电|答复|联系)|收到您的|您的(?:邮件|来信|消息|留言|电话)|说不准|没消息|答不上|没法(?:确认|答复|告诉)|无法(?:确认|答复|告知)|不能(?:确认|告诉|透露)|线路|信号|网络|网不好"
)
"""We who write, and our talking with them."""
HERE: Final = re.compile(
    r"\b(?:weather|rain\w*|sun|sunny|cold|hot|traffic|phone line|line (?:is|was)|as of today|how are you|any better|(?:can't|cannot|unable|not able|don't know|no idea|not sure|afraid)|busy|hectic|quiet here|third time|again today)\b|天气|下雨|堵车|忙|不方便|出差|请假|不在|开会"
)
"""Today, as one speaks of it."""
LATER: Final = re.compile(
    r"\b(?:i|we)(?:'ll| will| shall| can| could| would| might| may|'d)? (?:\w+ )?(?:call|ring|phone|write|reply|answer|get back|come back|look|check|ask|read|let you know|talk|chat|speak|be in touch|follow up|chase)\b|\b(?:speak|talk) (?:to you )?(?:soon|later|tomorrow|next week)\b|\bi (?:was|am|'m) (?:out|off|away|ill|sick|travelling|in|at)\b"
    r"|给您(?:回|打|答复)|回复您|回您|答复您|联系您|再碰|碰头|再谈|再聊|再说|再联系|我(?:再)?(?:问|查|看|催|打听)"
)
"""When we shall talk again."""
JUBILEE: Final = re.compile(
    r"\b(?:congratulat\w+|happy (?:birthday|anniversary|\d|new year|easter|christmas)|birthday|anniversary)\b|祝贺|恭喜|快乐|生日"
)
"""Congratulations."""
KNOWN_LONG: Final = re.compile(
    r"\bwe(?:'ve| have) (?:known|worked|been (?:working|neighbours|partners|friends))\b|合作|认识|打交道"
)
"""How long we know each other."""
LINE: Final = re.compile(
    r"\b(?:page|line|row|item|position|pos\.?|question|point|paragraph|section|photo|picture|slide|sheet|column|attachment|figure|field|box|step|digits?) (?:no\.? |number )?\d*\W*$|\b(?:page|line|row|item|position|pos\.?|question|point|paragraph|section|photo|picture|slide|sheet|column|attachment|field|step|digit)s? (?:no\.? |number )?(?:\d{1,2} and )?(?:no\.? |number )?\d{1,3}\b|第\s?\S{1,3}(?:页|行|条|点|段|张|栏|列|项|个问题|封|题)"
)
"""A place in a paper."""
OWN_PAPER: Final = re.compile(
    r"\b(?:your|you sent|you attached|of the (?:scan|mail|list|form|drawing|pdf|attachment|file)|attached|can't (?:open|read)|couldn't (?:open|read))\b|您|你|扫描件|附件|贵司|清单里|表里|来信|邮件"
)
"""The outsider's paper, or the one that is talked over."""
SOON: Final = re.compile(
    r"\b(?:give me|in a|call|ring|phone|get back|come back|reply|be with you|look|bear with me|hold (?:on|the line)|dig|find|wait|moment|let you know|back in|have you got|do you have|got)\b|给您回|回电|回话|稍等|等我|马上|查一下|看一下|打扰您|耽误您|占用您"
)
"""A few minutes of this talk."""
OF_MINE: Final = re.compile(
    r"(?:one|two|three|four|five|\d) (?:(?:in|on) your (?:e-?mail|mail|message|list|form|letter)|of (?:us|you|them|your (?:\w+ )?(?:questions|points|mails|messages|e-?mails|colleagues|photos|attachments))|(?:more |other |small |quick |short |little |brief |further |last |open |of my |minor |different )*(?:questions?|colleagues?|points?|things?|words?|cents|thoughts?|notes?|remarks?|friends?|sentences?|reasons?|ways?|options? (?:come|spring)|people in (?:this|the|our) (?:office|team)|of us|heads?|lines from|annas|typos?|mistakes?|e-?mails?|mails|messages|attachments?|voice ?mails?|kids|children of|sons|daughters|cats|dogs|team of|cups of (?:coffee|tea)|villages|smiles?|tries|attempts|calls))\b"
    r"|[一二两三四五\d](?:个|点|件|位|句|封|条|通)(?:小|简单的?|别的|其他)?(?:人(?=[,。!?在忙]|$)|问题|同事|事(?!故)|疑问|建议|想法|朋友|地方|话|错别字|邮件|电话|消息|说明|细节|人在|请求|字)"
)
"""A few things of ours that nobody counts on."""
EITHER: Final = re.compile(r"\bor\b|还是")
"""A choice put to the outsider."""
TALK: Final = re.compile(r"\bdid you know\b|\bisn't it\b")
"""Questions that state."""
