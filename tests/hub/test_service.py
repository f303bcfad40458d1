"""The hub's verbs over a real file and a clock that the test turns."""

from __future__ import annotations

from collections.abc import Awaitable

import msgspec
import pytest

from dragoman import wire
from dragoman.hub.refusal import Refusal
from tests.hub.world import UNLIMITED, Instance, World

pytestmark = pytest.mark.anyio
SECOND = 1000


async def refused(work: Awaitable[object]) -> str:
    """The code that `work` is refused with."""
    with pytest.raises(Refusal) as caught:
        await work
    return caught.value.code


# --- identity ---


async def test_registering_twice_is_one_role(world: World) -> None:
    """The role id follows from the key; a second registration says so and changes nothing."""
    again = await world.a1.register()

    assert (world.a1.role_id, True) == (again.role_id, again.replayed)


async def test_a_nonce_is_good_once(world: World) -> None:
    """The same signed log-in twice: the second is refused, though its signature is right."""
    request = await world.a1.request()
    await world.hub.entrance.log_in(request)

    assert await refused(world.hub.entrance.log_in(request)) == "nonce_used"


async def test_a_nonce_ends_after_five_minutes(world: World) -> None:
    """One millisecond before the end it is good, at the end it is not."""
    early, late = await world.a1.request(), await world.a1.request()
    world.clock.pass_ms(5 * 60 * SECOND - 1)
    await world.hub.entrance.log_in(early)
    world.clock.pass_ms(1)

    assert await refused(world.hub.entrance.log_in(late)) == "nonce_invalid"


async def test_a_failed_log_in_leaves_the_nonce(world: World) -> None:
    """A wrong signature writes nothing: the owner of the nonce can still use it."""
    request = await world.a1.request()

    assert (
        await refused(world.hub.entrance.log_in(msgspec.structs.replace(request, signature="00" * 64)))
        == "signature_invalid"
    )
    assert (await world.hub.entrance.log_in(request)).primary


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"takeover": True}, "signature_invalid"),
        ({"instance_id": f"ins_{9:032x}"}, "signature_invalid"),
        ({"origin": "https://evil.example"}, "origin_mismatch"),
        ({"nonce": "ab" * 56}, "nonce_invalid"),
        ({"role_id": f"role_{0:032x}"}, "nonce_invalid"),
    ],
)
async def test_every_signed_field_counts(world: World, change: dict[str, object], code: str) -> None:
    """Whoever changes one field of a signed log-in gets nothing."""
    request = await world.a1.request()

    assert await refused(world.hub.entrance.log_in(msgspec.structs.replace(request, **change))) == code


async def test_a_nonce_of_another_role_is_nothing(world: World) -> None:
    """A nonce is bound to the role that asked for it."""
    request = await world.a1.request()
    other = (await world.b.request()).nonce

    assert await refused(world.hub.entrance.log_in(msgspec.structs.replace(request, nonce=other))) == "nonce_invalid"


async def test_tokens_end(world: World) -> None:
    """No token, an unknown one and an old one are three answers, all of them no."""
    assert await refused(world.hub.entrance.me(None)) == "token_missing"
    assert await refused(world.hub.entrance.me("tok_unknown")) == "token_invalid"
    world.clock.pass_ms(15 * 60 * SECOND)
    assert await refused(world.hub.entrance.me(world.a1.token)) == "token_expired"


async def test_the_file_holds_no_token(world: World) -> None:
    """Whoever reads the database cannot log in with what stands there."""
    rows = await world.store.read(lambda tx: tx.all("session_get", token_hashes=[world.a1.token]))

    assert rows == []


# --- one writable instance ---


async def test_a_second_instance_only_reads(world: World) -> None:
    """Without takeover it sees everything and writes nothing."""
    assert not (await world.hub.entrance.me(world.a2.token)).primary
    assert world.contact_id == (await world.hub.contacts.one(world.a2.token, world.contact_id)).contact_id
    assert await refused(world.a2.send(world.contact_id, "rep_00001")) == "instance_read_only"
    assert await refused(world.a2.lease()) == "instance_read_only"


