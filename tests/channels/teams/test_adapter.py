"""The bot beside Microsoft's emulator: who may call it, whose roster is asked for, where it answers, how it starts."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from dragoman.channels.account import Account, Place, Proof
from dragoman.channels.teams.account import account
from dragoman.channels.teams.check import checks
from dragoman.channels.teams.section import TeamsSection
from dragoman.clock import SystemClock
from dragoman.errors import DragomanError
from dragoman.gate.event import Event
from dragoman.gate.operations import Operation
from dragoman.gate.ports import Output, Receipt
from dragoman.identity import Target
from dragoman.words import Fact
from tests.channels.teams.emulator import APP, Emulator
from tests.channels.teams.keys import Signer, claims_of
from tests.channels.teams.world import People, listening, written
from tests.platforms.world import Saying

pytestmark = [pytest.mark.anyio, pytest.mark.platforms]


class Running(NamedTuple):
    """The bot, listening, and the people of the emulator."""

    account: Account
    people: People
    came: list[Event]

    async def until(self, number: int) -> list[Event]:
        """The first so many events."""
        async with asyncio.timeout(45):
            while len(self.came) < number:
                await asyncio.sleep(0.01)
        return self.came

    async def say(self, channel: str, **more: Any) -> Receipt:
        """We say something."""
        target = Target("teams", "00000000-0000-0000-0000-0000000000001", channel)
        output = Output(operation=Operation.SEND, target=target, key="key-1", text="Yes.")
        return await self.account.perform(msgspec.structs.replace(output, **more))


@contextlib.asynccontextmanager
async def running(emulator: Emulator, folder: Path, **more: Any) -> AsyncIterator[Running]:
    """The bot, listening to the emulator."""
    async with listening(folder) as place:
        made = account(TeamsSection(**written(folder, emulator, **more)), place)
        emulator.logins.callback = lambda: (
            f"http://127.0.0.1:{place.inlet.port}/api/messages" if place.inlet.port else ""
        )
        came: list[Event] = []

        async def read() -> None:
            async for batch in made.events(None):
                came.extend(made.event(each.raw, each.received_at) for each in batch.arrivals)

        await made.open()
        reading = asyncio.ensure_future(read())
        try:
            while not place.inlet.port:
                await asyncio.sleep(0.01)
            yield Running(made, People(emulator), came)
        finally:
            emulator.logins.callback = lambda: ""
            reading.cancel()
            await asyncio.wait({reading})
            await made.close()


async def test_who_may_call(emulator: Emulator, tmp_path: Path) -> None:
    """Only an activity whose token is of the connector, for us and for the address in it, is taken."""
    logins, now = emulator.logins, SystemClock().now()
    body = {"type": "message", "channelId": "msteams", "serviceUrl": logins.service_url}
    right = claims_of(APP, logins.service_url, now)
    tokens = {
        "right": logins.signer.token(right),
        "another bot's": logins.signer.token({**right, "aud": "another"}),
        "an old one": logins.signer.token({**right, "exp": right["exp"] - 86_400}),
        "forged": Signer().token(right),
        "of an unknown key": Signer("key-9").token(right),
        "none": "",
    }
    async with running(emulator, tmp_path) as we:

        def post(token: str, raw: bytes) -> int:
            return logins.post(raw, {"authorization": f"Bearer {token}"})

        def all_of_them() -> dict[str, int]:
            found = {name: post(token, json.dumps(body).encode()) for name, token in tokens.items()}
            elsewhere = {**body, "serviceUrl": "https://evil.example/"}
            found["another address"] = post(tokens["right"], json.dumps(elsewhere).encode())
            foreign = logins.signer.token(claims_of(APP, "https://evil.example/", now))
            found["a signed address of somebody else"] = post(foreign, json.dumps(elsewhere).encode())
            found["no JSON"] = post(tokens["right"], b"{")
            return found

        answers = await asyncio.to_thread(all_of_them)
        (only,) = await we.until(1)

    assert {"right": 200} == {name: status for name, status in answers.items() if status != 401}
    assert "recipient.id" in only.malformed


async def test_a_roster_is_asked_for_once_and_only_for_people(emulator: Emulator, tmp_path: Path) -> None:
    """What a person says is kept with who is there; a bot, an edit and a system notice cost no request."""
    async with running(emulator, tmp_path) as we:
        before = len(emulator.way.requests)
        for who, more in (("crier", {}), ("jordan", {"type": "messageUpdate"}), ("jordan", {"type": "typing"})):
            await asyncio.to_thread(lambda who=who, more=more: we.people.custom(Saying(who=who, text="hi"), **more))
        await we.until(3)
        nobody = emulator.way.requests[before:]
        for text in ("which dates?", "and the other one?"):
            await asyncio.to_thread(lambda text=text: we.people.custom(Saying(who="jordan", text=text)))
        events = await we.until(5)
        asked = emulator.way.requests[before:]

    assert [] == nobody
    assert 1 == len(asked)
    assert "pagedMembers" in asked[0]
    assert [Fact.UNKNOWN, Fact.UNKNOWN, Fact.UNKNOWN, Fact.NO, Fact.NO] == [event.shared for event in events]


async def test_a_roster_that_fails_leaves_it_open(emulator: Emulator, tmp_path: Path) -> None:
    """The message is taken all the same; who is there is unknown, which is external."""
    emulator.way.arrived = lambda request: "pagedMembers" in request
    try:
        async with running(emulator, tmp_path) as we:
            await asyncio.to_thread(lambda: we.people.custom(Saying(who="jordan", text="which dates?")))
            (event,) = await we.until(1)
    finally:
        emulator.way.arrived = lambda request: False

    assert (Fact.UNKNOWN, "which dates?") == (event.shared, event.text)


async def test_a_thread_is_answered_in_it(emulator: Emulator, tmp_path: Path) -> None:
    """What was asked in a channel's thread is answered in that thread, and our typing is seen there."""
    async with running(emulator, tmp_path) as we:
        await asyncio.to_thread(lambda: we.people.by_client(Saying(text="which dates?", mentions=True)))
        (event,) = await we.until(1)
        receipt = await we.say(event.target.channel, thread=event.thread)
        requests = emulator.way.requests[-1]

    assert (Fact.YES, True) == (receipt.delivered, bool(receipt.evidence))
    assert f"{event.target.channel};messageid={event.thread}" in requests.replace("%3B", ";").replace("%3D", "=")


