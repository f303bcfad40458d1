"""Role keys over their life on a real store: rotated, revoked, recovered; replayed and tampered requests; erasure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
from nacl.signing import SigningKey

from dragoman import wire
from dragoman.clock import HOUR
from dragoman.hub import erasure, rows
from dragoman.hub.refusal import Refusal
from dragoman.hub.store import Row, Transaction
from tests.hub.world import ORIGIN, Instance, World

pytestmark = pytest.mark.anyio
NEW, RECOVERY, OTHER = SigningKey(b"n" * 32), SigningKey(b"r" * 32), SigningKey(b"o" * 32)


def public(key: SigningKey) -> str:
    return key.verify_key.encode().hex()


def signed(key: SigningKey, data: bytes) -> str:
    return key.sign(data).signature.hex()


async def nonce(world: World, role_id: str) -> str:
    return (await world.hub.entrance.nonce(wire.AskNonce(role_id=role_id))).nonce


async def rotation(
    world: World, role: Instance, new: SigningKey = NEW, grace_ms: int = 0, old: SigningKey | None = None
) -> wire.RotateKey:
    draft = wire.RotateKey(
        role_id=role.role_id,
        public_key=public(new),
        nonce=await nonce(world, role.role_id),
        origin=ORIGIN,
        signature="0" * 128,
        new_signature="0" * 128,
        grace_ms=grace_ms,
    )
    data = wire.rotate_input(draft)
    return msgspec.structs.replace(draft, signature=signed(old or role.key, data), new_signature=signed(new, data))


async def naming(
    world: World, role: Instance, key: SigningKey, former: SigningKey | None = None
) -> wire.NameRecoveryKey:
    draft = wire.NameRecoveryKey(
        role_id=role.role_id,
        recovery_key=public(key),
        nonce=await nonce(world, role.role_id),
        origin=ORIGIN,
        signature="0" * 128,
    )
    data = wire.recovery_input(draft)
    said = signed(former, data) if former else None
    return msgspec.structs.replace(draft, signature=signed(role.key, data), former_signature=said)


async def recovery(
    world: World, role: Instance, new: SigningKey, *, by: SigningKey | None = None, code: str | None = None
) -> wire.RecoverKey:
    draft = wire.RecoverKey(
        role_id=role.role_id,
        public_key=public(new),
        nonce=await nonce(world, role.role_id),
        origin=ORIGIN,
        new_signature="0" * 128,
        code=code,
    )
    data = wire.recover_input(draft)
    said = signed(by, data) if by else None
    return msgspec.structs.replace(draft, new_signature=signed(new, data), signature=said)


async def ending(world: World, role: Instance, verb: str) -> Any:
    kind = {"revoke": wire.RevokeKey, "erase": wire.EraseRole}[verb]
    draft = kind(role_id=role.role_id, nonce=await nonce(world, role.role_id), origin=ORIGIN, signature="0" * 128)
    return msgspec.structs.replace(draft, signature=signed(role.key, wire.plain_input(verb, draft)))


async def code_of(work: Awaitable[Any]) -> str:
    """The code that a request is refused with, or `ok`."""
    try:
        await work
    except Refusal as refusal:
        return refusal.code
    return "ok"


def with_key(role: Instance, key: SigningKey) -> Instance:
    """The same instance of the same role under another key."""
    other = Instance(role.hub, key, role.instance_id)
    other.role_id = role.role_id
    return other


async def audit(world: World) -> list[tuple[str, str, str | None]]:
    found = await world.store.read(lambda tx: tx.all("audit_list", limit=100))
    return [(row["actor"], row["action"], row["role_id"]) for row in reversed(found)]


async def test_rotation_at_once(world: World) -> None:
    """The role stays, its generation and primary stay; every token of the old key ends, and the old key with it."""
    state = await world.hub.keys.rotate(await rotation(world, world.a1))
    again = with_key(world.a1, NEW)
    ended = await code_of(world.hub.entrance.me(world.a1.token))
    old = await code_of(world.a1.log_in())
    session = await again.log_in()
    sent = await again.send(world.contact_id, "rep_after_rotation")

    assert (world.a1.role_id, public(NEW), 1, False) == (
        state.role_id,
        state.public_key,
        state.generation,
        state.replayed,
    )
    assert ("token_invalid", "key_replaced") == (ended, old)
    assert (True, 1, 1) == (session.primary, session.generation, sent.seq)
    assert (world.a1.role_id, "rotate", world.a1.role_id) in await audit(world)


async def test_rotation_with_a_grace(world: World) -> None:
    """Until the grace ends the old key lets instances in, takes nothing over, changes no key; then it is nothing."""
    await world.hub.keys.rotate(await rotation(world, world.a1, grace_ms=HOUR))
    tokens_stay = await code_of(world.hub.entrance.me(world.a1.token))
    world.clock.pass_ms(HOUR - 60_000)
    session = await world.a1.log_in()
    takeover = await code_of(world.a2.log_in(takeover=True))
    rotate = await code_of(world.hub.keys.rotate(await rotation(world, world.a1, OTHER)))
    revoke = await code_of(world.hub.keys.revoke(await ending(world, world.a1, "revoke")))
    world.clock.pass_ms(60_000)

    assert ("ok", "key_replaced", "key_replaced", "signature_invalid") == (tokens_stay, takeover, rotate, revoke)
    assert 60_000 == session.expires_at - session.server_time, "a token of the old key ends with its grace"
    assert "key_replaced" == await code_of(world.a1.log_in())
    assert "ok" == await code_of(with_key(world.a1, NEW).log_in())


async def test_a_rotation_is_asked_for_again(world: World) -> None:
    """After an answer that got lost: a new request under a new nonce says that it is done; the same one is used up."""
    body = await rotation(world, world.a1)
    await world.hub.keys.rotate(body)
    replayed = await code_of(world.hub.keys.rotate(body))
    again = await world.hub.keys.rotate(await rotation(world, world.a1))

    assert ("nonce_used", True) == (replayed, again.replayed)


TAMPERED: list[tuple[str, Callable[[wire.RotateKey], wire.RotateKey], str]] = [
    ("another new key", lambda b: msgspec.structs.replace(b, public_key=public(OTHER)), "signature_invalid"),
    ("a longer grace", lambda b: msgspec.structs.replace(b, grace_ms=HOUR), "signature_invalid"),
    ("another hub", lambda b: msgspec.structs.replace(b, origin="https://evil.example"), "origin_mismatch"),
    ("a nonce of nobody", lambda b: msgspec.structs.replace(b, nonce="0" * 112), "nonce_invalid"),
    ("a nonce cut short", lambda b: msgspec.structs.replace(b, nonce=b.nonce[:-2]), "nonce_invalid"),
    ("signatures swapped", lambda b: msgspec.structs.replace(b, signature=b.new_signature), "signature_invalid"),
    ("the new key did not sign", lambda b: msgspec.structs.replace(b, new_signature=b.signature), "signature_invalid"),
    ("another role", lambda b: msgspec.structs.replace(b, role_id=f"role_{0:032x}"), "nonce_invalid"),
]


@pytest.mark.parametrize(("change", "code"), [row[1:] for row in TAMPERED], ids=[row[0] for row in TAMPERED])
async def test_a_tampered_rotation_changes_nothing(
    world: World, change: Callable[[wire.RotateKey], wire.RotateKey], code: str
) -> None:
    """Whatever is changed in a request that was signed, it is refused, the key stays, and the true one still works."""
    body = await rotation(world, world.a1)
    refused = await code_of(world.hub.keys.rotate(change(body)))

    assert (code, "ok", "ok") == (
        refused,
        await code_of(world.hub.entrance.me(world.a1.token)),
        await code_of(world.hub.keys.rotate(body)),
    )


async def test_a_nonce_of_a_log_in_is_good_for_one_thing(world: World) -> None:
    """A log-in's signature rotates nothing, and a rotation's nonce logs nobody in afterwards."""
    body = await rotation(world, world.a1)
    log_in = await world.a1.request()
    mixed = msgspec.structs.replace(body, nonce=log_in.nonce, signature=log_in.signature)
    stolen = msgspec.structs.replace(log_in, nonce=body.nonce)
    await world.hub.keys.rotate(body)

    assert ("signature_invalid", "key_replaced") == (
        await code_of(world.hub.keys.rotate(mixed)),
        await code_of(world.hub.entrance.log_in(log_in)),
    )
    assert await code_of(world.hub.entrance.log_in(stolen)) in ("signature_invalid", "key_replaced")


async def test_revocation_by_the_role(world: World) -> None:
    """Every token ends, the generation grows, no key enters; the role's contacts and messages are there still."""
    await world.a1.send(world.contact_id, "rep_before_it", "before")
    state = await world.hub.keys.revoke(await ending(world, world.a1, "revoke"))
    again = await world.hub.keys.revoke(await ending(world, world.a1, "revoke"))
    codes = [
        await code_of(world.hub.entrance.me(world.a1.token)),
        await code_of(world.hub.entrance.me(world.a2.token)),
        await code_of(world.a1.log_in()),
        await code_of(world.a1.log_in(takeover=True)),
        await code_of(world.a1.register()),
        await code_of(world.hub.keys.rotate(await rotation(world, world.a1))),
    ]

    assert (None, 2, False, True) == (state.public_key, state.generation, state.replayed, again.replayed)
    assert ["token_invalid", "token_invalid", *["role_revoked"] * 4] == codes
    assert ["before"] == [each.text for each in (await world.b.lease()).messages]


