"""The seven capabilities as Chinese speaks of them: seven fields of acts, objects and names (see `claim_zh`).

1. `SURE` names a capability by itself (托管消息, 编排). `ACT` is an act that is one only with an object (`THING`) of the same
   field in the sentence. `SOFT` is an act of daily life that needs an object and the manner of a machine as well.
   `NAMED` is an act that needs no object where it is UAIX that is said to do it.
2. A word may belong to several fields. The longest word at a place wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from dragoman.packets.rules.claim_zh_words import each


class Field(StrEnum):
    """What no packet has."""

    MESSAGES = "messages"
    SYNC = "sync"
    RUN = "run"
    REPO = "repo"
    ADAPTER = "adapter"
    CERT = "cert"
    IMPORT = "import"


class Part(StrEnum):
    """What a word is to its field."""

    SURE = "sure"
    ACT = "act"
    SOFT = "soft"
    THING = "thing"
    NAMED = "named"


Role = tuple[Field, Part]


def _w(text: str) -> list[str]:
    return text.split()


_F, _P = Field, Part
_CODE: Final = "仓库 代码 代码库 代码仓 代码仓库 存储库 主分支 分支 储存库 repo pr 合并请求 拉取请求 补丁 主干"

FIELDS: Final[Mapping[Role, list[str]]] = {
    (_F.MESSAGES, _P.SURE): each("托管 托管的 云托管 代管 在线 离线 云端", "消息 信息 讯息 消息队列 消息服务 收件箱 信箱 聊天 会话 对话 邮箱 频道 信道 通道 消息通道 留言")
    + each("消息 讯息 信息 聊天 会话 对话 邮件 邮箱 信件", "托管 代管 代收 中转 中继 转发 服务 服务器 平台 队列 中枢 代理")
    + _w(
        """消息必达 收件箱 信箱 中继 中转 离线代收 代收 代发 代收代发 代收代转 聊天后台 收发信 收发信箱 收件队列 邮局 邮差 信使 传达室 中继站 中继节点 云中转 在线中继 伫列
        讯息伫列 消息收发 收发消息 消息投递 消息送达 讯息传递 mailbox inbox relay broker delivery mq 转发服务 邮箱地址 消息邮箱 私信托管 快递员 信鸽 总机 话务员 收发室 传话筒 寄存柜 驿站
        留言箱 聊天室 消息总线 message_bus 死信队列 消息网关 推送通道 推送服务 收发中心 信道"""
    ),
    (_F.MESSAGES, _P.ACT): _w(
        """群发 群发给 弹到 补送 聊上 扛 扛了 运送 都走 走的是 存储 转发 投递 送达 保管 保存 托管 重发 存信 存放 放着 转达 传递 传送 寄存 暂存 缓存 存着 先收 收着 派送 派件 寄件 分发 转交 推送 推过去 收发 排队 送消息 送到 保留 接力 承载 存在 代管
        收取 转递 转给 转到 递送 递到 递给 送过去 送出去 送信 送给 送去 推给 推到 弹给 补发 补投 补推 再投递 传给 传到 传话 传过去 捎过去 捎给 捎到 带过去 带到 带给 替你留着 留着 留在 放在 存到 发到 发给 收下
        代您收 送不到 收不到 催办 短信 照收 给收 给转 找上门 找上门去 跑到 存下来 攒着 兜住 收好 存好 放到 代转 中转 通知到 投到 投进 送进 塞进 转出去 发出去 推 推出去 送 送上门 送上 派发 交到  收进
        保管着 守着 看着邮件 接住 接收 收齐 搁在 停在 候在 等在 挂在 寄到 寄给 寄出 到货 必达 秒达 直达 送抵 抵达 代寄 回信 捎 传 发送 deliver send push forward store 存 收 存档 备着 躺在 记得 中继 推送给
        躺着 搁着 积着 留到 留给 转投 掌管 吐给 来信 保送 配送 收信 投给 播给 喊到 带话 带个话 传达 转寄 转告 送妥 签收前"""
    ),
    (_F.MESSAGES, _P.THING): _w(
        """消息 讯息 信息 聊天 对话 邮件 会话 信件 收件人 信 回复 答复 来信 留言 私信 消息来 话 把话 你的话 每句话 说的话 聊天记录 回信 回执 通知 短信 来往 往来 交接包 交接单 询盘 message messages msg 包 packet handoff
        对面 对方 收件方 收件智能体 离线 上线 下线 不在线 没在线 没上线 不上线 掉线 离线期间 掉线期间 收件 未读 来函 口信 聊天内容 对方上线 发过来 往来消息 电报 inbox 包裹 交接消息 回应 收信人 接收方"""
    ),
    (_F.SYNC, _P.SURE): each("自动 自动化 自动的 实时 后台 双向 云 多端 云端 全自动 秒级 无感 增量 持续 即时 静默 跨端 随时 定时 无缝 自动双向 实时双向", "同步 对齐 镜像 复制")
    + each("自动", "更新 刷新 保持最新 保持一致 合流 获得新版 对账 拉平 一致 跟新")
    + _w(
        "同一份最新 相差不会超过 都是最新版 永远最新 总是最新 始终最新 同步服务 同步机制 同步引擎 自己同步 自己更新 自行更新 自行刷新 auto-sync autosync live-sync 保持同步 处处更新 改一处 同步功能 补同步 同步能力 crdt 自愈 一处改 多处更新 双活 跟着改 跟着变 随之变 一起变 一起更新 随之更新 自己变 保持一致 时刻一致 永远一致"
    ),
    (_F.SYNC, _P.ACT): _w("流到 传遍 传到 落到 流向 扩散到 复制  同步 同步到 同步好 对齐 拉平 拉到一致 镜像 复制到 刷新 回传 广播 sync syncs syncing synced 同步着 同步给 传播 拉齐 一个样 自动合流 同步过去 扩散 对平 追平 抹平 拉通 拷到 保持最新"),
    (_F.SYNC, _P.SOFT): _w(
        """写一次 改一次 改一处 一处 看得到 发给 更新 更新完毕 最新 最新版 最新状态 变 变一样 改掉 改好 落到 写入 写进 写到 传到 传遍 知道 看到 看得到 得知 跟上 出现 出现在 流到 可见 一致 一模一样 相同 一样 保持 推送 推给 推到 推送到 拉取 获得新版 收到新版 出入 走样 相差 不一致 分毫不差
        对得上 新版 推 合并 共享 进到 沉淀到 生效 反映 体现 跟着 覆盖 落地 传开 就有 盯着 差异 拿到最新 不同步 脱节 变旧 过期 更新好 换成新 换成最新 换新 通气 同一份 一个版本 两样 旧版 记进 搬到 拷贝 复制 改 存到 同频 送到 吃到 拿到 对得齐 齐步"""
    ),
    (_F.SYNC, _P.THING): _w(
        """最新版 文件夹 两份记忆 副本 记忆 状态 各端 各方 多端 两边 数据 改动 各智能体 两端 文件 笔记 所有智能体 版本 台账 上下文 终端 双方 两份 另一份 其余 其他副本 所有副本 每份副本 各系统 各系统间 长期记忆 记忆库 变更 变动 两台 各台 各处 另一头 另一边 别处 记录 手机 电脑 配置 知识库
        事实 更正 机器 所有人 大家手里 大家 各自 参与方 所有持有 旧版 旧版本 记忆提案 proposal state memory 买卖双方 修改 本地修改 系统 两个 三地 各地 全网 全员 团队成员 每一台 每台 表格 资料 报价 库存 进度  你这边 那边 所有 这里 一处 一改 他那边 各个 另一台 其他电脑 读取端 每个智能体 每个人 备份
        上下游 两头 三方 同伴 彼此 所有节点 各节点 多机 设备 各家 另外 拷贝 b机 云端那份 时间线 看板 任务板 每一位 全体 关联记录 档案"""
    ),
    (_F.RUN, _P.SURE): _w(
        """编排 编排器 编排运行 编排者 调度 调度器 调度中枢 总调度 调度中心 派活 派单 派工 派活儿 派任务 唤醒 叫醒 叫起来 拉起 拉起来 重新拉起 续跑 断点续跑 自动重试 自动执行 自动续跑 自动接管 工作流引擎 流程引擎 编排引擎 执行引擎 调度引擎 orchestration
        orchestrate orchestrator scheduler 指挥 统筹 协同调度 轮班 排班 排程 排期 到点触发 超时控制 超时熔断 失败重试 自动派活 自动派单 自动跟进 自动结案 自动调度 接管执行 接着跑 恢复执行 重跑 跑流程 自动推进 自动触发 自动分配任务 自动运行 救活 喊起来 弄醒
        运行时编排 任务编排 工头 包工头 总指挥 dispatcher 重新派 接管 监工 领班 指挥棒 指挥家 自动流转 自动分派 到点启动 自动启动 自动重启 断点续传 弹性伸缩 任务分发 负载均衡 值守 断点恢复 自动接力 项目经理 大管家 总管 乐队指挥 交通警察 红绿灯 调兵遣将"""
    ),
    (_F.RUN, _P.ACT): _w(
        """推上场 塞给 换下一个 换成 另派 启动 停止 暂停 终止 执行 运行 重启 分派 派发 监管 协调 触发 开工 管控 分给 派给 派 分配 唤起 跑起来 跑 跑完 跑一遍 打理 管理 开跑 调用 驱动 启停 安排 监督 升级给 顶上 换一个  另起 挑选 挑 选 指派 路由 推进 控制 决定 开始 续上 接回 继续 继续跑
        恢复 重试 重来 重新 执行掉 干活 处理 叫 交棒 递 递给 接力 轮流上场 放行 完成 运作 照看 盯 盯着 伺候 收拾 善后 干 做完 排 排好 说了算 定 分 分发 管 叫人 催 催促 巡检  自己跑 接手  start run retry restart launch spawn trigger resume execute apply 下单 催款 伸缩 杀掉 带起来
        拆解 拆 派下去 分头 跟进 掌管 轮番上场 唤 跑着 停靠 起来 带跑 监控 扩容 分工 弄起来 开动 发车 顺序执行 转交 移交 接续 告诉 领 派生 发令 张罗 调配 支使 使唤 摆平 切换 换人 补位 兜底 安排好 搞完 跑通 拨给 排队 排满 排到 排到完班 包办"""
    ),
    (_F.RUN, _P.THING): _w(
        """上场 智能体 工作流 每一步 这一步 任务 工作进程 进程 流程 步骤 容器 作业 子任务 集群 机器人 流水线 节点 下一个 下一步 下一环 下一棒 下游 代理 活 活儿 执行顺序 并发 并发度 agent agents pipeline worker workers workflow workflows job jobs task runtime 询价 部署 各智能体 计划 下一位 上级智能体
        plan 队列 子智能体 接力棒 工序 批处理 履约智能体 优先级 谁先 谁后 哪个先 分工 先后 何时 环节 全流程 dag cron 工单 谁空闲 后续 工作 什么时候跑 哪个代理 step steps 执行 next_step 崩溃 崩了 卡住 挂了 挂掉 催办 测试 资源 配额 整条 谁先跑 谁来 动作 催款 一步 收尾 上一步 前一步 各步 资源配额
        因为 队友 角色 班次 轮次 批次 运行时 编译 构建 结案 执行流程"""
    ),
    (_F.REPO, _P.SURE): each("写 改 改写 直写 直接写 直接改 修改 写入 更新", "仓库 代码库 存储库 代码仓 代码仓库 储存库 代码 源码 源代码")
    + each("仓库 代码库 存储库 代码仓 代码仓库 代码", "写入 写权限 提交 推送 合并 改写 落库 回写 变更推送")
    + each("推 提交 合并 合 并 打", "代码 分支 补丁 pr")
    + each("开 提 自动开 自动提 发起 自动 发", "pr 合并请求 拉取请求")
    + each("自动", "提交 合并 推送 合入 push commit merge 落库 打补丁 合代码 回写 建分支")
    + _w("写权限 写入权限 推送权限 提交权限 合并权限 读写权限 写权 那次提交 代码推送 自动合入 commit rebase git_push 强推 auto-merge automerge auto-commit 开好_pr 落库 改动落库 上主干 写回仓库 入主干 git_commit 代提交 deploy_key"),
    (_F.REPO, _P.ACT): _w(
        """自己写 提交 推送 推到 推 推上去 合并 合入 打补丁 写入 写进 写回 直接写 改写 打到 打了补丁 打进 建分支 提pr 上传代码 提交到 入库 写 合到 变基 并入 push merge 回写 落到 落进 落 补一个 补 推送到 推进 写到 打 更新 修改 改 改动 改掉 发起 开 提 创建 碰 动 编辑 更改 替换 删改 删除 打理 写东西 合 合包
        提一个 直推 提上去 送上 发布 检出 修好 并进 提交回 回填 生成 干 干活 覆盖 存进 塞进 落盘 压进 rebase commit force-push 拉分支 切分支 贴到 套上 合流 打上 应用 修 解决 存成 签入 check_in 盖掉"""
    ),
    (_F.REPO, _P.THING): _w(
        """仓库 代码库 存储库 储存库 代码仓 代码 源代码 源码 主分支 分支 合并请求 pr 拉取请求 readme git gitee github gitlab main master 远程仓库 远端仓库 远端 补丁 代码仓库 主干 源文件 git仓库 repo repository upstream branch patch changelog commit 库里 程式码 程序码 主线 trunk src 远端分支 项目 tag diff
        git历史 origin 最终报告 目录 代码评审 配置文件 bug 提交记录 fork codebase 目标分支 contracts 冲突 修复 版本号 上游 提交说明 库中 库"""
    ),
    (_F.ADAPTER, _P.SURE): each("原生 内建", "支持 支援 集成 对接 适配 接入 兼容 整合")
    + each("官方 正式 原厂", "对接 集成 适配 适配器 插件 连接器 接入 扩展 打通 桥接 支持 外挂 整合 合作接入 互通 接口 桥接件 桥接器 转接头 sdk 组件 联名")
    + each("官方的 原厂的 官方版 正版 第一方 官方出品的", "适配器 插件 连接器 扩展 集成 对接 接口 桥接器 组件")
    + each("official", "adapter adapters plugin plugins connector integration"),
    (_F.ADAPTER, _P.ACT): _w(
        """机器人 适配器 连接器 插件 对接组件 集成 桥接器 扩展 适配 适配层 组件 桥接 对接 接入 打通 接口 转接头 外挂 sdk adapter adapters plugin plugins connector connectors extension operator provider integration 桥接件 合作接入 联通 直连 直接串 串接 适配矩阵 小程序 接通 套件 扩展包 客户端 互通 集成包 支援 适配插件
        转换头 驱动 模块 接线 节点 款适配器 串 插头 桥 打包好 做通 接好"""
    ),
    (_F.ADAPTER, _P.THING): _w("自家 自家维护 自研 直接来自 来自uaix 出自uaix 官方 官方版 原厂 原生 正版 官方认可 官方出品 官方维护 第一方 亲自 official first-party 内建 uaix自家 自家出品 uaix出品 uaix团队 官方合作 正牌 亲儿子 嫡系 团队出包"),
    (_F.CERT, _P.SURE): each("官方 权威 第三方 合规 uaix 资质 正式 国际 行业 金牌 国家级", "认证 背书 认可 资质 资格 盖章 认可的 证书 担保 鉴定")
    + each("颁发 签发 发 发放 出具 颁 授予 领取 拿到 派发", "证书 证 合格证 认证 资质 证明")
    + each("合规 合格 资质 资格 认证", "证书 证 证明书 资质 标志")
    + _w(
        """认证机构 发证机构 证书机构 证书颁发 证书颁发机构 根证书机构 发证 ca机构 认证资质 通过官方认证 合规资质 认证服务 certified 认证效力 盖章认可 持证上岗 持证 资质授予 认证标志 认证章 国家级合规认证 背书 盖章 盖了章 担保 合规结论 等级证书 uaix认证 根证书 证书签发 签证书 合规证明
        认证体系 金牌认证 免检 质检章 通行证 护身符 投标资质 认证过 验明正身 做担保 打包票 护照 金字招牌 accredited 官方授权"""
    ),
    (_F.CERT, _P.ACT): _w(
        """认证 颁发 签发 授予 认可 评定 获得 取得 拿到 拿证 具备 视为 等于 就等于 等同于 相当于 算 就算 就是 算作 出具 发 持有 获 已获 获认证 通过 审核 挂 作担保 有效 说话 证明 保真 承认 解决 生效 审核通过 即获  发您 覆盖 全覆盖 过审 盖 给证 代表 确认 鉴定 作保 保证 就有了 带上 附 含 含了 挂证
        说明 表明 合格 够格 备案 包含 在里面 就在里面 意味着 视同 成为 背书认证 资格 管用 通用 送证 寄出 认 认定 具有 换来 领到 有了"""
    ),
    (_F.CERT, _P.THING): _w(
        "证书 认证 合格证 证 资质 资格 认证标志 标志 徽章 认证章 合规 背书 官方背书 等级 证明 认可 正式认可 主管部门 iso badge 标 审计 等保 soc 张证 合格证书 合规性 章 资信 信用等级 质量 准入 牌照 合格 入网许可 尽调 合规认证 验收标准"
    ),
    (_F.IMPORT, _P.SURE): each("托管 托管的 托管式 云端 在线 在线托管 线上 代为 服务端 一键 一键托管 云 自动 代管 免工具 批量在线", "导入 入库 收录 汇入 录入 导入器 导入服务 录入 落库 解析入库 上传导入 导入机制 代导入")
    + _w("导入服务 导入托管 导入中心 导入队列 导入页 导入器 导入入口 托管导入 hosted_import hosted-import 代导入 导入工具 在线导入口 搬家服务 上传即导入 传上来 上传导入 收录服务 云导入 import_endpoint 导入页面 导入大厅 迁移中心 导入网关"),
    (_F.IMPORT, _P.ACT): _w(
        """导入 汇入 读入 载入 录入 装载 入库 解析入库 加载 导 导进来 全导进来 导好 全导好 收录 搬进来 搬过来 全部搬进来 编目 吃进去 收进来 收进库里 收进去 读进来 读进去 接住 全接住 抓取 收进 自动转换 转成 转好 存好 入账 建索引 解析 进了 导进来 导完 进库 归档 迁移 迁过来 搬家 弄妥 import imports imported ingest 收下
        吃 吃到 吞 收纳 消化 收编 落户 归位 摄取 接收 收 导进 灌进 灌入 搬 转换 处理 入驻 登记 入册 上架 整理 解析 导出来 读取 存进"""
    ),
    (_F.IMPORT, _P.THING): _w(
        """上传 传上来 传上去 丢给 丢上去 丢到 丢进 拖到 拖进 拖 往我们网站 网站 官网 云端 云上 云端库 平台 站点 服务器 服务端 后端 后台 在线 线上 我们网站 本站 云 页面 上传当天 账户 upload 提交至 托管 旧数据 老数据 旧记录 旧格式 历史记录 拖拽 粘贴 贴 贴个链接 传到 交给 点一下 点 网页 邮箱 压缩包 zip 发来 寄来
        发给 甩给 甩链接 登录 工作区 uaix页面 web 旧笔记 旧系统 旧数据包 链接 excel 云盘 扔给 扔进 拍照 存量 机器上 传给 传 旧记忆 历史"""
    ),
    (_F.MESSAGES, _P.NAMED): _w("聊上 群发 群发给 送达 投递 转发 托管 代管 找上门 找上门去 代收 中转 推送 收发 传话 带话 来信 送信 转达 传递"),
    (_F.SYNC, _P.NAMED): _w("同步 同步到 同步着 对齐 同步好 镜像 拉平  sync syncs 跟上 可见 传遍 一起变"),
    (_F.RUN, _P.NAMED): _w("编排 调度 重跑 自己跑 派工 重试 轮班 接管"),
    (_F.REPO, _P.NAMED): _w("合并 提交 推送 push commit merge rebase  改写 打补丁 推上去"),
    (_F.CERT, _P.NAMED): _w("认证  合格证 资质 背书 认可 发证 盖章 担保 作担保 ca"),
    (_F.IMPORT, _P.NAMED): _w("导入 汇入 入库 收录 载入 读入 读进来 导好 import"),
}
