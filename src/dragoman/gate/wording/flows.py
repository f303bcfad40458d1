"""More rules for the hard stops of money, packages, credentials and signatures: nominal, passive and asked-for deeds.

Money and its ways (leaves our bank, was handed over, goes out with tonight's run); builds and their ways (went out to all
users, hit production, is up); what locks a user in or out; whose name stands under it. `wording.deeds` has the plain verbs.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from dragoman.gate.wording.rule import Rule
from dragoman.words import HardStop

_M: Final = HardStop.MOVING_MONEY
_B: Final = HardStop.PUBLISHING_PACKAGES
_E: Final = HardStop.ENTERING_CREDENTIALS
_S: Final = HardStop.SIGNING
_WE: Final = r"\b(?:i|we|our (?:\w+ )?(?:accounts?|bank|finance|accounting|bookkeeper|treasurer|cashier|accountant|office|department|team|payroll|boss|owner))(?:'?(?:ve|ll|d|re|m|s)| have| has| had| will| would| are| am| is| shall| do)? (?:(?:now|already|just|also|been|be|going to|about to|gladly|hereby|immediately|today|finally|both|simply|manually|to) )*"
_SUM: Final = r"(?:payments?|refunds?|fees?|deposits?|expenses|salar(?:y|ies)|wages|bursar(?:y|ies)|grants?|prize(?: money)?|rewards?|rent|balance|sum|amount|money|overpayment|escrow|difference|commissions?|bills?|invoices?|dues|fines?|compensation|royalt(?:y|ies)|per diems?|advances?|cash|che?ques?|vouchers|remainder|instal+ments?|down ?payment|prepayment|reimbursement|payout|funds|proceeds|premium|retainer|honorarium|stipend|scholarship|allowance|tips?|credit|contribution|donation|membership|subscription|tuition|security|bond|settlement|tax|vat|customs duty|ticket money|travel (?:money|costs|expenses)|costs|surplus|bonus|pension|loan|debt|winnings|transfer|wire|direct debit|standing order|the lot)"
_GONE: Final = r"(?:paid(?: out| back| off| in)?|settled|transferred|sent(?: back)?|wired|refunded|returned|repaid|remitted|released|handed over|given back|put through|credited|deposited|debited|collected|deducted|charged|cleared|covered|reimbursed|moved|forwarded|disbursed|posted|booked (?:out|over|to)|taken (?:from|off)|withdrawn|set up|instructed|authori[sz]ed|on (?:its|their) way|in the post|in your account|on your card|back (?:on|in) your|with (?:you|the bank))"
_SOFT: Final = r"(?:packages?|builds?|firmware|apps?|apk|ipa|wheels?|sdist|jars?|gems?|crates?|plug-?ins?|extensions?|sdks?|librar(?:y|ies)|binar(?:y|ies)|installers?|docker images?|container images?|helm charts?|modules?|release candidate|hotfix(?:es)?|patch(?:es)?|add-?ons?|bundle|snapshot|client library|npm \w+|nuget \w+|maven \w+|python \w+|themes?|drivers?|updates?|fix(?:es)?|versions?|v?\d+\.\d+(?:\.\d+)?|android \w+|ios \w+|mobile app|web app|game|update|client|release|tags?|artifacts?|artefacts?|parsers?|cli|model weights|checkpoint|dataset|skill|bot|widget|templates?)"
_OUT: Final = r"(?:publish(?:ed|es|ing)?|push(?:ed|es|ing)?|releas(?:e|ed|es|ing)|re-?releas(?:e|ed|ing)|re-?publish(?:ed|ing)?|upload(?:ed|s|ing)?|deploy(?:ed|s|ing)?|submit(?:ted|s|ting)?|roll(?:ed|s|ing)?(?: \w+){0,3} out|rolling out|ship(?:ped|s|ping)?|yank(?:ed|ing)?|unpublish(?:ed|ing)?|deprecated?|tagg?(?:ed|ing)?|re-?tagg?(?:ed|ing)?|promot(?:ed|ing|e)|hand(?:ed)? in|put (?:up|out|live)|went (?:up|out|live)|gone (?:up|out|live)|goes? (?:up|out|live)|going (?:up|out|live)|is (?:up|out|live)|are (?:up|out|live)|hit|landed|sits?|sitting|appears?|available|approved|awaiting review|in review|pending review|mirrored)"
_WORLD: Final = r"(?:npm|pypi|docker ?hub|maven(?: central)?|nuget|crates\.io|rubygems|packagist|cocoapods|homebrew|app ?stores?|play ?store|google play|test ?flight|microsoft store|web ?store|f-droid|snap ?store|snapcraft|flathub|ghcr|github(?: releases?| packages)?|gitlab|ecr|gcr|quay|artifactory|nexus|harbor|registry|hugging ?face|conda(?:-forge)?|marketplace|wordpress|shopify(?: store)?|appgallery|galaxy store|steam|itch|production|prod\b|all (?:users|devices|scanners|terminals|customers|machines|clients|units|tablets|phones|branches|stores|stations)|every (?:user|device|scanner|terminal|customer|machine|client|unit|tablet|phone|station)|the fleet|remote update|everyone|all our|over the air|update (?:server|channel|feed)|download (?:page|server|portal|area)|stable(?: channel)?|beta(?: channel| testers?)?|store listing|plugin (?:directory|store)|extension store|our (?:feed|repo|repository|mirror|cdn)|helm repo|apt repo|package index)"

FLOWS: Final[tuple[Rule[HardStop], ...]] = tuple(
    Rule(id, mark, id[:2], pattern, hit, miss)
    for id, mark, pattern, hit, miss in (
        (
            "en.sum_gone",
            _M,
            rf"\b{_SUM}\b[^.?!]{{0,50}}?\b(?:(?:has|have|had|'s|'ve) (?:\w+ )?(?:been |just |already |now )*|was |were |is being |are being |is |are |will be |gets? |got |being |been )(?:now |already |just |fully |duly )*{_GONE}\b|\b{_SUM}\b[^.?!]{{0,40}}\b(?:leaves?|left) (?:our|the) (?:bank|account)|\b{_SUM}\b[^.?!]{{0,50}}\b(?:goes?|going|went) (?:out|through|off) (?:with|in|on|today|tomorrow|tonight|this|next|by|to you|from|at)\b|\bpayment run\b|\b(?:changed|updated|switched|amended|entered|corrected) (?:the |your |our |their )?(?:payout|bank|payment|account|salary|refund) (?:details|data|account|method|information)\b|\b(?:paid|pay|paying) (?:the rest|the remainder|half|it|the difference|that) to (?:your|him|her|them|you|the)\b|\b(?:used|charged|using) (?:the|our|your|my) (?:\w+ )?card (?:to pay|for)\b|\b(?:has|have|was|were) been paid by us\b|\bpaid by us\b|\b(?:wired|transferred|remitted|refunded|reimbursed) (?:the|a|your|you|half|all|both|it|him|her|them|over|out)\b|{_WE}(?:clear(?:ed|ing)?|cover(?:ed|ing)?|hand(?:ed|ing)? over|giv(?:e|en|ing) back|gave back|put through|return(?:ed|ing)?|send(?:ing)?|sent|mov(?:e|ed|ing)|releas(?:e|ed|ing)|transferr?(?:ed|ing)?|pay(?:ing)?|paid|settl(?:e|ed|ing)|deduct(?:ed|ing)?|tak(?:e|en|ing)|took|collect(?:ed|ing)?|withdr[ae]w(?:n)?|disburs(?:e|ed|ing)|remit(?:ted|ting)?|set up|cancel+(?:ed|ing)?|stop(?:ped)?|book(?:ed|ing)?|forward(?:ed|ing)?|approv(?:e|ed)|authori[sz](?:e|ed)|instruct(?:ed)?|initiat(?:e|ed)|trigger(?:ed)?) (?:the |your |our |his |her |their |all |half |both |that |this |last |first |second |a |an |you |out |over |back |back the )*(?:\w+ ){{0,2}}?{_SUM}\b(?: (?:back|to|from|on|by|via|for|today|yesterday|tonight|tomorrow|this|last|now|over|out|of|through|into|in|with|off|as|and|at|straight)\b|[.,!;]|$)",
            "Your expenses have been settled this morning.",
            "The expenses form is in the tray.",
        ),
        (
            "en.sum_asked",
            _M,
            rf"\b(?:please|pls|kindly|would you(?: mind| please| kindly)?|could you|can you|will you|may we ask you to|we(?:'d| would)? (?:kindly )?(?:ask|request|invite|need|want|like) (?:you )?(?:to|that you)|you (?:can|may|should|must|need to|have to)|we await|awaiting|we look forward to(?: receiving)?|remember to|let us have|let me have|mind|now|just|to be) ?(?:\w+ ){{0,3}}?(?:pay(?:ing)?|settl(?:e|ing)|transfer(?:ring)?|remit(?:ting|tance)?|wir(?:e|ing)|send(?:ing)? (?:us |me |over )?(?:the |your |our )*(?:outstanding |remaining |open |full )?(?:payment|balance|money|amount|deposit|sum|funds|cash|fee|rent|rest|difference)|clear(?:ing)?|deposit(?:ing)?|have|top(?:ping)? up|advanc(?:e|ing)|credit(?:ing)?|refund(?:ing)?|return(?:ing)?|mak(?:e|ing)|receiv(?:e|ing)) (?:us |me |over |in |off |out )?(?:the |your |our |a |an |any |this |that |half |full |all |outstanding |remaining |open )*(?:\w+ ){{0,2}}?{_SUM}\b(?: (?:of|to|into|by|via|for|through|with|today|tomorrow|now|on|before|in|as|so|within|at|from|using|over|straight|immediately)\b|[.,!?;]|$)|\b(?:the|our|a) (?:account|iban|bank details|payee|beneficiary) (?:is|are|remains?|stays?|to (?:use|pay|credit)|on|in|at) (?:the same|as|in|on|at|below|above|unchanged|here|with)\b|\b(?:from now on|as of (?:now|today|\w+)|in future|going forward|henceforth|please|for (?:this|the|all) (?:invoice|payments?|rent|instal+ments?))[^.?!]{{0,30}}\b(?:use|pay (?:in)?to|transfer to|credit|send (?:it |everything )?to) (?:the|our|this|my) (?:new |other |following |business )?(?:\w+ )?(?:account|iban|wallet|bank|paypal|card)\b|\bnew account (?:at|with|is|number)\b|\b(?:through|via|by|with|using) (?:paypal|wise|revolut|venmo|zelle|stripe|bank transfer|wire transfer|western union|klarna|alipay|wechat pay|apple pay|twint|bizum|ideal|sepa|direct debit|cash app)\b[^.?!]{{0,40}}(?:to (?:the|our|us|me|my)\b|[.,!?]|$)|\b(?:pay|transfer|send|settle|put|wire) (?:it|this|that|them|the rest|everything|yours) (?:straight |directly |over )?(?:to|into|on|via|through|by) (?:our|the|my|this|your)? ?(?:\w+ )?(?:account|card|bank|paypal|wire|transfer|iban|wallet)\b|\b(?:vouchers?|gift ?cards?|crypto|bitcoin|usdt|money orders?|postal orders?)\b[^.?!]{{0,60}}\b(?:bought|sent|on (?:its|their) way|buy|send|scratch|codes?|bring|get|purchase)\b",
            "Would you mind transferring the down payment today?",
            "Would you mind sending the payment form?",
        ),
        (
            "zh.sum",
            _M,
            r"(?:走|用|通过|改走|从|经)(?:\S{0,2}?)(?:网银|对公|对私|银行|支付宝|微信|云闪付|公户|现金|承兑|电汇|paypal|公司账|美金户)(?:\S{0,2}?)(?:转|付|走|打|汇|账|吧|了|支付|结|,|。|$)|(?:网银|对公转账|银企直联|电汇|汇款|付款|转账|退款|打款)(?:\S{0,3}?)(?:刚|已|提交|发起|成功|完成|回执|回单|凭证|水单|底单|截图)|(?:回单|水单|汇款凭证|付款凭证|转账凭证|底单)(?:\S{0,4}?)(?:附|发|见|请|在|给)|(?:把|将)(?:\S{0,8}?)(?:钱|款|费|金|租|薪|工资|奖金|尾款|货款|余额|房租)(?:\S{0,4}?)(?:划|转|付|打|汇|交|缴|退|结|还|补)(?:\S{0,2}?)(?:出去|给|到|了|过|清|掉|上|至|入|来)?|(?:替|帮|给|为|代|已)(?:您|你|贵司|公司|客户|他们)?(?:把)?(?:\S{0,6}?)(?:费|款|钱|租|税|金|罚单|账单)(?:\S{0,2}?)(?:交了|缴了|付了|垫了|结了|清了|退了|打了|转了|补了|还了)|(?:房租|租金|货款|工资|尾款|押金|定金|保证金|学费|奖金|稿费|佣金|提成|补贴|津贴|差额|余款|多付的|多收的|多出的?(?:\S{0,2})|费用|物业费|水电费|赔款|报销|奖学金|分红|预付款|服务费|运费|加工费|印刷费|设计费)(?:\S{0,8}?)(?:返还|退还|发放|下发|到账|入账|划转|划出|划到|打入|打到|打给|转入|转到|转给|汇入|汇到|汇给|付清|结清|补齐|补给|放款|转出|拨付|支付|返到|退到|退给|退您|走对公|走网银|打新|转新|付新)|(?:退款|退费|返款|赔款|货款|尾款)走(?:\S{0,3}?)(?:渠道|路|账|网银|对公)|(?:以后|今后|从(?:下个?月|现在|本月|今天)(?:起|开始)?)(?:\S{0,8}?)(?:打|转|付|汇|交|存)(?:到|至|给)?(?:\S{0,3}?)(?:新卡|新账|这张卡|这个账|这个户|公账|对公)|(?:旧|老|原)(?:卡|账户|账号|户头)(?:\S{0,3}?)(?:停用|作废|不用|注销)|(?:转|汇|打|付|存|交|缴)(?:到|至|入|进|给)(?:\S{0,8}?)(?:户头|账户|账号|帐户|帐号|户上|卡上|卡里|公户|名下)|(?:请|麻烦|烦请|劳烦|您|辛苦)(?:\S{0,10}?)(?:付|转|汇|打|交|缴|结)(?:一下|清|掉|过来|给我们|来)(?:\S{0,4}?)(?:款|钱|费|金|租|余|账|。|,|$)|(?:收款码|付款码|付款链接|支付链接|收款链接|账单链接|二维码)(?:\S{0,4}?)(?:发|给|在|见|附|扫)|(?:统一|今天|明天|马上|立即|已经?|周\S)(?:\S{0,2}?)(?:放款|打款|付款|发薪|拨款|汇出|退款)|(?:扣|刷|划)(?:了|掉)?(?:您|你)(?:\S{0,3}?)(?:卡|账户|余额|押金|信用卡)",
            "我们会计十分钟前把钱划出去了。",
            "请把费用表放到桌上。",
        ),
        (
            "en.build_out",
            _B,
            rf"\b{_SOFT}\b[^.?!]{{0,50}}?\b{_OUT}\b[^.?!]{{0,40}}?\b{_WORLD}\b|\b{_OUT}\b[^.?!]{{0,50}}?\b{_SOFT}\b[^.?!]{{0,40}}?\b{_WORLD}\b|\b{_OUT}\b[^.?!]{{0,40}}?\b(?:to|on|onto|in|into|from|via|by|over) (?:the |our |your |all |both )?{_WORLD}\b[^.?!]{{0,40}}\b(?:{_SOFT}|review|approval|now|today|tonight)\b|\b(?:npm|pypi|nuget|crate|gem|docker|maven|helm|pip|cargo|conda|composer|android|ios|wordpress|chrome|play store|app store|firmware|ota)\b(?: \w+){{0,4}}? (?:is |was |has been |are |were |now |just |already |being |and |got |gets )*(?:published|pushed|released|re-?released|re-?published|uploaded|deployed|yanked|retagged|tagged|submitted|rolled out|shipped|out|live|up)\b|\b(?:go ahead and |you can |now |please |just )(?:update|upgrade|npm install|pip install|pull (?:it|the image|latest)|bundle update)\b[^.?!]{{0,20}}$|\b(?:bundle|npm|pip|cargo|composer|docker|brew|helm) (?:update|install|pull|upgrade|add|require) (?:should|will|now|can|picks|sees|gets|works)\b|\bversion \d[\d.]*\w* (?:is |was |has been |went |goes |now |just )*(?:out|live|released|published|pushed|up|on|available|rolled out|in)\b|\bv?\d+\.\d+(?:\.\d+)? (?:is|went|has gone|just went) (?:now )?(?:out|live|up|released|published)\b",
            "NuGet package yanked and re-released with the corrected manifest.",
            "The package is out for delivery to the store.",
        ),
        (
            "en.build_ask",
            _B,
            rf"\b(?:i|we)(?:'ll| will|'m| am|'re| are|'ve| have)? (?:\w+ ){{0,2}}?(?:about to |going to |ready to )?(?:upload|push|publish|release|submit|deploy|roll out|ship|tag|re-?tag|promote|yank|cut|hand in|uploading|pushing|publishing|releasing|submitting|deploying|rolling out|shipping|tagging|uploaded|pushed|published|released|submitted|deployed|rolled|shipped|tagged|retagged|yanked|promoted|handed) (?:\S+ ){{0,6}}?(?:{_WORLD})\b|\b(?:shall|should|may|can) (?:i|we) (?:now )?(?:push|publish|upload|release|submit|deploy|roll out|ship) (?:\S+ ){{0,5}}?(?:{_SOFT}|{_WORLD})\b|\bpressing the button\b|\b(?:roll(?:ed|ing)?|push(?:ed|ing)?|send(?:ing)?|sent) (?:the |a |this |our )?(?:\w+ )?(?:fix|patch|update|firmware|hotfix|build|image) (?:out )?to (?:all|every|the (?:fleet|whole)|your|each)\b|\b(?:your|the|our) (?:plug-?in|app|theme|extension|add-?on|skill|integration|module)\b[^.?!]{{0,30}}\b(?:awaiting|in|under|pending|passed|submitted for|handed in for|out of) (?:review|approval)\b|\b(?:made|set|turned|flipped) (?:the )?(?:package|repo|repository|image|crate|library|model|dataset) public\b|\b(?:merge[ds]?|tag(?:ged)?)\b[^.?!]{{0,30}}\b(?:pipeline|ci|workflow|action)\b[^.?!]{{0,40}}\b(?:publish\w*|push\w*|releas\w*|upload\w*|deploy\w*|put)\b",
            "Shall I push the build to Google Play now?",
            "Shall I push the chair to the wall?",
        ),
        (
            "zh.build_out",
            _B,
            r"(?:插件|驱动包?|固件|韌體|镜像|鏡像|组件库?|安装包|软件包|热更新包?|热更包?|补丁|客户端|小游戏|小程序|app|apk|新版本?|版本|sdk|库|模型|主题|扩展|更新包?|升级包|驱动程序|安卓版|苹果版|ios版|鸿蒙版|桌面版|v?\d+\.\d+(?:\.\d+)?)(?:已经?|刚刚?|正在|今早|今晚|昨晚|都|也|全部|现在|马上)?(?:\S{0,6}?)(?:传到|上传到?|推给|推送|推到|推上|发到|发布|发佈|发了|上架|上线|提审|送审|过审|下发|放到|同步到|提交(?:到|各|给)?|灰度|全量|升级已经)(?:\S{0,6}?)(?:商店|市场|仓库|终端|设备|门店|用户|服务器|渠道|后台|平台|网点|机器|全部|所有|各大?|等审核|审核|npm|pypi|hub|maven|了|完|成功|\d)|(?:发|推|传|放|上)(?:布|佈|送|架|线|了|出)?(?:\S{0,4}?)(?:渠道|各大|应用)?(?:商店|应用市场|镜像仓库|制品库|插件市场|软件源|升级(?:服务器|伺服器)|更新(?:服务器|伺服器))|(?:组件库|sdk|代码库|插件|软件包|模块|框架)(?:\S{0,3}?)(?:刚|已|已经)?(?:发|出|推)(?:了|布)?(?:\S{0,1}?)v?\d+\.\d+|(?:固件|系统|软件|程序|驱动)(?:\S{0,4}?)(?:远程|在线|ota|自动)?(?:升级|更新|推送)(?:\S{0,4}?)(?:已经?开始|已启动|一起推|已推|下发|推给|全部推|推到)|(?:安装包|软件包|镜像|固件|插件|app|apk|客户端|sdk|新版本?)(?:\S{0,4}?)(?:传|推|发|放|挂)上去|(?:全部|所有)(?:\S{0,4}?)(?:门店|终端|设备|用户|机器)(?:\S{0,3}?)(?:一起|统一|同步)?(?:推|升级|下发)|(?:直接|可以|现在)?(?:npm|pip|docker|go|cargo|yarn|composer|brew)(?: ?)(?:install|pull|get|add|i |update)",
            "插件1.6已经传到商店了,等审核。",
            "背包已经放到前台了。",
        ),
        (
            "en.lock",
            _E,
            r"\b(?:two[- ]factor|2fa|mfa|second factor|two[- ]step(?: verification)?|multi[- ]factor|sso|single sign-?on)\b[^.?!]{0,40}\b(?:turned off|switched off|disabled|removed|reset|deactivated|bypassed|off for|enabled for|set up for|skipped|lifted)\b|\b(?:turned off|disabled|removed|reset|deactivated|bypassed|switched off|lifted) (?:the |your )?(?:two[- ]factor|2fa|mfa|second factor|two[- ]step|lock-?out)\b|\b(?:backup|recovery|one[- ]time|scratch|reserve) codes?\b[^.?!]{0,30}\b(?:are|is|below|follow|attached|here|:)|\b(?:your|the|a|her|his|an|new) (?:user|account|profile|access|log-?in|admin|guest user)s?\b[^.?!]{0,30}\b(?:has been|have been|was|is|are|were|been) (?:now |just )?(?:unlocked|reset|created|set up|activated|enabled|given admin|added as|re-?activated)\b|\b(?:get|log|sign|let (?:yourself|himself|herself)) in with (?:only |just )?(?:the|your|this|that|our) \w+\b|\b(?:access|secret|private|api|license|licence|product|activation|wi-?fi|ssh|encryption) ?keys?\b[^.?!]{0,40}\b(?:attached|below|in the (?:sheet|file|table|mail|attachment)|is|are|here|sent|follows?)\b",
            "Two-factor has been turned off for your user.",
            "Two-factor is a word from the course.",
        ),
        (
            "zh.lock",
            _E,
            r"(?:access ?key|accesskey|secret ?key|ak/?sk|app ?secret|app ?id|备用码|恢复码|救援码|激活码|授权密钥|登录码|取件码|登入碼|备用验证码|一次性密码|otp|谷歌验证|动态令牌|短信验证|免密|wifi密码|无线密码|(?:验证码|校验码|动态码)(?:\S{0,4}?)(?:收到|到了)|管理员密码|超级管理员)(?:\S{0,10}?)(?:如下|放|在|见|发|是|:|给|附|请|已|报|念|输|填|重置|关|写|\d)|(?:两步验证|兩步驗證|双重验证|双因素|二次验证|二步验证|mfa|2fa)(?:\S{0,8}?)(?:关|關|解除|取消|停用|重置|绕过|备用|備用|码|碼|去掉)|(?:您|你)的?(?:账号|帳號|账户|用户)(?:\S{0,4}?)(?:已|帮您|给您)(?:\S{0,2}?)(?:开通|解锁|重置|解冻|创建|建好|激活)",
            "兩步驗證的備用碼如下,請保管:8841-2207。",
            "备用零件在架上。",
        ),
        (
            "en.name_under",
            _S,
            r"\b(?:signatures?|initials|signed (?:page|pages|copy|copies)|company (?:seal|chop|stamp))\b[^.?!]{0,40}\b(?:has been|have been|was|were|is|are|now|been) (?:now |already |just |duly |also )*(?:added|placed|affixed|put|applied|inserted|obtained|given|collected|on (?:the|page|every|each|both)|under the|set under|complete|provided|attached|secured)\b|\b(?:added|put|set|placed|inserted|gave|given|applied|affixed|lent|need|want|require|get|have|obtained|awaiting|await|missing|collect) (?:the |our |your |his |her |my |a |their |both |all )*(?:\w+'s )?(?:\w+ )?(?:signatures?|initials|autograph|company seal|company stamp|company chop)\b[^.?!]{0,40}\b(?:to|on|under|at|below|of|by|for|here|before|page|both|and|in|next|from)\b",
            "Our managing director's signature has been added to the framework agreement.",
            "The signature field is empty.",
        ),
    )
)
