"""The platform-shaped failure reports: may the text go out? Through the real command line.

`RELEASE` holds what Dragoman does right, `KNOWN_WRONG` what a report wants and Dragoman does not do, with the sentence
of the specification that it follows instead.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.cases.doors import Desk, Desks
from tests.cases.reports import WEEKLY, Report, case, policy_of, rows
from tests.cli.desk import refused, told, visible


class Text(NamedTuple):
    """`text` is the path of the report's own words, or the words that a handler would have made of it."""

    case: str
    right: str
    text: str | list[str]
    release: str
    reason: str
    output_class: str = "final"
    words: tuple[str, ...] = ("--admitted",)
    target: str = ""
    shown: str | None = None


GUARDED = """
[[counterparties]]
id = "halden"
terms = ["Northwind", "floor=12", "sk-test-EXAMPLE0000000000000000"]
"""
"""What is guarded in these reports: it belongs to a counterparty of none of their targets."""
RECORDED = ("6 October is free.", "Dates: 6 and 13.", "The 13th is free.", "6 and 13 October are free.", "open 9 to 5")
G52 = """
[[grants]]
id = "g-52"
purpose = "schedule"
given_by = "operator"
targets = [{ platform = "memory", workspace = "1216052880998400005", channel = "1551595103846400031" }]
expires_at = "2026-10-21T14:13:20Z"
"""
G54 = """
[[grants]]
id = "g-54"
purpose = "schedule"
given_by = "operator"
targets = [{ platform = "memory", workspace = "T0HOMEORG1", channel = "C0SHELVES1" }]
expires_at = "2026-10-21T14:13:20Z"
[[grants]]
id = "ops-notice"
purpose = "schedule"
given_by = "operator"
targets = [{ platform = "memory", workspace = "T0HOMEORG1", channel = "C0OPSROOM1" }]
expires_at = "2026-10-21T14:13:20Z"
"""
GRANTS = {"C053": G52, "C055": G54, "C057": WEEKLY}
THREAD = "memory/1216052880998400005/1551595103846400031"
OPSROOM = "memory/T0HOMEORG1/C0OPSROOM1"

