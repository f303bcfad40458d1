"""`dragoman demo`: the main job on loopback, with real processes and a real (small) model.

A hub, two roles with a receiver process each, a model behind the desk's handler. A buyer asks; the desk answers from
its record; its receiver is killed with `kill -9` between saving an answer and sending it, and started again; a reply
that the record does not carry is stopped at the gate and waits for the owner; a group message that asks nobody stays
silent.

The table at the end is read from hub, ledger and journal. The exit code is 1 if anything promised did not happen.
"""

from __future__ import annotations

import json
import random
import secrets
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from dragoman.cli.demo_stage import COMMAND, Stage
from dragoman.cli.demo_story import (
    QUESTIONS,
    buyer_config,
    desk_config,
    group_event,
    policy,
    write_private,
)
from dragoman.cli.output import emit
from dragoman.clock import HOUR, SystemClock
from dragoman.errors import Exit
from dragoman.words import LifePoint

app = typer.Typer(name="demo", help="Watch Dragoman do its main job, on loopback, with a real model.")

KILL_POINTS: Final = (LifePoint.RELEASED, LifePoint.SENDING)
"""The arrows between saving an answer and sending it that only an answer passes which the gate lets out."""


class Matter(msgspec.Struct):
    """One question, and what is on record about it in the end."""

    contact: str
    question: str
    sent: int = 0
    answer: str = ""
    held: str = ""
    draft: str = ""
    waiting: bool = False
    turns: int = 0
    packets: str = ""


class Ending(msgspec.Struct, kw_only=True):
    """What happened, as hub, ledger, journal and packets have it."""

    seed: int
    folder: str
    model: str
    killed_at: str
    killed_in: str
    matters: list[Matter]
    group: str
    group_outputs: int
    told: list[str]
    promises: dict[str, bool]


@app.callback(invoke_without_command=True)
def demo(
    seed: Annotated[int, typer.Option(help="Shuffles the questions and the place of the kill.")] = 1,
    folder: Annotated[Path | None, typer.Option(help="Where to run; must not exist. It is kept.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Only one JSON object at the end.")] = False,
) -> None:
    """Watch Dragoman do its main job, on loopback, with a real model."""
    began = time.monotonic()

    def say(line: str) -> None:
        if not as_json:
            sys.stdout.write(f"[{time.monotonic() - began:5.1f} s] {line}\n")
            sys.stdout.flush()

    where = folder or Path(f"demo-run-{seed}-{secrets.token_hex(3)}")
    stage = Stage(where, say)
    try:
        ending = play(stage, seed)
    finally:
        stage.close()
    if as_json:
        emit(ending)
    else:
        show(ending, time.monotonic() - began)
    if not all(ending.promises.values()):
        raise typer.Exit(Exit.FAILED_CHECK)


def play(stage: Stage, seed: int) -> Ending:
    """Run the whole story on a stage and read its ending."""
    chance = random.Random(seed)  # noqa: S311  a shuffle, not a secret
    questions, kill_point = list(QUESTIONS), chance.choice(KILL_POINTS)
    chance.shuffle(questions)
    hub, model = _start_services(stage)
    desk, matters = _set_up(stage, hub, model["base_url"], questions)
    stage.say(f"asking {len(matters)} questions as the buyer, each in its own contact")
    for matter in matters:
        stage.ask(
            "hub", "send", *_as("buyer", hub), "--contact", matter.contact, "--text-file", "-", given=matter.question
        )
    _start(stage, "buyer")
    stage.say(f"the desk's receiver starts; it will be killed after `{kill_point}`, before its answer is sent")
    victim, _ = stage.start("desk-1", sys.executable, "-m", "dragoman.cli.demo_receiver", kill_point, "--config", desk)
    stage.line(victim, "desk-1")
    killed_in = _in_flight(stage, desk)
    stage.kill(victim)
    stage.say(f"kill -9 in {killed_in[:12]}…; the buyer has {_count(stage, hub, matters)} answers; starting it again")
    _start(stage, "desk")
    stage.until("every question to be answered or to wait for the owner", lambda: _settled(stage, hub, matters, desk))
    with (stage.folder / "desk" / "group" / "inbox.jsonl").open("a") as inbox:
        inbox.write(json.dumps(group_event(1)) + "\n")
    stage.say("somebody says something in a group that asks nobody")
    stage.until("the group message to be decided", lambda: bool(_group_records(stage, desk)))
    stage.until("the owner to be told", lambda: len(_told(stage)) >= len(_waiting(stage, desk)))
    return _ending(stage, hub, desk, matters, seed, str(model["model"]), kill_point, killed_in)


