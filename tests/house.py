"""Reads the source tree and finds what breaks the house's rules (DESIGN §2). `test_house.py` holds it to them.

Every function takes the files as a mapping from path to text, so that a test can hand it a broken house.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

WORDS = frozenset({"words", "clock", "chance", "identity", "grants", "errors", "wire", "shown"})
ABOVE: Mapping[str, frozenset[str]] = {
    "leaks": WORDS,
    "packets": WORDS | {"leaks"},
    "gate": WORDS | {"leaks"},
    "channels": WORDS | {"leaks", "packets", "gate"},
    "agents": WORDS | {"leaks", "packets", "gate"},
    "ledger": WORDS | {"leaks", "packets", "gate"},
    "receiver": WORDS | {"leaks", "packets", "gate", "channels", "agents", "ledger"},
    "hub": WORDS | {"packets"},
    "cli": WORDS | {"leaks", "packets", "gate", "channels", "agents", "ledger", "receiver", "hub"},
    "guarding": WORDS | {"gate"},
    "opening": WORDS | {"gate", "ledger", "receiver", "guarding"},
    "testing": WORDS | {"leaks", "gate", "channels"},
}
"""Which rooms each room may import. Words import words; a room may always import itself, but for the channels.

`opening.py` (with `guarding.py` under it) and `testing/` are fronts of the library, as `cli/` is one: nothing in the
house imports them.
"""

OUTSIDE_OF_WORDS = frozenset({"msgspec"})
"""What a word may import besides the standard library."""

SHELLS = frozenset(
    {
        *(
            "gate/gate.py",
            "gate/outlet.py",
            "gate/embedded.py",
            "gate/turn.py",
            "gate/streaming.py",
            "gate/running.py",
            "gate/obey.py",
        ),
        *("gate/ports.py", "clock.py"),
    }
)
"""Files in pure rooms that may be async (the shells, the turn, the ports' signatures) or read the clock."""

PURE_ROOMS = ("leaks/", "packets/", "gate/")
PURE_FILES = (
    "hub/rules.py",
    "hub/custody.py",
    "hub/rates.py",
    "hub/tenants.py",
    "hub/standing.py",
    "receiver/turn.py",
    "receiver/steps.py",
    "receiver/courtesy.py",
    "receiver/question.py",
    "receiver/sentences.py",
    "receiver/chronicle.py",
    "receiver/packet_rows.py",
    "agents/contract.py",
    "agents/asking.py",
    "channels/payload.py",
    "channels/address.py",
    "channels/markdown.py",
    "channels/whatsapp/envelope.py",
    "channels/teams/service.py",
    "channels/matrix/state.py",
    "channels/matrix/live.py",
    "channels/matrix/rooms.py",
    "channels/email/addresses.py",
    "channels/email/mime.py",
    "channels/email/proof.py",
    "channels/matrix/outgoing.py",
    "channels/irc/line.py",
    "channels/xmpp/stanza.py",
    "channels/xmpp/rooms.py",
)
PURE_OF_A_CHANNEL = frozenset({"facts.py", "state.py", "live.py", "verify.py", "outgoing.py", "section.py", "calls.py"})
"""Files of every channel that are pure, by their names."""
IMPURE = frozenset(
    {
        *("asyncio", "threading", "multiprocessing", "signal", "subprocess"),
        *("time", "random", "uuid", "secrets"),
        *("os", "socket", "ssl", "tempfile", "shutil", "urllib.request", "http.client"),
        *("sqlite3", "asyncpg", "logging", "structlog"),
        *("httpx", "httpx2", "aiohttp", "nio", "anyio"),
    }
)
"""Modules that mean clock, chance, process, network, SQL or logging."""

DOORS = frozenset({"gate/outlet.py", "testing/in_a_world.py"})
"""Where an output operation may be called: the door, and the contract that holds adapters to what it relies on."""

SENDING_CALLS = frozenset(
    {
        "room_send",
        "sendmail",
        "room_typing",
        "send_typing",
        "add_reaction",
        "edit_message",
        "room_read_markers",
        "update_receipt_marker",
        "upload",
        "chat_postMessage",
        "chat_postEphemeral",
        "chat_update",
        "api_call",
        "send_message",
        "edit_message_text",
        "send_document",
        "set_message_reaction",
        "send_chat_action",
        "post_message",
        "post_media",
        "send_activity",
    }
)
"""Calls of platform SDKs by which something leaves; they stand in adapters only."""


def read_house(root: Path) -> dict[str, str]:
    """Every source file of the package by its path below it."""
    return {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*.py"))}


def imports(path: str, text: str) -> Iterator[tuple[str, int]]:
    """Every module a file imports, absolute, typing-only imports included."""
    package = ["dragoman", *path.split("/")[:-1]]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((name.name, node.lineno) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package[: len(package) - node.level + 1]
                base = ".".join([*above, base]) if base else ".".join(above)
            yield base, node.lineno
            yield from ((f"{base}.{name.name}", node.lineno) for name in node.names)


def room(path: str) -> str:
    """The room of a file, or the word that it is."""
    first = path.split("/")[0]
    return first.removesuffix(".py")


def wrong_arrows(files: Mapping[str, str]) -> list[str]:
    """Imports that go where the dependency rule allows no arrow."""
    found = []
    for path, text in files.items():
        here = room(path)
        if here == "__init__":
            continue
        for module, line in imports(path, text):
            parts = module.split(".")
            if parts[0] != "dragoman" or len(parts) < 2 or parts[1].startswith("__"):
                continue
            there = parts[1]
            allowed = WORDS if here in WORDS else ABOVE[here]
            sibling = here == "channels" == there and len(parts) > 2 and parts[2] != path.split("/")[1]
            sibling = sibling and f"channels/{parts[2]}.py" not in files and path.count("/") > 1
            if (there != here and there not in allowed) or sibling:
                found.append(f"{path}:{line} imports {module}")
    return sorted(set(found))


def impure(files: Mapping[str, str]) -> list[str]:
    """Clock, chance, I/O or async in a file that must be pure."""
    found = []
    for path, text in files.items():
        pure = path.startswith(PURE_ROOMS) or path in PURE_FILES or room(path) in WORDS
        pure = pure or (path.startswith("channels/") and path.rpartition("/")[2] in PURE_OF_A_CHANNEL)
        if not pure or path in ("clock.py", "chance.py"):
            continue
        for module, line in imports(path, text):
            if module in IMPURE and not (module == "asyncio" and path in SHELLS):
                found.append(f"{path}:{line} imports {module}")
        found += [f"{path}:{line} {what}" for what, line in _impure_calls(text, path in SHELLS)]
    return found


def _impure_calls(text: str, shell: bool) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith) and not shell:
            yield "is async", node.lineno
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in {"utcnow", "today", "open", "print"} or (name == "now" and _of_datetime(node.func)):
                yield f"calls {name}", node.lineno


def _of_datetime(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and getattr(function.value, "id", "") == "datetime"


def other_doors(files: Mapping[str, str]) -> list[str]:
    """Output operations called from anywhere but the door, and SDK sending calls outside an adapter."""
    found = []
    for path, text in files.items():
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            name = node.func.attr
            if name == "perform" and path not in DOORS:
                found.append(f"{path}:{node.lineno} calls an output operation past the door")
            if name in SENDING_CALLS and not (path.startswith("channels/") and path.endswith("/adapter.py")):
                found.append(f"{path}:{node.lineno} calls the platform SDK's {name}")
    return found


def foreign_words(files: Mapping[str, str]) -> list[str]:
    """Imports of words beyond the standard library, msgspec and each other."""
    found = []
    for path, text in files.items():
        if room(path) not in WORDS:
            continue
        for module, line in imports(path, text):
            top = module.split(".")[0]
            if top not in _STANDARD and top not in OUTSIDE_OF_WORDS and top != "dragoman":
                found.append(f"{path}:{line} imports {module}")
    return sorted(set(found))


def loops(files: Mapping[str, str]) -> list[str]:
    """Import loops between modules, typing-only imports included."""
    names = {_module(path): path for path in files}
    graph = {
        name: {
            found for module, _ in imports(path, files[path]) if (found := _closest(module, names)) and found != name
        }
        for name, path in names.items()
    }
    state: dict[str, int] = {}
    found: list[str] = []

    def visit(name: str, trail: tuple[str, ...]) -> None:
        state[name] = 1
        for other in sorted(graph[name]):
            if state.get(other) == 1:
                found.append(" → ".join([*trail[trail.index(other) :], other] if other in trail else [name, other]))
            elif other not in state:
                visit(other, (*trail, other))
        state[name] = 2

    for name in sorted(graph):
        if name not in state:
            visit(name, (name,))
    return found


def banned_names(files: Mapping[str, str]) -> list[str]:
    """Files named for nothing (DESIGN vocabulary)."""
    banned = {"utils", "util", "helper", "helpers", "manager", "processor", "context", "common", "misc"}
    return [path for path in files if Path(path).stem in banned or Path(path).stem.endswith("_v2")]


def _module(path: str) -> str:
    return ("dragoman." + path.removesuffix(".py").replace("/", ".")).removesuffix(".__init__")


def _closest(module: str, names: Mapping[str, str]) -> str | None:
    """The module of ours that an import runs; `from package import submodule` is the submodule alone."""
    return module if module in names and module != "dragoman" else None


_STANDARD = frozenset(__import__("sys").stdlib_module_names)