async def test_takeover_fences_the_old_machine(world: World) -> None:
    """R030, C065: after a takeover every late write of the old instance is refused and changes nothing."""
    await world.b.send(world.contact_id, "rep_b0001")
    held = await world.a1.lease()
    assert held.lease
    await world.a2.log_in(takeover=True)

    ids = [each.message_id for each in held.messages]
    late = [
        world.a1.send(world.contact_id, "rep_00001"),
        world.a1.lease(),
        world.a1.renew(held.lease.lease_token),
        world.a1.ack(held.lease.lease_token, *ids),
        world.a1.release(held.lease.lease_token, *ids),
        world.hub.contacts.close(world.a1.token, world.contact_id, wire.CloseContact(generation=1)),
    ]
    assert ["instance_superseded"] * len(late) == [await refused(each) for each in late]
    assert (await world.hub.entrance.me(world.a1.token)).superseded
    again = await world.a2.lease()
    assert ids == [each.message_id for each in again.messages]


async def test_a_decision_of_an_older_generation_is_not_sent(world: World) -> None:
    """Coming back by a takeover does not revive what was decided before: the request names its generation."""
    old = world.a1.message("rep_00001")
    await world.a2.log_in(takeover=True)
    await world.a1.log_in(takeover=True)

    assert await refused(world.hub.messages.send(world.a1.token, world.contact_id, old)) == "instance_superseded"


# --- contacts and messages ---


async def test_opening_is_repeatable(world: World) -> None:
    """The same `open_id` is the same contact; for another peer it is a conflict."""
    body = wire.OpenContact(open_id="open_0001", peer_role_id=world.b.role_id, generation=1)
    again = await world.hub.contacts.open(world.a1.token, body)
    other = msgspec.structs.replace(body, peer_role_id=world.a1.role_id)
    unknown = msgspec.structs.replace(body, open_id="open_0002", peer_role_id=f"role_{9:032x}")
    myself = msgspec.structs.replace(body, open_id="open_0003", peer_role_id=world.a1.role_id)

    assert (world.contact_id, True) == (again.contact_id, again.replayed)
    assert await refused(world.hub.contacts.open(world.a1.token, other)) == "open_id_conflict"
    assert await refused(world.hub.contacts.open(world.a1.token, unknown)) == "role_unknown"
    assert await refused(world.hub.contacts.open(world.a1.token, myself)) == "role_unknown"


async def test_both_roles_see_the_contact_and_nobody_else(world: World) -> None:
    """To a stranger a contact does not exist."""
    stranger = Instance(world.hub, type(world.a1.key)(b"c" * 32), f"ins_{7:032x}")
    await stranger.register()
    await stranger.log_in()

    mine = await world.hub.contacts.page(world.a1.token, 0)
    theirs = await world.hub.contacts.page(world.b.token, 0)
    assert [(world.b.role_id, True)] == [(each.peer_role_id, each.opened_by_me) for each in mine.contacts]
    assert [(world.a1.role_id, False)] == [(each.peer_role_id, each.opened_by_me) for each in theirs.contacts]
    assert (await world.hub.contacts.page(stranger.token, 0)).contacts == []
    assert await refused(world.hub.contacts.one(stranger.token, world.contact_id)) == "contact_unknown"
    assert await refused(stranger.send(world.contact_id, "rep_00001")) == "contact_unknown"
    assert await refused(world.hub.messages.page(stranger.token, world.contact_id, 0)) == "contact_unknown"


async def test_a_reply_id_is_one_message(world: World) -> None:
    """R005: same id and body, the first result; same id and another body, a conflict; nothing is stored twice."""
    first = await world.a1.send(world.contact_id, "rep_00001", "one")
    again = await world.a1.send(world.contact_id, "rep_00001", "one")

    assert msgspec.structs.replace(first, replayed=True) == again
    assert await refused(world.a1.send(world.contact_id, "rep_00001", "two")) == "reply_id_conflict"
    assert await refused(world.a1.send(world.contact_id, "rep_00001", "one", complete=True)) == "reply_id_conflict"
    assert len((await world.hub.messages.page(world.a1.token, world.contact_id, 0)).messages) == 1


async def test_reply_ids_belong_to_the_role(world: World) -> None:
    """Two roles may mint the same id, and each is told only of its own."""
    mine = await world.a1.send(world.contact_id, "rep_00001", "mine")
    theirs = await world.b.send(world.contact_id, "rep_00001", "theirs")

    assert mine.message_id == (await world.hub.messages.reply(world.a1.token, "rep_00001")).message_id
    assert theirs.message_id == (await world.hub.messages.reply(world.b.token, "rep_00001")).message_id
    assert await refused(world.hub.messages.reply(world.b.token, "rep_00002")) == "reply_unknown"
    assert await refused(world.hub.messages.reply(world.b.token, "' OR 1=1 --")) == "reply_unknown"


