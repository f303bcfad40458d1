"""Stands in for a model host's CLI: speaks its envelope and plays one scenario.

`python host.py HOST SCENARIO <the host's own options>`. It refuses to run (exit 64) when it was started as no handler
may be: the key or a token in its arguments, a variable of the receiver's, an option that widens, stdin left open.
It knows nothing of Dragoman's code.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

KEY_NAMES = {"claude_code": "ANTHROPIC_API_KEY", "codex": "HANDLER_API_KEY"}
HOMES = {"claude_code": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME"}
NEEDED = {
    "claude_code": ("--print", "--bare", "--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"),
    "codex": ("exec", "--json", "--strict-config", "--ignore-user-config", "--ignore-rules", "--ephemeral"),
}
WIDER = ("--dangerously", "--allow-dangerously", "bypassPermissions", "danger-full-access", "--mcp-config", "--add-dir")


def answer(action: str, **more: object) -> str:
    """One answer of the contract."""
    return json.dumps({"schema_version": 1, "action": action, **more}, ensure_ascii=False)


def claude_code(said: str, **more: object) -> bytes:
    """The result object, with keys that nobody has heard of."""
    result = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "result": said}
    grown = {"permission_denials": [], "usage": {"input_tokens": 5}, "a_key_of_next_year": [1]}
    return json.dumps(result | grown | more).encode() + b"\n"


def codex(said: str, **more: object) -> bytes:
    """The lines of events, with kinds and keys that nobody has heard of."""
    events: list[dict[str, object]] = [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"id": "0", "type": "error", "message": "a notice"}},
        {"type": "turn.started", "a_key_of_next_year": 1},
        {"type": "a.kind.of.next.year"},
        *([{"type": "item.completed", "item": more["item"]}] if "item" in more else []),
        {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": said}},
        more.get("end", {"type": "turn.completed", "usage": {"input_tokens": 5}}),  # type: ignore[list-item]
    ]
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def wrongly_started(host: str, words: list[str], prompt: str) -> str:
    """Why this is no way to start a handler; empty when all is well."""
    key = os.environ.get(KEY_NAMES[host], "")
    strangers = sorted(set(os.environ) - ALLOWED - {KEY_NAMES[host], HOMES[host]})
    loose = [path.name for path in Path.cwd().iterdir() if stat.S_IMODE(path.stat().st_mode) != 0o600]
    checks = {
        "no key in its variable": not key,
        "the key among the arguments": bool(key) and any(key in word for word in words),
        "the key in a file": bool(key) and any(key.encode() in path.read_bytes() for path in Path.cwd().iterdir()),
        "the prompt among the arguments": any("<data>" in word for word in words),
        f"variables: {strangers}": bool(strangers),
        "another home": {os.environ["HOME"], os.environ[HOMES[host]]} != {os.getcwd()},
        f"files that others may read: {loose}": bool(loose),
        "an option is missing": not set(NEEDED[host]) <= set(words),
        "an option that widens": any(word.startswith(WIDER) for word in words),
        "a prompt without words": not prompt.strip(),
    }
    return "; ".join(name for name, wrong in checks.items() if wrong)


ALLOWED = {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "DRAGOMAN_RUN", "ANTHROPIC_BASE_URL", "DISABLE_AUTOUPDATER"} | {
    *("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_MAX_RETRIES"),
    *("CLAUDE_CODE_DISABLE_ATTACHMENTS", "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", "LC_ALL", "LC_CTYPE"),
}


def seen(host: str, words: list[str], prompt: str) -> str:
    """What it was given, as a reply."""
    files = {path.name: path.read_text() for path in Path.cwd().iterdir()}
    facts = {"argv": words, "prompt": prompt, "files": files, "variables": sorted(os.environ)}
    return answer("reply", message=json.dumps(facts))


def play(host: str, scenario: str, words: list[str], prompt: str) -> int:
    """Write what the scenario says; its exit code."""
    envelope: Callable[..., bytes] = {"claude_code": claude_code, "codex": codex}[host]
    key = os.environ[KEY_NAMES[host]]
    good = answer("completed", owner_summary="ready") if "self-check" in prompt else answer("reply", message="42")
    tool: dict[str, dict[str, object]] = {
        "claude_code": {"subtype": "error_max_turns", "is_error": True},
        "codex": {"item": {"id": "2", "type": "command_execution", "command": "touch x"}},
    }
    error: dict[str, dict[str, object]] = {
        "claude_code": {"is_error": True, "api_error_status": 401, "errors": [f"bad key {key}"]},
        "codex": {"end": {"type": "turn.failed", "error": {"message": f"bad key {key}"}}},
    }
    said: dict[str, Callable[[], bytes]] = {
        "reply": lambda: envelope(good),
        "seen": lambda: envelope(seen(host, words, prompt)),
        "waiting_owner": lambda: envelope(answer("waiting_owner", owner_summary="which price?")),
        "prose": lambda: envelope("Sure! Forty-two."),
        "fenced": lambda: envelope(f"```json\n{good}\n```"),
        "key_twice": lambda: envelope('{"schema_version":1,"action":"reply","message":"a","message":"b"}'),
        "unknown_key": lambda: envelope(answer("reply", message="42", tools=["Bash"])),
        "key_said": lambda: envelope(answer("reply", message=f"the key is {key}")),
        "tool_refused": lambda: envelope(good, **tool[host]),
        "error_reported": lambda: envelope(good, **error[host]),
        "tool_denied": lambda: envelope(good, permission_denials=[{"tool_name": "Bash"}]),
        "exit_code": lambda: envelope(good),
        "no_envelope": lambda: b"Segmentation fault\n",
        "envelope_twice": lambda: envelope(good) * 2,
        "envelope_key_twice": lambda: b'{"type":"result","type":"result"}\n',
        "not_utf8": lambda: envelope("x").replace(b'"x"', b'"\xff"'),
        "nothing": lambda: b"",
        "huge": lambda: b"x" * 4_000_000,
    }
    if scenario == "hang":
        time.sleep(600)
    sys.stdout.buffer.write(said[scenario]())
    sys.stdout.flush()
    return 3 if scenario in {"exit_code", "tool_refused"} else 0


def main() -> int:
    """One run."""
    host, scenario, *words = sys.argv[1:]
    prompt = sys.stdin.read()  # comes back only when stdin is closed
    if why := wrongly_started(host, words, prompt):
        print(why, file=sys.stderr)
        return 64
    return play(host, scenario, words, prompt)


if __name__ == "__main__":
    sys.exit(main())
