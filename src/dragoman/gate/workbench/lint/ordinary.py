"""Words that everybody writes: a protected term among them would hold half of all answers. Data, no rules."""

from __future__ import annotations

from typing import Final

ENGLISH: Final = frozenset(
    """
    a about above after again all also always am an and any are around as ask at available away back be because been
    before best better between big both bring but buy by call can cannot case change check choose close come company
    confirm contact could customer date day days deal delivery did different do does done down each early east email
    end enough even every example find fine first five for four free friday from full general get give go good great
    group had hand has have he hello help her here high him his hour hours how i if in into is it its item items just
    keep know large last late later least left let like list little long look lot low made mail make many material may
    maybe me meeting message might minute minutes monday money month months more most much must my name need never new
    next nine no north not note nothing now number of off offer office often ok okay old on once one only open or order
    other our out over own part people per phone place plan please point possible price product project quality quantity
    question ready really reply request right same sample say see seem sell send service set seven several she ship
    shipping short should since site six size small so some something soon sorry south standard start still stock stop
    such sunday supplier sure take team tell ten test than thank thanks that the their them then there these they thing
    think this three thursday time to today together tomorrow too total tuesday two under until up update us use very
    want was way we website wednesday week weeks well were west what when where which while who why will with without
    work would year years yes yesterday you your
    """.split()  # noqa: SIM905  a list of words reads best as words
)

CHINESE: Final = frozenset(
    """
    我们 你们 他们 可以 请问 谢谢 收到 今天 明天 昨天 现在 时间 价格 数量 产品 公司 项目
    客户 订单 发货 交货 确认 需要 什么 哪些 这个 那个 没有 问题 已经 还是 或者 以及 如果
    但是 因为 所以 工作 联系 电话 邮件 地址 名称 日期 质量 样品 服务 报价 合同 你好 您好
    好的 是的 不是 开始 结束 一下 一些 关于 进行 提供 发送 回复 信息 文件 会议 计划 安排
    """.split()  # noqa: SIM905  a list of words reads best as words
)

ORDINARY: Final = ENGLISH | CHINESE
