"""Run every test, with no processor waiting: `make test`.

A test in a browser waits more than it computes. So these have a process beside the workers of all
others, which no worker spends its time on.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
BROWSER: Final = "tests/test_browser"
SHARED: Final = "TIEBREAK_TESTS_SHARED"
"""Names the folder of what is built once for all processes."""
_PYTEST: Final = (sys.executable, "-m", "pytest")
_NO_TESTS: Final = 5


class Beside(threading.Thread):
    """The browser's tests; what they print is kept for the end."""

    def __init__(self, options: Sequence[str]) -> None:
        super().__init__(daemon=True)
        self._options = options
        self._running: subprocess.Popen[bytes] | None = None
        self.printed = b""
        self.status = 1

    def run(self) -> None:
        """Run the tests."""
        self._running = subprocess.Popen(
            [*_PYTEST, BROWSER, *self._options],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.printed = self._running.communicate()[0]
        self.status = self._running.returncode

    def stop(self) -> None:
        """End them."""
        if self._running is not None and self._running.poll() is None:
            self._running.terminate()


def main(options: Sequence[str]) -> int:
    """Run all tests; `options` are pytest's. Return its exit code, that of the first to fail."""
    workers = [*_PYTEST, "--workers", "auto", f"--ignore={BROWSER}", *options]
    with tempfile.TemporaryDirectory(prefix="tiebreak-tests-") as shared:
        os.environ[SHARED] = shared
        beside = Beside(options)
        beside.start()
        try:
            status = subprocess.run(workers, cwd=ROOT).returncode
            beside.join()
        finally:
            beside.stop()
    print(f"\n{BROWSER}:", flush=True)
    sys.stdout.buffer.write(beside.printed)
    sys.stdout.buffer.flush()
    failed = [each for each in (status, beside.status) if each not in (0, _NO_TESTS)]
    return failed[0] if failed else min(status, beside.status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
