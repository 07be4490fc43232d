"""Tests of several processes count, and one that ends in the middle is no success."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PASSES = "def test_passes(tmp_path):\n    assert tmp_path.is_dir()\n"
FAILS = "def test_fails():\n    print('what it printed')\n    assert 1 == 2\n"
ENDS = "import os\ndef test_ends():\n    os._exit(3)\n"


@pytest.mark.parametrize(
    ("second", "code", "told"),
    [
        (FAILS, 1, ["1 failed, 2 passed", "what it printed", "assert 1 == 2"]),
        (ENDS, 1, ["a worker ended with 3 in", "test_ends"]),
    ],
)
def test_what_workers_report_is_what_counts(tmp_path, second, code, told):
    for name, text in (("test_a", PASSES), ("test_b", second), ("test_c", PASSES)):
        (tmp_path / f"{name}.py").write_text(text)
    options = ("-p", "benchmarks.workers", "--workers", "2", "-c", "/dev/null", "--rootdir")
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path), str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == code
    for words in told:
        assert words in done.stdout