async def test_a_closed_contact_takes_nothing_new(world: World) -> None:
    """What was accepted is still answered under its id; closing twice changes nothing."""
    sent = await world.a1.send(world.contact_id, "rep_00001")
    first = await world.hub.contacts.close(world.b.token, world.contact_id, wire.CloseContact(generation=1))
    again = await world.hub.contacts.close(world.a1.token, world.contact_id, wire.CloseContact(generation=1))

    assert (first.replayed, again.replayed) == (False, True)
    assert first.closed_at == again.closed_at
    assert await refused(world.b.send(world.contact_id, "rep_b0001")) == "contact_closed"
    assert sent.message_id == (await world.a1.send(world.contact_id, "rep_00001")).message_id


async def test_text_comes_back_to_the_byte(world: World) -> None:
    """Chinese, emoji, NUL and quotes arrive as they were sent, with the packet and `complete`."""
    text = "你好 \U0001f600 \x01 '\";--\r\n"
    await world.a1.send(world.contact_id, "rep_00001", text, packet='{"a": 1}', complete=True)
    got = (await world.hub.messages.page(world.b.token, world.contact_id, 0)).messages[0]

    assert (text, '{"a": 1}', True) == (got.text, got.packet, got.complete)


async def test_pages_miss_nothing(tmp_path_factory: pytest.TempPathFactory, anyio_backend: str) -> None:
    """A long contact is read page by page, each message once, in order, also when a page is full by bytes."""
    limits = msgspec.structs.replace(UNLIMITED, page=7, text_bytes=400_000)
    world = World.on_sqlite(tmp_path_factory.mktemp("pages") / "hub", limits)
    await world.furnish()
    sizes = [5, 5, 300_000, 390_000, 390_000, 5] + [5] * 14
    for number, size in enumerate(sizes):
        await world.a1.send(world.contact_id, f"rep_{number:05}", "x" * size)
    seen: list[int] = []
    after, more = 0, True
    while more:
        page = await world.hub.messages.page(world.b.token, world.contact_id, after)
        seen += [each.seq for each in page.messages]
        after, more = page.next_after, page.truncated
    await world.store.close()

    assert list(range(1, 21)) == seen


# --- leases ---


async def test_a_lease_is_alone(world: World) -> None:
    """R018, C060: what is leased is not leased again while it is renewed every 40 s; one worker, one reply."""
    await world.b.send(world.contact_id, "rep_b0001")
    held = await world.a1.lease()
    assert held.lease
    for _ in range(7):
        world.clock.pass_ms(40 * SECOND)
        await world.a1.renew(held.lease.lease_token)
        assert (await world.a1.lease()).messages == []
    await world.a1.send(world.contact_id, "rep_00001", lease_token=held.lease.lease_token)
    await world.a1.ack(held.lease.lease_token, held.messages[0].message_id)
    world.clock.pass_ms(200 * SECOND)

    assert (await world.a1.lease()).messages == []


async def test_a_frozen_worker_changes_nothing(world: World) -> None:
    """C060: frozen past its lease, its renewal, reply, release and ack are refused; the second worker's hold stands."""
    await world.b.send(world.contact_id, "rep_b0001")
    first = await world.a1.lease()
    world.clock.pass_ms(120 * SECOND)
    second = await world.a1.lease()
    assert first.lease
    assert second.lease
    message = first.messages[0].message_id
    token = first.lease.lease_token

    assert [message] == [each.message_id for each in second.messages]
    assert await refused(world.a1.renew(token)) == "lease_lost"
    assert await refused(world.a1.send(world.contact_id, "rep_00001", lease_token=token)) == "lease_lost"
    assert await refused(world.a1.release(token, message)) == "lease_lost"
    assert await refused(world.a1.ack(token, message)) == "lease_lost"
    assert await refused(world.hub.messages.reply(world.a1.token, "rep_00001")) == "reply_unknown"
    assert not (await world.a1.ack(second.lease.lease_token, message)).replayed


async def test_a_lapsed_lease_that_nobody_took_is_lost_too(world: World) -> None:
    """A late ack is refused even when the message was not given to anyone else, so it comes again."""
    await world.b.send(world.contact_id, "rep_b0001")
    held = await world.a1.lease()
    assert held.lease
    world.clock.pass_ms(120 * SECOND)

    assert await refused(world.a1.ack(held.lease.lease_token, held.messages[0].message_id)) == "lease_lost"
    assert len((await world.a1.lease()).messages) == 1


