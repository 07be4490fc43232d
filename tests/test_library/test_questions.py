"""The questions as functions: the commands' answers, of a store or of plain scores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import tiebreak
from dashboard.cli import app

RNG = np.random.default_rng(5)
ITEMS = [f"q{n}" for n in range(40)]
A = np.array([1] * 30 + [0] * 10)
B = np.array([1] * 18 + [0] * 22)


@pytest.fixture(scope="module")
def path(example_copy: Any) -> Path:
    """Return the example store; nothing here changes it."""
    return Path(example_copy().path)


def of_command(path: Path, *words: str) -> dict[str, Any]:
    outcome = CliRunner().invoke(app, ["--store", str(path), *words, "--json"])
    assert outcome.exit_code == 0, outcome.output
    return json.loads(outcome.stdout)["result"]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda p: tiebreak.leaderboard(p, "digits"), ["leaderboard", "digits"]),
        (
            lambda p: tiebreak.compare("Extra trees 100", "MLP 64", p, dataset="digits"),
            ["compare", "Extra trees 100", "MLP 64", "--dataset", "digits"],
        ),
        (
            lambda p: tiebreak.pairs(
                p, "digits", correction="bh", systems=["MLP 64", "Extra trees 100"]
            ),
            ["pairs", "digits", "--correction", "bh", "--systems", "MLP 64,Extra trees 100"],
        ),
        (lambda p: tiebreak.power(p, "digits"), ["power", "dataset", "digits"]),
    ],
)
def test_answer_is_that_of_the_command(
    path: Path, ask: Callable[[Path], tiebreak.Answer[Any]], words: list[str]
) -> None:
    answer = ask(path)
    assert json.loads(json.dumps(answer.to_dict())) == of_command(path, *words)
    assert answer.sentence
    assert answer.sentence in str(answer).replace("\n", " ")
    assert len(answer.to_frame())
    assert "|" in answer.to_markdown()
    assert "tabular" in answer.to_latex()
    html = answer._repr_html_()
    assert html.count("<table>") == html.count("</table>") > 0


def as_long() -> pd.DataFrame:
    return pd.DataFrame({"system": ["A"] * 40 + ["B"] * 40, "item": ITEMS * 2, "score": [*A, *B]})


@pytest.mark.parametrize(
    "data",
    [
        {"A": A, "B": B},
        {"A": list(A), "B": tuple(B)},
        {"A": dict(zip(ITEMS, A, strict=True)), "B": dict(zip(ITEMS, B, strict=True))},
        {"A": pd.Series(A, ITEMS), "B": pd.Series(B, ITEMS)},
        pd.DataFrame({"A": A, "B": B}),
        pd.DataFrame({"A": A, "B": B}, index=ITEMS),
        pa.RecordBatch.from_pydict({"item": ITEMS, "A": A, "B": B}),
        as_long(),
        as_long().rename(columns={"system": "model", "score": "accuracy"}),
        as_long().drop(columns="item"),
        as_long().to_dict("records"),
        as_long().to_dict("list"),
        as_long().sample(frac=1, random_state=1),
    ],
)
def test_scores_in_any_form_have_one_answer(data: object) -> None:
    (row,) = tiebreak.pairs(data).to_frame().to_dict("records")
    assert (row["a"], row["b"], row["verdict"], row["n_items"]) == ("A", "B", "better", 40)
    assert row["difference"] == pytest.approx(0.3)
    frame = tiebreak.leaderboard(data).to_frame()
    assert list(frame["system"]) == ["A", "B"]
    exact = tiebreak.leaderboard(data, interval="t").to_frame()
    assert list(exact["system"]) == ["A", "B"]


class OfAnotherLibrary:
    """What polars and DuckDB offer of a table: names, and a stream of Arrow."""

    columns = ("item", "A", "B")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return pa.table({"item": ITEMS, "A": A, "B": B}).__arrow_c_stream__(requested_schema)


def test_table_of_another_library_goes_by_its_arrow_stream() -> None:
    for given in (OfAnotherLibrary(), pa.table(OfAnotherLibrary()).to_reader()):
        assert tiebreak.pairs(given).to_frame()["verdict"].tolist() == ["better"]


def test_tables_and_series_of_polars_are_scores() -> None:
    import polars as pl

    table = pl.DataFrame({"item": ITEMS, "A": A, "B": B})
    rows = table.unpivot(index="item", variable_name="system", value_name="score")
    named = rows.with_columns(pl.col("system").cast(pl.Categorical))
    for given in (table, table.lazy(), table.drop("item"), named):
        assert tiebreak.pairs(given).to_frame()["verdict"].tolist() == ["better"]
    missing = pl.Series([None, *A[1:]])
    assert tiebreak.compare(missing, table["B"]).study.analysis.n_items == 39


def test_missing_of_pandas_is_not_scored() -> None:
    scores = pd.Series(A, dtype="Int64")
    scores[3] = pd.NA
    assert tiebreak.compare(scores, B).study.analysis.n_items == 39
    assert tiebreak.compare("A", "B", pd.DataFrame({"A": scores, "B": B})).study.analysis.n_missing


def test_figures_of_a_paper_are_ranked_and_a_table_for_each_dataset_too() -> None:
    figures = [
        {"model": model, "dataset": f"d{n}", "accuracy": 0.5 + n / 10 + better}
        for n in range(4)
        for model, better in (("A", 0.1), ("B", 0.0))
    ]
    assert tiebreak.rank(figures, reported=True).study.systems == ("A", "B")
    tables = {f"d{n}": pd.DataFrame({"A": A, "B": B}) for n in range(2)}
    assert len(tiebreak.replicability("A", "B", tables).to_frame()) == 2


def test_people_and_dates_in_a_table_answer_what_a_store_would() -> None:
    people = pd.DataFrame({"annotator": [1, 2] * 40, "item": np.repeat(ITEMS, 2)})
    people["label"] = np.where(RNG.random(80) < 0.8, "good", "bad")
    assert len(tiebreak.agreement(people).study.annotators) == 2
    judged = as_long().rename(columns={"score": "adequacy"})
    judged["bleu"], judged["chrf"] = RNG.random((2, 80))
    found = tiebreak.correlate(judged, gold="adequacy", higher_is_better=True)
    assert {row.metric for row in found.study.rows} == {"bleu", "chrf"}
    dated = as_long().assign(date=["2026-02-01"] * 40 + ["2026-01-01"] * 40)
    history = tiebreak.claims(dated)
    assert [look.system for look in history.study.looks] == ["B", "A"]


def test_picture_has_the_numbers_of_its_answer_and_no_colour_of_a_theme() -> None:
    several = {f"d{n}": {"A": A, "B": B} if n else {"A": B, "B": A} for n in range(3)}
    dated = as_long().assign(date=["2026-02-01"] * 40 + ["2026-01-01"] * 40)
    judged = as_long().rename(columns={"score": "adequacy"})
    judged["bleu"], judged["chrf"] = RNG.random((2, 80))
    people = pd.DataFrame({"annotator": [1, 2] * 40, "item": np.repeat(ITEMS, 2)})
    people["label"] = np.where(RNG.random(80) < 0.8, "good", "bad")
    for answer, told in (
        (tiebreak.compare(A, B), "0.3"),
        (tiebreak.leaderboard({"A": A, "B": B}), "0.75"),
        (tiebreak.pairs({"A": A, "B": B}), "difference in score +0.30, adjusted p"),
        (tiebreak.power({"A": A, "B": B}), "true difference"),
        (tiebreak.replicability("A", "B", several), "0.3"),
        (tiebreak.replicability_matrix(several), " of 3 datasets, worse on "),
        (tiebreak.rank(several), "1.33"),
        (tiebreak.claims(dated), "0.75"),
        (tiebreak.correlate(judged, gold="adequacy", higher_is_better=True), "chrf"),
        (tiebreak.agreement(people), "MACE"),
    ):
        spec = json.dumps(answer.chart().to_dict())
        assert told in spec
        assert all(name.isidentifier() for name in answer.to_frame())
        assert not re.search('"(blue|orange|gray|violet)"', spec)
        shown = answer._repr_html_()
        assert "<table" in shown
        assert "vega" in shown


def test_answer_with_nothing_to_draw_is_a_table() -> None:
    nothing = tiebreak.power({"A": [1.0] * 40, "B": [1.0] * 40})
    with pytest.raises(tiebreak.StoreError, match="to_frame"):
        nothing.chart()
    assert "vega" not in nothing._repr_html_()


def test_two_sets_of_scores_are_compared_as_they_stand() -> None:
    row = tiebreak.compare(A, B, names=("new", "old")).to_frame().iloc[0]
    assert (row.a, row.b, row.verdict, row.n_items) == ("new", "old", "better", 40)
    turned = tiebreak.compare(A, B, higher_is_better=False)
    assert turned.study.verdict == "worse"
    assert tiebreak.compare(A, B, metric="WER").study.verdict == "worse"  # as is generally known
    wide = tiebreak.compare(A, B, margin=0.9)
    assert wide.study.verdict == "better"


def test_items_are_matched_by_name_and_groups_are_units() -> None:
    shuffled = dict(zip(reversed(ITEMS), reversed(B.tolist()), strict=True))
    paired = tiebreak.compare(dict(zip(ITEMS, A.tolist(), strict=True)), shuffled)
    assert paired.study.analysis.test.pvalue == tiebreak.compare(A, B).study.analysis.test.pvalue
    frame = pd.DataFrame({"A": A, "B": B, "group": [f"d{n // 2}" for n in range(40)]})
    assert tiebreak.compare("A", "B", frame).study.clustered


def test_several_datasets_are_ranked_and_counted() -> None:
    data = {
        f"d{n}": {
            name: RNG.random(60) < right for name, right in (("A", 0.9), ("B", 0.5), ("C", 0.4))
        }
        for n in range(4)
    }
    assert set(tiebreak.rank(data, n_resamples=99).study.systems) == {"A", "B", "C"}
    found = tiebreak.replicability("A", "B", data, dependent=False)
    assert len(found.study.datasets) == 4
    long = pd.DataFrame(
        [
            {"dataset": d, "system": s, "accuracy": float(score)}
            for d, systems in data.items()
            for s, scores in systems.items()
            for score in scores
        ]
    )
    again = tiebreak.replicability("A", "B", long, metric="accuracy", dependent=False)
    assert [one.pvalue for one in again.study.datasets] == [
        one.pvalue for one in found.study.datasets
    ]
    assert tiebreak.replicability_matrix(data, dependent=False).sentence


def test_questions_that_need_a_store(path: Path) -> None:
    with tiebreak.open_store(path) as store:
        assert tiebreak.claims(store, "digits").sentence
        assert tiebreak.claims(store, "digits").to_frame() is not None


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: tiebreak.compare([1, 0, 1], [1, 0]), "place by place"),
        (lambda: tiebreak.compare(A, B, test="best"), "`test` must be one of auto"),
        (lambda: tiebreak.compare(A, B, tests="auto"), "no setting `tests`"),
        (lambda: tiebreak.compare(A, B, alpha=2), "alpha"),
        (lambda: tiebreak.compare(A, B, names=("x", "x")), "different names"),
        (lambda: tiebreak.compare(A, "B"), "two names"),
        (lambda: tiebreak.compare(A, B, metric="zeal"), "higher_is_better"),
        (lambda: tiebreak.compare("A", "C", {"A": A, "B": B}), "'C'"),
        (lambda: tiebreak.pairs({"A": A, "B": B}, correction="x"), "`correction` must be"),
        (lambda: tiebreak.pairs({"d1": {"A": A, "B": B}, "d2": {"A": A}}), "`dataset`: 'd1', 'd2'"),
        (lambda: tiebreak.pairs({}), "give a store"),
        (lambda: tiebreak.pairs(np.stack([A, B])), "does not name them"),
        (lambda: tiebreak.pairs(as_long().drop(columns="item").iloc[1:]), "place by place"),
        (
            lambda: tiebreak.pairs(as_long().rename(columns={"score": "zeal"})),
            "higher_is_better",
        ),
        (
            lambda: tiebreak.pairs(pd.DataFrame(np.stack([A, B], 1), columns=["A", "A"])),
            "two columns",
        ),
        (lambda: tiebreak.power({"A": A}, effect="big"), "`effect` must be a number or"),
        (lambda: tiebreak.rank({"A": A}, alfa=1), "no setting `alfa`"),
        (lambda: tiebreak.rank({"A": A}, alpha="0.05"), "`alpha` must be a number"),
        (lambda: tiebreak.compare(A, B, seed=True), "`seed` must be a whole number"),
        (lambda: tiebreak.compare(A, B, names=("x",)), "`names` must be two names"),
        (lambda: tiebreak.correlate({"A": A}), "gold="),
        (lambda: tiebreak.pairs(pd.DataFrame({"A": ["x"]})), "no column of numbers"),
        (lambda: tiebreak.pairs(pd.DataFrame({"system": ["x"]})), "not enough to read"),
        (lambda: tiebreak.pairs("nowhere.db"), "There is no store"),
    ],
)
def test_what_is_wrong_is_an_error_in_words(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(tiebreak.StoreError, match=said):
        ask()


def test_a_whole_table_is_no_column_of_scores() -> None:
    table = pd.DataFrame({"f1": [1, 0, 1]})
    with pytest.raises(tiebreak.ImportFormatError, match="one of its columns"):
        tiebreak.compare(table, table)


def test_a_cell_that_is_no_number_is_named() -> None:
    table = pd.DataFrame({"A": [1, 0, 1, 1], "B": [1, "x", 0, 1], "C": [0, 0, 1, 1]})
    with pytest.raises(tiebreak.ImportFormatError, match="column 'B', row 2: 'x' is no number"):
        tiebreak.leaderboard(table)
