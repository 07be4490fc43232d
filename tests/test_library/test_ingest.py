"""Files through the library: the command's rules, and its words where they do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

import tiebreak
from store.runs import list_runs


def test_files_go_in_by_the_rules_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("system,dataset,item,zeal\nA,d,q1,1\nA,d,q2,0\n", encoding="utf-8")
    store = tmp_path / "s.db"
    with pytest.raises(tiebreak.ImportFormatError, match="zeal"):
        tiebreak.ingest(path, store=store)
    tiebreak.ingest(path, store=store, dry_run=True, higher_is_better=False)
    done = tiebreak.ingest([path], store=store, higher_is_better=False)
    assert [report.n("run", "added") for report in done.reports] == [1]
    path.write_text("system,dataset,item,zeal\nA,d,q1,0\n", encoding="utf-8")
    with tiebreak.open_store(store) as opened:
        with pytest.raises(tiebreak.StoreError, match="replace"):
            tiebreak.ingest(path, store=opened)
        assert len(list_runs(opened)) == 1
    with pytest.raises(tiebreak.ImportFormatError, match=r"nowhere\.csv"):
        tiebreak.ingest(tmp_path / "nowhere.csv", store=store)
    with pytest.raises(tiebreak.ImportFormatError, match="'paths': 3 is no path"):
        tiebreak.ingest(3, store=store)  # type: ignore[arg-type]
