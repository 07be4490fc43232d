"""Files through the library: the command's rules, and its words where they do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

import tiebreak
from store.runs import list_runs
from tiebreak.argument_names import with_arguments


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


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("give --column item=NAME", "give columns={'item': NAME}"),
        ("switch it off with --column seed=", "switch it off with columns={'seed': ''}"),
        ("Add --direction zork=lower (or =higher)", "Add directions={'zork': False} (or =higher)"),
        ("--system 'A' cannot name 2 files", "system='A' cannot name 2 files"),
        ("repeat with --replace; give --run NAME.", "repeat with replace=True; give run=NAME."),
        ("--missing zero leaves 'cost' as it is", "missing_as_zero=True leaves 'cost' as it is"),
        ("Leave --score and --gold out.", "Leave score and gold out."),
        ("there is no a--score.csv", "there is no a--score.csv"),
    ],
)  # fmt: skip
def test_flags_in_messages_are_arguments(told: str, said: str) -> None:
    assert with_arguments(told) == said


def test_errors_of_the_library_name_arguments(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    run = {"system": "A", "dataset": "d", "metric": "acc", "store": store}
    tiebreak.log_run(scores={"1": 1}, **run)
    with pytest.raises(tiebreak.StoreError, match="repeat with replace=True") as raised:
        tiebreak.log_run(scores={"1": 0}, **run)
    assert "--" not in str(raised.value)
