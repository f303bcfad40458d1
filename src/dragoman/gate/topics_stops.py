"""Rules for hard stops: signing, moving money, entering credentials, publishing packages, telling one counterparty
about another. Denied on every target, never liftable in band (spec 1 §4 step 2); a first, honest table.

A row wants the deed reported, promised or asked for, not the bare noun: "the signed order is here" is an ordinary
sentence, "I have signed it for you" is not. What a rule cannot see is stopped by the wall instead: handlers have no
tools of their own (spec 1 §7).
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from dragoman.gate.topic_rule import Rule
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
            r"\b(?:please|kindly|just|must|should|need to|can you|could you|to) (?:\w+ )?(?:e-?sign|counter-?sign|sign)(?:,| and (?:return|send|stamp)|(?: the| this| that| it| our| your| below| here| at| both| all| on)\b)",
            "Please sign the attached order.",
            "Please signal the driver at gate 4.",
        ),
        (
            "en.signed_for",
            _S,
            r"\bsigned (?:on|in) (?:your |our |his |her |their )?(?:behalf|name)\b|\bsign(?:ing)? on (?:your|our|the \w+'s) behalf\b|\bconsider it signed\b|(?:^|\s)/s/ ?\w|\b(?:electronically|digitally) signed\b|\bsigned by:|\b(?:here is|attached is|with) (?:my|our) signature\b|\bdocusign(?:ed)?\b",
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
            rf"\b(?:please|kindly|just|must|should|need to|can you|could you|to) (?:\w+ )?(?:pay|wire|transfer|remit|send) (?:us |me )?{_WORTH}|\b(?:send|wire|transfer|pay) (?:it |the money |the amount |payment |money )?(?:in)?to (?:this|our|the following|my|that|a new|account|iban)|\biban[: ]+[a-z]{{2}}\d{{2}}|\b(?:our|my|new|updated|following) (?:bank (?:account|details)|account (?:number|details)|wallet address)\b|\bgift cards?\b",
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
            r"\b(?:the|our|an|my|your) other (?:clients?|customers?|suppliers?|buyers?|vendors?|partners?|part(?:y|ies)|account|counterpart(?:y|ies)) (?:\w+ )?(?:pays?|paid|gets?|got|ha[sd]|have|ordered|orders|bought|buys|offered|offers|agreed|signed|told|asked for|charges?|quoted|accepted|received|uses?|said|wants?|needs?|booked|is|are|was|will)\b|\banother (?:client|customer|supplier|buyer|vendor|partner|counterparty) (?:of ours )?(?:\w+ )?(?:pays?|paid|gets?|got|ha[sd]|ordered|orders|bought|offered|agreed|signed|told|charges?|quoted|accepted|received|said|booked|is (?:paying|getting|buying))\b",
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
            r"(?:另一个|另一家|另外一个|另外一家|另一位|别的|其他|其它|别家|其他家|隔壁)(?:客户|供应商|买家|卖家|公司|合作方|合作伙伴|厂家|厂商)(?:\S{0,4}?)(?:的(?:价|报价|订单|合同|条件|折扣|单价|用量|数据|资料)|付|给|拿|订|下单|买|出价|报|只要|签|同意|说|要了|收)|(?:您|你|你们|贵司|贵公司)的?(?:竞争对手|同行|对手)(?:\S{0,4}?)(?:的(?:价|报价|订单|合同|条件|折扣)|付|给|拿|订|下单|买|出价|报|签|同意|说)|(?:别人|别家|人家|其他人)(?:都|只|才|也)?(?:付|给|拿|订了|报|出|买)(?:\S{0,4}?)(?:\d|价|折)",
            "我们的另一个客户付的更少。",
            "其他客户服务窗口在二楼。",
        ),
    )
)
