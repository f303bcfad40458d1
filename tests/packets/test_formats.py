"""Verdicts for others: annotations and SARIF name file, line and column, and quote nothing of a packet."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.packets.forms import keyless, place_in_array
from dragoman.packets.profiles import profile
from dragoman.packets.read import DEFAULT_LIMITS
from dragoman.packets.strict import places
from tests.packets.material import shared, vectors
from tests.packets.test_cli_packet import run

AT = ("--at", "2026-10-06T09:00:00Z")
SERVERS = Path(__file__).parents[2] / ".servers"
EXAMPLE = next(each for each in vectors() if each.name == "example")


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A packet over many lines with two faults: an offset in a time, and a field that is not declared."""
    packet = json.loads(EXAMPLE.raw)
    packet["provenance"]["issued_at"] = "2026-10-06T09:00:00+00:00"
    packet["body"]["mood"] = "hunter2-secret-mood"
    file = tmp_path / "a,b: 100%.json"
    file.write_text(json.dumps(packet, indent=2))
    return file


def test_annotations(bad: Path) -> None:
    """One workflow command for each finding, at the line of the value; names are escaped as GitHub reads them."""
    code, text = run("validate", str(bad), "--format", "github", *AT)
    rows = text.splitlines()
    line = next(n for n, row in enumerate(bad.read_text().splitlines(), 1) if "issued_at" in row)

    assert 1 == code
    assert all(row.startswith("::error file=") and "a%2Cb%3A 100%25.json" in row for row in rows)
    assert any(f"line={line}," in row and "title=timestamp_not_utc::" in row for row in rows)
    assert "hunter2" not in text


def test_sarif(bad: Path) -> None:
    """One run; every result names a rule of the driver, a region and a JSON Pointer."""
    code, text = run("validate", str(bad), "--format", "sarif", *AT)
    (only,) = json.loads(text)["runs"]
    ids = [rule["id"] for rule in only["tool"]["driver"]["rules"]]

    assert (1, "2.1.0") == (code, json.loads(text)["version"])
    assert {"timestamp_not_utc", "schema_violation", "checksum_mismatch"} == set(ids)
    assert {result["ruleId"] for result in only["results"]} == set(ids)
    for result in only["results"]:
        region = result["locations"][0]["physicalLocation"]["region"]
        assert region["startLine"] >= 1 <= region["startColumn"]
    assert "hunter2" not in text


def test_sarif_by_the_multitool(bad: Path, tmp_path: Path) -> None:
    """Microsoft's own validator of SARIF finds no error, whether the packet is named by an absolute path, a relative
    one, or comes in by standard input; it warns only that we name no home page."""
    tool = SERVERS / "node_modules" / "@microsoft" / "sarif-multitool-linux" / "Sarif.Multitool"
    if not tool.exists():
        if os.environ.get("CI") == "true":
            pytest.fail("the SARIF multitool is missing: `make test` installs it")
        pytest.skip("needs the SARIF multitool, as `make test` installs it")
    tool.chmod(0o755)
    logs = {"absolute": sarif_of(str(bad)), "relative": sarif_of(os.path.relpath(bad)), "stdin": sarif_of("-", bad)}
    broken = json.loads(logs["relative"])
    del broken["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"]
    found = {}
    for name, text in {**logs, "broken": json.dumps(broken)}.items():
        log = tmp_path / f"{name}.sarif"
        log.write_text(text)
        done = subprocess.run(
            [str(tool), "validate", str(log), "--output", str(tmp_path / f"{name}.out")],
            env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Analysis completed successfully." in done.stdout, done.stdout + done.stderr
        found[name] = sorted(set(re.findall(r": ((?:error|warning) SARIF[0-9]+):", done.stdout)))

    home = ["warning SARIF2005"]
    assert {"absolute": home, "relative": home, "stdin": home} == {name: found[name] for name in logs}
    assert "error SARIF1007" in found["broken"]


def sarif_of(path: str, read: Path | None = None) -> str:
    """What the command prints of one packet."""
    return run("validate", path, "--format", "sarif", *AT, stdin=read.read_bytes() if read else None)[1]


def test_places_in_a_packet_without_names(tmp_path: Path) -> None:
    """The line is that of the position; of a missing optional field at the end, that of its array."""
    array = keyless(json.loads(EXAMPLE.raw))
    array[5][3] = "nope"
    array[9].append(7)
    file = tmp_path / "keyless.json"
    file.write_text(json.dumps(array, indent=2))
    rows = run("validate", str(file), "--format", "github", *AT)[1].splitlines()
    lines = {row.partition("::/")[2].partition(":")[0]: row for row in rows}
    line = next(n for n, row in enumerate(file.read_text().splitlines(), 1) if '"nope"' in row)

    assert f"line={line}," in lines["conversation/lifecycle_state"]
    assert "line=1," not in "".join(row for row in rows if "document" not in row)


@pytest.mark.parametrize(
    ("keyed", "array"),
    [
        ("/body/mood", "/8"),
        ("/message_id", "/2"),
        ("/conversation/sequence", "/5/2"),
        ("/extensions/x/0", "/11/x/0"),
        ("", ""),
        ("/mood", ""),
    ],
)
def test_pointers_into_the_array(keyed: str, array: str) -> None:
    """Names that stand in an order become positions, deeper ones stay, strange ones end."""
    chosen = profile("uai.agent.ack.v1")
    assert chosen is not None

    assert array == place_in_array(keyed, chosen)


def test_what_passes_has_no_rows(tmp_path: Path) -> None:
    """No annotation; a run without results."""
    file = tmp_path / "good.json"
    file.write_bytes(EXAMPLE.raw)

    assert (0, "") == run("validate", str(file), "--format", "github", *AT)
    assert [] == json.loads(run("validate", str(file), "--format", "sarif", *AT)[1])["runs"][0]["results"]


def test_an_unknown_format() -> None:
    """It is a question wrongly put."""
    assert (2, "usage") == run("validate", "-", "--format", "xml", stdin=b"{}")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(JSON, st.sampled_from([None, 2]))
def test_every_value_has_its_place(value: object, indent: int | None) -> None:
    """Reading on from the place of a value gives that value."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    lines = text.split("\n")
    for path, (line, column) in places(text.encode(), DEFAULT_LIMITS).items():
        found = value
        for part in path.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            found = found[int(key)] if isinstance(found, list) else found[key]  # type: ignore[index]
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        assert found == json.JSONDecoder().raw_decode(rest)[0]


def test_published_texts_have_places_or_none() -> None:
    """Whatever bytes JSONTestSuite holds: never an error."""
    for file in sorted(shared("data", "json-parsing").rglob("*.json")):
        assert isinstance(places(file.read_bytes(), DEFAULT_LIMITS), dict)