async def test_renewal_ends_at_the_cap(world: World) -> None:
    """R021: a hung task that renews for ever loses its lease after 30 minutes all the same."""
    await world.b.send(world.contact_id, "rep_b0001")
    held = await world.a1.lease()
    assert held.lease
    for _ in range(17):
        await world.a1.log_in()
        world.clock.pass_ms(100 * SECOND)
        ends = (await world.a1.renew(held.lease.lease_token)).expires_at

    assert held.lease.cap_at == ends
    world.clock.pass_ms(100 * SECOND)
    await world.a1.log_in()
    assert await refused(world.a1.renew(held.lease.lease_token)) == "lease_lost"


async def test_ack_is_by_name(world: World) -> None:
    """R010: a message that came between fetch and ack is not acked; one unknown id refuses the whole ack."""
    await world.b.send(world.contact_id, "rep_b0001")
    held = await world.a1.lease()
    assert held.lease
    between = await world.b.send(world.contact_id, "rep_b0002")
    token, message = held.lease.lease_token, held.messages[0].message_id

    assert await refused(world.a1.ack(token, message, between.message_id)) == "lease_lost"
    assert not (await world.a1.ack(token, message)).replayed
    assert (await world.a1.ack(token, message)).replayed
    assert [between.message_id] == [each.message_id for each in (await world.a1.lease()).messages]


async def test_release_gives_back_when_it_says(world: World) -> None:
    """A released message waits for its `not_before`, also when asked for by its id."""
    await world.b.send(world.contact_id, "rep_b0001")
    held = await world.a1.lease()
    assert held.lease
    message = held.messages[0].message_id
    await world.a1.release(held.lease.lease_token, message, not_before=world.clock.now() + 60 * SECOND)

    assert (await world.a1.lease(message_ids=[message])).messages == []
    world.clock.pass_ms(60 * SECOND)
    assert [message] == [each.message_id for each in (await world.a1.lease(message_ids=[message])).messages]


async def test_lease_only_what_is_wanted(world: World) -> None:
    """Contacts outside the scope and messages not named stay where they are, and the limit holds."""
    other = await world.hub.contacts.open(
        world.b.token, wire.OpenContact(open_id="open_b001", peer_role_id=world.a1.role_id, generation=1)
    )
    for number in range(3):
        await world.b.send(world.contact_id, f"rep_b000{number}")
    wanted = await world.b.send(other.contact_id, "rep_b0009")

    scoped = await world.a1.lease(contact_ids=[other.contact_id])
    assert [wanted.message_id] == [each.message_id for each in scoped.messages]
    assert [each.seq for each in (await world.a1.lease(limit=2)).messages] == [1, 2]
    assert [each.seq for each in (await world.a1.lease()).messages] == [3]


async def test_nobody_leases_or_acks_anothers_mail(world: World) -> None:
    """R024: the sender, or whoever learnt a token, can settle nothing of somebody else's."""
    sent = await world.b.send(world.contact_id, "rep_b0001")
    held = await world.a1.lease()
    assert held.lease

    assert (await world.b.lease()).messages == []
    assert await refused(world.b.ack(held.lease.lease_token, sent.message_id)) == "lease_lost"
    assert await refused(world.b.renew(held.lease.lease_token)) == "lease_lost"


async def test_delivery_state_follows_the_conversation(world: World) -> None:
    """Each step of one exchange, as both sides see it."""
    a, b, contact = world.a1, world.b, world.contact_id

    async def both() -> tuple[str, str]:
        return await a.state(contact), await b.state(contact)

    assert await both() == ("awaiting_local", "awaiting_peer_reply")
    await a.send(contact, "rep_00001")
    assert await both() == ("awaiting_peer_pickup", "awaiting_local")
    held = await b.lease()
    assert held.lease
    assert await both() == ("peer_processing", "processing")
    await b.ack(held.lease.lease_token, held.messages[0].message_id)
    assert await both() == ("awaiting_peer_reply", "awaiting_peer_reply")
    await b.send(contact, "rep_b0001", complete=True)
    assert await both() == ("completed", "completed")
    await a.send(contact, "rep_00002")
    assert await both() == ("completed", "completed")
    await b.send(contact, "rep_b0002")
    assert await both() == ("awaiting_local", "awaiting_local")
    await world.hub.contacts.close(a.token, contact, wire.CloseContact(generation=1))
    assert await both() == ("closed", "closed")
