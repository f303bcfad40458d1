"""Each way to tell the owner, from a real receiver process to where the owner looks (spec 2 §2, §3.10)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from dragoman.clock import DAY
from tests.receiver.ways import KINDS, POLICY, ROOM, Way, Webhook, exists, rows, way_of
from tests.receiver.world import World, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.fixture(params=list(KINDS))
def way(request: pytest.FixtureRequest, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Way]:
    """Each kind in turn, in a world of its own."""
    world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
    with way_of(request.param, world, monkeypatch) as found:
        yield found


def asked(world: World) -> None:
    """The peer asks what only the owner can decide."""
    world.peer_says("Which day?")


def test_the_owner_is_told_once(way: Way) -> None:
    """A real process reaches `waiting_owner`; the owner is told, with evidence, and not again by any later cycle."""
    world = way.world
    process = world.running()
    asked(world)
    assert until(lambda: [row[1:] for row in rows(world)] == [("delivered", 1)], 40), rows(world)
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    world.cycle()
    world.cycle(DAY // 2)

    ((id, state, attempts),) = rows(world)
    assert ("delivered", 1) == (state, attempts)
    assert way.arrived() in ([id], [""])
    assert "waiting_owner" == world.stands()["autonomy"][0]["stop_reason"]


def killed_while_telling(way: Way) -> tuple[World, list[str]]:
    """A receiver killed between `sending` and evidence; its world, and what had arrived by then."""
    world = way.world
    process = world.running()
    assert until(lambda: exists(world.folder))
    way.hang()
    asked(world)
    assert until(lambda: [row[1] for row in rows(world)] == ["sending"], 40), rows(world)
    assert way.kind == "channel" or until(lambda: len(way.arrived()) == 1)
    process.kill()
    process.communicate()
    way.heal()
    before = way.arrived()
    return world, before


def test_killed_between_sending_and_evidence(way: Way) -> None:
    """Nobody knows whether the owner was told: uncertain, never resent, in nobody's way, left by `resolve` alone."""
    world, before = killed_while_telling(way)

    world.cycle()
    world.cycle(DAY // 2)
    ((id, state, _),) = rows(world)
    assert (before, "uncertain") == (way.arrived(), state)

    world.resolve(notification_id=id, notification_delivered=False)
    world.cycle()
    assert [(id, "delivered", 2)] == rows(world)
    assert way.arrived() in ([*before, id], ["", ""])


def test_uncertain_is_settled_by_the_owners_word(way: Way) -> None:
    """The owner says that it arrived: delivered, nothing is sent again."""
    world, before = killed_while_telling(way)
    world.cycle()
    ((id, _, _),) = rows(world)
    world.resolve(notification_id=id, notification_delivered=True)
    world.cycle()

    assert ([(id, "delivered", 1)], before) == (rows(world), way.arrived())
    assert [] == world.stands()["notifications"]


def test_probe_tells_and_doctor_does_not(way: Way) -> None:
    """`doctor` looks at the notifier and tells nobody; `probe` really tells the owner, and both are content."""
    world = way.world
    report = json.loads(world.command("doctor").stdout)
    (check,) = [each for each in report["checks"] if each["name"] == "notification"]
    assert ("ok", []) == (check["state"], way.arrived()), check
    assert check["detail"].startswith(f"{way.kind}: ")

    done = world.command("probe")
    assert 0 == done.returncode, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert ("delivered", 1) == (said["notifier"], len(way.arrived()))
    assert way.arrived() in ([said["notification_id"]], [""])


def test_a_changed_address_is_a_changed_scope(world: World) -> None:
    """The scope digest holds where the owner is told: another mailbox under the same grant is `grant_changed`."""
    box = {"server": "127.0.0.1", "security": "none", "port": 9, "from": "desk@example.org"}
    world.write(notifier={"email": box | {"to": "owner@example.org"}})
    world.peer_says("Which day?")
    world.cycle()
    assert None is world.stands()["autonomy"][0]["stop_reason"]
    world.write(notifier={"email": box | {"to": "other@example.org"}})
    world.peer_says("And when?")
    world.cycle()

    assert 1 == len(world.calls())
    (check,) = [each for each in json.loads(world.command("doctor").stdout)["checks"] if each["name"] == "scope"]
    assert "grant_changed" == check["code"]


@pytest.mark.parametrize("kind", ["email", "webhook"])
def test_a_hanging_notifier_delays_nobody(kind: str, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """R069: while the owner's server hangs, a counterparty still gets an answer."""
    with way_of(kind, world, monkeypatch) as way:
        world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
        way.hang()
        other = world.peer_opens()
        autonomy = json.loads(world.config.read_text())["autonomy"] | {"contact_ids": [world.contact, other]}
        _change(world, autonomy=autonomy)
        process = world.running()
        asked(world)
        assert until(lambda: len(way.arrived()) == 1, 40)
        world.answers("Yes, we can meet.")
        world.peer_says("Can we meet?", other)
        assert until(lambda: world.texts(other) == ["Yes, we can meet."], 15)
        assert ["sending"] == [row[1] for row in rows(world)]
        process.kill()
        process.communicate()


def test_after_a_slow_one_the_rest_waits_for_the_next_round(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that hangs holds `once` for one time limit, not for one per notification."""
    with way_of("webhook", world, monkeypatch) as way:
        section = json.loads(world.config.read_text())["notifier"] | {"timeout_seconds": 1}
        other = world.peer_opens()
        autonomy = json.loads(world.config.read_text())["autonomy"] | {"contact_ids": [world.contact, other]}
        _change(world, notifier=section, autonomy=autonomy)
        world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
        asked(world)
        world.peer_says("Which day?", other)
        way.hang()
        world.cycle()
        assert ["queued", "uncertain"] == sorted(row[1] for row in rows(world))
        way.heal()
        world.cycle()
        assert ["delivered", "uncertain"] == sorted(row[1] for row in rows(world))


BLOCKED = [
    ("external", POLICY.replace("internal", "external"), "memory/W1/OWNER", "config_invalid"),
    ("not in the policy", "version = 1\n", "memory/W1/OWNER", "config_invalid"),
    ("nobody proves who is there", POLICY.replace("OWNER", "OTHER"), "memory/W1/OTHER", "not_ready"),
]


@pytest.mark.parametrize(("what", "policy", "target", "code"), BLOCKED, ids=[row[0] for row in BLOCKED])
def test_a_target_that_is_not_inside_is_a_blocker(world: World, what: str, policy: str, target: str, code: str) -> None:
    """`doctor` names it with its fix; what the policy calls external, or does not list, does not even start."""
    with way_of("channel", world, pytest.MonkeyPatch()):
        (world.folder / "policy.toml").write_text(policy)
        world.write(notifier={"channel": {"target": target}}, channels=ROOM, policy="policy.toml")
        report = json.loads(world.command("doctor").stdout)
        (check,) = [each for each in report["checks"] if each["name"] == "notification"]
        assert ("blocker", code, True) == (check["state"], check["code"], bool(check["fix"]))
        started = world.command("once")
        assert (code != "config_invalid") == (started.returncode == 0), started.stderr


def test_a_room_that_becomes_external_gets_nothing_more(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The policy or the room changed after the start: the door refuses, the owner was provably not told."""
    with way_of("channel", world, monkeypatch) as way:
        world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
        process = world.running()
        (world.folder / "chat" / "presence.json").write_text('{"OWNER": {"shared": true}}')
        asked(world)
        assert until(lambda: [row[1] for row in rows(world)] == ["failed"], 40), rows(world)
        process.kill()
        process.communicate()
        assert [] == way.arrived()


def test_a_pause_keeps_notifications_in_the_queue(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paused in the owner's room: nothing is lost, and it is told after `resume`."""
    with way_of("channel", world, monkeypatch) as way:
        world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
        asked(world)
        world.cycle()
        assert 1 == len(way.arrived())
        world.command("pause", "memory/W1/OWNER")
        world.resolve(contact_id=world.contact, decision="continue")
        world.peer_says("And when?")
        world.cycle()
        assert ["delivered", "queued"] == sorted(row[1] for row in rows(world))
        world.command("resume", "memory/W1/OWNER")
        world.cycle()
        assert (["delivered"] * 2, 2) == ([row[1] for row in rows(world)], len(way.arrived()))


def test_why_it_is_not_proven_is_told_to_the_operator(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """`dragoman why` has the way and the reason in one word, and the rest as evidence; no secret and no summary."""
    with way_of("webhook", world, monkeypatch) as way:
        assert isinstance(way, Webhook)
        way.hook.answer = "error"
        world.answers(action="waiting_owner", owner_summary="Offer the 6th?")
        asked(world)
        world.cycle()
        ((id, _, _),) = rows(world)
        said = json.loads(world.command("why", id, "--evidence").stdout)

    ((consumer, outcome, reason),) = [(each["consumer"], each["outcome"], each["reason"]) for each in said["records"]]
    assert ("notifier.webhook", "uncertain", "http_status") == (consumer, outcome, reason)
    assert "http_status: 500\n" == said["evidence"][0]["text"]
    assert not [word for word in ("hidden", "0123456789abcdef", "6th") if word in json.dumps(said)]


def test_every_result_or_only_milestones(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sent reply is told in one mode only."""
    with way_of("email", world, monkeypatch) as way:
        world.peer_says("Can we meet?")
        world.cycle()
        assert [] == way.arrived()
        autonomy: dict[str, Any] = json.loads(world.config.read_text())["autonomy"]
        _change(world, autonomy=autonomy | {"notification_mode": "every_result", "grant_id": "grant-9b1c"})
        world.peer_says("And Tuesday?")
        world.cycle()
        assert 1 == len(way.arrived())


def _change(world: World, **changed: Any) -> None:
    """Change some keys of the configuration as it stands."""
    world.config.write_text(json.dumps(json.loads(world.config.read_text()) | changed))
