"""Bytes to verdict, beside its peers: `python bench/packets.py [--quick]`.

    P1   the verdict (schema, rules, secrets, canonical form, hash) to orjson and jsonschema-rs `is_valid` alone, and to
         pydantic's strict `validate_json` of a model of the whole profile (types, words, bounds, patterns, times, no
         further fields), and of its envelope only with no more than types, body and extensions unread
    P2   the verdict with a signature to a bare Ed25519 verification by PyNaCl
    P3   the verdict to the plain way: json, jsonschema (formats checked), rfc8785, SHA-256, no rules

`WARM_UP` verdicts come first, after which a process searches with hyperscan if the extra `fast` is installed.
All contenders take turns within a round, on CPU time; the ratio is taken round by round and its median printed. The
last line is one conversation of 10,000 and one of 100,000 packets: time for each packet, and how much more it is in the
long one (1.0 is linear). Absolute times depend on the machine; the ratios are what counts.
"""

from __future__ import annotations

import hashlib
import json
import resource
import statistics
import sys
import time
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal

import jsonschema
import orjson
import pydantic
import rfc8785
from nacl.signing import SigningKey, VerifyKey

from dragoman.packets.canonical import sealed_bytes
from dragoman.packets.chain import validate_chain
from dragoman.packets.envelope import FIELDS, SUBFIELDS
from dragoman.packets.examples import example
from dragoman.packets.profiles import BUILT, profile
from dragoman.packets.seal import sealed, signed, written
from dragoman.packets.signature import Trust, TrustedKey, encoded, key_id_of, public_key_of
from dragoman.packets.validate import validate
from dragoman.packets.verdict import Result

NOW = 1_790_000_000_000
QUICK = "--quick" in sys.argv
ROUNDS = 3 if QUICK else 15
CALLS = 100 if QUICK else 400
SLOW_CALLS = CALLS // 20
WARM_UP = 8_000
SEED = bytes(range(32))
Call = Callable[[], object]


def spent(call: Call, calls: int) -> float:
    """Microseconds of CPU for each call in one round."""
    start = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - start) / calls * 1e6


def turns(contenders: dict[str, tuple[Call, int]]) -> dict[str, list[float]]:
    """Every contender in every round."""
    found: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, (call, calls) in contenders.items():
            found[name].append(spent(call, calls))
    return found


def strict_model() -> type[pydantic.BaseModel]:
    """The envelope as a strict model that forbids further fields; body and extensions are any object."""
    strict = pydantic.ConfigDict(strict=True, extra="forbid")
    types: dict[str, Any] = {"sequence": int, "timeout_ms": int, "retry_count": int, "ack_required": bool}
    types |= {"evidence_refs": list, "parent_message_id": str | None, "expected_output_schema": str | None}
    inner: dict[str, Any] = dict.fromkeys(("body", "extensions"), (dict[str, Any], ...))
    for name, (required, optional) in SUBFIELDS.items():
        fields: dict[str, Any] = {each: (types.get(each, str), ...) for each in required}
        fields |= dict.fromkeys(optional, (Any, None))
        inner[name] = (pydantic.create_model(name, __config__=strict, **fields), ...)
    made: dict[str, Any] = {name: inner.get(name, (str, ...)) for name in FIELDS}
    return pydantic.create_model("Packet", __config__=strict, **made)


def whole_model(name: str, node: dict[str, Any], defs: dict[str, Any]) -> Any:
    """A JSON Schema of ours as pydantic types: strict, closed, with enumerations, bounds, patterns and times."""
    if "$ref" in node:
        return whole_model(name, defs[node["$ref"].rpartition("/")[2]], defs)
    if "const" in node or "enum" in node:
        return Literal[tuple(node.get("enum", (node.get("const"),)))]
    kinds = node.get("type")
    if isinstance(kinds, list):
        return whole_model(name, {**node, "type": kinds[0]}, defs) | None
    if kinds == "string" and node.get("format") == "date-time":
        return pydantic.AwareDatetime
    if kinds == "string":
        return Annotated[str, pydantic.Field(pattern=node.get("pattern"), max_length=node.get("maxLength"))]
    if kinds == "integer":
        return Annotated[int, pydantic.Field(ge=node.get("minimum"), le=node.get("maximum"))]
    if kinds == "array":
        inner = whole_model(name, node["items"], defs)
        return Annotated[list[inner], pydantic.Field(max_length=node.get("maxItems"))]
    if kinds == "object" and "properties" in node:
        fields: dict[str, Any] = {}
        for each, child in node["properties"].items():
            made = whole_model(f"{name}_{each}", child, defs)
            fields[each] = (made, ...) if each in node.get("required", ()) else (made, None)
        strict = pydantic.ConfigDict(strict=True, extra="forbid")
        return pydantic.create_model(name, __config__=strict, **fields)
    return {"boolean": bool}.get(str(kinds), dict[str, Any])


