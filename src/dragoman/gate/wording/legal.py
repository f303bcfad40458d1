"""Rules for `Topic.LEGAL` by meaning: fault admitted or refused, threats and settlements, opinions on what law allows.

An apology is no admission; "our fault" with a harm beside it is. What a rule says of the law stands as an act; the bare
words (`lawyer`, `patent`) stand in `wording.words` and are words that a sentence excuses.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from dragoman.gate.wording.rule import Rule
from dragoman.words import Topic

_L: Final = Topic.LEGAL
_HARM: Final = r"(?:ill|sick|injur\w+|hurt|damage[ds]?|loss(?:es)?|accident|broke(?:n)?|leak\w*|fire|fell|burn\w*|poison\w*|contaminat\w+|infect\w+|crash\w*|spoil\w*|ruin\w*|death|died|harm\w*|wound\w*|flood\w*|incident|collision|scald\w*|collaps\w*|fail(?:ed|ure)|tor(?:e|n)|hit|struck|lost|ruin\w*|slip(?:ped)?|trip(?:ped)?|allerg\w+|recall\w*|defect\w*)"
_LAW: Final = r"(?:law|laws|legislation|regulations?|directive|statutes?|act|code|rules|ordinance|treaty|decree|gdpr|dsgvo|ccpa|hipaa|reach|rohs|fda|osha|mdr|ce marking|adr|imdg|iata|customs|tax law|tax code|labou?r law|court|legal|lawful|sanctions?|embargo|export controls?|licen[cs]e|permit|patents?|trademarks?|copyright)"
_ALLOW: Final = r"(?:allow(?:s|ed)?|permit(?:s|ted)?|requir(?:e|es|ed)|forbid(?:s|den)?|prohibit(?:s|ed)?|oblig(?:e|es|ed)|exempt(?:s|ed|ion)?|entitle[sd]?|bans?|covers?|says|state[sd]?|prescribes?|demands?|stop(?:s)?|apply|applies|need(?:ed|s)?|qualif(?:y|ies)|counts? as|subject to|free (?:of|from)|compl(?:y|ies|iant|iance)|conform\w*|violat\w+|breach\w*|infring\w+|valid|void|enforceable|mandatory|banned|restricted|classified|excluded)"

LEGAL: Final[tuple[Rule[Topic], ...]] = tuple(
    Rule(id, _L, id[:2], pattern, hit, miss)
    for id, pattern, hit, miss in (
        (
            "en.fault",
            rf"\b(?:our|my|your|their|his|her) (?:\w+ )?(?:fault|mistake|error|negligence|carelessness|oversight|failure|doing|omission|driver|staff|technician|employee|crew)\b[^.]{{0,80}}\b{_HARM}\b|\b{_HARM}\b[^.]{{0,80}}\b(?:our (?:\w+ )?(?:fault|mistake|error|negligence|responsibility|doing|carelessness|staff|driver|oversight|failure)|(?:is|was|are|were|lies|falls|down) (?:entirely |fully |clearly |partly |solely )?(?:on us|to us|with us|at our door|because of us|due to us|caused by (?:us|our)|down to (?:us|our|you|your)))\b|\b(?:we|i|our (?:company|side|hospital|firm|hotel|clinic)|the company)(?:'ve| have|'re| are| do|'ll| will| must)? (?:\w+ )?(?:accept|acknowledge|admit|take|assume|bear|concede|recogni[sz]e|deny|reject|refuse|dispute|decline|contest|disclaim) (?:\w+ ){{0,2}}?(?:responsib\w+|liab\w+|blame|fault|negligence|guilt|wrongdoing|all claims?|any claims?|your claim|the claim)\b|\b(?:we|i) (?:were|was|are|have been) (?:\w+ )?(?:at fault|to blame|negligent|in the wrong|responsible for|liable|in breach|careless)\b|\b(?:we|i|our (?:company|side))(?:'ll| will| do| must)? (?:admit|acknowledge|concede|deny|dispute) that (?:we|our|the|it|there)\b|\b(?:carry|carries|take|takes|bear|share|shares|shoulder|accept) (?:\w+ )?(?:the )?(?:blame|fault|responsibility|liability)\b|\b(?:because|since|as|after) (?:our|one of our|the) (?:\w+ )?(?:foreman|driver|staff|technician|crew|nurse|cook|chef|cleaner|guide|operator|engineer|employee|people|team|guy) (?:\w+ )?(?:skipped|forgot|failed|missed|ignored|left|didn't|did not|neglected|dropped|mixed up|overlooked)\b|\b(?:on|down to) us\b[^.]{{0,20}}\b(?:accident|damage|loss)|\b(?:accident|damage|loss|leak|breakage|incident|injury)\b[^.]{{0,20}}\bis on us\b|\b(?:mea culpa|no liability|not (?:our|my) (?:fault|responsibility|liability)|you (?:are|were) (?:\w+ )?(?:at fault|liable|to blame|responsible for the)|the fault (?:is|was|lies|of (?:your|our|the|my|his|their))|without (?:any )?admission|ex gratia|goodwill gesture without)\b",
            "Because of our mistake your guest fell ill.",
            "Sorry, our mistake, the file was the wrong one.",
        ),
        (
            "en.threat",
            r"\b(?:take|bring|start|initiate|institute|pursue|file|lodge|commence|begin|launch|threaten|consider|face|seek|enforce|reserve) (?:\w+ ){0,4}?(?:legal|court|claims?|action|proceedings|suit|lawsuit|complaint|charges|remed(?:y|ies)|damages|injunction|rights|police report|insolvency)\b|\b(?:see you|take you|go|end up|bring you|settle it|meet) (?:\w+ )?(?:in|to) court\b|\b(?:our|my|the) (?:lawyers?|solicitors?|attorneys?|counsel|legal (?:team|department|counsel))\b[^.]{0,60}\b(?:(?:will|'ll|is going to) (?:\w+ )?(?:file|sue|write to|contact you|be in touch|take|send|go|pursue|claim|bring|serve|apply|proceed|demand|seek|start|handle this from)|advis\w+|confirm\w*|written|sue|instructed|thinks?|says?|sees?|view)\b|\b(?:hand(?:ed)?|pass(?:ed)?|go(?:es)?|refer(?:red)?) (?:\w+ ){0,3}?(?:over )?to (?:our|a|the) (?:lawyers?|solicitors?|attorneys?|debt collect\w+|collection agency|police|bailiffs?)\b|\b(?:sue|suing|sued|lawsuit|litigation|cease and desist|letter before action|formal notice|final (?:notice|demand)|statutory demand|debt collect\w+|collection agency|press charges|small claims|class action|bailiff)\b|\b(?:all|our|any) rights? (?:are|is|remain|to claim)? ?reserved\b",
            "We will take legal action.",
            "The legal size of paper is in the tray.",
        ),
        (
            "en.settle",
            r"\b(?:settle (?:this|the (?:matter|dispute|claim|case)|out of court|amicably)|settlement (?:of|offer|agreement|sum|is|was|in|between)|out[- ]of[- ]court|full and final|waive (?:\w+ ){0,3}?(?:claims?|rights?)|drop (?:\w+ ){0,2}?(?:claims?|lawsuit|complaint|charges|case)|withdraw (?:\w+ ){0,2}?(?:claims?|lawsuit|complaint|case|action)|no further claims|compensat\w+ (?:for|of)|reached (?:a|an) (?:settlement|compromise|understanding)|without prejudice|(?:release|discharge) (?:\w+ )?from (?:all|any) (?:claims?|liabilit\w+))\b",
            "We offer a settlement of the dispute.",
            "The crew settled in at the hotel.",
        ),
        (
            "en.opinion",
            rf"\b{_LAW}\b[^.]{{0,80}}\b{_ALLOW}\b|\b{_ALLOW}\b[^.]{{0,60}}\b(?:by|under|in line with|according to|with|of|from|for) (?:the |eu |uk |us |german |english |dutch |french |local |national |international |current |applicable |your |that |this |an? )*{_LAW}\b|\b(?:it's|it is|that's|that is|this is|would be|isn't|is not|is|are) (?:\w+ )?(?:legal|illegal|lawful|unlawful|legally|against the law|a criminal|punishable|an offence|unenforceable|compliant|non-compliant|enforceable|admissible|deductible|dutiable|duty[- ]free|zero-rated|vat[- ]exempt|tax[- ](?:free|exempt|deductible)|statute-barred|time-barred)\b|\b(?:legally|lawfully|in law|by law|under (?:eu|uk|german|dutch|us|french|english|civil|criminal|commercial|contract|labou?r|tax|consumer|data protection|\w+ state) law|from a legal (?:point|perspective)|in the eyes of the law)\b",
            "Sanctions do not stop you from selling to that buyer.",
            "The law firm moved to the second floor.",
        ),
        (
            "en.rights",
            r"\b(?:fair use|public domain|creative commons|open[- ]source licen[cs]e|statutory rights?|consumer rights?|consumer (?:act|law|code|protection)|implied terms?|duty of care|due diligence|burden of proof|statute of limitations?|act of parliament)\b|\bunder the (?:\w+ ){1,4}?(?:act|law|code|directive|regulation|convention|ordinance|statute)\b|\b(?:you|we|they|he|she|the \w+) (?:\w+ )?(?:have|has|had) (?:a|the|every|no|full) (?:legal )?(?:right|claim|obligation|duty|entitlement|case|grounds?|basis) (?:to|of|for|against|in)\b|\b(?:is|are|was|were|be|being|not) (?:\w+ )?(?:banned|allowed|permitted|required|forbidden|prohibited|restricted|exempt(?:ed)?|protected|covered|listed|regulated|lawful|legal|illegal|punishable|liable) (?:under|pursuant to|within the meaning of) \w+|\b(?:breach(?:es|ed)?|violat(?:e|es|ed|ing)|infring(?:es|ed)?|contraven\w+|in (?:breach|violation) of|run(?:s)? afoul of|fall(?:s)? foul of|against) (?:the |your |our |their |all |any |these )?(?:\w+[- ]){0,3}?(?:rules?|law|act|regulations?|directive|code|policy|convention|treaty|licen[cs]e|copyright|patent|rights?|gdpr|eprivacy)\b|\b(?:unfair|wrongful|constructive) dismissal\b|\b(?:can(?:'t|not)|may not|cannot|must not) (?:be |just )?(?:dismiss(?:ed)?|fire[d]?|evict(?:ed)?|discriminat\w+|sacked|laid off)\b|\b(?:mark|logo|name|brand|design|invention)\b[^.?!]{0,40}\b(?:registered|unregistered|protected|patented|trademarked)\b|\bsafe ground\b|\bhold (?:you|them|him|her|us|your company) (?:\w+ )?(?:responsible|liable|accountable|to account)\b|\b(?:must|have to|has to|need to|needs to|are to|shall|are required to) (?:\w+ )?be (?:\w+ )?(?:registered|licen[cs]ed|approved|notified|declared|certified|authori[sz]ed|reported|labelled) (?:with|by|to|under|before) (?:the |an? |local |national |your )?\w+|\b(?:time|statute)-barred\b|\b(?:eviction|bankruptcy|insolvency|foreclosure|repossess\w*) ?(?:proceedings|notice|order)?\b|\b(?:drops?|waives?|withdraws?|abandons?|renounces?) (?:its|their|his|her|all|any|our|your|the) (?:\w+ )?claims?\b|\bbears? (?:its|their|his) own costs\b|\b(?:no|without a?n?y?) (?:permit|licen[cs]e|visa|consent|notification|registration) (?:is |are )?(?:needed|required|necessary)\b|\b(?:regulator|authorities|customs|tax office|inspectorate|ombudsman)\b[^.?!]{0,60}\b(?:see|treat|accept|consider|fine|object|approve|require|allow|regard|demand|want)\w*\b|\b(?:is|are|was|were|would be) (?:covered|protected|permitted|caught|governed|regulated) by (?:the )?(?:fair|law|act|licen[cs]e|copyright|patent|regulation|insurance law|gdpr)\b",
            "Under the consumer act you have a right to withdraw.",
            "You have the right box.",
        ),
        (
            "en.duties",
            r"\byou (?:don't|do not|needn't|wouldn't|won't|must|have to|need to|are (?:required|obliged|entitled|allowed|not)|would|may|can|cannot|can't|should) (?:\w+ ){0,4}?(?:permit|licen[cs]e|visa|register|declare|certificate of origin|eori|withhold|reverse charge|vat|duty|duties|customs|consent|dpo|data protection|privacy notice|notify the (?:authorit\w+|regulator)|retain (?:\w+ )?(?:records|data)|work permit|claim (?:it|them|damages)|sue|insist on|refuse (?:delivery|payment)|withdraw|deduct|import|export|sell it|re-?export)\b|\b(?:hs|tariff|customs|commodity|cn|hts|taric) (?:code|heading|number|classification|position|line)s?\b|\b(?:classif(?:y|ied|ication)|falls? (?:under|outside|within|into)|qualif(?:y|ies) (?:as|for))\b[^.]{0,50}\b(?:hazardous|dangerous goods|dual[- ]use|personal data|controlled|exempt\w*|preferential|origin|tariff|heading|code|chapter|class|category|medical device|scope|regulation|directive|annex|exception|chapter)|\b(?:personal data|data (?:processor|controller|subject)|lawful basis|legitimate interest|standard contractual clauses|adequacy|privacy shield|right to be forgotten|dual[- ]use|anti-?dumping|anti-?bribery|antitrust|cartel|competition law|product liability|whistleblow\w*|money laundering|kyc|aml)\b[^.]{0,60}\b(?:is|are|do|does|need|must|appl\w+|requir\w+|covered|fall|not|can|may|allow\w*|process\w*|cover)\b",
            "You don't need a permit for that.",
            "You must use gate 4.",
        ),
        (
            "en.infringe",
            r"\b(?:infring\w+|patent(?:s|ed)?|trade ?marks?|copyright(?:s|ed)?|design right|prior art|freedom to operate|licen[cs]ed? under|passing off|counterfeit\w*|plagiari\w+)\b[^.]{0,80}\b(?:do(?:es)? not|doesn't|don't|is|are|was|not|expired?|invalid|valid|lapsed|cover(?:s|ed)?|go ahead|safe|free|risk|claim|ours?|stop|cease|use|sell|protect\w*|breach\w*|violat\w+|hold)\b|\b(?:does not|doesn't|do not|don't|would|will|clearly|may) infringe\b",
            "That design does not infringe the Henkel patent.",
            "The patent office on the corner has a cafe.",
        ),
        (
            "zh.fault",
            r"(?:我方|我司|我们|我院|本公司|我厂|我店|司机|员工|师傅|工人|酒店|贵方|贵司|对方)(?:\S{0,14}?)(?:失误|过失|過失|疏忽|操作不当|责任|責任|过错|过错|赔偿|全责|全責|因果关系)(?:\S{0,12}?)(?:造成|导致|導致|引起|所致|承担|承擔|负|負|不否认|属于|在于|认|没有|无关|不承担|赔)|(?:对此|由此|因此|愿|愿意|应|由我方|由贵方|不)(?:\S{0,4}?)(?:负全责|负全部责任|负主要责任|负责任|承担(?:\S{0,6}?)责任|承擔(?:\S{0,6}?)責任|负有责任|赔偿)|(?:造成|导致|所致|引起)(?:\S{0,10}?)(?:我方|我司|我们)(?:\S{0,6}?)(?:承认|承担|认|负责|失误|过失)|(?:责任|责|错|過錯|过错)(?:在|不在|归|属于)(?:我|贵|您|你|对方|双方)|(?:承认|不否认|否认|認錯)(?:\S{0,8}?)(?:责任|过错|侵权|失误|违规|存在)|不可推卸|难辞其咎|因果关系|全责|全部责任|主要责任|次要责任",
            "货损是我司叉车工操作失误造成的,我方对此负全责。",
            "我们负责门口的登记。",
        ),
        (
            "zh.threat",
            r"律师函|律師函|(?:起诉|起訴|诉讼|訴訟|立案|报案|报警(?:[^声灯器码代音提记信显a-z\d故温液]|$)|仲裁|提告|告你|告您|法庭见|打官司|走法律|法律(?:途径|手段|程序|行动|追究|责任)|追究(?:\S{0,6}?)责任|(?:提出|要求|发起|保留|进行|将|向\S{1,6}?)索赔|申请执行|财产保全|强制执行|黑名单|举报|投诉到)(?:\S{0,12})|后果自负|後果自負|保留(?:\S{0,6}?)(?:权利|追究|追诉)|(?:委托|委託|交由|通过)(?:\S{0,4}?)律师|(?:法院|法庭|公安|警方|监管|工商|消协)(?:\S{0,6}?)(?:起诉|解决|处理|判|投诉|举报|见)",
            "我们将委托律师向法院起诉。",
            "法院在街对面,门口有车位。",
        ),
        (
            "zh.settle",
            r"撤诉|撤訴|和解|调解|私了|一次性(?:赔偿|了结|补偿|解决)|就此了结|互不追究|不再主张|放弃(?:\S{0,6}?)(?:权利|索赔|追究|主张)|(?:赔偿|賠償|补偿)(?:\S{0,8}?)(?:达成|协议|方案|金额|了结|事宜|损失|您|贵司)",
            "双方已就赔偿事宜达成和解。",
            "这个颜色比较柔和,解释在第二页。",
        ),
        (
            "zh.law_says",
            r"(?:从|在)?法律(?:上|角度|层面|意义上)|法理上|违反(?:\S{0,4}?)(?:《|法|规|条例|协议)|《[^》]{2,20}(?:法|条例|规定|办法|细则|指引|标准|准则|公约)》|(?:属于|构成|认定为|视为)(?:\S{0,4}?)(?:劳动|劳务|承揽|买卖|租赁|侵权|违约|事实|代理|雇佣|共同|不当)(?:\S{0,4}?)(?:关系|行为|责任|侵权|得利)?|补缴(?:社保|税|个税)|(?:不用|无需|不需要?|免|须|要|应)(?:\S{0,4}?)(?:加征|征收|缴纳|补缴|代扣|申报)(?:\S{0,6}?)税|归(?:到|入|类)(?:\S{0,8}?)(?:项|品目|税号|编码)|(?:法|法律|法规|条例|标准|规定)(?:写明|规定|要求|明确|禁止|允许|明文)|(?:按|照|依)(?:\S{0,4})规定(?:\S{0,4}?)(?:不能|不得|不可以?|必须|要|应|得|可以|属于)|(?:我方|我司|我们|本店|本公司)(?:\S{0,2}?)(?:不|概不|无需|无须)承担|不承担(?:\S{0,16}?)(?:损失|责任|后果|费用|义务)|(?:要办|须办|得办|没做|没有做|未做|未办|要做)(?:\S{0,4}?)(?:认证|备案|许可|登记|审批|报备)|(?:有权|无权)(?:\S{0,8}?)(?:要求|拒绝|解除|主张|退货|索|起诉|追)|(?:合理|正当)使用|诉讼时效|举证",
            "这种情况属于劳动关系。",
            "这种螺丝属于标准件。",
        ),
        (
            "zh.opinion",
            r"(?:按|按照|依|依据|根据|依照|照|在)(?:\S{0,12}?)(?:法|法规|法律|条例|條例|规定|規定|办法|司法解释|税法|劳动法|合同法|民法典|gdpr|海关|國標|监管要求)(?:\S{0,14}?)(?:可以|不用|不必|无需|無需|应|應|须|須|必须|不得|有权|不能|允许|免|属于|算|要|禁止|不可|合法|违法|没问题|不需要)|(?:合法|违法|違法|非法|合规|合規|不合规|违规|違規|侵权|侵權|犯法|不侵权|无效|有效)(?:的|,|。|了|吗|性|风险|经营|使用|操作|$)|(?:不|没有|未|构成|涉嫌|属于|存在|不存在|不构成|算不上|不算)(?:侵权|侵犯|违法|违规|犯罪|违约|侵害|侵權|垄断|倾销|走私|偷税)|(?:不侵犯|侵犯了?|没侵犯)|(?:专利|專利|商标|商標|版权|著作权)(?:\S{0,16}?)(?:侵|过期|失效|无效|有效|覆盖|保护|授权|不影响|规避|落入|属|可以|不用)|(?:不用|无需|不需要|必须|需要|免|应当|要)(?:\S{0,6}?)(?:许可证|許可證|进口许可|备案|代扣|报备|牌照|资质|批文|强制认证|3c认证|增值税|关税|完税|商检|报关|出口管制|审批|授权同意)|(?:税则号|税号归类|归类|hs编码|反倾销|原产地规则|出口管制|两用物项|制裁|实体清单|个人信息保护|数据出境|最低工资|竞业限制|诉讼时效|举证责任)(?:\S{0,12}?)(?:不|是|在|要|可|归|适用|需|应|没|受|为|按|属|有)|符合(?:\S{0,4}?)法(?:的|,|。|$)|不在(?:\S{0,6}?)(?:加征|管制|制裁)",
            "按税法这种跨境服务可以免增值税,您不用代扣。",
            "请按办法上的地图走到三号门。",
        ),
    )
)
