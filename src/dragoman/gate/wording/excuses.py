"""When does a clause that names a topic do nothing of it? Deflections, questions, denials, acknowledgements, homonyms.

1. An *act* ("we guarantee ...", "please sign ...") is excused only by what stands in its own clause: a denial, an
   inability to say, a question for information, the outsider's own words quoted back.
2. A *word* ("price", "contract", "patent") is excused by the whole sentence: handed to a colleague, received with
   thanks, noted, asked about, or a word that means something else ("price tag", "tennis court").
3. A *bar* takes an excuse away: the sentence goes on to offer, accept, lower, state a number of money.
4. A *sure* row is never asked here. Excuses never mark anything; they only keep a weak row from marking.

Read over the folded text of `wording.rule`; every row carries its proof, as a rule does.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

import msgspec


class Excuse(msgspec.Struct, frozen=True):
    """A row: `hit` must match, `miss` must not. `deeds` rows speak for hard stops and commitments only: who does not
    accept a clause, or will not pay, still takes a position on contract, law or price."""

    id: str
    pattern: str
    hit: str
    miss: str
    deeds: bool = False
    barred: bool = False
    """Void where a bar stands: "you asked for it, and we accept"."""


_SAY: Final = r"(?:say|comment|discuss|tell|state|give (?:you )?(?:a |an |any )?(?:answer|information|opinion|figure|date|view)|answer|judge|speak|talk|quote|promise|confirm|commit|decide|share|disclose|advise|assess|(?:give|offer) (?:\w+ )?(?:legal |tax |medical |any )?(?:advice|opinions?)|name|interpret|help with|rule on|be the one|guess|estimate)"
_DESK: Final = r"(?:colleagues?|(?:your|our|the) (?:account|sales|project|key account) (?:manager|director|executive)|someone|somebody|sales|legal(?: team| department)?|finance|accounts?|accounting|purchasing|the (?:\w+ )?(?:office|manager|owner|team|department|boss|director|officer|desk|partner)|our (?:\w+ )?(?:office|manager|owner|team|department|boss|director|officer|desk|lawyer|counsel|partner)|m(?:r|s|rs|iss|x)\.? \w+|dr\.? \w+|he|she|they)"

ACT_EXCUSES: Final[tuple[Excuse, ...]] = tuple(
    Excuse(*row)
    for row in (
        (
            "en.unable",
            rf"\b(?:can(?:no|')?t|can not|cant|could(?:n't| not)|unable to|not able to|not in a position to|not (?:allowed|authori[sz]ed|permitted|entitled|free|mine|for me|up to me|my place|my call) to|no (?:authority|power|right|mandate) to|(?:won't|wont|will not|wouldn't) be able to|refrain from|rather not|may not|must not|shouldn't|should not|not going to|(?:do|does|did|will|would)(?:n't| not)|don't|wont|never|neither (?:can|may|do|will)|no one here may|nobody here (?:may|can)|(?:isn't|is not|aren't|not|nothing) something (?:that )?(?:i|we)(?:'m| am| can| could| may)) (?:\w+ ){{0,3}}?{_SAY}",
            "We cannot promise anything here.",
            "We promise that the truck cannot be late.",
        ),
        (
            "en.for_others",
            r"\b(?:is|are|'s|be) (?:one|an? (?:matter|question|job|topic|decision|thing|case)|something|matters|questions) for (?:our|the|my|m(?:r|s|rs|iss))\b|\bnot the (?:one|person) (?:who|to|for)\b|\b(?:prices|contracts|terms|refunds|orders|discounts|\w+) (?:aren't|isn't|are not|is not) my (?:department|area|job|call|field|desk)\b|\bthen (?:i|we)(?: can| could| will|'ll) (?:hand|pass|forward|give|show|take) (?:it|them|this|that)\b|\bso (?:that )?(?:i|we) (?:can|may|could) (?:hand|pass|forward|show)\b|\bnothing (?:that )?(?:i|we) (?:can|could|may) (?:\w+ )?(?:say|judge|decide|answer|comment|tell|promise|assess)|^\W*(?:a |an |any |the )?[\w-]+(?: \w+)?\?\W*$|\bwhat (?:\w+ ){1,3}?(?:would|do|did|are|were) you (?:like|be looking|looking|have in mind|want|need|expect|prefer|mean)\b|\b(?:not|n't|never|nobody|no one) (?:\w+ ){0,2}?(?:post(?:ed)?|publish(?:ed)?|announced?|tweet(?:ed)?) (?:anything|any|it|about|yet)\b|\b(?:isn't|is not|not|aren't) (?:\w+ )?my (?:decision|choice|business|say|remit|role)\b|\b(?:ha(?:s|ve)n't|ha(?:s|ve) not) (?:\w+ )?(?:replied|answered|come back|got back|responded|written back)\b|\b(?:don't|do not|didn't) (?:\w+ )?understand\b|\b(?:is|are) m(?:r|s|rs)\.? \w+'s (?:business|job|area|field|department|matter)\b|\byou(?:'d| would)? (?:want|like) (?:\w+ ){1,5}?(?:changed|removed|added|deleted|amended)\b|\b(?:i|we) have no (?:right|authority|mandate|power) to (?:agree|promise|accept|sign|decide|commit|speak)\b|\b(?:don't|do not) take my word\b|\b(?:i'm|i am) (?:no|not an?) (?:lawyer|solicitor|attorney)\b|\b(?:copyright|patent|law) offices? (?:is|are|was) (?:\w+ )?(?:closed|open|on|in|at|next)\b",
            "The question of payment terms is one for our finance team.",
            "The payment terms are 30 days.",
        ),
        (
            "en.scam",
            r"\b(?:if|when|should) (?:someone|somebody|anyone|anybody|a caller|a stranger) (?:\w+ ){0,2}?(?:asks?|tells?|claims?|calls?|writes?|pretends?|wants?|requests?)\b|\b(?:scams?|phishing|fraudsters?|impersonat\w+|pretend(?:s|ing)? to be)\b|\breached us\b|\b(?:i|we)(?:'ve| have)? (?:given|passed|forwarded|handed) (?:it|that|this|them|your \w+) (?:on )?to\b|\b(?:your|the|her|his|a) (?:\w+ )?(?:colleague|neighbou?r|receptionist|reception|porter|guard|warehouse|wife|husband|assistant) (?:\w+ )?signed for\b|\b(?:accounts|finance|bookkeeping) (?:told|tells) me\b|\bno say (?:in|on|about|over)\b",
            "If someone asks you to wire money, call us first.",
            "Please wire the money.",
            True,
        ),
        (
            "en.unable_deed",
            r"\b(?:can(?:no|')?t|can not|cant|could(?:n't| not)|unable to|not able to|not in a position to|not (?:allowed|authori[sz]ed|permitted|entitled|free|mine|for me|up to me|my place|my call) to|no (?:authority|power|right|mandate) to|has the authority to|(?:won't|wont|will not|wouldn't) be able to|refrain from|rather not|may not|must not|shouldn't|should not|not going to|(?:do|does|did|will|would)(?:n't| not)|don't|wont|never|neither (?:can|may|do|will)|no one here (?:may|has)|nobody here (?:may|can|has)) (?:\w+ ){0,3}?(?:agree|guarantee|accept|sign|approve|negotiate|offer|bind|pay|transfer|release|publish|push|post|hold|reserve|promise|commit|confirm|refund|act on|announce|act upon)",
            "I may not sign anything.",
            "We sign, but cannot come.",
            True,
        ),
        (
            "en.finding_out",
            r"\b(?:find(?:ing)? out|ask(?:ed|ing)?|check(?:ing)?|see|wonder(?:ing)?|tell me|know) (?:who|whether|if|how|when|which|what)\b|\bnot sure (?:who|whether|if|how|when)\b|\b(?:no idea|don't know|do not know|can't tell|couldn't tell|have no information|not aware|unaware)\b|\b(?:questions?|matters?|issues?|anything|everything) (?:of|about|on|regarding|to do with|concerning|around) [^.?!]{0,40}\b(?:answered|handled|decided|dealt with|settled by|go(?:es)? (?:to|through)|up to|in writing)\b",
            "Let me find out who handles refunds.",
            "We refund it, ask the desk.",
        ),
        (
            "en.they_promised",
            r"\b(?:he|she|they|who|you|your \w+) (?:has |had |have |also )?(?:promised?|promises|guaranteed?|guarantees|assured?|committed)\b|\bwhat(?:ever)? \w+ (?:promised|guaranteed)\b",
            "He promised to call you back himself.",
            "We promised it to him.",
            True,
        ),
        (
            "en.denied",
            r"\b(?:ha(?:ve|s|d)(?:n't| not)|not|never|nor|no one|nobody|nothing|isn't|aren't|wasn't|weren't|without) (?:\w+ ){0,3}?(?:yet |been )?(?:sign(?:ed)?|counter-?signed|accepted|agreed|approved|confirmed|paid|transferred|promised|guaranteed|published|released|pushed|uploaded|decided|binding|committed|a (?:promise|commitment|guarantee|binding|legal|price|quote)|asked|sent|shared|entered|refunded|charged|initialled|executed|stamped)\b|\bno (?:\w+ )?(?:money|payments?|transfers?|refunds?|orders?|contracts?|promises?|commitments?|signatures?|release|packages?|version|decision)s? (?:has|have|was|were|is|are|will be|went|moves|goes)\b|\b(?:signed|initialled|stamped|paid|transferred|published|uploaded|pushed|promised|accepted|agreed|entered|shared) (?:nothing|none)\b",
            "We have not accepted the order.",
            "Not a day late: we accepted the order.",
            True,
        ),
        (
            "en.please_not",
            r"\b(?:(?:please )?(?:do not|don't|dont|never)|no need to|you needn't|please avoid|instead of|rather than|better not|beware of|ask(?:s|ed)? you not to|(?:will|would|do|does|should) never) (?:ever )?(?:\w+ ){0,3}?(?:send|sending|share|sharing|give|giving|sign|signing|pay|paying|post|posting|publish|transfer|type|typing|enter|entering|wire|tell|ask|mail|email|text|forward|write|use|click|include|put|paste|reply|log|accept|buy)",
            "Please do not send passwords by mail.",
            "Please send it, do not wait.",
            True,
        ),
        (
            "en.take_out",
            r"\b(?:remove|delete|black(?:ed)? out|blank(?:ed)? out|hide|blur|crop|redact|strike out|mask) (?:\w+ ){0,3}?(?:password|passcode|pin|code|token|login|credentials?|signature|price|card)s?\b|\b(?:forgot(?:ten)?|lost|changed) your (?:password|pin|login)\b",
            "Please remove the password from the screenshot.",
            "Send the password and remove the box.",
            True,
        ),
        (
            "en.you_said",
            r"\byou(?:'ve| have|'d| had)? (?:wrote|written|said|mentioned|wanted to know|wonder(?:ed)?|inquired|enquired|(?:asked|requested) (?:us |me )?(?:whether|if|about|how|what|which|when|why|who|for|to|[\x22']))|\byour (?:question|enquiry|inquiry|remark) (?:about|on|whether|if|regarding|as to|concerning)\b|\byour (?:proposal|idea|suggestion|wish|request|proposals?) (?:for|of|to|that|about)\b|\bwhen you (?:say|write)\b|\bby [\"'][^\"']+[\"'] (?:do|did) you\b|\bdo you mean\b",
            "You asked whether we could sign the NDA.",
            "As you ask for it, we sign.",
            False,
            True,
        ),
        (
            "en.cannot_open",
            r"\b(?:can(?:no|')?t|can not|could(?:n't| not)|unable to|not able to) (?:\w+ )?(?:open|find|see|read|access|load|download|click|print|locate)",
            "I can't open the DocuSign link on this computer.",
            "Open the DocuSign link and sign.",
            True,
        ),
        (
            "en.theirs_to_decide",
            r"\bsomething (?:that )?(?:my|our|the) \w+(?: \w+)? (?:will|has|have|must|needs?|would)\b|\b(?:is|are|be) (?:\w+ )?(?:for|up to) (?:the|our|my) \w+(?: \w+)? to (?:decide|say|answer|judge|settle)\b|\b(?:is|are|gets?) (?:decided|handled|dealt with|looked after|looked at|considered|examined|reviewed) (?:only |all )?by (?:the|our|my|m(?:r|s|rs)\.?|a)\b|\b(?:has|have|must|needs?) (?:to )?be (?:done|set|made|reset|changed|chosen) by your\b|\b(?:understand|know|see) what you mean by\b|\bwhat (?:do|did) you mean\b",
            "Whether we take part in the press release is for the owner to decide.",
            "We take part in the press release.",
        ),
        (
            "en.only_named",
            r"^\W*(?:as for|as to|regarding|concerning|about) (?:the |a |an |your |any |that )?[\w-]+(?: \w+){0,2}$",
            "As for a refund",
            "As for a refund, we grant it",
        ),
        (
            "en.small_fault",
            r"\b(?:mistake|fault|error|sorry|oversight)\b[^.?!]{0,60}\b(?:typo|spelling|your name|reply(?:ing)?|answer(?:ed|ing)?|my (?:mail|message)|e-?mail|link|attachment|subject line|time zone)\b|\b(?:fault|faults|error|errors) (?:of|in|on|with) (?:the|your|its) (?:\w+ )?(?:pump|machine|motor|printer|lamp|line|display|engine|screen|sensor|form|list|drawing|file|map|code|device|unit|wiring|boiler)\b",
            "It was my fault that the answer came late, sorry for my mail.",
            "It was our fault that the shipment got wet.",
        ),
        (
            "en.information_question",
            r"^\W*(?:(?:hi|hello|hey|and|so|ok|thanks|btw|also|quick (?:one|question)|one question|by the way|may i ask|just wondering|dear \w+)\W+){0,2}(?:ha[sv]e? (?:you|your|they|the|he|she)|did (?:you|your|they|the|he|she)|who|when|where|which|whose|what (?:kind|sort|type|format|does|do you|is your|was)|how (?:do you|does your|did|many|long|often|much (?:have )?you(?:'ve| have|r)? budget)|does your|do your|do you (?:already|also|usually|have|keep|still|need|know|use|want|prefer|expect|plan|think)|is your|are your|was your|were your|are you|were you|will you|will your|shall (?:i (?:send|bring|call|ask|tell|wait|come|forward|book|put|note|keep|mark|order|take)|we (?:meet|come|wait|start|send|use|talk|speak|bring|deliver|collect|mark)|the)|should (?:we|i|the)|would you (?:like|prefer|rather|want)|is (?:it|that|this|there (?:an?|already|still|some|any(?:one|body|thing))) |are there) ?[^.]*\?",
            "Has your director signed the contract?",
            "Could you sign the contract?",
        ),
        (
            "en.homonym_act",
            r"\b(?:password|code|login|pin)(?: \w+)? (?:fields?|forms?|pages?|box|boxes|policy|policies|managers?|screens?|buttons?|reviews?)\b|\b(?:guarantee|warranty) (?:forms?|cards?|certificates?|booklets?|slips?|department)\b|\bcontract bridge\b|\brefund (?:request )?(?:forms?|policy|pages?|desk)\b|\b(?:parcel|package|delivery|letter|box|goods|pallet)s?\b[^.?!]{0,30}\bsigned for\b|\bsigns? for (?:deliver|parcel|the (?:parcel|deliver|goods))\w*|\b(?:confirm|acknowledge|confirmed|confirming|acknowledged)s? (?:the |safe )?(?:receipt|arrival)\b|(?:isn't|is not|not) in my power|\ba promise is a promise\b|\bpromise of (?:rain|spring|snow|summer|sun|better|good)\b|\bpatent leather\b|\blegal name\b|\bpins? of (?:the|a|your|this) (?:brooch|badge|needle|dress|flag|clasp|lid|toy|\w+ hinge)|\bpins? (?:in|of|for|on) the (?:hinge|bolt|plug|connector|shaft|lock|board|map|door)\b|\btokens? of (?:appreciation|thanks|gratitude|esteem|our|their|my)\b|\b(?:seal|sealing|sign|wet|stop|road|warning|neon|exit) (?:ring|signs?|rings|gasket|floor)\b|\bsigns? (?:on|at|above|of) the (?:door|gate|wall|road)\b|\b(?:a|an|the|this|that|no) (?:\w+ )?signs?(?:[.,!;?]|$| (?:on|at|above|says|that|with))|\bprice tags?\b",
            "The token of appreciation made everyone smile.",
            "The token is 4410.",
        ),
        (
            "zh.unable",
            r"(?:不便|无法|(?:^|[^能])不能|没法|(?:^|[^可])不可以)(?:\S{0,6}?)(?:说|谈|替|承诺|保证|透露|答应|签|评论|告诉|定|表态|给|做主|代|回答|回复|确认|判断|决定|讲|多说|提供|办|拍板|打开|查)|不便评论|没有权限|沒有權限|没权|无权|無權|不好说|不好說|说不准|做不了主|定不了|不敢|不可以替|代办不了|办不了|不方便(?:说|谈|透露|评论)|不清楚|不了解|不知道|不掌握|不归我|(?:^|[^任])不在我|不由我|轮不到我|没资格|不会(?:\S{0,8}?)(?:向您|问您|索要|询问|要求|让您|索取)|不(?:随便|轻易)?(?:承诺|保证|评论|表态|答应)|没有?答应|不[做作](?:任何)?(?:承诺|保证|表态)|说了不算|算不了数|不会(?:催|逼|强)|外行|不(?:瞎|乱)说|不懂|说不好|说不清|不敢打包票|(?:保证|承诺|答应|担保|打包票)不了|打不了(?:包|保)票|(?:我|又)?不是律师|从不|从来不|从来没|没读过|没看过|只看到|看不懂|不接受(?:\S{0,6})(?:礼品卡|红包|现金|礼物|馈赠)|不收(?:\S{0,4})(?:礼|红包)",
            "我没有权限在订单上签字。",
            "我们保证按时到货。",
        ),
        (
            "zh.denied",
            r"(?:还没|還沒|尚未|没有|沒有|并未|並未|未曾|还未|從未|从未|没|未)(?:有|被|人|给|在|正式|最终|经|能|真的)?(?:\S{0,4}?)(?:签|簽|盖章|付|打款|支付|转|退|收|发布|發布|发|上传|上架|答应|承诺|保证|接受|同意|确认|定|批|决定|结论|谈|公布)|不作数|不算数|尚无|暂无|暂时没|没有结论|还在(?:走|等|审|评估|核|谈|讨论|研究|内部)|正在等|等(?:\S{0,6})(?:审批|确认|核实|批复|决定|点头)",
            "合同还没签。",
            "合同签好了。",
            True,
        ),
        (
            "zh.please_not",
            r"(?:请|請|千万|切|務必|务必|您|你)?(?:不要|(?:^|[^识区特性级类个分辨])别|勿|不得|禁止|严禁|不准|不必|无需|無需|不用|不需要|用不着|不想|不愿|不肯|不打算|谨防|警惕|当心)(?:\S{0,10}?)(?:发|發|告诉|告訴|说|提供|透露|泄露|输入|輸入|填|付|转|轉|汇|匯|打款|签|簽|写|寫|贴|相信|点击|扫|给|公开|转发|通过|收|盖|登|发布|上传)",
            "请不要把密码发过来。",
            "请把密码发过来。",
            True,
        ),
        (
            "zh.you_said",
            r"(?:您|你|贵司|贵方|贵公司|貴司|貴公司|客户|客人)(?:\S{0,4}?)(?:说的|說的|提到的?|问的?是?|問的?是?|想问|想知道|想要的?|提的|提出的|反映|反馈的|希望|寄来|寄來|发来|發來|写的|指的|说别|说,|问,|来信)|(?:^|[^跟和给同向对])您说(?:[^了]|$)|(?:诉求|申请|要求|请求|问题|投诉|意见)(?:\S{0,3}?)(?:已|我们)(?:\S{0,3}?)(?:收到|登记|记录|看到|记下)",
            "您说的退款申请我们看到了。",
            "我们给您退款。",
            False,
            True,
        ),
        (
            "zh.got",
            r"收到(?:了)?(?:您|你|贵司|贵方)(?:\S{0,8}?)(?:签|付|汇|转|打|寄|盖|发)|(?:凭证|回单|水单|底单|截图|回条|款项?)(?:\S{0,3}?)收到|收到(?:\S{0,6}?)(?:凭证|回单|水单|底单|打款|汇款|付款|回条)|(?:电话|通话|晚些|稍后|一会儿?|回头|待会儿?|晚点|改天)(?:\S{0,12}?)打给|(?:提醒|通知|邮件|短信)(?:\S{0,2})(?:是)?系统自动",
            "收到您签好的回条,谢谢。",
            "签好的回条寄给您了。",
            True,
        ),
        (
            "zh.whether",
            r"(?:要不要|该不该|是否|用不用)\p{Han}{0,6},?$|(?:\p{Han}{1,4})(?:部|处|科|组)(?:\S{0,3}?)(?:决定|来定|批)|(?:您|你)(?:\S{0,3}?)(?:想|希望|要|需要)(?:让|我)?(?:\S{0,6}?)什么|是什么意思|什么意思|(?:的)?(?:事|问题)(?:\S{0,2}?)(?:得|要|由|归)(?:\S{1,4}?)(?:来看|来定|说了算|看|管)|(?:签|盖)好的(?:\S{1,6}?)(?:收到|已到|到了|寄到)|(?:在|给)(?:我们|我司)?(?:的)?(?:律师|法务)(?:那里|那儿|那边|手上|看)|(?:价|情况|价格)(?:我)?不能说|(?:要|得|请|由)(?:您|你)(?:自己|那边|们)(?:的|来|去)|(?:法院|律师楼|公证处|税务局|派出所)(?:旁边|对面|门口|那边|路口|隔壁|附近|北|南|东|西)|承诺书的?(?:模板|格式|样本)|(?:是|叫)(?:哪位|哪一位|谁)\?|(?:话题|事|问题)(?:\S{0,2}?)留到",
            "公众号要不要发",
            "公众号马上发,",
        ),
        (
            "zh.only_named",
            r"^\W*(?:关于|至于)[^,]{1,10}$|(?:签|付|办|批|发)(?:好|完|妥)(?:了)?(?:以后|之后|后)?(?:会|再|就|我)(?:\S{0,3}?)(?:通知|告诉|联系|回复|发您)",
            "关于赔偿",
            "关于赔偿,我们同意。",
        ),
        (
            "zh.homonym_act",
            r"密码(?:锁|箱|本|学)|退款(?:申请)?(?:表|单|页)|律师楼|保证书|保证人|价签|标签|签名栏|签字栏|签名处|签证|签到|签收|版权页|签名墙|签名会|签名(?:很|太|潦草|认不)|付款(?:的)?(?:那位|同事|部门|联系人)|发布(?:会|栏)|公告栏|签名(?:\S{0,2}?)(?:看不|不太?清|模糊)|担保人(?:那|一栏|姓名|是(?:谁|哪|写))",
            "密码锁的电池没电了。",
            "密码发您了。",
        ),
        (
            "zh.information_question",
            r"(?:您|你|贵司|贵方|贵公司|对方|客户)(?:\S{0,24}?)(?:是否|有没有|几时|什么时候|何时|啥时候|多久|谁|哪|打算|用?什么|有何|怎么|对(?:\S{2,10}?)(?:什么|何))(?:\S{0,14}?)\?|(?:看到|收到|知道|听说|记得)了?吗\?",
            "贵司的供应商合同什么时候到期?",
            "贵司请付款。",
        ),
        (
            "zh.cannot",
            r"(?:看|查)(?:也)?不到|(?:改|查|报|办|代|登|签|退|批|定|答|管|付|帮)(?:也)?不了(?:[^多]|$)|没(?:有)?(?:办)?法(?:\S{0,8}?)(?:答|登|签|退|赔|付|转|代|看|改)|不会(?:替|帮|代)(?:您|你|人|任何人)|不能(?:代|替|帮|登|签)|(?:代签|代办|代付|代领|转账|签字|代登)(?:是)?不(?:行|可以|允许|能)|(?:不算|不等于|不代表|不意味着)(?:\S{0,3}?)(?:接单|接受|答应|承诺|同意|确认|成交|定|签)|(?:没|没有|从没|未)(?:让|叫|派|请|委托|授权|安排)(?:\S{0,10}?)(?:收|找|联系|打|付|转|签|发)|我(?:们)?(?:这里|这边|这儿|手上|手头)(?:也)?没(?:有)?(?:[^有问意人]|$)|没(?:有)?听说|没(?:有)?(?:\S{0,4}?)(?:账号|公众号)|不是我们(?:公司)?(?:发|弄|做|写|打|收|签|开)的|谁(?:跟|给|对|和)(?:您|你)(?:\S{0,3}?)(?:承诺|答应|说|保证|讲)|码(?:\S{0,2}?)在短信里|页面(?:\S{0,3}?)(?:没|打不)(?:打)?开|什么都没|不会(?:主动)?(?:\S{0,4}?)(?:要|问)(?:您|你)",
            "我们客服看不到您的密码。",
            "密码发您了,看到请回复。",
            True,
        ),
        (
            "zh.not_mine",
            r"报不了|没(?:有)?(?:办)?法(?:\S{0,8}?)(?:答(?:[^应]|$)|表态|报价|给(?:\S{0,2}?)(?:说法|意见|答复|结论))|不能给(?:\S{0,3}?)(?:意见|建议|说法|答复|结论)|不是(?:\S{1,6}?)能(?:\S{0,3}?)(?:说|承诺|判断|定|答|决定|做主)|没有?人(?:\S{0,3}?)(?:答应|说|承诺|同意)过|侵权不侵权|[合违]不[合违]法|(?:赔不赔|涨不涨|接不接|批不批|退不退|签不签)(?:\S{0,4}?)(?:的|要|得|我|不|没|还)|别急着|先别(?:急着)?(?:付|签|转|打)|(?:流程|办法|说明|规定|要求|表格)(?:\S{0,4}?)(?:看|见|查|参考)(?:\S{0,6}?)(?:页|指南|手册|官网|公告|门口)|(?:审批|流程|申请)?还(?:\S{0,2}?)(?:卡|停|压)在|(?:还|一直)(?:没|未)(?:有)?(?:回话|回复|回信|消息|结果|答复|批)|(?:手册|指南|公告|说明书|官网)(?:里|上)(?:\S{0,3}?)(?:写着|有)|不要在(?:\S{0,8}?)(?:留|发|说|贴|填|公开)|我(?:们)?没有?(?:权利|资格)(?:替|代|答应|承诺|决定)|没有?说过?(?:要|会)(?:给|替|帮|降|打|免|赔)|(?:保证|承诺|答复|意见)(?:\S{0,3}?)给不了",
            "侵权不侵权的,不是客服能判断的。",
            "这是侵权的。",
        ),
        (
            "zh.to_desk",
            r"(?:(?:要|得|需|只能|必须|都)(?:先|去)?(?:由|等|问|找|看|经|归|走)|归|听)(?:\S{0,4}?)(?:财务|法务|售后|渠道|总经理|经理|老板|董事会|领导|主管|主任|总部|计划部?|市场部?|采购|组长|店长|总监|负责人|研发|技术|上级|调查|公司)(?:\S{0,6}?)(?:审|批|看|定|管|处理|决定|出来|回来|拍板|说了算|做主|答复|回复|结果|结论|聊|谈|说|。|$)|(?:要|得|需|必须)(?:财务|法务|售后|渠道|总经理|经理|老板|董事会|领导|主管|主任|总部|计划部?|市场部?|采购|组长|店长|总监|负责人|研发|技术|上级|调查|公司)(?:\S{0,4}?)(?:审|批|定|点头|拍板|同意)|(?:要|得|先|还要|需要?)等(?:\S{0,8}?)(?:结果|结论|核实|调查|通知|检测|报告)|转(?:到|给|交|了)?(?:\S{0,3}?)(?:部|科|室|同事|法务|财务|销售|经理|老板|领导|组)(?:了|看|处理|答复|回复|跟进|核|,|。|$)",
            "退款要由财务审核。",
            "我们退款,请查收。",
        ),
        (
            "zh.warned",
            r"冒充|自称|假冒|骗子|诈骗|钓鱼|有人(?:\S{0,10}?)(?:让|叫|要|问)(?:您|你)|忘(?:记|了)(?:\S{0,2}?)密码|(?:自己|自行|本人)(?:\S{0,8}?)(?:操作|重置|修改|设置|保管|保存|找回)(?:的|即可|就行|就好|一下|哈|好|。|$)|(?:公章|合同章|印章)(?:\S{0,2}?)(?:在|由|归)(?:\S{0,8}?)(?:那儿|那里|那边|保管|管|柜|办公室)|有(?:\S{0,10}?)要(?:签|付|盖|办)(?:的)?吗|(?:您|你|贵司|贵方|你们)(?:\S{0,4}?)(?:付|打|汇|转|寄|签|盖)(?:过来|来|好)?的(?:\S{0,10}?)(?:收到|到了|到账|到帐|看到|查到|已到)|陌生人|一律别信|密码(?:\S{0,3}?)错(?:\S{0,3}?)次|码(?:\S{0,3}?)收不到|您(?:\S{0,6}?)(?:款|账|账单|发票)(?:\S{0,2}?)早(?:\S{0,2}?)(?:结清|付清|到了)",
            "有人冒充我们的会计让您转账的话,请别理他。",
            "请给我们的会计转账。",
            True,
        ),
        (
            "zh.other_sense",
            r"(?:机|器|设备|泵|系统|灯|柜|炉|阀|面板|屏幕|主机)(?:\S{0,3}?)报警|是(?:\S{0,4}?)(?:哪个|哪位|谁|什么时候|几号|哪天|哪里)(?:\S{0,10}?)\?|^(?:退款|赔偿|补偿|独家|合同|签字|付款|优惠|折扣|专利|违约金?)\?$|(?:您|你)(?:那边|们|们那边|家)?(?:一般|平时|通常|习惯|以前)(?:\S{0,14}?)\?|过(?:\S{0,3}?)吗\?|是(?:\S{0,12}?)(?:那份|那个|那次|那版|那批)吗\?|(?:您|你)(?:\S{0,2}?)(?:想|要|希望|说的是|意思)(?:[^。!;]{0,20}?)[是对]吧\?|(?:处|部|室|科)在(?:\S{0,4}?)[楼层]",
            "咖啡机报警,屏幕是黑的。",
            "再不还钱我们就报警。",
        ),
        (
            "zh.ask_first",
            r"(?:我|我们|咱们|得|要|先|去)(?:再|先|得|要|去|来|帮您|替您|让人)*(?:问问|问下|问一下|問問|問一下|请示|請示|核实|核一下|查一下|确认一下再|跟\S{1,6}(?:确认|核实|说|商量))|(?:转告|轉告|转达|轉達|转交|转给(?:[^您你]|$)|反馈给|如实反馈|上报|报给领导|交给|移交)|(?:同事|负责人|[园校店厂院处部科所班]长|专人|經理|经理|老板|店长|法务|财务|业务|主管|领导|总监|销售|律师)(?:\S{0,8}?)(?:再回|回复您|联系您|聯絡您|跟进|答复|决定|拍板|定夺|说了算|处理|对接|核实|负责|再说|看了|拿主意|跟您(?:谈|说|讲|沟通)|亲自|点头|定)|(?:问问|问|找|叫|请教|咨询|跟|联系)(?:一下)?(?:店长|业务|同事|负责人|财务|法务|经理|老板|\S姐|\S哥|\S总|主管)",
            "我得先问问品质部。",
            "我们明天发货。",
        ),
    )
)

WORD_EXCUSES: Final[tuple[Excuse, ...]] = tuple(
    Excuse(*row)
    for row in (
        (
            "en.desk",
            rf"\b{_DESK} (?:(?:will|'ll|would|is going to|can|must|has to|needs to|should|is the (?:one|person) (?:to|who)|alone) )?(?:\w+ )?(?:get(?:s)? back|come(?:s)? back|wants? to (?:speak|talk)|speaks? (?:with|to)|answers?|reads?|calls?|rings?|writes?|contacts?|looks? (?:at|into)|reply|replies|checks?|tells?|knows?|be in touch|explains?|discuss(?:es)?|decides?|handles?|takes? care|deals? with|take(?:s)? (?:this|that|it) (?:up|over)|is (?:looking|checking|reviewing|reading|working|dealing|handling)|have to|respond|follow up|clarif(?:y|ies)|sort|reach out|see to|is responsible)",
            "A colleague will come back to you about the price.",
            "The price is for colleagues.",
        ),
        (
            "en.pass_on",
            r"\b(?:leave|left|hand(?:ed|ing)?|pass(?:ed|ing)?|forward(?:ed|ing)?|refer(?:red|ring)?|relay(?:ed|ing)?|transmit(?:ted)?|give|gave|given|show(?:ed|n)?|send|sent|put|pointed|direct(?:ed)?|tak(?:e|en|ing)|took|bring|brought|carry|run)\b[^.]{0,60}?\b(?:to|on to|onto|with|past|by|up with) (?:m(?:r|s|rs)\.? \w+|(?:the|our|my) (?:\w+ )?(?:colleagues?|team|manager|owner|boss|department|office|desk|director|lawyers?|partner|accountants?|people|folder|file|head|lead|buyer|planner)|a colleague|someone|sales|finance|legal|accounts?)\b|\bpass(?:ed|ing)? (?:it|that|this|them|your \w+) (?:on|along)\b|\b(?:ask|turn to|see|check with|speak (?:to|with)|talk (?:to|with)|contact|consult) (?:\w+ )?(?:my|our|the|a|your own|your|m(?:r|s|rs)\.? ?) ?(?:\w+ )?(?:colleagues?|team|manager|owner|boss|department|office|desk|director|lawyers?|advis[eo]r|accountants?|tax|solicitors?|counsel|insurer|consultant|sales)?",
            "I'll pass the price question to our sales desk.",
            "We passed the gate.",
        ),
        (
            "en.up_to",
            r"\b(?:is|are|it's|that's|be) (?:\w+ )?(?:up to|for|with|on|a (?:matter|question|job|topic) for|the (?:job|business) of|decided by|handled by|dealt with by|in the hands of|lies with|rests with|down to) (?:our|the|my|a|m(?:r|s|rs)\.?) ?(?:\w+ )?(?:colleagues?|owner|manager|team|department|office|desk|director|boss|officer|lawyers?|partner|accountants?|board|head|legal|finance|sales)|\b(?:is|are|lies) (?:now |currently )?with (?:m(?:r|s|rs|iss)\.? \w+|my \w+|our \w+|the \w+|him|her)\b|\b(?:question|matter|topic|thing|one|job) for m(?:r|s|rs)\.? \w+|\b(?:not|isn't|nothing) (?:\w+ )?(?:my|our|something i|for me|mine)\b|\b(?:above|beyond|outside) my (?:pay|remit|role|area|desk|authority|competence)|\b(?:i|we) (?:have|hold|take|express|can offer) no (?:opinion|view|position|information|say|idea|knowledge|answer)|\b(?:i|we)(?:'m| am|'re| are)? (?:not (?:sure|aware|familiar|certain|the right)|don't (?:know|have|deal|handle|do|decide|discuss|comment|talk|see)|do not (?:know|have|deal|handle|decide|discuss|comment|talk))|\bno (?:idea|clue|decision|answer|news|comment)\b|\bnothing (?:has been|is|was|'s|binding|can|final)\b|\bnot (?:been )?(?:decided|settled|final|discussed|my|yet|seen|clear)\b|\b(?:haven't|hasn't|have not|has not|didn't|did not|couldn't) (?:\w+ )?(?:seen|received|got|had|heard|read|found|looked|decided|spoken|checked|reviewed|opened|reached)\b",
            "Pricing is up to our sales team.",
            "The price is up by a tenth.",
        ),
        (
            "en.received",
            r"\b(?:thanks|thank you|thx|cheers|many thanks|grateful|appreciate)\b[^.]{0,60}?\b(?:you|your|sending|sent|sharing|draft|copy|forwarding|for the|pointing out|letting|telling)\b|\b(?:received|arrived|came in|got here|reached us|landed)\b|\b(?:i've|i have|we've|we have|i|we|is|been|was|are|has been) (?:now |all |also |just |duly )?(?:noted|filed|logged|recorded|registered|saved|archived|made a note|written down|wrote|jotted|written (?:it|that|this|your \w+) down|put (?:it|that|this) down)\b|\b(?:got|have|read|seen) your (?:message|mail|note|wish|request|question|comments?|draft|remarks?)\b|\b(?:lies?|is|sits?|are) (?:\w+ )?on (?:the|our|her|his|my) [\w']+(?: [\w']+)? desk\b|\bin the (?:project )?(?:folder|archive|file|binder)\b",
            "Thank you for the price list you sent.",
            "The price is 40 euros.",
        ),
        (
            "en.asking_for_theirs",
            r"\b(?:what|which|how much|do you|are you|would (?:you|a|an|the|it|that)|is (?:the|that|this|it)|are (?:the|those|these)|could you|can you|have you|is there|has|did|does|may (?:i|we) ask|shall|should|when|where|who|please)\b[^.]*\b(?:your|you|you've|you'd|yours|we|the|a)\b[^.]*\?|\b(?:please|kindly)\b[^.]{0,30}\b(?:send|let|tell|share|attach|resend|forward|say|state|write|fill|put|mention|quote the)\b[^.]{0,30}\b(?:us|me|your|number|again|format|version|copy|name)\b|\b(?:let|tell) (?:me|us) (?:know )?(?:what|which|how|whether|if|when|who)\b|\b(?:your|you) (?:wish|prefer|would like|have in mind|need|are looking|expect)\w*\b",
            "Which payment terms would you like?",
            "Our terms are net 30.",
        ),
        (
            "en.elsewhere",
            r"\b(?:on leave|on holiday|out of (?:the )?office|off sick)\b|\b(?:i|we)(?:'ll| will)? (?:ask|raise it|bring it up|check) (?:her|him|them|with|when|about)\b|\b(?:lies?|lying|is|are|sits?|hangs?) (?:\w+ )?(?:in|on|at) (?:the|our|a) (?:\w+ )?(?:drawer|shelf|tray|binder|cupboard|envelope|board|counter|cabinet|window|reception|front desk)\b|\bif you have (?:any |more |further )?(?:questions|doubts)\b|\bis (?:it|this|that|the \w+) about\b|\b(?:what|where|how|why)(?: was| is| were|'s) (?:the|your) (?:\w+ )?(?:reason|background|cause|story)\b|\byou(?:'ve| had| have)? mentioned\b|\bhas reached us\b|\b(?:unknown to me|i'd have to ask|no details|being (?:revised|updated|prepared|reworked|checked|reviewed|translated)|(?:would|will|to) be discussed|discussed at|a typo)\b|\blegal (?:department|team) (?:moved|sits|is (?:on|in|at))|\b(?:is|are) being looked (?:at|into)\b",
            "The contract forms lie in the drawer of reception.",
            "The contract runs for two years.",
        ),
        (
            "en.homonym",
            r"\bprice tags?\b|\b(?:tennis|food|basketball|squash|badminton|padel|inner) courts?\b|\b(?:the )?courts? (?:is|are) (?:wet|dry|booked|free|closed|flooded|open|muddy|full)\b|\blaw (?:student|school|library|faculty|graduate)\b|\b(?:on|at) the (?:\w+ )?(?:floor|left|right|corner)\b|\bpatent leather\b|\bcourt(?:yard|esy| shoes)\b|\b(?:book|code|peer) reviews?\b|\btoken of\b|\bsigning ceremon\w+|\blegal (?:holiday|size|pad|paper|format|name|department's)\b|\bfound the price list\b|\b(?:hope|good luck|fingers crossed|all the best|wish you)\b[^.?!]{0,60}\byour\b|\bdeposits? of (?:silt|lime|salt|dust|rust|soot|sand)\b|\b(?:electric(?:al)?|battery|full|in|on) charge\b|\bcontract(?:or|ors|ed muscle|ing muscle)\b|\bmuscle contract\w*|\bsales? terms?\b glossary|\bterms? (?:base|glossary|database|list)\b|\bin terms of\b|\bterm (?:paper|time)\b",
            "Should it carry a price tag?",
            "The tag says the price is higher.",
        ),
        (
            "en.staff",
            r"\b(?:legal|contracts?|sales|pricing|claims|compliance|patent) (?:team|department|manager|desk|office|people|colleagues?|section)\b[^.]{0,30}\b(?:closed|open|moved|moving|regards|fair|lunch|party|canteen|floor|building|away|holiday|last week|yesterday)\b|\b(?:nice|pleasure|good|great|lovely) (?:to meet|meeting|to see|seeing|to talk|talking)\b|\bmy regards\b|\b(?:your|the|their|his|her|the other side's) (?:lawyers?|solicitors?|attorneys?|counsel|accountants?) (?:rang|called|phoned|came|stopped by|left|was here|is here|arrived|has arrived)\b|\b(?:is|are|'s) (?:\w+ )?important (?:to|for) you\b|\bcourts? (?:is|are|building)\b[^.]{0,25}\b(?:streets?|blocks?|minutes|met(?:re|er)s|miles|next|near|opposite|station|corner)\b|\bnothing (?:\w+ )?about\b|\b(?:got|have|received) the (?:\w+ )?\w+ you (?:signed|sent|returned|mailed|posted)\b|\bi'm (?:also )?waiting\b|\bwaiting (?:too|as well|for (?:them|their|an answer|a reply|news))\b|\bstill with (?:the |our )?(?:head office|management|them)\b|\b(?:warranty|guarantee|price|contract) (?:leaflets?|booklets?|cards?|stickers?|labels?|folders?|binders?)\b|\byou'd (?:like|prefer|want)\b[^?]*(?:$|, right\?)|\b\w+ you (?:sent|mailed|attached|forwarded)\b|^\W*(?:was|were|has|have|did|is) (?:the|your) (?:\w+ ){1,4}?(?:registered|renewed|filed|arrived?|received|delivered|moved|changed)\b[^.]{0,30}\?|\bnotes? for (?:our|the|my)\b|\blook(?:ing)? up (?:when|whether|if|how|what|who)\b|\b(?:haven't|hasn't|wasn't|not) (?:been )?(?:told|informed|briefed|trained)\b|\bnobody told\b|\b(?:contract|agreement) (?:number|no\.?|ref\w*)\b[^.]{0,40}\b(?:match|wrong|typo|check|find|look)\b|\b(?:questions?|matters?) (?:goes|go|went) to\b",
            "It was a pleasure meeting your legal team last week.",
            "Your legal position is weak.",
        ),
        (
            "zh.staff",
            r"(?:部|室|科|组)(?:\S{0,6}?)(?:搬|在\S{1,3}楼|下班|休息|放假|午休|分机)|(?:律师|法务|经理|财务)(?:\S{0,6}?)(?:来过|来电|到了|走了|在(?:等|楼下|开会)|等您)|保修卡|质保卡|报价(?:组|员|部|系统|同事)|(?:价目表|价格表|合同|协议|说明书|发票)(?:\S{0,6}?)(?:在|放)(?:\S{0,4}?)(?:前台|抽屉|桌|柜|门口|架|箱|信封)|没(?:有)?(?:听说|听过|接到|见过|见到)|(?:有|如有)(?:\S{0,10}?)的话(?:\S{0,4}?)(?:写|填|发|告诉|说|提供|注明|备注)|给您(?:回|打)(?:个)?电话|(?:我|我们)(?:就)?(?:好)?转(?:给|到)?(?:\S{0,4}?)(?:参考|看|答复|部|同事)|哪(?:位|一位|天)(?:[^。!;]{0,14})\?|(?:律师|法务)(?:那边|那里)?(?:\S{0,2}?)(?:让|叫|请)(?:您|你)(?:\S{0,3}?)(?:补|寄|带|发|填|打电话|等)|律师(?:\S{0,2}?)(?:陪同|一起来|参加|到场|在场)|(?:部|科|室|组|同事|律师|经理)(?:\S{0,8}?)(?:出差|休假|请假|不在|开会)|写(?:在|进)(?:\S{0,4}?)(?:备注|记录|便签)|中心(?:\S{0,2}?)在|刚入职|新来的|还没(?:\S{0,2}?)(?:培训|学|教)|编号(?:\S{0,4}?)(?:对不上|不一致|写错)|签约(?:中心|室|台|处)",
            "法务部今天下午搬到六楼。",
            "法务部认为贵司违约。",
        ),
        (
            "zh.question",
            r"(?:吗|嗎|么|呢|没有|哪种|哪個|哪个|哪里|什么|什麼|谁|誰|几|怎么|怎麼|如何|多少|还是|還是|是否|有没有|能不能|可不可以|不)[^。!;]{0,14}\?|(?:您|你|贵司|贵方|贵公司|貴公司|貴司)(?:\S{0,4}?)(?:想要|希望|习惯|習慣|偏好|打算|倾向|有什么(?:想法|要求)|有要求)",
            "您想要哪种付款方式?",
            "付款方式为月结。",
        ),
        (
            "zh.received",
            r"收到|登记|登記|记下|記下|报给|记录在案|记在|归档|存档|放进|放到文件夹|谢谢您(?:发|寄|提供)|感谢(?:您)?(?:发|寄|提供)|已转|转给|转交|抄送|反馈给",
            "您的合同草稿已收到。",
            "合同第五条如下。",
        ),
        (
            "zh.later",
            r"(?:问题|事|事儿|事情|方面)(?:\S{0,6}?)(?:请|您|你|找|跟|由|归|得|要)(?:\S{0,12}?)(?:找|问|跟|联系|说|谈|聊|决定|负责|拍照|发来|看了)|怎么(?:\S{0,4}?)要看|(?:律师|法务|经理|财务)(?:\S{0,4}?)(?:不在|请假|出差|休假|开会)|类的?书|(?:书|课|专业|系|学院)(?:在|是|的)|先放一放|(?:在|给)(?:我们|我司)?(?:的)?(?:律师|法务)(?:那里|那儿|那边|手上|看)|(?:价|情况|价格)(?:我)?不能说|什么原因|错别字|正在(?:修订|更新|整理|翻译|审)|我这(?:里|儿|边)没有|(?:部|室)搬|走不了|暂时(?:没|走|放|定)|(?:法务|领导|老板|经理)(?:\S{0,2}?)先看|(?:您|你|贵司)?(?:自己)的律师|咨询(?:您|你|贵司)(?:自己)?的|(?:负责|管|做)(?:\S{0,8}?)的?(?:同事|部门|那位)|麻烦(?:您|你)?(?:\S{0,4}?)(?:发|寄|提供|传|补)|(?:先不谈|暂不谈|不谈|改天再谈|以后再谈|回头再谈)|再(?:回复|回覆|答复|联系|跟您|告诉|说)|(?:关于|關於)(?:\S{1,6}),(?:\S{0,6}?)(?:麻烦|请)(?:\S{0,12})(?:发|拍|提供|补)",
            "钱的事儿您跟李姐说。",
            "钱已经打给李姐了。",
        ),
    )
)

BARS: Final[tuple[Excuse, ...]] = tuple(
    Excuse(*row)
    for row in (
        (
            "en.goes_on",
            r"\b(?:we|i)(?:'d| would|'ll| will| can| could|'re| are|'m| am)? (?:\w+ )?(?:offer|accept|agree|propose|suggest|insist|require|expect|request|want|prefer|match|beat|lower|raise|reduce|cut|charge|grant|waive|meet you|go (?:down|lower|up|to)|do it for|settle|bear|demand|reserve|need to change|object|consider|comfortable|happy to|willing|prepared|strike|drop|amend|add)\b|\b(?:beats|matches|lower|lowering|reduce[ds]?|better (?:price|rate|deal|offer)|(?:give|grant|get|offer|with|of|include) (?:you |a |an |the |our |further |small |\w+ )*discounts?\b|match (?:it|that|the|their)|sharpen|knock|shave|extend|(?:to|we|i|will|would|could|can|'ll|\d ?%|an?) increase|cap|capped|waive|drop|take out|amend|\bbudgets?\b|instead of|in exchange|say(?:ing)? yes|(?:i|we)(?:'ve| have) (?:just |already |now )?(?:wired|paid|sent|transferred|signed|pushed|published|refunded|uploaded|reset|entered)|in return|provided that|on condition|as long as)\b|\d ?(?:%|per ?cent)|[$€£¥]\s?\d|\d\s?(?:euros?|dollars?|pounds|eur|usd|gbp)\b",
            "Thank you for your offer, we accept it.",
            "Thank you for your offer, it arrived.",
        ),
        (
            "zh.goes_on",
            r"(?:我们|我方|我司|我|咱们|这边)(?:\S{0,4}?)(?:同意|接受|愿意|願意|建议|建議|提议|要求|主张|坚持|可以给|承担|负责赔|降|涨|优惠|让(?:利|点|步|一|价|两|三|五|到|您\S{0,2}\d|\d)|打折|希望(?:改|把|约定|将|能))|(?:我们|我方|我司|我|咱们|这边)(?:[^\s没不未]{0,4}?)给您(?:[^回答问联查]|$)|(?:我们|我方|我司|我|咱们|这边)(?:能给|\S{0,3}?[^不]能给)|(?:能否|可否|能不能|可不可以)(?:\S{0,8}?)(?:降|便宜|少|优惠|改|删|延长|缩短|同意|接受|让|打)|多少钱|(?:什么价|价位)(?:\S{0,6}?)(?:多少|能|可以|接受|合适|行|做|给)|(?:能|给|报|出|做)(?:\S{0,6}?)(?:什么价|价位)|[这那]个价位|底线|预算(?:是|为)多少|预算(?:\S{0,6}?)(?:有限|内|控制|卡|紧|只|不够|超|万|千|百|\d|上|够|低|高)|接受(?:\S{0,4})价|全收|照办|(?:^|[^人有没不未能法])答应|(?:^|[^没未不有待等])批准|\d ?%|(?:\d|[一二三四五六七八九]) ?折|\d ?(?:元|块|万)",
            "收到您的稿子,我方建议改第五条。",
            "收到您的稿子,谢谢。",
        ),
    )
)
