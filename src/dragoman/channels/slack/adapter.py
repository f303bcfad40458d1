"""Speaking to one Slack workspace, on `slack_sdk`: carries out outputs, says who is there, decides nothing.

1. It sends no typing, joins nothing, opens no conversation: a target is a conversation's id, never a person or a name.
2. Delivered is YES only with Slack's `ok` and its id. It is NO when no byte of the request left, or when Slack refused.
   All else is UNKNOWN: time-outs, cut connections, 5xx, and the errors after which part of it may have been done.
3. Slack knows no send keys, so nothing is ever repeated here. `look_up` reads the conversation back and looks for the
   key's hash in our own messages: there it is a YES; not found is no proof, for ever.
4. What is for one person alone goes as an ephemeral message or not at all.
5. New and changed messages of one conversation go one after the other, about one a second after a few at once.
   `Retry-After` is told to whoever asked, and not waited for here.
6. A file is put where nobody sees it, and then said in the conversation; only the second can be delivered.

Output operations are called from the gate's door only.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any, Final

from dragoman.channels.account import Proof
from dragoman.channels.payload import Payload
from dragoman.channels.slack.connection import Connection, Told, Unsent, Unsure
from dragoman.channels.slack.facts import PLATFORM
from dragoman.channels.slack.lookups import Lookups
from dragoman.channels.slack.outgoing import OPERATIONS as OPERATIONS
from dragoman.channels.slack.outgoing import blocks, carries, fresh, message, reaction, thread
from dragoman.channels.slack.state import SlackAgent, is_channel, is_ts, moment
from dragoman.clock import HOUR, MINUTE, SECOND, Clock
from dragoman.errors import DragomanError
from dragoman.gate.operations import Operation
from dragoman.gate.parts import File
from dragoman.gate.ports import Output, Presence, Receipt
from dragoman.identity import Target
from dragoman.words import Fact

AT_ONCE: Final = 5
"""Messages of a conversation that may go without a pause between them."""
_PACED: Final = frozenset({Operation.SEND, Operation.EDIT, Operation.UPLOAD, Operation.PRIVATE})
_HALF_DONE: Final = frozenset({"internal_error", "fatal_error", "request_timeout", "service_unavailable"})
"""Errors after which, Slack says, part of it may have been done."""
_RETRY: Final = 5 * SECOND
_THREADS: Final = 20
"""Threads that are read back for a lost answer."""


class _Line:
    """What goes to one conversation: in order, and paced."""

    def __init__(self, pace: float) -> None:
        self._pace = pace
        self._order = asyncio.Lock()
        self._free_at = 0.0

    async def __aenter__(self) -> None:
        await self._order.acquire()
        try:
            now = time.monotonic()
            self._free_at = max(self._free_at, now - AT_ONCE * self._pace) + self._pace
            await asyncio.sleep(max(0.0, self._free_at - now))
        except BaseException:
            self._order.release()
            raise

    async def __aexit__(self, *ended: object) -> None:
        self._order.release()


class SlackChannel:
    """The bot of one workspace; implements `gate.ports.Channel`. `pace` is in seconds between messages.

    Raises:
        DragomanError: `config_invalid` for an address in the clear.
    """

    platform: Final = PLATFORM
    operations: Final = OPERATIONS

    def __init__(
        self,
        team_id: str,
        app_id: str,
        token: str,
        *,
        api_url: str,
        clock: Clock,
        timeout: float = 15.0,
        pace: float = 1.0,
    ) -> None:
        self._team_id, self._app_id, self._clock, self._pace = team_id, app_id, clock, pace
        self._connection = Connection(api_url, token, timeout)
        self._lookups = Lookups(self._connection, clock, team_id)
        self._agent: SlackAgent | None = None
        self._lines: dict[str, _Line] = {}

    @property
    def agent(self) -> SlackAgent:
        """Who we are; known after `open`."""
        if self._agent is None:
            raise DragomanError("channel_unreachable", "not opened", where="slack")
        return self._agent

    async def open(self) -> None:
        """See that the token is the bot's of this workspace.

        Raises:
            DragomanError: `channel_refused` if it is not, `channel_unreachable` if nobody answered.
        """
        told = await self._connection.ask("auth.test")
        me = Payload(told.body)
        user, bot, company = me.id("user_id"), me.id("bot_id"), me.id("enterprise_id")
        if told.limited or told.status >= 500:
            raise DragomanError("channel_unreachable", f"auth.test: {told.error or told.status}", where="slack")
        if not told.ok or not user or not bot or me.id("team_id") != self._team_id:
            detail = told.error or "not a bot's token of this workspace"
            fix = "copy the Bot User OAuth Token of the app, as it is installed in this workspace"
            raise DragomanError("channel_refused", detail, where="slack", fix=fix)
        if me.id("app_id") not in ("", self._app_id):
            raise DragomanError("channel_refused", "the token is another app's", where="slack", fix="check `app_id`")
        try:
            self._agent = SlackAgent(user_id=user, bot_id=bot, app_id=self._app_id)
        except ValueError as odd:
            raise DragomanError("channel_refused", str(odd), where="slack", fix="check `api_url`") from odd
        self._lookups.own = user
        self._lookups.ours = frozenset(filter(None, (self._team_id, company)))

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    async def presence(self, target: Target) -> Presence:
        """Who is there now, we ourselves left out; unknown when Slack does not say (spec 1 §2)."""
        if not self._ours(target):
            return Presence(Fact.UNKNOWN)
        try:
            async with asyncio.timeout(self._connection.timeout):
                return await self._lookups.presence(target.channel)
        except TimeoutError:
            return Presence(Fact.UNKNOWN)

    async def perform(self, output: Output) -> Receipt:
        """Carry out one output operation (spec 1 §6, §7)."""
        refusal = self._refusal(output)
        if refusal:
            return Receipt(delivered=Fact.NO, detail=refusal)
        file_id = ""
        if output.operation is Operation.UPLOAD:
            stored = await self._stored(output.parts.files[0])
            if isinstance(stored, Receipt):
                return stored
            file_id = stored
        line = self._lines.setdefault(output.target.channel, _Line(self._pace))
        try:
            if output.operation not in _PACED:
                told = await self._connection.send(self._call(output, file_id))
            else:
                async with line:
                    told = await self._connection.send(self._call(output, file_id))
        except Unsent as failed:
            return Receipt(delivered=Fact.NO, detail=str(failed))
        except Unsure as failed:
            return Receipt(delivered=Fact.UNKNOWN, detail=str(failed))
        return self._receipt(output, told, file_id)

    async def look_up(self, target: Target, key: str, minted_at: int) -> Proof:
        """Whether a message of ours with this key stands in the conversation, or in one of its latest threads."""
        if not self._ours(target):
            return Proof(Fact.UNKNOWN, gone=True)
        oldest = f"{max(0, minted_at - MINUTE) / SECOND:.6f}"
        form = {"channel": target.channel, "limit": "200", "include_all_metadata": "true"}
        try:
            late = await self._said("conversations.history", **form, oldest=oldest)
            found = self._mine(late, key)
            if not found:
                roots = [root for root in await self._said("conversations.history", **form) if _answered(root, oldest)]
                for root in roots[:_THREADS]:
                    replies = await self._said("conversations.replies", **form, ts=str(root["ts"]), oldest=oldest)
                    found = found or self._mine(replies, key)
        except DragomanError:
            return Proof(Fact.UNKNOWN)
        return Proof(Fact.YES, found) if found else Proof(Fact.UNKNOWN, gone=True)

    async def _said(self, method: str, **form: str) -> list[Mapping[str, Any]]:
        told = await self._connection.ask(method, **form)
        if not told.ok:
            raise DragomanError("channel_unreachable", told.error or str(told.status), where=f"slack {method}")
        return [one.raw for one in Payload(told.body).objects("messages")]

    def _mine(self, messages: list[Mapping[str, Any]], key: str) -> str:
        """The `ts` of our own message with this key; what others write into their metadata is nothing."""
        own = (self.agent.user_id, self.agent.bot_id)
        mine = (one for one in messages if one.get("user") == own[0] or one.get("bot_id") == own[1])
        return next((str(one["ts"]) for one in mine if carries(one, key) and is_ts(one.get("ts"))), "")

    def _refusal(self, output: Output) -> str:
        """Why an output cannot be carried out at all, or the empty string."""
        operation, only_for = output.operation, output.only_for
        if operation not in OPERATIONS:
            return "operation not declared"
        if not self._ours(output.target):
            return "not a conversation of this account"
        if operation is Operation.EDIT and not is_ts(output.edits):
            return "nothing to edit"
        if operation is Operation.REACT and not (is_ts(output.reply_to) and reaction(output.text)):
            return "no message to mark, or no emoji that Slack has a name for"
        if operation is Operation.PRIVATE and (only_for is None or only_for.platform != PLATFORM):
            return "nobody to show it to"
        if bool(output.parts) != (operation is Operation.UPLOAD) or len(output.parts.files) > 1:
            return "not declared with these parts"
        return ""

    async def _stored(self, file: File) -> str | Receipt:
        """The id of a file that nobody sees yet, or why there is none."""
        client = self._connection.client()
        form = {"filename": file.name, "length": str(len(file.content))} | ({"alt_txt": file.alt} if file.alt else {})
        try:
            told = await self._connection.send(client.api_call("files.getUploadURLExternal", data=form))
        except (Unsent, Unsure) as failed:
            return Receipt(delivered=Fact.NO, detail=f"upload: {failed}")
        place = Payload(told.body)
        file_id, address = place.id("file_id"), place.text("upload_url")
        if not told.ok or not file_id:
            return Receipt(delivered=Fact.NO, detail=f"upload: {told.error or told.status}", retry_at=self._later(told))
        try:
            status = await self._connection.put(address, file.content)
        except DragomanError as failed:
            return Receipt(delivered=Fact.NO, detail=f"upload: {failed.detail}")
        return file_id if status == 200 else Receipt(delivered=Fact.NO, detail=f"upload: status {status}")

    async def _call(self, output: Output, file_id: str) -> Any:
        client, channel = self._connection.client(), output.target.channel
        match output.operation:
            case Operation.SEND:
                return await client.chat_postMessage(**fresh(output))
            case Operation.EDIT:
                return await client.chat_update(ts=str(output.edits), attachments=[], **message(output))
            case Operation.PRIVATE:
                who: dict[str, Any] = {"user": output.only_for.id if output.only_for else "", **thread(output)}
                return await client.chat_postEphemeral(**who, **message(output))
            case Operation.REACT:  # the SDK would put what is said into the address; a form is the same to Slack
                form = {"channel": channel, "timestamp": str(output.reply_to), "name": reaction(output.text)}
                return await client.api_call("reactions.add", data=form)
            case _:
                file = output.parts.files[0]
                files = json.dumps([{"id": file_id, "title": file.name}])
                form = {"channel_id": channel, "files": files, **thread(output)}
                form |= {"blocks": json.dumps(blocks(file.caption))} if file.caption else {}
                return await client.api_call("files.completeUploadExternal", data=form)

    def _receipt(self, output: Output, told: Told, file_id: str) -> Receipt:
        if told.limited:
            return Receipt(delivered=Fact.NO, detail="rate limited", retry_at=self._later(told))
        if told.ok or (output.operation is Operation.REACT and told.error == "already_reacted"):
            answered = Payload(told.body)
            evidence = {
                Operation.PRIVATE: answered.text("message_ts"),
                Operation.REACT: f"status {told.status}",
                Operation.UPLOAD: file_id,
            }.get(output.operation, answered.text("ts"))
            if evidence:
                return Receipt(delivered=Fact.YES, evidence=evidence)
            return Receipt(delivered=Fact.UNKNOWN, detail="no id in the answer")
        refused = 400 <= told.status < 500 and told.status != 408
        refused = refused or (told.status == 200 and told.body.get("ok") is False)
        sure = refused and told.error not in _HALF_DONE
        return Receipt(delivered=Fact.NO if sure else Fact.UNKNOWN, detail=f"{told.status} {told.error}".strip())

    def _later(self, told: Told) -> int | None:
        """When to come back, if Slack says that it is for a rate."""
        if not told.limited:
            return None
        said = told.retry_after
        wait = int(said[:9]) * SECOND if said.isascii() and said.isdigit() else _RETRY
        return self._clock.now() + min(wait, HOUR)

    def _ours(self, target: Target) -> bool:
        mine = target.platform == PLATFORM and target.workspace == self._team_id
        return mine and is_channel(target.channel)


def _answered(root: Mapping[str, Any], since: str) -> bool:
    """Whether a thread under this message got an answer since then."""
    latest = root.get("latest_reply")
    if not is_ts(root.get("ts")) or not root.get("reply_count"):
        return False
    return not is_ts(latest) or moment(str(latest)) >= moment(since)
