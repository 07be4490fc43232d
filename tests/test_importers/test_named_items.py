"""Items of which nothing but a name is known, and columns of names, take no object each."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from store.importers import generic
from store.importers.arrow_columns import ArrowColumn
from store.importers.bundle import BundleItem, ReadOptions
from store.importers.columnar import Coded
from store.importers.generic_rows import Names
from store.importers.named_items import NamedItems, keys_of, told_of


def test_named_items_are_items_with_a_key_alone() -> None:
    items = NamedItems(["a", "b", "c"])
    assert list(items) == [BundleItem("a"), BundleItem("b"), BundleItem("c")]
    assert items[1] == BundleItem("b")
    assert items[1:] == NamedItems(["b", "c"])
    assert items == (BundleItem("a"), BundleItem("b"), BundleItem("c"))
    assert items != (BundleItem("a"), BundleItem("b"))
    assert items != (BundleItem("a"), BundleItem("b"), BundleItem("c", group="g"))
    assert keys_of(items) == keys_of(list(items)) == ["a", "b", "c"]
    assert told_of(items) == ()
    assert told_of([BundleItem("a")]) == [BundleItem("a")]


def test_names_are_numbered_as_they_come() -> None:
    given = ["x", "y"]
    names = Names(given)
    assert [names.number(name) for name in ("y", "z", "x", "z")] == [1, 2, 0, 2]
    assert list(names) == ["x", "y", "z"]
    assert names[2] == "z"
    assert names.index == {"x": 0, "y": 1, "z": 2}
    assert given == ["x", "y"]


def test_cells_that_no_change_changes_are_not_counted_anew() -> None:
    column = Coded.of(["a", "b", "a"])
    assert column.map(str.strip) is column
    merged = Coded.of(["a", " a", "b"]).map(str.strip)
    assert (merged.values, merged.codes.tolist()) == (["a", "b"], [0, 0, 1])


@pytest.mark.parametrize(
    "parts",
    [
        [["a", "b", "c"], ["c", "a", "b"], ["b", "b", "a"]],
        [["a", "b"], ["a", "x", "b", None], [None, "y", "x", "a"], ["z"]],
        [["a", None], ["b", None, "a"]],
        [[1, 2, 3], [3, 4, 1], [4, 1, 2]],
        [["a"], [], ["b", "a"]],
    ],
    ids=["again", "more", "none", "numbers", "nothing"],
)
def test_dictionaries_that_come_in_parts_are_one_column(parts) -> None:
    column = ArrowColumn()
    kind = pa.array(parts[0]).type
    for part in parts:
        column.add(pa.chunked_array([pa.array(part, kind).dictionary_encode()]))
    read = column.finished(list)
    assert isinstance(read, Coded)
    assert list(read) == [cell for part in parts for cell in part]
    assert len(set(read.values)) == len(read.values)


def test_cells_that_are_alike_once_they_are_text_are_one() -> None:
    column = ArrowColumn()
    for part in ([b"a", b"b"], [b"b", b"a", b"c"]):
        column.add(pa.chunked_array([pa.array(part).dictionary_encode()]))
    read = column.finished(list)
    assert isinstance(read, Coded)
    assert read.values == ["a", "b", "c"]


@pytest.mark.parametrize("order", ["in order", "another order", "one is absent"])
def test_the_order_of_rows_does_not_change_their_vectors(order, tmp_path) -> None:
    rows = [(s, i, n) for n, (s, i) in enumerate((s, i) for s in "AB" for i in "xyz")]
    if order == "another order":
        rows = [rows[n] for n in (4, 0, 1, 5, 3, 2)]
    if order == "one is absent":
        del rows[3]
    path = tmp_path / "scores.csv"
    path.write_text("system,item,accuracy\n" + "".join(f"{s},{i},{n}\n" for s, i, n in rows))
    bundle = generic.read([path], ReadOptions(dataset="d"), {path: "scores.csv"})
    keys = keys_of(bundle.datasets[0].items)
    found = {
        (run.system, key): value
        for run in bundle.runs
        for key, value in zip(keys, run.scores[0].values[:, 0].tolist(), strict=True)
        if not np.isnan(value)
    }
    assert found == {(s, i): n for s, i, n in rows}
