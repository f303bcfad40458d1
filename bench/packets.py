"""Bytes to verdict, beside the bare schema check: `python bench/packets.py`.

The peer is orjson and jsonschema-rs `is_valid` with the same schema, alone, in the same run. Absolute times depend on
the machine; the ratio is what counts. Rounds alternate, and the best round of each is taken.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable

import orjson

from dragoman.packets.examples import example
from dragoman.packets.profiles import BUILT, profile
from dragoman.packets.validate import validate
from dragoman.packets.verdict import Result

NOW = 1_790_000_000_000
ROUNDS = 15
CALLS = 400


def best(call: Callable[[], object]) -> float:
    """Microseconds per call in one round."""
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS * 1e6


def measure(profile_id: str) -> dict[str, object]:
    """Size, microseconds and ratio for the example of one profile."""
    raw = example(profile_id, now=NOW, new_id=lambda kind: f"{kind}-{uuid.uuid4().hex}")
    found = profile(profile_id)
    assert found is not None
    assert validate(raw, now=NOW).result is Result.PASS
    is_valid = found.validator.is_valid
    peer, whole = [], []
    for _ in range(ROUNDS):
        peer.append(best(lambda: is_valid(orjson.loads(raw))))
        whole.append(best(lambda: validate(raw, now=NOW)))
    return {
        "profile": profile_id,
        "bytes": len(raw),
        "schema_only_us": round(min(peer), 1),
        "verdict_us": round(min(whole), 1),
        "ratio": round(min(peer) / min(whole), 3),
    }


if __name__ == "__main__":
    for one in BUILT:
        print(json.dumps(measure(one)))
