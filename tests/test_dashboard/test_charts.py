"""Charts build valid specs from any frame, colours mean what they should, numbers print as told."""

import json
import tomllib
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest

from analysis import numbers
from dashboard import charts
from dashboard.charts import palette
from dashboard.ui import badges, links, tables

ODD_NAMES = [
    "SWE-agent → <LM> & tools",
    'quote " and \\ backslash',
    "it's `code` [x](y)",
    "日本語 😀",
    "x" * 80,
    "",
]
LAYERS = ("layer", "vconcat", "hconcat")


def marks(chart: alt.LayerChart) -> list[dict[str, Any]]:
    """All unit specs of a chart, checked against the schema on the way."""
    found: list[dict[str, Any]] = []
    todo = [chart.to_dict()]
    while todo:
        spec = todo.pop()
        inner = [part for name in LAYERS for part in spec.get(name, [])]
        todo.extend(inner)
        if not inner:
            found.append(spec)
    return found


def data(chart: alt.LayerChart) -> list[dict[str, Any]]:
    """All rows of all datasets that a chart draws."""
    return [row for rows in chart.to_dict(validate=False)["datasets"].values() for row in rows]


def coverage(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"system": s, "dataset": d, "n_scored": n, "n_items": 500, "reported": n != n}
            for i, s in enumerate(names)
            for d, n in ((f"set {i}", 500.0), ("partial", 499.0), ("told", float("nan")))
        ],
        columns=["system", "dataset", "n_scored", "n_items", "reported"],
    )


def leaderboard(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "system": name,
                "score": 0.5 + i / 1000,
                "low": 0.45 if i else np.nan,
                "high": 0.6 if i else np.nan,
                "n_scored": 500 - i,
                "n_items": 500,
                "label": f"0.{500 + i}",
            }
            for i, name in enumerate(names)
        ],
        columns=["system", "score", "low", "high", "n_scored", "n_items", "label"],
    )


def differences(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "dataset": name,
                "difference": (-1) ** i * 0.01 * i,
                "p": "0.0313",
                "evidence": charts.EVIDENCE[i % 4],
            }
            for i, name in enumerate(names)
        ],
        columns=["dataset", "difference", "p", "evidence"],
    )


def runs(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        [{"when": "2026-11-21T09:30:00Z", "system": name, "dataset": "d"} for name in names],
        columns=["when", "system", "dataset"],
    )


