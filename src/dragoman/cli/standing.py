"""`dragoman status` for people: what waits for the owner first, with the command that answers it, then all the rest.

Order: what ended it · waits · perhaps sent · drafts · conversations with their budgets · not told · paused · how it
stands. A heading with nothing under it is left out, but for what waits: that nothing does is worth a line. The page is
made of what `receiver.status` says and holds nothing else.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from dragoman.cli import error_phrases
from dragoman.cli.language import language, pick
from dragoman.cli.phrases import LEVELS, told, word
from dragoman.cli.retold import retold
from dragoman.cli.screen import Row, bar, moment, pad, span
from dragoman.receiver import findings
from dragoman.receiver.sentences import STOP, in_language
from dragoman.shown import json_shown, shown
from dragoman.words import StopReason

TEXT_LINES: Final = 3
TEXT_CELLS: Final = 300
MOST: Final = 20
"""How many rows of one kind are shown; `--json` has them all."""
_LABEL: Final = 20
_OWN_WORDS: Final = '"decision":"reply","message":"…"'


class Page:
    """One status as rows. `config` is the path as the owner would write it."""

    def __init__(self, found: dict[str, Any], config: str) -> None:
        self._found = found
        self._config = shlex.quote(config)
        self._now: int = found["now"]

    def rows(self) -> Iterator[Row]:
        """The whole page."""
        yield from ended_rows(self._found)
        yield from self._waiting()
        yield from self._uncertain()
        yield from self._drafts()
        yield from self._tasks()
        yield from self._untold()
        yield from self._paused()
        yield from self._stands()

    # --- what waits --------------------------------------------------------------------------------------------------

    def _waiting(self) -> Iterator[Row]:
        waiting = self._found["waiting_owner"]
        if not waiting:
            yield Row(told("nothing_waits"), "good")
            return
        yield Row(told("needs_you", count=len(waiting)), "urgent")
        for each in waiting[:MOST]:
            yield self._since(each["contact_id"], each["since"])
            yield from _texts("{text}", retold(each["summary"], language()))
            for message in each["messages"][-TEXT_LINES:]:
                yield from _texts("peer_wrote", message["text"])
            if each["draft_id"] or each["reply_id"]:
                continue  # answered below, by its draft or its reply
            contact = each["contact_id"] if each["target"].startswith("hub/") else each["target"]
            asked = {"contact_id": contact, "question_id": each["question_id"]}
            yield from self._resolve("do_continue", **asked, decision="continue")
            yield from self._resolve("do_close", **asked, decision="close")
            yield Row("    " + told("do_answer", form=_OWN_WORDS), "dim")
        yield from _more(waiting)

    def _uncertain(self) -> Iterator[Row]:
        uncertain = self._found["uncertain_sends"]
        if not uncertain:
            return
        yield Row(told("uncertain", count=len(uncertain)), "urgent")
        for each in uncertain[:MOST]:
            yield self._since(each["contact_id"], each["since"])
            yield from _texts("our_reply", each["text"])
            yield from self._resolve("do_delivered", reply_id=each["reply_id"], reply_delivered=True)
            yield from self._resolve("do_not_delivered", reply_id=each["reply_id"], reply_delivered=False)
        yield from _more(uncertain)

    def _drafts(self) -> Iterator[Row]:
        drafts = self._found["drafts"]
        if not drafts:
            return
        yield Row(told("drafts", count=len(drafts)), "urgent")
        for each in drafts[:MOST]:
            left = span(each["expires_at"] - self._now, language())
            yield self._since(each["target"], each["since"], _reason(each["reason"]), told("expires", span=left))
            yield from _texts("draft_text", each["text"])
            shown_as = f"--config {self._config}"
            yield from _command("do_show", f"dragoman drafts show {each['id']} {shown_as}")
            if each["approvable"]:
                exact = f"--sha256 {each['sha256'][:12]}"
                yield from _command("do_approve", f"dragoman drafts approve {each['id']} {exact} {shown_as}")
            yield from _command("do_reject", f"dragoman drafts reject {each['id']} {shown_as}")
        yield from _more(drafts)

    # --- what was spent ----------------------------------------------------------------------------------------------

    def _tasks(self) -> Iterator[Row]:
        tasks = self._found["autonomy"]
        if not tasks:
            return
        yield Row(told("tasks", count=len(tasks)), "head")
        for each in tasks[:MOST]:
            stop = each["stop_reason"]
            sentence = in_language(STOP[StopReason(stop)], language()) if stop else told("going_on")
            yield Row(f"  {each['contact_id']}: {sentence}", "warn" if stop else "")
            yield _labelled("turns", bar(each["turns_used"], each["max_turns"]), indent=4)
        yield from _more(tasks)
        first = tasks[0]
        yield _labelled("today", bar(first["dispatches_today"], first["max_dispatches"]))
        left = first["expires_at"] - self._now
        until = told("until", span=span(left, language()), until=moment(first["expires_at"]))
        yield _labelled("time_left", until if left > 0 else told("expired"))

    # --- the rest ----------------------------------------------------------------------------------------------------

    def _untold(self) -> Iterator[Row]:
        untold = self._found["notifications"]
        if not untold:
            return
        yield Row(told("untold", count=len(untold)), "warn")
        for each in untold[:MOST]:
            yield self._since(each["contact_id"] or each["id"], each["since"], word(each["state"]))
            yield from _texts("{text}", retold(each["summary"], language()))
            if each["state"] in ("uncertain", "failed"):
                yield from self._resolve("do_delivered", notification_id=each["id"], notification_delivered=True)
                yield from self._resolve("do_not_delivered", notification_id=each["id"], notification_delivered=False)
        yield from _more(untold)

    def _paused(self) -> Iterator[Row]:
        paused = self._found["paused"]
        if paused:
            yield Row(told("paused"), "warn")
        for place in paused:
            where = told("everywhere") if place == "*" else place
            resume = "" if place == "*" else f" {shlex.quote(place)}"
            yield Row(f"  {where}")
            yield Row(f"      dragoman resume{resume} --config {self._config}", "command")

    def _stands(self) -> Iterator[Row]:
        found = self._found
        yield Row(told("stands"), "head")
        yield _labelled("mode", told("attended" if found["mode"] == "attended" else "autonomous"))
        readiness, background = found["readiness"], found["background"]
        yield _labelled("level", told("reported", level=pick(LEVELS[readiness["level"]])))
        for name in readiness["blockers"]:
            what, fix = findings.detail(name, language(), {}), findings.fix(name, language(), {})
            yield Row(f"    {told('lacks', what=what)}; {told('fix', fix=fix)}", "warn")
        at_hub = (found.get("hub") or {}).get("readiness")
        if at_hub:
            when = moment(at_hub["reported_at"]) if at_hub["reported_at"] else told("never")
            yield _labelled("at_hub", told("hub_said", level=pick(LEVELS[at_hub["level"]]), when=when))
        seen = told("background_yes", boots=background["boots"]) if background["observed"] else told("background_no")
        yield _labelled("background", seen)
        yield _labelled("last_cycle", self._last(background["last_cycle"]))
        yield _labelled("real_peer", self._real_peer())
        for name in ("messages", "replies"):
            counts = ", ".join(f"{number} {word(state)}" for state, number in found[name].items())
            yield _labelled(name, counts or told("none"))

    def _last(self, cycle: dict[str, Any] | None) -> str:
        if cycle is None:
            return told("never")
        words = "cycle_on" if not cycle["ended_at"] else "cycle_ok" if cycle["ok"] else "cycle_bad"
        return told(words, when=moment(cycle["started_at"]))

    def _real_peer(self) -> str:
        if self._found["real_peer"] != "verified":
            return told("unverified")
        return told("verified", contact=self._found["real_peer_contact_id"], when=moment(self._found["real_peer_at"]))

    def _since(self, contact: str, since: int, *more: str) -> Row:
        waited = span(self._now - since, language())
        head = told("contact", contact=contact, since=moment(since), span=waited)
        return Row("  " + "; ".join([head, *more]), "head")

    def _resolve(self, what: str, **said: object) -> Iterator[Row]:
        """The exact command for one word of the owner's, whatever an id holds."""
        body = json_shown(msgspec.json.encode({"owner_confirmed": True, **said}).decode())
        words = f"printf %s {shlex.quote(body)} | dragoman resolve --resolution - --config {self._config}"
        return _command(what, words)


