"""The account on the loopback server: who may call it, what proves a send, the 24 hours, and what a restart keeps."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dragoman.channels.account import Account, Proof
from dragoman.channels.spool import Batch
from dragoman.channels.whatsapp.account import account
from dragoman.channels.whatsapp.check import checks
from dragoman.channels.whatsapp.section import WhatsAppSection
from dragoman.clock import DAY, HOUR, SECOND, SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Receipt
from dragoman.identity import Target
from dragoman.words import Fact
from tests.channels.whatsapp.graph_server import GraphServer, Number
from tests.channels.whatsapp.world import GROUPS, PEOPLE, listening, written

BUYER = PEOPLE["buyer"]
pytestmark = [pytest.mark.anyio]


class Running(NamedTuple):
    """An account that listens, and the number that it speaks for."""

    account: Account
    number: Number
    came: list[Batch]

    async def heard(self, text: str = "are you there?", **more: Any) -> None:
        """The buyer writes, and it is in."""
        self.number.say(BUYER, text, **more)
        await asyncio.to_thread(_idle, self.number)

    async def say(self, key: str = "key-1", text: str = "Yes.", **more: Any) -> Receipt:
        """We say something to the buyer."""
        return await self.account.perform(
            Output(operation=Operation.SEND, target=self.target(), key=key, text=text, **more)
        )

    def target(self, channel: str = BUYER) -> Target:
        """A chat of our number."""
        return Target("whatsapp", self.number.phone_number_id, channel)


def _idle(number: Number) -> None:
    while not number.idle():
        pass


@contextlib.asynccontextmanager
async def running(number: Number, folder: Path, url: str, ahead: int = 0, **more: Any) -> AsyncIterator[Running]:
    """The account of a number, listening, its clock `ahead` milliseconds ahead."""
    async with listening(folder, Ahead(ahead)) as place:
        made = account(WhatsAppSection(**written(folder, number, url, **more)), place)
        number.callback = lambda: f"http://127.0.0.1:{place.inlet.port}/whatsapp" if place.inlet.port else ""
        came: list[Batch] = []

        async def read() -> None:
            async for batch in made.events(None):
                came.append(batch)

        await made.open()
        reading = asyncio.ensure_future(read())
        try:
            yield Running(made, number, came)
        finally:
            number.callback = lambda: ""
            reading.cancel()
            await asyncio.wait({reading})
            await made.close()


class Ahead:
    """The machine's clock, set ahead."""

    def __init__(self, ms: int) -> None:
        self._ms = ms

    def now(self) -> int:
        """Milliseconds since the epoch."""
        return SystemClock().now() + self._ms


@pytest.fixture
def number(graph: GraphServer) -> Number:
    """A number of its own."""
    return graph.number()


# --- what proves a send ----------------------------------------------------------------------------------------------


class Fate(NamedTuple):
    """The statuses that come after the API took a message, and what we then know."""

    name: str
    statuses: tuple[str, ...]
    code: int | None
    delivered: Fact
    detail: str


FATES = [
    Fate("sent", ("sent",), None, Fact.YES, ""),
    Fate("delivered at once", ("delivered",), None, Fact.YES, ""),
    Fate("read at once", ("read",), None, Fact.YES, ""),
    Fate("nothing comes", (), None, Fact.UNKNOWN, "no status came"),
    Fate("an unknown word", ("warned",), None, Fact.UNKNOWN, "no status came"),
    Fate("failed", (), 131026, Fact.NO, "status 0, code 131026"),
    Fate("failed by the limit of the pair", (), 131056, Fact.NO, "status 0, code 131056"),
    Fate("failed because the window is closed", (), 131047, Fact.NO, "window_closed"),
]


@pytest.mark.parametrize("fate", FATES, ids=[fate.name for fate in FATES])
async def test_only_a_status_proves(graph: GraphServer, number: Number, tmp_path: Path, fate: Fate) -> None:
    """The API's answer is no evidence: a status of Meta is, or nobody knows."""
    number.statuses, number.fails_with = fate.statuses, fate.code
    async with running(number, tmp_path, graph.url, status_seconds=0.5) as we:
        await we.heard()
        receipt = await we.say()

    assert (fate.delivered, fate.detail) == (receipt.delivered, receipt.detail)
    assert ((number.sent[0].wamid if number.sent else "") if fate.delivered is Fact.YES else "") == receipt.evidence
    assert (fate.code == 131056) == (receipt.retry_at is not None)


