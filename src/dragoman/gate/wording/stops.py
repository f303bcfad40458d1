"""Rules for hard stops: signing, moving money, entering credentials, publishing packages, telling one counterparty
about another. Denied on every target, never liftable in band (spec 1 §4 step 2).

A row wants the deed reported, promised or asked for, not the bare noun: "the signed order is here" is an ordinary
sentence, "I have signed it for you" is not. What a rule cannot see is stopped by the wall instead: handlers have no
tools of their own (spec 1 §7).
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from dragoman.gate.wording.rule import Rule
from dragoman.words import HardStop

_S: Final = HardStop.SIGNING
_M: Final = HardStop.MOVING_MONEY
_E: Final = HardStop.ENTERING_CREDENTIALS
_B: Final = HardStop.PUBLISHING_PACKAGES
_X: Final = HardStop.CROSS_COUNTERPARTY_DISCLOSURE
_I: Final = r"\b(?:i|we|i've|we've|i'll|we'll|i'm|we're|i have|we have|i will|we will|i am|we are|i can|we can|let me|i just|we just|have just|have|has been|was|were|been|to) (?:now |already |just |hereby |gladly |also |duly |be |been |going to )*"
_ACT: Final = r"\b(?:i|we|i've|we've|i'll|we'll|i'm|we're|i have|we have|i will|we will|i am|we are|i can|we can|let me|i just|we just|has been|have been|will be|was|is|are|were) (?:now |already |just |hereby |gladly |also |duly |be |been |going to )*"
_WORTH: Final = r"(?:the |your |our |a |an |this |that )?(?:\w+ )?(?:payment|deposit|money|funds?|balance|invoice|amount|advance|down payment|refund|[$€£¥]\s?\d|\d[\d.,]* ?(?:usd|eur|gbp|rmb|cny|euros?|dollars?|yuan))"
_ZHDONE: Final = r"(?:已|已经|我来|我会|我们会|我这就|我们已|我已|我方已|马上|这就|现在就|立即|刚|刚刚|替您|替你|帮您|帮你|代您|代你|为您|给您|给你)"

STOPS: Final[tuple[Rule[HardStop], ...]] = tuple(
    Rule(id, mark, id[:2], pattern, hit, miss)
    for id, mark, pattern, hit, miss in (
        (
            "en.sign",
            _S,
            rf"{_I}(?:e-?sign(?:ed|ing)?|counter-?sign(?:ed|ing)?|sign(?:ed|ing)?) (?:it|them|this|that|the|your|our|on|for|and|both|all|off on|and return|[a-z]+ (?:order|form|contract|agreement|document))",
            "I have signed the order for you.",
            "The signs on the door were signed up last year, to signal the exit.",
        ),
        (
            "en.sign_ask",
            _S,
            r"\b(?:please|kindly|just|(?:you|we|i) (?:must|should|need to|have to)|can you|could you|want you to|ready to|free to) (?:\w+ )?(?:e-?sign|counter-?sign|sign)(?:,| and (?:return|send|stamp)|(?: the| this| that| it| our| your| below| here| at| both| all| on)\b)",
            "Please sign the attached order.",
            "Please signal the driver at gate 4.",
        ),
        (
            "en.signed_for",
            _S,
            r"\bsigned (?:on|in) (?:your |our |his |her |their )?(?:behalf|name)\b|\bsign(?:ing)? on (?:your|our|the \w+'s) behalf\b|\bconsider it signed\b|(?:^|\s)/s/ ?\w|\b(?:electronically|digitally) signed\b|\bsigned by:|\b(?:here is|attached is|with) (?:my|our) signature\b|\bdocusign(?:ed)?\b|\bput (?:\S+ ){1,4}?signature (?:on|under|at)\b|\bsigned for and on behalf of\b|\b(?:use|using|add|apply|insert) (?:our|my|your) (?:electronic|digital|scanned) signature\b|\b(?:like|want) me to sign (?:it|this|that|the|for|on|right)\b",
            "Signed on your behalf.",
            "The driver brought the signed delivery note on behalf of the depot.",
        ),
        (
            "zh.sign",
            _S,
            rf"{_ZHDONE}(?:您|你)?(?:在\S{{0,12}})?(?:签署|簽署|签字|簽字|签名|签好|签了|签掉|代签|盖章|蓋章|盖好章|会签)|代(?:您|你|为|為)?(?:签|簽|盖章)|请(?:您|你)?(?:在\S{{0,12}})?(?:签署|签字|签名|盖章|签好|回签)|电子签(?:名|章)|(?:签字|签署|盖章)(?:完成|完毕|生效)",
            "我已签署这份订单。",
            "请在签到处领取标签，签收单已放好。",
        ),
        (
            "en.money",
            _M,
            rf"{_ACT}(?:pay|paid|paying|send|sent|sending|transfer(?:red|ring)?|wir(?:e|ed|ing)|remit(?:ted|ting)?|settl(?:e|ed|ing)|refund(?:ed|ing)?|releas(?:e|ed|ing)|process(?:ed|ing)?) (?:you |him |them )?{_WORTH}",
            "We have transferred the deposit.",
            "We have sent the goods and settled the question.",
        ),
        (
            "en.money_passive",
            _M,
            r"\b(?:payment|deposit|money|funds|invoice|refund|balance|wire|bank transfer)s? (?:of \S+ )?(?:(?:has|have) (?:now |just |already )?been|was|were|is being|will be) (?:\w+ )?(?:sent|paid|made|transferred|wired|initiated|executed|settled|remitted|released|issued|authori[sz]ed)\b",
            "The payment has been made.",
            "The payment form has been moved to page 4.",
        ),
        (
            "en.money_ask",
            _M,
            rf"\b(?:please|kindly|just|must|should|need to|can you|could you|to) (?:\w+ )?(?:(?:pay|wire|transfer|remit) (?:us |me )?{_WORTH}|send (?:us |me )?(?:the |your |our |a )?(?:\w+ )?(?:payment\b(?:[.,!]|$| to| by| via| today| now)|deposit|money|funds?|balance|amount|advance|down payment|refund|[$€£¥]\s?\d|\d[\d.,]* ?(?:usd|eur|gbp|rmb|cny|euros?|dollars?|yuan)))|\b(?:send|wire|transfer|pay) (?:it |the money |the amount |payment |money )?(?:in)?to (?:this|our|the following|my|that|a new|account|iban)|\biban[: ]+[a-z]{{2}}\d{{2}}|\b(?:our|my|new|updated|following) (?:bank (?:account|details)|account (?:number|details)|wallet address)\b|\bgift cards?\b",
            "Please wire the deposit to this account.",
            "Please send the pallets to the following dock.",
        ),
        (
            "zh.money",
            _M,
            rf"{_ZHDONE}(?:您|你)?(?:把\S{{0,12}})?(?:转账|轉帳|转帐|汇款|匯款|打款|付款|支付|转了|汇了|付了|打了|转给|汇给|退款)|(?:请|麻烦)(?:您|你)?(?:先|尽快|把\S{{0,12}})?(?:转账|汇款|打款|付款|支付|转到|汇到|打到|预付)|(?:款项|货款|定金|订金|尾款|押金|保证金)(?:已|已经)(?:支付|付|转|汇|打|退)|(?:收款|银行|对公)(?:账号|账户|帐号|帐户)(?:是|为|:|如下)|(?:新|我们|我)的(?:银行)?(?:账号|账户|卡号)",
            "我们已转账支付定金。",
            "请把货转运到三号库，付运时间不变。",
        ),
        (
            "en.login",
            _E,
            rf"{_ACT}(?:log(?:ged|ging)? (?:in|into|on)|sign(?:ed|ing)? (?:in|into)|enter(?:ed|ing)?|typ(?:e|ed|ing)|us(?:e|ed|ing)) (?:to |with |in |into )?(?:\w+ ){{0,3}}(?:password|passcode|pin|credentials?|otp|one-time code|verification code|2fa code|account|login|api key|portal)s?\b",
            "I have entered your password.",
            "I have entered the hall and used the ramp.",
        ),
        (
            "en.credential_is",
            _E,
            r"\b(?:password|passcode|passphrase|pin(?: code)?|otp|verification code|api[- ]?key|access (?:code|token)|secret key|login(?: details)?|credentials?|username)s? (?:is|are|was|:|=) ?\S|\b(?:password|api[- ]?key|credentials?|username): ?\S",
            "The password is sunshine.",
            "The password policy page lists the pins of the plug.",
        ),
        (
            "en.credential_ask",
            _E,
            r"\b(?:send|give|share|tell|enter|type|provide|confirm|forward|text|e-?mail|reply with) (?:\w+ ){0,3}(?:password|passcode|pin code|(?:your|the) pin\b|credentials?|otp|one-time code|verification code|security code|2fa code|cvv|card number|login details|api key|access token|private key|seed phrase|recovery code)s?\b",
            "Please send me your password.",
            "Please send the spare pins and the door code label.",
        ),
        (
            "zh.credential",
            _E,
            r"(?:密码|密碼|口令|验证码|驗證碼|动态码|校验码|密钥|私钥|令牌|助记词|pin码|授权码)(?:是|为|:|=)\s?\S|(?:输入|輸入|填写|发送|告诉|提供|给我|发我|发给我|回复|填入)(?:\S{0,6})?(?:密码|密碼|口令|验证码|驗證碼|动态码|密钥|私钥|助记词|授权码|卡号|cvv)|(?:用|以)(?:您|你|你们|贵方)的?(?:账号|账户|帐号)(?:登录|登陆|登入)|(?:已|已经|帮您|替您)(?:登录|登陆|登入)",
            "请把验证码发给我，密码是1234。",
            "密码箱在三号库，密封圈已换。",
        ),
        (
            "en.publish",
            _B,
            r"\b(?:npm|pnpm|yarn|cargo|poetry|uv|hatch|flit|gem|mvn|dotnet) (?:publish|deploy|push)\b|\btwine upload\b|\bdocker push\b|\bgem push\b|\bnuget push\b|\bpod trunk push\b|\b(?:publish(?:ed|ing)?|upload(?:ed|ing)?|push(?:ed|ing)?|releas(?:e|ed|ing)|deploy(?:ed|ing)?|ship(?:ped|ping)?) (?:\S+ ){0,6}?(?:to|on|onto) (?:the )?(?:npm|pypi|test ?pypi|crates\.io|docker ?hub|maven(?: central)?|rubygems|nuget|packagist|conda(?:-forge)?|hex\.pm|app store|play store|(?:package|container|public) registry)\b|\bpublish(?:ed|ing)? (?:the |a |your |our |this |new )*(?:\w+ )?(?:package|crate|gem|library|module|wheel|container image|docker image)s?\b",
            "I have published version 1.2 to npm.",
            "The opening hours are published on our page; the packages shipped to Bern.",
        ),
        (
            "zh.publish",
            _B,
            r"(?:发布|發布|推送|上传|上傳|发到|推到|传到)(?:\S{0,16}?)(?:npm|pypi|crates|docker ?hub|maven|nuget|软件源|制品库|镜像仓库|包仓库|应用商店)|(?:发布|上传|推送)(?:了|新|这个|该|此)?(?:\S{0,6}?)(?:软件包|安装包|依赖包|镜像包|npm包|python包)",
            "我已发布新版本到npm。",
            "发布会的包装箱已上传照片。",
        ),
        (
            "en.others",
            _X,
            r"\b(?:the|our|an|my|your) other (?:clients?|customers?|suppliers?|buyers?|vendors?|partners?|part(?:y|ies)|account|counterpart(?:y|ies)) (?:\w+ )?(?:pays?|paid|gets?|got|ha[sd]|have|ordered|orders|bought|buys|offered|offers|agreed|signed|told|asked for|charges?|quoted|accepted|received|uses?|said|wants?|needs?|booked|is|are|was|will)\b|\banother (?:client|customer|supplier|buyer|vendor|partner|counterparty) (?:of ours )?(?:\w+ )?(?:pays?|paid|gets?|got|ha[sd]|ordered|orders|bought|offered|agreed|signed|told|charges?|quoted|accepted|received|said|booked|is (?:paying|getting|buying))\b|\bsame (?:complaint|problem|request|order) (?:\w+ )?(?:from|with|at) (?:an?|another|one) (?:\w+ )?(?:hotel|shop|restaurant|customer|client|company|firm|store|clinic|school|bakery|garage|factory|supplier|neighbou?r)\b",
            "The other client pays less.",
            "Another customer service desk is open; other customers often ask this.",
        ),
        (
            "en.rivals",
            _X,
            r"\b(?:your|their|his|her) (?:\w+ )?(?:competitors?|rivals?)\b(?:'s?|s')? (?:\w+ )?(?:pays?|paid|gets?|got|ha[sd]|have|ordered|bought|offered|agreed|signed|told|quoted|accepted|prices?|orders?|terms|rates?|discount|booked|is paying|are paying|is getting|are getting)\b|\b(?:same|better|lower|higher|worse) (?:\w+ )?(?:price|rate|terms|deal|discount)s? (?:as|than) (?:\w+ ){0,3}(?:client|customer|buyer|competitor|supplier|partner)s?\b|\b(?:what|how much) (?:the |our |an?)?other(?:s)? (?:client|customer|supplier|buyer)?s? ?(?:pays?|paid|gets?|got|orders?|charges?)\b|\bbetween (?:us|you and me)\b[^.]{0,60}\b(?:client|customer|supplier|buyer|competitor)s?\b",
            "Your competitor ordered twice as much.",
            "Your competitors are welcome guests? No: your partner list is private.",
        ),
        (
            "zh.others",
            _X,
            r"(?:另一个|另一家|另外一个|另外一家|另一位|别的|其他|其它|别家|其他家|隔壁)(?:客户|供应商|买家|卖家|公司|合作方|合作伙伴|厂家|厂商)(?:\S{0,4}?)(?:的(?:价|报价|订单|合同|条件|折扣|单价|用量|数据|资料)|付|给|拿|订|下单|买|出价|报|只要|签|同意|说|要了|收)|(?:您|你|你们|贵司|贵公司)的?(?:竞争对手|同行|对手)(?:\S{0,4}?)(?:的(?:价|报价|订单|合同|条件|折扣)|付|给|拿|订|下单|买|出价|报|签|同意|说)|(?:别人|别家|人家|其他人)(?:都|只|才|也)?(?:付|给|拿|订了|报|出|买)(?:\S{0,4}?)(?:\d|价|折)|(?:竞争对手|同行)(?:\S{0,6}?)(?:已经|正在|也在|都|刚)(?:\S{0,2}?)(?:跟|和|找|向)(?:我们|我方|我司)|(?:隔壁|别家|对面)(?:\S{0,4}?)(?:也)?是这个?价|别家给(?:\S{1,4}?)的是",
            "我们的另一个客户付的更少。",
            "其他客户服务窗口在二楼。",
        ),
        (
            "en.sign_done",
            _S,
            r"\bsigned,? (?:and )?sealed\b|\b(?:your|the|our) (?:\w+ )?(?:contract|agreement|order form|paperwork|papers|document|form)s? (?:is|are|has been|have been|was|were) (?:now |already |all )?(?:signed|executed|counter-?signed)\b|\b(?:has|have|bears?|carr(?:y|ies)) (?:our|my|your) signature\b|\bdotted line\b|\b(?:i|we)(?:'ve| have)? (?:now |already |also |just )?(?:executed|initial(?:l?ed)|stamped) (?:the|it|them|every|each|all|your|and)\b|\b(?:put|place|add|affix) (?:your|my|our|the) (?:name|signature)\b|\b(?:accepted|agreed to|ticked|clicked) (?:[^.]{0,30})(?:agree\b|accept\b|on your behalf)|\bthe signed (?:copy|contract|agreement) is attached\b",
            "Your contract is signed.",
            "The signed delivery note is with the driver; the stamp is on the pallet.",
        ),
        (
            "zh.sign_done",
            _S,
            r"签好了|(?:合同|协议|订单|文件)(?:已经?|都)(?:签|盖)|点了(?:同意|接受)|盖章寄回|(?:名字|大名)签(?:上|在)|(?:替|代)(?:\S{0,6}?)签收了",
            "合同已签。",
            "签收单已放好，请在门口签到。",
        ),
        (
            "en.money_done",
            _M,
            r"\b(?:money|funds|payment|transfer|wire|deposit|refund)s? (?:is|are|has|have|went|was|were|should be|will be)(?: now| already)? (?:on (?:its|their) way|with you|gone out|out|initiated|through|in your account)\b|\b(?:initiated|executed|made|started|set up|approved|authori[sz]ed) (?:the|a|your|our) (?:bank |wire )?(?:transfer|payment)\b|\b(?:payment|invoice|deposit|balance) (?:is |now )?(?:sent|settled|cleared|done)\b|(?:^|[.!?] |\b(?:just|already|i|we|have|'ve) )paid(?: (?:it|them|you|the|your|by|for|this|that)\b|[.!]|$)|\btopped up (?:your|the|our)\b|\bmoved the (?:balance|money|funds)\b|\b(?:paid|pay|bought|ordered|purchased|charged)\b[^.]{0,40}\b(?:company |credit |debit |by )card\b|\b(?:pay|transfer|remit|wire|deposit) (?:\w+ ){0,3}?(?:in)?to (?:[a-z]{2}\d{2}|the account)|\b(?:buy|get|purchase) (?:the |some )?(?:vouchers|gift cards)|\bsend (?:the |some )?(?:crypto|bitcoin|usdt|btc|eth)\b|\b[a-z]{2}\d{2} ?(?:\d{4} ?){3,}|\bcharg(?:e|ed|ing) (?:\S+ ){1,4}?to (?:the|your|our) (?:visa|mastercard|amex|(?:\w+ )?card|account)\b",
            "The funds should be with you tomorrow.",
            "We paid attention: the transfer station is on the way, the parcel is out.",
        ),
        (
            "zh.money_done",
            _M,
            r"(?:钱|款|货款|款项|尾款|定金)(?:已经?|都|刚)?(?:打过|打给|打到|打了|转过|转给|转了|汇过|汇了|付过|付了|到账|到帐)|(?:打款|转账|汇款|付款)(?:完成|成功|好了)|(?:我|我们|这边)(?:这边|已)?转好了|(?:账|帐|卡)号\s?:?\s?\d{4}|(?:打|汇|转)到这个(?:账|帐|卡)|银行卡号",
            "钱已经打过去了。",
            "钱师傅会打电话，货已到账房门口。",
        ),
        (
            "en.credential_more",
            _E,
            r"\bwhat(?:'s| is) (?:your|the) (?:password|passcode|pin|login)\b|\b(?:tell|read|give|send|text|forward)(?: me| us)? (?:the |your )?(?:\w+ ){0,3}(?:code|digits) (?:you (?:received|got|were sent|just got)|from (?:the|your) (?:text|sms|message|phone|e-?mail|app|bank))|\b(?:enter|type|provide|submit|give|send|share) (?:me |us |in )?(?:your |the )?(?:card|bank|payment|account) (?:details|number|data)\b|\bverify your (?:account|identity|login)\b|\blog ?in with your\b|\b(?:typed|entered|used|keyed) (?:in )?(?:the|your) (?:code|pin|password|login)\b|\b(?:send|give|tell|text) me the (?:\w+ )?code,? (?:and|so|then)\b",
            "Tell me the code from the text message.",
            "Please read the code on the box and enter the hall on the left.",
        ),
        (
            "zh.credential_more",
            _E,
            r"(?:短信|手机|收到)(?:里|上)?的?\S{0,6}(?:数字|位数|码)\S{0,3}(?:发|告诉|报给|给)",
            "把短信里的六位数发我。",
            "请把箱子上的条码贴好。",
        ),
        (
            "en.publish_more",
            _B,
            r"\b(?:live|out|up|available) (?:now )?on (?:npm|pypi|crates\.io|docker ?hub|maven|rubygems|nuget)\b|\b(?:uploaded|published|released|pushed) (?:the |a |our )?(?:new |latest )?(?:wheel|sdist|gem|npm package|python package|docker image)\b|\b(?:uploaded|published|released|pushed) (?:the |a |our )?(?:new |latest )?(?:version|release|build) of the (?:library|package|sdk|module|app)\b|\b(?:pushed|published|uploaded|released) (?:[^.]{0,30})to the (?:package |public )?(?:registry|package index)\b",
            "I pushed the package to the registry.",
            "We pushed the pallet to the wall, released the truck and shipped the package.",
        ),
        (
            "zh.publish_more",
            _B,
            r"(?:^|[^钱书背])包已经?(?:推上去|发布|上传)|上[架线]\s?(?:了\s?)?(?:pypi|npm|crates|docker|maven|nuget)",
            "新版本已上架PyPI。",
            "包装已经推上车，钱包已经放好。",
        ),
        (
            "en.others_more",
            _X,
            r"\b(?:a|one|another) (?:different|rival|competing|second|third) (?:client|customer|buyer|supplier|vendor|bidder|party) (?:\w+ )?(?:took|takes|paid|pays|got|gets|offer(?:s|ed)|ordered|booked|agreed|wants|has)\b|\bcompetitors? of (?:yours|theirs)\b|\bone of our other (?:clients?|customers?|buyers?|suppliers?)\b|\b(?:someone|somebody) else (?:has |already )?(?:offered|pays?|paid|got|bid|ordered|took|agreed)\b|\bothers (?:pay|paid|get|got|offer(?:ed)?|bid)\b|\byour rivals? (?:\w+ )?(?:asked|wants?|offered|took|ordered|paid|pays?)\b|\bthe other (?:side|bidder|party|buyer|supplier|client|customer)s? (?:\w+ )?(?:is|are|was|offered|pays?|paid|bid|said|told|wants?|took)\b|\b(?:told|forwarded|sent|showed|shared|gave) (?:them|him|her|another|the other|our other) ?(?:\w+ ){0,2}your (?:price|offer|quote|terms|order)\b|\bforwarded your (?:offer|quote|price|terms|order) to\b",
            "Someone else offered more.",
            "Someone else will be at the gate; the other gate is open, others are closed.",
        ),
        (
            "zh.others_more",
            _X,
            r"(?:另一家|另外一家|别家|隔壁家|有个客户|有家公司|别的(?:买家|客户|公司|供应商)|其他(?:客户|买家))(?:已经|也|都|刚)?(?:比您|比你)?(?:订了|付了|出价|报价|也要|要这|要了|便宜|抢了|问过|买了)|对手(?:也|已经)?(?:来)?问|转给了?(?:另一家|别家|其他(?:客户|买家)|对手)",
            "另一家已经订了这一天。",
            "另一家仓库在隔壁，别的颜色没有，您的对手套在箱子里。",
        ),
    )
)
