"""One message tells all that is wrong with an import, the same reason once."""

import pytest

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.detect import read_paths
from store.importers.problems import HINT

LONG = "system,dataset,item,metric,score\n"


def test_problems_of_one_kind_stand_together(read) -> None:
    rows = "A,d,1,acc,x\nA,d,,acc,1\n" + "".join(f"A,d,{i},acc,y{i}\n" for i in range(3, 9))
    with pytest.raises(ImportFormatError) as caught:
        read(LONG + rows)
    lines = str(caught.value).split("\n")
    numbers = next(line for line in lines if "'x' is not a number" in line)
    assert "6 more such problems: line 4; line 5; line 6; …" in numbers
    assert any("line 3, field 'item': the item is not named" in line for line in lines)
    assert lines[-1].strip() == HINT
    assert len(lines) == 3
    assert caught.value.path == "scores.csv"


def test_a_message_stays_short() -> None:
    problems = RowProblems(lenient=False)
    for i in range(500):
        problems.report("a.csv" if i % 2 else "b.csv", i, None, f"fault {'x' * (i % 100)}.")
    with pytest.raises(ImportFormatError) as caught:
        problems.raise_if_any()
    assert len(str(caught.value).split("\n")) <= 20
    assert "of other kinds" in str(caught.value)


def test_files_named_by_hand_are_refused_together(write, tmp_path) -> None:
    good = write(LONG + "A,d,1,acc,1\nA,d,2,acc,0\n", "good.csv")
    bad = write(LONG + "A,d,1,acc,x\nA,d,2,acc,0\n", "bad.csv")
    cut = [write('{"a": [', f"cut{i}.json") for i in range(5)]
    with pytest.raises(ImportFormatError) as caught:
        read_paths([good, bad, tmp_path / "none.csv", *cut], root=tmp_path)
    lines = str(caught.value).split("\n")
    assert any(line.startswith("bad.csv, line 2, field 'score'") for line in lines)
    assert any(line.startswith("none.csv: there is no such file") for line in lines)
    assert any(line.startswith("cut0.json, cut1.json, cut2.json and 2 more") for line in lines)
    assert str(caught.value).count(HINT) == 1
    assert "good.csv" not in str(caught.value)


def test_many_files_give_a_short_message(write, tmp_path) -> None:
    paths = [write(LONG + f"A,d,1,acc,x{i}\n", f"f{i}.csv") for i in range(40)]
    with pytest.raises(ImportFormatError) as caught:
        read_paths(paths, root=tmp_path)
    assert len(str(caught.value).split("\n")) <= 20
