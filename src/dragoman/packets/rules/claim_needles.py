"""Which words stand in every claim? What has none of them is never asked the dear question (`prose.asked_of`).

Every capability of `claims.CAPABILITIES` has one of the needles in its words, in whatever letter case. A `^` stands for
the beginning of a line.
"""

from __future__ import annotations

from typing import Final

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
)
NEEDLES: Final = tuple(_WRITTEN.replace("^", "\n").split("|"))
"""One of these is part of every claim, in lower case; a packet without them is done in one pass (`leaks.Sieve`)."""
