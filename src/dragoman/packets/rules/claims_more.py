"""Further words of claims, by kind (see `claim_words`): what is said of a capability without its usual name.

1. What waits, is kept or is taken in *at UAIX* (`AT_UAIX`), and what somebody says or writes (`MSG_SAID`).
2. Sync without the word: something flows, follows, shows up or stays the same.
3. Who decides which agent runs when.
4. A packet that proves that a party is certified.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.rules.claim_words import Kind, Table, nouns, verbs, words


def _w(text: str) -> list[str]:
    return text.split()


def _each(first: list[str], second: list[str], gap: str = " ") -> list[str]:
    return [f"{one}{gap}{two}" for one in first for two in second]


_SAID: Final = verbs("say,write,tell") + words("said,wrote,told")
_SOON: Final = words("one,two,three,four,five,six,ten,twenty,thirty,a few,1,2,3,5,10,30")
_SPANS: Final = words("second,seconds,minute,minutes,moments,a second,a moment,a minute,a blink")
_SAME: Final = words("identical,in agreement,alike,equal")
_PARTED: Final = words(
    "never differ,never diverge,never drift,never drift apart,never out of step,never get out of step,never disagree"
)
_TOGETHER: Final = words("change together,changes together,update together,move together")

ENGLISH: Final[Table] = {
    Kind.EASE: words(
        "no lag,there is no lag,no latency,never sleeps,never rests,never closes,nothing is lost,nothing gets lost"
    ),
    Kind.OFFICIAL: _each(words("straight from,directly from,come from,comes from"), words("uaix"))
    + words("uaix's own"),
    Kind.DEFINED: nouns("field,id,schema,profile,language,vocabulary,format,identifier,meaning,syntax"),
    Kind.HOST_IS: _each(
        words("uaix,uaix's,the uaix"),
        words("side,end,machine,machines,disks,disk,site,storage,datacentre,data centers"),
    ),
    Kind.AT_UAIX: _each(words("with,at"), words("uaix")),
    Kind.MSG_SAID: _each(words("what,whatever,everything,anything,all"), _each(words("you,your agent,they"), _SAID))
    + words(
        """your words,your text,your lines,your note,your notes,your answer,their words,its words,the conversation
        the transcript,the words of both sides,transcripts,transcript"""
    ),
    Kind.MSG_DO: verbs("park,stash,preserve,save,ferry,bring,post,hand over,pass along,convey")
    + words(
        """the host of,host of,keeper of,home of,takes,taken,brought,leave,leaves,left,lives,sits,sit,hosts,rests
        stays,stay,remains,remain"""
    ),
    Kind.MSG_TO: words(
        """across,over,until the peer,until the other,to the peer,to the other side,to the other agent
        to the other party,to the receiver"""
    ),
    Kind.FILL: words(
        """whatever is edited here,who wrote this,wrote this,one lane,other lanes,made in,all others
        elsewhere too,everywhere else"""
    ),
    Kind.AUTO: _each(words("within,in"), [*_each(_SOON, _SPANS), *_SPANS])
    + _each(words("stay,stays,remain,remains"), _SAME)
    + words(
        """with every keystroke,with every edit,with each edit,as you type,a moment later
        moments later,right away,without anyone,without anybody"""
    )
    + _PARTED
    + _TOGETHER,
    Kind.SYNC_SAME: _each(words("stay,stays,remain,remains"), _SAME)
    + _each(words("read,reads,look,looks,has,have"), words("the same,the same text,the same content,the same state"))
    + words("the same facts,the same notes,the same words,the same version,agree,match,identical,the same text,alike"),
    Kind.SYNC_MAY: _each(words("stay,stays,remain,remains"), _SAME),
    Kind.TELL: words("means that,shows that"),
    Kind.SYNC_EVER: _TOGETHER + _each(words("stay,stays,remain,remains"), _SAME) + _PARTED,
    Kind.SYNC_MANY: nouns("other copy,linked copy")
    + words(
        """both,two,copies,replicas,memories,lanes,folders,every copy,each copy,every other machine
        every other copy,all copies,all machines,every machine"""
    ),
    Kind.REPO_SURE: words("the commit,a commit,each commit,every commit"),
    Kind.SYNC_SURE: words(
        """sees to it that,see to it that,sees to it,makes sure that,makes sure,ensures that,ensures,takes care that
        guarantees that,guarantees,keeps,will see to it that,makes certain that"""
    ),
    Kind.SYNC_FLOW: words(
        "flow,flows,flowing,travel,travels,spread,spreads,spreading,ripple,ripples,follow,follows,appear,appears"
    )
    + words("propagate,propagates,carry over,carries over,trickle,reach all,reaches all,reach every,reaches every")
    + words("see it,sees it,show up,shows up,turn up,turns up,is seen,are seen,pop up,pops up"),
    Kind.SYNC_OF: nouns("plan file,linked file,other copy,linked copy,lane,memory,update,machine")
    + words("both sides"),
    Kind.RUN_MAY: verbs("route,assign,allot+,pick,select,choose,allocate,distribute,prioritise,prioritize,rank")
    + words(
        """tells,tries,says which,says who,hands each,calls,deals out,hands back,gives,sends,chose,chosen
        decides,decide,determines
        brings back"""
    ),
    Kind.RUN_WHO: words("when to run,what to run,when to start,what to do next,whose turn it is,turns"),
    Kind.RUN_DO: verbs("rouse,summon,nudge,revive,rerun")
    + words("woken,woken up,woke,woke up,awakened,begun,brought up")
    + words("releases the next"),
    Kind.RUN_SURE: words("back on its feet,back on their feet,back to life"),
    Kind.RUN_OF: nouns("reviewer,tester,next agent") + words("the next one,the next agent,the next in line"),
    Kind.REPO_FIX: words("the commit,a commit,each commit,every commit,the fix,its fix,the patch,the pull request"),
    Kind.CERT_PROOF: verbs("prove,confirm,attest,guarantee,demonstrate,establish,certify,show,mean,testify")
    + words("is proof that,is proof,proof that,means that,shows that,is evidence that,evidence that"),
    Kind.CERT_STATE: words("certified,accredited,officially approved,uaix has approved,approved by uaix,uaix approved"),
    Kind.CERT_WHO: nouns("sender,agent,receiver,party,side,author,runtime,issuer,signer,implementation"),
}
_EVER: Final = _w(
    """一起变 一起更新 不会有出入 从不走样 不会走样 不会不一致 相差不会超过 始终一样 永远一样 一模一样 保持一样
    处处可见"""
)

CHINESE: Final[Table] = {
    Kind.EASE: _w("没有延迟 没有时延 从不休息 从不打烊 不会丢 不会丢失 不会漏"),
    Kind.OFFICIAL: _each(_w("来自 出自"), words("UAIX, UAIX"), "") + words("UAIX自家,UAIX 自家,UAIX出品,UAIX 出品"),
    Kind.DEFINED: _w("字段 编号 语言 词汇 格式 语法 含义"),
    Kind.PACKET: ("记录上的",),
    Kind.OTHER: _w("运行环境 商店 店主 店里 门店 商家"),
    Kind.IMPORT_DO: _w("读进来 读进去 收进来 收进去 吃进去"),
    Kind.RUN_IS: _w("编排支持"),
    Kind.GIVE: _w("编排支持 功能 认证支持"),
    Kind.CERT_ANY: _w("认证支持"),
    Kind.CERT_DO: _w("通过认证 已通过认证 已认证 获得认证 通过了认证 得到认证"),
    Kind.HOST_IS: _each(
        _w("UAIX"),
        _w("这边 那里 那儿 这儿 处 机器 的机器 机器上 家里 站点 服务器 的硬盘 存储"),
        "",
    )
    + _each(_w("UAIX"), _w("这边 那里 那儿 机器 的机器 机器上 站点 存储")),
    Kind.MSG_SAID: _w("把话 你的话 您的话 说的话 这些话 聊天内容 话都 你说的话 回信 写的东西 说的每句话 每句话 原文"),
    Kind.FILL: _w(
        """未读 电话 的话 话题 提交号 送餐 赠送 送货 其他 其它 处处 一处 别处的 另一台 每一台 关联 哪怕 无论
        无论你改什么 不管你改什么 还有 这里改一个"""
    ),
    Kind.MSG_DO: _w(
        """捎过去 带过去 带到 带给 替你留着 送到对面 送到 捎给 捎到 留着 留在 存在 放在 送过去 送给 来送 送 寄存在
        保存在
        搁在 停在 候在 等在 挂在"""
    ),
    Kind.AUTO: [
        f"{number}{span}"
        for number in _w("一 两 三 五 十 几 数 半 1 2 3 5 10")
        for span in _w("秒内 秒后 分钟内 秒钟内 秒之内")
    ]
    + _EVER
    + _w("每敲一个字 每改一处"),
    Kind.SYNC_SAME: _w("始终一样 永远一样 一模一样 保持一样 一样 相同 一致 内容相同"),
    Kind.MSG_BRING: _w("捎过去 带过去 送过去 送到对面 带到对面 传到对面 带给 捎给 送给 捎到 替你留着 转给对方"),
    Kind.SYNC_MANY: _w("两份记忆 两份 两边 两个文件夹 副本 各端 各处 双方 所有副本 每个副本 更正 改动 计划文件"),
    Kind.SYNC_EVER: _EVER,
    Kind.SYNC_SURE: _w("会让 让 使得 保证 确保 使 负责让"),
    Kind.SYNC_FLOW: _w("流到 传到 传给 跟上 可见 处处可见 传遍 流向 扩散到 跟着改 跟着更新 跟着变 看得到 传开"),
    Kind.SYNC_OF: _w("两个文件夹 文件夹 记忆 两份记忆 计划文件 关联记录 别的副本 其他副本 更正 各处"),
    Kind.RUN_DO: _w("放行 叫起来 叫起 重新拉起 重新拉起来 拉起来 排期 弄醒 喊起来 推醒 跑起来 派任务"),
    Kind.RUN_SURE: _w("救活 重跑 叫起来 拉起来 重新拉起来 重新拉起 弄醒 喊起来 派任务 排期"),
    Kind.RUN_MAY: _w("告诉 放行 换 决定 说了算 选 挑选 路由 路由给 交还 分发 派给 派 定 排 挑 指派 领"),
    Kind.RUN_WHO: _w(
        """哪个代理 哪个智能体 谁先跑 谁先 什么时候跑 何时跑 谁来跑 谁跑 哪个先跑 哪个进程 哪个任务 先后次序
        谁何时运行 谁何时跑"""
    ),
    Kind.RUN_OF: _w("下一个 下一位 下一个代理 代理 进程 下一个智能体"),
    Kind.REPO_FIX: _w("提交由 每次提交 修复"),
    Kind.CERT_PROOF: _w("证明 表明 表示 证实 足以证明 保证 说明 即表示 意味着 能证明 就说明"),
    Kind.CERT_STATE: [
        *_w("通过认证 已通过认证 已认证 获得认证 经过认证 是认证过的 通过了认证 UAIX已认可 UAIX认可 得到认证"),
        *("UAIX 已认可", "UAIX 认可"),
    ],
    Kind.CERT_WHO: _w("发送方 接收方 智能体 代理 对方 发件方 签名方 双方 一方 发送者 发送方代理"),
}
