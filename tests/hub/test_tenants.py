"""Tenants and invitations: limits of their own within the hub's, roles and contacts counted, writes refused."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from dragoman import wire
from dragoman.clock import DAY, HOUR
from dragoman.errors import DragomanError
from dragoman.hub import tenants
from dragoman.hub.admin import Admin
from dragoman.hub.refusal import Refusal
from dragoman.hub.service import Hub
from tests.hub.world import ORIGIN, Instance, World

HUB = wire.Limits()
WITHIN = [
    ("nothing of its own", "{}", {}),
    ("tighter", '{"text_bytes":10}', {"text_bytes": 10}),
    ("never wider", '{"text_bytes":1000000}', {}),
    ("a bound where the hub has none", '{"roles_per_tenant":3}', {"roles_per_tenant": 3}),
    ("null changes nothing", '{"replies_per_role_day":null}', {}),
]


@pytest.mark.parametrize(("text", "changed"), [row[1:] for row in WITHIN], ids=[row[0] for row in WITHIN])
def test_limits_of_a_tenant(text: str, changed: dict[str, int]) -> None:
    """Of each limit the smaller holds."""
    assert msgspec.structs.replace(HUB, **changed) == tenants.within(HUB, text)


BROKEN = [
    "",
    "[]",
    "null",
    "1",
    '{"text_bytes":"10"}',
    '{"text_bytes":1.5}',
    '{"no_such":1}',
    '{"text_bytes":0}',
    '{"wait_ms":5}',
]


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_row_gives_no_leave(text: str) -> None:
    """What cannot be read makes every limit as small as it can be."""
    assert tenants.parsed(text) is None
    assert {1} == {getattr(tenants.within(HUB, text), name) for name in tenants.OWN}


@given(
    st.dictionaries(
        st.sampled_from(sorted(tenants.OWN)),
        st.none() | st.integers(1, 2**40),
    )
)
def test_a_tenant_never_has_more_than_the_hub(own: dict[str, int | None]) -> None:
    """Whatever a tenant's limits say, none is above the hub's, and none is null where the hub's is not."""
    found = tenants.within(HUB, msgspec.json.encode(own).decode())
    for name, bound in msgspec.structs.asdict(HUB).items():
        value = getattr(found, name)
        assert bound is None or (value is not None and 1 <= value <= bound)


async def code_of(work: Awaitable[Any]) -> str:
    """The code that a request is refused with, or `ok`."""
    try:
        await work
    except Refusal as refusal:
        return refusal.code
    return "ok"


async def register(hub: Hub, letter: bytes, invitation: str | None = None) -> Instance:
    """A role of its own key, registered by an invitation if any."""
    made = Instance(hub, SigningKey(letter * 32), f"ins_{letter.hex() * 16}")
    signature = made.key.sign(wire.register_input(ORIGIN, made.public)).signature.hex()
    body = wire.RegisterRole(public_key=made.public, origin=ORIGIN, signature=signature, invitation=invitation)
    await hub.entrance.register(body)
    return made


@pytest.mark.anyio
async def test_by_invitation_only(world: World) -> None:
    """Without a code nobody new comes in; a code is good so often and so long; a known role needs none."""
    admin = Admin(world.hub.desk)
    await admin.set_tenant("acme", {"text_bytes": 20}, None)
    twice = await admin.invite("acme", 2, HOUR)
    late = await admin.invite("acme", 1, HOUR)
    hub = Hub(world.hub.desk._replace(invited=True))
    without = await code_of(register(hub, b"1"))
    wrong = await code_of(register(hub, b"1", f"inv_{10**9:032x}"))
    first = await register(hub, b"1", twice.code)
    again = [await code_of(register(hub, b"1", twice.code)), await code_of(register(hub, b"1"))]
    await register(hub, b"2", twice.code)
    used_up = await code_of(register(hub, b"3", twice.code))
    world.clock.pass_ms(HOUR)
    expired = await code_of(register(hub, b"3", late.code))
    await first.log_in()
    me = await hub.entrance.me(first.token)

    assert ("invitation_needed", "invitation_invalid") == (without, wrong)
    assert (["ok", "ok"], "invitation_invalid", "invitation_invalid") == (again, used_up, expired)
    assert me.limits is not None
    assert ("acme", 20, HUB.packet_bytes) == (me.tenant, me.limits.text_bytes, me.limits.packet_bytes)
    assert hub.well_known().limits.text_bytes == HUB.text_bytes, "what is published is the hub's own"
    assert ("invited", "open") == (hub.well_known().registration, world.hub.well_known().registration)
    assert [("acme", 2), ("default", 2)] == [(each.tenant, each.roles) for each in await admin.tenants()]


@pytest.mark.anyio
async def test_limits_are_those_of_the_callers_tenant(world: World) -> None:
    """Text size, reply windows, lease time, open contacts and pages of one tenant's role; another's are the hub's."""
    admin = Admin(world.hub.desk)
    limits = {
        "text_bytes": 20,
        "replies_per_contact_hour": 2,
        "lease_ms": 5_000,
        "lease_cap_ms": 8_000,
        "contacts_per_role": 1,
        "page": 1,
        "token_ms": 60_000,
    }
    await admin.set_tenant("small", dict(limits), None)
    small = await register(world.hub, b"s", (await admin.invite("small", 1, HOUR)).code)
    session = await small.log_in()
    contact = await world.hub.contacts.open(
        small.token,
        wire.OpenContact(open_id="open_small1", peer_role_id=world.b.role_id, generation=small.generation),
    )
    second = await code_of(
        world.hub.contacts.open(
            small.token,
            wire.OpenContact(open_id="open_small2", peer_role_id=world.a1.role_id, generation=small.generation),
        )
    )
    sends = [await code_of(small.send(contact.contact_id, f"rep_small_{n}", text)) for n, text in enumerate(TEXTS)]
    for number in range(3):
        await world.b.send(contact.contact_id, f"rep_of_b_{number}", "y" * 2000)
    leased = await small.lease(limit=10)
    page = await world.hub.messages.page(small.token, contact.contact_id, 0)

    assert 60_000 == session.expires_at - session.server_time
    assert "contacts_full" == second
    assert ["ok", "text_too_large", "ok", "reply_limited"] == sends
    assert leased.lease is not None
    assert (1, 5_000, 8_000) == (
        len(leased.messages),
        leased.lease.expires_at - leased.server_time,
        leased.lease.cap_at - leased.server_time,
    )
    assert (1, True) == (len(page.messages), page.truncated)


