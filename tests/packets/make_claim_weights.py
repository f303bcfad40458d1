"""Makes `packets/claims/weights.json`: `make weights`, or `-m tests.packets.make_claim_weights [--without NAME]`.

Logistic regression (scikit-learn) over the features of every open sentence in `tests/packets/claims`. Sentences that we
wrote beside the rule count less: they are narrower than what people write. `--without fifth.zh` leaves one set out and
prints how it is judged then, without writing: what to expect of somebody who was never seen.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from math import sqrt
from pathlib import Path
from typing import Any, Final

import msgspec

from dragoman.packets.claims import claimed, weights
from dragoman.packets.claims.chinese.clauses import HAN, parted
from dragoman.packets.claims.english.capabilities.clauses import without_quoted
from dragoman.packets.claims.features import features
from dragoman.packets.claims.weights import HUNDREDTHS, Table

SETS: Final = Path(__file__).parent / "claims"
TALK: Final = Path(__file__).parents[1] / "gate" / "data" / "labelled"
"""Business talk of all sorts, labelled for other questions; none of it speaks of packets."""
OUT: Final = Path(weights.__file__).parent / "weights.json"
LEAST: Final = 2
"""Fewest sentences that a word stands in."""
LIGHT: Final = 20
"""Hundredths below which a word is left out."""
COUNTS: Final = {"own.en": 0.3, "own.zh": 0.3, "harmless": 3.0}
"""What a sentence of a set counts: our own are narrow, and what is harmless there was chosen because it comes near."""
HARMLESS: Final = "harmless"
SIGN: Final = 0.2
"""How far a sign counts beside a word, while weighing."""
SOFT: Final = 60.0

Row = tuple[str, str, str]
"""Set, kind, text."""


def sets() -> list[Path]:
    """The open sets, and the talk."""
    return [*sorted(each for each in SETS.iterdir() if "locked" not in each.name), *sorted(TALK.iterdir())]


def rows() -> list[Row]:
    """Every open sentence; what is harmless has no kind but that."""
    found = []
    for file in sets():
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line) if file.suffix == ".jsonl" else {"text": line}
            found.append((file.name.removesuffix(file.suffix), row.get("kind", HARMLESS), row["text"]))
    return found


def digest() -> str:
    """Of the files of the open sets."""
    return hashlib.sha256(b"".join(file.name.encode() + file.read_bytes() for file in sets())).hexdigest()


def passage(text: str) -> str:
    """A sentence as it is weighed: of two languages the Chinese part."""
    return (parted(text)[0] if HAN.search(text) else without_quoted(text)).strip()


def weighed(found: list[Row]) -> Table:
    """The table of some sentences of one language."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    vectors, frequent = [], Counter[str]()
    for _, _, text in found:
        words, signs = features(passage(text))
        each = {f"w{word}": 1 / sqrt(max(1, len(words))) for word in sorted(words)}
        vectors.append(each | {f"s{sign}": SIGN for sign in sorted(signs)})
        frequent.update(words)
    names = DictVectorizer(sort=True)
    model = LogisticRegression(C=SOFT, max_iter=10_000)
    model.fit(
        names.fit_transform(vectors),
        [kind == "claim" for _, kind, _ in found],
        sample_weight=[COUNTS.get(name, 1.0) for name, _, _ in found],
    )
    heavy: list[tuple[str, float]] = list(zip(names.get_feature_names_out(), model.coef_[0], strict=True))
    words = {name[1:]: round(value * HUNDREDTHS) for name, value in heavy if name[0] == "w"}
    signs = {name[1:]: round(value * SIGN * HUNDREDTHS) for name, value in heavy if name[0] == "s"}
    kept = {word: value for word, value in words.items() if abs(value) >= LIGHT and frequent[word] >= LEAST}
    return Table(even=round(model.intercept_[0] * HUNDREDTHS), signs=signs, words=kept)


def tables(found: list[Row]) -> dict[str, Table]:
    """Both tables."""
    chinese = [row for row in found if HAN.search(row[2])]
    english = [row for row in found if not HAN.search(row[2])]
    return {"en": weighed(english), "zh": weighed(chinese)}


def written(sentences: int, sha256: str, made: dict[str, Table]) -> bytes:
    """The file: heaviest first, a line each, so that it can be read."""
    whole: dict[str, Any] = {"sentences": sentences, "sha256": sha256, **msgspec.to_builtins(made)}
    for language in ("en", "zh"):
        for part in ("signs", "words"):
            heavy = whole[language][part].items()
            whole[language][part] = dict(sorted(heavy, key=lambda pair: (-pair[1], pair[0])))
    return json.dumps(whole, ensure_ascii=False, indent=0).encode() + b"\n"


def judged(found: list[Row]) -> Counter[tuple[str, bool]]:
    """How many of each kind are judged rightly, and wrongly."""
    weights.table.cache_clear()
    return Counter((kind, claimed.claims(text) is (kind == "claim")) for _, kind, text in found)


def main() -> None:
    """Make the table, or say what it would be worth to somebody who was left out."""
    left_out = sys.argv[2:] if sys.argv[1:2] == ["--without"] else []
    everything, before = rows(), OUT.read_bytes()
    made = [row for row in everything if row[0] not in left_out]
    OUT.write_bytes(written(len(made), digest(), found := tables(made)))
    if not left_out:
        words = {language: len(table.words) for language, table in found.items()}
        print(f"{words['en']} English and {words['zh']} Chinese words from {len(made)} sentences")
        return
    for name in left_out:
        counted = judged([row for row in everything if row[0] == name])
        print(
            name, {f"{kind} {'right' if right else 'wrong'}": count for (kind, right), count in sorted(counted.items())}
        )
    OUT.write_bytes(before)


if __name__ == "__main__":
    main()
