"""Names, bytes and lists made by somebody who means harm: nothing steers a terminal, nothing is read two ways."""

from __future__ import annotations

import base64
import json
import os
import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson
import pytest

from dragoman.cli.packet import app, validate_command
from dragoman.cli.packet_signing import trust_command
from dragoman.errors import DragomanError
from dragoman.packets import build
from dragoman.packets.canonical import canonical
from dragoman.packets.chain import validate_chain
from dragoman.packets.forms import keyless
from dragoman.packets.read import DEFAULT_LIMITS, Limits
from dragoman.packets.seal import keyed_of, seal, sealed
from dragoman.packets.signature import encoded, key_id_of, public_key_of, read_trust, signature_of
from dragoman.packets.strict import places
from dragoman.packets.validate import validate
from dragoman.packets.verdict import Result
from tests.packets.material import NOW, vectors
from tests.packets.test_chain import WORKER, stamp, whole
from tests.packets.test_cli_packet import RUN, run

EXAMPLE = next(each for each in vectors() if each.name == "example" and "message" in each.profile)
CHANGED = EXAMPLE.raw.replace(b"oak", b"elm")
AT = ("--at", "2026-10-06T09:00:00Z")
SEED = bytes(range(32))
OTHER = bytes(range(1, 33))
EVIL_NAMES = (
    "a\x1b[31mred\n::error::x.json",
    "\u202etxt.json",
    "\x9b2J.json",
    os.fsdecode(b"\xff\xfe.json"),
    "a b#?%41.json",
)


def entry(seed: bytes = SEED, **changed: Any) -> dict[str, Any]:
    """A key of a trust file."""
    public = public_key_of(seed)
    return {"key_id": key_id_of(public), "public_key": encoded(public), "agents": ["agent:stock"], **changed}


def listed(*keys: dict[str, Any], **more: Any) -> bytes:
    """A trust file."""
    return orjson.dumps({"keys": keys, **more})


