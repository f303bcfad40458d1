"""Rules for commitments, contract language and legal matters, English and Chinese.

Phrases, not meaning: a promise in other words passes here and is left to the record check and the operator's tier.
Routine scheduling ("we can receive you on Tuesday") is no commitment; a date is checked against the record instead.
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from dragoman.gate.wording.rule import Rule, Weight
from dragoman.words import Topic

_C: Final = Topic.COMMITMENTS
_K: Final = Topic.CONTRACT_LANGUAGE
_L: Final = Topic.LEGAL

WORDS: Final[tuple[Rule[Topic], ...]] = tuple(
    Rule(id, mark, id[:2], pattern, hit, miss, Weight.ACT if mark is _C else Weight.WORD)
    for id, mark, pattern, hit, miss in (
        (
            "en.guarantee",
            _C,
            r"\b(?:guarantee[ds]?|guaranteeing|promis(?:e|es|ed|ing)|we assure you|rest assured|assurances?|pledge[ds]?|vow)\b",
            "We guarantee delivery.",
            "The results look promis-sory but compromised.",
        ),
        (
            "en.commit",
            _C,
            r"\b(?:commitments?|(?:we|i) (?:hereby |fully |firmly |will |can |are |am )*(?:commit(?:ted)?|undertake) to|commit ourselves|undertaking to)\b",
            "We commit to that date.",
            "Please commit the file to the shared folder.",
        ),
        (
            "en.binding",
            _C,
            r"\b(?:legally |this is |hereby |considered |consider it |it's )binding\b|\bbinding (?:offer|order|agreement|on|for|commitment)|\b(?:you have|i give you|take) my word\b|\bno matter what\b|\bwithout fail\b|\byou can (?:count|rely|depend) on\b",
            "This is binding.",
            "The binding of the manual is loose.",
        ),
        (
            "en.accept",
            _C,
            r"\b(?:we|i) (?:hereby |gladly |formally |also )?(?:accept|agree to|confirm|approve) (?:your|the|this|that|all|these|everything) ?(?:\w+ )?(?:offer|order|terms|conditions|proposal|deal|demands?|request for|purchase|booking|you (?:asked|want))|\b(?:it's a deal|it is a deal|we have a deal|you have a deal|deal[!.]|consider it done|order (?:is )?confirmed|agreed to (?:everything|all)|we agree to)",
            "We accept your offer.",
            "We deal with boxes and accept deliveries until noon.",
        ),
        (
            "en.refund",
            _C,
            r"\b(?:refund(?:s|ed|able|ing)?|compensat(?:e|es|ed|ion)|reimburs(?:e|es|ed|ement)|make it up to you|money[- ]back|replace (?:it|them) (?:at no|for free|free))\b",
            "We will refund late pallets.",
            "We refounded the team and found the replacement.",
        ),
        (
            "en.exclusive",
            _C,
            r"\b(?:exclusiv(?:e|ity) (?:rights?|deal|supplier|partner|for you|basis)|exclusivity|(?:reserve|hold|set aside|keep) (?:it|them|this|these|the \w+|all \w+|\d+ \w+) (?:exclusively |just )?for you (?:until|only|exclusively))\b",
            "We hold them for you until Friday.",
            "I will hold the line for you.",
        ),
        (
            "zh.guarantee",
            _C,
            r"保证(?:[^金]|$)|保證(?:[^金]|$)|承诺|承諾|担保|擔保|包退|包换|包您满意|包在我身上|一言为定|说到做到|说话算话|绝不食言|负责到底|一定(?:会|能|给您|给你|准时|按时)|必定|务必做到|我们答应|答应您|答应你",
            "我们保证按时交货。",
            "请确定一定要走的路线。",
        ),
        (
            "zh.accept",
            _C,
            r"(?:同意|接受|认可)(?:您|你|贵方|贵司|该|此|这个|这些|全部|所有|以上)?(?:的)?(?:报价|条件|条款|方案|要求|订单|价格|提议)|成交|(?:确认|接受)(?:下单|订单|接单)|就这么定了|说定了|有(?:法律)?约束力|给您(?:留着|预留|独家)|独家(?:供应|代理|合作)",
            "我们接受贵方的条件。",
            "我同意，请在意见栏留言。",
        ),
        (
            "zh.refund",
            _C,
            r"退款|退货款|退钱|赔偿|賠償|补偿|補償|赔付|报销|无条件退",
            "迟到的货我们退款。",
            "请把空托盘退回仓库。",
        ),
        (
            "en.contract",
            _K,
            r"\bcontract(?:s|ual|ually|ed to|ing part(?:y|ies))?\b|\b(?:sub-?)?clauses?\b|\bt&cs?\b|\bterms (?:and|&) conditions\b|\bterms of (?:service|sale|use|payment|delivery|business|trade|the)\b|\b(?:payment|contract|credit|commercial|standard|general|delivery|warranty|licen[cs]e|your|our) terms\b|\bnet[- ](?:15|30|45|60|90)\b",
            "The contract is attached.",
            "In terms of time, contractors arrive at noon.",
        ),
        (
            "en.agreement",
            _K,
            r"\b(?:the|our|your|this|that|an|any|framework|supply|service|licen[cs]e|purchase|non-?disclosure|confidentiality|master|partnership|distribution|loan|lease|draft|written) agreements?\b|\bagreement (?:between|with|dated|of|no\.?|number)|\b(?:nda|sla|msa|mou|sow)s?\b|\b(?:statement of work|letter of intent|memorandum of understanding|addendum|addenda|amendments?|annex(?:es)?|rider)\b",
            "The service agreement covers it.",
            "We are in full agreement; both nodded.",
        ),
        (
            "en.terms",
            _K,
            r"\b(?:warrant(?:y|ies|ed)|indemnif\w+|indemnit(?:y|ies)|force majeure|terminat(?:e|ion) (?:of|the|for|clause|notice|right)|notice period|auto-?renew\w*|renewal (?:terms?|date|period|of)|governing law|severability|hereby|hereto|herein|hereinafter|thereof|whereas|notwithstanding|penalt(?:y|ies)|liquidated damages|intellectual property|confidentiality (?:terms|obligations?))\b",
            "The warranty covers it.",
            "Here in the hall the bus terminates at noon.",
        ),
        (
            "zh.contract",
            _K,
            r"合同|合约|合約|协议|協議|条款|條款|违约|違約|补充约定|甲方|乙方|丙方|签约|續約|续约|解约|终止合作|付款条件|付款方式|账期|帳期|月结\d|质保|保修|保固|免责|不可抗力|知识产权|所有权归|有效期至|生效日|框架采购|保密义务",
            "合同条款第三条写明了。",
            "请按清单逐条核对，方便乙烯罐车进场。",
        ),
        (
            "en.law",
            _L,
            r"\b(?:legal|legally|legality|illegal|lawful|unlawful|lawyers?|attorneys?|solicitors?|barrister|counsel|law firm|lawsuits?|litigat\w+|sue|sued|suing|prosecut\w+|arbitrat\w+|jurisdiction|statut(?:e|es|ory)|subpoena|injunction|plaintiff|defendant|cease and desist|by law|the law|under \w+ law|laws|attorney)\b",
            "Our lawyers will look at it.",
            "The lawn and the flaws were fixed; pursue it, issue it.",
        ),
        (
            "en.liable",
            _L,
            r"\b(?:liab(?:le|ility|ilities)|negligen\w+|(?:in|to|go to|the) courts?|court (?:order|case|hearing|ruling|date)|claim (?:for )?damages|sue for damages|breach(?:es|ed)? of|in breach|infring\w+|patent(?:s|ed)?|trademarks?|copyrights?|gdpr|ccpa|hipaa|data protection|export control\w*|sanctions?|regulatory|compliance with|comply with|product recall)\b",
            "We are not liable for that.",
            "The courtyard and the courtesy car are reliable.",
        ),
        (
            "zh.law",
            _L,
            r"律师|律師|法律|诉讼|訴訟|起诉|起訴|法院|法庭|仲裁|侵权|侵權|专利|專利|商标|商標|著作权|版权|版權|法务|违法|違法|合法|非法|合规|合規|管辖|索赔|索賠|追究|法规|法規|司法|立案|判决|法人责任|法律责任|出口管制|制裁|免除责任",
            "此事请咨询律师。",
            "请想办法把车停在场外，用正确的方法装卸。",
        ),
        (
            "en.certain",
            _C,
            r"\bwill (?:definitely|certainly|surely|absolutely|for sure)\b|\b(?:definitely|certainly|surely) (?:will|arrives?|delivers?)\b|\bmake (?:absolutely )?sure (?:that )?(?:it|they|the (?:goods|order|delivery|shipment|truck)) (?:arrives?|(?:is|are) delivered|gets? there|reach(?:es)?)\b|\bcount on (?:us|me)\b|\b(?:consider|treat) (?:your|the) (?:order|booking|offer) (?:as )?(?:accepted|confirmed|placed)\b|\bconfirmed: we (?:take|accept)\b",
            "It will certainly arrive in time.",
            "Count on 45 minutes and make sure the gate is open.",
        ),
        (
            "zh.certain",
            _C,
            r"肯定(?:能|会|到|送)|一定(?:送|到货|发货|交货|送到)|绝对(?:能|会|没问题)|说好了",
            "放心，肯定能到。",
            "请确定一定要走侧门，给个肯定的答复。",
        ),
    )
)
