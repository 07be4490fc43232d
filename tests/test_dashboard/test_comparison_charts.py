"""Charts of comparisons: valid for any frame, verdicts in words and shapes, keys that fit."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dashboard import charts
from dashboard.charts.names import shorten

ODD_NAMES = [
    "SWE-agent → <LM> & tools",
    'quote " and \\ backslash',
    "it's `code` [x](y)",
    "日本語 😀",
    "x" * 80,
    "",
]
SIZES = {
    "empty": [],
    "one": ["only"],
    "many": [f"row {i}" for i in range(150)],
    "odd names": ODD_NAMES,
}
LONG = "a-very-long-system-name-that-ends-in-its-version-2.5"
NAN = float("nan")


def pair(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        [(name, 0.02, NAN if i == 1 else -0.01, 0.05) for i, name in enumerate(names)],
        columns=["method", "difference", "low", "high"],
    )


def groups(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            (name, 10 + i, NAN if i == 1 else 0.01 * i, -0.1, 0.3, charts.VERDICTS[i % 4])
            for i, name in enumerate(names)
        ],
        columns=["group", "n", "difference", "low", "high", "verdict"],
    )


def ranks(names: list[str]) -> pd.DataFrame:
    n = len(names)
    return pd.DataFrame(
        [(name, i + 1, max(1, i - 2), min(n, i + 5), f"{i}") for i, name in enumerate(names)],
        columns=["system", "rank", "low", "high", "label"],
    )


def histograms(names: list[str]) -> tuple[alt.LayerChart, ...]:
    bins = pd.DataFrame(
        [(part, k, k + 1, 5) for part in charts.PARTS for k, _ in enumerate(names)],
        columns=["part", "low", "high", "items"],
    )
    centres = pd.DataFrame(
        [(part, 0.5, NAN) for part in charts.PARTS if names], columns=["part", "mean", "median"]
    )
    return charts.score_histograms(bins, centres, a=LONG, b="B", metric="accuracy")


def changes(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"change": [(-1.0) ** i * (i % 3) for i, _ in enumerate(names)]})


def sizes(names: list[str]) -> pd.DataFrame:
    rows = [(30 + i, 0.3, 0.1, 0.9) for i, _ in enumerate(names)]
    return pd.DataFrame(rows, columns=["size", "mean", "low", "high"])


def units(names: list[str]) -> pd.DataFrame:
    rows = [(1 + i, 1 / (1 + i)) for i, _ in enumerate(names)]
    return pd.DataFrame(rows, columns=["size", "variance"])


def counts(names: list[str]) -> pd.DataFrame:
    rows = [(k, 10 - k, k) for k, _ in enumerate(names)]
    return pd.DataFrame(rows, columns=["k", "pairs", "count"])


BUILDERS = {
    "paired_difference": lambda names: [
        charts.paired_difference(
            pair(names), a=LONG, b="B" * 80, quantity="difference in accuracy", margin=0.015
        )
    ],
    "group_forest": lambda names: [
        charts.group_forest(groups(names), a=LONG, b="B", quantity="difference in accuracy")
    ],
    "neutral forest": lambda names: [
        charts.group_forest(groups(names).drop(columns="verdict"), a=LONG, b="B")
    ],
    "rank_intervals_plot": lambda names: [
        charts.rank_intervals_plot(ranks(names), confidence=0.95)
    ],
    "score_histograms": lambda names: list(histograms(names)),
    "change_strip": lambda names: [charts.change_strip(changes(names), a=LONG, b="B" * 80)],
    "pvalue_by_size": lambda names: [charts.pvalue_by_size(sizes(names), alpha=0.05)],
    "count_histogram": lambda names: [charts.count_histogram(counts(names))],
    "unit_size_curve": lambda names: [charts.unit_size_curve(units(names), recommended=2)],
}


def units_of(chart: alt.LayerChart) -> list[dict[str, Any]]:
    """All unit specs of a chart, checked against the schema on the way."""
    found, todo = [], [chart.to_dict()]
    while todo:
        spec = todo.pop()
        todo.extend(spec.get("layer", []))
        if "layer" not in spec:
            found.append(spec)
    return found


def data(chart: alt.LayerChart) -> list[dict[str, Any]]:
    return [row for rows in chart.to_dict(validate=False)["datasets"].values() for row in rows]


def title(chart: alt.LayerChart) -> list[str]:
    text = chart.to_dict(validate=False)["title"]["text"]
    return [text] if isinstance(text, str) else text


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", BUILDERS)
def test_chart_is_a_valid_spec_for_any_frame(name: str, size: str) -> None:
    for chart in BUILDERS[name](SIZES[size]):
        spec = json.loads(json.dumps(chart.to_dict(), ensure_ascii=False))
        assert spec["layer"]
        assert "NaN" not in json.dumps(spec["datasets"])


@pytest.mark.parametrize("name", BUILDERS)
def test_keys_fit_a_narrow_screen(name: str) -> None:
    for chart in BUILDERS[name](SIZES["many"]):
        assert all(len(line) <= 48 for line in title(chart)), title(chart)


@pytest.mark.parametrize("name", BUILDERS)
def test_every_colour_value_is_a_token_or_looks_at_the_background(name: str) -> None:
    tokens = {charts.BETTER, charts.WORSE, charts.UNCLEAR, charts.SAME}
    for chart in BUILDERS[name](["a", "b", "c", "d"]):
        for unit in units_of(chart):
            color = unit.get("encoding", {}).get("color", {})
            value = str(color.get("value", ""))
            assert not value or value in tokens or "luminance(background)" in value
            assert set(color.get("scale", {}).get("range", [])) <= tokens


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (charts.paired_difference, {"a": "A", "b": "B"}),
        (charts.group_forest, {"a": "A", "b": "B"}),
        (charts.change_strip, {"a": "A", "b": "B"}),
        (charts.pvalue_by_size, {"alpha": 0.05}),
        (charts.unit_size_curve, {}),
        (charts.count_histogram, {}),
        (charts.rank_intervals_plot, {}),
    ],
)
def test_chart_names_the_columns_it_lacks(function: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="`frame` lacks"):
        function(pd.DataFrame({"other": [1]}), **options)


@pytest.mark.parametrize(
    ("verdict", "hue"),
    [("better", "blue"), ("worse", "orange"), ("equivalent", "violet"), ("undecided", "gray")],
)
def test_paired_difference_wears_its_verdict_and_holds_zero_and_margin(
    verdict: charts.Verdict, hue: str
) -> None:
    frame = pd.DataFrame({"method": ["t"], "difference": [0.5], "low": [0.4], "high": [0.6]})
    chart = charts.paired_difference(frame, a="A", b="B", verdict=verdict, margin=0.9)
    dot = next(u for u in units_of(chart) if u["mark"].get("size") == 150)
    assert dot["encoding"]["color"]["value"] == hue
    low, high = dot["encoding"]["x"]["scale"]["domain"]
    assert low < -0.9 < 0.9 < high


@pytest.mark.parametrize(
    ("higher", "words"),
    [(True, ["← B better", "A better →"]), (False, ["← A better", "B better →"])],
)
def test_the_axis_says_on_which_side_each_is_better(higher: bool, words: list[str]) -> None:
    pair_chart = charts.paired_difference(pair(["t"]), a="A", b="B", higher_is_better=higher)
    forest = charts.group_forest(groups(["g"]), a="A", b="B", higher_is_better=higher)
    for chart in (pair_chart, forest):
        titles = [
            unit["encoding"]["x"]["axis"]["title"]
            for unit in units_of(chart)
            if "axis" in unit["encoding"].get("x", {})
        ]
        assert all(found == words for found in titles)


def test_group_forest_keeps_the_largest_groups_and_says_so() -> None:
    chart = charts.group_forest(groups([f"g{i}" for i in range(80)]), a="A", b="B")
    names = {row["group"] for row in data(chart) if "group" in row}
    assert names == {f"g{i}" for i in range(80 - charts.MOST_GROUPS, 80)}
    assert "The 60 largest of 80 groups." in title(chart)


def test_group_forest_tells_verdicts_apart_without_colour() -> None:
    chart = charts.group_forest(groups(["a", "b", "c", "d"]), a="A", b="B")
    looks = {
        tuple(unit["transform"][0]["filter"]["oneOf"]): (
            unit["mark"]["size"],
            unit["mark"].get("shape"),
        )
        for unit in units_of(chart)
        if "transform" in unit
    }
    assert len(set(looks.values())) == 3
    assert title(chart)[-1] == "● better or worse\N{EM SPACE}■ equivalent\N{EM SPACE}• cannot tell"
    plain = charts.group_forest(groups(["a"]).drop(columns="verdict"), a="A", b="B")
    assert title(plain)[-1] == "Not corrected for the number of intervals."


def test_group_forest_rejects_unknown_verdicts() -> None:
    with pytest.raises(ValueError, match="`verdict` has \\['significant'\\]"):
        charts.group_forest(groups(["a"]).assign(verdict="significant"), a="A", b="B")


def test_histograms_reject_unknown_parts_and_share_axes_between_a_and_b() -> None:
    bins = pd.DataFrame(
        {"part": ["a", "b", "difference"], "low": [0, 3, -9], "high": [2, 5, 9], "items": [4, 8, 2]}
    )
    centres = pd.DataFrame({"part": ["a"], "mean": [1.0], "median": [1.0]})
    with pytest.raises(ValueError, match="`part` has \\['c'\\]"):
        charts.score_histograms(bins.assign(part="c"), centres, a="A", b="B")
    x, y = [], []
    for chart in charts.score_histograms(bins, centres, a="A", b="B"):
        bar = next(u for u in units_of(chart) if u["mark"]["type"] == "bar")
        x.append(bar["encoding"]["x"]["scale"]["domain"])
        y.append(bar["encoding"]["y"]["scale"]["domain"])
    assert x == [[0, 5], [0, 5], [-9, 9]]
    assert y == [[0, 8], [0, 8], [0, 2]]


@given(
    hnp.arrays(
        np.float64,
        st.integers(0, 2_000),
        elements=st.sampled_from([-1.0, -0.25, 0.0, 0.25, 1.0, NAN]),
    )
)
def test_change_bins_lose_no_item_and_never_mix_kinds(values: np.ndarray) -> None:
    bins = charts.change_bins(values)
    known = values[~np.isnan(values)]
    assert len(bins) <= 300
    assert bins["items"].sum() == known.size
    assert (bins["stop"] - bins["start"]).eq(bins["items"]).all()
    assert bins["start"].tolist() == [0, *bins["stop"]][: len(bins)]
    for kind, holds in (("improved", known > 0), ("equal", known == 0), ("regressed", known < 0)):
        part = bins[bins["kind"] == kind]
        assert part["items"].sum() == np.count_nonzero(holds)
        assert (part["mean"] * part["items"]).sum() == pytest.approx(known[holds].sum())


def test_change_strip_of_many_items_stays_small_and_counts_what_is_missing() -> None:
    values = np.linspace(-1, 1, 14_001)
    values[:7] = np.nan
    chart = charts.change_strip(pd.DataFrame({"change": values}), a="A", b="B")
    assert len(data(chart)) < 900
    text = " ".join(title(chart))
    assert "▲ 7,000 gain" in text
    assert "▼ 6,993 lose" in text
    assert "= 1 equal" in text
    assert "7 missing" in text


def test_rank_rows_get_narrow_as_they_get_many_and_the_last_rank_is_a_tick() -> None:
    steps = {}
    for n in (5, 150):
        chart = charts.rank_intervals_plot(ranks([f"s{i}" for i in range(n)]))
        steps[n] = chart.to_dict(validate=False)["height"]["step"]
        axis = next(
            u["encoding"]["x"]["axis"]
            for u in units_of(chart)
            if "axis" in u["encoding"].get("x", {})
        )
        assert axis["values"][0] == 1
        assert axis["values"][-1] == n
        assert len(axis["values"]) <= 13
    assert steps == {5: 24, 150: 12}


def test_unit_size_curve_marks_only_a_size_it_has() -> None:
    marked = charts.unit_size_curve(units(["a", "b"]), recommended=2)
    assert "● recommended: 2 items per unit" in title(marked)
    assert title(charts.unit_size_curve(units(["a"]), recommended=9)) == ["Variance of unit scores"]


@pytest.mark.parametrize(
    "name", ["short", "x" * 18, "claude-v1-long-context-2026-11-01", "日本" * 40]
)
def test_shortened_names_keep_both_ends(name: str) -> None:
    short = shorten(name)
    assert len(short) <= 18
    assert short[:8] == name[:8]
    assert short[-7:] == name[-7:]


def test_axes_of_changes_that_are_hardly_any_are_wide_enough_for_ticks() -> None:
    tiny = np.array([5e-324, 0.0, -1e-323])
    (domain,) = {
        tuple(unit["encoding"]["y"]["scale"]["domain"])
        for unit in units_of(charts.change_strip(pd.DataFrame({"change": tiny}), a="A", b="B"))
        if "scale" in unit["encoding"].get("y", ())
    }
    assert domain == (-1, 1)
    bins = pd.DataFrame(
        [(part, 0.0, 1e-323, 3) for part in charts.PARTS], columns=["part", "low", "high", "items"]
    )
    centres = pd.DataFrame(
        [(part, 0.0, 0.0) for part in charts.PARTS], columns=["part", "mean", "median"]
    )
    for chart in charts.score_histograms(bins, centres, a="A", b="B"):
        assert units_of(chart)[-1]["encoding"]["x"]["scale"]["domain"] == [-0.5, 0.5]
