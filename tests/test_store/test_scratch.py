"""Folders of imports: gone with their process, also where that is killed."""

import os
import subprocess
import sys
import tempfile

import pytest

from store.scratch import remove_left_behind, scratch_folder

HOLDS = """
import sys, time
from store.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "large").write_bytes(b"x")
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="is about locks")
def test_what_a_killed_process_leaves_behind_is_removed_and_nothing_else(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("tiebreak-mine", "tiebreak-scratch_mine_and_more"):
        (tmp_path / name).mkdir()
    env = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", HOLDS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as process:
        folder = tmp_path / process.stdout.readline().strip().rpartition("/")[2]
        with scratch_folder() as own:
            remove_left_behind()
            assert own.is_dir()
        assert not own.exists()
        assert (folder / "large").exists(), "its process lives"
        process.kill()
    with scratch_folder():
        assert not folder.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "tiebreak-mine",
        "tiebreak-scratch_mine_and_more",
    ]
