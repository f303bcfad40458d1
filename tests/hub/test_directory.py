"""The directory on both engines: what a search finds, in which order, and what a subscriber is told of it."""

from __future__ import annotations

import msgspec
import pytest
from nacl.signing import SigningKey

from dragoman import wire
from dragoman.clock import DAY
from dragoman.hub import finding
from dragoman.hub.refusal import Refusal
from tests.hub.world import Instance, World

pytestmark = pytest.mark.anyio

STALLS = {
    "legal": (
        "Legal advice 法律咨询",
        "Contracts and company law, English and Chinese. 合同审查、劳动法。",
        ["Law", "法律"],
    ),
    "words": (
        "中英翻译",
        "Translations of manuals; 医疗和法律文件的翻译。Certified translators.",
        ["translation", "翻译"],
    ),
    "phones": ("二手手机", "iPhone and Android phones, tested. 苹果手机壳。", ["ｐｈｏｎｅ", "second hand"]),
    "tea": ("West Lake tea 西湖龙井", "Fresh green tea, shipped worldwide. 明前茶叶，顺丰包邮。", ["tea", "茶"]),
}

FOUND = [
    ("translation", (), "words"),
    ("Translations", (), "words"),
    ("translator", (), "words"),
    ("certified translators", (), "words"),
    ("legal translation", (), ""),
    ("LEGAL advice", (), "legal"),
    ("company", (), "legal"),
    ("companies", (), "legal"),
    ("compan", (), ""),
    ("iphone", (), "phones"),
    ("ｉＰｈｏｎｅ", (), "phones"),
    ("phone", (), "phones"),
    ("green tea", (), "tea"),
    ("tea green fresh", (), "tea"),
    ("coffee", (), ""),
    ("翻译", (), "words"),
    ("译", (), "words"),
    ("法律", (), "legal words"),
    ("法律咨询", (), "legal"),
    ("律法", (), ""),
    ("法律 翻译", (), "words"),
    ("手机", (), "phones"),
    ("手机壳", (), "phones"),
    ("机壳手", (), ""),
    ("茶", (), "tea"),
    ("龙井", (), "tea"),
    ("龙茶", (), ""),
    ("劳动法", (), "legal"),
    ("西湖 tea", (), "tea"),
    ("", ("law",), "legal"),
    ("", ("Second-Hand",), "phones"),
    ("", ("翻译",), "words"),
    ("", ("law", "tea"), ""),
    ("法律", ("翻译",), "words"),
    ("hand", (), "phones"),
    ("", ("hand",), ""),
    ("' OR 1=1 --", (), ""),
    ('"tea" OR law', (), ""),
    ("tea*", (), "tea"),
    ("……", (), "legal phones tea words"),
    ("", (), "legal phones tea words"),
]


async def member(world: World, name: str) -> Instance:
    """A further role of this hub, logged in."""
    made = Instance(world.hub, SigningKey(name.encode().ljust(32, b".")), f"ins_{name.encode().hex().ljust(32, '0')}")
    await made.register()
    await made.log_in()
    return made


async def put(who: Instance, title: str, text: str = "", tags: list[str] | None = None, **more: object) -> wire.Entry:
    """Put a stall."""
    asked = {"generation": who.generation, "title": title, "text": text, "tags": tags or [], **more}
    return await who.hub.directory.put(who.token, msgspec.convert(asked, wire.PutStall))


async def search(who: Instance, query: str = "", *tags: str, before: int | None = None) -> wire.Entries:
    """Search for stalls."""
    return await who.hub.directory.search(who.token, wire.EntryKind.STALL, query, list(tags), before)


async def subscribe(who: Instance, query: str = "", *tags: str, kind: str = "stall") -> wire.Subscription:
    """Save a search."""
    body = wire.Subscribe(generation=who.generation, kind=wire.EntryKind(kind), query=query, tags=list(tags))
    return await who.hub.subscriptions.add(who.token, body)


