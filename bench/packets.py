"""Bytes to verdict, beside the bare schema check: `python bench/packets.py`.

The peer is orjson and jsonschema-rs `is_valid` with the same schema, alone, in the same run. Absolute times depend on
the machine; the ratio is what counts. Rounds alternate, and the best round of each is taken.

The last line is of one conversation of 10,000 and one of 100,000 packets: time for each packet, and how much more it is
in the long one (1.0 is linear).
"""

from __future__ import annotations

import json
import resource
import time
import uuid
from collections.abc import Callable

import orjson

from dragoman.packets.chain import validate_chain
from dragoman.packets.examples import example
from dragoman.packets.profiles import BUILT, profile
from dragoman.packets.seal import sealed, written
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


def conversation(count: int) -> list[tuple[str, bytes]]:
    """A conversation of one source: the same status, again and again."""
    first = orjson.loads(example("uai.agent.task-status.v1", now=NOW, new_id=lambda kind: f"{kind}-0"))
    made = []
    for number in range(count):
        belongs = first["conversation"] | {
            "sequence": number,
            "parent_message_id": f"msg-{number - 1}" if number else None,
        }
        delivery = first["delivery"] | {"idempotency_key": f"idem-{number}"}
        each = first | {"message_id": f"msg-{number}", "conversation": belongs, "delivery": delivery}
        made.append((f"{number:06}", written(sealed(each))))
    return made


def measure_chain(short: int = 10_000, long: int = 100_000) -> dict[str, object]:
    """Microseconds for each packet of a short and a long conversation, the memory that the long one adds, the ratio."""
    each = {}
    for count in (short, long):
        packets = conversation(count)
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
        verdict = validate_chain(packets)
        each[count] = (time.perf_counter() - start) / count * 1e6
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert verdict.result is Result.PASS, verdict.rules[:3]
    return {
        "chain": [short, long],
        "us_each": [round(each[short], 1), round(each[long], 1)],
        "memory_kib_each": round(memory / long, 2),
        "ratio": round(each[long] / each[short], 3),
    }


if __name__ == "__main__":
    for one in BUILT:
        print(json.dumps(measure(one)))
    print(json.dumps(measure_chain()))
