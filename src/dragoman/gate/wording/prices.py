"""Rules for `Topic.PRICES`: amounts of money, prices, rates, discounts, fees and quotes, English and Chinese.

Any amount of money with its currency is a price here, whoever would pay it. Words that are only sometimes about money
("rate", "charge", "cost", "quote", "块", "成本") count with the company they keep. Matched as `wording.rule` says.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from dragoman.gate.wording.rule import Rule, Weight
from dragoman.words import Topic

_P: Final = Topic.PRICES
_NUM: Final = r"\d[\d.,' ]*"
_SAID: Final = (
    r"(?:(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen|half)(?:[ -]|\b))+(?:and )?"
)
_CODES: Final = (
    r"(?:usd|eur|gbp|cny|rmb|jpy|chf|aud|cad|hkd|twd|ntd|sgd|inr|krw|sek|nok|dkk|pln|czk|brl|mxn|zar|aed|usdt)"
)
_COINS: Final = (
    r"(?:dollars?|euros?|pounds? (?:sterling|per|each|an?|net|off|total|for)|quid|bucks?|yuan|renminbi|yen|rupees?"
    r"|francs?|cents?|pence|grand|kronor|kroner|zloty)"
)
_PER: Final = (
    r"(?:unit|piece|pcs?|item|hour|hr|h|day|week|month|year|annum|night|person|head|seat|user|licen[cs]e|kg|kilo|lb|tonn?e?"
    r"|km|mile|pallet|box|carton|container|order|word|page|sheet|m2|sq ?m|sqm|metre|meter|litre|liter|delivery|visit|call)"
)
_ZH_NUM: Final = r"(?:\d[\d.,]*|[零〇一二两三四五六七八九十百千万亿几]+)"
_ZH_PER: Final = (
    r"(?:小时|钟头|人天|人日|天|日|周|月|年|件|个|台|套|吨|公斤|千克|kg|平米|平方|立方|次|单|箱|柜|托|瓶|人|晚)"
)
_SURE: Final = frozenset({"any.symbol", "any.code", "en.coins", "en.coins_said", "zh.amount", "zh.kuai"})

PRICES: Final[tuple[Rule[Topic], ...]] = tuple(
    Rule(id, _P, id.partition(".")[0], pattern, hit, miss, Weight.SURE if id in _SURE else Weight.WORD)
    for id, pattern, hit, miss in (
        (
            "any.symbol",
            r"[$€£¥₹₩₽₺₫฿₪₴₦₱]\s?\d|\d\s?[k]?\s?[€£¥₹₩₽₺₫฿₪₴₦₱]|\d\s?\$",
            "It comes to €1,200.",
            "It comes to 1,200 parts.",
        ),
        (
            "any.code",
            rf"\b{_CODES}\s?\d|\d\s?(?:k|m|mn|bn|million|thousand)?\s?{_CODES}\b",
            "That is EUR 1200.",
            "The file is eur_1200.csv, EUR pallets.",
        ),
        (
            "en.coins",
            rf"(?:\d|\d ?(?:k|m|bn|hundred|thousand|million))\s?-?{_COINS}\b",
            "It is 40 dollars.",
            "It weighs 40 pounds and has 4 centres.",
        ),
        ("en.coins_said", rf"\b{_SAID}{_COINS}\b", "It is forty-two euros.", "Forty two boxes for Eurostar."),
        (
            "en.price",
            r"\b(?:re|over|under|mis|un)?-?pric(?:e|es|ed|ing|elists?)\b|\b(?:rrp|msrp)\b",
            "Our price list follows.",
            "The help was priceless.",
        ),
        (
            "en.rate_kind",
            r"\b(?:hourly|daily|weekly|monthly|annual|yearly|flat|fixed|our|your|my|their|his|her|these|special|preferential|competitive|discounted|reduced|best|agency|freight|shipping|courier|tax|vat|exchange|interest|commission|billing|labou?r|overtime|spot|market|day|night|nightly|room|going|hourly or daily|introductory|wholesale|trade|bulk) rates?\b",
            "Our rate has not changed.",
            "The frame rate and the error rate are fine.",
        ),
        (
            "en.rate_said",
            r"\brates? (?:cards?|sheets?|on request|start|starts|apply|applies|are (?:negotiable|fixed|the same|as follows)|from \d|per|for (?:the|this|that|a|your) (?:work|job|project|service|batch|shift))\b|\bthe rates?(?: is| are|[.,!?;])",
            "The rate card is attached.",
            "The rate of descent and the heart rate were logged.",
        ),
        (
            "en.rate_number",
            r"\brates? (?:is|of|would be|will be|=|:) ?(?:about |around |only |just )?\d[\d.,]*(?: ?%| ?/| ?per| ?an?\b|[.!]?$)",
            "The rate is 40 per hour.",
            "The sampling rate is 44 kHz.",
        ),
        (
            "en.discount",
            r"\b(?:a|an|the|any|no|your|our|my|this|that|further|extra|volume|bulk|early|trade|loyalty|seasonal|small|big|bigger|better|larger|special|same|percent|quantity|staff|student|\d+ ?%) discounts?\b|\bdiscounts? (?:of|for|on|codes?|appl|is|are|rates?|tiers?|available|off|from)|\bdiscounted\b|\bdiscounts\b",
            "We can give a discount.",
            "I would not discount the possibility of rain.",
        ),
        (
            "en.reduction",
            r"\b(?:rebates?|mark-?ups?|mark-?downs?|surcharges?|cash-?back|half[- ]price|lump sums?|down payments?|kickbacks?)\b",
            "A surcharge applies on Sundays.",
            "The markings on the lumps are downward.",
        ),
        (
            "en.percent_off",
            r"(?:\d ?%|\bper ?cent) (?:off|less|cheaper|more expensive|lower|commission|margin|deposit|up ?front|in advance|vat|tax|duty|increase in (?:cost|price)|interest)|\b(?:save|saving|take|knock) (?:you )?(?:up to |another )?\d+ ?%",
            "You get 10% off.",
            "The tank is 10% full, 5% more than before.",
        ),
        (
            "en.cost_number",
            r"\bcosts? (?:you |us |them )?(?:about |around |only |just |up to |roughly |approximately |some )?(?:\d[\d.,]*(?: ?(?:k|per|an?|each|for|in total|plus|[.!;]|$)))|\bcost(?:s|ing)? (?:you |us )?(?:nothing|extra|less|more|the same|too much|a lot|per|is|are|of|will|would be|price|estimate|breakdown|saving)",
            "It costs 40 per unit.",
            "The cost centre is 4410; it cost us two days.",
        ),
        (
            "en.cost_kind",
            r"\b(?:total|unit|extra|additional|shipping|freight|delivery|landed|labou?r|overall|no|low|lower|lowest|higher|production|tooling|setup|set-up|our|your|transport|storage|material|installation|travel|running|replacement|added|actual) costs?\b|\bwhat(?:'s| is| are| will| would)? (?:it|the|they|this|that) costs?\b|\bat cost\b",
            "There is no cost for this.",
            "Stay on schedule at all costs.",
        ),
        (
            "en.how_much",
            r"\bhow much (?:is (?:it|this|that|the)|are (?:they|these|the)|does (?:it|this|that)|do (?:they|you (?:charge|pay|ask))|would (?:it|you pay|that)|will (?:it|this|that)|(?:it|they|that) (?:costs?|is))",
            "How much is it for ten?",
            "How much time do you need?",
        ),
        (
            "en.charge_verb",
            r"\b(?:we|they|i|you|will|to|would|not|don't|do|he|who) (?:also |only |usually |never )?charge (?:you|them|us|for|extra|by the|per|an?|\d|nothing|less|more|separately|the same)\b|\bcharg(?:ed|ing|eable) (?:you |us )?(?:at|per|by the|extra|separately|for (?:the|each|every|any))\b",
            "We charge per visit.",
            "Please charge the scanner overnight.",
        ),
        (
            "en.charge_noun",
            r"\b(?:free of|no|no extra|no additional|without|at no|extra|additional|delivery|shipping|handling|service|set-?up|cancellation|storage|minimum|base|one-?off|monthly|small) charges?\b",
            "Delivery is free of charge.",
            "Jordan is in charge of the dock.",
        ),
        (
            "en.fee",
            r"\b(?:fees?|tariffs?|royalt(?:y|ies)|retainer|stipend|honorarium|remuneration|wages?|salar(?:y|ies))\b",
            "A small fee applies.",
            "Thank you for the feedback, feel free.",
        ),
        (
            "en.deposit",
            r"\b(?:deposit (?:of|is|was|will|due|required|payment|back)\b|(?:refundable|security|initial) deposit\b|(?:the|your|a|no) deposit(?:[.,!?;]| (?:by|today|now|first|to)\b|$))|\b(?:balance|amount|sum|total) (?:is )?(?:due|payable|owed|outstanding)\b|\boutstanding (?:balance|amount)\b",
            "The deposit is refundable.",
            "Please deposit the boxes at gate 4.",
        ),
        (
            "en.quote_noun",
            r"\bquotations?\b|\b(?:our|your|my|updated|revised|formal|written|firm|attached|price|send|sent|request|requested|get|need|prepare|draft|final|binding|free|detailed) (?:a |the |you a |us a |me a |you the |you our )?quotes?\b",
            "We will send you a quote.",
            "The quote from the manual is on page 4.",
        ),
        (
            "en.quote_verb",
            r"\b(?:to|can|could|will|would|we|i|they|have|was|were|is|are) (?:\w+ )?quoted? (?:you|us|them|at|for|on|a |\d)|\bquoted? (?:price|amount|figure|at)",
            "We can quote you for fifty.",
            "Please quote the order number on the box.",
        ),
        (
            "en.per_unit",
            rf"\b(?:\d[\d.,]*|{_SAID}) ?k? ?(?:/ ?|per |each )(?:{_PER})\b|\b(?:\d[\d.,]*|(?:{_SAID})?(?:ty|teen|hundred|thousand|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:[ -]\w+)?) ?k? ?an? (?:{_PER})\b|\b\d+[.,]\d\d (?:each|apiece|all[- ]in|net)\b|\b(?:at|for|only|just) \d[\d.,]* (?:each|apiece)\b",
            "We can do 12.50 per unit.",
            "The line packs 40 boxes per hour.",
        ),
        (
            "en.per_words",
            r"\b(?:price|pay|paid|paying|bill|billed|billing|invoiced|cost|rate|value)s? (?:\w+ ){0,2}(?:per|by the) (?:unit|piece|hour|day|item|kg|month|seat|user|head|word)\b|\bper[- ](?:unit|hour|piece|seat|item|day) (?:price|pricing|cost|rate|fee|charge|basis)",
            "It is billed by the hour.",
            "One test per unit, two checks per hour.",
        ),
        (
            "en.cheap",
            r"\b(?:cheap|cheaper|cheapest|expensive|inexpensive|affordable|pricey|bargain|undercut|ballpark|counter-?offers?|best offer|final offer|special offer|last offer|lowest offer|good deal|better deal|best deal|good value|value for money|money back)\b|\bon the house\b|\bfor free\b|\bfree (?:shipping|delivery|samples?|trial|returns|installation|of cost)\b|\bat no cost\b|\bcomplimentary\b",
            "It would be cheaper by sea.",
            "Feel free to call; the dock is free.",
        ),
        (
            "en.for_nothing",
            r"\bthrow(?:n|ing)? in (?:an?|the|some|another|two|extra)\b|(?:\bis|\bare|'s) on us\b|\bfor nothing\b|\b(?:tenner|fiver)s?\b|\bfor the lot\b|\bapiece\b",
            "The second one is on us.",
            "The rest of the lot is on the usual shelf; throw nothing in the bin.",
        ),
        (
            "en.pay",
            r"\b(?:you|we|they|i|would|will|to|can|must|clients?|customers?) (?:only |also |just )?pay(?:s)? (?:us |you |them )?(?:about |around |only |just )?(?:\d|half|less|more|nothing|per|extra|the same amount|for )|\bpaid \d|\bworth (?:about |around )?\d[\d.,]*k?\b|\bvalued at\b|\b(?:pay|offer|do|accept|take|go (?:down |up )?to|settle for|come (?:down|up) to|meet you at|agree on) (?:you |it |them )?(?:for )?\d+(?:\.\d+)?k\b|\b\d+(?:\.\d+)?k (?:for|per|all[- ]in|net|plus|a (?:month|year|day))",
            "You pay half up front.",
            "Please pay attention to the 12k label.",
        ),
        (
            "en.budget",
            r"\bbudgets? (?:of|is|for|up to|limit|cap|ceiling|range|allows?)\b|\b(?:your|our|the|my|their|within|over|under|on|any) budgets?\b|\b(?:profit|gross|net|our|your) margins?\b|\bcommissions? (?:of|is|on|rate)\b|\bturnover of\b",
            "What is your budget?",
            "The margin of the page is 4 mm; commissioning is done.",
        ),
        (
            "en.tax",
            r"\b(?:excl?\.?|incl?\.?|plus|ex|net of|before|after|excluding|including|without|inclusive of|exclusive of|subject to|no) (?:of )?(?:vat|tax|taxes|gst|sales tax|duty|duties)\b|\b(?:vat|gst) (?:is|of|at|rate|included|excluded|applies)\b",
            "All plus VAT.",
            "The taxi left after the duty nurse.",
        ),
        (
            "zh.amount",
            rf"{_ZH_NUM}\s?(?:多|来)?\s?(?:k|百|千|万|亿|百万|千万)?\s?(?:块钱|圓|円|人民币|美元|美金|美刀|欧元|歐元|英镑|日元|港币|港元|台币|卢布|韩元|加元|澳元|法郎|角钱|毛钱|分钱)|(?:\d|[零一二两三四五六七八九十百千万亿])(?:k|多)?\s?元(?:[^旦锂件器素组月宵数]|$)",
            "一共是1200元。",
            "请备好40元件和2026元旦的排班。",
        ),
        (
            "zh.kuai",
            rf"\d\s?(?:多)?块(?:[,。.;!?、/]|$|一|每|左右|起|吧|呢|的价)|{_ZH_NUM}块[一二三四五六七八九\d]",
            "这个40块一个。",
            "还有40块板子。",
        ),
        (
            "zh.price",
            r"[报報单單售定出开開底原现現特惠发發厂場场均总總议議还還讲講砍压漲涨降调調差比竞競标標加税本运運进進卖賣买買高低半全净折市批租房票成][价價](?:[^值]|$)|[价價](?:格|位|目|钱|錢|码|碼|差|款|单|多少|是\d|\d)|(?:个|什么|啥|好|问|谈|的)[价價](?:[^值]|$)|性价比",
            "我们的报价随后发您。",
            "这条评价对高价值客户很有价值。",
        ),
        (
            "zh.discount",
            r"折扣|打折|折后|\d\s?折(?:[^叠页弯痕断]|$)|(?:^|[^波])[一二三四五六七八九](?:[一二三四五六七八九])?折(?:[^叠页弯痕断]|$)|优惠|優惠|减免|满减|返利|返点|返现|回扣|让利|讓利|便宜|划算|实惠|促销|抹零|立减|打个折|让点|让步空间",
            "可以给您九五折。",
            "请把三折页折叠好，进度一波三折页。",
        ),
        (
            "zh.free",
            r"免费|免費|包邮|包郵|免运|白送|赠送|贈送|不收钱|不要钱|不花钱|不另收|另收|加收|收取|倒贴",
            "样品免费寄给您。",
            "收货后请取走空托盘。",
        ),
        (
            "zh.fee",
            r"(?:[费費](?:用|率)|[用运運务務续續装裝工储儲旅月年会會管理杂雜流具样樣作交收付缴退计計邮郵税律师詢询训訓修护護检檢测測试試证證押件电水租车時时料程])[费費](?:[^心力解劲时神事]|$)|费用|費用|汇率|匯率|税率|利率|租金|佣金|押金|定金|订金|保证金|首付|尾款|货款|預付|预付|余款|酬劳|报酬|薪资|工资|时薪|日薪|月薪|年薪|稿酬|利润|毛利",
            "运费由我们承担。",
            "请消费者不要浪费时间，这事费心了，效率很高。",
        ),
        (
            "zh.cost",
            r"(?:[总总單单低高降制工料人用运費生产采购])成本|成本(?:价|是|为|约|大约|在|较|更|上|下|太|很|不|:|\d)|造价|造價|多少钱|多少錢|几块钱|几个钱|多少元|要多少米|花多少|花费",
            "这批货成本太高。",
            "成本中心代码是4410。",
        ),
        (
            "zh.per_unit",
            rf"\d[\d,.]*\s?(?:元|块|刀)?\s?/\s?{_ZH_PER}|\d[\d,.]*\s?(?:元|块|刀)?\s?(?:一|每){_ZH_PER}(?:[,。.;!?、](?:\D|$)|$|左右|起|算)|(?:每|一){_ZH_PER}\s?(?:只要|仅需|只收|收您|收你|收|按|算|约|大约|大概|是)?\s?\d[\d,.]*(?:[,。.;!?、](?:\D|$)|$|起|左右|元|块)|按(?:小时|天|件|次|人天|吨|公斤|月)(?:计费|收费|算钱|结算|计价)",
            "我们按800/天结算。",
            "每天40箱，每小时检查2次。",
        ),
        (
            "zh.ask",
            r"(?:收|付|给|出|要|便)(?:您|你|我们|他们)\s?(?:的)?\s?\d[\d,.]*(?:[,。.;!?、](?:\D|$)|$)|(?:预算|開價|要价)(?:是|为|在|大约|大概|约|内|有|多少|不超过|控制|范围|呢|吗|[,。?])|(?:您|你|你们|贵方|我们|我方)的预算|(?:太|更|很|不|偏|有点|比较|挺|真)[贵貴](?:[^公司方]|$)|[贵貴](?:了|一点|很多|不少|多少)",
            "您的预算是多少？",
            "贵公司的宝贵意见已收到。",
        ),
        (
            "zh.tax",
            r"(?:含|不含|未|税|稅|加)[税稅](?:[^务]|$)|[税稅](?:前|后|後|点|點|款|额|額|金)|关税|增值税|开票点",
            "以上不含税。",
            "请到税务局领表。",
        ),
        (
            "zh.spend",
            r"(?:付款|支付|打款|转账|汇款|收款)\s?(?:金额|\d)|金额(?:是|为|共|约|合计|:|\d|多少)|(?:总计|合计|共计|共)\s?[¥\d][\d,.]*\s?(?:元|块|万(?:[,。]|$))|(?:预付|支付|付)\s?(?:百分之|\d+ ?%)|(?:百分之|\d+ ?%)\s?(?:的)?(?:预付|首付|定金|订金|货款|尾款|提成|佣金|利润|优惠)",
            "合计金额为三万。",
            "合计40箱，已付运。",
        ),
    )
)