BUILDERS = {
    "coverage_matrix": lambda names: charts.coverage_matrix(coverage(names)),
    "score_dots": lambda names: charts.score_dots(leaderboard(names)),
    "difference_dots": lambda names: charts.difference_dots(differences(names), a="A", b="B" * 80),
    "timeline": lambda names: charts.timeline(runs(names)),
    "status_bars": lambda names: charts.status_bars({name: 3 for name in names}),
}
SIZES = {
    "empty": [],
    "one": ["only"],
    "many": [f"system {i}" for i in range(60)],
    "odd names": ODD_NAMES,
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", BUILDERS)
def test_chart_is_a_valid_spec_for_any_frame(name: str, size: str) -> None:
    names = SIZES[size]
    chart = BUILDERS[name](names)
    spec = json.dumps(chart.to_dict(), ensure_ascii=False)
    for row_name in names:
        assert json.dumps(row_name, ensure_ascii=False)[1:-1] in spec


@pytest.mark.parametrize("name", ["coverage_matrix", "score_dots", "difference_dots", "timeline"])
def test_chart_names_the_columns_it_lacks(name: str) -> None:
    function = getattr(charts, name)
    options = {"a": "A", "b": "B"} if name == "difference_dots" else {}
    with pytest.raises(ValueError, match="`frame` lacks"):
        function(pd.DataFrame({"other": [1]}), **options)


def test_every_colour_value_is_a_token_or_looks_at_the_background() -> None:
    tokens = {palette.BETTER, palette.WORSE, palette.UNCLEAR, palette.SAME}
    for build in BUILDERS.values():
        for unit in marks(build(["a", "b", "c", "d"])):
            color = unit.get("encoding", {}).get("color", {})
            value = color.get("value")
            assert value is None or str(value) in tokens or "luminance(background)" in str(value)


def test_difference_dots_paint_a_blue_b_orange_and_ties_grey() -> None:
    frame = pd.DataFrame(
        {
            "dataset": ["for A", "for B", "tie", "no test", "zero"],
            "difference": [0.1, -0.1, 0.1, -0.1, 0.0],
            "p": ["0.01", "0.01", "0.5", "", "1"],
            "evidence": ["identified", "small p", "cannot tell", "not testable", "small p"],
        }
    )
    chart = charts.difference_dots(frame, a="A", b="B")
    tones = {row["dataset"]: row["tone"] for row in data(chart) if "tone" in row}
    assert tones == {
        "for A": "A",
        "for B": "B",
        "tie": "neither",
        "no test": "neither",
        "zero": "neither",
    }
    scale = next(
        unit["encoding"]["color"]["scale"]
        for unit in marks(chart)
        if "scale" in unit["encoding"]["color"]
    )
    assert dict(zip(scale["domain"], scale["range"], strict=True)) == {
        "A": "blue",
        "B": "orange",
        "neither": "gray",
    }


def test_difference_dots_sort_by_difference_and_keep_those_without_one() -> None:
    frame = differences(["a", "b", "c"]).assign(difference=[0.1, float("nan"), 0.3])
    sorts = [
        unit["encoding"]["y"]["sort"]
        for unit in marks(charts.difference_dots(frame, a="A", b="B"))
        if "y" in unit["encoding"]
    ]
    assert all(order == ["c", "a", "b"] for order in sorts)


def test_difference_dots_reject_unknown_evidence() -> None:
    with pytest.raises(ValueError, match="`evidence` has \\['significant'\\]"):
        charts.difference_dots(differences(["a"]).assign(evidence="significant"), a="A", b="B")


@pytest.mark.parametrize(("higher", "best"), [(True, "system 2"), (False, "system 0")])
def test_score_dots_put_the_best_on_top(higher: bool, best: str) -> None:
    chart = charts.score_dots(leaderboard(SIZES["many"][:3]), higher_is_better=higher)
    unit = next(unit for unit in marks(chart) if "sort" in unit["encoding"].get("y", {}))
    assert unit["encoding"]["y"]["sort"][0] == best


def test_score_dots_leave_out_runs_of_other_systems() -> None:
    trials = pd.DataFrame({"system": ["a", "z"], "run": ["seed 0", "seed 0"], "score": [0.5, 0.9]})
    chart = charts.score_dots(leaderboard(["a"]), runs=trials)
    assert [row["system"] for row in data(chart) if "run" in row] == ["a"]


def test_coverage_never_calls_a_partial_run_complete() -> None:
    cells = data(charts.coverage_matrix(coverage(["s"])))
    by_dataset = {row["dataset"]: row for row in cells}
    assert by_dataset["set 0"]["kind"] == "complete"
    assert by_dataset["partial"]["kind"] == "partial"
    assert by_dataset["partial"]["label"] == "99"
    assert by_dataset["partial"]["state"] == "499 of 500 items, 1 missing"
    assert by_dataset["told"]["kind"] == "reported only"


def test_coverage_matrix_names_its_selection() -> None:
    names = [param["name"] for param in charts.coverage_matrix(coverage(["s"])).to_dict()["params"]]
    assert names == [charts.CELL]


CURVES = {"Bonferroni": [0.001, 0.02, 0.6, 1.0], "Fisher": [0.0, 0.01, 0.04, 0.9]}


def test_partial_conjunction_curve_labels_the_count_and_its_estimator() -> None:
    chart = charts.partial_conjunction_curve(
        CURVES, k_hat={"Bonferroni": 2, "Fisher": 3}, recommended="Fisher", alpha=0.05
    )
    texts = {row["text"] for row in data(chart) if "text" in row}
    assert texts == {"k̂ = 3 of 4 (Fisher)", "α = 0.05"}
    steps = [unit for unit in marks(chart) if unit["mark"]["type"] == "line"]
    assert {unit["mark"]["interpolate"] for unit in steps} == {"step"}


def test_partial_conjunction_curve_keeps_a_p_of_zero_on_the_picture() -> None:
    chart = charts.partial_conjunction_curve(
        CURVES, k_hat={"Bonferroni": 2, "Fisher": 3}, recommended="Fisher", alpha=0.05
    )
    heights = [row["y"] for row in data(chart) if "estimator" in row]
    domain = next(
        unit["encoding"]["y"]["scale"]["domain"]
        for unit in marks(chart)
        if "scale" in unit["encoding"].get("y", {})
    )
    assert min(heights) == domain[0]
    assert max(heights) == 0


def test_partial_conjunction_curve_names_a_wrong_recommendation() -> None:
    with pytest.raises(ValueError, match="`recommended` is 'Holm'"):
        charts.partial_conjunction_curve({}, k_hat={}, recommended="Holm", alpha=0.05)


def test_partial_conjunction_curve_of_no_datasets() -> None:
    chart = charts.partial_conjunction_curve(
        {"Fisher": []}, k_hat={"Fisher": 0}, recommended="Fisher", alpha=0.05
    )
    assert "k̂ = 0 of 0 (Fisher)" in json.dumps(chart.to_dict(), ensure_ascii=False)


def test_histogram_of_zeros_and_ones_is_two_bars_with_shares() -> None:
    chart = charts.score_histogram([1, 0, 1, 1, float("nan")])
    assert {row["name"]: row["items"] for row in data(chart)} == {"1": 3, "0": 1}
    assert "75.0 %" in json.dumps(chart.to_dict(), ensure_ascii=False)
    assert chart.to_dict()["title"]["text"] == ["4 items scored, 1 missing"]


@pytest.mark.parametrize("values", [[], [float("nan")], [3.5], [2.0, 2.0], list(range(1000))])
def test_histogram_counts_every_scored_item(values: list[float]) -> None:
    chart = charts.score_histogram(values)
    counted = sum(row["items"] for row in data(chart) if "items" in row)
    assert counted == int(np.sum(~np.isnan(np.asarray(values, dtype=float))))


def test_timeline_counts_runs_without_a_date() -> None:
    frame = pd.concat([runs(["a"]), runs(["b"]).assign(when=None)])
    assert "1 without a date" in charts.timeline(frame).to_dict()["title"]["text"][0]


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.03125, "0.0312"),
        (0.0313, "0.0313"),
        (0.05, "0.0500"),
        (0.312, "0.312"),
        (0.0001, "0.0001"),
        (0.00009, "< 0.0001"),
        (0.0, "0 (as printed)"),
        (0.9995, "> 0.999"),
        (1.0, "1"),
        (None, "–"),
        (float("nan"), "–"),
    ],
)
def test_pvalue_prints(p: float | None, text: str) -> None:
    assert numbers.pvalue(p) == text