async def told(who: Instance) -> list[tuple[str | None, int | None]]:
    """Which matches a role was told of: whose entry, and its version."""
    page = await who.hub.events.page(who.token, 0, ["subscription_match"])
    return [(each.facts.role_id, each.facts.version) for each in page.events]


async def refused(work: object) -> str:
    """The code that `work` is refused with."""
    with pytest.raises(Refusal) as caught:
        await work  # type: ignore[misc]
    return caught.value.code


async def test_what_a_search_finds(world: World) -> None:
    """English and Chinese words, whole ones, in any order, by title, text or tag; the same on both engines."""
    names = {}
    for name, (title, text, tags) in STALLS.items():
        who = await member(world, name)
        names[(await put(who, title, text, tags)).role_id] = name

    found = {}
    for query, tags, _ in FOUND:
        page = await search(world.b, query, *tags)
        found[query, tags] = " ".join(sorted(names[each.role_id] for each in page.entries))
    assert {(query, tags): names for query, tags, names in FOUND} == found


async def test_only_open_stalls_are_found(world: World) -> None:
    """A closed stall is seen by its own role alone; opened again it is found, as a new version."""
    first = await put(world.b, "tea")
    await put(world.b, "tea", open=False)

    assert [] == (await search(world.a1, "tea")).entries
    assert [] == (await search(world.a1)).entries
    assert "entry_unknown" == await refused(world.hub.directory.of_role(world.a1.token, world.b.role_id))
    assert not (await world.hub.directory.mine(world.b.token)).open
    await put(world.b, "tea")
    assert [(first.entry_id, 3, True)] == [
        (each.entry_id, each.version, each.open) for each in (await search(world.a1, "tea")).entries
    ]


async def test_a_changed_stall_is_found_by_its_new_words_alone(world: World) -> None:
    """What was said before finds nothing any more; the same again changes nothing."""
    await put(world.b, "green tea", tags=["tea"])
    changed = await put(world.b, "black coffee", tags=["coffee", "Coffee"])
    again = await put(world.b, "black coffee", tags=["coffee"])

    assert ([], []) == ((await search(world.a1, "tea")).entries, (await search(world.a1, "", "tea")).entries)
    assert [["coffee"]] == [each.tags for each in (await search(world.a1, "coffee")).entries]
    assert (changed.version, True) == (again.version, again.replayed)


@pytest.mark.parametrize("query", ["tea", ""])
async def test_pages_hold_each_entry_once(world: World, query: str) -> None:
    """Newest change first, page after page, until nothing is left."""
    for number in range(finding.PAGE + 3):
        await put(await member(world, f"m{number}"), f"tea {number}")
    first = await search(world.b, query)
    second = await search(world.b, query, before=first.next_before)

    titles = [each.title for each in [*first.entries, *second.entries]]
    assert [f"tea {number}" for number in reversed(range(finding.PAGE + 3))] == titles
    assert (finding.PAGE, True, 3, False) == (
        len(first.entries), first.truncated, len(second.entries), second.truncated,
    )  # fmt: skip


async def test_who_may_put_a_stall(world: World) -> None:
    """The primary instance alone, under its generation; anybody known may look."""
    assert "instance_read_only" == await refused(put(world.a2, "tea"))
    assert "token_missing" == await refused(world.hub.directory.search(None, wire.EntryKind.STALL, "", [], None))
    old = world.a1.generation
    await world.a2.log_in(takeover=True)
    assert "instance_superseded" == await refused(put(world.a1, "tea", generation=old))


BAD = [
    ({"title": "  "}, "text_empty"),
    ({"title": "a\x00b"}, "text_invalid"),
    ({"title": "a", "text": "\x00"}, "text_invalid"),
    ({"title": "a", "tags": ["!"]}, "tag_invalid"),
    ({"title": "a", "tags": ["ﷺ" * 10]}, "tag_invalid"),
]