async def test_recovery_by_the_key_named_beforehand(world: World) -> None:
    """A thief has rotated; the owner's recovery key puts a new key in, under a new generation, and the thief is out."""
    await world.hub.keys.name_recovery(await naming(world, world.a1, RECOVERY))
    thief = with_key(world.a1, OTHER)
    await world.hub.keys.rotate(await rotation(world, world.a1, OTHER))
    await thief.log_in(takeover=True)
    shut_out = await code_of(world.hub.keys.name_recovery(await naming(world, thief, NEW)))
    state = await world.hub.keys.recover(await recovery(world, world.a1, NEW, by=RECOVERY))
    owner = with_key(world.a1, NEW)
    session = await owner.log_in()
    codes = [await code_of(world.hub.entrance.me(thief.token)), await code_of(thief.log_in())]

    assert ("signature_invalid", 3) == (shut_out, state.generation)
    assert (4, True) == (session.generation, session.primary)
    assert ["token_invalid", "signature_invalid"] == codes
    assert world.contact_id == (await owner.hub.contacts.one(owner.token, world.contact_id)).contact_id


async def test_recovery_by_the_operators_code(world: World) -> None:
    """The code works once, for its role, until it ends; a revoked role has a key again."""
    codes = {name: f"rec_{number:032x}" for number, name in enumerate(("used", "other", "late"), 1)}
    ends = {"used": 10_000, "other": 10_000, "late": 1}
    owners = {"used": world.a1, "other": world.b, "late": world.a1}

    async def mint(tx: Transaction) -> None:
        for name, code in codes.items():
            await tx.run(
                "recovery_code_add",
                code_hash=rows.token_hash(code),
                role_id=owners[name].role_id,
                now=world.clock.now(),
                expires_at=world.clock.now() + ends[name],
            )

    await world.store.write(mint)
    world.clock.pass_ms(5)
    await world.hub.keys.revoke(await ending(world, world.a1, "revoke"))
    wrong = [
        await code_of(world.hub.keys.recover(await recovery(world, world.a1, NEW, code=codes[name])))
        for name in ("other", "late")
    ]
    state = await world.hub.keys.recover(await recovery(world, world.a1, NEW, code=codes["used"]))
    again = await code_of(world.hub.keys.recover(await recovery(world, world.a1, OTHER, code=codes["used"])))
    session = await with_key(world.a1, NEW).log_in()

    assert (["recovery_invalid"] * 2, "recovery_invalid") == (wrong, again)
    assert (public(NEW), 3, 4) == (state.public_key, state.generation, session.generation)


