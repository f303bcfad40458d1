"""Rules for `Topic.PUBLIC_POST` by words, and for prices told without a price word.

A public post shows in what it says about itself (`post`, `press release`, `going out now`), in how it speaks (`we are
proud to announce`, a hashtag, 敬请关注) or in whom it greets (`dear media`). That a send is unasked and public is a fact
of the send and no words are searched for that here (spec 1 §11.8).
"""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from dragoman.gate.wording.rule import Rule, Weight
from dragoman.words import Topic

_O: Final = Topic.PUBLIC_POST
_P: Final = Topic.PRICES
_PLACE: Final = r"(?:linkedin|twitter|\bx\b|facebook|instagram|insta|tik ?tok|youtube|mastodon|bluesky|threads|reddit|hacker news|weibo|wechat moments|medium|tripadvisor|google (?:reviews?|maps)|forum|blog|website|web ?site|your site|our site|notice ?board|bulletin|facebook page|company page|homepage|news ?(?:room|page|letter)|press|media|feed|channel|community|discord announcements|social(?: media)?|public)"
_PIECE: Final = r"(?:post|tweet|thread|press (?:release|statement|line|note)|statement|announcement|blog (?:post|entry|article)|release notes?|change ?log|caption|story|newsletter|headline|copy|text|notice|reply|answer|comment|article|ad|quote|piece|update|news)"