def _start_services(stage: Stage) -> tuple[str, dict[str, Any]]:
    stage.say("starting the hub")
    database = str(stage.folder / "hub" / "hub.sqlite3")
    (stage.folder / "hub").mkdir(mode=0o700)
    serve = ("hub", "serve", "--db", database, "--listen", "127.0.0.1:0", "--lease-seconds", "10", "--json")
    _, listening = stage.start("hub-process", *COMMAND, *serve)
    stage.say("loading the model")
    _, model = stage.start("model", sys.executable, "-m", "dragoman.agents.local", "--port", "0")
    stage.say(f"{model['model']} answers on loopback; it is small and often wrong, the gate does not depend on it")
    return str(listening["listening"]), model


def _set_up(stage: Stage, hub: str, model: str, questions: list[str]) -> tuple[str, list[Matter]]:
    """Two roles, a contact per question, the desk's policy, record and grant; doctor and probe say that all is well."""
    roles = {}
    for name in ("desk", "buyer"):
        (stage.folder / name).mkdir(mode=0o700)
        key = stage.ask("hub", "keygen", "--out", f"{name}/role.key")
        stage.ask("hub", "register", *_as(name, hub))
        roles[name] = str(key["role_id"])
    (stage.folder / "desk" / "group").mkdir(mode=0o700)
    opened = [stage.ask("hub", "contact", *_as("buyer", hub), "--peer", roles["desk"]) for _ in questions]
    contacts = [str(answer["contact_id"]) for answer in opened]
    handler = [sys.executable, "-m", "dragoman.agents.desk", "--base-url", model]
    notifier = [sys.executable, "-m", "dragoman.cli.demo_notifier", str(stage.folder)]
    expires_at = SystemClock().now() + HOUR
    grant = f"grant-{secrets.token_hex(8)}"
    config = desk_config(hub, roles["desk"], handler, notifier, contacts, grant, expires_at)
    write_private(stage.folder / "desk" / "config.json", json.dumps(config, indent=1))
    write_private(stage.folder / "desk" / "policy.toml", policy(roles["desk"], contacts))
    write_private(
        stage.folder / "buyer" / "config.json", json.dumps(buyer_config(hub, roles["buyer"], handler), indent=1)
    )
    desk = str(stage.folder / "desk" / "config.json")
    stage.ask("doctor", "--config", desk)
    stage.say("doctor finds nothing wrong; probing handler and notifier")
    stage.ask("probe", "--config", desk)
    return desk, [Matter(contact, question) for contact, question in zip(contacts, questions, strict=True)]


def _start(stage: Stage, name: str) -> None:
    config = str(stage.folder / name / "config.json")
    stage.start(name, *COMMAND, "run", "--config", config, "--json")


def _as(name: str, hub: str) -> tuple[str, ...]:
    return ("--url", hub, "--key", f"{name}/role.key")


def _answers(stage: Stage, hub: str, matter: Matter) -> list[dict[str, Any]]:
    """What the buyer can read in one contact, but for its own words."""
    page = stage.ask("hub", "messages", *_as("buyer", hub), "--contact", matter.contact)
    return [message for message in page["messages"] if message["text"] != matter.question]


def _count(stage: Stage, hub: str, matters: list[Matter]) -> int:
    return sum(len(_answers(stage, hub, matter)) for matter in matters)


def _waiting(stage: Stage, desk: str) -> dict[str, dict[str, Any]]:
    found = stage.ask("status", "--config", desk)["waiting_owner"]
    return {str(each["contact_id"]): each for each in found}


def _in_flight(stage: Stage, desk: str) -> str:
    """The contact in which a decision is saved and not yet sent."""
    unsent = stage.ask("status", "--config", desk)["unsent"]
    return str(unsent[0]["contact_id"]) if unsent else ""


def _settled(stage: Stage, hub: str, matters: list[Matter], desk: str) -> bool:
    waiting = _waiting(stage, desk)
    return all(matter.contact in waiting or _answers(stage, hub, matter) for matter in matters)


def _group_records(stage: Stage, desk: str) -> list[dict[str, Any]]:
    records = stage.ask("journal", "show", "--config", desk, "--kind", "event")["records"]
    return [record for record in records if record["consumer"].startswith("memory.")]