async def test_a_rotated_role_registers_under_its_name(world: World) -> None:
    """The new key names its role; it makes no second one by mistake, and nobody else names the role."""
    await world.hub.keys.rotate(await rotation(world, world.a1))

    async def ask(key: SigningKey, role_id: str | None) -> wire.Role:
        data = wire.register_input(ORIGIN, public(key))
        body = wire.RegisterRole(public_key=public(key), origin=ORIGIN, signature=signed(key, data), role_id=role_id)
        return await world.hub.entrance.register(body)

    known = await ask(NEW, world.a1.role_id)
    assert (world.a1.role_id, True) == (known.role_id, known.replayed)
    assert "signature_invalid" == await code_of(ask(OTHER, world.a1.role_id))
    assert "signature_invalid" == await code_of(ask(OTHER, f"role_{7:032x}"))
    assert "key_replaced" == await code_of(ask(world.a1.key, None))


async def everything(world: World) -> str:
    """All that the message, contact and role tables hold, as one text."""

    async def work(tx: Transaction) -> str:
        found: list[Row] = []
        for contact in await tx.all("contact_list", role_id=world.b.role_id, after=0, limit=100):
            found += await tx.all("message_list", contact_id=contact["contact_id"], after=0, oldest=0, limit=100)
        return repr([dict(row) for row in found])

    return await world.store.read(work)