@pytest.mark.parametrize(("asked", "code"), BAD)
async def test_bad_words(world: World, asked: dict[str, str], code: str) -> None:
    """Blank titles, zero characters, tags without a word or with too many."""
    assert code == await refused(put(world.b, **asked))  # type: ignore[arg-type]


async def test_changes_of_a_day_are_counted(world: World) -> None:
    """After so many changes the next waits for the next day, and is told when; closing is always possible."""
    for number in range(finding.STALL_CHANGES):
        await put(world.b, f"tea {number}")
    with pytest.raises(Refusal) as caught:
        await put(world.b, "tea again")

    assert ("changes_limited", world.clock.now() + DAY) == (caught.value.code, caught.value.retry_at)
    assert not (await put(world.b, "tea 1", open=False)).open
    world.clock.pass_ms(DAY)
    await world.b.log_in()
    assert (await put(world.b, "tea again")).open


# --- subscriptions ---


async def test_a_subscriber_is_told_once_per_version(world: World) -> None:
    """New and changed stalls that match, each version once; not what stood before, not what does not match."""
    await put(await member(world, "early"), "tea of old")
    await subscribe(world.a1, "tea")
    await put(world.b, "green tea")
    await put(world.b, "green tea")
    await put(world.b, "coffee")
    await put(world.b, "茶 and tea")

    assert [(world.b.role_id, 1), (world.b.role_id, 3)] == await told(world.a1)


MATCHES = [(query, tags, names) for query, tags, names in FOUND if query.strip("…") or tags]


async def test_a_subscription_tells_what_a_search_finds(world: World) -> None:
    """For every query of the table the stalls that match it are those that its search finds."""
    names: dict[str, str] = {}
    made = {}
    for number, (query, tags, _) in enumerate(MATCHES):
        who = await member(world, f"s{number}")
        await subscribe(who, query, *tags)
        made[query, tags] = who
    for name, (title, text, tags) in STALLS.items():
        names[(await put(await member(world, name), title, text, tags)).role_id] = name

    found = {}
    for key, who in made.items():
        page = await who.hub.events.page(who.token, 0, ["subscription_match"])
        found[key] = " ".join(sorted(names[each.facts.role_id or ""] for each in page.events))
    assert {(query, tags): expected for query, tags, expected in MATCHES} == found


async def test_nobody_is_told_of_an_own_or_closed_stall(world: World) -> None:
    """Neither one's own nor one that nobody can find."""
    await subscribe(world.b, "tea")
    await subscribe(world.a1, "tea")
    await put(world.b, "tea", open=False)
    assert [] == await told(world.a1)
    await put(world.b, "tea")

    assert ([(world.b.role_id, 2)], []) == (await told(world.a1), await told(world.b))


async def test_the_same_search_is_one_subscription(world: World) -> None:
    """However it was typed; ended, it tells nothing any more; another role cannot end it."""
    first = await subscribe(world.a1, "Teas ", "Green Tea")
    again = await subscribe(world.a1, "tea", "green-tea")
    end = wire.EndSubscription(generation=world.b.generation)
    other = world.hub.subscriptions.end(world.b.token, first.subscription_id, end)

    assert (first.subscription_id, True) == (again.subscription_id, again.replayed)
    assert "subscription_unknown" == await refused(other)
    end = wire.EndSubscription(generation=world.a1.generation)
    assert [] == (await world.hub.subscriptions.end(world.a1.token, first.subscription_id, end)).subscriptions
    await put(world.b, "tea", tags=["green tea"])
    assert [] == await told(world.a1)


async def test_subscriptions_are_bounded(world: World) -> None:
    """A role has so many and no more; one that asks for nothing is none."""
    for number in range(finding.SUBSCRIPTIONS):
        await subscribe(world.a1, f"tea {number}")

    assert "too_many" == await refused(subscribe(world.a1, "coffee"))
    assert (await subscribe(world.a1, "tea 1")).replayed
    assert "query_empty" == await refused(subscribe(world.b, "!?"))
    assert "instance_read_only" == await refused(subscribe(world.a2, "x"))