@pytest.mark.parametrize("name", EVIL_NAMES)
@pytest.mark.parametrize("format", ["text", "json", "github", "sarif"])
def test_the_name_of_a_file_steers_nothing(tmp_path: Path, name: str, format: str) -> None:
    """Every form prints it so that it only shows itself, in as many lines as a good name has."""
    texts = []
    for each in (name, "good.json"):
        (tmp_path / each).write_bytes(CHANGED)
        texts.append(run("validate", str(tmp_path / each), "--format", format, *AT)[1])

    assert texts[0].count("\n") == texts[1].count("\n")
    assert not set("\x1b\x9b\u202e") & set(texts[0])
    if format == "sarif":
        found = json.loads(texts[0])["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        assert b"file://" + os.fsencode(tmp_path / name) == unquote_to_bytes(found["artifactLocation"]["uri"])


def test_names_in_a_folder_steer_nothing(tmp_path: Path) -> None:
    """`verify` names each packet by its file."""
    for name in EVIL_NAMES:
        (tmp_path / name).write_bytes(CHANGED)
    texts = run("verify", str(tmp_path))[1], run("verify", str(tmp_path), "--json")[1]

    assert not set("\x1b\x9b\u202e") & set("".join(texts))
    assert "\n::error" not in texts[0]


@pytest.mark.parametrize("command", ["show", "seal", "keyless"])
def test_words_of_a_packet_steer_nothing(tmp_path: Path, command: str) -> None:
    """What a terminal obeys is escaped wherever a packet is printed, and the packet stays the same."""
    packet = orjson.loads(EXAMPLE.raw)
    packet["body"]["intent"] = "a\x1b[2J\u009b31m\u202e\n  state:    completed\x00"
    file = tmp_path / "packet.json"
    file.write_bytes(seal(orjson.dumps(packet)))
    for form in ([], ["--json"]):
        text = run(command, str(file), *form)[1]
        assert not set("\x1b\x9b\u202e\x00") & set(text)
        assert "\n  state:    completed" not in text
        if command != "show":
            assert keyed_of(file.read_bytes()) == keyed_of(text.encode())


@pytest.mark.parametrize(
    "raw",
    [b"{}", b'{"body":[]}', b'{"body":"a","profile":[]}', b'{"source":1,"integrity":{"signature":{"key_id":["x"]}}}'],
)
def test_whatever_is_shown_is_shown(tmp_path: Path, raw: bytes) -> None:
    """`show` judges nothing, and stumbles over nothing that is an object."""
    file = tmp_path / "packet.json"
    file.write_bytes(raw)

    assert 0 == run("show", str(file))[0]


def test_a_folder_is_no_packet(tmp_path: Path) -> None:
    """The answer names the command that judges folders."""
    with pytest.raises(DragomanError) as caught:
        validate_command([str(tmp_path)])

    assert "dragoman packet verify" in caught.value.fix


@pytest.mark.parametrize(
    "raw",
    [
        listed(entry(), entry(key_id="key-2")),
        listed(entry(public_key="A" * 42 + "B")),
        listed(entry(holds_from="2026-10-07T00:00:00Z", holds_until="2026-10-06T00:00:00Z")),
        listed(entry(withdrawn=True)).replace(b'"withdrawn":true', b'"withdrawn":true,"withdrawn":false'),
        listed(entry(withdrawn=True)).replace(b'"withdrawn":true', b'"withdrawn":true,"withdraw\\u006e":false'),
        listed(entry()).replace(b'"keys"', b'"must_sign":["agent:stock"],"must_sign":[],"keys"'),
        listed(entry()).replace(b'"agents"', b'"note":"\\ud800","agents"'),
        b"\xef\xbb\xbf" + listed(entry()),
        b"[" * 100_000,
    ],
    ids=["one key twice", "loose", "ends first", "twice", "twice, escaped", "must sign twice", "half", "mark", "deep"],
)  # fmt: skip
def test_a_trust_list_is_read_one_way(raw: bytes) -> None:
    """A withdrawn key under a second id, a name that stands twice, a key that is none: refused as a whole."""
    with pytest.raises(DragomanError) as caught:
        read_trust(raw)

    assert "input_invalid" == caught.value.code


def signature(packet: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """The packet, its signature changed."""
    integrity = packet["integrity"]
    return {**packet, "integrity": {**integrity, "signature": {**integrity["signature"], **changed}}}


ORDER = 2**252 + 27742317777372353535851937790883648493


def malleable(value: str) -> str:
    """The same signature with S + L, which fits the equation but is not its one form."""
    raw = base64.urlsafe_b64decode(value + "==")
    return encoded(raw[:32] + (int.from_bytes(raw[32:], "little") + ORDER).to_bytes(32, "little"))


def test_forged_signatures() -> None:
    """S + L, another key, another key's id, padding, another algorithm, the keyless bytes, an empty one: all fail."""
    packet = keyed_of(seal(EXAMPLE.raw, seed=SEED))
    said = packet["integrity"]["signature"]
    trust = read_trust(listed(entry(), entry(OTHER, agents=["agent:desk"])))
    by_other = keyed_of(seal(EXAMPLE.raw, seed=OTHER))["integrity"]["signature"]
    forged = {
        "malleable": signature(packet, value=malleable(said["value"])),
        "other key": signature(packet, **by_other),
        "other key, this id": signature(packet, value=by_other["value"]),
        "this key, other id": signature(packet, key_id=by_other["key_id"]),
        "padded": signature(packet, value=said["value"] + "=="),
        "algorithm": signature(packet, algorithm="none"),
        "keyless bytes": signature(packet, **signature_of(canonical(keyless(packet)), SEED)),
        "whole bytes": signature(packet, **signature_of(EXAMPLE.raw, SEED)),
        "zero": signature(packet, value=encoded(bytes(64))),
    }
    assert Result.PASS is validate(orjson.dumps(packet), now=NOW, trust=trust).result
    for name, each in forged.items():
        assert Result.FAIL is validate(orjson.dumps(each), now=NOW, trust=trust).result, name


@pytest.mark.parametrize("public", [bytes(32), b"\x01" + bytes(31), b"\xec" + b"\xff" * 30 + b"\x7f", b"\xff" * 32])
def test_a_weak_key_signs_nothing(public: bytes) -> None:
    """Under a public key of small order, or that is no point, no signature holds, whatever the list says."""
    trust = read_trust(listed(entry(public_key=encoded(public), key_id="key-weak")))
    packet = keyed_of(seal(EXAMPLE.raw, seed=SEED))
    for value in (bytes(64), public + bytes(32), b"\x01" + bytes(63)):
        weak = signature(packet, key_id="key-weak", value=encoded(value))
        assert "signature_invalid" in validate(orjson.dumps(weak), now=NOW, trust=trust).rules


@pytest.mark.parametrize(
    ("begins", "ends", "holds"),
    [
        ("2026-10-06T08:59:59.999Z", "2026-10-06T09:00:00Z", True),
        ("2026-10-06T09:00:00Z", "2026-10-06T09:00:00Z", True),
        ("2026-10-06T09:00:00.001Z", None, False),
        (None, "2026-10-06T08:59:59.999Z", False),
    ],
)
def test_a_key_holds_from_until(begins: str | None, ends: str | None, holds: bool) -> None:
    """Both borders belong to the time in which a key holds."""
    packet = orjson.loads(EXAMPLE.raw)
    packet["provenance"]["issued_at"] = "2026-10-06T09:00:00Z"
    trust = read_trust(listed(entry(holds_from=begins, holds_until=ends)))

    assert holds is (Result.PASS is validate(seal(orjson.dumps(packet), seed=SEED), now=NOW, trust=trust).result)


def test_one_keyless_form() -> None:
    """`{}` at the end, in place of what is required, or for what is there but empty: refused, never read as absent."""
    array = keyless(orjson.loads(EXAMPLE.raw))
    for at, box in enumerate(array):
        if type(box) is list:
            longer = [*array[:at], [*box, {}], *array[at + 1 :]]
            assert Result.FAIL is validate(orjson.dumps(longer), now=NOW).result
            for inner in range(len(box)):
                emptied = [*array[:at], [*box[:inner], {}, *box[inner + 1 :]], *array[at + 1 :]]
                assert Result.FAIL is validate(orjson.dumps(emptied), now=NOW).result
    packet = orjson.loads(EXAMPLE.raw)
    packet["integrity"]["signature"] = {}
    with pytest.raises(DragomanError):
        keyless(packet)


def test_names_twice_inside_keyless() -> None:
    """Where a keyless packet still has names, they stand once."""
    array = orjson.dumps(keyless(orjson.loads(EXAMPLE.raw)))
    twice = array[: array.rindex(b"{}")] + b'{"x-a":1,"x-\\u0061":2}]'

    assert ("duplicate_key",) == validate(twice, now=NOW).rules


def test_agents_that_are_none_are_not_listed(tmp_path: Path) -> None:
    """An agent id that no packet can have is refused before the list is written; the list stays readable."""
    trust = tmp_path / "trust.json"
    public = ("--public-key", encoded(public_key_of(SEED)))
    for agent in ("", " ", "stock", "agent:stock ", "agent:stоck"):
        assert (2, "usage") == run("keys", "trust", str(trust), *public, "--agent", agent)
    assert not trust.exists()
    assert [] == list(tmp_path.iterdir())


def test_two_that_change_a_list_at_once(tmp_path: Path) -> None:
    """Neither undoes the other: every change that was confirmed stands in the list, the others were refused."""
    trust, done, refused = tmp_path / "trust.json", list[str](), list[str]()

    def add(number: int) -> None:
        public = encoded(public_key_of(bytes([number] * 32)))
        try:
            trust_command(trust, public, ["agent:stock"])
        except DragomanError as error:
            refused.append(error.code)
        else:
            done.append(public)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ["conflict"] * len(refused) == refused
    assert sorted(done) == sorted(key.public_key for key in read_trust(trust.read_bytes()).keys)
    assert [trust] == list(tmp_path.iterdir())


def test_nobody_answers_for_another() -> None:
    """An acknowledgement by another agent than the one that was asked, or by the asker, is none: the chain fails."""
    chain = whole()
    for by in ("agent:desk", "agent:mallory"):
        ack = orjson.loads(chain[1][1])
        ack["source"] = {**ack["source"], "agent_id": by}
        verdict = validate_chain([chain[0], ("2.json", seal(orjson.dumps(ack))), *chain[2:]])
        assert {"ack_conflict", "ack_missing", "work_before_ack"} <= set(verdict.rules)


def test_a_line_that_is_too_long_is_one_packet(tmp_path: Path) -> None:
    """However long it is, it is told of once, and the lines after it keep their numbers."""
    lines = [b"x" * 3_500_000, chain_of(1)[0][1], b"", b"{}"]
    (tmp_path / "all.jsonl").write_bytes(b"\r\n".join(lines) + b"\n")
    code, text = run("verify", str(tmp_path), "--json")
    rows = {row["name"]: row["verdict"] for row in json.loads(text)["packets"]}

    assert 1 == code
    assert ["all.jsonl:1", "all.jsonl:2", "all.jsonl:4"] == list(rows)
    assert ["too_large"] == [found["rule"] for found in rows["all.jsonl:1"]["findings"]]
    assert "pass" == rows["all.jsonl:2"]["result"]


def chain_of(count: int) -> list[tuple[str, bytes]]:
    """`count` packets: a request, and acknowledgements that leave it open."""
    made = [whole()[0]]
    for number in range(1, count):
        again = stamp(number + 1, number, number - 1, 1)
        raw = build.ack(WORKER, again, acknowledged_message_id="msg-1", status="deferred", reason="later")
        made.append((f"{number:05}.json", raw))
    return made


def test_many_answers_to_one_request_take_no_longer_each() -> None:
    """Five times as many acknowledgements of one packet take about five times as long, not twenty-five."""
    took = []
    for count in (1_000, 5_000):
        chain, rounds = chain_of(count), list[float]()
        for _ in range(3):
            start = time.process_time()
            validate_chain(chain)
            rounds.append(time.process_time() - start)
        took.append(min(rounds))

    assert took[1] < took[0] * 13


@pytest.mark.parametrize("command", ["seal", "keyless", "show", "validate"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"extensions":{}', b'"extensions":{"hunter2horse":{"hunter2horse":1,"hunter2horse":2}}'),
        (b'"extensions":{}', b'"extensions":{"hunter2horse":hunter2horse}'),
        (b'"body":{', b'"body":{"hunter2horse":"hunter2horse",'),
        (b'"extensions":{}', b'"extensions":{},"hunter2horse":"hunter2horse"'),
    ],
)
def test_nothing_of_a_bad_packet_is_echoed(tmp_path: Path, command: str, old: bytes, new: bytes) -> None:
    """Neither a value nor a name that no schema declares stands in an error or a finding."""
    file = tmp_path / "packet.json"
    file.write_bytes(EXAMPLE.raw.replace(old, new))
    result = RUN.invoke(app, [command, str(file)])
    told = str(result.exception) if isinstance(result.exception, DragomanError) else ""
    if isinstance(result.exception, DragomanError) or command == "validate":
        assert "hunter2" not in told + f"{getattr(result.exception, 'where', '')}"
    if command == "validate":
        assert "hunter2" not in result.stdout


KEY = "key-" + "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("changed", "rules"),
    [
        ({"source/project": "\x85"}, []),
        ({"source/project": "\ufeff"}, ["identity_malformed"]),
        ({"body/constraints": ["if a <b", "p&#97;ssword=hunter2! -> done"]}, ["secret_present"]),
        ({"body/constraints": ["x <b"], "trust/credential_ref": "%70assword=hunter2! >"}, ["secret_present"]),
        ({"body/intent": "hello" + "\n" * 8 + KEY}, ["secret_present"]),
        ({"body/intent": KEY}, ["secret_present"]),
        ({"integrity/signature": {"algorithm": "ed25519", "key_id": KEY, "value": "A" * 86}}, []),
        (
            {"integrity/signature": {"algorithm": "ed25519", "key_id": KEY + "\nmsg-1", "value": "A" * 86}},
            ["secret_present"],
        ),
    ],
)
def test_what_hid_between_texts_and_ids(changed: dict[str, Any], rules: list[str]) -> None:
    """Each text is judged by itself, whatever stands beside it, and on the quick way as on the long one."""
    packet = orjson.loads(EXAMPLE.raw)
    for path, value in changed.items():
        box, name = path.split("/")
        packet[box][name] = value
    signature = packet["integrity"].get("signature")
    made = sealed(packet)
    if signature is not None:
        made["integrity"]["signature"] = signature
    raw = orjson.dumps(made)
    quick, slow = (validate(each, now=NOW).rules for each in (raw, raw + b"\n"))
    assert (tuple(rules), tuple(rules)) == (quick, slow)


@pytest.mark.parametrize(
    ("extensions", "found"),
    [
        ({"x-login": {"password": {"value": "hunter2!"}}}, ["/extensions"]),
        ({"x-login": {"password": {"current": {"raw": ["hunter2!"]}}}}, ["/extensions"]),
        ({"x-password": [["hunter2!"]]}, ["/extensions"]),
        ({"name": "password", "value": "hunter2!"}, ["/extensions/value"]),
        ({"x-env": [{"key": "API_TOKEN", "value": "hunter2!"}, {"key": "PORT", "value": "8080"}]}, ["/extensions"]),
        ({"x-login": {"password": {"kept_in": "vault:kv/acme-7", "changed_at": "2026-10-06"}}}, []),
        ({"x-shelves": [{"name": "SKU-7", "value": "42a"}], "value": "hunter2!"}, []),
        ({"name": "password", "x-note": "rotate it by 2026-10-06"}, []),
        ({"x-password": {"value": True, "data": 42}}, []),
    ],
)
def test_the_name_may_stand_further_away(extensions: dict[str, Any], found: list[str]) -> None:
    """A secret's name over it, over the box or list that it is in, or beside it; what is told of a secret is none."""
    packet = orjson.loads(EXAMPLE.raw) | {"extensions": extensions}
    verdict = validate(orjson.dumps(sealed(packet)), now=NOW)

    assert [("secret_present", path) for path in found] == [(each.rule, each.path) for each in verdict.findings]


def test_a_long_name_over_many_values_takes_no_memory() -> None:
    """Places are given as far as their pointers have room together; what is behind has the place of what holds it."""
    raw = b'{"' + b"k" * 400_000 + b'":[' + b"1," * 3_999 + b"1]}"
    assert 1 < len(places(raw, DEFAULT_LIMITS)) < 100


def test_a_long_name_over_many_texts_takes_no_memory() -> None:
    """A name is said of every text under it only if it is short; the verdict on a long one needs little room."""
    packet = orjson.loads(EXAMPLE.raw) | {"extensions": {"k" * 400_000: ["a"] * 4_000}}
    tracemalloc.start()
    try:
        validate(orjson.dumps(packet), now=NOW)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64_000_000


def test_lines_and_columns_of_many_values() -> None:
    """Counted once for all: the last of many thousand values has its own line."""
    raw = b"[" + b",\n".join(b"%d" % number for number in range(50_000)) + b"]"
    found = places(raw, Limits(max_bytes=2**30, max_values=100_000))
    assert ((1, 2), (2, 1), (50_000, 1)) == (found["/0"], found["/1"], found["/49999"])