def _told(stage: Stage) -> list[dict[str, Any]]:
    """What the owner was told, without the probe."""
    path = stage.folder / "owner.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [told for told in map(json.loads, lines) if not told["probe"]]


def _ending(
    stage: Stage, hub: str, desk: str, matters: list[Matter], seed: int, model: str, killed_at: str, killed_in: str
) -> Ending:
    stage.say("reading what happened; exporting and verifying the packets")
    waiting = _waiting(stage, desk)
    drafts = {each["target"].split("/")[-1]: each for each in stage.ask("drafts", "list", "--config", desk)["drafts"]}
    tasks = {task["contact_id"]: task for task in stage.ask("status", "--config", desk)["autonomy"]}
    for matter in matters:
        answers = _answers(stage, hub, matter)
        matter.sent, matter.answer = len(answers), answers[0]["text"] if answers else ""
        matter.waiting = matter.contact in waiting
        matter.turns = int(tasks[matter.contact]["turns_used"])
        if filed := drafts.get(matter.contact):
            matter.held, matter.draft = str(filed["reason"]), str(filed["text"])
        out = str(stage.folder / "packets" / matter.contact)
        stage.ask("export", "--config", desk, "--contact", matter.contact, "--out", out)
        matter.packets = str(stage.ask("packet", "verify", out)["result"])
    group = _group_records(stage, desk)
    outbox = stage.folder / "desk" / "group" / "outbox.jsonl"
    outputs = len(outbox.read_text().splitlines()) if outbox.exists() else 0
    life = stage.ask("journal", "show", "--config", desk, "--kind", "life", "--newest", "1000")["records"]
    decided = sum(record["outcome"] == "decided" for record in life)
    told = [f"{each['milestone']}: {each['summary']}" for each in _told(stage)]
    return Ending(
        seed=seed,
        folder=str(stage.folder),
        model=model,
        killed_at=killed_at,
        killed_in=killed_in,
        matters=matters,
        group=" ".join(f"{record['outcome']} ({record['reason']})" for record in group),
        group_outputs=outputs,
        told=told,
        promises={
            "every answer that left arrived exactly once": all(m.sent == 1 for m in matters if not m.waiting),
            "at least one question was answered": any(m.sent == 1 for m in matters),
            "the answer whose sender was killed arrived exactly once": [
                m.sent for m in matters if m.contact == killed_in
            ]
            == [1],
            "no saved decision was asked for again": decided == len(matters),
            "at least one reply was stopped at the gate": any(m.held and not m.sent for m in matters),
            "what was stopped waits for the owner, who was told": any(m.held and m.waiting for m in matters)
            and bool(told),
            "the group message stayed silent and cost nothing": len(group) == 1
            and group[0]["outcome"] == "silent"
            and outputs == 0,
            "every contact's packets verify": all(m.packets == "pass" for m in matters),
        },
    )


def show(ending: Ending, seconds: float) -> None:
    """The readable end: a table of what happened, and which promises held."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=118 if not sys.stdout.isatty() else None)
    table = Table(title="What happened (from hub, ledger and packets)", show_lines=True, title_justify="left")
    for heading in ("the buyer asked", "what became of it", "times sent", "turns", "packets"):
        table.add_column(heading, overflow="fold")
    for matter in ending.matters:
        if matter.held:
            became = f"stopped at the gate ({matter.held}), waits for the owner\nthe model's reply: {matter.draft}"
        elif matter.waiting:
            became = "the handler asked the owner"
        else:
            became = f"answered: {matter.answer}"
        if matter.contact == ending.killed_in:
            became += f"\n(killed with kill -9 after `{ending.killed_at}`, restarted)"
        table.add_row(matter.question, became, str(matter.sent), str(matter.turns), matter.packets)
    console.print(table)
    console.print("2 turns: the kill cost an attempt that was still under way; it was charged before, and asked again")
    console.print(f"the group message: {ending.group}, {ending.group_outputs} outputs")
    for line in ending.told:
        console.print(f"the owner was told: {line}", markup=False)
    for promise, held in ending.promises.items():
        console.print(f"{'yes' if held else 'NO '}  {promise}", markup=False)
    console.print(
        f"seed {ending.seed}, model {ending.model}, {seconds:.0f} s; everything is in {ending.folder}", markup=False
    )