@pytest.mark.parametrize(
    ("half_width", "n", "places"),
    [(0.04, None, 3), (4.0, None, 1), (0.004, None, 4), (12.0, None, 0), (None, 500, 3),
     (None, 50, 2), (None, None, 3), (0.0, None, 3), (float("nan"), 100, 2)],
)  # fmt: skip
def test_decimals_follow_the_interval(half_width: float | None, n: int | None, places: int) -> None:
    assert numbers.decimals(half_width=half_width, n=n) == places


def test_scores_and_differences_print_with_the_precision_of_their_interval() -> None:
    assert numbers.score(0.71284, low=0.673, high=0.753) == "0.713"
    assert numbers.score(71.284, low=67.3, high=75.3, unit="%") == "71.3\u202f%"
    assert numbers.score(None) == "–"
    assert numbers.difference(0.0241, low=-0.01, high=0.06) == "+0.024"
    assert numbers.difference(-0.0241, n=500) == "−0.024"
    assert numbers.difference(-0.00001, n=500) == "0.000"
    assert numbers.interval(-0.0123, 0.06, signed=True) == "−0.012 to +0.060"
    assert numbers.interval(None, 1.0) == "–"


def test_counts_shares_and_dates_print() -> None:
    assert numbers.count(1234567) == "1,234,567"
    assert numbers.counted(1, "item") == "1 item"
    assert numbers.counted(0, "item") == "0 items"
    assert numbers.share(499_999, 500_000) == "99.9\u202f%"
    assert numbers.share(1, 500_000) == "0.1\u202f%"
    assert numbers.share(500, 500) == "100\u202f%"
    assert numbers.share(0, 0) == "–"
    assert numbers.coverage(500, 500) == "500 items"
    assert numbers.coverage(480, 500) == "480 of 500 items, 20 missing"
    assert numbers.day(datetime(2026, 11, 21, tzinfo=UTC)) == "2026-11-21"
    assert numbers.moment(datetime(2026, 11, 21, 9, 30, tzinfo=UTC)) == "2026-11-21 09:30 UTC"
    assert numbers.moment(None) == "–"


