"""Judgments come back as they were: from every kind of file, and out of a store into another."""

import csv
import io
import json
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.engine import open_store
from store.export import write_rows
from store.export_judgments import chosen_criteria, judgment_rows, write_scales
from store.importers.bundle import ReadOptions
from store.importers.cells import MISSING_WORDS
from store.importers.detect import read_paths
from store.ingest import ingest_all
from store.judgments import load_preferences, load_ratings

COLUMNS = ("annotator", "item", "system", "criterion", "rating")
names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5).filter(
    lambda name: name == name.strip() and name.lower() not in MISSING_WORDS
)
tables = st.dictionaries(
    st.tuples(names, names, names, names),
    st.floats(-1e100, 1e100),
    min_size=1,
    max_size=10,
)


def write_csv(rows, path):
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows([*row[:-1], repr(row[-1])] for row in rows)
    path.write_bytes(text.getvalue().encode())


def write_json_lines(rows, path):
    objects = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in objects), encoding="utf-8")


def write_json(rows, path):
    path.write_text(json.dumps([dict(zip(COLUMNS, row, strict=True)) for row in rows]))


def write_parquet(rows, path):
    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table(columns), path)


WRITERS = {
    "t.csv": write_csv,
    "t.jsonl": write_json_lines,
    "t.json": write_json,
    "t.parquet": write_parquet,
}


@given(table=tables, name=st.sampled_from(sorted(WRITERS)))
def test_ratings_come_back_bit_for_bit(table, name) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        WRITERS[name]([(*key, value) for key, value in table.items()], path)
        options = ReadOptions(dataset="d")
        (bundle,) = read_paths([path], format="judgments", options=options).bundles
    found = {
        (
            one.annotator,
            bundle.datasets[0].items[one.item].key,
            one.system,
            bundle.criteria[one.criterion].name,
        ): one.value
        for one in bundle.ratings
    }
    assert found == table


RATINGS = """annotator,annotator_kind,item,group,system,criterion,rating,label,replicate,judged_at
ann,human,1,doc,A,fluency,4,,0,2026-01-02T03:04:05+00:00
ann,human,1,doc,A,fluency,3.5,,1,
bot,model,1,doc,A,fluency,1,,0,
ann,human,2,doc,B,fluency,2,,0,
ann,human,1,doc,,topic,,news,0,
bot,model,1,doc,,topic,,art,0,
"""
PREFERENCES = """worker,annotator_kind,item,first,second,criterion,choice,strength,order_known,len_1
ann,human,1,A,B,better,second,,no,
bot,model,1,B,A,better,tie,0.5,yes,7
"""
YAML = "metrics: {fluency: {higher_is_better: true, lower: 1, upper: 5}}\n"


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_out_of_a_store_into_another(tmp_path, format) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "tiebreak.yaml").write_text(YAML)
    for name, text in (("ratings.csv", RATINGS), ("preferences.csv", PREFERENCES)):
        (tmp_path / "in" / name).write_text(text)
    with closing(open_store(tmp_path / "one.db", create=True)) as store:
        found = read_paths([tmp_path / "in"], options=ReadOptions(dataset="d"))
        ingest_all(store, found.bundles, actor="test")
        written = []
        for criteria in (("fluency", "topic"), ("better",)):
            path = tmp_path / f"{criteria[0]}.{format}"
            chosen = chosen_criteria(store, "d", criteria)
            write_rows(judgment_rows(store, chosen), path, format, io.StringIO())
            write_scales(chosen, path)
            written.append(path)
        before = _content(store)
    with closing(open_store(tmp_path / "two.db", create=True)) as store:
        ingest_all(store, read_paths(written).bundles, actor="test")
        assert _content(store) == before


def test_a_panel_of_models_comes_back_as_one(tmp_path) -> None:
    text = PREFERENCES.replace("ann,human", "ann,model")
    (tmp_path / "in.csv").write_text(text)
    options = ReadOptions(dataset="d", choices={"split": "no"})
    with closing(open_store(tmp_path / "one.db", create=True)) as store:
        ingest_all(store, read_paths(tmp_path / "in.csv", options=options).bundles, actor="test")
        path = tmp_path / "out.csv"
        chosen = chosen_criteria(store, "d", ("better",))
        write_rows(judgment_rows(store, chosen), path, "csv", io.StringIO())
        write_scales(chosen, path)
    with closing(open_store(tmp_path / "two.db", create=True)) as store:
        ingest_all(store, read_paths(path).bundles, actor="test")
        assert len(load_preferences(store, "d", "better").annotators) == 2


def _content(store):
    """Return what a store holds on every criterion."""
    content = []
    for name in ("fluency", "topic"):
        ratings = load_ratings(store, "d", name)
        criterion = ratings.criterion
        content.append((criterion.level, criterion.lower, criterion.upper, criterion.labels))
        content.append([(one.name, one.kind) for one in ratings.annotators])
        for array in (ratings.annotator, ratings.item, ratings.system, ratings.replicate):
            content.append(array.tolist())
        content.append(ratings.value.tolist())
    preferences = load_preferences(store, "d", "better")
    content.append((preferences.systems, preferences.choice.tolist()))
    content.append(preferences.order_known.tolist())
    content.append(np.nan_to_num(preferences.strength, nan=-1).tolist())
    content.append(np.nan_to_num(preferences.first_length, nan=-1).tolist())
    return content
