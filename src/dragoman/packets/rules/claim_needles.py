"""Whether a text can hold a claim at all: the cheap question before the dear one, asked of every packet.

Every capability of `claims.CAPABILITIES` has one of the needles in its words, and every act of `claim_zh_fields` a
letter among them, of which Latin texts have none. All are looked for in one pass.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import re2

_WRITTEN: Final = (
    "^sync| sync|-sync|(sync|autosync|osync|syncs|syncing|synch|/sync|mirror|replic|propagat| in step|lockstep|"
    "self-updat|up to date|up-to-date|updat|refresh|copies| copy|copied|copying|reconcil|identical|spread|"
    "aligned|consistent|messages| message|message host|messaging|conversation| chat| mail|mailbox|reply|replies|"
    " thread|inbox|correspondence|letters| dm| msg|orchestr|conductor|engine| agents|agents | agent|worker|"
    "workflow| task|tasks | job|jobs |process| runtime|runtimes| step|steps |container|pipeline|swarm|fleet|"
    "runner| repo|repos|branch| pr | prs|pull request|codebase|code base|source tree| git|github|gitlab|commit|"
    "push|merg|patch|readme|for you|your behalf|^message|latest|newest|automatic|by itself|on its own|"
    "in the background|real time|autonom|unattended|cloud|server| code|upstream|write access|write perm|"
    "write right|adapter|adaptor|connector|plug|integration|bridge|official|certif|accredit| ca |root ca|"
    "issuing auth|badge| seal|vouch| cert |import|ingest|upload| load|took in|host|替|帮|自行|后台|实时|一键|"
    "无人|邮箱|云|代|消息|信息|聊天|对话|邮件|会话|信箱|收件|存信|留言|同步|一致|镜像|复制|传播|更新|推|刷新|"
    "副本|对齐|保持|最新|自动|跟着变|编排|智能体|工作流|任务|进程|流程|运行时|步骤|容器|作业|集群|机器人|流水线|"
    "调度|引擎|仓库|代码|存储库|分支|合并|提交|补丁|源码|写|适配|连接器|插件|组件|集成|桥接|扩展|官方|证|导入|"
    "载入|上传|录入|入库|加载|托管|资质|徽章|标志|认可|schedul|coordinat|supervis|指挥|统筹|协同|网站|那边|机房|"
    "平台|收发|推送|出现"
    "| plan|计划|letter|拉取|回复|答复|启动|拉起|重启|读入|唤醒|叫醒|everywhere|一样|可见|流到|那里|launch|spawn"
    "|restart|uaix does|sees to it| flow| show up| shows up|turns up|transcript|your words|you write|you say|your note"
    "|uaix side|with uaix|uaix 来|传开|跟上|传到|替你留"
    "|both sides see|together|一起"
    "|_sync|_repo|repo_|sync_|e-mail| delivers|remark|uaix's machines|uaix 的机器|uaix的机器|自己的机器|收着|留着|未读"
    "|捎|说的话|the same facts|never differ|never diverge|never drift|相差|出入|走样|dialogue|说了算"
    "|接|到|进|发|上|存|转|合|在|给|送|着|来|传|一|收|通|保|派|盖|信|跑|定|入|改|格|原|排|出|背|开|打|管|建|完|新"
    "|自|递|落|讯|正|分|行|办|护|就|中|同|换|得|达|平|变|挂|催|复|准|重|补|话|有|调|搬|停|头|齐|导|控|支|领|归|备"
    "|为|理|作|载|认|获|掉|差|点|检|取|队|提|含|过|扩|唤|动|解|活|叫|吃|扛|移|丢|并|兜|熔|桥|于|编|监|授|串|明|投"
    "|流|弄|生|选|道|机|加|们|伸|敲|修|站|件|照|挑|识|共|贝|两|织|节|止|后|喊|模|列|交|级|嫡|舵|碰|程|宣|用|干|除"
    "|闭|子|字|登|由|回|单|诉|算|牵|体|连|附|局|拆|置|值|映|端|隆|互|吞|旧|主|操|罗|走|候|消|审|另|灯|续|广|轮|展"
    "|盯"
    "|導|匯|轉|傳|遞|發|證|認|寫|編|調|執|啟|開|載|錄|對|檢|續|補|連|權|頒|簽|資|業|動|觸|喚|協|橋|擴|讓|給|來|訊|號"
    "|relay|broker|rebase|cherry-pick|crdt"
)
NEEDLES: Final = tuple(_WRITTEN.split("|"))
"""One of these is part of every claim, in lower case; a packet without them is done in one pass."""


def worth(text: str) -> bool:
    """Whether the text is worth a look: the cheap question before the dear one."""
    return bool(_needles().Match(text))


@cache
def _needles() -> re2.Set:
    options = re2.Options()
    options.case_sensitive = False
    found = re2.Set.SearchSet(options)
    found.Add("|".join(re2.escape(needle).replace(r"\^", r"(?m:^)") for needle in NEEDLES))
    found.Compile()
    return found