PUBLIC: Final[tuple[Rule[Topic], ...]] = tuple(
    Rule(id, mark, id[:2], pattern, hit, miss, weight)
    for id, mark, weight, pattern, hit, miss in (
        (
            "en.for_the_world",
            _O,
            Weight.ACT,
            r"\b(?:for immediate release|embargo(?:ed)? until|press (?:release|statement|line)s?:|media contact|press contact|notes? to editors|dear (?:media|press|editors?|journalists?|followers?|community|all followers)|to (?:all )?our followers|stay tuned|link in bio|swipe up|follow us|dm us|tag a friend|share (?:this|far and wide)|spread the word|join us in (?:welcoming|congratulating|celebrating)|on the record|a spokes(?:person|man|woman) (?:for|said|of)|(?:ceo|founder|director|chairman|owner|president) [a-z]+ [a-z]+ (?:said|says|commented|added))\b|(?:^|\s)#[a-z]\w{2,}",
            "FOR IMMEDIATE RELEASE: our new hall opens.",
            "The release of the brake is immediate, see item #4.",
        ),
        (
            "en.proud",
            _O,
            Weight.ACT,
            r"\b(?:we|i|our (?:team|company)|\w+ (?:gmbh|ltd|inc|llc|ag))(?:'re| are|'m| am| is)? (?:so |very |super |extremely |incredibly )?(?:proud|excited|thrilled|delighted|pleased|happy|honou?red|stoked|overjoyed) to (?:announce|share|introduce|unveil|present|launch|reveal|welcome|open|be (?:named|recogni[sz]ed|awarded|nominated)|publish|release|report that|tell the world)\b|\b(?:it's official|big news|breaking|exciting news|now live|great news everyone|we(?:'re| are) (?:now )?(?:hiring|open|launching|live))\b ?[:!,]|\b(?:we|i|us)\b[^.?!]{0,40}\bto announce\b|\bhereby announces?\b|\bgrand (?:re)?opening\b|\bwe(?:'re| are) hiring\b|\b(?:is|are) proud to (?:announce|present|introduce|launch|open)\b",
            "We are proud to announce our new bakery.",
            "We are happy to help you.",
        ),
        (
            "en.publish_piece",
            _O,
            Weight.ACT,
            rf"\b(?:publish|post(?:ed|ing)?|tweet(?:ed|ing)?|share|put (?:\w+ )?(?:up|out)|run|print|announc(?:e|ed|ing)|issu(?:e|ed|ing)|releas(?:e|ed|ing)|published|publishing|broadcast|schedule[ds]?|upload(?:ed)?|pin(?:ned)?|quote us|go(?:es)? (?:live|out|public))\b[^.!?]{{0,60}}\b(?:on|to|in|for|as|via|across|under) (?:the |our |your |its |a |all |both )?(?:\w+ )?{_PLACE}\b|\b(?:publish|post|tweet|announce|print|run|release|share|issue|put out|draft(?:ed)?|wrote|written|here(?:'s| is)|attached is|below is|approved|final)\b[^.!?]{{0,30}}\b(?:this|the following|our|a|the|as follows|your|my) (?:\w+ )?{_PIECE}\b(?: (?:for|on|to|today|now|tonight|going)|:| publicly|\b[^.!?]{{0,20}}:)|\b(?:please|kindly|feel free to|you (?:can|may)) (?:publish|print|quote|post|tweet|run|share|announce) (?:this|the following|it|us|our|as)\b",
            "Please publish this on your blog.",
            "Please print the label on the box.",
        ),
        (
            "en.put_up",
            _O,
            Weight.ACT,
            rf"\b(?:put|stick|pop|get|place|hang|drop|publish|post|upload|add|spread) (?:up )?(?:the |this |our |your |following |a |short |new )*(?:following|text|this|it|these|lines?|paragraphs?|messages?|notes?|announcements?|posts?|photos?|pictures?|news|stor(?:y|ies)|statements?|notices?|job ad|advert|flyer|video|clip|banner|headline|caption|quote) (?:below |here )?(?:up |out |live )?(?:on|onto|in|to|across) (?:\w+ )?(?:the |your |our |all |my )*(?:\w+ )?(?:{_PLACE}|noticeboard)\b|(?:^|\n)\W*(?:\w+ )?(?:{_PLACE})\W+(?:\w+ )?(?:draft|copy|text|caption|headline|bio|ad|piece|teaser|blurb|slogan|tagline)\b[^:.!?]{{0,30}}:",
            "Could you put the following text up on Weibo under your account?",
            "Put the boxes on the forum's table.",
        ),
        (
            "en.piece_label",
            _O,
            Weight.ACT,
            rf"(?:^|[.!?\n] ?)\W*(?:\w+ ){{0,3}}?(?:{_PLACE} )?{_PIECE}\b(?: (?:for|on|to|in|from) [^:.!?]{{0,40}}| going out(?: now| today| tonight)?| (?:v?\d[\d.]*|draft|copy|text|below|goes|is going|went) ?[^:.!?]{{0,20}})?:|\bfor (?:the|our|your) (?:\w+ )?{_PLACE},? (?:please |kindly |you (?:can|may) )?(?:use|take|here|write|put|publish)\b|\b(?:go|goes|put|straight|directly|stick|pop|get) (?:\w+ )?(?:on|onto|to|up on) (?:the|our|your) (?:\w+ )?{_PLACE}\b|\b(?:replied|answered|responded|commented|reply|answer|respond|comment|posted|wrote) (?:\w+ )?(?:under|below|on|beneath|in) (?:the|your|a|that|their|our) (?:\w+ )?(?:review|post|thread|tweet|comment|article|video|listing|page)\b|\b(?:{_PLACE}) (?:post|update|announcement|statement|reply|answer|comment|caption|story|headline|thread)\b|\b(?:press release|press statement|tweet|blog post|release notes|changelog|public statement|press line|linkedin post|social media post)\b[^.!?]{{0,60}}\b(?:goes|going|went|is|was|will|reads?|says?|out|live|published|attached|below|ready|:)",
            "Tweet going out now: We're hiring drivers!",
            "The news about the post office is old.",
        ),
        (
            "zh.post",
            _O,
            Weight.ACT,
            r"【(?:\S{0,8})(?:动态|公告|声明|通知|喜讯|新闻|快讯|招聘|上新|官宣|活动|预告|更新|头条)】|(?:热烈祝贺|隆重(?:推出|开业|上市|宣布)|敬请(?:关注|期待|光临)|欢迎(?:莅临|转发|关注|扩散|大家)|特此(?:公告|声明|通告)|郑重声明|鄭重聲明|官宣|重磅|正式(?:宣布|对外|发布|開幕|亮相)|转发扩散|评论区|粉丝|家人们|姐妹们|宝子们|老铁们|各位(?:媒体|网友|用户|粉丝|读者|朋友们)|致(?:各位|全体|广大)(?:媒体|用户|客户|网友|读者|粉丝|朋友))|#\p{Han}{2,}",
            "【公司动态】新厂区投产。",
            "动态图在第二页。",
        ),
        (
            "zh.publish",
            _O,
            Weight.ACT,
            r"(?:发|發|登|刊|推|挂|贴|放|同步|上传|更新|投|转)(?:\S{0,10}?)(?:公众号|公眾號|微博|朋友圈|小红书|抖音|视频号|知乎|官网|論壇|论坛|头条|快手|b站|媒体|领英|推特|脸书|博客|网站|报纸|贴吧|豆瓣|发布页)|(?:公众号|微博|朋友圈|小红书|抖音|视频号|知乎|官网|论坛|領英|领英|推特|脸书|博客|贴吧|b站|快手|头条)(?:\S{0,8}?)(?:文案|推文|帖|笔记|动态|发布|回复|置顶|更新|推送|发|标题|配文|:)|(?:新闻稿|通稿|公告|声明|推文|更新日志|发布说明|新闻发言|媒体口径|招聘启事|海报文案)(?:\S{0,10}?)(?:如下|已发|发出|发布|定稿|刊发|请发|内容|:|给您|对外|全文|原文|就用)|(?:刊发|对外发布|对外公布|公开发布|直接发就行|以此为准|向(?:社会|公众|媒体|外界)(?:\S{0,4})(?:宣布|公布|发布|说明|澄清))|(?:明天|后天|今天|下周|周\p{Han})(?:\S{0,2}?)(?:见报|登报)|(?:转给|发给|交给)(?:了)?(?:记者|媒体|报社)",
            "公众号推文已发。",
            "公众号我不太看。",
        ),
        (
            "en.bargain",
            _P,
            Weight.ACT,
            r"\b(?:waiv(?:e|ed|ing)|knock(?:ing|ed)? (?:\w+ ){0,3}?off|shav(?:e|ed|ing) (?:\w+ ){0,3}?off|split the difference|meet (?:you |us |each other )?(?:in the middle|half ?way)|best (?:i|we) can do|(?:cheaper|lower|next|higher|gold|silver|better|upper) (?:tier|bracket|band)|at (?:wholesale|trade|list|cost|retail|dealer level|a loss|half (?:price|rate|cost|the (?:price|rate|cost)))\b|\badds? (?:about |around |another )?\d[\d.,]* ?(?:%|per ?cent)|\b(?:starts?|begins?) (?:at|from) (?:\d[\d.,]*|[a-z]+(?:-[a-z]+)?) (?:per|a|an|each)\b|\b(?:go|come|going|went) (?:down|up|as low as|as high as) (?:to )?(?:\w+ )?(?:hundred|thousand|grand)\b|\b(?:works?|comes?|came|worked) out (?:at|to) (?:about |around |just |only |roughly )*(?:[$€£]|\d[\d.,]*k?(?: (?:for|per|in total|each|an?|all|plus|net|more|less|altogether)\b|[.,!;](?:\s|$)|$)|(?:\w+[ -]){0,3}(?:hundred|thousand|cheaper|dearer|the same|less|more|lower|higher))|\bamounts? to (?:\d|twice|half|about|roughly|a total)|\bwhat (?:you|they|we) (?:pay|paid|were (?:charged|paying|quoted))\b|\broom for (?:maybe |about |perhaps |another )?\w+ ?(?:%|per ?cent)|\b(?:for less|for more money|for (?:a bit|a little|much|far) less)\b|\badd (?:about |around |roughly |another )?(?:an? (?:third|quarter|fifth|half|tenth)|half|\d+ ?(?:%|per ?cent)|\d+) (?:for|on top|to (?:that|it|the \w+))\b|\b(?:not|won't|doesn't|isn't|never|wouldn't) (?:\w+ ){0,3}?cost (?:you|us|them|anything|a (?:thing|penny|cent))|\b(?:membership|fare|entry|admission|subscription|rent|price|fee|rate|toll|ticket|tuition|deposit|quote|budget)s? (?:\w+ ){0,3}?(?:at|to|of|is|stays?|be|from|remains?) \d[\d.,]*(?: (?:for|per|a|each|from|until|next|and|as)|[.,!]|$)|\b(?:price|rate|offer|quote|bid)s?\b[^.?!]{0,40}\b(?:beats?|undercuts?|matches|tops)\b|(?:bit of |some |little |more )?(?:wiggle )?room (?:in|on|to move|for) (?:that|the|this|our|your|manoeuv\w+|negotiat\w+) ?(?:number|figure|price|quote|rate|offer)?|wiggle room|\b(?:take|took|taking|get|knock|have) (?:something|a (?:bit|little)|a few \w+|some) off\b|(?:fuel|weekend|night|peak|holiday|island|single) supplements?|(?:quotes?|offers?|prices?|rates?|figures?) (?:\w+ )?(?:is|are|stays?|remains?|still|stands?|was|would be) (?:still |always )?(?:valid|good|open|the same|unchanged|on the table|at the old)|(?:our|the|my|that|these|any) (?:\w+ )?margins? (?:we|on (?:these|the|this|it|our)|doesn't|don't|allows?|leaves?|makes?)|(?:low|mid|high|middle)[- ](?:to[- ]\w+ )?(?:three|four|five|six|seven|single|double)[- ](?:figures?|digits?)|(?:beat|match|undercut|better) (?:that|their|any|the|his|her|your) (?:\w+ )?(?:number|figure|offer|quote|price|bid)|come back (?:to me |to us )?with (?:a (?:number|figure|counter\w*)|something)|(?:come|go|went|came|go(?:ing)?|bring|move) (?:down|up|lower|higher|below|under) (?:by |to |on |with )?(?:a (?:bit|little|touch|notch)|\d|a few|half|another|the (?:amount|figure|number|last)|what|five|ten|fifteen|twenty)|sharpen (?:our|the|your|my) pencils?|sweeten the|throw(?:n|ing)? in|on the house|at no (?:extra|additional|further)|no extra|won't cost|doesn't cost|costs? (?:you )?(?:nothing|zero|less|more)|out of (?:our|your) (?:own )?pocket|(?:save|saving|saves) you (?:\w+ )?(?:\d|a |money|half|some)|\d+ ?(?:%|per ?cent) (?:premium|off|uplift|increase|more|extra|on top|mark-?up|lower|below|above|reduction|cut|rise|hike|higher|less|cheaper|discount|commission|margin)|(?:same|identical|unchanged|frozen|flat) (?:\w+ )?(?:as|to|since|for|from|until) (?:last|the last|the previous|before|in|this) (?:year|time|order|season|contract|quarter|january|spring)|(?:more|less|lower|higher|dearer|cheaper) than (?:last (?:year|time)|before|the (?:others?|market|list|previous)|what you (?:pay|paid))|(?:invoiced|billed|charged) (?:at|per|with|by|in|for|separately|extra|on)|(?:a|one|two|three|few|\d+) (?:cents?|pence|percentage points?|points) (?:less|more|lower|higher|off|per|cheaper|each|on|a)|afford(?:able)?|budget(?:s|ed)? (?:of|is|would|for|will|allows?|stretch)|(?:markup|mark-up|profit margin|our margins?|margins?|commission)\b[^.]{0,30}(?:\d+ ?%|thin|slim|tight|low|high|per ?cent)|for (?:a|the) (?:tenner|grand|fiver|steal|song)|free (?:of charge|upgrade|extra)|complimentary|without (?:any )?(?:extra|additional) (?:charge|cost)|included (?:in the (?:price|fare|fee|rate)|at no))\b",
            "We could meet you in the middle.",
            "The middle gate is open.",
        ),
        (
            "en.number_per",
            _P,
            Weight.WORD,
            r"(?:^|[^\w.,:#-])\d+[.,]\d\d (?:per|a|an|each|for (?:the|a|each)|/) ?(?:kilo|kg|unit|piece|metre|meter|hour|night|box|word|page|person|head|pc|litre|tonne|ton|seat|month|day|year|m|sqm|copy|pallet|carton|line|roll|bag|lot)?\b|\b\d[\d.,]*k (?:in total|all in|for (?:the|it|that|this|both|everything)|flat|tops|max|per|a (?:year|month|head))\b|\b(?:salary|wages?|hourly|day rate|pay|paid|earns?)\b[^.]{0,40}\d",
            "Yes, 3.75 per kilo for the citric acid.",
            "The rack takes 3 rolls per kilo.",
        ),
        (
            "en.money_moves",
            _P,
            Weight.ACT,
            r"\b(?:plan|licen[cs]e|subscription|rent|fare|tuition|membership|premium|bill|ticket|package|tier|contribution|levy|toll|surcharge|supplement|allowance|freight|postage|haulage|steel|cotton|resin|paper|fuel|energy|timber|flour|raw materials?|material|it|that|this|everything|they)\b[^.?!]{0,50}\b(?:goes|go|going|went|gone|drops?|dropped|falls?|fell|rises?|rose|risen|climb\w*|increas\w+|jump\w*|comes|came|has become|became|is|gets|got) (?:\w+ )?(?:up|down|dearer|cheaper|more expensive|by (?:a (?:fifth|quarter|third|half|tenth|few|bit|little)|half|\d+ ?(?:%|per ?cent)))\b(?: (?:from|in|by|as of|next|on|after|with|for|,)|[.,!;]|$)|\b(?:move|budge|movement|give|flexib\w+|leeway|play|room) (?:\w+ )?(?:on|in|with) (?:the|that|our|this) (?:\w+ )?(?:figure|number|sum|amount|price|quote|rate|fee)\b|\b(?:figure|number|sum|amount)\b[^.?!]{0,40}\b(?:has (?:some|a bit of) give|is (?:negotiable|firm|final|fixed|flexible)|can (?:move|come down)|to (?:play|work) with)\b|\b(?:comes?|get it|you get|delivered|thrown in|included) free\b|\b(?:is|are) free (?:with|of cost|for (?:you|orders|the first|new|members|all|everyone|children|residents))\b|\bfree (?:with|on) (?:any|every|all|each|orders?|your)\b|\b(?:time and a half|double time|double pay|overtime (?:pay|supplement|premium)|mates'? rates|half rate|full rate)\b|\b(?:go|going|went|split) (?:halves|fifty[- ]fifty|50[/-]50|(?:it |the \w+ )?(?:even|down the middle|in half|between us))\b|\b(?:dearer|overpriced|underpriced|going rate|market value|street price|worth every|cost-?effective|money's worth)\b|\b(?:an?|no|any|our|this|extra|every|each|additional|separate|the) (?:[\w-]+ ){0,2}(?:charges?|surcharges?)\b(?:[.,;!]| (?:for|on|of \d|if|unless|applies|apply|is (?:\d|due|included|waived|payable|added|only|not|per|about|now)|when|to members|at all))|\brates\b(?: (?:for|are|have|will|as|from|in|include|apply|of|start|go)|[.,!;?])",
            "Your current plan goes up in March.",
            "The lift goes up to the third floor.",
        ),
        (
            "en.number_a",
            _P,
            Weight.ACT,
            r"\b(?:at|roughly|about|around|only|just|for|is|are|be|looking at|fetch\w*|pay|paying|paid|say|make it|asking|come to|comes to|do|charge|charging) (?:\d[\d.,]*|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)(?: (?:hundred|thousand|fifty|and \w+))*) (?:a|an|per|each|the) (?:bale|box|bag|bottle|pallet|piece|unit|head|sheet|metre|meter|foot|tonne?|ton|kilo|litre|gallon|dozen|case|crate|roll|pair|set|ticket|seat|page|word|plate|cover|copy|licen[cs]e|user|session|lesson|visit|load|container|truckload|barrel|drum|sack|stem|tray|square|sqm|room|bed|slot|line|part|lot|job|shot|click|lead|piece)\b|\b(?:call it|say|settle at|round it (?:up|down) to|leave it at|agree on|make it) (?:an? )?(?:even )?(?:\d[\d.,]*k?|(?:\w+ )?(?:hundred|thousand|grand))\b",
            "You'd be looking at roughly nine a bale.",
            "There are nine in the bale.",
        ),
        (
            "en.number_flat",
            _P,
            Weight.ACT,
            r"(?:^|[^\w.,:#-])\d[\d.,]*k? (?:an?|per) (?:hour|day|year|month|head|night|person|annum|seat|user|word|page|unit|piece|kilo|kg|licen[cs]e)\b|\b\d[\d.,]*k (?:a|per) (?:year|month|head)\b|\b(?:hundred|thousand|\d\d\d|\dk) (?:net|flat|all[- ]in|plus vat|excluding vat|inclusive|in total for|for the (?:job|lot|set|flyers|batch|whole|package|project))\b|\b(?:shall we say|call it|let's say|make it|settle (?:on|for|at)|how about|what about|say) \d[\d.,]*k?\b[^:%]{0,10}(?:[.,!?]|$| since| because| if| for| and| then| instead)",
            "Is 85 an hour still okay for you?",
            "The line packs 40 boxes an hour; say 4 when ready at gate 7.",
        ),
        (
            "zh.bargain",
            _P,
            Weight.ACT,
            r"(?:量大从优|往下(?:压|走|降|谈)|压一压|压价|让一点|(?:涨|降|加|减|便宜)(?:了|到|价)?[一二两三四五六七八九\d][百千万\d]|抹(?:个|掉)?零|零头|(?:按|算|要|收)(?:您|你)?[\d一二两三四五六七八九十百千万]+(?:整|算)|(?:多|加|超)(?:\S{0,6}?)加(?:收)?[一二两三四五六七八九十\d][百千万十\d]|租(?:\S{0,6}?)(?:是|要|收)[一二两三四五六七八九\d][\d百千万]|这个数(?:\S{0,6})(?:加|减|行|可以|成|点头)|薄利多销|亏本|赔本|成本线|底线了|最低了|最多(?:让|降|便宜)|再让|再降|再少|少(?:收|算)(?:您|你)|(?:降|涨|让|加|减|低|高|省)(?:了|到|至|个|您)?\s?(?:百分之|\d+ ?%|[一二三四五六七八九十两半]个?点|[一二三四五六七八九十两]成|\d+\s?(?:块|元|毛|个点|点))|[一二三四五六七八九\d]个点|(?:人均|每人|每个|每台|每件|每吨|每公斤|每平|每月|每年|一个|一台|一件|单台|单件)(?:\S{0,4}?)(?:做到|不超过|控制在|大约|大概|约|只要|才|不到|收|加收|算您|给到|卖)\s?(?:[\d一二三四五六七八九十百千万]+)|(?:连|不到|只要|才|也就|算您|给您算|收您|收你)\s?(?:[\d一二三四五六七八九十百千万多]+)(?:都不到|万|块|元)|同价|平价|原价|差价|补差|年框|结算价|按老价|老价|跟去年(?:一样|持平)|比(?:去年|上次|别家|市场|他们)(?:\S{0,4}?)(?:低|高|贵|便宜|好看)|(?:^|[^附])加价(?:[^值]|$)|加钱|加收|另加|另算|不加钱|(?:收|加|减|便宜|贵|多|少|只要|才|省)(?:您|你|收)?(?:\S{0,2}?)[一二两三四五六七八九十百\d]+块|(?:给到|做到|谈到|降到|报到|压到|拿到)(?:\S{0,2}?)[一二两三四五六七八九十\d][百千万\d十]|(?:一天|一小时|一个月|一年|一单|一次|一场|一桌|一斤|一吨|一平)[一二两三四五六七八九\d][百千万\d]+[一二三四五六七八九]?(?:[,。.!]|左右|块|元|$)|(?:来回|一共|总共|一趟|包车|全程|全套|一套|一晚|一位|每位)(?:\S{0,4}?)[一二两三四五六七八九][百千万][一二三四五六七八九]?(?:[,。.!]|$)|零元|(?:^|[^\d.])0元|送您|白送|买\S{1,3}[送赠]|折上折|打(?:个)?[一二三四五六七八九\d]|(?:预算|报酬|提成|奖金|底薪|年终奖)(?:\S{0,4}?)(?:\d|[一二三四五六七八九十百千万])|免(?:了|掉|收|除)?(?:\S{0,4})(?:费|运|押金|安装)|包(?:运|安装|税|送|圆))",
            "量大从优嘛。",
            "量杯从架上拿。",
        ),
    )
)
