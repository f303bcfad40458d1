"""Schemathesis reads the OpenAPI document of a real hub and asks for everything that it allows, and forbids.

No answer of 5xx, no status and no body that the document does not list, no invalid request taken for a valid one. It
runs in an environment of its own (`make .venv-schemathesis/.installed`); without one the test is skipped, in CI it
fails. `DRAGOMAN_SCHEMATHESIS_SECONDS` makes it longer.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from dragoman.channels.hub.client import HubClient
from dragoman.channels.hub.keys import RoleKey
from dragoman.clock import SystemClock

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".venv-schemathesis" / "bin" / "schemathesis"
SECONDS = int(os.environ.get("DRAGOMAN_SCHEMATHESIS_SECONDS", "30"))
A, B = RoleKey(b"a" * 32, f"ins_{1:032x}"), RoleKey(b"b" * 32, f"ins_{2:032x}")
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance,negative_data_rejection,unsupported_method,ignored_auth,use_after_free"
)

HUB = """
import sys
from dragoman import wire
from dragoman.clock import SystemClock
from dragoman.hub.serve import parse_listen, serve

limits = wire.Limits(wait_ms=20, replies_per_contact_hour=None, replies_per_role_day=None)
listen = parse_listen("127.0.0.1:0", insecure_http=False)
serve(sys.argv[1], listen, SystemClock(), limits, ready=lambda address: print(address, flush=True))
"""
"""A hub whose polls wait at most 20 ms: the time is for requests, not for waiting."""


@contextmanager
def impatient_hub(folder: Path) -> Iterator[str]:
    """The address of a real hub process that is killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", HUB, str(folder / "hub" / "hub.db")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


async def entered(url: str) -> str:
    """Two roles that know each other and have said something; the token of one."""
    async with HubClient(url, A, SystemClock()) as a, HubClient(url, B, SystemClock()) as b:
        await a.register()
        await b.register()
        await b.log_in()
        session = await a.log_in()
        contact = await a.open_contact("open_0001", b.role_id)
        await a.send(contact.contact_id, reply_id="reply_0001", text="hello")
        return session.token


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 120)
@pytest.mark.anyio
async def test_the_hub_keeps_its_document(tmp_path: Path) -> None:
    """Thousands of requests, well-formed, malformed and in chains: the hub answers what its document says."""
    if not PROGRAM.exists():
        said = "no Schemathesis: `make .venv-schemathesis/.installed`"
        pytest.fail(said) if os.environ.get("CI") else pytest.skip(said)
    with impatient_hub(tmp_path) as url:
        token = await entered(url)
        command = [str(PROGRAM), "run", f"{url}/schema/openapi.json", "--header", f"Authorization: Bearer {token}"]
        bounds = ["--max-time", str(SECONDS), "--request-timeout", "10", "--checks", CHECKS, "--seed", "4"]
        quiet = ["--no-color", "--warnings", "off", "--generation-database", "none"]
        hooks = {**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": str(Path(__file__).parent)}
        done = subprocess.run(
            [*command, *bounds, *quiet], cwd=tmp_path, capture_output=True, text=True, check=False, env=hooks
        )
        async with httpx2.AsyncClient(base_url=url, trust_env=False) as http:
            health = (await http.get("/healthz")).json()["status"]

    assert done.returncode == 0, done.stdout[-12_000:] + done.stderr[-2_000:]
    assert "ok" == health