RELEASE = [
    Text(
        "C014",
        "a send to D0BUYERAA1 must raise a target-mismatch block",
        "Free dates follow.",
        "deny",
        "no_delivery_authority",
        words=(),
        target="memory/T0HOMEORG1/D0BUYERAA1",
    ),
    *(
        Text(
            "C016",
            "no progress, no internal facts",
            "Looking into it.",
            "deny",
            "class_not_allowed",
            each,
            ("--admitted", "--shared", shared),
        )
        for each in ("progress", "operational")
        for shared in ("yes", "unknown")
    ),
    *(
        Text("C039", "no part of str(exception)", f"@exceptions/{index}", "hold", "leak_suspected")
        for index in range(3)
    ),
    *(
        Text(
            "C039",
            "exceptions, secrets and paths are never",
            f"@exceptions/{index}",
            "deny",
            "class_not_allowed",
            "internals",
        )
        for index in range(3)
    ),
    *(
        Text("C040", "The four disguised forms", f"@disguised/{index}", "hold", "leak_suspected", shown="")
        for index in range(4)
    ),
    Text(
        "C041",
        "reasoning is never counterparty content",
        "@model_stream/0/text",
        "deny",
        "class_not_allowed",
        "reasoning",
    ),
    Text("C041", "exactly one visible text, '6 October is free.'", "@model_stream/4/text", "send", "released"),
    Text(
        "C041",
        "Internal: final plus concise allowed progress; still no reasoning",
        "@model_stream/0/text",
        "deny",
        "class_not_allowed",
        "reasoning",
        target=OPSROOM,
    ),
    Text(
        "C041",
        "Internal: final plus concise allowed progress",
        "Checking.",
        "send",
        "released",
        "progress",
        target=OPSROOM,
    ),
    Text("C042", "intended silence is valid", "@final_markers/0", "deny", "empty_text"),
    Text("C043", "C0GRPDM001 (external): one message, the final text", "@run_events/3/text", "send", "released"),
    Text("C043", "C0GRPDM001 (external): one message", "@run_events/2/text", "deny", "class_not_allowed", "internals"),
    Text("C043", "C0GRPDM001 (external): one message", "checking records", "deny", "class_not_allowed", "progress"),
    Text(
        "C043",
        "final plus concise progress such as 'checking records'",
        "checking records",
        "send",
        "released",
        "progress",
        target=OPSROOM,
    ),
    Text(
        "C043",
        "with no path, URL, argument or trace",
        "@run_events/0/args/path",
        "hold",
        "leak_suspected",
        "progress",
        target=OPSROOM,
    ),
    Text(
        "C043",
        "paths, config and test state",
        "@run_events/2/text",
        "deny",
        "class_not_allowed",
        "internals",
        target=OPSROOM,
    ),
    *(
        Text(
            "C044",
            "all three candidates are withheld from the customer",
            f"@agent_candidates/{index}",
            "deny",
            "class_not_allowed",
            "internals",
        )
        for index in range(3)
    ),
    *(
        Text(
            "C044",
            "all three candidates are withheld from the customer",
            f"@agent_candidates/{index}",
            "hold",
            "unverified_claim",
        )
        for index in (0, 2)
    ),
    Text("C045", "never the first answer", "@timeline/3/backend_bytes", "hold", "leak_suspected"),
    Text("C045", "receives 'open 9 to 5'", "@timeline/4/backend_bytes", "send", "released"),
    *(
        Text(
            "C047",
            "Outputs 1-3 are blocked before any request",
            f"@candidate_outputs/{index}",
            "hold",
            "leak_suspected",
        )
        for index in range(3)
    ),
    Text("C047", "output 4 passes", "@candidate_outputs/3", "send", "released"),
    Text("C048", "the visible text equals '6 October is free.'", "@prepared_text", "send", "released"),
    Text("C050", "Dates -> answered from the record", "6 and 13 October are free.", "send", "released"),
    Text("C050", "contract wording", "We agree to everything, and this is binding.", "hold", "draft_only_topic"),
    Text("C050", "Price", "Yes, it is a deal for 1 unit of currency.", "hold", "draft_only_topic"),
    Text("C050", "refund/legal rule", "We refund late pallets within 14 days.", "hold", "draft_only_topic"),
    Text("C050", "Signing, paying -> hard stop", "I signed the order and paid the deposit.", "deny", "hard_stop"),
    Text(
        "C051",
        "the quoted margin line blocks the send",
        "The 13th is free.\n\n> margin note for Northwind: 12\n",
        "hold",
        "leak_suspected",
    ),
    Text(
        "C053",
        "the grant names one full target",
        "@run_output",
        "hold",
        "draft_only_topic",
        words=("--grant", "g-52"),
        target=THREAD,
    ),
    *(
        Text(
            "C053",
            "No send to either candidate: the grant names one full target",
            "Please remember the meeting.",
            "deny",
            "grant_other_target",
            words=("--grant", "g-52"),
            target=target,
        )
        for target in ("memory/1216052880998400005/1216052880998400006", "memory/7000000001/5100000090")
    ),
    Text(
        "C053",
        "the grant names one full target",
        "Please remember the meeting.",
        "send",
        "released",
        words=("--grant", "g-52"),
        target=THREAD,
    ),
    Text(
        "C055",
        "C0SHELVES1: silent for both the failed and the empty run",
        "@run/error",
        "deny",
        "class_not_allowed",
        "internals",
        ("--grant", "g-54"),
    ),
    Text(
        "C055",
        "C0SHELVES1: silent for both the failed and the empty run",
        "@also/run2/output",
        "deny",
        "empty_text",
        words=("--grant", "g-54"),
    ),
    Text(
        "C055",
        "C0OPSROOM1: one concise notice with opaque id, no URL or trace, if a grant for it exists",
        "A scheduled run failed: cor-1f2e.",
        "send",
        "released",
        "operational",
        ("--grant", "ops-notice"),
        OPSROOM,
    ),
    Text("C057", "first output sent once", "@outputs/0", "send", "released", words=("--grant", "g-55")),
    Text("C057", "second output refused", "@outputs/1", "hold", "leak_suspected", words=("--grant", "g-55")),
    Text(
        "C057",
        "still external, so the safe output may go",
        "@outputs/0",
        "send",
        "released",
        words=("--grant", "g-55", "--shared", "yes"),
    ),
    # streams
    Text(
        "C040", "Any hit stops the stream, nothing more is sent", ["@stream_chunks"], "hold", "leak_suspected", shown=""
    ),
    Text(
        "C040",
        "nor the concatenation of all of them in order",
        list("Here it is: sk-test-EXAMPLE0000000000000000 - enjoy"),
        "hold",
        "leak_suspected",
        shown="",
    ),
    Text(
        "C040",
        "check before splitting by length",
        "x " * 1990 + "sk-test-EXAMPLE0000000000000000",
        "hold",
        "leak_suspected",
        shown="",
    ),
    Text(
        "C040",
        "check before splitting by length",
        ["x " * 1900, "sk-test-EXAMPLE0000000000000000"],
        "hold",
        "leak_suspected",
        shown="",
    ),
    Text("C042", "no fragment may have been shown", ["NO", "_REP", "LY"], "deny", "empty_text", shown=""),
    Text(
        "C049",
        "the run is closed by the block; no further chunk or edit goes out",
        ["Checking. ", "The 6th costs us 12, so", " The 6th and 13th are free. "],
        "hold",
        "unverified_claim",
        shown="Checking.",
    ),
]
"""A text that starts with `@` is a path into the report."""