WRONG = ["../../x", "19:a/b", "19:a?b=c", "19:a#b", "", "19:a b", "19:a%2fb"]


@pytest.mark.parametrize("id", WRONG)
async def test_no_id_leads_elsewhere(emulator: Emulator, tmp_path: Path, id: str) -> None:
    """An id that would be another path of the connector is refused before anything leaves."""
    async with running(emulator, tmp_path) as we:
        before = len(emulator.way.requests)
        here = we.people.places["trio"]
        receipts = [await we.say(id), await we.say(here, operation=Operation.EDIT, edits=id)]
        receipts += [await we.say(here, thread=id)] if id else []

    assert {Fact.NO} == {receipt.delivered for receipt in receipts}
    assert before == len(emulator.way.requests)


async def test_a_token_that_is_not_accepted_is_got_again(emulator: Emulator, tmp_path: Path) -> None:
    """The refused text did not leave; the next one goes with a fresh token, and only then is one asked for."""
    async with running(emulator, tmp_path) as we:
        here, before = we.people.places["trio"], emulator.logins.tokens
        emulator.way.instead = lambda request: (401, b"{}")
        refused = await we.say(here)
        emulator.way.instead = lambda request: None
        again, more = await we.say(here), await we.say(here)

    assert [Fact.NO, Fact.YES, Fact.YES] == [receipt.delivered for receipt in (refused, again, more)]
    assert 1 == emulator.logins.tokens - before


async def test_a_lost_answer_is_lost_for_good(emulator: Emulator, tmp_path: Path) -> None:
    """A bot cannot read back, so no proof will ever come."""
    async with running(emulator, tmp_path) as we:
        target = Target("teams", emulator.config["tenantId"], we.people.places["trio"])

        assert Proof(Fact.UNKNOWN, gone=True) == await we.account.look_up(target, "key-1", 0)


async def test_how_it_starts(emulator: Emulator, tmp_path: Path) -> None:
    """No secret, a wrong one, nobody there, an address in the clear: each is said before anything is served."""
    good = written(tmp_path, emulator)
    cases = [
        ({}, "", "config_invalid"),
        ({}, "guess", "channel_refused"),
        ({"login_url": "http://127.0.0.1:9"}, "client-secret", "channel_unreachable"),
        ({"login_url": "http://login.example"}, "client-secret", "config_invalid"),
        ({"service_url": "http://smba.example"}, "client-secret", "config_invalid"),
    ]
    async with listening(tmp_path) as place:
        for change, secret, code in cases:
            (tmp_path / "teams.secret").write_text(secret)
            assert code == await _refusal(TeamsSection(**{**good, **change}), place)


async def _refusal(section: TeamsSection, place: Place) -> str:
    """Why an account cannot be opened."""
    made = None
    try:
        made = account(section, place)
        await made.open()
    except DragomanError as refused:
        return refused.code
    finally:
        if made is not None:
            await made.close()
    return ""


async def test_what_doctor_says(emulator: Emulator, tmp_path: Path) -> None:
    """A good account is all right, a wrong secret is a blocker with what to click, in both languages."""
    section = TeamsSection(**written(tmp_path, emulator))
    async with listening(tmp_path) as place:
        good = await checks(section, place)
        (tmp_path / "teams.secret").write_text("guess")
        bad = await checks(section, place)

    assert {"token": "ok", "keys": "ok", "address": "not_checked"} == {each.what: each.state for each in good}
    assert [("token", "blocker", "channel_refused")] == [(each.what, each.state, each.code) for each in bad]
    assert all(all(each.said) for each in [*good, *bad])
    assert all(all(each.fix) for each in bad)
