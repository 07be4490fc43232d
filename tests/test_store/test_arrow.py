"""Arrow arrays of texts and numbers, as pyarrow itself makes them, but without pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from store.arrow import as_numbers, as_texts, numbers_of, repeated


@pytest.mark.parametrize(
    "cells", [[], ["a", None, "", "é", "two words"], [None] * 9, ["x"] * 17, ["", None] * 8]
)
def test_texts_are_those_of_pyarrow(cells) -> None:
    array = as_texts(cells)
    array.validate(full=True)
    assert array.equals(pa.array(cells, pa.string()))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, np.float64])
def test_numbers_go_there_and_back(kind) -> None:
    values = np.arange(20).astype(kind)
    is_there = values % 3 != 0
    array = as_numbers(values, is_there)
    array.validate(full=True)
    assert array.to_pylist() == [
        v if there else None for v, there in zip(values, is_there, strict=True)
    ]
    assert numbers_of(array, missing=7).tolist() == np.where(is_there, values, 7).tolist()
    assert numbers_of(array.slice(5, 9), missing=7).tolist() == (
        np.where(is_there, values, 7)[5:14].tolist()
    )
    assert as_numbers(values).null_count == 0
    assert numbers_of(as_numbers(values)[3:]).tolist() == values[3:].tolist()


def test_a_column_of_a_matrix_is_read_as_it_stands() -> None:
    matrix = np.arange(6.0).reshape(3, 2)
    assert as_numbers(matrix[:, 1]).to_pylist() == [1.0, 3.0, 5.0]


@pytest.mark.parametrize("text", ["é", "", None])
def test_one_text_for_all_rows(text) -> None:
    assert repeated(text, 3).to_pylist() == [text] * 3
    assert len(repeated(text, 0)) == 0


def test_imports_and_exports_of_scores_load_no_pandas(tmp_path) -> None:
    lines = "".join(f"{'AB'[n % 2]},q{n // 2},{n / 600001:.7f}\n" for n in range(60_000))
    (tmp_path / "scores.csv").write_text("system,item,accuracy\n" + lines)
    script = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from dashboard.cli import app\n"
        "for words in (['ingest', 'scores.csv', '--yes'],\n"
        "              ['export', 'scores', '--out', 'all.parquet'],\n"
        "              ['ingest', 'all.parquet', '--yes']):\n"
        "    done = CliRunner().invoke(app, ['--store', 's.db', *words])\n"
        "    assert done.exit_code == 0, done.output\n"
        "assert 'pandas' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