def ended_rows(found: dict[str, Any]) -> Iterator[Row]:
    """What ended this role in a process of many, and how to mend it; nothing while it works."""
    ended = found["ended"]
    if ended is None:
        return
    lasted = span(found["now"] - ended["since"], language())
    where = shown(ended["where"])
    yield Row(
        f"    {told('role_ended', since=moment(ended['since']), span=lasted, code=ended['code'], where=where)}",
        "urgent",
    )
    if fix := error_phrases.fix(ended["fix"], language()):
        yield Row(f"    {told('fix', fix=shown(fix))}", "dim")


def _command(what: str, words: str) -> Iterator[Row]:
    """What it does, and the command alone on its line: some shells take no comment behind it."""
    yield Row(f"    {told(what)}:", "dim")
    yield Row(f"      {words}", "command")


def _labelled(name: str, text: str, indent: int = 2) -> Row:
    return Row(f"{' ' * indent}{pad(told(name), _LABEL)} {text}")


def _texts(phrase: str, text: str) -> Iterator[Row]:
    """The first lines of a text; of others' words each line is made harmless before it is ours."""
    lines = [each for each in text.splitlines() if each.strip()]
    for each in lines[:TEXT_LINES]:
        cut = shown(each if len(each) <= TEXT_CELLS else f"{each[:TEXT_CELLS]}…")
        yield Row(f"    {cut}" if phrase == "{text}" else f"    {told(phrase, text=cut)}")
    if len(lines) > TEXT_LINES:
        yield Row(f"    {told('more_lines', count=len(lines) - TEXT_LINES)}", "dim")


def _more(rows: list[Any]) -> Iterator[Row]:
    if len(rows) > MOST:
        yield Row(f"  {told('more_lines', count=len(rows) - MOST)}", "dim")


def _reason(reason: str) -> str:
    from dragoman.gate.why import in_words

    return in_words(reason, language())