async def test_erasure_by_the_role(world: World) -> None:
    """Its words are gone, its contacts closed, its key makes no second role; peers keep that something was there."""
    packet = '{"k":"packet-word"}'
    first = await world.a1.send(world.contact_id, "rep_secret_name", "secret-word", packet=packet)
    await world.b.send(world.contact_id, "rep_of_the_peer", "answer of the peer")
    await world.a1.send(world.contact_id, "rep_unread_one", "unread-word")
    erased = await world.hub.keys.erase(await ending(world, world.a1, "erase"))
    page = (await world.hub.messages.page(world.b.token, world.contact_id, 0)).messages
    contact = await world.hub.contacts.one(world.b.token, world.contact_id)
    codes = [
        await code_of(world.hub.entrance.me(world.a1.token)),
        await code_of(world.a1.log_in()),
        await code_of(world.a1.register()),
        await code_of(world.b.send(world.contact_id, "rep_too_late1")),
        await code_of(
            world.hub.contacts.open(
                world.b.token,
                wire.OpenContact(open_id="open_again1", peer_role_id=world.a1.role_id, generation=world.b.generation),
            )
        ),
    ]

    assert (2, 1) == (erased.messages, erased.contacts)
    assert [("", True), ("answer of the peer", False), ("", True)] == [(each.text, each.erased) for each in page]
    assert (first.message_id, first.created_at, None) == (page[0].message_id, page[0].created_at, page[0].packet)
    assert page[0].reply_id.startswith("erased_")
    assert len({each.reply_id for each in page}) == 3
    assert (True, True) == (contact.erased, contact.closed_at is not None)
    assert ["token_invalid", "signature_invalid", "role_erased", "contact_closed", "role_unknown"] == codes
    assert [] == (await world.b.lease()).messages, "what nobody has read is told by `erased`, not handed to a handler"
    assert "closed" == await world.b.state(world.contact_id)
    left = await everything(world)
    assert [] == [word for word in ("secret-word", "packet-word", "unread-word", "rep_secret_name") if word in left]


async def test_erasure_by_the_operator_is_the_same_and_final(world: World) -> None:
    """The operator's erasure is audited as such; a second one and a recovery by code change nothing."""
    await world.a1.send(world.contact_id, "rep_something", "words")

    async def work(tx: Transaction) -> wire.Erased:
        role = rows.must(await tx.one("role_hold", role_id=world.a1.role_id), "role_unknown")
        return await erasure.erase(tx, role, world.clock.now(), erasure.OPERATOR)

    first, second = await world.store.write(work), await world.store.write(work)
    code = f"rec_{1:032x}"
    await world.store.write(
        lambda tx: tx.run(
            "recovery_code_add",
            code_hash=rows.token_hash(code),
            role_id=world.a1.role_id,
            now=world.clock.now(),
            expires_at=world.clock.now() + HOUR,
        )
    )

    assert ((1, 1), (0, 0)) == ((first.messages, first.contacts), (second.messages, second.contacts))
    assert "signature_invalid" == await code_of(world.hub.keys.recover(await recovery(world, world.a1, NEW, code=code)))
    assert [("operator", "erase", world.a1.role_id)] == [each for each in await audit(world) if each[1] == "erase"]


async def test_the_audit_holds_no_secret(world: World) -> None:
    """Keys, codes, nonces, signatures, tokens and texts stand nowhere in it."""
    body = await rotation(world, world.a1)
    await world.a1.send(world.contact_id, "rep_words_01", "some words")
    await world.hub.keys.rotate(body)
    await world.hub.keys.revoke(await ending(world, with_key(world.a1, NEW), "revoke"))
    told = repr([dict(row) for row in await world.store.read(lambda tx: tx.all("audit_list", limit=100))])
    secrets = [body.nonce, body.signature, body.public_key, world.a1.token, "some words", world.a1.public]

    assert [] == [each for each in secrets if each in told]
    assert ["register", "register", "rotate", "revoke"] == [each[1] for each in await audit(world)]
