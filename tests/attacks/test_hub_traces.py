"""What is left of words after an erasure or their time, and who can keep them there; on a hub that goes on running."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest
from nacl.signing import SigningKey

from dragoman import wire
from dragoman.clock import DAY, HOUR
from dragoman.hub import rows
from dragoman.hub.admin import Admin
from dragoman.hub.store import Transaction
from tests.attacks.hubs import code_of, contact_of, newcomer, tight, world_with
from tests.hub.test_erasure import dump
from tests.hub.test_keys import ending, public, recovery
from tests.hub.world import Instance, World
from tests.postgres import Cluster

pytestmark = pytest.mark.anyio


def on_disk(folder: Path) -> bytes:
    """All that the files of a store hold at this moment."""
    return b"".join(each.read_bytes() for each in folder.rglob("hub.db*"))


async def test_erased_words_leave_the_files_of_a_running_hub(tmp_path: Path) -> None:
    """Not only once it is closed: the write-ahead log is emptied too."""
    world = World.on_sqlite(tmp_path)
    await world.furnish()
    await world.a1.send(world.contact_id, "rep_remembered", "unforgettable " * 500, packet='{"k":"packetword"}')
    body = wire.PutStall(generation=world.a1.generation, title="stallword", text="stallword " * 50)
    await world.hub.directory.put(world.a1.token, body)
    before = on_disk(tmp_path)
    await Admin(world.hub.desk).erase(world.a1.role_id)
    after = on_disk(tmp_path)
    await world.store.close()

    words = (b"unforgettable", b"packetword", b"stallword", b"rep_remembered")
    assert [True] * 4 == [word in before for word in words]
    assert [] == [word for word in words if word in after]


async def test_old_words_leave_the_files_of_a_running_hub(tmp_path: Path) -> None:
    """So do words whose time is over, even while somebody reads an older moment when the sweep comes."""
    world = World.on_sqlite(tmp_path)
    await world.furnish()
    await world.a1.send(world.contact_id, "rep_remembered", "unforgettable " * 500)
    world.clock.pass_ms(8 * DAY)
    await world.hub.upkeep.sweep()
    await world.hub.upkeep.sweep()
    after = on_disk(tmp_path)
    await world.store.close()

    assert b"unforgettable" not in after


async def test_nobody_can_be_in_the_way_of_an_erasure(world: World) -> None:
    """A role minted an id that looks like what an erasure might call another of its messages; it is erased all the
    same, and the word by which it called a contact goes too."""
    await contact_of(world.a1, world.b, "open_telling_word")
    await world.a1.send(world.contact_id, "rep_the_first_one")
    for seen in ("rep_the_first_one", world.contact_id):
        await world.a1.send(world.contact_id, "erased_" + hashlib.sha256(seen.encode()).hexdigest())
    erased = await Admin(world.hub.desk).erase(world.a1.role_id)
    page = (await world.hub.messages.page(world.b.token, world.contact_id, 0)).messages
    left = repr(await dump(world.store))

    assert (3, 3) == (erased.messages, len({each.reply_id for each in page}))
    assert [] == [word for word in ("open_telling_word", "rep_the_first_one") if word in left]


async def test_an_erased_role_is_not_heard_of_again(world: World) -> None:
    """A moment that this process still remembers of it is not written down afterwards."""
    await world.a1.lease()
    body = wire.TakeLease(generation=world.a1.generation)
    await world.hub.leases.waiting(world.a1.token, body)
    await Admin(world.hub.desk).erase(world.a1.role_id)
    await world.hub.pulse.flush()

    assert world.a1.role_id not in (await dump(world.store))["pulse"]


async def test_an_erasure_among_sends_and_acks(world: World) -> None:
    """Its peers send to it, ack what it said and close its contacts meanwhile: nobody is told of a fault."""
    others = [await newcomer(world, 70 + number) for number in range(3)]
    doing = []
    for number, other in enumerate([world.b, *others]):
        contacts = [await contact_of(world.a1, other, f"open_{number}_{at:03}") for at in range(6)]
        for at, contact in enumerate(contacts):
            await world.a1.send(contact, f"rep_{number}_{at:04}")
        got = await other.lease(limit=50)
        assert got.lease is not None
        doing += [other.send(each, f"rep_{number}_{at:04}") for at, each in enumerate(reversed(contacts))]
        doing.append(other.ack(got.lease.lease_token, *reversed([each.message_id for each in got.messages])))
        doing += [other.hub.contacts.close(other.token, contacts[3], wire.CloseContact(generation=other.generation))]
    doing.append(Admin(world.hub.desk).erase(world.a1.role_id))  # type: ignore[arg-type]
    codes = await asyncio.gather(*(code_of(each) for each in doing))

    assert {"ok", "contact_closed", "lease_lost"} >= set(codes)


async def test_a_tenant_is_not_filled_twice(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Roles that revoked themselves, so that others could take their places, do not come back beside those."""
    cluster: Cluster | None = request.getfixturevalue("postgres") if engine == "postgres" else None
    async with world_with(engine, tmp_path, cluster, tight(roles_per_tenant=3)) as world:
        third = await newcomer(world, 80)
        full = await code_of(Instance(world.hub, _key(81), third.instance_id).register())
        await world.hub.keys.revoke(await ending(world, third, "revoke"))
        code = (await Admin(world.hub.desk).recovery_code(third.role_id, HOUR)).code
        fourth = await newcomer(world, 82)
        back = await code_of(world.hub.keys.recover(await recovery(world, third, _key(83), code=code)))
        await world.hub.keys.revoke(await ending(world, fourth, "revoke"))
        again = await code_of(world.hub.keys.recover(await recovery(world, third, _key(83), code=code)))

    assert ("tenant_full", "tenant_full", "ok") == (full, back, again)


