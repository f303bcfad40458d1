"""Rules for `HardStop.CROSS_COUNTERPARTY_DISCLOSURE` by meaning: what one outsider hears about another one's dealings.

Three tells: the third party is called one (`another customer`, 同行), is said to deal with us (`asked us`, `with us`, 找我们)
or is brought in as gossip (`between you and me`, 私下说). Names alone tell nothing; protected terms are the leak check's.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from dragoman.gate.wording.rule import Rule
from dragoman.words import HardStop

_X: Final = HardStop.CROSS_COUNTERPARTY_DISCLOSURE
_WHO: Final = r"(?:clients?|customers?|buyers?|suppliers?|vendors?|bidders?|partners?|part(?:y|ies)|compan(?:y|ies)|firms?|hotels?|clinics?|hospitals?|printers?|mills?|carriers?|agenc(?:y|ies)|publishers?|distributors?|dealers?|shops?|restaurants?|manufacturers?|factor(?:y|ies)|importers?|exporters?|retailers?|wholesalers?|accounts?|tenants?|applicants?|candidates?|practices?|labs?|labs|brands?|chains?|caterers?|breweries|brewery|schools?|universit(?:y|ies)|plants?|workshops?|competitors?|rivals?|players?|outfits?|guests?|logistics companies|forwarders?|translators?|contractors?|subcontractors?|studios?|guys|people|lot)"
_DEAL: Final = r"(?:pays?|paid|paying|gets?|got|getting|ha[sd]|have|having|ordered|orders?|ordering|bought|buys|buying|offered|offers|offering|agreed|signed|told|asked|asks|asking|wanted|wants|charges?|charged|quoted|quotes?|accepted|received|use[sd]?|using|said|says|booked|turned (?:in|down)|cancelled|canceled|complained|complains|switched|dropped|dropping|negotiat\w+|haggl\w+|owes?|submitted|bid|bidding|went|came in|came|took|takes|taking|switched|runs?|ran|needed|needs|returned|rejected|placed|sends?|sent|chose|chosen|is (?:also|paying|getting|buying|interested|late|behind|unhappy|dropping|moving|leaving|looking|struggling|testing|trying|on)|are (?:also|paying|getting|buying|interested|late|behind|unhappy|dropping|moving|leaving|looking|struggling|testing|trying|on)|was|were|settled|renewed|failed|lost|won|made|did|do|does)"

OUTSIDERS: Final[tuple[Rule[HardStop], ...]] = tuple(
    Rule(id, _X, id[:2], pattern, hit, miss)
    for id, pattern, hit, miss in (
        (
            "en.another",
            rf"\b(?:another|the other|our other|an other|one other|a different|a second|two other|three other|some other|several other|most (?:of our )?(?:other )?|other|two|three|a few|a couple of|several|one|one of our|a|an) (?:\w+[- ]){{0,3}}?(?:of (?:our|the|your) )?{_WHO}(?: of (?:ours|yours|theirs|mine)| we (?:work with|supply|serve|have)| (?:in|from|near|at|down) \w+(?: \w+){{0,2}}?| like (?:you|yours))?,? (?:who |which |that )?(?:also |just |recently |already |even |only |usually |once |still |really |actually )*{_DEAL}\b[^.?!]*\b(?:us|ours?|same|more|less|better|worse|offers?|quotes?|prices?|rates?|terms|orders?|too|as well|last (?:week|month|year)|discount|deal|contract|that (?:slot|batch|quantity|date)|first|lower|higher|twice|double|problems?|weakest|cheapest|half|\d+|refund|complain\w*|exactly this|competitors?)\b",
            "Two other printers have turned in their offers.",
            "Another colleague has the key, the other gate is open.",
        ),
        (
            "en.our_other",
            rf"\b(?:our other|another of our|one of our(?: other)?|some of our(?: other)?) (?:\w+ )?{_WHO}\b[^.?!]{{0,30}}\b{_DEAL}\b",
            "Our other tenant, the dentist, is moving out.",
            "Our other hotel is in Kent; our other gate is open.",
        ),
        (
            "en.rival",
            rf"\b(?:your|their|his|her|its|the|a|our (?:client|customer)'s) (?:\w+ )?(?:competitors?|competition|rivals?|archrivals?|opponents?)\b(?:,? \w+,?| (?:in|from|at|across|on) \w+(?: \w+){{0,2}}?| [a-z]+ [a-z]+)? ?(?:who |which )?(?:\w+ )?{_DEAL}\b|\b(?:same|better|lower|higher|worse|as much|what|how much|more|less|like) (?:\w+ ){{0,4}}?(?:as|than|that|to|what) (?:\w+ ){{0,3}}?(?:other|another|rest of our|next best|rival) (?:\w+ )?{_WHO}\b|\bcompetitors? of (?:yours|theirs)\b|\bfrom (?:one of )?(?:your|the) (?:\w+ )?competitors?\b[^.?!]{{0,40}}\b(?:order|offer|quote|price|asked|request|received|got)|\bcompeting (?:offer|bid|quote)s?\b[^.?!]{{0,40}}\b(?:was|is|from|came|at|of|lower|higher)|\b(?:the )?(?:cheapest|lowest|highest|best|weakest|second|runner-up) (?:bid|offer|bidder|quote|tender)\b[^.?!]{{0,50}}\b(?:from|by|came|was|is|at|belongs)",
            "Your competitor Delmar has asked us for this.",
            "Your rivalry is the talk of the fair.",
        ),
        (
            "en.our_service",
            rf"\b(?:the|that|this|a|an|one|some) (?:\w+ )?{_WHO}\b(?: \w+){{0,6}}? (?:uses?|used|books?|booked|orders?|ordered|buys?|bought|rents?|rented|gets?|takes?|took|pays?|paid|hires?|hired|runs?|signed|cancelled|returned|prefers?|trusts?|switched|moved|renewed|sends?)(?: up)? (?:\w+ ){{0,3}}?(?:us|ours?|from us|with us|through us|to us)\b",
            "The clinic across the street uses our night service.",
            "The clinic is across the street from the depot.",
        ),
        (
            "en.neighbour",
            r"\b(?:next to yours?|(?:hotel|shop|restaurant|clinic|bakery|firm|company|school|store|bar|gym|salon|farm|office|practice|workshop|plant) opposite|next door(?: to you)?|across the (?:street|road|river|square) from you|in your (?:district|area|town|street|village|sector|field|region|industry|line of business|neighbou?rhood|city|road|building|trade|market)|down the road|down your (?:road|street)|up the road|round the corner(?: from you)?|similar to yours|like yours|same (?:size|trade|business|branch) as (?:you|yours))\b[^.?!]{0,40}\b(?:gets?|got|uses?|used|orders?|ordered|buys?|bought|pays?|paid|chose|chosen|took|takes|asked|wanted|wants|signed|switched|rents?|booked|cancelled|complained|went (?:with|for)|picked|opted|decided|is (?:also|paying|getting|one of our))\b|\b(?:is|are|was|were|has been|have been|been|fell|fallen) (?:\w+ ){0,3}?(?:behind|late|in arrears|overdue|in default|short) (?:\w+ ){0,3}?(?:payments?|rent|bills?|invoices?|instal+ments?|paying|deliver\w+|order)(?: (?:to|with|from|for) us)?\b|\b(?:told|offered|gave|quoted|charged|sold|said|did|do|suggested|wrote|promised|granted|made|allowed|have|had) (?:exactly )?the (?:very )?same (?:\w+ )?(?:problems? |issues? |thing |trouble )?(?:to|for|with|at) [a-z][a-z& .-]{1,30}?,? (?:when|who|they|last|and|a few|as|because|in|[a-z]+ years?)\b|\b(?:the )?(?:rival|competing|other|next|second|lowest|highest|best) (?:bid|offer|tender|quote|proposal)s?\b[^.?!]{0,40}\b(?:was|is|were|came|sits?|stands?|lies?|comes)\b[^.?!]{0,40}\b(?:yours?|below|above|lower|higher|cheaper|at|under|over|better|hair)\b",
            "Another school in your district has chosen the blue uniforms.",
            "The road in your district is closed.",
        ),
        (
            "en.with_us",
            r"\b(?:they|he|she|[a-z]{3,}|[a-z]+'s (?:buyer|team|people|manager|purchasing|owner|boss)|the (?:\w+ )?(?:buyer|team|people|guys|manager|folks|owner|purchasing \w+) (?:at|from|of|over at) (?:\w+ ?){1,3})(?: \w+)? (?:cancell?ed|placed|signed|doubled|halved|renewed|cut|extended|moved|ended|terminated|postponed|reduced|increased|pulled|withdrew|stopped|paused|has|have) (?:\w+ ){0,2}?(?:their|his|her|its|the whole|a) (?:\w+ ){0,3}?(?:orders?|contract|deal|account|subscription|booking|volume|business|project|cooperation|agreement|dispute|trouble|problems?|debts?|bills?|invoices?) (?:\w+ )?(?:with|from|at|to) us\b|\b(?:told|asked|informed|confided (?:in|to)|admitted to|wrote to|complained to|mentioned to|let slip to|owes?|paid|pays|offered|quoted|charges?|begged|approached|promised|sent|gave|showed|is pressing|is suing|sued|left|ditched|dropped|warned) us (?:\w+ ){0,3}?(?:that (?:they|he|she|their|it)|they(?:'re| are|'ve|'d)|for (?:the same|exactly|a |this|their|\d)|(?:\d|half|twice|double|more|less|late|months?|their|the same|a lower|a higher))\b|\b(?:we|i)(?:'ve| have)? (?:\w+ )?(?:did|done|made|sold|supplied|built|delivered|shipped|ran|handled|finished|set up|quoted|printed|translated|installed|gave|give|sell|supply|deliver|charge|produced|produce|make|offered) (?:\S+ ){1,8}?(?:for|to|at|with) (?:[a-z]+ ){1,3}?[^.?!]{0,10}?\b(?:,|and|-|but)? ?(?:they|he|she|their|who) (?:\w+ )?(?:were|was|had|have|has|paid|pay|are|is|got|wanted|took|needed|complained|loved|order\w*|struggled|bought)\b",
            "fyi Kessler just cancelled their whole order with us.",
            "He left us a note; we did the test for you.",
        ),
        (
            "en.gossip",
            r"\b(?:between (?:us|you and me|ourselves)|off the record|don't tell (?:anyone|them|him|her)|you didn't hear (?:it|this) from (?:me|us)|keep (?:it|this) (?:to yourself|between us|under your hat)|strictly between|a little bird|not supposed to (?:tell|say|share)|shouldn't (?:really )?(?:be telling|tell|say|share) (?:you )?(?:this|that|it)?|confidentially|in confidence|rumou?r has it|i heard from|word is)\b[^.?!]{0,120}\b(?:they|them|their|bidders?|clients?|customers?|buyers?|suppliers?|competitors?|he|she|company|other|offer|paid|pays?|order|contract)\b|\b(?:told|forwarded|passed|sent|showed|shared|gave|mentioned|showing|sharing|forwarding) (?:\S+ ){0,4}?(?:your|their|his|her|the other|another|[a-z]+'s) (?:\w+ ){0,3}?(?:price|offer|quote|terms|order|bid|contract|drawings?|figures?|proposal|draft|text|manuscript|samples?|layout|ideas?|photos?|plans?|specs?|file|list|invoice|numbers|recipe|design|report)s? (?:\w+ )?(?:to|with) (?:the |another |a |your |our |their )?(?:\w+ )?(?:supplier|competitor|bidder|client|customer|buyer|vendor|company|party|agency|firm|printer|shop|studio|workshop|carrier|them)|\b(?:here(?:'s| is| are)|attached (?:is|are)|find|see|look at) (?:\w+ )?(?:what|the|how)? ?(?:\w+ )?(?:the other|another|our other|your competitor|their|a competing|a rival) (?:\w+ )?(?:bidder|supplier|client|customer|buyer|vendor|offer|quote|bid|contract|order|price)",
            "Between us, the other bidder is desperate.",
            "Between us and the gate stands a truck.",
        ),
        (
            "zh.another",
            r"(?:另一|另外一|别|上一|下一|那|隔壁|其他几|前一)家(?:\S{0,5}?)(?:报|出价|给的|投标|要价|说|开价|开的|拿|订|中标)|(?:另一(?:个|家|位)|另外一?(?:个|家|位)|另有|还有|那家做|那家的|那个|这家|南方|北方|有(?:个|家|一家|一个|位)|有个做\S{1,6}|上(?:个|一家|一个)|别的|其他|其它|其余|隔壁|同行|同行业|同城|某|同类|(?:别|上|下)家|好几家|几家|两家|三家|一家(?:做)?\S{0,4}|我们(?:的)?(?:一|老|大|另|其他)\S{0,2}|老)(?:\S{0,8}?)(?:客户|客戶|客人|供应商|買家|买家|卖家|公司|工厂|厂家|厂商|品牌|医院|诊所|酒店|餐厅|出版社|书店|印厂|学校|机构|物流|货代|门店|商家|同行|厂|店|投标方|竞标方|代理)(?:\S{0,14}?)(?:付|给|拿|订|下单|下了|买|出价|报|签|同意|说|要求|要了|要的|收|用|欠|退|投诉|换|找|加印|加单|抢|占|取消|催|做了|谈|也是|跟您|比您|问|签了|走|改|一样|便宜|中标|嫌|转到|投奔|拿下|出了|提了|交|定了|做过|合作)|(?:您|你|你们|贵司|贵公司|贵方)的?(?:竞争对手|競爭對手|对手|對手|同行|死对头|友商|隔壁)(?:\S{0,20})(?:付|给|拿|订|下单|买|出价|报|签|同意|说|问|找|要|用|换|上|做|价|也|降|投|搞|抢|约)",
            "有个做咖啡的客户跟您情况一样,他们要求我们改配方。",
            "另一个司机在门口,其他颜色没有。",
        ),
        (
            "zh.with_us",
            r"(?:一直|也|都|上(?:周|个?月|礼拜)|去年|今年|刚|刚刚|最近|昨天|前天|前几天|常年|正)(?:\S{0,6}?)(?:用|拿|找|在|跟|向|从|问|催|欠|退|投诉|订|买|签|换|付)(?:了)?我(?:们|司|方|家|厂|这)|(?:找|跟|向|给|问|欠|从|在)我(?:们|司|方|家|这边|厂)(?:\S{0,4}?)(?:要|订|拿|买|下|付|签|谈|投诉|报|问|提|退|反映|采购|压价|砍价|合作|换|定|借|做)(?:了|过|的|走|价|货|单|同样|一样|也)|(?:他们|他家|她们|对方|人家|那边|那家|这家)(?:\S{0,10}?)(?:付的|付了|才付|拿的|要的|签的|报的|给的|订的|订了|下了|采购|拖|欠|嫌|换了|在找|正在找|打样|取消|砍|压价|退了|中标|出价|报价|拿了|谈)|(?:去年|今年|上月|上个月|上周|上礼拜|每年|每月|前年|一年)(?:\S{0,6}?)(?:拿|采购|订|进|要|买)了?(?:\S{0,6}?)(?:吨|件|台|套|万|箱|册|柜|批|单)|(?:那边|那家|他们|人家)(?:也|都)(?:卡|遇到|出|碰到|在)",
            "华源化工一直用我们这个,去年拿了三百多吨。",
            "请找我们的司机,他一直在门口。",
        ),
        (
            "zh.gossip",
            r"(?:私下|悄悄|偷偷|跟您透|给您透|透个(?:底|风|信)|透露一?下|不瞒您说|别(?:外传|往外说|说出去|告诉别人|传)|您知道就行|就咱俩|咱俩(?:关系|私下|说)|关系好我才|内部消息|跟您说个事|告诉您(?:个|一个)|您别跟|听说)(?:\S{0,40}?)(?:客户|同行|对手|供应商|公司|他们|采购|别家|人家|那边|那家|家的|厂|出价|报价|订|付|嫌|贵司|拿|签|家)|(?:把|将)(?:\S{0,8}?)(?:报价|方案|图纸|合同|配方|订单|数据|资料)(?:\S{0,6}?)(?:给了|发给|转给|透露给|告诉)(?:\S{0,6}?)(?:别家|另一|其他|对手|同行|竞|友商|您的)|(?:给|发)您(?:看看|参考)(?:\S{0,6}?)(?:别家|另一家|其他客户|同行|他们)(?:的)?(?:报价|方案|合同|订单|图纸|价)",
            "咱俩关系好我才讲,瑞丰的采购一直嫌贵司交货慢。",
            "听说您感冒了,请多休息。",
        ),
    )
)
