"""Which release of the client runs here, by the content of its files (spec 2 §1, §3.16).

The hash is SHA-256 over one line per file of the package, `<sha256>  <path>`, sorted by path; what Python compiles by
itself is left out. So a wheel and a checkout of the same release have the same hash, and a changed line has another.
"""

from __future__ import annotations

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable

from dragoman import __version__, wire


def release() -> wire.ClientRelease:
    """The release of this installation."""
    lines = sorted(_lines(files("dragoman"), ""), key=lambda line: line.partition("  ")[2])
    return wire.ClientRelease(version=__version__, sha256=hashlib.sha256("\n".join(lines).encode()).hexdigest())


def _lines(folder: Traversable, above: str) -> list[str]:
    found: list[str] = []
    for each in folder.iterdir():
        if each.is_dir() and each.name != "__pycache__":
            found += _lines(each, f"{above}{each.name}/")
        elif each.is_file() and not each.name.endswith(".pyc"):
            found.append(f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {above}{each.name}")
    return found
