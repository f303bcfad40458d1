"""What each reason means in words, for the operator and the owner (spec 1 §9: `dragoman why`).

`docs/reference/reasons.md` says the same; a test holds the two together. English and Chinese.
"""

from __future__ import annotations

from typing import Final

from dragoman.words import Reason

WHY: Final[dict[Reason, dict[str, str]]] = {
    Reason.AUTH_FAILED: {
        "en": "the transport did not authenticate the event",
        "zh": "传输层没有证明该事件的来源",
    },
    Reason.DUPLICATE: {
        "en": "the same message was decided already",
        "zh": "同一条消息已经判定过",
    },
    Reason.SELF_ECHO: {
        "en": "our own message came back",
        "zh": "是我们自己的消息返回",
    },
    Reason.NOT_A_MESSAGE: {
        "en": "a reaction, join, receipt, call or other thing that asks nothing",
        "zh": "表情、加入、回执、通话等，不构成请求",
    },
    Reason.EDIT_NOT_A_REQUEST: {
        "en": "an edit; counted only where the platform marks newly added mentions and the policy opts in",
        "zh": "编辑不算请求；仅当平台标出新增提及且策略允许时才算",
    },
    Reason.STALE: {
        "en": "older than the freshness window, or from the future",
        "zh": "早于新鲜期，或时间在未来",
    },
    Reason.PAUSED: {
        "en": "the operator paused the agent everywhere or here",
        "zh": "操作员已在全局或此处暂停",
    },
    Reason.HUMAN_TAKEOVER: {
        "en": "a colleague has taken the conversation over",
        "zh": "同事已接手该对话",
    },
    Reason.INVALID_FACTS: {
        "en": "a fact or identity that must be known is malformed",
        "zh": "必须知道的事实或身份格式不正确",
    },
    Reason.SYNTHETIC_WITHOUT_TARGET: {
        "en": "a schedule, tool or restart names no exact target",
        "zh": "计划、工具或重启没有指明确切目标",
    },
    Reason.ACCESS_DENIED: {
        "en": "sender or target is not allowed",
        "zh": "发送者或目标不被允许",
    },
    Reason.SYNTHETIC_WITHOUT_GRANT: {
        "en": "a schedule, tool or restart without a grant for it",
        "zh": "计划、工具或重启没有对应授权",
    },
    Reason.BOT_WITHOUT_GRANT: {
        "en": "a bot, or an author of unknown kind, without a grant that names it here",
        "zh": "机器人或身份种类不明的作者，没有点名它的授权",
    },
    Reason.ADDRESSED_TO_OTHER: {
        "en": "somebody else is addressed",
        "zh": "是对别人说的",
    },
    Reason.NOT_REQUESTED: {
        "en": "nothing asked the agent",
        "zh": "没有任何内容向智能体提出请求",
    },
    Reason.RULE_FAILED: {
        "en": "a check raised an error, which is a no",
        "zh": "检查出错，按否处理",
    },
    Reason.POLICY_BROKEN: {
        "en": "the policy file does not load: external and silent everywhere",
        "zh": "策略文件无法加载：一律按外部并保持静默",
    },
    Reason.OPERATOR_COMMAND: {
        "en": "a control command of a trusted operator, handled inline",
        "zh": "可信操作员的控制命令，直接处理",
    },
    Reason.OPERATOR_REQUESTED: {
        "en": "a grant covers this very event",
        "zh": "有授权覆盖这一事件",
    },
    Reason.AGENT_MENTIONED: {
        "en": "a current, explicit mention",
        "zh": "当前消息明确提及智能体",
    },
    Reason.AGENT_COMMAND: {
        "en": "a recognised command directed at the agent",
        "zh": "发给智能体的已识别命令",
    },
    Reason.REPLY_TO_AGENT: {
        "en": "a direct reply to the agent's own message",
        "zh": "直接回复智能体自己的消息",
    },
    Reason.DIRECT_MESSAGE: {
        "en": "a real one-to-one message with substance or an attachment",
        "zh": "真实的一对一消息，有内容或附件",
    },
    Reason.OPEN_QUESTION: {
        "en": "an open question where the policy admits them",
        "zh": "策略允许回答的开放性问题",
    },
    Reason.OPERATOR_MESSAGE: {
        "en": "an operator's message where the policy makes them requests",
        "zh": "策略允许视为请求的操作员消息",
    },
    Reason.MENTION_NOT_REQUIRED: {
        "en": "text at a target whose policy asks for no mention",
        "zh": "该目标的策略不要求提及",
    },
    Reason.ATTACHMENT_BURST: {
        "en": "parts of a request are still arriving",
        "zh": "请求的各部分仍在到达",
    },
    Reason.RELEASED: {
        "en": "every check passed",
        "zh": "全部检查通过",
    },
    Reason.TURN_FAILED: {
        "en": "the turn failed and nothing was sent: the fixed safe sentence",
        "zh": "本轮失败且什么都没有发出：改发固定的安全语句",
    },
    Reason.CLASS_NOT_ALLOWED: {
        "en": "this kind of content never reaches this audience",
        "zh": "此类内容不得到达该受众",
    },
    Reason.NOT_ADMITTED: {
        "en": "the event that is answered was not admitted",
        "zh": "所回答的事件没有获准",
    },
    Reason.HARD_STOP: {
        "en": "signing, moving money, entering credentials, publishing packages, disclosure",
        "zh": "签署、转移资金、输入凭证、发布软件包或跨对手方披露",
    },
    Reason.UNDECLARED_OPERATION: {
        "en": "the adapter's operation table lacks it",
        "zh": "适配器的操作表没有声明此操作",
    },
    Reason.TARGET_INVALID: {
        "en": "no exact target, or an edit that names no message",
        "zh": "没有确切目标",
    },
    Reason.NO_DELIVERY_AUTHORITY: {
        "en": "neither an admission nor a grant",
        "zh": "既没有准入也没有授权",
    },
    Reason.ADMISSION_EXPIRED: {
        "en": "the admission is older than it may be, or its turn is over",
        "zh": "准入已过期",
    },
    Reason.ADMISSION_SPENT: {
        "en": "the admission has paid for its number of sends",
        "zh": "准入可用的发送次数已用完",
    },
    Reason.POLICY_CHANGED: {
        "en": "the admission belongs to another version of the policy",
        "zh": "准入属于另一版本的策略",
    },
    Reason.LOOKS_ON: {
        "en": "shadow mode beside another bot: the gate looks on and says nothing itself",
        "zh": "影子模式：由其他机器人发言，网关只旁观",
    },
    Reason.UNGATED_SEND: {
        "en": "a guarded client was called past the gate; nothing left",
        "zh": "绕过网关调用了受保护的客户端；什么都没有发出",
    },
    Reason.OTHER_TARGET: {
        "en": "a reply goes to the event's own target only",
        "zh": "回复只能发往事件自己的目标",
    },
    Reason.GRANT_UNKNOWN: {
        "en": "the quoted grant does not exist",
        "zh": "所引用的授权不存在",
    },
    Reason.GRANT_EXPIRED: {
        "en": "the grant has ended",
        "zh": "授权已结束",
    },
    Reason.GRANT_NOT_YET: {
        "en": "the grant has not begun",
        "zh": "授权尚未开始",
    },
    Reason.GRANT_SPENT: {
        "en": "the grant's count or daily budget is used up",
        "zh": "授权的次数或每日预算已用完",
    },
    Reason.GRANT_OTHER_TARGET: {
        "en": "the grant does not name this target",
        "zh": "授权没有列出该目标",
    },
    Reason.GRANT_OTHER_PURPOSE: {
        "en": "the grant is for something else",
        "zh": "授权用于其他目的",
    },
    Reason.APPROVAL_MISMATCH: {
        "en": "the approval is for another text",
        "zh": "批准的是另一段文字",
    },
    Reason.TOO_LONG: {
        "en": "longer than the platform takes",
        "zh": "超过平台可接受的长度",
    },
    Reason.EMPTY_TEXT: {
        "en": "nothing to say",
        "zh": "没有可发送的内容",
    },
    Reason.PART_NOT_CARRIED: {
        "en": "a file, button, card, poll, link or subject that this operation does not carry, or not so many of",
        "zh": "该操作不支持这类文件、按钮、卡片、投票、链接或主题，或数量过多",
    },
    Reason.PART_INVALID: {
        "en": "a part is too many, too large or malformed, such as a file name with a path",
        "zh": "附带内容过多、过大或格式不正确，例如文件名含有路径",
    },
    Reason.LEAK_SUSPECTED: {
        "en": "a secret, path, trace, internal host or another counterparty's term; cannot be approved",
        "zh": "疑似密钥、路径、跟踪、内部主机或其他对手方的受保护条款；不能批准放行",
    },
    Reason.DRAFT_ONLY_TOPIC: {
        "en": "a topic that stays a draft until approved",
        "zh": "此主题在批准之前只能是草稿",
    },
    Reason.DRAFT_ONLY_TARGET: {
        "en": "every answer at this target stays a draft until approved",
        "zh": "该目标的所有回答在批准之前只能是草稿",
    },
    Reason.UNVERIFIED_CLAIM: {
        "en": "a date, amount, quantity or specification that the record does not state",
        "zh": "日期、金额、数量或规格不在授权记录中",
    },
    Reason.UNCHECKED_CONTENT: {
        "en": "a file whose content cannot be read, and so was not checked, stays a draft until approved",
        "zh": "文件内容无法读取，因而未经检查，在批准之前只能是草稿",
    },
    Reason.LINK_SUSPECTED: {
        "en": "a link that runs something, leads inside, or shows another host than its target; cannot be approved",
        "zh": "链接会执行内容、指向内部，或显示的主机与目标不同；不能批准放行",
    },
    Reason.NOT_IMPLEMENTED: {
        "en": "this kind of output is not built yet",
        "zh": "此类输出尚未实现",
    },
}
"""Every reason with its sentence in each language."""


def in_words(reason: str, language: str = "en") -> str:
    """The sentence of a reason's code; the code itself for what is no reason of the gate."""
    try:
        sentences = WHY[Reason(reason)]
    except ValueError:
        return reason.replace("_", " ")
    return sentences.get(language, sentences["en"])
