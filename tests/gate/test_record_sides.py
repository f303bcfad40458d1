"""A sentence that turns a fact around is unverified, one that says it in other words is not (spec 1 §4 step 5)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dragoman.gate.claims import ClaimKind
from dragoman.gate.records import compile_record, unverified

NOW = int(datetime(2026, 9, 21, 9, tzinfo=UTC).timestamp() * 1000)
"""A Monday."""

# facts, what agrees, what turns them around
TURNED: list[tuple[tuple[str, ...], list[str], list[str]]] = [
    (
        ("The depot is closed on 3 October.",),
        ["The depot is not open on 3 October.", "On 3 October the depot is shut.", "Is the depot open on 3 October?"],
        ["The depot is open on 3 October.", "The depot is not closed on 3 October."],
    ),
    (
        ("The audit is before the move.",),
        ["The audit will be before the move."],
        ["The audit will be after the move."],
    ),
    (
        ("Module A takes place in the morning.", "Module B takes place after lunch."),
        ["Module A is in the morning.", "Module B is in the afternoon."],
        ["Module B is in the morning.", "Module A is after lunch."],
    ),
    (
        ("The kiln comes with shelves.",),
        ["The kiln comes with its shelves."],
        ["The kiln does not come with shelves."],
    ),
    (
        ("34 of 36 cartons were loaded.",),
        ["34 of the 36 cartons were loaded."],
        ["All 36 cartons were loaded."],
    ),
    (
        ("The workshop takes place in Bruges.",),
        ["The workshop is in Bruges."],
        ["The workshop takes place in Ghent."],
    ),
    (
        ("蓝色款有现货", "红色款需等货"),
        ["蓝色款有货。", "红色款要等。"],
        ["红色款有货。", "蓝色款要等。"],
    ),
    (("样衣已完成并寄出",), ["样衣做完了,已经寄给您。"], ["样衣还没做好。"]),
    (("房价含双早",), ["早餐包含在内。"], ["早餐不包含在内。"]),
    (("Shipments leave on Thursday at the earliest.",), ["货最早周四发。"], ["货不会晚于周四发。"]),
]


@pytest.mark.parametrize(("facts", "agrees", "turns"), TURNED, ids=[facts[0] for facts, _, _ in TURNED])
def test_direction(facts: tuple[str, ...], agrees: list[str], turns: list[str]) -> None:
    """The same direction is verified, the other one is not, in either language."""
    record = compile_record(facts)

    assert [] == [text for text in agrees if unverified(text, record, NOW)]
    assert [] == [text for text in turns if not unverified(text, record, NOW)]


def test_turned_claim_has_its_clause() -> None:
    """The finding names the axis and covers the clause, so that an operator sees which part is meant."""
    text = "Hello. The depot is open on 3 October."
    (claim,) = unverified(text, compile_record(("The depot is closed on 3 October.",)), NOW)

    assert (claim.kind, claim.value) == (ClaimKind.TURNED, "open")
    assert text[claim.start : claim.end].strip() == "The depot is open on 3 October"


def test_without_a_record_nothing_is_turned() -> None:
    """Words without figures state nothing that could be checked when there is no record."""
    assert unverified("The depot is open.", None, NOW) == ()


@pytest.mark.parametrize(
    ("text", "fact", "stated"),
    [
        ("The jacket is waterproof.", "Jacket: waterproof", True),
        ("这件外套防水。", "Jacket: waterproof", True),
        ("The jacket is waterproof.", "Jacket: blue", False),
        ("It works with Android.", "Runs on Linux.", False),
        ("It works with Linux.", "Runs on Linux.", True),
        ("软件支持麒麟系统。", "软件界面为中文", False),
        ("The paint is free of lead.", "Paint, white.", False),
    ],
)
def test_properties(text: str, fact: str, stated: bool) -> None:
    """A property without a figure is stated by a fact that names the same idea, in either language."""
    assert (not unverified(text, compile_record((fact,)), NOW)) is stated


@pytest.mark.parametrize("text", ["Is it waterproof?", "I don't know whether it is waterproof.", "防水的吗?"])
def test_asking_about_a_property_claims_none(text: str) -> None:
    """A question and a clause that says nobody knows claim no property."""
    assert unverified(text, None, NOW) == ()