async def test_what_comes_late_is_looked_up(graph: GraphServer, number: Number, tmp_path: Path) -> None:
    """A status that comes after the wait is found by the key, also by the next process; a failure after it is none."""
    number.statuses = ()
    async with running(number, tmp_path, graph.url, status_seconds=0.1) as we:
        await we.heard()
        receipt = await we.say()
        before = await we.account.look_up(we.target(), "key-1", SystemClock().now())
        (sent,) = number.sent
        number._status(sent.wamid, BUYER, "delivered", None, "key-1")
        number._status(sent.wamid, BUYER, "failed", 131000, "key-1")
        await asyncio.to_thread(_idle, number)
        after = await we.account.look_up(we.target(), "key-1", SystemClock().now())
    async with running(number, tmp_path, graph.url) as we:
        later = await we.account.look_up(we.target(), "key-1", SystemClock().now())

    assert Fact.UNKNOWN is receipt.delivered
    assert (Proof(Fact.UNKNOWN), Proof(Fact.YES, sent.wamid)) == (before, after)
    assert after == later


async def test_a_proof_that_never_comes_is_given_up(graph: GraphServer, number: Number, tmp_path: Path) -> None:
    """Once we listened long enough nobody will ever prove it; what failed is provably not there."""
    number.fails_with = 131026
    async with running(number, tmp_path, graph.url, status_seconds=0.1) as we:
        await we.heard()
        await we.say("failed")
        old = SystemClock().now() - HOUR
        early = await we.account.look_up(we.target(), "never", old)
        await asyncio.sleep(2.1)
        late = await we.account.look_up(we.target(), "never", old)
        fresh = await we.account.look_up(we.target(), "never", SystemClock().now())
        failed = await we.account.look_up(we.target(), "failed", old)

    assert Proof(Fact.UNKNOWN) == early == fresh
    assert Proof(Fact.UNKNOWN, gone=True) == late
    assert Fact.NO is failed.there


async def test_a_failed_send_may_be_tried_again(graph: GraphServer, number: Number, tmp_path: Path) -> None:
    """The second try under the same key is judged by its own status, not by that of the first."""
    number.fails_with = 131026
    async with running(number, tmp_path, graph.url) as we:
        await we.heard()
        first = await we.say()
        number.fails_with, number.slow = None, 0.3
        second = await we.say()
        proof = await we.account.look_up(we.target(), "key-1", SystemClock().now())

    (sent,) = number.sent
    assert (Fact.NO, Fact.YES, sent.wamid) == (first.delivered, second.delivered, second.evidence)
    assert Proof(Fact.YES, sent.wamid) == proof


# --- the 24 hours ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ago", "ahead", "right"),
    [(0, 0, True), (DAY - 5 * SECOND, 0, True), (DAY + SECOND, 0, False), (0, DAY + SECOND, False)],
    ids=["just now", "almost a day ago", "a day ago", "a day later"],
)
async def test_the_window(
    graph: GraphServer, number: Number, tmp_path: Path, ago: int, ahead: int, right: bool
) -> None:
    """Within 24 hours of the customer's last message a text goes; later nothing leaves, not even a request."""
    async with running(number, tmp_path, graph.url) as we:
        await we.heard(ago_ms=ago)
    async with running(number, tmp_path, graph.url, ahead) as we:  # known from what is kept, by another process
        receipt = await we.say()

    assert (Fact.YES if right else Fact.NO, "" if right else "window_closed") == (receipt.delivered, receipt.detail)
    assert (int(right), int(right)) == (number.writes, len(number.sent))


async def test_nobody_wrote(graph: GraphServer, number: Number, tmp_path: Path) -> None:
    """Where nobody ever wrote, or only reacted, or another did, the window is closed."""
    async with running(number, tmp_path, graph.url) as we:
        number.say(PEOPLE["jordan"], "hello")
        number.say(BUYER, group=GROUPS["group"], text="hello all")
        number.say(BUYER, type="reaction", reaction={"message_id": "wamid.x", "emoji": "👍"})
        await asyncio.to_thread(_idle, number)
        receipt = await we.say()

    assert (Fact.NO, "window_closed") == (receipt.delivered, receipt.detail)
    assert 0 == number.writes


# --- who may call ----------------------------------------------------------------------------------------------------


async def test_who_may_call(graph: GraphServer, number: Number, tmp_path: Path) -> None:
    """Only what is signed with our secret is taken; the challenge comes back for our word only."""
    async with running(number, tmp_path, graph.url) as we:
        await we.heard("the first")
        body = json.dumps({"object": "whatsapp_business_account", "entry": []}).encode()

        def signed(raw: bytes, secret: str) -> int:
            signature = hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()
            return number.post(raw, {"X-Hub-Signature-256": f"sha256={signature}"})

        def asked() -> list[object]:
            good, bad = number.subscribe(number.word), number.subscribe("guess")
            forged = [number.post(body, {}), signed(body, "guess"), signed(b"{", number.app_secret)]
            return [good, bad[0], *forged, signed(body, number.app_secret)]

        answers = await asyncio.to_thread(asked)

    assert [(200, b"1158201444"), 403, 401, 401, 400, 200] == answers