KNOWN_WRONG = [
    pytest.param(
        Text(
            "C042",
            "if a marker occurs anywhere in text destined outward the send is withheld",
            "@final_markers/2",
            "deny",
            "-",
        ),
        marks=case("C042", "if a marker occurs anywhere in text destined outward the send is withheld"),
        id="C042-marker in bold",
    ),
    pytest.param(
        Text("C044", "all three candidates are withheld from the customer", "@agent_candidates/1", "hold", "-"),
        marks=[
            case("C044", "all three candidates are withheld from the customer"),
            pytest.mark.xfail(strict=True, reason="spec 1 §4: nothing guesses a class from finished text"),
        ],
        id="C044-filing notice typed final",
    ),
    pytest.param(
        Text(
            "C048",
            "a message that still holds an addition is withheld",
            ["@prepared_text", "@late_additions/2"],
            "hold",
            "-",
        ),
        marks=[
            case("C048", "a message that still holds an addition is withheld"),
            pytest.mark.xfail(strict=True, reason="spec 1 §5 guards no mail address and no name of ours"),
        ],
        id="C048-signature",
    ),
]
"""What the report wants and Dragoman does not do, with the sentence of the specification that it follows."""


def words_of(case: Report, text: str | list[str]) -> str | list[str]:
    """The words of a row: its own, or the report's."""
    if isinstance(text, str):
        found: str = case.at(text[1:]) if text.startswith("@") else text
        return found
    pieces = [words_of(case, piece) for piece in text]
    return pieces[0] if len(pieces) == 1 and isinstance(pieces[0], list) else pieces  # type: ignore[return-value]


def recorded(case: Report) -> str:
    """The report's policy with what is guarded, and the facts that its targets may state."""
    rows = case.input.get("policy", [])
    named = {(row["target"]["workspace"], row["target"]["channel"]) for row in rows if "target" in row}
    if case.id == "C053":
        named.add(("1216052880998400005", "1551595103846400031"))
    facts = "".join(
        f'\n[[records]]\nfacts = {list(RECORDED)!r}\ntarget = {{ platform = "memory", workspace = "{workspace}", '
        f'channel = "{channel}" }}\n'
        for workspace, channel in sorted(named)
    )
    return policy_of(rows, platform="memory") + GUARDED + facts + GRANTS.get(case.id, "")


@pytest.mark.parametrize("row", [*rows(RELEASE, name=lambda row: f"{row.reason}-{row.output_class}"), *KNOWN_WRONG])
def test_release(desks: Desks, cases: dict[str, Report], row: Text) -> None:
    """Each text is released as its report says; what is not released does not stand in `sent`."""
    report = cases[row.case]
    desk = desks(recorded(report))
    first = next((each["target"] for each in report.input.get("policy", []) if "target" in each), None)
    target = row.target or f"memory/{first['workspace']}/{first['channel']}"  # type: ignore[index]
    text = words_of(report, row.text)

    answer = told(desk.release(text, *row.words, target=target, output_class=row.output_class))

    whole = text if isinstance(text, str) else "".join(text)
    shown = row.shown if row.shown is not None else (whole if row.release == "send" else "")
    assert row.release == answer["release"], answer
    assert row.reason in (answer["reason"], "-")
    assert shown == visible(answer["sent"])


@case("C040", "ever contains the protected value or a prefix of it long enough to be recognisable")
def test_c040_however_it_is_cut(desks: Desks, cases: dict[str, Report]) -> None:
    """Two pieces, cut at every place: no visible text ever holds a recognisable part of the key."""
    report = cases["C040"]
    desk = desks(recorded(report))
    text = "".join(report.at("stream_chunks"))
    target = "memory/7000000001/5100000001"

    shown = {
        visible(told(desk.release([text[:place], text[place:]], "--admitted", target=target))["sent"])
        for place in range(len(text))
    }

    assert [] == [each for each in shown if "sk-" in each]


@case("C048", "a message that still holds an addition is withheld, not patched by luck")
@pytest.mark.parametrize("addition", [0, 1])
def test_c048_the_assembled_text_is_what_counts(desks: Desks, cases: dict[str, Report], addition: int) -> None:
    """A prefix or a footer that came late is judged with the text it was added to."""
    report = cases["C048"]
    late, text = report.at(f"late_additions/{addition}"), report.at("prepared_text")
    desk = desks(recorded(report))

    answer = told(
        desk.release(late + text if addition == 0 else text + late, "--admitted", target="memory/7000000001/5100000001")
    )

    assert ("hold", []) == (answer["release"], answer["sent"])


@case("C041", "Unlabelled and interim text is not final -> not sent")
@pytest.mark.parametrize("output_class", ["unlabelled", "answer"])
def test_c041_what_has_no_class_is_refused(desk: Desk, output_class: str) -> None:
    """A class that is none of the eight is no class: the command refuses it, and nothing is decided."""
    refused(desk.release("6 October is free.", "--admitted", output_class=output_class), "usage")
