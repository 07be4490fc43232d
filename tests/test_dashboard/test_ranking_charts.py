"""Charts over datasets: mean ranks with bars, aggregates in panels, performance profiles."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import charts
from dashboard.charts import aggregates, critical_difference

ODD_NAMES = ['quote " and \\ backslash', "it's `code` [x](y)", "日本語 😀", "x" * 80, ""]
SIZES = {
    "empty": [],
    "one": ["only"],
    "three": ["a", "b", "c"],
    "forty": [f"system {k}" for k in range(40)],
    "odd names": ODD_NAMES,
}
NAN = float("nan")
SUMMARIES = ["macro mean", "median", "IQM", "optimality gap"]


def ranks(names: list[str], *, bare: bool = False) -> pd.DataFrame:
    rows = [(name, 1.0 + k, 0.8 + k, NAN if k == 2 else 1.3 + k) for k, name in enumerate(names)]
    frame = pd.DataFrame(rows, columns=["system", "mean_rank", "low", "high"])
    return frame.drop(columns=["low", "high"]) if bare else frame


def runs(n: int) -> list[tuple[int, int]]:
    """Overlapping bars: every three neighbours, so that as many lanes are needed as can be."""
    return [(k, min(k + 2, n - 1)) for k in range(max(0, n - 2))]


def summaries(names: list[str]) -> pd.DataFrame:
    rows = [
        {
            "system": name,
            "summary": summary,
            "value": NAN if k == 1 else 0.5 + k / 100,
            "low": 0.45,
            "high": 0.6,
            "bound_low": 0.2 if k == 3 else NAN,
            "bound_high": 0.9 if k == 3 else NAN,
            "complete": k != 3,
        }
        for k, name in enumerate(names)
        for summary in SUMMARIES
    ]
    columns = ["system", "summary", "value", "low", "high", "bound_low", "bound_high", "complete"]
    return pd.DataFrame(rows, columns=columns)


def steps(names: list[str]) -> pd.DataFrame:
    rows = [
        (name, t / 10, max(0.0, 1 - t / (8 + k)), NAN if k == 1 else 0.1, 0.9)
        for k, name in enumerate(names)
        for t in range(11)
    ]
    return pd.DataFrame(rows, columns=["system", "threshold", "share", "low", "high"])


BUILDERS: dict[str, Callable[[list[str]], alt.LayerChart]] = {
    "Wilcoxon": lambda names: charts.critical_difference_diagram(
        ranks(names), runs(len(names)), rule="Wilcoxon–Holm", confidence=0.95
    ),
    "Nemenyi": lambda names: charts.critical_difference_diagram(
        ranks(names, bare=True), [], rule="Nemenyi", cd=1.32
    ),
    "aggregates": lambda names: charts.aggregates_plot(
        summaries(names), summaries=SUMMARIES, quantity="accuracy " * 12, confidence=0.95
    ),
    "profiles": lambda names: charts.performance_profiles_plot(
        steps(names), strong=names[:3], quantity="accuracy", confidence=0.95
    ),
    "profiles, lower is better": lambda names: charts.performance_profiles_plot(
        steps(names), quantity="error", higher_is_better=False
    ),
}


def units_of(chart: alt.LayerChart) -> list[dict[str, Any]]:
    """All unit specs of a chart."""
    return list(chart.to_dict(validate=False)["layer"])


def rows_of(chart: alt.LayerChart) -> list[dict[str, Any]]:
    return [row for rows in chart.to_dict(validate=False)["datasets"].values() for row in rows]


def title(chart: alt.LayerChart) -> list[str]:
    text = chart.to_dict(validate=False)["title"]["text"]
    return [text] if isinstance(text, str) else text


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", BUILDERS)
def test_chart_is_a_valid_spec_for_any_frame(name: str, size: str) -> None:
    spec = BUILDERS[name](SIZES[size]).to_dict()
    assert spec["layer"]
    assert "NaN" not in json.dumps(spec["datasets"])


@pytest.mark.parametrize("name", BUILDERS)
def test_keys_fit_a_narrow_screen(name: str) -> None:
    assert all(len(line) < 48 for line in title(BUILDERS[name](SIZES["forty"])))


@pytest.mark.parametrize("name", BUILDERS)
def test_scores_and_ranks_wear_no_verdict(name: str) -> None:
    text = json.dumps(BUILDERS[name](SIZES["forty"]).to_dict(validate=False)["layer"])
    for hue in (charts.BETTER, charts.WORSE, charts.SAME):
        assert f'"{hue}"' not in text


@pytest.mark.parametrize(
    ("draw", "columns"),
    [
        (lambda frame: charts.critical_difference_diagram(frame, []), "mean_rank"),
        (lambda frame: charts.aggregates_plot(frame, summaries=SUMMARIES), "summary"),
        (charts.performance_profiles_plot, "threshold"),
    ],
)
def test_chart_names_the_columns_it_lacks(draw: Any, columns: str) -> None:
    with pytest.raises(ValueError, match=f"`frame` lacks .*{columns}"):
        draw(pd.DataFrame({"other": [1]}))


def test_a_bar_spans_the_rows_of_its_systems() -> None:
    names = SIZES["forty"][:6]
    chart = charts.critical_difference_diagram(ranks(names), [(3, 5), (0, 2), (1, 3)])
    bars = [row for row in rows_of(chart) if "verdict" in row]
    assert [(bar["system"], bar["last"]) for bar in bars] == [
        ("system 0", "system 2"),
        ("system 1", "system 3"),
        ("system 3", "system 5"),
    ]
    assert bars[0]["at"] == bars[2]["at"] < bars[1]["at"]
    assert all(bar["at"] > len(names) for bar in bars)
    orders = [unit["encoding"]["y"]["scale"]["domain"] for unit in units_of(chart)]
    assert all(order == names for order in orders)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), max_size=25))
def test_bars_in_one_lane_never_touch(found: list[tuple[int, int]]) -> None:
    bars = sorted((first, first + length) for first, length in found)
    lanes = critical_difference._lanes(bars)
    for lane in set(lanes):
        own = [bar for bar, at in zip(bars, lanes, strict=True) if at == lane]
        assert all(own[k][1] < own[k + 1][0] for k in range(len(own) - 1))
    most = max((sum(a <= k <= b for a, b in bars) for k in range(40)), default=0)
    assert len(set(lanes)) == most  # no more lanes than bars beside one row


def test_who_lacks_datasets_is_hollow() -> None:
    chart = charts.critical_difference_diagram(
        ranks(["a", "b"]).assign(complete=[True, False]), [(0, 1)]
    )
    assert "○ lacks datasets: ranked on fewer" in title(chart)
    assert "○ lacks datasets: ranked on fewer" not in title(BUILDERS["Wilcoxon"](["a", "b"]))


def test_a_ruler_longer_than_the_axis_ends_with_it_and_says_so() -> None:
    chart = charts.critical_difference_diagram(ranks(["a", "b"]), [(0, 1)], cd=2.5)
    assert max(row["end"] for row in rows_of(chart) if "end" in row) == 2.0
    assert "The critical difference exceeds all ranks." in title(chart)
    assert any(row.get("text") == "2.50" for row in rows_of(chart))


def test_no_bar_says_that_neighbours_differ() -> None:
    chart = charts.critical_difference_diagram(ranks(["a", "b"]), [], rule="Nemenyi")
    assert title(chart)[-1] == "No bar: neighbours differ (Nemenyi)"


def test_panels_have_scales_of_their_own_side_by_side() -> None:
    frame = summaries(["a", "c"]).assign(complete=True, bound_low=NAN, bound_high=NAN)
    frame["value"] = frame["summary"].map({"optimality gap": 40.0}).fillna(0.5)
    frame["low"], frame["high"] = frame["value"] - 0.1, frame["value"] + 0.1
    chart = charts.aggregates_plot(frame, summaries=SUMMARIES)
    places = {row["summary"]: row["at_value"] for row in rows_of(chart)}
    assert list(places) == SUMMARIES
    assert np.allclose(np.diff(list(places.values())), aggregates._UNITS + aggregates._GAP)


def test_a_system_far_out_is_a_triangle_at_the_edge() -> None:
    names = [f"s{k}" for k in range(9)]
    frame = pd.DataFrame(
        [(name, "median", 0.9 + k / 1000) for k, name in enumerate(names)],
        columns=["system", "summary", "value"],
    )
    frame.loc[8, "value"] = 0.1
    chart = charts.aggregates_plot(frame, summaries=["median"])
    beyond = {row["system"]: row["beyond"] for row in rows_of(chart)}
    assert beyond == dict.fromkeys(names[:8], "") | {"s8": "left"}
    assert "◂ ▸ further out than the scale reaches" in title(chart)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_lie_within_the_panel(low: float, span: float) -> None:
    high = low + span
    if not high > low:
        return
    ticks, places = aggregates._ticks(low, high)
    assert 2 <= len(ticks) <= 3
    assert all(low - 1e-9 * span <= tick <= high + 1e-9 * span for tick in ticks)
    assert len({f"{tick:.{places}f}" for tick in ticks}) == len(ticks)


def test_only_four_profiles_stand_out_and_unknown_ones_do_not() -> None:
    names = SIZES["forty"]
    chart = charts.performance_profiles_plot(steps(names), strong=["nobody", *names[:6]])
    legends = [unit["encoding"].get("strokeDash") for unit in units_of(chart)]
    domains = [legend["scale"]["domain"] for legend in legends if legend]
    assert domains == [names[:4]] * charts.MOST_STRONG
    assert "Grey: other systems, named under the pointer" in title(chart)
