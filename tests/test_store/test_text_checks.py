"""A flipped byte in a text or an output is seen when it is read: left out, told, found by check."""

import sqlite3

import numpy as np
import pytest
import sqlalchemy as sa

from store import damage
from store.backup import check
from store.engine import open_store
from store.export_runs import exported_runs
from store.importers.bundle import BundleItem, BundleRun, BundleScores
from store.ingest import ingest
from store.models import ItemText, Output
from store.text_checksum import checksum
from store.text_search import equal_outputs, find_in_texts, text_lengths
from store.texts import load_outputs, load_texts


@pytest.fixture
def path(store, bundle):
    """A store with texts of two items and the outputs of two systems; closed."""
    items = [
        BundleItem(f"i{n}", input_text=f"question {n}", reference_text=f"truth {n}")
        for n in range(2)
    ]
    answers = {0: ["yes", "no \N{SNOWMAN}"]}
    scores = [BundleScores(0, np.array([[0.5], [1.0]]))]
    runs = [BundleRun(name, 0, scores=scores, outputs=answers) for name in "AB"]
    made = bundle(runs, items=items)
    ingest(store, made, actor="t")
    assert check(store) == []
    store.close()
    damage.forget()
    yield store.path
    damage.forget()


def spoil(path, statement):
    with sqlite3.connect(path) as connection:
        assert connection.execute(statement).rowcount == 1
    connection.close()


def test_a_damaged_output_is_left_out_and_told(path):
    spoil(path, "UPDATE output SET text = CAST(x'ff61' AS TEXT) WHERE id = 1")  # no UTF-8
    with open_store(path, read_only=True) as store:
        found = load_outputs(store, "qa", (0, 1))
        assert [(one.position, one.system) for one in found] == [(0, "B"), (1, "A"), (1, "B")]
        (told,) = damage.seen_anywhere()
        assert "output of 'A' on item 'i0' of 'qa' is not what was written" in str(told)
        assert "db restore" in str(told)
        assert equal_outputs(store, "qa", "A", "B") == {1: True}
        assert find_in_texts(store, "qa", "yes", ("A", "B")) == {0}
        (run,) = (one for one in exported_runs(store) if one.run.system == "A")
        assert run.outputs == {1: "no \N{SNOWMAN}"}
        assert check(store) == ["1 texts of 'output' are not what was written."]


def test_a_damaged_reference_is_left_out_and_told(path):
    spoil(path, "UPDATE item_text SET reference_text = 'truth 8' WHERE item_id = 2")
    with open_store(path, read_only=True) as store:
        assert list(load_texts(store, "qa", (0, 1))) == [0]
        (told,) = damage.seen_anywhere()
        assert "text on item 'i1' of 'qa'" in str(told)
        assert text_lengths(store, "qa") == {0: 10}
        assert find_in_texts(store, "qa", "truth", ("A",)) == {0}
        assert find_in_texts(store, "qa", "i1", ("A",)) == {1}
        assert check(store) == ["1 texts of 'item_text' are not what was written."]


def test_each_checksum_is_that_of_its_row(path):
    with open_store(path, read_only=True) as store, store.read() as connection:
        for row in connection.execute(sa.select(Output.text, Output.checksum)):
            assert row.checksum == checksum(row.text)
        for row in connection.execute(sa.select(ItemText)):
            assert row.checksum == checksum(row.input_text, row.reference_text)


def test_texts_put_together_otherwise_have_another_checksum():
    told = [("ab", None), ("a", "b"), ("", "ab"), (None, "ab"), ("ab", ""), ("ab",)]
    assert len({checksum(*one) for one in told}) == len(told)