TEXTS = ["x" * 20, "x" * 21, "x", "x"]


@pytest.mark.anyio
async def test_a_suspended_tenant_reads_and_writes_nothing(world: World) -> None:
    """Its roles are refused every write with one code, at once and under tokens they hold; they can still look; other
    tenants go on, and so do they when it is over."""
    admin = Admin(world.hub.desk)
    await admin.set_tenant("acme", None, None)
    role = await register(world.hub, b"s", (await admin.invite("acme", 5, HOUR)).code)
    await role.log_in()
    body = wire.OpenContact(open_id="open_acme01", peer_role_id=world.b.role_id, generation=role.generation)
    contact = await world.hub.contacts.open(role.token, body)
    await world.b.send(contact.contact_id, "rep_to_acme1", "are you there?")
    await admin.set_tenant("acme", None, True)
    codes = [
        await code_of(role.send(contact.contact_id, "rep_suspended")),
        await code_of(role.lease()),
        await code_of(world.hub.contacts.open(role.token, body)),
        await code_of(world.hub.leases.waiting(role.token, wire.TakeLease(generation=role.generation))),
        await code_of(register(world.hub, b"t", (await admin.invite("acme", 1, HOUR)).code)),
    ]
    looks = await world.hub.messages.page(role.token, contact.contact_id, 0)
    others = await code_of(world.a1.send(world.contact_id, "rep_of_others"))
    await admin.set_tenant("acme", None, False)

    assert ["tenant_suspended"] * 5 == codes
    assert (["are you there?"], "ok") == ([each.text for each in looks.messages], others)
    assert 1 == len((await role.lease()).messages)


@pytest.mark.anyio
async def test_a_tenant_is_full(world: World) -> None:
    """Roles are counted that are neither revoked nor erased; a revoked one makes room."""
    admin = Admin(world.hub.desk)
    await admin.set_tenant("pair", {"roles_per_tenant": 2}, None)
    code = (await admin.invite("pair", 10, HOUR)).code
    first = await register(world.hub, b"1", code)
    await register(world.hub, b"2", code)
    third = await code_of(register(world.hub, b"3", code))
    await admin.revoke(first.role_id)

    assert ("tenant_full", "ok") == (third, await code_of(register(world.hub, b"3", code)))
    used = await world.store.read(lambda tx: tx.all("invitation_list", now=world.clock.now()))
    assert [7] == [row["uses_left"] for row in used], "a refused registration costs no use"


@pytest.mark.anyio
async def test_the_operators_verbs(world: World) -> None:
    """Roles with their state, codes shown once, an audit of all of it, mistakes told."""
    admin = Admin(world.hub.desk)
    await world.b.lease()
    await world.hub.pulse.flush()
    revoked = await admin.revoke(world.b.role_id)
    again = await admin.revoke(world.b.role_id)
    code = await admin.recovery_code(world.b.role_id, HOUR)
    erased = await admin.erase(world.a1.role_id)
    lines = {each.role_id: each for each in await admin.roles()}
    with pytest.raises(DragomanError) as nobody:
        await admin.revoke(f"role_{0:032x}")
    with pytest.raises(DragomanError) as gone:
        await admin.recovery_code(world.a1.role_id, HOUR)
    with pytest.raises(DragomanError) as wrong:
        await admin.set_tenant("acme", {"no_such": 1}, None)
    with pytest.raises(DragomanError) as name:
        await admin.set_tenant("Acme Inc.", None, None)
    told = await admin.audit(100)

    assert ("revoked", 2) == (revoked.state, revoked.generation)
    assert revoked == again
    assert ("erased", "revoked") == (lines[world.a1.role_id].state, lines[world.b.role_id].state)
    assert 1 == erased.contacts
    assert ["not_found", "not_found", "input_invalid", "input_invalid"] == [
        each.value.code for each in (nobody, gone, wrong, name)
    ]
    assert ["erase", "mint_code", "revoke", "register", "register"] == [each.action for each in told]
    assert {"operator"} == {each.actor for each in told[:3]}
    assert code.code not in repr(told)


@pytest.mark.anyio
async def test_prune_does_what_retention_would_do(world: World) -> None:
    """Texts older than the retention are gone after one call."""
    await world.a1.send(world.contact_id, "rep_old_words", "old words")
    world.clock.pass_ms(9 * DAY)
    looked_at = await Admin(world.hub.desk).prune()

    assert looked_at >= 1
    await world.b.log_in()
    found = await world.store.read(
        lambda tx: tx.all("message_list", contact_id=world.contact_id, after=0, oldest=0, limit=10)
    )
    assert [""] == [row["text"] for row in found]


def test_names_of_tenants() -> None:
    """Plain words only."""
    assert [True, False, False, False] == [tenants.is_name(each) for each in ("a-1", "", "A", "a" * 65)]
