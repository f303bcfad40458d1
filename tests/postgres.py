"""A real PostgreSQL for the tests: a private cluster on loopback, a fresh database for each that asks.

The programs come from the system (Debian: `postgresql`). Outside CI a missing one skips the tests that need it; in CI
it fails them.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

USER = "postgres"


def binaries() -> Path | None:
    """The folder of `initdb` and `pg_ctl`, or None."""
    folders = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    found = shutil.which("initdb")
    if found:
        folders.append(Path(found).parent)
    return next((each for each in folders if (each / "initdb").exists()), None)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


class Cluster:
    """One PostgreSQL server over a folder of its own; started, killed and started again."""

    def __init__(self, folder: Path, **settings: str) -> None:
        found = binaries()
        assert found is not None
        self.bin = found
        self.folder = folder
        self.data = folder / "data"
        self.port = free_port()
        self.settings = {"fsync": "on", "max_connections": "200", **settings}
        self._names = itertools.count(1)

    def make(self) -> None:
        """`initdb`, owned by the user that may run a server."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            shutil.chown(self.folder, USER)
        self.run("initdb", "-D", str(self.data), "-A", "trust", "-U", USER, "--no-sync")

    def copy(self, primary: Cluster) -> None:
        """Become a standby of a running primary."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            shutil.chown(self.folder, USER)
        source = f"host=127.0.0.1 port={primary.port} user={USER} application_name=standby"
        self.run("pg_basebackup", "-D", str(self.data), "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync")

    def promote(self) -> None:
        """From standby to primary."""
        self.run("pg_ctl", "-D", str(self.data), "-w", "promote")

    def start(self) -> None:
        """Start and wait until it accepts connections."""
        settings = {
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.folder),
            **self.settings,
        }
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self.run(
            "pg_ctl", "-D", str(self.data), "-o", options, "-l", str(self.folder / "log"), "-w", "-t", "30", "start"
        )

    def stop(self, how: str = "immediate") -> None:
        """Stop it; `immediate` is a crash."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self.run("pg_ctl", "-D", str(self.data), "-m", how, "-w", "stop")

    def dsn(self, database: str = "postgres") -> str:
        """The address of a database."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def database(self) -> str:
        """The address of a fresh database."""
        name = f"hub{next(self._names)}"
        self.sql(f"CREATE DATABASE {name}")
        return self.dsn(name)

    def sql(self, statement: str, database: str = "postgres") -> str:
        """What `psql` prints for a statement."""
        return self.run(
            "psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER, "-d", database, "-XAtqc", statement
        ).strip()

    def run(self, program: str, *arguments: str) -> str:
        """One of PostgreSQL's programs, as the user that may run it."""
        user = pwd.getpwnam(USER) if os.geteuid() == 0 else None
        done = subprocess.run(
            [str(self.bin / program), *arguments],
            user=user.pw_uid if user else None,
            group=user.pw_gid if user else None,
            extra_groups=[] if user else None,
            cwd=self.folder,
            check=True,
            stdin=subprocess.DEVNULL,
            # a started server would hold a pipe open for ever
            stdout=subprocess.DEVNULL if program == "pg_ctl" else subprocess.PIPE,
            stderr=subprocess.DEVNULL if program == "pg_ctl" else None,
            text=True,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        )
        return done.stdout or ""


def need_postgres() -> None:
    """Skip, or in CI fail, where PostgreSQL is not installed."""
    if binaries() is None:
        said = "PostgreSQL is not installed (Debian: postgresql)"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)


@contextlib.contextmanager
def running_cluster(**settings: str) -> Iterator[Cluster]:
    """A started cluster in a folder of its own, stopped and removed at the end."""
    need_postgres()
    folder = Path(tempfile.mkdtemp(prefix="dragoman-pg-"))
    folder.chmod(0o711)
    cluster = Cluster(folder / "cluster", **settings)
    try:
        cluster.make()
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