def test_verdict_badges_wear_the_colours_of_the_charts() -> None:
    assert badges.badge("better").startswith(f":{palette.BETTER}-badge[▲")
    assert badges.badge("worse").startswith(f":{palette.WORSE}-badge[▼")
    assert badges.badge("equivalent").startswith(f":{palette.SAME}-badge[=")
    assert badges.badge("undecided") == f":{palette.UNCLEAR}-badge[? cannot tell]"
    assert badges.badge("better", "+2.4 [x]") == r":blue-badge[\+2\.4 \[x\]]"


def test_links_escape_names_and_repeat_lists() -> None:
    assert links.page_url("run", uid="a b&c") == "library?tab=run&uid=a+b%26c"
    assert links.page_url("pairs", systems=["a", "b"]) == "board?systems=a&systems=b&tab=pairs"
    assert links.page_url("runs") == "library?tab=runs"
    assert links.link("*a* <b>", "run", uid="1") == r"[\*a\* \<b\>](library?tab=run&uid=1)"


def test_downloads_keep_missing_values_and_full_precision() -> None:
    frame = pd.DataFrame(
        {
            "name": ["→", None],
            "score": [0.1234567890123, np.nan],
            "day": [pd.Timestamp("2026"), pd.NaT],
        }
    )
    assert json.loads(tables.to_json(frame)) == [
        {"name": "→", "score": 0.1234567890123, "day": "2026-01-01T00:00:00"},
        {"name": None, "score": None, "day": None},
    ]
    assert tables.to_csv(frame).decode().splitlines() == [
        "name,score,day",
        "→,0.1234567890123,2026-01-01",
        ",,",
    ]


THEME = tomllib.loads(
    (Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text(encoding="utf-8")
)["theme"]


# Machado, Oliveira & Fernandes (2009), severity 1, on linear RGB.
EYES = {
    "all cones": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = [
    [0.4339, 0.3762, 0.1899],
    [0.2126, 0.7152, 0.0722],
    [0.0177, 0.1095, 0.8729],
]  # of linear RGB, relative to white D65


def linear(color: str) -> np.ndarray:
    channels = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def luminance(color: str) -> float:
    """Relative luminance after WCAG 2."""
    return float(linear(color) @ XYZ[1])


def lab(color: str, eye: str) -> np.ndarray:
    """CIE L*a*b* of a colour as that eye sees it."""
    seen = np.asarray(XYZ) @ np.clip(np.asarray(EYES[eye]) @ linear(color), 0, 1)
    f = np.where(seen > 0.008856, np.cbrt(seen), 7.787 * seen + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_theme_keeps_the_contrast_that_the_design_promises(mode: str) -> None:
    theme = THEME[mode]
    for ground in (theme["backgroundColor"], theme["secondaryBackgroundColor"]):
        for name in (
            "textColor",
            "linkColor",
            "blueColor",
            "orangeColor",
            "violetColor",
            "grayColor",
        ):
            assert contrast(theme[name], ground) >= 4.5, (name, ground)
        assert contrast(theme["primaryColor"], ground) >= 3
    assert contrast(theme["primaryColor"], "#ffffff") >= 4.5
    for hue in ("blue", "orange", "violet", "gray"):
        assert contrast(theme[f"{hue}TextColor"], theme[f"{hue}BackgroundColor"]) >= 4.5
    inks = [expression.expr.split("'") for expression in (palette.INK, palette.LABELS)]
    for _, dark, _, light, _ in inks:
        color = dark if mode == "dark" else light
        assert contrast(color, theme["backgroundColor"]) >= 4.5
        assert contrast(color, theme["chartSequentialColors"][-1]) >= (
            4.5 if color in ("#2b3442", "#dde2e8") else 0
        )


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_verdict_hues_differ_for_every_eye(mode: str, eye: str) -> None:
    hues = [THEME[mode][f"{name}Color"] for name in ("blue", "orange", "violet", "gray")]
    for one, other in combinations(hues, 2):
        assert np.linalg.norm(lab(one, eye) - lab(other, eye)) >= 19, (one, other)