def plainly(schema: dict[str, Any]) -> Callable[[bytes], bool]:
    """What somebody writes first: json, jsonschema with formats, rfc8785, SHA-256."""
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    validator = jsonschema.Draft202012Validator(schema, format_checker=checker)

    def judge(raw: bytes) -> bool:
        packet = json.loads(raw)
        fits = validator.is_valid(packet)
        integrity = {key: value for key, value in packet["integrity"].items() if key not in ("checksum", "signature")}
        body = rfc8785.dumps({**packet, "integrity": integrity})
        return fits and packet["integrity"]["checksum"] == "sha256:" + hashlib.sha256(body).hexdigest()

    return judge


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with its envelope where jsonschema finds it without a registry of URNs."""
    text = json.dumps(schema).replace("urn:dragoman:schema:envelope#/$defs/", "#/$defs/envelope/$defs/")
    text = text.replace('"urn:dragoman:schema:envelope"', '"#/$defs/envelope"')
    made: dict[str, Any] = json.loads(text)
    envelope = json.dumps(made["$defs"]["envelope"]).replace('"#/$defs/', '"#/$defs/envelope/$defs/')
    made["$defs"]["envelope"] = {k: v for k, v in json.loads(envelope).items() if k not in ("$id", "$schema")}
    return {key: value for key, value in made.items() if key != "$id"}


def measure(profile_id: str, model: type[pydantic.BaseModel]) -> dict[str, object]:
    """Size, microseconds and ratios for the example of one profile."""
    raw = example(profile_id, now=NOW, new_id=lambda kind: f"{kind}-{uuid.uuid4().hex}")
    found = profile(profile_id)
    assert found is not None
    is_valid, plain = found.validator.is_valid, plainly(inlined(found.schema))
    assert validate(raw, now=NOW).result is Result.PASS
    assert plain(raw)
    envelope = found.schema["$defs"]["envelope"]
    whole = {**envelope, "properties": envelope["properties"] | found.schema["properties"]}
    full = whole_model("Packet", whole, envelope["$defs"])
    full.model_validate_json(raw)
    model.model_validate_json(raw)
    rounds = turns(
        {
            "schema": (lambda: is_valid(orjson.loads(raw)), CALLS),
            "verdict": (lambda: validate(raw, now=NOW), CALLS),
            "pydantic": (lambda: full.model_validate_json(raw), CALLS),
            "envelope": (lambda: model.model_validate_json(raw), CALLS),
            "plain": (lambda: plain(raw), SLOW_CALLS),
        }
    )
    return {
        "profile": profile_id,
        "bytes": len(raw),
        "us": {name: round(statistics.median(each), 1) for name, each in rounds.items()},
        "P1 of the schema alone": ratio(rounds["schema"], rounds["verdict"]),
        "P1 of pydantic": ratio(rounds["pydantic"], rounds["verdict"]),
        "P1 of pydantic's envelope": ratio(rounds["envelope"], rounds["verdict"]),
        "P3 of the plain way": ratio(rounds["plain"], rounds["verdict"]),
    }


def measure_signed() -> dict[str, object]:
    """P2."""
    made = signed(orjson.loads(example(BUILT[0], now=NOW, new_id=lambda kind: f"{kind}-1")), SEED)
    raw, public = written(made), public_key_of(SEED)
    key = TrustedKey(key_id=key_id_of(public), public_key=encoded(public), agents=("agent:stock",))
    trust, body = Trust(keys=(key,)), sealed_bytes(made)
    signature, verify = SigningKey(SEED).sign(body).signature, VerifyKey(public).verify
    assert validate(raw, now=NOW, trust=trust).result is Result.PASS
    rounds = turns(
        {
            "bare": (lambda: verify(body, signature), CALLS),
            "verdict": (lambda: validate(raw, now=NOW, trust=trust), CALLS),
        }
    )
    medians = {name: round(statistics.median(each), 1) for name, each in rounds.items()}
    return {"signed": len(raw), "us": medians, "P2 of a bare verification": ratio(rounds["bare"], rounds["verdict"])}


def ratio(peer: list[float], ours: list[float]) -> float:
    """How many of ours go into one of the peer's time, the median of the rounds."""
    return round(statistics.median(a / b for a, b in zip(peer, ours, strict=True)), 3)


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


def measure_chain(short: int, long: int) -> dict[str, object]:
    """Microseconds for each packet of a short and a long conversation, the memory that the long one adds, the ratio."""
    each = {}
    for count in (short, long):
        packets = conversation(count)
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        verdict = validate_chain(packets)
        each[count] = (time.process_time() - start) / count * 1e6
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert verdict.result is Result.PASS, verdict.rules[:3]
    return {
        "chain": [short, long],
        "us_each": [round(each[short], 1), round(each[long], 1)],
        "memory_kib_each": round(memory / long, 2),
        "ratio": round(each[long] / each[short], 3),
    }


def warm_up() -> None:
    """What a process has read after a few seconds of work."""
    raw = example(BUILT[0], now=NOW, new_id=lambda kind: f"{kind}-1")
    for _ in range(WARM_UP):
        validate(raw, now=NOW)


if __name__ == "__main__":
    warm_up()
    for one in BUILT:
        print(json.dumps(measure(one, strict_model())))
    print(json.dumps(measure_signed()))
    print(json.dumps(measure_chain(1_000, 10_000) if QUICK else measure_chain(10_000, 100_000)))
