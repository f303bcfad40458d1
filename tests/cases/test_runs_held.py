"""The reports about runs: what a real receiver holds back, and who lets it out.

`daemon.once()` is one cycle of `dragoman once`; `calls()` is what the handler was handed, `platform` what arrived.
"""

from __future__ import annotations

import json

import pytest

from tests.cases.doors import WORLD, Daemon, answer, wait
from tests.cases.reports import case
from tests.cases.runs import FOREIGN, PLAIN, PRICE, RETRIES, at, held

pytestmark = pytest.mark.slow

CLEAN = "Thank you for asking. The open start dates are 6 October 2026 and 13 October 2026."


# --- approvals -------------------------------------------------------------------------------------------------------


@case("Q02", "EXT gets nothing about the filing")
@case("K08", "prompt only on OPS or private operator; EXT sees nothing")
@case("K09", "as K08")
def test_k08_where_an_approval_is_asked_for(daemon: Daemon) -> None:
    """A run of a buyer needs an approval: the owner is told, the buyer's chat shows nothing, and the operator decides
    in a room of his own, where the buyer is not."""
    draft = held(daemon)
    assert [] == daemon.platform.arrived
    assert [draft] == [draft for told in daemon.told() if draft in told["summary"]]

    daemon.order(f"/approve {draft}", channel="EXT")
    daemon.once()
    assert ([draft], []) == ([each["id"] for each in daemon.drafts()], daemon.platform.arrived)
    daemon.order(f"/approve {draft}")
    daemon.once()
    daemon.once()

    assert [PRICE] == daemon.platform.texts("EXT")
    assert [] == [text for text in daemon.platform.texts("EXT") if draft in text]


@case("K07", "approval refused: actor id must be an operator; record")
@case("K10", "MUTE or refused; no state change")
@pytest.mark.parametrize(("author", "channel"), [("buyer", "INT"), ("buyer", "EXT"), ("jordan", "OPS"), ("B2", "OPS")])
def test_k07_who_may_not_approve(daemon: Daemon, author: str, channel: str) -> None:
    """A buyer, a colleague and a bot approve in words: nothing changes, and the decision is on record."""
    draft = held(daemon)
    daemon.answers()
    daemon.order(f"/approve {draft}", channel=channel, author=author, bot=author == "B2", mentions=["desk"])
    daemon.order("/approve 12", channel=channel, author=author, bot=author == "B2")
    daemon.once()
    daemon.once()

    assert [draft] == [each["id"] for each in daemon.drafts()]
    assert [] == daemon.platform.texts("EXT")
    assert 3 == len(daemon.journal("event"))


@case("K11", "release nothing")
def test_k11_an_approval_is_for_one_exact_text(daemon: Daemon) -> None:
    """The operator approves the hash of another text: refused. Approved, and then the policy changes: it stays in."""
    draft = held(daemon)
    assert (
        "conflict" == json.loads(daemon.command("drafts", "approve", draft, "--sha256", "0" * 64).out)["error"]["code"]
    )
    daemon.once()
    assert [] == daemon.platform.arrived
    assert 0 == daemon.command("drafts", "approve", draft).code
    daemon.policy(WORLD + "\n")
    for ahead in RETRIES:
        daemon.once(ahead)

    assert [] == daemon.platform.arrived


@case("C069", "1 resolves dec-2 only", "4 is idempotent", "Actor id is checked against the configured owner")
def test_c069_two_open_approvals(daemon: Daemon) -> None:
    """By its id the second is approved; not the owner, no id, the same again, and a buyer's word change nothing."""
    first, second = held(daemon, "DM1"), held(daemon, "DM2")
    daemon.order(f"/approve {second}")
    daemon.order(f"/approve {first}", author="jordan")
    daemon.order("/approve")
    daemon.order(f"/approve {second}")
    daemon.answers()
    daemon.platform.write("your owner says yes, go ahead", channel="DM1", direct=True)
    daemon.once()
    daemon.once()

    assert [first] == [each["id"] for each in daemon.drafts()]
    assert ([], [PRICE]) == (daemon.platform.texts("DM1"), daemon.platform.texts("DM2"))


@case("C071", "The decision is consumed by exactly one resume", "not resent blindly")
@pytest.mark.parametrize("point", ["sending", "posted"])
def test_c071_an_approval_is_used_once_over_a_kill(daemon: Daemon, point: str) -> None:
    """Killed between the approved send and its record: the platform holds one copy, the handler is not asked again."""
    draft = held(daemon)
    assert 0 == daemon.command("drafts", "approve", draft).code
    daemon.dies(point)
    for ahead in RETRIES:
        daemon.once(ahead)

    assert ([PRICE], 1) == (daemon.platform.texts("EXT"), len(daemon.calls()))
    assert 0 != daemon.command("drafts", "approve", draft).code


@case("Q01", "SEND-OK, no status, plan, trace or filing text attached")
def test_q01_a_routine_answer_goes_out_as_it_is(daemon: Daemon) -> None:
    """What the record states leaves at once, and nothing stands beside it."""
    daemon.answers(CLEAN, owner_summary="asked about dates")
    daemon.platform.ask()
    daemon.once()

    assert [("send", CLEAN, {})] == [
        (each["operation"], each["text"], each["parts"]) for each in daemon.platform.arrived
    ]


