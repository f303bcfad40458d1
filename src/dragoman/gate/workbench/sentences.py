"""The sentences that a policy is explained with, English and Chinese; data, filled by `explain.py`.

They are for the operator and may name ids and counterparties; none of them ever names a protected term or a fact.
"""

from __future__ import annotations

from typing import Final

SENTENCES: Final[dict[str, tuple[str, str]]] = {
    "shadow": (
        "Shadow mode: everything below is decided and written down, and nothing is blocked.",
        "影子模式：以下一切都会判定并记录，但什么都不阻止。",
    ),
    "external": ("Outsiders listen here.", "此处有外部人员在场。"),
    "external_unlisted": (
        "This target is not listed, so outsiders are taken to listen.",
        "此目标未列出，一律视为有外部人员在场。",
    ),
    "internal": (
        "Internal, as long as it is proven that nobody from outside is there; otherwise external.",
        "内部目标；只有证明没有外部人员在场时才算数，否则按外部处理。",
    ),
    "operator": (
        "The operator's own place, as long as it is proven that nobody from outside is there; otherwise external.",
        "操作员自己的地方；只有证明没有外部人员在场时才算数，否则按外部处理。",
    ),
    "owners": ("It belongs to {names}.", "此处属于 {names}。"),
    "public": ("Anybody can read it.", "任何人都能看到此处内容。"),
    "denied": (
        "Denied: nothing is answered and no grant delivers here.",
        "拒绝访问：不回答任何内容，任何授权也不能在此发送。",
    ),
    "closed": (
        "Closed: messages from places that are not listed are not answered.",
        "关闭：未列出地方的消息一律不回答。",
    ),
    "explicit_only": (
        "Only an explicit request counts here, and only as external: {grounds}.",
        "此处只有明确的请求才算，且按外部处理：{grounds}。",
    ),
    "everyone": ("Everyone here may ask.", "此处人人可问。"),
    "everyone_but": (
        "Everyone here may ask, but for {count} denied senders.",
        "此处人人可问，但 {count} 个被拒发送者除外。",
    ),
    "only": ("Only {count} named senders may ask.", "只有 {count} 个点名的发送者可以提问。"),
    "nobody": (
        "Nobody may ask: the list of allowed senders is empty.",
        "无人可问：允许的发送者名单为空。",
    ),
    "sender_denied": ("{sender} is denied everywhere.", "{sender} 在所有地方都被拒绝。"),
    "sender_barred": ("{sender} is not among the allowed senders.", "{sender} 不在允许的发送者之中。"),
    "sender_operator": (
        "{sender} is an operator: may command the agent and approve drafts.",
        "{sender} 是操作员：可以指挥智能体并批准草稿。",
    ),
    "sender_person": (
        "{sender} is heard as a person; if the platform says it is a bot, only a grant admits it.",
        "{sender} 按普通人处理；若平台表明它是机器人，则只有授权才能准入。",
    ),
    "asks": ("A person is answered on: {grounds}.", "以下情况会回答个人：{grounds}。"),
    "asks_nothing": ("No message is answered.", "不回答任何消息。"),
    "silent_else": (
        "Everything else stays silent, before any work is done; so does what is addressed to somebody else.",
        "其余一律保持静默，且不做任何工作；对别人说的话也一样。",
    ),
    "only_stop": (
        "Of commands only the control words are known; anybody's `stop` ends their own turn.",
        "命令中只认控制词；任何人的 `stop` 只结束自己的那一轮。",
    ),
    "commands": ("Commands it knows: {names}.", "认识的命令：{names}。"),
    "prefixes": ("A command may begin with {names}.", "命令可以用 {names} 开头。"),
    "takeover": (
        "After an operator wrote here it stays out for {seconds} seconds.",
        "操作员在此发言后，它会回避 {seconds} 秒。",
    ),
    "edits": (
        "An edit that newly mentions it counts as a request.",
        "新加入提及的编辑算作请求。",
    ),
    "bot": (
        "The bot {party} is admitted by the grant {id}, until {until}.",
        "机器人 {party} 由授权 {id} 准入，至 {until}。",
    ),
    "schedule": (
        "The grant {id} ({purpose}) may deliver here, until {until}{budget}.",
        "授权 {id}（{purpose}）可在此发送，至 {until}{budget}。",
    ),
    "budget": (", at most {numbers}", "，至多 {numbers}"),
    "ended": ("The grant {id} does not hold now: {from_} to {until}.", "授权 {id} 现在无效：{from_} 至 {until}。"),
    "classes": ("What may go out: {classes}.", "可以发出的内容：{classes}。"),
    "tier": (
        "Every answer to an outsider is filed and waits for approval.",
        "对外部人员的每个回答都会存为草稿，等待批准。",
    ),
    "topics": ("Filed for approval instead of sent: {topics}.", "以下内容不发送，存为草稿待批准：{topics}。"),
    "no_topics": (
        "No topic is filed for approval: prices, commitments and legal text go out unseen.",
        "没有任何主题需要批准：价格、承诺和法律文本会直接发出。",
    ),
    "record": (
        "Recorded facts that it may state: {count}; other dates, amounts, quantities and specifications are filed.",
        "可以陈述 {count} 条记录在案的事实；其他日期、金额、数量和规格一律存为草稿。",
    ),
    "no_record": (
        "No recorded facts: every date, amount, quantity and specification is filed.",
        "没有记录在案的事实：任何日期、金额、数量和规格都存为草稿。",
    ),
    "terms": (
        "{count} protected terms are guarded; those of {names} may be said here.",
        "共守护 {count} 个受保护词；此处可以说 {names} 的词。",
    ),
    "terms_all": (
        "{count} protected terms are guarded; none of them may be said here.",
        "共守护 {count} 个受保护词；此处一个都不能说。",
    ),
    "admission": (
        "A request may be answered for {seconds} seconds, in at most {sends} messages.",
        "一个请求可在 {seconds} 秒内回答，至多 {sends} 条消息。",
    ),
    "freshness": ("Messages older than {seconds} seconds are not answered.", "早于 {seconds} 秒的消息不回答。"),
    "in_en": ("Fixed sentences are in English.", "固定语句使用英文。"),
    "in_zh": ("Fixed sentences are in Chinese.", "固定语句使用中文。"),
    "acknowledges": ("A short acknowledgement follows an admitted request.", "请求获准后会先发一句简短确认。"),
    "observes": (
        "Text that nobody addressed to it is kept for {seconds} seconds, for {readers}.",
        "没有对它说的文字会保存 {seconds} 秒，供 {readers} 使用。",
    ),
    "operators": ("{count} operators: {names}.", "{count} 个操作员：{names}。"),
    "no_operators": (
        "No operators: drafts are approved on the command line only.",
        "没有操作员：只能在命令行批准草稿。",
    ),
    "counterparties": ("{count} counterparties: {names}.", "{count} 个对手方：{names}。"),
}
"""Key → English, Chinese. A name in braces is filled in."""

PAGE: Final[dict[str, tuple[str, str]]] = {
    "whole": ("The whole policy", "整个策略"),
    "unlisted": ("Every target that is not listed", "所有未列出的目标"),
    "target": ("At {target}", "在 {target}"),
}
"""Headings."""


def sentence(key: str, language: str, **filled: object) -> str:
    """One sentence, filled in."""
    english, chinese = {**SENTENCES, **PAGE}[key]
    return (chinese if language == "zh" else english).format(**filled)
