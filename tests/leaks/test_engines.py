"""Two engines, one answer: literals, patterns, databases built elsewhere, and the change from one to the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError
from dragoman.leaks import Engine, Guard, Terms
from dragoman.leaks.engines import INLINE, WARM_UP, Literals, fast_is_installed
from dragoman.leaks.secrets import SHAPES, shapes

from .samples import ORDINARY_EN, ORDINARY_ZH, SHAPE_SAMPLES

needs_fast = pytest.mark.skipif(not fast_is_installed(), reason="needs the extra `fast`")
ALPHABET = st.sampled_from([*map(chr, range(0x20, 0x7F)), "\n", "\t", *"密码口令密钥是为猎é\ue02e"])
WORDS = st.lists(st.text("ab猎", min_size=1, max_size=4).map(str.encode), min_size=1, max_size=8, unique=True)


@needs_fast
@settings(deadline=None)
@given(WORDS, st.text("abc猎鹰", max_size=40).map(str.encode))
def test_engines_find_the_same_literals(literals: list[bytes], text: bytes) -> None:
    """Every occurrence, overlapping ones too, at the same places."""
    found = [sorted(Literals(literals, engine=engine).find(text)) for engine in Engine]
    naive = [
        (index, at, at + len(literal))
        for index, literal in enumerate(literals)
        for at in range(len(text))
        if text.startswith(literal, at)
    ]

    assert sorted(naive) == found[0] == found[1]


def sightings(engine: Engine, text: str) -> set[tuple[str, int, int]]:
    """What the shapes of an engine find in a text."""
    padded = f"\n\n{text}\n\n"
    return {(shape.rule, start, end) for shape, start, end in shapes(engine).find(padded.encode())[0]}


@needs_fast
@settings(deadline=None)  # the first call builds both engines
@given(st.data())
def test_engines_find_the_same_shapes(data: st.DataObject) -> None:
    """Whatever matches a row, cut and put between other pieces, is found by both engines at the same places."""
    pieces = st.sampled_from([sample for _, found, near in SHAPE_SAMPLES for sample in (found, near)])
    shape = data.draw(st.sampled_from(SHAPES))
    made = data.draw(st.from_regex(shape.pattern.replace(r"\b", ""), alphabet=ALPHABET))
    text = data.draw(pieces | st.text(ALPHABET, max_size=9)) + made + data.draw(pieces | st.text(ALPHABET, max_size=9))

    assert sightings(Engine.PLAIN, text) == sightings(Engine.FAST, text)


@needs_fast
@pytest.mark.parametrize(("rule", "found", "near"), SHAPE_SAMPLES, ids=[row[0] for row in SHAPE_SAMPLES])
def test_engines_give_the_same_hints(rule: str, found: str, near: str) -> None:
    """What else is worth a look, an open shape at the end too, is the same: on samples and their beginnings."""
    for text in (found, near, *(found[:length] for length in range(1, len(found)))):
        padded = f"\n\n{text} \n\n"
        plain, fast = (shapes(engine).find(padded.encode())[1] for engine in Engine)
        assert plain == fast
        assert fast.opening or shapes(Engine.FAST).open_from(f"\n\n{text} ") is None


@needs_fast
@pytest.mark.parametrize("text", [*ORDINARY_EN, *ORDINARY_ZH])
def test_engines_agree_on_ordinary_messages(text: str) -> None:
    """An ordinary message is clean for both."""
    assert sightings(Engine.PLAIN, text) == sightings(Engine.FAST, text) == set()


@needs_fast
def test_engine_warms_up() -> None:
    """With no engine named a text is read by the plain one at first, by the fast one later, with the same answer."""
    literals = Literals([b"falcon", b"con"])
    first = literals.find
    before = literals.find(b"a falcon")
    literals.find(b"x" * WARM_UP)

    assert literals.find is not first
    assert sorted(before) == sorted(literals.find(b"a falcon")) == [(0, 2, 8), (1, 5, 8)]


def test_many_literals_are_not_built_unasked() -> None:
    """Above `INLINE` literals nothing is built on the way: who wants the fast engine hands a database over."""
    literals = Literals([b"x%d" % nth for nth in range(INLINE + 1)])
    first = literals.find
    literals.find(b"y" * (WARM_UP + 1))

    assert literals.find is first


@needs_fast
def test_database_is_for_its_own_terms_only() -> None:
    """A database built elsewhere gives the same answers; one of other terms, cut or empty is refused."""
    owned = {"a": ["Falcon", "猎鹰项目"], "b": ["Northwind depot"]}
    database = Terms(owned).database()
    guard = Guard(Terms(owned, database=database))

    assert guard.scan("the Falcon") == Guard(Terms(owned)).scan("the Falcon") != ()
    for broken in (database[:-9], database[:40], b"", Terms({"a": ["Falcon"]}).database()):
        with pytest.raises(DragomanError, match="input_invalid"):
            Terms(owned, database=broken)


def test_threads_do_not_meet(engine: Engine) -> None:
    """Several threads ask one guard at once, and each gets its own answer."""
    guard = Guard(Terms({"a": ["Falcon", "Kestrel"]}, engine=engine))
    texts = ["the Falcon " * 40, "a Kestrel " * 50, "nothing here " * 60]
    alone = [guard.scan(text) for text in texts]

    with ThreadPoolExecutor(6) as pool:
        assert alone * 100 == list(pool.map(guard.scan, texts * 100))
