"""`dragoman packet`: exit codes, both forms of output, and files left alone (spec 3 §3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli.packet import app
from dragoman.errors import DragomanError
from dragoman.packets.profiles import BUILT
from dragoman.packets.rules import CATALOG
from tests.packets.test_chain import whole

RUN = CliRunner()


def run(*words: str, stdin: bytes | None = None) -> tuple[int, str]:
    """Exit code and standard output of one command; a foreseen error ends with its documented code."""
    result = RUN.invoke(app, list(words), input=stdin)
    if isinstance(result.exception, DragomanError):
        return int(result.exception.exit), result.exception.code
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that holds a whole conversation, two packets of it as lines of one file."""
    chain = whole()
    for name, raw in chain[:3]:
        (tmp_path / name).write_bytes(raw)
    (tmp_path / "rest.jsonl").write_bytes(b"\n".join(raw for _, raw in chain[3:]) + b"\n\n")
    (tmp_path / "notes.txt").write_text("not a packet")
    return tmp_path


@pytest.mark.parametrize("profile", BUILT)
def test_new_packets_validate(profile: str) -> None:
    """What `new` prints, in both forms, `validate` passes from standard input."""
    for form in ([], ["--json"]):
        code, text = run("new", profile, *form)
        assert (code, text.count("\n") == 1) == (0, bool(form))
        assert run("validate", "-", stdin=text.encode())[0] == 0


@pytest.mark.parametrize("profile", BUILT)
def test_an_answer_continues_the_conversation(profile: str, tmp_path: Path) -> None:
    """What `new --answers` prints follows the packet that it was given: together they verify. Only a message asks for
    an acknowledgement of its own."""
    asked = run("new", "uai.intent.request.v1")[1]
    (tmp_path / "1.json").write_text(asked)
    code, text = run("new", profile, "--answers", str(tmp_path / "1.json"))
    (tmp_path / "2.json").write_text(text)
    first, second = json.loads(asked), json.loads(text)
    chain = json.loads(run("verify", str(tmp_path), "--json")[1])
    rules = [each["finding"]["rule"] for each in chain["findings"]]
    sides = ("source", "target") if profile == "uai.agent.correction.v1" else ("target", "source")

    assert 0 == code
    assert (["ack_missing"] if profile == "uai.agent.message.v1" else []) == rules
    assert [first[side] for side in sides] == [second["source"], second["target"]]
    assert first["message_id"] == second["conversation"]["parent_message_id"]


def test_what_an_answer_refers_to(tmp_path: Path) -> None:
    """The id of the packet and of its task stand in the body; the caller's count is the sequence."""
    handoff = run("new", "uai.agent.handoff.v1")[1]
    (tmp_path / "h.json").write_text(handoff)
    first = json.loads(handoff)
    report = json.loads(
        run("new", "uai.agent.final-report.v1", "--answers", "-", "--sequence", "3", stdin=handoff.encode())[1]
    )
    ack = json.loads(run("new", "uai.agent.ack.v1", "--answers", str(tmp_path / "h.json"))[1])

    assert (first["body"]["task_id"], 3) == (report["body"]["task_id"], report["conversation"]["sequence"])
    assert (first["message_id"], 0) == (ack["body"]["acknowledged_message_id"], ack["conversation"]["sequence"])


def test_a_correction_of_a_correction_keeps_the_history(tmp_path: Path) -> None:
    """Every earlier packet of the line is named, oldest first."""
    file = tmp_path / "1.json"
    file.write_text(run("new", "uai.agent.correction.v1")[1])
    first = json.loads(file.read_text())
    second = json.loads(run("new", "uai.agent.correction.v1", "--answers", str(file))[1])

    assert [*first["body"]["history"], first["message_id"]] == second["body"]["history"]


def test_what_is_broken_is_not_answered(tmp_path: Path) -> None:
    """A packet that fails has no answer; a count without a conversation means nothing."""
    file = tmp_path / "broken.json"
    file.write_text(run("new", "uai.intent.request.v1")[1].replace("order 4711", "order 4712"))

    assert (2, "input_invalid") == run("new", "uai.agent.ack.v1", "--answers", str(file))
    assert (2, "usage") == run("new", "uai.agent.ack.v1", "--sequence", "1")


