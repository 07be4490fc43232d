"""Whatever a table holds comes back bit for bit, in every file format and in every form."""

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths

COLUMNS = ("system", "dataset", "item", "metric", "run", "trial", "score")
names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6).filter(
    lambda name: name == name.strip()
)
keys = st.tuples(
    names, names, names, st.sampled_from(["acc", "BLEU", "Δ"]), names, st.integers(0, 2)
)
tables = st.dictionaries(
    keys, st.one_of(st.just(np.nan), st.floats(-1e100, 1e100)), min_size=1, max_size=12
).filter(lambda table: any(value == value for value in table.values()))


def write_delimited(rows, path, delimiter):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([*row[:-1], "" if np.isnan(row[-1]) else repr(row[-1])])
    data = text.getvalue().encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def write_json_lines(rows, path):
    objects = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in objects), encoding="utf-8")


def write_parquet(rows, path):
    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table(columns), path)


WRITERS = {
    "t.csv": lambda rows, path: write_delimited(rows, path, ","),
    "t.tsv": lambda rows, path: write_delimited(rows, path, "\t"),
    "t.csv.gz": lambda rows, path: write_delimited(rows, path, ","),
    "t.jsonl": write_json_lines,
    "t.parquet": write_parquet,
}


def content_of(bundle, trial_labels):
    """Return key -> bytes of the score for every finite score of a bundle."""
    found = {}
    for run in bundle.runs:
        dataset = bundle.datasets[run.dataset]
        for one in run.scores:
            metric = bundle.metrics[one.metric].name
            for item, value in zip(dataset.items, one.values[:, 0], strict=True):
                if not np.isnan(value):
                    trial = trial_labels[one.trial]
                    key = (run.system, dataset.name, item.key, metric, run.label, trial)
                    found[key] = value.tobytes()
    return found


@pytest.mark.parametrize("name", WRITERS)
@given(table=tables)
def test_long_table_comes_back(name, table) -> None:
    rows = [(*key, value) for key, value in table.items()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        WRITERS[name](rows, path)
        (bundle,) = read_paths([path]).bundles
    expected = {key: np.float64(value).tobytes() for key, value in table.items() if value == value}
    assert content_of(bundle, sorted({key[-1] for key in table})) == expected
    assert bundle.skipped == ()


@given(
    scores=st.lists(
        st.tuples(st.floats(0, 1), st.one_of(st.none(), st.floats(-1e9, 1e9))),
        min_size=1,
        max_size=8,
    )
)
def test_wide_and_long_say_the_same(scores) -> None:
    shown = [(repr(a), "" if b is None else repr(b)) for a, b in scores]
    long = "system,item,score\n" + "".join(
        f"A,i{i},{a}\n" + (f"B,i{i},{b}\n" if b else "") for i, (a, b) in enumerate(shown)
    )
    wide = "item,A,B\n" + "".join(f"i{i},{a},{b}\n" for i, (a, b) in enumerate(shown))
    options = ReadOptions(dataset="d", metric="m")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("long.csv", long), ("wide.csv", wide)):
            path = Path(folder) / name
            path.write_text(text)
            (bundle,) = read_paths([path], options=options).bundles
            found.append(content_of(bundle, [0]))
    assert found[0] == found[1]


@given(table=tables, data=st.data())
def test_row_order_does_not_matter(table, data) -> None:
    rows = [(*key, value) for key, value in table.items()]
    labels = sorted({key[-1] for key in table})
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for i, order in enumerate((rows, data.draw(st.permutations(rows)))):
            path = Path(folder) / f"{i}.jsonl"
            write_json_lines(order, path)
            (bundle,) = read_paths([path]).bundles
            found.append((content_of(bundle, labels), sorted(m.name for m in bundle.metrics)))
    assert found[0] == found[1]
