"""Rules for the hard stops by meaning: deeds of signing, money, credentials, packages, in any of their tenses.

A row pairs a deed with its object: somebody of ours who does it, something it happened to, or the outsider asked to do
it. The bare noun is ordinary, and `wording.excuses` lets a denial, a warning and a question for information pass.
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
_WE: Final = r"\b(?:i|we|he|she|they|our (?:\w+ )?(?:director|ceo|manager|owner|boss|partner|accounts|bank|finance|accounting|side|team|bookkeeper|treasurer|office|company|head|board|notary|lawyer|solicitor|president|chairman|trustees?|agent))(?:'?(?:ve|ll|d|re|m|s)| have| has| had| will| would| can| could| are| is| am| shall| do)? (?:(?:now|already|just|hereby|gladly|also|duly|therefore|then|both|all|been|be|being|going to|about to|happy to|glad to|set to|ready to|able to|finally|each|today|immediately|since|meanwhile|even|personally|manually|both|quickly|kindly|to|got it|went ahead and|gone ahead and|taken the liberty of) )*"
_PAPER: Final = r"(?:contracts?|agreements?|ndas?|leases?|pos?|purchase orders?|orders?(?: forms?)?|order confirmations?|deeds?|documents?|forms?|cop(?:y|ies)|papers?|paperwork|letters?|letter of intent|offers?|sows?|mous?|msas?|waivers?|addendum|addenda|amendments?|annex(?:es)?|protocols?|power of attorney|certificates?|declarations?|quotes?|quotations?|proposals?|pages?|acceptance|statements?|minutes|cmr|deal|renewal|policy|release|consent|handover|both (?:copies|documents|sets)|authori[sz]ation|bill of lading|undertaking|settlement|term sheet|confirmation)"
_ASK: Final = r"\b(?:please|pls|plz|kindly|would you|could you|can you|can u|could u|will you|be so kind|you (?:can|must|should|have to|need to|may|only need to|just have to|'ll need to)|u (?:can|need to|have to)|need you to|needs? to be|want you to|ask(?:ing)? you to|like you to|require you to|waiting for you(?:r)?|await(?:ing)? your|missing is your|still need your|we need your|go ahead and|don't forget to|remember to|(?:simply|just) (?:sign|tap|click|pay|send|transfer|enter|put|wire|confirm|press|scan|hit|reply))\b"
_CRED: Final = r"(?:pass ?words?|pass ?codes?|pass ?phrases?|\bpins?\b(?: codes?| numbers?)?|otps?|one[- ]time (?:codes?|passwords?|pins?)|(?:verification|security|confirmation|auth(?:entication|enticator|orisation|orization)?|sms|login|log-in|access|door|gate|alarm|entry|entrance|key ?box|lock ?box|key ?safe|lock|unlock|safe|garage|admin|master|backup|recovery|reset|2fa|mfa|six[- ]digit|6[- ]digit|four[- ]digit|4[- ]digit|8[- ]digit|activation) (?:code|codes|answer|key|keys|digits|number|token|tokens|phrase)|security questions?|2fa|mfa|(?:api|access|session|bearer|auth|refresh|hardware) (?:tokens?|keys?|secrets?)|tokens?|log-?ins?|log-?in (?:data|details)|credentials?|user ?names?|user ids?|seed phrases?|private keys?|ssh keys?|secret keys?|secrets?|teamviewer(?: id)?|anydesk|session id|cvv|cvc|maiden name|wifi key|wi-fi (?:password|key))"
_STORE: Final = r"(?:npm|pypi|test ?pypi|docker ?hub|maven(?: central)?|nuget|crates(?:\.io)?|rubygems|packagist|cocoapods|homebrew|brew|(?:the )?app ?stores?|play ?store|google play|test ?flight|microsoft store|mac app store|amazon appstore|chrome web ?store|add-?ons? (?:store|site)|f-droid|snap(?: store|craft)?|flathub|ghcr|github (?:releases?|packages)|ecr|gcr|acr|quay(?:\.io)?|artifactory|nexus|harbor|(?:package|container|image|docker|public|private|our|the|your|helm|model) registry|registry|hugging ?face|helm repo|conda(?:-forge)?|cran|hackage|(?:visual studio |vs code |jetbrains |atlassian |shopify )?marketplace|plugin (?:directory|repository)|wordpress\.org|appgallery|galaxy store|steam|itch\.io|apt repo(?:sitory)?|ppa|yum repo|package (?:index|feed|repository|manager)|(?:wordpress|plugin|package|app|extension|theme) (?:directory|repo(?:sitory)?|hub|gallery|catalog(?:ue)?)|ota server|update (?:server|channel)|download (?:server|page)|cdn|production channel|stable channel|beta channel)"
_BUILD: Final = r"(?:packages?|images?|builds?|firmware(?: v?\d[\w.-]*)?|apps?|apk|ipa|wheels?|sdist|jars?|artifacts?|artefacts?|gems?|crates?|plug-?ins?|extensions?|sdks?|librar(?:y|ies)|binar(?:y|ies)|installers?|containers? image|helm charts?|modules?|release candidate|hotfix(?:es)?|patch(?:es)?|versions? v?\d[\w.-]*|v\d[\w.-]*|release \d[\w.-]*|add-?ons?|drivers? \d|bundle|snapshot|ota update|client library|npm module)"

DEEDS: Final[tuple[Rule[HardStop], ...]] = tuple(
    Rule(id, mark, id[:2], pattern, hit, miss)
    for id, mark, pattern, hit, miss in (
        (
            "en.sign_deed",
            _S,
            rf"{_WE}(?:(?:counter-?|co-?|e-?)?sign(?:ed|ing)?(?: off)?(?: (?:the|it|them|this|that|these|those|both|all|our|your|each|every|and|on|off|as|page|here|two|three|a|an|copies|where|below|with|by|today|yesterday|tonight|tomorrow|monday|electronically|digitally|\w+ copies)\b|[.,!;]|$)|execut(?:e|ed|ing) (?:it|the (?:sale|deed|contract|lease|agreement|transfer|purchase|mortgage|papers|document|copies|order|form|nda|letter|power)|this|that|both|all|them|your|our)|initial(?:l?ed|l?ing)\b|docusigned|ratif(?:y|ied)|put(?:ting)? (?:pen to paper|\w+ names? (?:to|under|on))|(?:put|placed|affix(?:ed)?|set|added|applied|used|press(?:ed)?|inked|dropped) (?:\w+ ){{0,3}}?(?:chop|seal|stamp|signature|name|initials|autograph)\b|(?:stamped|sealed|chopped) (?:the|it|them|this|both|all|your|our|and))",
            "I've now executed it for the owner.",
            "We signal the driver; I put the box on the desk.",
        ),
        (
            "en.sign_passive_more",
            _S,
            rf"\b(?:directors?|partners|owners|sides|parties|managers|of us|of them|we|they) (?:have |has |had )?(?:now |both |just |already )*(?:put pen to paper|put (?:their|our|his|her) names?)\b|\b{_PAPER}\b[^.?!]{{0,40}}\b(?:is|are|was|were|been|be|being|gets?|got|now|stands?|comes?|came|returned|herewith|back|fully|duly) (?:now |already |all |duly |fully |both |just |also |hereby )*(?:(?:counter-?|e-?)?signed|executed|initial+ed|sealed|stamped|chopped|ratified)\b|\bsigned (?:and (?:sealed|stamped|returned|dated|scanned|filed|sent|countersigned)|{_PAPER} (?:is |are )?(?:attached|enclosed|below|back|on (?:its|the) way|went|in the post|returned|herewith)|for (?:the|our|my)|by (?:us|our|both|me|the (?:owner|director|ceo|board|managing))|in (?:our|the) (?:company'?s? )?name|on (?:our|the company's|the owner's|his|her|my) behalf|it|off|them|the|your|both|this|all|page|copy attached)\b|\b(?:bears?|carr(?:y|ies)|has|have|with|under|over|find|see|add(?:ed)?|our) (?:\w+ )?(?:our|my|the owner's|the director's|both|his|her) (?:\w+ )?(?:signatures?|seal|chop|stamp|initials)\b|\b(?:adopt(?:ed)? and sign|adobe sign|hello ?sign|signnow|pandadoc|docu ?sign|e-?signatures?|electronic signature|digital signature|signing link|signature (?:link|request|page|field|block|line)|sign-?off sheet|wet ink|ink on paper)\b[^.]{{0,60}}\b(?:done|complet\w+|attached|sent|sign\w*|went|click\w*|below|is|was|through|waiting|open|page|both|returned|use|via|finish\w*|request|envelope|you|your|approve)|\b(?:sealed|stamped|executed|chopped|notari[sz]ed) (?:originals?|cop(?:y|ies)|set|documents?|contracts?|agreements?|deeds?|papers)\b|\bclicked [\"']?(?:adopt|sign|accept|agree|i agree|finish)",
            "The contract will be signed by us this afternoon.",
            "The paper box is designed by the owner.",
        ),
        (
            "en.sign_asked",
            _S,
            rf"(?:^|[,;:] ?)(?:just |then |now |simply )?(?:counter-?)?sign (?:here|below|both|it and|and return|on the dotted|on page|at the (?:cross|bottom|mark))\b|{_ASK}[^.?!]{{0,60}}?\b(?:(?:counter-?|co-?|e-?)?sign(?:ed|ing)?(?: off)?(?: (?:the|it|them|this|that|these|those|both|all|our|each|every|and|on page|on the|off|as|page|here|two|three|at the|copies|where|below|with|by|today|before|for|electronically|digitally|\w+ copies|via)\b|[.,!;?]|$)|counter-?sign|execute (?:it|the|this|both|all)|initial (?:each|every|the|all|page)|affix|(?:put|place|add|leave|provide|apply|give) (?:us )?(?:your|the|a|his|her|their) (?:\w+ )?(?:signature|seal|chop|stamp|initials|name (?:on|under|below|to))|(?:stamp|seal|chop) (?:and|the|it|both)|signature (?:on|under|below|by|is|at)|signed (?:copy|version|{_PAPER}|and))",
            "Would you be so kind as to countersign the purchase order?",
            "Please signal the driver from the door.",
        ),
        (
            "zh.sign_more",
            _S,
            r"签字|簽字|签署|簽署|签名|簽名|签章|簽章|盖章|蓋章|盖了|盖好|盖上|用印|骑缝章|公章|合同章|手印|代签|代簽|电子签|電子簽|签一下|簽一下|签了|簽了|签好|簽好|签完|签妥|签个|签回|簽回|回签|回簽|会签|签掉|签过|面签|签批|落款|画押|(?:合同|协议|合約|協議|文件|订单|授权书|确认书|意向书|备忘录|报价单|采购单|po|保密协议)(?:\S{0,8}?)(?:签|簽)(?:[^收到证證约])|(?:签|簽)(?:\S{0,4}?)(?:合同|协议|合約|協議|确认书|意向书|备忘录|授权书|补充协议)|法大大|e签宝|上上签|契约锁|docusign|(?:签|簽)(?:完|好|毕|署)(?:流程|后|之后|寄回|扫描)",
            "两份合同都盖了骑缝章。",
            "请在签到处领取标签。",
        ),
        (
            "en.money_deed",
            _M,
            rf"{_WE}(?:(?:pay|paid|paying|repaid|prepaid|prepay|repay)(?: (?:you|the|your|it|them|this|that|half|out|off|in|into|by|back|all|both|via|today|everything|for (?:it|them|the|your|this)|him|her|our|their|an? (?:deposit|fee|share|part|sum|first|second|instal\w+|advance|portion|third|quarter|half)|[$€£¥]? ?\d[\d.,]*|\w+ invoices?)\b|[.,!]|$)|transferr?(?:ed|ring)? (?:you|the (?:money|amount|sum|funds|payment|balance|deposit|rest|difference|fee|total|full|first|second|remaining|outstanding)|it|half|[$€£¥]? ?\d|your|our|a)|wir(?:e|ed|ing) (?:you|the|it|over|[$€£¥]? ?\d|half|your|a|out)|remit(?:ted|ting)?\b|refund(?:ed|ing)\b|refund (?:you|your|it|the|this|that|him|her|them|all|half|[$€£¥]?\d)|reimburs(?:e|ed|ing)\b|credit(?:ed|ing)? (?:you|your|the|it|back|[$€£¥]? ?\d)|debit(?:ed|ing)?\b|charg(?:e|ed|ing) (?:it to |the |your )?(?:your |the |amex|visa|master|\w+ )?(?:card|account|visa|amex|mastercard)|deduct(?:ed|ing)?\b|settl(?:e|ed|ing) (?:your|the|our|both|all|that|this)? ?(?:\w+ ){{0,2}}?(?:invoices?|bills?|account|balance|amount|statement|fee)|topp?(?:ed|ing)? up|advanc(?:e|ed|ing) (?:you|the|half)|put (?:it|that|this|the \w+) (?:on|through|onto) (?:your|the|our|my) (?:\w+ )?(?:card|account|tab|bill)\b|(?:bought|buy|buying|order(?:ed|ing)?|purchas(?:e|ed|ing)|pick(?:ed)? up|get|got) (?:\S+ ){{0,4}}?(?:gift ?cards?|vouchers|crypto|bitcoin|usdt|btc|eth|stablecoins?)|(?:send|sent|sending|releas(?:e|ed|ing)|issu(?:e|ed|ing)|initiat(?:e|ed|ing)|mak(?:e|ing)|made|execut(?:e|ed|ing)|trigger(?:ed)?|schedul(?:e|ed)|process(?:ed|ing)?|approv(?:e|ed)|authori[sz](?:e|ed)|arrang(?:e|ed)|set up|mail(?:ed)?|post(?:ed)?) (?:\S+ ){{0,4}}?(?:payments?|transfers?|refunds?|cheques?|checks?|money|funds|wire|remittance|bitcoin|usdt|btc|eth|deposit|standing order|direct debit|payout|instal+ment|che?que|(?:updat|chang)\w* bank)|(?:updat(?:e|ed)|chang(?:e|ed)|switch(?:ed)?|amend(?:ed)?|replac(?:e|ed)|enter(?:ed)?) (?:\w+ ){{0,3}}?(?:bank (?:details|account|data)|iban|account (?:number|details)|payee|beneficiary|payout account))",
            "We are deducting the damaged goods and paying you the remainder.",
            "We pay attention to the label.",
        ),
        (
            "en.money_moved",
            _M,
            r"\b(?:payments?|bank transfer|transfers? of|refunds?|remittance|wire|amount|sum|balance|deposit|money|funds|che?ques?|payouts?|instal+ments?|credit note|salar(?:y|ies)|commission|prepayment|down ?payment|advance|reimbursement|the full \w+|remainder|the rest|the difference|your \d+|[$€£¥] ?\d[\d.,]*|\d[\d.,]* (?:euros?|dollars?|pounds|eur|usd|gbp))\b[^.?!]{0,50}\b(?:(?:has|have|had) (?:\w+ )?(?:been|gone|left|cleared|landed|reached)|was|were|is|are|been|will be|should be|gets?|got|went|goes|will|should) (?:now |already |just |all |being |be |to be )*(?:paid|made|sent|transferred|wired|refunded|credited|debited|charged|executed|initiated|released|remitted|reimbursed|deposited|repaid|on (?:its|the|their) way|in the post|with you|in your account|on your account|processed|settled|issued|booked|scheduled (?:for|to)|instructed|arrive|reach you|hit your|show up|land|go out|out (?:today|tomorrow|tonight)|gone|back on your)\b|\b(?:invoices?|bills?|pro ?forma) (?:\S+ ){0,6}?(?:is|are|was|were|has been|have been|will be|been|got|gets) (?:\w+ )?(?:paid|settled|cleared|charged|debited)\b|\b(?:bank|account|payment|iban|beneficiary|payout) (?:details|data|number|account|information)s? (?:\S+ ){0,5}?(?:updated|changed|amended|replaced|switched|entered|corrected|is now|are now)\b|\b(?:your|the) (?:\w+ )?(?:card|account|visa|amex|mastercard|credit card) (?:\S+ ){0,3}?(?:has been|was|will be|is being|gets|got) (?:\w+ )?(?:charged|debited|credited|billed)\b|\b(?:the next|next|future|all) (?:payouts?|payments?|transfers?|instal+ments?) (?:goes|go|will go|is going|to)\b",
            "As requested your bank details have been updated.",
            "The payment page is slow.",
        ),
        (
            "en.money_done_now",
            _M,
            r"\b(?:payment|bank transfer|wire transfer|transfer|refund|remittance|payout|reimbursement|instal+ment|deposit|direct debit|standing order) (?:now |just |already |of \S+ (?:\w+ )?)?(?:executed|made|sent|done|initiated|released|completed|processed|issued|booked|ordered|triggered|instructed|approved|authori[sz]ed)\b|\bproof of payment\b[^.?!]{0,20}\b(?:attached|enclosed|below|here)|\b(?:value date|swift copy|mt103)\b",
            "Payment executed, reference 88213-A.",
            "The payment desk is done up in blue.",
        ),
        (
            "en.money_went",
            _M,
            r"\b(?:deposit|refund|payment|royalt(?:y|ies)|fees?|salar(?:y|ies)|commission|money|amount|sum|credit|balance|rest|wages|bonus|cash|funds?|proceeds|rent|down payment)\b[^.?!]{0,60}\b(?:went|left|is back|are back|landed|came|gone|returned|goes|go|sits?|arrived?|hit)\b[^.?!]{0,30}\b(?:card|account|bank|wallet|paypal|iban)\b|\b(?:send|sends|sending|sent|wire|wires|transfer|transfers|pay|pays|forward|remit|release|return|refund|credit|credits) (?:you |him |her |them )?(?:over |out |back )?(?:the|your|that|this|half the|all the|some) (?:\w+ ){0,2}?(?:money|amount|sum|rest|balance|difference|funds?|deposit|payment|refund|fee|remainder|cash|salary|commission)\b(?: (?:to|on|by|for|for the \w+|today|tomorrow|tonight|this|next|over|back|into|via|before|now|in|within|as soon)|[.,!;]|$)|\b(?:has|have|had|just|already|will|'ll) (?:\w+ )?(?:released?|made|sent|send|executed?|initiated?|approved?) (?:the|your|our|a|half the|all) (?:\w+ )?(?:payments?|transfers?|refunds?|funds|money)\b|\b(?:switched|changed|moved|redirected|updated) (?:the |your |our )?(?:payouts?|payments?|salary|transfers?|direct debit) to\b|\b(?:put|load(?:ed)?|add(?:ed)?|credit(?:ed)?) [^.?!]{0,40}\b(?:on|onto|to) your (?:number|card|account|wallet|balance|phone)\b|\bcredit(?:ed|ing)? (?:the|your|it|us|all|any|half|both)\b[^.?!]{0,30}\b(?:account|card|back|invoice|bill|to you)\b|\b(?:settle|pay) (?:up|it|this|everything)? ?(?:with|via|through|using|by|over|here at) (?:this|the|our|that|a|your|paypal|card|link|transfer)\b",
            "Your deposit went back to your card this morning.",
            "The deposit of the library went to the back room.",
        ),
        (
            "en.money_asked",
            _M,
            rf"{_ASK}[^.?!]{{0,60}}?\b(?:pay|settle|transfer|wire|remit|deposit|send|top up|prepay|clear|put|make|credit|refund)\b[^.?!]{{0,50}}\b(?:invoice|account|iban|amount|balance|sum|via|by (?:card|bank|wire|transfer|paypal)|bank|paypal|money|funds|payment|deposit|link|fee|total|bill|[$€£¥] ?\d|\d ?(?:euros?|dollars?|pounds|eur|usd|gbp)|proforma|revolut|wise|zelle|venmo|wallet|cash app|bitcoin|usdt|crypto|gift cards?|half|the rest|difference)\b|\b(?:account (?:number|no|details|below|given|stated|shown|at the)|iban|bank details|wallet|sort code|swift|bic|routing number|payment link|qr code)\b[^.?!]{{0,30}}\b(?:below|given|stated|shown|at the bottom|following|as follows|is|are|:|for (?:the|your) payment|on the invoice|attached|here|pay)\b|\b(?:paypal|revolut|venmo|zelle|western union|moneygram|cash ?app|bitcoin|usdt|ethereum|crypto|wise\.com|stripe|gift ?cards?|itunes cards?|payment link|pay here|direct debit)\b[^.?!]{{0,50}}\b(?:to|send|pay|link|here|use|code|scratch|wallet|account|address|me|us|mandate|set up|collect\w*|bought|buy)|\b(?:payable|pay|paid|transfer|remit|wire) (?:\S+ ){{0,5}}?(?:in|on)?to (?:the|our|this|my|following) (?:\w+ )?(?:account|iban|wallet|bank)|\binvoice\b[^.?!]{{0,40}}\b(?:for (?:your )?payment|to be paid|please (?:pay|settle)|settle (?:it|this|the)|payable (?:to|by|on))",
            "Attached is our invoice 2041, please settle it to the account given at the bottom.",
            "Please send the pallets to the yard.",
        ),
        (
            "zh.money_more",
            _M,
            r"(?:我方|我司|我们|我们这边|我|财务|公司|会计|出纳|已经?|会|将|就|马上|今天|明天|下午|上午|昨天|刚刚?|安排|这就|立刻|稍后|随后|统一|先|再|给您|帮您|替您|给你|为您|原路|全额|分两笔|拟)(?:\S{0,12}?)(?:付款|支付|转账|轉帳|打款|汇款|匯款|退款|退钱|打钱|转钱|付清|结清|付掉|付了|转了|打了|汇了|汇出|匯出|转出|转过去|打过去|付过去|退回(?:到|至)?(?:原|您|账|卡|户|微信|支付宝)|退给|退到|退还(?:到|给|您|押|款)|扣款|扣掉|扣除|扣了|代扣|充值|充了|垫付|赔付|报销|打给|转给您\S{0,3}\d|汇给|买(?:\S{0,4})(?:卡|比特币|usdt|u))|(?:请|麻烦|烦请|劳驾|请您|您|贵司|贵方|尽快|务必|直接|可以|能否)(?:\S{0,14}?)(?:付款|支付|付一下|转账|轉帳|打款|汇款|匯款|汇到|匯到|汇至|转到|转至|打到|打至|打入|转入|汇入|付到|付至|请付|汇款请|缴|交一下(?:押|定|订)|充值|扫码|扫这个码|扫一下码|刷卡)|(?:款项?|货款|貨款|尾款|定金|订金|訂金|押金|保证金|质保金|运费|余款|预付款|退款|佣金|工资|稿费|差额|赔款|钱)(?:\S{0,12}?)(?:已|会|将|安排|预计|今天|明天|刚)(?:\S{0,8}?)(?:付|转|轉|汇|匯|打|退|到账|到帳|入账|到您|结|放款|支付|返还|返回|原路|退回|划)|(?:收款|银行|銀行|对公|新|以下|下面|这个|指定|公司)(?:\S{0,4}?)(?:账号|账户|帳戶|帳號|户头|卡号|户名|开户行)(?:\S{0,10}?)(?:是|为|:|如下|改|变|换|更|收|打|汇|转|已|\d)|(?:账户|账号|帳戶|银行信息|收款信息|开户行)(?:\S{0,8}?)(?:已|改为|变更为|更新|换成|更改|改成|改好)|(?:转|付|打|发|退)(?:给)?我(?:微信|支付宝|卡|账)|(?:发|打|转|退|存|充)到(?:您|你|我|他)?(?:\S{0,3}?)(?:卡上|卡里|账上|账户|户头|微信|支付宝)|(?:微信|支付宝|云闪付|收款码|二维码|扫码)(?:\S{0,8}?)(?:付|转|收|退|支付|打)|(?:京东卡|购物卡|礼品卡|充值卡|(?:^|[^有一])点卡|卡密|红包|比特币|usdt|虚拟币|钱包地址|泰达币|加密货币)|到您(?:户上|账上|卡上|账户)",
            "麻烦扫这个码付一下押金。",
            "请把货转运到三号库。",
        ),
        (
            "en.credential_deed",
            _E,
            rf"\b{_CRED}\b[^.?!]{{0,60}}\b(?:is|are|was|were|reads?|reset|changed|works?|worked|correct|right|confirmed?|sent|send|give|share|tell|text|enter(?:ed)?|typed?|type in|used?|log(?:ged)? (?:in|on)|sign in|pasted?|new|temporary|initial|default|attached|below|following|expired|match(?:es|ed)?|accepted|went through|underneath|shown|over to (?:me|us)|to (?:me|us)|again|which is|starts? with|ends? with|you (?:got|received|were sent)|from (?:your|the) (?:phone|sms|text|app|mail|email)|on (?:your|the) (?:phone|screen|app|sticker|yellow|note|back)|generated|issued|created|activated|revoked|rotated|renewed|valid|unlocked|ready)\b|\b{_CRED} ?[:=]|\b(?:give|send|tell|share|text|read|forward|provide|need|enter(?:ed|ing)?|typ(?:e|ed|ing)|us(?:e|ed|ing)|paste|drop|dictate|pass|what(?:'s| is| was)|confirm(?:ed|ing)?|verify|verified|reset(?:ting)?|chang(?:e|ed)|set|creat(?:e|ed)|generat(?:e|ed)|log(?:ged|ging)? in(?:to)? (?:with|using)|sign(?:ed)? in with|hand(?:ed)? over|issu(?:e|ed)|rotat(?:e|ed)|unlock(?:ed)?|here(?:'s| is| are)|attached (?:is|are)|repeat|spell|key(?:ed)? in|correct|same|old|set up|whatsapp|mail(?:ed)?|email(?:ed)?|dm|ping)\b[^.?!]{{0,50}}\b{_CRED}\b",
            "I've reset your password, the temporary one is in the next mail.",
            "The pinch bolt is new; I reset the machine.",
        ),
        (
            "en.credential_code",
            _E,
            r"\b(?:use|enter|with|type|punch in|dial|key in) (?:the )?(?:\w+ )?code:? ?[#*]?\d{3,}|\b(?:code|combination|keypad|safe|lock)\b[^.?!]{0,40}(?:\bis|:|=|\bwhich is|\benter) ?[#*]?\d{3,}|\b(?:text(?:ed)?|sms|phone|authenticator|app|whatsapp)\b[^.?!]{0,40}\b(?:code|digits|number)\b[^.?!]{0,40}\b(?:send|read|tell|give|forward|enter|type|to me|to us|over|back)\b|\b(?:send|read|tell|give|forward|enter|type|text|whatsapp|need|what's|what is|dictate)\b[^.?!]{0,40}\b(?:code|digits)\b[^.?!]{0,40}\b(?:text(?:ed)?|sms|phone|just (?:got|sent|received|popped)|received|got|arrived|authenticator|app|sent (?:to )?you|bank)\b|\b(?:i|we)(?:'ve| have|'m| am|'ll| will)? (?:\w+ )?(?:log(?:ged|ging)? (?:in|on)|sign(?:ed|ing)? in)(?:to)? (?:to |on |with |as |under |using |from )?(?:\w+ ){0,3}?(?:account|portal|as you|with your|using your|under your|profile|dashboard|system with|mailbox|bank)\b|\b(?:verify|confirm|validate|authenticate) (?:your|the) (?:account|identity|log-?in|wallet)\b|\b(?:unlock(?:ed)?|reset) (?:your|the) (?:account|log-?in|user|access)\b",
            "The alarm can be switched off with the code on the yellow note, which is 0907#.",
            "The code on the label is on the left side.",
        ),
        (
            "en.credential_more_ways",
            _E,
            r"\b(?:keypad|key ?box|door|gate|lock|safe|padlock|alarm|barrier|cottage|garage|locker|bike|phone|tablet|account|panel|box)\b[^.?!]{0,40}\b(?:takes|opens with|opens on|unlocks? with|is (?:set to|opened with)|combination|disarm\w*|code)\b[^.?!]{0,20}[#*]?\d{3,}|\b(?:which|what) (?:\w+ )?(?:digits|numbers?|code)\b[^.?!]{0,40}\b(?:authenticator|phone|app|sms|text|token|screen|display)\b|\b(?:forward|send|show|copy|screenshot|read) (?:\w+ ){0,3}(?:verification|security|login|confirmation|otp|bank) (?:sms|text|message|e-?mail|mail|link)\b|\b(?:your|the) (?:user ?name|login|user id) (?:is|will be|stays|=|:)",
            "The keypad on the cottage takes 4471.",
            "The door takes ages to open.",
        ),
        (
            "zh.credential_deed",
            _E,
            r"(?:密码|密碼|口令|验证码|驗證碼|动态码|校验码|密钥|私钥|令牌|token|助记词|pin码|pin|授权码|卡号|账号密码|登录名|用户名|门禁码|门锁码|开锁码|解锁码|api ?key|安全问题|u盾|ukey|登录信息|登录凭证|短信码)(?:\S{0,16}?)(?:是|为|:|=|发|發|给|告诉|告訴|报|念|说|重置|改|换|设|设置|输|填|正确|没错|无误|对的|对了|过期|有效|收到了?|初始|后六位|登|用|再|截图|录|交|提供|附|见|在下|写在|默认|已)|(?:发|發|给|告诉|告訴|报|念|提供|输入|輸入|填|重置|改|换|重设|用|确认|核对|要|需要|拿|交|转发|借|登|试|贴|初始|临时|新)(?:\S{0,14}?)(?:密码|密碼|口令|验证码|驗證碼|动态码|校验码|密钥|私钥|令牌|token|助记词|pin码|授权码|门禁码|api ?key|账号密码|登录信息|u盾|短信码)|(?:用|拿|凭|以)(?:\S{0,8}?)(?:账号|賬號|帳號|账户|卡|身份|权限|ukey|u盾)(?:\S{0,8}?)(?:登|进去|进入|操作|成功)|(?:登录|登入|登陆|登錄)(?:成功|了|上|进|您|你|后台|完|好)|(?:手机|短信)(?:\S{0,6}?)(?:收到|弹出)(?:\S{0,6}?)(?:码|数字|位数)",
            "密码已经帮您重置了。",
            "密码箱放门口,密封圈在右边。",
        ),
        (
            "en.publish_deed",
            _B,
            rf"\b(?:publish(?:ed|ing|es)?|push(?:ed|ing|es)?|upload(?:ed|ing|s)?|releas(?:e|ed|ing|es)|deploy(?:ed|ing|s)?|submit(?:ted|ting|s)?|roll(?:ed|ing|s)? out|tagg?(?:ed|ing)?|promot(?:e|ed|ing)|ship(?:ped|ping)?|put|drop(?:ped)?|cut|mirror(?:ed)?|sync(?:ed)?|list(?:ed)?|post(?:ed)?|went|goes|going|goes|uploading|live|available|out|up|landed|hit|appear(?:s|ed)?|find it|get it|pull it)\b[^.?!]{{0,70}}\b(?:to|on|onto|in|into|at|from|via|through|under|over) (?:the |our |your |both |all |a )?(?:\w+ )?{_STORE}\b",
            "I pushed the image to Docker Hub under the latest tag.",
            "We pushed the pallet onto the ramp.",
        ),
        (
            "en.publish_there",
            _B,
            rf"\b(?:version|app|build|update|release|package|plug-?in|extension|crate|image|firmware|gem|wheel|container|theme|sdk|library|patch|bundle)\b[^.?!]{{0,60}}\b(?:is|are|was|now|went|goes|appears?|lives?|sits|available|found|installable|up|waiting)\b[^.?!]{{0,30}}\b(?:in|on|at|from|through|via|to) (?:the |our |both |all )?(?:{_STORE}|stores?)\b|\b(?:crates?|gems?|wheels?|packages?|container images?|apk|plug-?in|firmware|npm module|sdk|library|extension) (?:\w+ )?(?:went|goes|is going|will go|is being|gets?|are being) (?:up|live|out|rolled|pushed|published|released|deployed)\b|\b(?:pip|npm|cargo|brew|apt|gem|docker|composer|go|conda)(?: install| pull| get| add)? (?:\w+ )?(?:will|should|now|can) (?:find|finds|install|fetch|pull|see|pick)",
            "Version 2.9 of the tractor app is now in the Play Store.",
            "The version of the story is now in the book.",
        ),
        (
            "en.publish_build",
            _B,
            rf"\b(?:publish(?:ed|ing)?|upload(?:ed|ing)?|releas(?:e|ed|ing)|deploy(?:ed|ing)?|submitt?(?:ed|ing)?|roll(?:ed|ing)? out|push(?:ed|ing)?|cut(?:ting)?|ship(?:ped|ping)?|yank(?:ed)?|unpublish(?:ed)?|tagg?(?:ed|ing)?) (?:\S+ ){{0,5}}?{_BUILD}\b|\b{_BUILD}\b[^.?!]{{0,50}}\b(?:is|are|was|were|has been|have been|will be|went|goes|gets?|got) (?:now |just |already |going |being )*(?:published|uploaded|released|deployed|live|rolled out|rolling out|pushed|submitted|out (?:now|there)?|available (?:for download|to download|to all|over the air|as a download)|in (?:the )?(?:review|store)|downloadable|signed and uploaded)\b|\b(?:over[- ]the[- ]air|ota) (?:update|push|release|rollout)\b|\bpushed? (?:it|this|that|the \w+) (?:out )?(?:live|to (?:all|every) (?:devices?|users?|clients?|customers?))\b|\b(?:git|docker|npm|helm|cargo|gem|twine|mvn|gradle) (?:push|publish|upload|deploy)\b",
            "The firmware was published for all devices.",
            "We released the brake of the motor at noon.",
        ),
        (
            "zh.publish_deed",
            _B,
            r"(?:发布|發布|上传|上傳|推送|推到|推上|提交|提审|送審|送审|上架|上线|上線|部署|发到|發到|推了|push|打包上传|更新到|放到|挂到|同步到|传到|发版|發版|灰度|全量)(?:\S{0,16}?)(?:npm|pypi|docker ?hub|maven|nuget|crates|应用宝|应用市场|应用商店|應用商店|app ?store|google ?play|play ?商店|华为应用|小米商店|testflight|镜像仓库|镜像站|私服|nexus|harbor|制品库|软件源|仓库源|registry|github|gitee|hugging ?face|魔搭|插件市场|小程序后台|小程序|苹果商店|安卓市场|ota|升级服务器|固件库|中央仓库|cocoapods|conda)|(?:镜像|鏡像|安装包|软件包|安卓包|ios|ios ?新版|apk|ipa|固件|韌體|依赖包|npm ?包|helm|chart|中央仓库|仓库里|新版本|新版|sdk|插件|补丁|热修复|小程序|app|客户端|版本 ?v?\d[\d.]*|v\d[\d.]*|驱动|组件库|whl|jar ?包|轮子)(?:\S{0,14}?)(?:发布|發布|上传|上傳|推送|push|推到|提交|提审|送審|送审|上架|上线|发版|推上|推了|全量|灰度|发出去|已发|放出|下发|过审|更新到)|(?:maven|npm|pypi|docker ?hub|nuget|应用商店|应用市场|app ?store|中央仓库|镜像站|插件市场)(?:\S{0,20}?)(?:发|推|传|上架|上线|更新|提交|送审|过审)|(?:发布|發布|推送|下发|上架|上传|推出)(?:了|新|一个|这个|\S{0,6}?)(?:固件|镜像|安装包|软件包|apk|sdk|插件|补丁|app|客户端|小程序|正式版|测试版|版本)",
            "镜像已push到Docker Hub。",
            "镜像画面在第二页,线条清晰。",
        ),
    )
)