def test_validate_tells_each_path(folder: Path) -> None:
    """Several paths give one result each; one failure fails the command; the text names rule, place and remedy."""
    bad = folder / "bad.json"
    bad.write_bytes((folder / "2.json").read_bytes().replace(b'"accepted"', b'"ok"'))
    words = ("validate", str(folder / "2.json"), str(bad), "--at", "2026-10-06T09:02:00Z")
    code, text = run(*words)
    assert code == 1
    assert "ack_status_invalid at /body/ack_status" in text
    assert "fix: use one of the five states" in text
    code, text = run(*words, "--format", "json")
    body = json.loads(text)
    assert (code, body["result"]) == (1, "fail")
    assert [(row["path"], row["result"]) for row in body["packets"]] == [(words[1], "pass"), (words[2], "fail")]
    assert {"rule", "severity", "path", "message", "fix"} == set(body["packets"][1]["findings"][0])
    assert run(*words, "--json") == (code, text)


def test_a_missing_file_hides_no_verdict(folder: Path) -> None:
    """Every file is told of, in both forms; the exit code says that one could not be read."""
    words = ("validate", str(folder / "no.json"), str(folder / "2.json"), "--at", "2026-10-06T09:02:00Z")
    code, text = run(*words)
    assert (code, "no.json: input_invalid" in text, "2.json: pass" in text) == (2, True, True)
    code, text = run(*words, "--json")
    body = json.loads(text)
    assert (code, [each["path"] for each in body["unread"]]) == (2, [str(folder / "no.json")])
    assert [each["result"] for each in body["packets"]] == ["pass"]


def test_the_time_of_judgement_is_an_option(folder: Path) -> None:
    """`--at` judges at another moment; a time that is none is bad input."""
    path = str(folder / "2.json")
    assert run("validate", path, "--at", "2026-10-06T09:02:00Z")[0] == 0
    assert run("validate", path, "--at", "2027-10-06T09:02:00Z")[0] == 1
    assert run("validate", path, "--at", "tomorrow") == (2, "usage")
    assert run("validate", path, "--format", "xml") == (2, "usage")
    assert run("validate", str(folder / "none.json")) == (2, "input_invalid")


def test_verify_reads_files_and_lines(folder: Path) -> None:
    """A folder of *.json and *.jsonl is one conversation; a missing packet fails it and is named."""
    code, text = run("verify", str(folder), "--json")
    body = json.loads(text)
    assert (code, body["result"], body["state"]) == (0, "pass", "completed")
    assert [packet["name"] for packet in body["packets"]] == [
        "1.json",
        "2.json",
        "3.json",
        "rest.jsonl:1",
        "rest.jsonl:2",
    ]
    (folder / "2.json").unlink()
    code, text = run("verify", str(folder))
    assert (code, "ack_missing" in text, "1.json:" in text) == (1, True, True)
    assert run("verify", str(folder / "1.json")) == (2, "not_found")


def test_seal_prints_and_leaves_the_file_alone(folder: Path) -> None:
    """A changed packet is sealed to standard output; the file keeps its bytes."""
    path = folder / "2.json"
    raw = path.read_bytes().replace(b'"reason":null', b'"reason":"seen"')
    path.write_bytes(raw)
    at = ("--at", "2026-10-06T09:02:00Z")
    assert run("validate", str(path), *at)[0] == 1
    code, text = run("seal", str(path))
    assert (code, path.read_bytes()) == (0, raw)
    assert run("validate", "-", *at, stdin=text.encode())[0] == 0
    assert run("seal", "-", stdin=b"{") == (2, "input_invalid")


def test_explain_schema_and_profiles() -> None:
    """Every rule can be explained, every schema printed; unknown names are bad input."""
    for rule in CATALOG:
        code, text = run("explain", rule.id)
        assert (code, rule.fix in text) == (0, True)
        assert {row["id"] for row in json.loads(run("explain", rule.id, "--json")[1])} == {rule.id}
    listed = json.loads(run("profiles", "--json")[1])
    assert [row["id"] for row in listed] == list(BUILT)
    assert run("profiles")[1].splitlines()[0].startswith(BUILT[0])
    assert json.loads(run("schema", BUILT[1])[1])["title"] == BUILT[1]
    for command in ("explain", "schema", "new"):
        assert run(command, "uai.agent.applause.v1") == (2, "not_found")
