"""The leaderboard page says who may be best, and draws what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pandas as pd
from streamlit.testing.v1 import AppTest

from analysis import numbers
from dashboard import charts
from dashboard.ui.board_groups import families
from store.engine import open_store
from store.systems import list_systems
from store.tags import add_tag
from tests.test_dashboard.tables import data_of, tables_of

OpenPage = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]


def specs(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in app.get("vega_lite_chart")]


def test_page_says_who_may_be_best_and_shows_ranks_and_groups(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("leaderboard", filled_path, dataset="digits")
    assert not app.exception
    text = text_of(app)
    assert "cannot be separated from it" in text
    assert "neighbours can be separated" in text
    table = tables_of(app)[0]
    assert {"score", "ranks", "groups", "p_best"} <= set(table.columns)
    assert table["ranks"].iloc[0] == 1
    assert table["groups"].iloc[0].startswith("a")
    (bands,) = (c["bands"] for c in data_of(app)[0]["columns"] if "bands" in c)
    assert bands[0][0] == 0
    assert all(bands)
    scores, ranks = specs(app)
    assert "95 % interval" in json.dumps(scores["title"], ensure_ascii=False)
    assert "for all lines at once" in json.dumps(ranks["title"])


def test_search_and_order_are_in_the_copied_link(
    open_page: OpenPage, full_link: Callable[[AppTest], str], filled_path: Path
) -> None:
    asked = {"dataset": "digits", "find": "majority", "sort": "-p_best"}
    app = open_page("leaderboard", filled_path, **asked)
    assert not app.exception
    assert len(tables_of(app)[0]) == 15  # the browser searches: ranks are of the whole board
    assert (
        parse_qs(urlsplit(full_link(app)).query).items()
        >= {k: [v] for k, v in asked.items()}.items()
    )


def test_reported_scores_have_neither_interval_nor_rank(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("leaderboard", filled_path, dataset="UD Tamil")
    assert not app.exception
    assert "Order is not evidence" in text_of(app)
    table = tables_of(app)[0]
    assert not {"ci_low", "ranks", "groups", "p_best"} & set(table.columns)
    assert "separated" not in text_of(app)


def test_report_is_offered(open_page: OpenPage, text_of: TextOf, filled_path: Path) -> None:
    app = open_page("leaderboard", filled_path, dataset="digits")
    app.session_state["report_fold"] = True
    app.run()
    assert "Leaderboard of digits" in text_of(app)
    assert "no system is better beyond doubt" in text_of(app)


def test_letters_stand_beside_the_scores() -> None:
    frame = pd.DataFrame(
        {
            "system": ["a", "b"],
            "score": [0.6, 0.5],
            "low": [0.5, 0.4],
            "high": [0.7, 0.6],
            "n_scored": 100,
            "n_items": 100,
            "label": ["0.60", "0.50"],
        }
    )
    plain = json.dumps(charts.score_dots(frame).to_dict())
    assert "letter in common" not in plain
    spec = charts.score_dots(frame.assign(group=["x", ""]), interval="90 %").to_dict()
    assert "letter in common" in json.dumps(spec)
    assert "90 % interval" in json.dumps(spec)
    axes = [
        layer["encoding"]["y"]["axis"]
        for layer in spec["layer"]
        if layer["encoding"]["y"].get("axis")
    ]
    assert any('{"a": "x", "b": ""}' in axis["labelExpr"] for axis in axes)
    empty = charts.score_dots(frame.assign(group="")).to_dict()
    assert "letter in common" not in json.dumps(empty)


def test_many_rows_get_narrow() -> None:
    def height(n: int) -> float:
        frame = pd.DataFrame({"system": [f"s{k}" for k in range(n)], "label": "", "score": 0.5})
        frame = frame.assign(low=0.4, high=0.6, n_scored=9, n_items=9)
        return float(charts.score_dots(frame).to_dict(validate=False)["height"]["step"])

    assert (height(3), height(100), height(150), height(1_000)) == (24, 24, 16, 13)


def test_first_page_says_whether_leads_are_real_as_their_boards_do(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("overview", filled_path)
    assert not app.exception
    leads = next(t for t in tables_of(app) if "lead" in t.columns)
    said = dict(zip(leads["dataset"], leads["lead"], strict=True))
    board = open_page("leaderboard", filled_path, dataset="digits")
    tie, _, pairs = said["digits"].partition(" among ")
    assert f"({tie})" in text_of(board)
    assert tie.startswith("tie of ")
    assert pairs == "105 pairs · alone: cannot tell"


def test_own_scores_stand_beside_comparable_ones_where_items_are_missing(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("leaderboard", filled_path, dataset="docstrings-library", metric="accuracy")
    assert not app.exception
    table = tables_of(app)[0]
    assert {"score_own", "bound_low", "bound_high"} <= set(table.columns)
    partial = table[table["n_missing"] > 0].iloc[0]
    assert partial["bound_low"] < partial["score"] < partial["bound_high"]
    assert partial["score"] != partial["score_own"]
    whole = table[table["n_missing"] == 0]
    assert (whole["score"] == whole["score_own"]).all()
    plain = tables_of(open_page("leaderboard", filled_path, dataset="digits"))[0]
    assert "score_own" not in plain.columns


def test_differences_from_a_baseline_are_those_of_the_matrix(
    open_page: OpenPage, filled_path: Path
) -> None:
    asked = {"dataset": "digits", "correction": "bonferroni"}
    board = tables_of(open_page("leaderboard", filled_path, baseline="LDA", **asked))[0]
    pairs = tables_of(open_page("pairs", filled_path, **asked))[0].set_index(["a", "b"])
    from_lda = board.set_index("system")
    for (a, b), row in pairs.iterrows():
        if b == "LDA":
            assert from_lda.loc[a, "from_baseline"] == row["difference"]
            told = {"better": "▲ better", "cannot tell": "cannot tell"}
            assert from_lda.loc[a, "against_baseline"] == told[row["verdict"]]
        elif a == "LDA":
            assert from_lda.loc[b, "from_baseline"] == -row["difference"]
    assert from_lda.loc["LDA", "from_baseline"] == 0.0  # it stands in its order
    assert from_lda.loc["LDA", "against_baseline"] == "baseline"


def test_an_unknown_baseline_is_told(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("leaderboard", filled_path, dataset="digits", baseline="LAD")
    assert "'LAD' as Baseline" in text_of(app)
    assert "Did you mean 'LDA'?" in text_of(app)


def test_other_metrics_are_columns(open_page: OpenPage, filled_path: Path) -> None:
    app = open_page("leaderboard", filled_path, dataset="everyday parses")
    columns = [name for name in tables_of(app)[0].columns if name.startswith("metric: ")]
    assert 0 < len(columns) <= 3


def test_a_board_is_grouped_by_tags(open_page: OpenPage, example_copy: Callable[[], Any]) -> None:
    path: Path = example_copy().path
    with open_store(path) as store:
        (lda,) = (one.uid for one in list_systems(store) if one.name == "LDA")
        add_tag(store, "system", lda, "linear", actor="a test")
    board = open_page("leaderboard", path, dataset="digits", by="tag", folded="no tag")
    assert not board.exception
    assert set(data_of(board)[0]["groups"]) == {"linear", "no tag"}
    (tags,) = (c["texts"] for c in data_of(board)[0]["columns"] if c["name"] == "tags")
    assert [tag for tag in tags if tag != numbers.MISSING] == ["linear"]


def test_families_are_guessed_from_names() -> None:
    names = ["chardet 2.1.1", "chardet 7.0.0", "meta/Llama-3.1", "me/llama-2", "eld", "3 trees"]
    found = families(names)
    assert set(found) == set(names[:4])
    assert len(set(found.values())) == 2
    assert families(["a", "b"]) == {}
