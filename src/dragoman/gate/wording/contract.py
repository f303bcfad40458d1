"""Rules for `Topic.CONTRACT_LANGUAGE` by meaning: the words of clauses, whoever the parties are, and their negotiation.

What only a contract says (`either party`, `consequential loss`, 不可抗力) marks as an act; the bare names of papers and
parts (`contract`, `terms`) stand in `wording.words` and are words that a sentence excuses.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from dragoman.gate.wording.rule import Rule
from dragoman.words import Topic

_K: Final = Topic.CONTRACT_LANGUAGE
_PARTY: Final = r"(?:either|each|neither|both|the (?:other|disclosing|receiving|defaulting|non-defaulting)|one|any|no) (?:part(?:y|ies)|sides?)|(?:either|neither|both) of us|(?:either|neither|each) (?:company|firm|of the (?:two|parties|companies))|the (?:supplier|customer|buyer|seller|purchaser|licensor|licensee|contractor|lessor|lessee|tenant|landlord|client|provider|vendor|principal|agent|carrier|consignee)"
_TIME: Final = r"(?:\d+|one|two|three|four|five|six|seven|ten|twelve|fourteen|fifteen|twenty|thirty|forty-five|sixty|ninety)[- ](?:calendar |working |business )?(?:days?|weeks?|months?|years?)"

CONTRACT: Final[tuple[Rule[Topic], ...]] = tuple(
    Rule(id, _K, id[:2], pattern, hit, miss)
    for id, pattern, hit, miss in (
        (
            "en.party",
            rf"\b(?:both|either|neither|each) part(?:y|ies)\b|\b(?:{_PARTY}) (?:bears?|indemnif\w+|keeps? the risk)|\bnotice (?:must|shall|has to|needs to|is to|may) be (?:given|served|sent)\b|\bby registered (?:letter|mail|post)\b|\b(?:word|phrase|reword|formulate) it (?:like|as|this|differently|so)\b|\b(?:{_PARTY})(?:'s)? (?:\w+ ){{0,3}}?(?:shall|may|must|agrees?|undertakes?|warrants?|represents?|is (?:liable|entitled|obliged|responsible)|will not|terminate|assign|retains?|waives?|acknowledges?|remains?)\b|\bshall (?:not )?(?:be )?(?:\w+ )?(?:liable|bear|remain|survive|apply|indemnify|pay|govern|deemed|entitled|terminate|provide|deliver|notify|governed|construed|binding|subject|keep|maintain|use|disclose|accrue|expire|vest|pass)\b|\bparty [ab]\b",
            "Either party may terminate with notice.",
            "The customer is at the gate.",
        ),
        (
            "en.liability_cap",
            r"\b(?:liability|damages|exposure)\b[^.]{0,60}\b(?:end(?:s|ed)? at|stops? at|cap(?:ped|s)?|limit(?:ed|s|ation)?|exceed|exclud\w+|unlimited|aggregate|restricted|waive)\b|\b(?:cap|limit|exclude|limitation|carve[- ]?out)\w*\b[^.]{0,40}\b(?:liability|damages|loss(?:es)?|indemnit\w+)\b|\b(?:consequential|indirect|incidental|punitive|special) (?:loss(?:es)?|damages?)\b|\bloss of (?:profit|business|revenue|data)\b|\bgross negligence\b|\bwil+ful misconduct\b|\bhold harmless\b|\b(?:accept|agree to|live with|propose|suggest|want|need|reject) (?:a|the|your|no) (?:\w+ )?cap\b|\bcap (?:of|at) (?:\d|twice|half|one|two|three|\w+ times)|\bnotified in writing\b|\bcounts? as (?:approved|accepted|delivered)\b",
            "Our liability is capped at the order value.",
            "The cap of the bottle is blue.",
        ),
        (
            "en.terminate",
            rf"\b(?:a|one|two|three|six)? ?(?:month|week|quarter|year|day)s?'s? (?:written |prior |advance )?notice\b|\brenews? (?:itself|automatically|tacitly|every|for another)|\b(?:terminat\w+|cancell?(?:ation|ed)?|notice|resign|exit|end)\b[^.]{{0,50}}\b(?:{_TIME})(?:'s?|'?)? (?:written |prior |advance )?notice\b|\b(?:{_TIME})'?s?'? (?:written |prior |advance )?notice\b|\b(?:notice of|notice period|period of notice|at the end of (?:the|each|any) (?:term|contract year|calendar year|quarter)|minimum (?:term|contract|commitment)|initial term|renew(?:s|al|ed)? (?:automatically|for another|unless|tacitly)|automatic(?:ally)? renew\w*|rolling (?:basis|contract)|terminat\w+ for (?:cause|convenience|good cause)|early termination|surviv(?:e|es|ing) (?:the )?(?:termination|expiry)|break clause|lock-?in period|cooling[- ]off|tacit(?:ly)?|evergreen)\b",
            "You can cancel with 30 days' notice.",
            "The notice board is empty.",
        ),
        (
            "en.ownership",
            r"\b(?:intellectual property|ip rights?|\bip\b (?:stays?|remains?|belongs|passes|transfers|ownership|in)|copyright|ownership|title|source code|foreground|background ip|derivative works?|work product|deliverables|moral rights|usage rights|rights? (?:of use|to use|in the))\b[^.]{0,60}\b(?:assign(?:ed|s)?|transfer(?:s|red)?|pass(?:es)?|remain(?:s)?|stay(?:s)?|belong(?:s)?|vest(?:s)?|retain(?:s|ed)?|owned|licen[cs]ed?|perpetual|exclusive|non-exclusive|revert(?:s)?|property|with us|ours|yours)\b|\bretention of title\b|\b(?:risk|title) (?:passes|transfers|in the goods)\b|\b(?:non-?exclusive|royalty-free|perpetual|irrevocable|worldwide|sub-?licen[cs]\w+|non-transferable) (?:licen[cs]e|right|use)?\b|\b(?:assign(?:ed|ment)?|transfer) of (?:this|the|any|all) (?:agreement|contract|rights?|ip|obligations)\b|\b(?:remain|stay|be|become)s? (?:our|your|the \w+'s?|their) (?:sole |exclusive |intellectual )?property\b|\bescrow\b|\b(?:stays?|remains?|are|is) (?:ours|yours|with (?:us|the (?:author|seller|studio|agency|owner)))\b[^.?!]{0,60}\b(?:licen[cs]e|use|rights?|paid|payment|instalment|copies|ownership)\b|\b(?:a|the|your|simple|limited|exclusive|non-exclusive) licen[cs]e (?:for|to) (?:use|\w+ it|\w+ them|the)\b|\btitle to (?:the|any|all)\b[^.?!]{0,40}\b(?:stays|remains|passes|transfers)\b",
            "Ownership passes on full payment.",
            "The title of the book is long.",
        ),
        (
            "en.payment_terms",
            rf"\b(?:pay(?:able|ment|ments|s|ing)?|due|invoices?|settle(?:d|ment)?|balance)\b[^.]{{0,50}}\b(?:within|net|in|after|at) (?:{_TIME})\b|\b(?:{_TIME}) (?:net|after (?:invoice|receipt|delivery|the invoice)|from (?:invoice|receipt|the invoice|delivery|date)|eom|end of month|credit)\b|\bnet (?:\d\d|thirty|sixty|ninety|forty-five)\b|\b(?:\d+ ?(?:%|per ?cent)|half|one third|a third|the rest|the balance|balance) (?:\w+ ){{0,3}}?(?:up ?front|up front|in advance|on (?:order|signing|signature|delivery|shipment|acceptance|completion)|against (?:bill|documents|b/l|delivery|proforma)|before (?:shipment|dispatch|delivery)|with (?:the )?order)|\bagainst (?:bill of lading|documents|letter of credit|l/c)\b|\b(?:letter of credit|documentary credit|open account|cash on delivery|cash against documents|advance payment|prepayment|pre-?payment|payment (?:terms?|conditions?|schedule|milestones?|days|target|period)|late payment interest|interest on arrears|instal+ments?|early payment)\b",
            "Invoices are payable within 30 days.",
            "The payment desk is on the left.",
        ),
        (
            "en.secrecy",
            r"\bnon-?(?:disclosure|compete|competition|solicit\w*|circumvent\w*)\b|\b(?:confidential information|confidentiality|trade secrets?|residuals?)\b[^.]{0,60}\b(?:means?|clause|year|surviv\w+|obligation|period|term|mutual|expire|apply|applies|agreement|exclude|shall|extend|last)|\b(?:mutual|one-way|two-way|unilateral) (?:nda|confidentiality|non-disclosure|secrecy)\b|\bmake it (?:mutual|one-way)\b|\bkeep (?:\w+ ){0,3}?(?:confidential|secret) for (?:\d|two|three|five|ten)|\bright of first (?:refusal|offer)\b|\bnon-?refundable\b|\b(?:under|per|according to|pursuant to|in line with) (?:the )?(?:clause|section|paragraph|para|article|§|point) ?\d|\bmost[- ]favou?red\b|\bduty of confidence\b",
            "Confidentiality survives for five years after the term.",
            "The closure of the confidential bin is red.",
        ),
        (
            "en.cancel_terms",
            r"\b(?:cancel\w*|no-?shows?|rebook\w*|attrition|release|rescind\w*|withdraw\w*)\b[^.?!]{0,80}\b(?:free of|up to|within|less than|later than|before (?:arrival|the event|departure|check-in|start)|obligation|remain(?:s)? (?:due|payable)|is (?:due|payable)|fee|charged?|forfeit\w*|penalty|hours'? notice|in full|per ?cent|%)|\bsub-?contract\w*\b[^.?!]{0,60}\b(?:allowed|permitted|only|consent|approv\w+|prohibited|prior|without|liable|responsib\w+)|\b(?:put|write|add|include|insert|lay) (?:\w+ ){0,3}?(?:in|into|down in|to) the (?:appendix|contract|agreement|annex|schedule|addendum|sow|msa|nda|terms)\b|\b(?:appendix|annex|addendum|exhibit|schedule) (?:\w+ )?(?:provides|states|prevails|forms|contains|is part)\b|\b(?:remain(?:s)?|becomes?|falls?) (?:due|payable)\b",
            "Subcontracting is allowed only where the client has approved it.",
            "The subcontractor cancelled the cab.",
        ),
        (
            "en.governing",
            r"\b(?:governed|construed|interpreted) (?:exclusively )?(?:by|under|in accordance with)\b|\b(?:governing law|choice of law|applicable law|place of jurisdiction|venue (?:is|shall|for disputes)|exclusive jurisdiction|seat of arbitration|arbitrat\w+|mediation (?:first|before)|icc rules|cisg|un convention on contracts|laws? of (?:england|the state|germany|new york|france|switzerland|\w+ (?:and wales|shall|will|apply|applies)))\b|\b(?:courts? (?:of|in|at)|disputes?) [^.]{0,50}(?:jurisdiction|settled|heard|resolved|decided|arbitrat|competent|exclusive|brought)",
            "The agreement is governed by Dutch law.",
            "The court of the hotel is governed well.",
        ),
        (
            "en.clause_edit",
            r"\b(?:clause|section|article|paragraph|para|schedule|annex|appendix|exhibit|recital|item|point|sub-?clause|§) ?(?:\d+|[ivx]+\b|[a-e]\b)[^.]{0,80}\b(?:agree|accept|reject|amend|delete|strike|read|replace|reword|change|drop|add|ok|fine|revis|word|stay|remain|provid|state|appl|in force|as amended|limit|comfortable|instead|should|shall|say)\w*|\b(?:redlines?|red-?lined?|marked-?up|mark-?up of the|tracked changes|counter-?draft|our wording|your wording|reword(?:ed|ing)?|carve-?outs?|boilerplate|fallback position|the following wording|wording (?:of|for|in) (?:the|clause|section)|in no event|to the (?:fullest|maximum) extent|counter-?wording|counter-?proposal for|entire agreement|severab\w+|order of precedence|takes? precedence|prevails? over|in case of conflict|side letter|without prejudice)\b|\b(?:para|paragraph|clause|section|article|provision|wording) (?:is|are|looks|was|needs|would) (?:ok|okay|fine|acceptable|not|too|unclear|missing|agreed|clear)\b|\b(?:strike|delete|drop|remove|take out|soften|insert|add|reword|narrow|widen|cross out|amend|change) (?:\w+ ){0,4}?(?:clause|sentence|paragraph|wording|provision|section|exclusion|carve-?out|residuals|indemnity|warranty|penalt\w+)\b|\b(?:this|the) (?:agreement|contract|offer|order|licen[cs]e|deed|lease|sow|msa|nda|dpa) (?:\w+ )?(?:shall|is (?:governed|subject|void|valid|made|between|binding|concluded|deemed)|supersedes|terminates|contains|takes effect|comes into force|runs for|expires|remains in force|incorporates|constitutes|covers|provides)\b",
            "Clause 7 is fine as amended.",
            "Section B of the hall is closed.",
        ),
        (
            "en.warranty_words",
            rf"\b(?:warrant(?:y|ies)|guarantee period|defects? liability|acceptance (?:period|criteria|test)|service credits?|response times?|resolution times?|severity|sla|kpis?)\b[^.]{{0,70}}\b(?:runs?|period|cover(?:s|ed)?|exclud\w+|void|expire\w*|starts?|begins?|from|of (?:{_TIME})|for (?:{_TIME})|months?|years?|within|hours?|limited|remed\w+|claim|apply|applies|valid|extend\w*|% )|\b(?:wear parts|fair wear and tear|as is|merchantab\w+|fitness for (?:a|any) (?:particular )?purpose|sole remedy|exclusive remedy|express or implied|deemed (?:accepted|received|to have)|prior written consent|written consent|in writing (?:by|within|to|and|before)|null and void|time is of the essence|best (?:efforts|endeavours)|reasonable (?:efforts|endeavours|skill)|material breach|cure period|liquidated damages|penalty (?:of|clause|for)|hereinafter|herein|hereof|herewith agree|pursuant to|mutatis mutandis|force majeure|acts? of god)\b",
            "The warranty period runs for 24 months and excludes wear parts.",
            "The warranty card is green.",
        ),
        (
            "en.offer_terms",
            r"\b(?:subject|according|pursuant) to (?:our|your|the) (?:\w+ )?(?:terms|conditions|t&cs?|contract|agreement)\b|\b(?:under|by) (?:our|your|the) (?:\w+ )?(?:terms|conditions|agreement|contract|msa|sla)\b|\bon (?:our|your|the) (?:\w+ )?(?:terms|conditions)\b|\bas (?:the|our|your|per (?:the|our|your)) (?:\w+ )?(?:contract|agreement|msa|sow|sla|nda|terms)\b(?: provides?| says| states)?|\bincoterms?\b|\b(?:fob|cif|dap|ddp|exw|fca|cpt|cip|dpu) (?:[a-z]+|terms)\b|\b(?:terms and conditions|general terms|general conditions)\b[^.]{0,50}\b(?:apply|applies|prevail|exclude|govern|accept\w*|amend\w*|reject\w*|bind\w*)",
            "This is subject to our general terms.",
            "The train is subject to delay.",
        ),
        (
            "zh.clause",
            r"对方(?:\S{0,6}?)(?:应当|须|不得|有权|无权)|(?:甲方|乙方|丙方|任何一方|一方|双方|雙方|守约方|违约方|委托方|受托方|出租方|承租方|供方|需方|买方|卖方|买受人|出卖人|披露方|接收方)(?:\S{0,12}?)(?:应当?|應|须|須|不得|有权|有權|无权|可以|承担|承擔|保证|同意|负责|放弃|书面|解除|终止|协商)|第\s?[\d一二三四五六七八九十.]+\s?(?:条|條|款|项)(?:\S{0,20}?)(?:改|删|刪|同意|接受|约定|規定|规定|写|寫|加|补|為|为|按|不变|保留|调整|表述|应)|本(?:合同|協議|协议|合約|条款|订单)(?:项下|約定|约定|规定|自|有效|一式|未尽|经|所|签|生效|期限|终止|之)",
            "任何一方提前三十日书面通知,即可解除本合同。",
            "双方在门口见面。",
        ),
        (
            "zh.terms",
            r"(?:违约金|違約金|滞纳金|滯納金|赔偿上限|责任上限|責任上限|责任限额|免责|不可抗力|解约|解除合同|终止合同|续约|自动续期|自动顺延|管辖|仲裁|适用法律|争议解决|知识产权|知識產權|著作权|版权|所有权|源代码|保密期|保密义务|竞业|排他|优先购买权|质保期|質保期|保修期|保固期|质保金|验收标准|验收合格|付款方式|付款条件|付款條件|付款期限|账期|帳期|月结|月結|预付款|尾款|信用证|承兑|见票|分期|货到付款|款到发货|价格调整|调价机制|最低期限|通知期|间接损失|连带责任|转让|转包|分包|格式条款|补充协议|補充協議|框架协议|技术协议|主合同|附件[一二三四五\d])(?:\S{0,25}?)(?:为|為|是|按|自|从|從|不超过|不低于|上限|改|删|刪|降|加|同意|接受|建议|建議|希望|约定|約定|归|歸|由|以|转移|\d|[一二三四五六七八九十]|延|缩|短|长|天|日|月|年|起|须|应|不得|除外|不含|算|优先)",
            "保密期限写五年太长,我们希望改成两年。",
            "合同室在楼上。",
        ),
        (
            "zh.form",
            r"(?:合同|合約|协议|協議|条款|條款)(?:\S{0,10}?)(?:约定|約定|规定|規定|写明|为准|為準|改成|改为|改為|删掉|刪掉|加上|加入|加一|补充|补一|调整|修改|同意|接受|通用|优先|有效|到期|期限|终止|解除|一式|没写|冲突|条件|不变|附)|(?:书面|書面)(?:通知|同意|形式|确认后|协商)|(?:协商解决|另行签订|另行约定|具有同等|同等法律效力|未尽事宜|一式[两二三四]份|签字盖章后生效|之日起(?:\S{0,8})(?:内|转|生效|算|计|起)|除非(?:\S{0,10})书面|(?:那|这|该)(?:一)?(?:条|款|句)(?:我们|我方|我司|里|中|,)?(?:\S{0,4}?)(?:让步|加在|加到|改|删|保留|写(?:清楚|明|成|进)|不同意)|归(?:出租方|承租方|甲方|乙方|我方|贵方|双方|委托方|开发方|受托方|买方|卖方)(?:所有|享有|承担)?|到期(?:\S{0,4})无偿|(?:租赁|合作|服务|合同|协议)期(?:内|满|限)|不在约束范围|离职人员|日(?:千分之|万分之)|(?:独占|普通|排他|独家|非独占)许可|(?:许可|授权)(?:使用|范围|期限)|争议(?:\S{0,4}?)(?:提交|由|解决|协商|诉)|(?:著作权|版权|所有权|使用权|源码|知识产权)(?:\S{0,4}?)(?:归|属|转)|提前(?:\S{0,10}?)(?:书面|通知|告知)(?:\S{0,6}?)(?:解|对方|终止|解约)?|验收(?:后|合格)?(?:满|之日|合格后)|(?:履约|质量|保证)金|逾期(?:\S{0,10}?)(?:付款|交货|不付|不交|有权|按日|每日|视为)|视为(?:\S{0,6}?)(?:同意|验收|接受|放弃|合格)|(?:千|万)分之[一二三四五六七八九十\d]|合同价的|重大违约|法务(?:\S{0,6})(?:看过|意见|建议|改|审))",
            "合同没写到的部分,以附件二为准。",
            "合同放在前台。",
        ),
    )
)
