"""Files that a server is sent are read in a process of their own, which may die."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dashboard.pool import asking, reading
from dashboard.pool.bodies import records_apart
from dashboard.pool.flights import Pool
from store.errors import ImportFormatError
from store.importers.detect import read_paths
from tests.test_pool.fatal import Dies, TakesAll

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies of a process")
ROOT = Path(__file__).resolve().parents[2]
GOOD = "system,dataset,item,metric,score\n" + "".join(
    f"{system},news,q{k},accuracy,{k % 2}\n" for system in "AB" for k in range(9)
)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """Return a pool without compiled loops, which is that of this server."""
    before = Path.cwd()
    os.chdir(ROOT)  # where its processes find this folder
    started = Pool(with_loops=False)
    started.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking, "pool", started)
        yield started
    started.stop()
    os.chdir(before)


def read(path: Path, **more: Any) -> Any:
    return reading.reader(1_000_000, "Send less.")(path, **more)


def test_what_is_read_elsewhere_is_what_is_read_here(pool: Pool, tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(GOOD, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    found, here = (
        each(tmp_path, root=tmp_path) for each in (read, lambda *a, **k: read_paths(*a, **k))
    )
    assert found.left_out == here.left_out
    (one,), (other,) = found.bundles, here.bundles
    assert (one.datasets, one.metrics, one.files) == (other.datasets, other.metrics, other.files)
    for run, same in zip(one.runs, other.runs, strict=True):
        np.testing.assert_array_equal(run.scores[0].values, same.scores[0].values)
    assert pool.work()[1]["done"] >= 1


def test_what_is_wrong_with_a_file_is_told_with_its_place(pool: Pool, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(GOOD.replace("q4,accuracy,0", "q4,accuracy,much"), encoding="utf-8")
    with pytest.raises(ImportFormatError) as here:
        read_paths(path)
    with pytest.raises(ImportFormatError) as there:
        read(path)
    for name in ("path", "line", "field", "reason"):
        assert getattr(there.value, name) == getattr(here.value, name)
    assert str(there.value) == str(here.value)


def test_a_larger_file_than_may_be_sent_is_refused(pool: Pool, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(GOOD * 5_000, encoding="utf-8")
    with pytest.raises(ImportFormatError, match=r"more than 1 MB.* Send less"):
        read(path)


def test_the_records_of_a_body_are_taken_apart_elsewhere(pool: Pool, tmp_path: Path) -> None:
    body, lines = tmp_path / "body", tmp_path / "records.jsonl"
    apart = reading.reader(1_000_000, "Send less.", work=records_apart)
    body.write_text('{"dataset": "news", "records": [{"a": 1}, {}]}', encoding="utf-8")
    n_done = pool.work()[1]["done"]
    assert apart(body, to=lines) == {"dataset": "news"}
    assert lines.read_text(encoding="utf-8") == '{"a": 1}\n{}\n'
    assert pool.work()[1]["done"] == n_done + 1
    body.write_text('{"records": [' + "{}," * 20_000 + "{}]}", encoding="utf-8")
    with pytest.raises(ImportFormatError, match="more than 1 MB"):
        apart(body, to=lines)


def test_reading_that_dies_is_told_and_leaves_nothing(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(GOOD, encoding="utf-8")
    monkeypatch.setattr(reading, "ReadFiles", Dies)
    with pytest.raises(ImportFormatError, match="brings the reading down"):
        read(path)
    assert not Path((tmp_path / "scratch").read_text(encoding="utf-8")).exists()
    monkeypatch.undo()
    monkeypatch.setattr(asking, "pool", pool)
    assert len(read(path).bundles) == 1


def test_reading_that_takes_all_memory_is_ended_and_told(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(GOOD, encoding="utf-8")
    monkeypatch.setattr(reading, "ReadFiles", lambda *given: TakesAll(*given, memory=200_000_000))
    with pytest.raises(ImportFormatError, match="GB of memory"):
        read(path)


def test_reading_that_takes_too_long_is_given_up(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(GOOD, encoding="utf-8")
    monkeypatch.setattr(reading, "LONGEST_S", 0.0)
    began = time.monotonic()
    assert reading.ReadFiles.asked == "files of an import"  # what admins see of it
    with pytest.raises(ImportFormatError, match="was given up"):
        reading.reader(1_000_000, "", lambda _steps: time.sleep(0.01))(
            [path] * 1, options=None, format=None, root=_Slow()
        )
    assert time.monotonic() - began < 20


class _Slow:
    """Takes its time where it arrives."""

    def __reduce__(self) -> Any:
        return time.sleep, (30,)