async def test_other_numbers_and_statuses_are_no_arrivals(graph: GraphServer, number: Number, tmp_path: Path) -> None:
    """What Meta tells of another number, and statuses, become nobody's message; one body may hold several."""
    async with running(number, tmp_path, graph.url) as we:
        message = {"from": BUYER, "id": "wamid.a", "timestamp": "1790000000", "type": "text", "text": {"body": "a"}}
        number.tell({"messages": [message]}, number="999999999999")
        number.tell({"messages": [message, {**message, "id": "wamid.b"}], "statuses": [{"id": "wamid.c"}]})
        await asyncio.to_thread(_idle, number)
        await asyncio.sleep(0.1)
        found = [we.account.event(each.raw, each.received_at) for batch in we.came for each in batch.arrivals]

    assert ["wamid.a", "wamid.b"] == [event.event_id for event in found]
    assert {Fact.YES} == {event.authenticated for event in found}


async def test_an_answer_points_at_what_it_answers(graph: GraphServer, number: Number, tmp_path: Path) -> None:
    """The request is a plain text without a preview, in reply to a message of WhatsApp's and to nothing else."""
    async with running(number, tmp_path, graph.url) as we:
        await we.heard()
        await we.say("one", reply_to="wamid.abc")
        await we.say("two", reply_to="schedule-1")

    first, second = (sent.body for sent in number.sent)
    assert {"message_id": "wamid.abc"} == first["context"]
    assert "context" not in second
    assert {"preview_url": False, "body": "Yes."} == first["text"]
    assert ("one", "individual", BUYER) == (first["biz_opaque_callback_data"], first["recipient_type"], first["to"])


async def test_who_shows_no_number_is_answered(graph: GraphServer, number: Number, tmp_path: Path) -> None:
    """A customer with a user name instead of a number is a chat of its own, and is answered by the scoped id."""
    someone = "US.13491208655302741918"
    async with running(number, tmp_path, graph.url) as we:
        number.say(someone, "are you there?")
        await asyncio.to_thread(_idle, number)
        receipt = await we.account.perform(
            Output(operation=Operation.SEND, target=we.target(someone), key="key-1", text="Yes.")
        )

    (sent,) = number.sent
    assert (Fact.YES, someone) == (receipt.delivered, sent.body["recipient"])
    assert "to" not in sent.body


# --- how it starts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["token", "app_secret", "verify_token"])
async def test_without_a_secret_it_does_not_start(
    graph: GraphServer, number: Number, tmp_path: Path, missing: str
) -> None:
    """An empty secret is refused before anything is connected."""
    section = WhatsAppSection(**written(tmp_path, number, graph.url))
    (tmp_path / f"whatsapp.{missing}").write_text("\n")
    async with listening(tmp_path) as place:
        with pytest.raises(DragomanError) as refused:
            account(section, place)

    assert "config_invalid" == refused.value.code


async def test_whose_token_it_is(graph: GraphServer, number: Number, tmp_path: Path) -> None:
    """A wrong token is refused, nobody there is unreachable, and an address in the clear is never used."""
    section = written(tmp_path, number, graph.url)
    codes = []
    async with listening(tmp_path) as place:
        for change, token in (({}, "guess"), ({"api_url": "http://127.0.0.1:9"}, number.token)):
            (tmp_path / "whatsapp.token").write_text(token)
            made = account(WhatsAppSection(**{**section, **change}), place)
            with pytest.raises(DragomanError) as refused:
                await made.open()
            await made.close()
            codes.append(refused.value.code)
        with pytest.raises(DragomanError) as clear:
            account(WhatsAppSection(**{**section, "api_url": "http://graph.example"}), place)

    assert ["channel_refused", "channel_unreachable", "config_invalid"] == [*codes, clear.value.code]


async def test_what_doctor_says(graph: GraphServer, number: Number, tmp_path: Path) -> None:
    """A good account is all right, a wrong token is a blocker with what to click, in both languages."""
    section = WhatsAppSection(**written(tmp_path, number, graph.url))
    async with listening(tmp_path) as place:
        good = await checks(section, place)
        (tmp_path / "whatsapp.token").write_text("guess")
        bad = await checks(section, place)

        with pytest.raises(DragomanError) as nobody:
            await checks(WhatsAppSection(**written(tmp_path, number, "http://127.0.0.1:9")), place)

    expected = {"token": "ok", "number": "ok", "webhook": "ok", "address": "not_checked"}
    assert expected == {each.what: each.state for each in good}
    assert [("token", "blocker", "channel_refused")] == [(each.what, each.state, each.code) for each in bad]
    assert "channel_unreachable" == nobody.value.code
    assert all(all(each.said) for each in [*good, *bad])
    assert all(all(each.fix) for each in bad)
