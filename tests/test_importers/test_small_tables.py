"""What a large table is, is told without reading it twice."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from store.importers import small_tables
from store.importers.detect import read_paths
from store.importers.small_tables import is_small_and


def test_a_table_of_many_rows_is_not_read(write, monkeypatch) -> None:
    path = write("system,accuracy\n" + "A,0.5\n" * 500)
    monkeypatch.setattr(small_tables, "read_table", pytest.fail)
    assert not is_small_and(path, 10, lambda table: True)
    file = path.with_name("t.parquet")
    pq.write_table(pa.table({"system": ["A"] * 11}), file)
    assert not is_small_and(file, 10, lambda table: True)


def test_lines_within_cells_are_no_rows(write) -> None:
    path = write('system,answer\nA,"' + "\n".join("abcdefghi") + '"\n')
    assert is_small_and(path, 1, lambda table: table.columns == ("system", "answer"))
    assert not is_small_and(path, 0, lambda table: True)


def test_what_cannot_be_read_is_no_table(tmp_path, write) -> None:
    assert not is_small_and(tmp_path / "none.csv", 9, lambda table: True)
    assert not is_small_and(write("system\nA\n"), 9, lambda table: bool(float("no number")))


@pytest.mark.parametrize("head", ["system,dataset,item,trial,accuracy", "item,accuracy"])
def test_a_long_table_of_items_is_read_once(head, write, monkeypatch) -> None:
    values = "A,d,q{0},0,0.5" if "system" in head else "q{0},0.5"
    path = write(head + "\n" + "".join(values.format(n) + "\n" for n in range(50_000)), "A/d.csv")
    monkeypatch.setattr(small_tables, "read_table", pytest.fail)
    (bundle,) = read_paths([path]).bundles
    assert bundle.format == "generic"
    assert len(bundle.datasets[0].items) == 50_000
