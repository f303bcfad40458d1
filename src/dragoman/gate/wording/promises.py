"""Rules for `Topic.COMMITMENTS` by meaning: promise verbs, orders accepted, stock held, penalties borne, volumes pledged.

A promise is somebody of ours (`we`, `the company`, 我方) with a verb that binds. Routine scheduling ("we can receive you
on Tuesday") is none; a date is checked against the record instead. Older phrases stand in `wording.words`.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from dragoman.gate.wording.rule import Rule
from dragoman.words import Topic

_C: Final = Topic.COMMITMENTS
_ADV: Final = r"(?:(?:now|already|just|hereby|gladly|also|formally|happily|fully|then|therefore|both|all|certainly|definitely|always|even|personally|only|exclusively|simply|of course|be|going to|happy to|prepared to|willing to) )*"
_WE: Final = rf"\b(?:i|we|you have me|the company|our (?:company|team|side|people|management))(?:'?(?:ve|ll|d|re|m)| have| will| would| can| are| am| shall| do)? {_ADV}"
_THING: Final = r"(?:po|p\.o\.|purchase order|order|orders?(?: form)?|booking|reservation|offer|bid|tender|proposal|deal|quantity|volume|call-off|request|contract|conditions?|terms)"

PROMISES: Final[tuple[Rule[Topic], ...]] = tuple(
    Rule(id, _C, id[:2], pattern, hit, miss)
    for id, pattern, hit, miss in (
        (
            "en.vouch",
            rf"{_WE}(?:vouch|swear|stand (?:by|behind) (?:it|this|that|the|our)|see to it that|make it happen|make good|answer for|put (?:it|that) in writing|bind ourselves|binds? itself|bound ourselves|tie ourselves|stake|bet)\b|\b(?:my|our) (?:solemn |firm )?word (?:on|of|for|that|is)\b|\bon my (?:honou?r|word|life)\b|\b(?:solemnly|hand on heart|hand on my heart|scout's honou?r|cross my heart|mark my words|without exception|come what may|come hell or high water|come rain or shine|rain or shine|whatever (?:happens|it takes)|by all means necessary|100 ?% (?:sure|certain)|no ifs)\b|\bhold (?:me|us) to (?:it|that|this)\b|\byou(?:'ll| will)? have (?:our|my) (?:full |firm )?(?:word|commitment|assurance|promise|pledge)\b|\byou won't be (?:let down|disappointed)\b|\bwon't let you down\b|\b(?:that|it)(?:'s| is) a promise\b",
            "I personally vouch for it.",
            "The voucher is on the desk.",
        ),
        (
            "en.order_taken",
            rf"\b(?:your|the|this|that|said) (?:\w+ ){{0,3}}?{_THING}(?: [\w#-]*\d[\w-]*)?(?: \w+){{0,4}}? (?:is|are|was|were|has been|have been|stands?|will be|'s) {_ADV}(?:hereby |been )?(?:confirmed|accepted|approved|agreed|taken|placed|honou?red|binding|a deal)\b(?: by us| on our side|\b)|\b(?:confirmed|accepted|agreed) by (?:us|our (?:side|company|management))\b|\border (?:acceptance|confirmation)\b[^.]{{0,30}}\b(?:attached|hereby|issued|herewith)|\bthis (?:mail|message|e-?mail|note)? ?(?:is|serves as|counts as|constitutes) (?:our |the |your )?(?:formal |binding )?(?:order confirmation|acceptance)",
            "Your PO 77120 is hereby confirmed.",
            "Your order is on the shelf.",
        ),
        (
            "en.we_accept",
            rf"{_WE}(?:accept|agree (?:to|with|on)|agreed (?:to|on)|approve|sign up (?:to|for)|take on|subscribe to|consent to|go along with|go with|confirm|honou?r) (?:your|the|this|that|these|those|all|to|both|every|each)? ?(?:\w+ ){{0,4}}?(?:{_THING}|demands?|penalt(?:y|ies)|deadline|quantit(?:y|ies)|schedule|changes?|figures?)\b|^\W*(?:(?:yes|ok|okay|great|perfect|sure|fine|right|good)\W+)?(?:agreed|accepted|done deal|deal|done|sold|you're on|you are on|it's settled|we're in|we are in)\b(?:[ ,.!:;]|$)|\b(?:that's|that is|it's|it is|all|we're|we are|consider it|fully) (?:agreed|settled|a done deal|a deal|sealed)\b|\bwe(?:'ve| have) got (?:ourselves )?a deal\b|\bshake on it\b|\bconsider (?:it|this|that|them) (?:done|sold|yours|booked|ordered|taken)\b",
            "Yes, we accept the terms on your order form.",
            "We accept visitors at noon.",
        ),
        (
            "en.take_volume",
            rf"{_WE}(?:take|buy|order|purchase|call off|commit|supply|deliver|absorb|sell) (?:you )?(?:all|at least|a minimum|no less|no fewer|every|the (?:whole|entire|full)|everything|whatever|as many|the rest|\d[\d.,]*|(?:two|three|four|five|six|ten|twenty|hundred|thousand)) [^.]{{0,50}}(?:off your hands|from you|of (?:it|them|you)|each (?:month|quarter|year|week)|every (?:month|quarter|year|week)|per (?:month|quarter|year|week)|a (?:month|quarter|year|week)|for (?:the )?(?:next|coming|following) |until|through)\b|\b(?:take|buy) (?:all|the whole|everything|the entire|the lot|\w+ \w+ truckloads)\b[^.]{{0,40}}\boff your hands\b|\b(?:minimum|annual|yearly|monthly) (?:volume|quantity|purchase|call-off)s? (?:commitment|of)\b",
            "We will take all five truckloads off your hands.",
            "We take the boxes at gate 4.",
        ),
        (
            "en.exclusive_more",
            r"\b(?:we|i)(?: won't|'ll not| will not| shall not| will never|'ll never| wont| don't| promise not to) (?:\w+ )?(?:sell|supply|offer|give|work (?:for|with)|deliver|licen[sc]e|ship|release|rent|show|approach|take on|serve|let|quote) [^.]{0,40}(?:any|anyone|anybody|other|others|else|competitors?|until|unless)\b|\b(?:sole|exclusive|only) (?:distributor|supplier|agent|dealer|partner|reseller|vendor|provider|customer)\b|\bexclusiv(?:e|ely) (?:to|for|with) you\b|\byou(?:'ll| will)? (?:be|have|get|are|remain) (?:the |our )?(?:sole|only|exclusive|first)\b (?:\w+ )?(?:distributor|supplier|agent|dealer|partner|reseller|customer|pick|refusal|choice|call|rights?)",
            "We won't supply any other gym in your postcode.",
            "We won't be at the other gate.",
        ),
        (
            "en.hold",
            rf"{_WE}(?:hold|holding|held|reserve[ds]?|reserving|set(?:ting)? aside|put(?:ting)? aside|keep(?:ing)?|kept|block(?:ed|ing)?|sav(?:e|ed|ing)|lock(?:ed|ing)?|earmark(?:ed)?|allocat(?:e|ed)|ring-?fence[ds]?|put(?:ting)? on hold|tuck(?:ed)? away) (?:\S+ ){{0,10}}?(?:for you|for your|until|till|exclusively|under your name|in your name|on your behalf|no matter|back)\b|\b(?:won't|will not|never) be (?:given|sold|let|rented|offered|passed|released) to (?:others|anyone|anybody|another)\b|\b(?:the|our) deal (?:stands|holds|is on)\b|\b(?:our|the) (?:company|firm|board|management|house|club|owner) (?:\w+ )?(?:commits|guarantees|undertakes|binds|promises|pledges|assures|agrees)\b|\b(?:is|are|was|were|have been|has been|stays?|remains?) (?:\w+ )?(?:reserved|held|set aside|put aside|blocked|earmarked|ring-?fenced|allocated|on hold) (?:\w+ )?(?:for you|for your|in your name|under your name|until)\b|\b(?:nobody|no one|noone) else (?:will |can |gets? |is going to )?(?:get|gets|have|touch|buy|book|take)",
            "We are holding two rooms for you until Friday.",
            "Please hold the door until noon.",
        ),
        (
            "en.penalty",
            rf"{_WE}(?:accept|take|bear|pay|cover|absorb|carry|shoulder|assume|foot|redo|repeat|replace|remake|reprint|rework|make up|swap|compensate|credit) (?:you )?(?:for )?(?:the |any |all |every |each |that |this |it|them|everything|half|full|\d)[^.]{{0,60}}(?:penalt|fine|damage|cost|loss|bill|delay|late|difference|free|charge|expense|risk|wrong|fail|defect|fault|overtime|again|rerun)|\b(?:or|otherwise|if not|if we (?:fail|miss|are late|don't|slip)|should we (?:fail|miss|be late|slip)|if (?:it|they|the \w+)(?: \w+)? (?:isn't|aren't|is not|are not|turns? up late|arrives? late|is late|are late|fails?|breaks?))\b[^.]{{0,60}}\b(?:we|you|it|they)(?:'ll| will| can| get| pay| take|'s| is)? [^.]{{0,40}}(?:pay|take|credit|free|refund|back|penalt|replace|redo|waive|cost|cover|bear|owe)",
            "If the brochures turn up late, we take the penalty you mentioned.",
            "We cover the pallets with foil.",
        ),
        (
            "en.will_be_done",
            r"\b(?:we|i)(?:'ll| will|ll| shall| can) (?:\w+ )?(?:have|get) (?:it|them|this|that|all|everything|the|your|these|those) ?(?:\S+ ){0,8}?(?:done|ready|finished|completed?|delivered|fixed|live|running|shipped|there|with you|out|to you|up and running|on (?:site|your)) (?:by|before|no later|in time|on time|within|latest|for sure|in your hands)\b|\byou(?:'ll| will|ll) (?:have|get|receive|see) (?:it|them|this|that|all|everything|the|your|these|those) ?(?:\S+ ){0,8}?(?:no later than|at the (?:very )?latest|without (?:fail|delay|exception)|on time|whatever|come what may|for sure|guaranteed)\b|\bon (?:time|schedule), (?:every time|always|guaranteed|full stop|period)\b|\b(?:not a (?:day|minute|second|penny|single)|never) (?:later|more than|miss|be late|fail|run out)\b|\b(?:will|'ll|won't|shall) (?:never|not|always)? ?(?:stop|fail|miss|slip|run out|break|be late|be delayed|exceed|drop below|fall below)\b[^.]{0,40}\b(?:because of us|due to us|on us|again|ever|a single|the deadline|your|our)\b",
            "We'll have it done by Monday.",
            "You'll see the gate on the left.",
        ),
        (
            "en.uptime",
            r"\b(?:uptime|availability|service level|response time|fill rate|on-time (?:delivery|rate))\b[^.]{0,40}\b(?:of|at least|stays?|never|above|minimum|guarantee|is)\b[^.]{0,20}(?:\d|per ?cent|%)|\b(?:at least|no less than|minimum|min\.?) \d\d(?:\.\d+)? ?(?:%|per ?cent) (?:uptime|availability|of the time)|\bround the clock, (?:every|365)",
            "Uptime stays at 99.9 % at least.",
            "The availability of the room is unknown.",
        ),
        (
            "en.assure",
            r"\bassure\b|\bcount (?:us|me) (?:in|as)\b|\bwe(?:'re| are) (?:in|on board) for\b|\b(?:gets?|have|has|given|giving|give you|enjoys?|receives?|take[sn]?) (?:top |first |absolute |full |the highest )?(?:priority|precedence|preference) (?:over|in|for|on|whenever|if)\b|\b(?:first|top|front) (?:in|of) (?:the )?(?:line|queue|list)\b|\b(?:should|if|unless) [^.?!]{0,60}\b(?:not|late|fail\w*|isn't|aren't|miss\w*|delay\w*|wrong|down|broken|break\w*)\b[^.?!]{0,40}\b(?:you (?:get|receive|have|will get|will have|'ll get|are entitled)|we (?:shall|will|'ll|send|bring|provide|pay|give|come|step in|throw))\b|\b(?:we|i) (?:shall|will|'ll)(?: gladly| always)? (?:replace|repair|fix|redo|exchange|maintain|support|honou?r|keep|match|supply|stock|store|service) (?:any|every|all|each|it|them|whatever)\b|\bno questions asked\b|\b(?:we|i)(?:'ll| will| gladly| hereby)? take (?:your|the|this) (?:\w+ )?(?:order|offer|bid|booking)\b|\b(?:it's|it is|that's|that is) a (?:firm |clear |definite )?yes (?:to|from|on)\b|\btrust (?:me|us)(?: on (?:that|this|it))?\b|\b(?:should|if) [^.?!]{0,60}, ?(?:then )?(?:we|i)(?:'ll| will| shall)? (?:\w+ )?(?:replace|redo|remake|repair|refund|repeat|reprint|pay|cover|send|swap|exchange|give|credit|compensate|return)\b|\b(?:consider|regard|count) (?:the|your|that|this|it|them|yourself?) ?(?:\w+ ){0,3}?(?:blocked|booked|reserved|sorted|hired|ours|yours|secured|in safe hands|taken care of)\b|\b(?:take|took) it away from you\b|\bwhatever the (?:weather|cost|hour|reason|circumstances)\b|\b(?:nobody|no one) but you\b|\bonly you (?:will|get|have)\b|\bas (?:often|many times|long) as (?:needed|necessary|it takes|you (?:like|want|need))\b|\b(?:got|have) yourself a (?:deal|supplier|partner|customer|buyer|date)\b|\bwe(?:'ll| will) take (?:the|your|this|that) (?:job|order|assignment|commission|project|deal|offer|whole lot)\b|\b(?:is|are|will be) (?:on|at) (?:us|our expense|our cost|our risk|our own account)\b|\b(?:is|are) ours to (?:pay|bear|cover|fix)\b|\b(?:approved|accepted|agreed to|signed off on) (?:all |every(?:thing)? )?(?:of )?(?:your|the|these|those) (?:\w+ )?(?:conditions?|terms|demands?|changes|request|offer|order|proposal|list)\b|\b(?:consider|regard) (?:the|this) (?:matter|order|deal|thing|case) (?:closed|done|settled|booked)\b|\b(?:agree|agreed) (?:to|with) (?:everything|all of it|every point|the lot)\b|\bremake|redo it\b|\bfor (?:as long as|life|a lifetime|the lifetime|ever)\b|\blife-?time (?:guarantee|support|replacement|supply)\b|\b(?:non-negotiable|set in stone|locked in|firm commitment|firmly committed|iron-?clad|rock[- ]solid)\b|\b(?:it has been|we have|we've|management has) (?:\w+ )?(?:decided|resolved|approved|agreed)(?: that| to)? [^.?!]{0,30}\b(?:you|your)\b",
            "Count us as a sponsor too.",
            "Please count the boxes as usual.",
        ),
        (
            "en.leave_it",
            r"\b(?:leave it (?:all )?(?:to|with) (?:us|me)|consider it handled|you needn't worry[^.]{0,30}\bwe(?:'ll| will)|don't worry[^.]{0,30}\bwe(?:'ll| will) (?:definitely |certainly )?(?:make|deliver|be|have|get|keep|hold|cover)|we(?:'ll| will) (?:meet|keep|stick to|make|hit|honou?r|respect|observe|beat) (?:your|the|that|this|every|all|any|both) (?:\w+ ){0,2}?(?:deadlines?|targets?|date|schedule|milestones?|promise|commitments?|cut-?off)|(?:can|may|could) (?:safely |fully |always )?(?:count|rely|depend|bank) on (?:us|me|it|that|our|the|this)|we (?:are|'re) (?:bound|obliged|committed|locked in)|as (?:promised|guaranteed|committed)|(?:commit|committing|committed) (?:ourselves |myself |us )?to)\b",
            "We will meet your deadline.",
            "Please leave it at the gate.",
        ),
        (
            "zh.promise",
            r"(?:我|我们|我方|我司|咱们|本公司|这边)?(?:敢|可以|可|能|愿意?|愿)?(?:打包票|拍胸脯|打保票|立军令状|以人格担保|担保|擔保|保证|保證|承诺|承諾|许诺|立字据|说一不二|言出必行|兑现|包在我|包您|包你|说到做到|决不食言|绝不|决不|绝对不会|万无一失|萬無一失)(?:[^金]|$)|(?:必定|必|势必|务必|定当|定会|一定会?|肯定会?|铁定|准保|保准|说什么都|无论如何|不管怎样|雷打不动)(?:\S{0,6}?)(?:出|到|交|送|发|完成|做到|解决|搞定|赶|给您|处理|安排好|上线|办妥|不会)|说死了|板上钉钉|放一百个心|把心放(?:\S{0,2})肚|您就(?:安心|放心|等着)|您只管|一句话的事",
            "我以人格担保。",
            "合同担当人在门口。",
        ),
        (
            "zh.accept_more",
            r"(?:订单|單子|单子|訂單|这单|這單|这张|这笔|采购单|po)(?:\S{0,10}?)(?:我们|我方|我司|咱们)?(?:接了|接下|接单|收下了|确认接受|正式接受|接受|已确认|正式确认|受理|成立|生效|照做|排产|定下)|(?:就?照|就?按|依)(?:您|你|贵方|贵司|客户)(?:\S{0,4}?)(?:说的|說的|提的|要求|条件|條件|方案|意思|单子)(?:\S{0,4}?)(?:办|辦|来|做|走|执行|定)|(?:全部|都|悉数|一概|统统|完全|原则上)?(?:答应|接受|同意|认了|应下|应承|没有异议|无异议)(?:您|你|了|贵方|贵司|下来|上述|全部|这|该|此)|一言为定|击掌|拍板|(?:就|那就)(?:这么|这样|如此)?(?:定了|说定|敲定|成交)|没问题,?(?:我们|我方|这单)(?:接|做|包)|(?:全|都|统统|一并)(?:要|收|包|吃下|包圆)了",
            "这张订单我们接下了。",
            "订单上写着门牌。",
        ),
        (
            "zh.consent",
            r"(?:我方|我司|我们|本公司|这边)(?:\S{0,4}?)(?:同意|答应|应允|允诺|准许|批准|决定)(?:了)?(?:派|给|安排|提供|承担|按|将|把|在|为|您|贵|延|免|增|加|长期|优先|负责|向|就)|(?:不|不会|不再)(?:与|和|跟|给|向|为|同|接)(?:\S{0,12}?)(?:竞争|对手|同行|第三方|其他|别家|别人|任何)(?:\S{0,10}?)(?:合作|供|卖|做|接|往来|签|谈)|(?:优先|第一时间)(?:\S{0,4}?)(?:供应|保障|安排|给|满足|发|排)(?:\S{0,3}?)(?:您|贵|你)|(?:请|您)(?:\S{0,2})放心(?:\S{0,10}?)(?:一定|会|保证|不会|交给)|(?:算|加)(?:上)?我们(?:一份|一个|的份)|(?:条件|要求|条款|方案|意见|报价)(?:\S{0,6}?),?(?:我司|我们|我方|这边)(?:\S{0,4}?)(?:接受|同意|认可|答应|照办|没意见)|只(?:\S{0,6}?)(?:您|你|贵司)(?:这)?一家|长期有效|终身(?:保|维|质|免)|终生",
            "我方同意派两名工程师常驻三个月。",
            "我们在门口等您。",
        ),
        (
            "zh.hold",
            r"(?:给|為|为|替|帮)(?:您|你|贵司|贵方|你们|您们)(?:\S{0,6}?)(?:留(?:着|出|好|给|到|下|了|间|位|一|两|几|\d)|保留|预留|预备|锁|占|压|扣|囤|备着|存着|空着|留着)|(?:保留|预留|预订|锁定|留)到(?:\S{1,10})|(?:不会|不再|绝不|决不|不)(?:再)?(?:放出去|卖给|给别人|给其他|接别|供给|供应给|另找|卖)|(?:只|仅|独家|唯一)(?:\S{0,3}?)(?:给|供|授权|卖|做|由)(?:您|你|贵|一家)|独家|獨家|排他|总代理|保底|包销|最低采购量|不少于(?:\S{0,8})(?:吨|件|台|套|万|箱)(?:\S{0,4})(?:每|采购|订)|每(?:月|年|季度?)(?:\S{0,6}?)(?:至少|不低于|不少于|保底)|档期(?:\S{0,6}?)(?:卡|留|锁)(?:好|下|住)|确定承接",
            "套房我已经给您保留到十五号。",
            "请给司机留言。",
        ),
        (
            "zh.penalty",
            r"(?:认罚|認罰|罚款|受罚|赔您|赔你|照赔|双倍|坏一赔|假一赔|少一赔|包赔|包换|包退|全额(?:重做|退|赔|承担)|免费(?:重做|更换|返工|重印|补|换)|(?:我们|我方|我司|损失|费用|责任|后果|差价)(?:\S{0,6}?)(?:全|都)?(?:包(?:赔|了|圆|揽|到底)|兜底|买单|承担|负责到底|兜着|扛)|当场重做|重新做|重做|返工|不满意(?:\S{0,8}?)(?:重|退|换)|扣(?:\S{0,3})(?:违约|罚))",
            "达不到我们认罚。",
            "请重新打包。",
        ),
        (
            "zh.level",
            r"(?:可用率|在线率|准时率|合格率|到货率|响应时间|满足率|完好率)(?:\S{0,6}?)(?:不低于|不少于|保持|达到|至少|确保|不超过|大于)|(?:确保|確保|保障)(?:\S{0,20}?)(?:准时|按时|按期|到位|不断|不停|不间断|及时|供应|交付|如期|不受影响)|(?:绝|決|决)不(?:耽误|延误|断货|涨|拖|误|少|超|迟)|(?:不会|不让)(?:您|你)?(?:\S{0,4}?)(?:断货|停线|失望|吃亏|白跑|误事|耽误)|(?:随叫随到|使命必达|风雨无阻|准时不误|分秒不差)",
            "我们确保准时交付。",
            "可用率在报表第二页。",
        ),
    )
)
