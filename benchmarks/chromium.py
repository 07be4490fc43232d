"""Find a Chromium for the browser tests; as root on Debian, install one.

Run as a module before the tests. Where none can be had, it says what to do and the tests that
need a browser fail with the same words: a missing browser must not pass unnoticed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
HELP = (
    "No Chromium found. Install one (Debian: apt-get install chromium), or name yours: "
    "TIEBREAK_CHROMIUM=/path/to/chromium."
)

# Headless, and silent: without these switches a fresh profile calls out at every start.
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str | None:
    """Return the path of an installed Chromium."""
    named = os.environ.get("TIEBREAK_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


def install_chromium() -> None:
    """Install Debian's package; needs root."""
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "--yes", "chromium"]):
        subprocess.run(command, check=True, env=quiet, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    if find_chromium() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Chromium for the browser tests …", file=sys.stderr)
        install_chromium()
    if find_chromium() is None:
        sys.exit(HELP)
