"""The word lists that `live_text` reads: data, English and Chinese, for a product owner to extend.

1. `ACKNOWLEDGEMENTS`: a message made only of these says nothing (spec 1 §3, substantive text). Longer phrases may be
   built from shorter ones: "ok, got it, thanks" needs no entry of its own.
2. `OPENERS_*`: a text that starts with one of these is a question without a question mark (spec 1 §11.8). One-word
   openers are left out on purpose: "What a day" and "When we arrive" ask nothing.
3. `NOT_NAMES`, `CJK_NOT_NAMES`: what may stand before a comma or colon at the start without being a person.
4. Everything is lower case and plain; `live_text` folds the message before it compares, never the agent's own name.
"""

from __future__ import annotations

from typing import Final


def _lines(text: str) -> tuple[str, ...]:
    """The entries of a table written one group per line, separated by ` | `."""
    return tuple(entry.strip() for line in text.splitlines() for entry in line.split("|") if entry.strip())


ACKNOWLEDGEMENTS: Final = _lines("""
ok | okay | okey | k | kk | okie | okay then | ok then | alright | all right | right | sure | sure thing | fine
yes | yep | yeah | yup | no | nope
thanks | thank you | thankyou | thx | ty | tysm | cheers | many thanks | thanks a lot | thanks so much
thank you so much | thank you very much
much appreciated | appreciated | got it | gotcha | noted | understood | roger | copy | copy that | ack
acknowledged | received | well received | received with thanks | noted with thanks | tks | thank u | thx a lot
thx so much | okk | okok | xd | will do | on it | done
great | good | nice | cool | perfect | super | excellent | awesome | lovely | brilliant | wonderful | sounds good
looks good | lgtm | all good
agreed | exactly | indeed | i see | no problem | no worries | np | my pleasure | you're welcome | youre welcome
welcome | same | same here | me too
ha | haha | hahaha | lol | hm | hmm | hmmm | mm | mhm | uh | uh huh | ah | oh | oh ok | wow | yay | plus 1 | 1
hi | hello | hey | good morning | good afternoon | good evening | good night | bye | goodbye | see you | danke
merci | gracias
好 | 好的 | 好吧 | 好啊 | 好呀 | 好嘞 | 好哒 | 好滴 | 好的好的 | 收到 | 收到了 | 已收到 | 谢谢 | 谢谢你 | 谢谢您
多谢 | 感谢 | 非常感谢 | 谢了 | 谢啦 | 謝謝 | 感謝 | 多謝
嗯 | 嗯嗯 | 恩 | 哦 | 噢 | 喔 | 行 | 行的 | 行吧 | 可以 | 可以的 | 没问题 | 沒問題 | 没事 | 不客气 | 不用谢 | 明白
明白了 | 了解 | 知道了 | 知道 | 懂了 | 清楚
是 | 是的 | 对 | 对的 | 不 | 不是 | 辛苦了 | 辛苦 | 赞 | 棒 | 太好了 | 太棒了 | 厉害 | 同意 | 已阅 | 了 | 哈 | 哈哈
哈哈哈 | 呵呵 | 嘿 | 你好 | 您好 | 早 | 早上好 | 晚安 | 再见 | 拜拜
""")

OPENERS_EN: Final = _lines("""
what is | what's | whats | what are | what was | what were | what do | what does | what did | what can | what would
what will | what time | what date
what about | what kind of | what size | what if
when is | when's | when are | when was | when will | when can | when could | when do | when does | when did
when would | when should
where is | where's | where are | where can | where do | where does | where did | where should | where will
who is | who's | who are | who can | who will | who has | who knows | who was | who should | who do | who does
which one | which of | which is better | which day | which date | which dates | which size | which version
which model | which option
why is | why are | why do | why does | why did | why was | why not | why can't | why can | why would
how do | how does | how did | how is | how are | how can | how could | how many | how much | how long | how often
how far | how soon | how big | how about
how should | how would | how will | how come
can you | can we | can i | can anyone | can anybody | can someone | can somebody | could you | could we | could i
could anyone | could someone
would you | would it | would anyone | will you | will it | will we | will there | shall we | should we | should i
may i | may we | might i
do you | do we | do i | do they | does it | does this | does that | does anyone | does anybody | does the | did you
did we | did it | did anyone | did the
is there | is it | is this | is that | is anyone | is anybody | is the | isn't it | isn't there | are there
are you | are we | are they | are these
has anyone | has anybody | has the | has it | have you | have we | have they | was it | was there | were there
anyone know | anybody know | any idea
any news | any update | any updates | any chance | any word on
""")

OPENERS_ZH: Final = _lines("""
请问 | 請問 | 想问 | 想问一下 | 问一下 | 能不能 | 能否 | 可不可以 | 可否 | 可以帮 | 可以请 | 是否 | 是不是 | 有没有
有沒有 | 什么时候 | 什麼時候 | 什么是 | 为什么 | 為什麼 | 为何
怎么 | 怎麼 | 怎样 | 如何才能 | 如何能 | 哪里 | 哪裡 | 哪个 | 哪些 | 哪天 | 哪一 | 谁能 | 谁知道 | 谁有 | 谁来
谁可以 | 多少 | 多久 | 多大 | 多长时间 | 几点 | 几号 | 几个 | 几时 | 何时
会不会 | 要不要 | 行不行 | 对不对 | 好不好 | 能帮 | 您能 | 你能 | 你们能 | 麻烦问
""")

GREETINGS: Final = tuple(
    sorted(
        _lines("hi | hiya | hey | hello | dear | good morning | good afternoon | good evening | morning | hallo"),
        key=len,
    )[::-1]
)
"""Before a name, with or without a comma behind it; longest first."""