async def test_a_wrong_clock_makes_no_nonce_good_again(world: World) -> None:
    """A log-in is overheard; another hub's clock runs ahead, sweeps, and is set right: the log-in is still used."""
    overheard = await world.a1.request()
    await world.hub.entrance.log_in(overheard)
    world.clock.pass_ms(HOUR)
    await world.b.log_in()
    await world.hub.upkeep.sweep()
    world.clock.pass_ms(-HOUR)

    assert "nonce_used" == await code_of(world.hub.entrance.log_in(overheard))


async def test_one_invitation_for_many_at_once(world: World) -> None:
    """Twelve keys use a code for two roles in the same moment: two roles are made."""
    code = (await Admin(world.hub.desk).invite("default", 2, HOUR)).code

    async def register(seed: int) -> wire.Role:
        key = _key(seed)
        data = wire.register_input("http://127.0.0.1:1", public(key))
        body = wire.RegisterRole(
            public_key=public(key),
            origin="http://127.0.0.1:1",
            signature=key.sign(data).signature.hex(),
            invitation=code,
        )
        return await world.hub.entrance.register(body)

    codes = await asyncio.gather(*(code_of(register(seed)) for seed in range(90, 102)))

    assert {"ok": 2, "invitation_invalid": 10} == {each: codes.count(each) for each in set(codes)}


async def test_one_recovery_code_for_many_at_once(world: World) -> None:
    """Whoever has a code uses it six times at once, with six keys: one of them is the role's."""
    code = (await Admin(world.hub.desk).recovery_code(world.a1.role_id, HOUR)).code
    bodies = [await recovery(world, world.a1, _key(110 + number), code=code) for number in range(6)]
    codes = await asyncio.gather(*(code_of(world.hub.keys.recover(each)) for each in bodies))

    async def held(tx: Transaction) -> str:
        return str(rows.must(await tx.one("role_get", role_id=world.a1.role_id), "role_unknown")["public_key"])

    assert {"ok": 1, "recovery_invalid": 5} == {each: codes.count(each) for each in set(codes)}
    assert await world.store.read(held) == bodies[codes.index("ok")].public_key


def _key(seed: int) -> SigningKey:
    return SigningKey(seed.to_bytes(32, "big"))