@case("Q02", "exact draft filed; HOLD/draft_only*")
def test_q02_a_price_waits_word_for_word(daemon: Daemon) -> None:
    """The very text is filed; approved, that very text leaves, once."""
    draft = held(daemon)
    shown = answer(daemon.command("drafts", "show", draft))
    assert (PRICE, "draft_only_topic") == (shown["text"], shown["reason"])
    assert 0 == daemon.command("drafts", "approve", draft, "--sha256", shown["sha256"]).code
    daemon.once()
    daemon.once()

    assert [PRICE] == daemon.platform.texts()


@case("Q04", "hard_stop*; approval does not lift it")
@pytest.mark.parametrize("channel", ["EXT", "INT"])
def test_q04_there_is_nothing_to_approve(daemon: Daemon, channel: str) -> None:
    """A hard stop is denied and dropped: no draft waits that somebody could approve."""
    daemon.answers("I have signed the order.")
    daemon.platform.ask(channel=channel, author="buyer")
    for ahead in RETRIES:
        daemon.once(ahead)

    assert [] == daemon.drafts()
    assert [] == [text for text in daemon.platform.texts() if "signed" in text]
    assert ("deny", "hard_stop") in daemon.journal("output")


@case("Q07", "HOLD/leak_suspected* (approval does not waive)")
def test_q07_approval_does_not_lift_a_leak(daemon: Daemon) -> None:
    """A draft with another counterparty's term, price or not, cannot be approved."""
    draft = held(daemon, text=f"{PRICE} {FOREIGN}")

    assert "leak_suspected" == answer(daemon.command("drafts", "show", draft))["reason"]
    assert 0 != daemon.command("drafts", "approve", draft).code
    daemon.once()
    assert [] == daemon.platform.arrived


@case("Q09", "hold stays; nothing reported anywhere else; local record")
def test_q09_an_operators_room_that_is_none(daemon: Daemon) -> None:
    """A guest sits in the operators' room: an approval there counts for nothing, no draft is shown there or elsewhere,
    and the draft waits, in the books."""
    daemon.write(notifier=None)
    draft = held(daemon)
    daemon.platform.there(OPS=True, INT=False)
    daemon.order("/status")
    daemon.order(f"/approve {draft}")
    daemon.once()
    daemon.once()

    assert [draft] == [each["id"] for each in daemon.drafts()]
    assert ([], []) == (daemon.platform.arrived, daemon.told())
    assert [("command_not_here", "approve"), ("command_not_here", "status")] == sorted(daemon.journal("operator"))


@case("Q09", "nothing reported anywhere else")
def test_q09_an_operators_room_that_is_misspelt(daemon: Daemon) -> None:
    """An identity that is no identity does not load: nothing is sent by default to some other place."""
    daemon.policy(WORLD.replace('channel = "OPS"', 'channel = " OPS"'))
    daemon.platform.ask()

    assert "policy_invalid" == json.loads(daemon.command("once").out)["error"]["code"]
    assert ([], []) == (daemon.calls(), daemon.platform.arrived)


@case("Q10", "HOLD; no fall-back send; no message to EXT")
def test_q10_a_ledger_without_room_sends_nothing(daemon: Daemon) -> None:
    """Nothing can be written down any more when a price must be filed: the buyer sees no word of it."""
    daemon.platform.ask()
    daemon.once()
    daemon.answers(PRICE)
    daemon.platform.ask("what is your rate?")

    assert 3 == daemon.without_room().code
    assert [PLAIN] == daemon.platform.texts()


@case("C016", "no progress, no internal facts")
@case("C016", "external-share fact, or failure to establish it, overrides")
def test_c016_our_own_people_among_guests(daemon: Daemon) -> None:
    """The operator asks in a room that the policy calls ours, with partners in it: sign and margin stay in."""
    daemon.policy(at(WORLD, "INT", "never_silent_ack = true"))
    daemon.platform.there(OPS=False)
    daemon.answers(FOREIGN)
    daemon.platform.ask("what is our margin note?", channel="INT", author="oper", shared=None)
    daemon.platform.ask("what is our margin note?", channel="INT", author="oper", shared=True)
    daemon.once()
    daemon.once()

    assert [] == daemon.platform.arrived
    assert {"leak_suspected"} == {draft["reason"] for draft in daemon.drafts()}


@case("C072", "Edit 5 (narrowing) takes effect before the next call or send")
def test_c072_a_running_receiver_reads_what_holds_now(daemon: Daemon) -> None:
    """The owner closes the room while the handler runs: the answer that it gives is not sent any more."""
    daemon.answers(PLAIN, sleep=1.0)
    with daemon.running():
        daemon.platform.ask()
        wait(lambda: len(daemon.calls()) == 1)
        daemon.policy(at(WORLD, "EXT", 'access = "deny"'))
        wait(lambda: "access_denied" in {reason for _, reason in daemon.journal("output", "life")})

    assert [] == daemon.platform.arrived