THANKS: Final = tuple(
    sorted(
        _lines("thanks | thank you | thx | ok | okay | yes | no | sorry | well done | congrats | please | so | but"),
        key=len,
    )[::-1]
)
"""Before a name only when a comma, colon or dash follows the name; longest first."""

BROADCASTS: Final = frozenset(
    _lines("here | channel | everyone | all | room | team | group | online | 所有人 | 全体成员 | 大家")
)

NOT_NAMES: Final = frozenset(
    _lines("""
hello | hi | hey | hiya | greetings | welcome | thanks | thank | thank you | thx | cheers | ok | okay | yes | yep
yeah | no | nope | sure | right | alright | fine
great | good | nice | perfect | excellent | awesome | cool | lovely | sorry | apologies | please | pls | well | so
oh | ah | hm | hmm | wow | congratulations | congrats
however | therefore | moreover | furthermore | otherwise | meanwhile | nevertheless | nonetheless | instead
besides | still | anyway | anyhow | thus | hence
also | again | additionally | actually | basically | usually | normally | generally | typically | currently
recently | lately | finally | eventually | initially
first | firstly | second | secondly | third | thirdly | next | then | last | lastly | later | soon | now | today
tomorrow | yesterday | tonight | once | twice
unfortunately | fortunately | luckily | sadly | hopefully | honestly | frankly | clearly | obviously | apparently
presumably | indeed | certainly | definitely
maybe | perhaps | probably | possibly | especially | specifically | alternatively | conversely | similarly
likewise | overall | altogether | accordingly
monday | tuesday | wednesday | thursday | friday | saturday | sunday | mon | tue | wed | thu | fri | sat | sun
weekend | morning | afternoon | evening
january | february | march | april | may | june | july | august | september | october | november | december | spring
summer | autumn | winter
jan | feb | mar | apr | jun | jul | aug | sep | sept | oct | nov | dec
i | we | you | he | she | it | they | this | that | these | those | there | here | my | our | your | their | his
her | its | me | us
a | an | the | some | any | all | both | each | every | either | neither | none | many | most | few | several | one
two | three | four | five | six | ten
and | or | but | if | when | where | who | what | which | why | how | while | since | because | although | though
unless | until | after | before | as | at
by | for | from | in | of | on | to | with | without | about | regarding | concerning | re | fwd | fw | per | via
than | not
is | are | was | were | be | been | am | do | does | did | can | could | would | will | shall | should | may | might
must | have | has | had | let | lets | let's
everyone | everybody | anyone | anybody | someone | somebody | folks | guys | team | people | friends | colleagues
ladies | gentlemen | sir | madam | support | sales
fyi | asap | ps | nb | btw | imo | imho | tbh | eta | tldr | faq | po | sku | id | qty | ref | tbd | tba | rfq | eod
cob | ooo | cc | bcc | aka | usa | uk | eu
note | notes | question | questions | answer | update | reminder | subject | topic | summary | example | details
attention | warning | important | urgent | correction
quantity | price | prices | date | dates | time | times | address | location | delivery | shipping | order | orders
invoice | item | items | product | products | model
size | sizes | colour | color | weight | material | name | phone | email | mail | contact | company | country | city
status | task | tasks | agenda | plan | issue | problem
request | requests | option | options | step | steps | part | parts | version | deadline | budget | total | result
results | link | links | file | files | attached
good morning | good afternoon | good evening | best | regards | kind regards | sincerely | hooray | help | stop
wait | listen | look | guess | see | say | just
afaik | quick question | small question | follow-up | heads up | heads-up | thing | things | monday morning
see attached | page | row | line | table | room | dock
""")
)

CJK_SURNAMES: Final = (
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧程"
    "曹袁邓鄧许許傅沈曾彭吕苏蘇卢盧蒋蔡贾丁魏薛叶葉阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝"
    "孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
)
"""The common family names, simplified and traditional."""

CJK_NOT_NAMES: Final = frozenset(
    _lines("""
高兴 | 方便 | 方便的话 | 马上 | 马上就 | 于是 | 何时 | 何况 | 何必 | 周一 | 周二 | 周三 | 周四 | 周五 | 周六 | 周日
周末 | 周期 | 任何 | 任务 | 金额 | 金属 | 程序 | 白天 | 白色 | 黄色 | 黄金 | 方案 | 方面 | 方法
万一 | 常见 | 常规 | 许多 | 石油 | 石材 | 余额 | 余下 | 高度 | 高端 | 高温 | 高级 | 文件 | 文档 | 史上 | 毛重 | 毛利
江苏 | 江西 | 安排 | 田里 | 林业 | 龙头 | 康复 | 钱款 | 易碎 | 易损件 | 夏天 | 夏季 | 秦皇岛
小心 | 小时 | 小结 | 小问题 | 小提示 | 小事 | 老实说 | 老板 | 老样子 | 老客户 | 老问题 | 阿里 | 小件 | 小批量 | 小组
老规矩 | 常用 | 常温 | 金色 | 马来西亚 | 韩国 | 唐山 | 苏州 | 郑州 | 杜绝 | 顾客 | 江门 | 徐州
手工 | 加工 | 施工 | 完工 | 开工 | 竣工 | 人工 | 员工 | 化工 | 职工 | 复工 | 停工 | 返工 | 分工 | 汇总 | 总经理
各位先生 | 各位女士 | 各位老师 | 谢谢 | 谢谢你 | 谢谢您 | 钟头 | 段落 | 万分 | 白班 | 毛坯 | 高峰期
""")
)
