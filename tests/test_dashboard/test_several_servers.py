"""Several servers of one store, and what stands before them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from dashboard.commands.several import configuration

ROOT = Path(__file__).resolve().parents[2]
RUN_ALL = """
import sys, time
from pathlib import Path
from dashboard.commands import several
several._SOONEST_S = float(sys.argv[1])
sys.exit(several.run_all([[sys.executable, "-c", one] for one in sys.argv[2:]], Path("."), {}))
"""


def test_each_server_is_named_and_sticks_by_cookie() -> None:
    told = configuration("localhost", 8501, [8502, 8503])
    assert "bind 127.0.0.1:8501" in told
    assert told.count("check cookie") == 2
    assert "server s8503 127.0.0.1:8503 check cookie s8503" in told
    assert "option forwardfor" in told
    assert "del-header" not in told


def test_only_the_proxy_may_say_who_is_signed_in() -> None:
    told = configuration("0.0.0.0", 8501, [8502], header="X-User", proxies=["10.0.0.7"])
    assert "http-request del-header X-User unless { src 127.0.0.0/8 ::1 10.0.0.7 }" in told


def test_server_that_ends_gets_a_successor_and_all_end_together(tmp_path: Path) -> None:
    log = tmp_path / "log"
    once = f"open({str(log)!r}, 'a').write('x'); import os, time; time.sleep(0.2)"
    running = subprocess.Popen(
        [sys.executable, "-c", RUN_ALL, "0", once, "import time; time.sleep(60)"], cwd=ROOT
    )
    end = time.monotonic() + 30
    while time.monotonic() < end and (not log.exists() or len(log.read_text()) < 2):
        time.sleep(0.05)
    running.send_signal(signal.SIGTERM)
    assert running.wait(timeout=20) == 0
    assert len(log.read_text()) >= 2


def test_server_that_cannot_start_ends_all() -> None:
    command = [sys.executable, "-c", RUN_ALL, "60", "1 / 0", "import time; time.sleep(60)"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert done.returncode == 1
    assert "right after its start" in done.stderr
