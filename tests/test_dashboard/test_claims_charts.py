"""The picture of claims: both frontiers, what was shown, and names that find room."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import charts
from dashboard.charts.claim_labels import Floor, Spot, Wall, place_labels
from dashboard.charts.claims import LOOKS, RING

NAN = float("nan")
KINDS = list(LOOKS)
NAMES = {
    "empty": [],
    "one": ["only"],
    "six": ["a", "b", "c", "d", "e", "f"],
    "many": [f"system {k}" for k in range(300)],
    "odd": ['quote " and \\', "it's `code` [x](y)", "日本語 😀", "x" * 80, ""],
}


def days(n: int) -> pd.DatetimeIndex:
    return pd.date_range("2021-03-01", periods=n, freq="9D", tz="UTC")


def history(names: list[str], *, sign: int = 1) -> dict[str, pd.DataFrame]:
    """Return a history in which every system is a record, and every second one was shown."""
    n = len(names)
    scores = sign * (0.5 + 0.4 * np.arange(n) / max(n, 1))
    looks = pd.DataFrame({"when": days(n), "system": names, "score": scores})
    claims = looks.assign(
        verdict=["start", *(KINDS[k % len(KINDS)] for k in range(n - 1))][:n],
        low=[NAN if k % 3 == 0 else score - 0.02 for k, score in enumerate(scores)],
        high=[NAN if k % 3 == 0 else score + 0.02 for k, score in enumerate(scores)],
        claimed=[NAN if k != 2 else score + 0.1 for k, score in enumerate(scores)],
        why="because.of [this]:that",
    )
    steps = looks[["when", "score"]].assign(**{"best shown": names})
    return {"looks": looks, "claims": claims, "frontier": steps[::2], "raw": steps}


def draw(names: list[str], **more: Any) -> alt.LayerChart:
    sign = 1 if more.get("higher_is_better", True) else -1
    return charts.claims_plot(**history(names, sign=sign), confidence=0.95, **more)


def layers(chart: alt.LayerChart) -> list[dict[str, Any]]:
    return list(chart.to_dict(validate=False)["layer"])


def title(chart: alt.LayerChart) -> list[str]:
    return list(chart.to_dict(validate=False)["title"]["text"])


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("size", NAMES)
def test_chart_is_a_valid_spec_for_any_history(size: str, higher: bool) -> None:
    spec = draw(NAMES[size], higher_is_better=higher).to_dict()
    assert spec["layer"]
    assert "NaN" not in json.dumps(spec["datasets"])


def test_the_key_counts_verdicts_and_fits_a_narrow_screen() -> None:
    lines = title(draw(NAMES["many"]))
    assert all(len(line) < 48 for line in lines)
    assert sum(f"{sign} " in " ".join(lines) for sign in ("▲", "▼", "○", "◇", "■")) == 5
    none = draw(NAMES["one"])
    assert "supported" not in " ".join(title(none))
    assert "interval" not in " ".join(title(none))  # none is drawn


def test_every_verdict_has_a_shape_of_its_own_and_only_two_have_a_hue() -> None:
    drawn = {}
    for kind, look in LOOKS.items():
        frames = history(["a", "b"])
        frames["claims"]["verdict"] = kind
        for layer in layers(charts.claims_plot(**frames)):
            if layer["mark"].get("shape") == look.shape and layer["mark"].get("size") == look.size:
                drawn[kind] = (look.shape, json.dumps(layer["encoding"]["color"]))
    assert set(drawn) == set(LOOKS)
    assert len({shape for shape, _ in drawn.values()}) == len(LOOKS)
    hues = {kind for kind, (_, color) in drawn.items() if '"blue"' in color or '"orange"' in color}
    assert hues == {"supported", "contradicted"}


def test_frontiers_go_on_to_the_end_of_the_picture() -> None:
    spec = draw(NAMES["six"]).to_dict(validate=False)
    lines = [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    assert [line["mark"]["strokeWidth"] for line in lines] == [1.3, 2.6]  # the shown one on top
    end = lines[0]["encoding"]["x"]["scale"]["domain"][1]
    for line, last in zip(lines, (0.5 + 0.4 * 5 / 6, 0.5 + 0.4 * 4 / 6), strict=True):
        rows = spec["datasets"][line["data"]["name"]]
        assert rows[-1]["when"] == end
        assert rows[-1]["score"] == pytest.approx(last)
    area = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "area")
    between = spec["datasets"][area["data"]["name"]]
    apart = [round(row["score"] - row["score_shown"], 9) for row in between]
    assert apart == pytest.approx([0, 0.4 / 6, 0, 0.4 / 6, 0, 0.4 / 6, 0.4 / 6])


def test_a_score_far_below_does_not_flatten_the_picture() -> None:
    frames = history(NAMES["six"])
    frames["looks"].loc[3, "score"] = -40.0
    chart = charts.claims_plot(**frames)
    low, high = layers(chart)[0]["encoding"]["y"]["scale"]["domain"]
    assert 0.3 < low < 0.5 < 0.8 < high < 1
    assert "ticks at the edge: 1 scores beyond it" in title(chart)


def test_a_figure_that_was_stated_is_tied_to_the_score() -> None:
    chart = draw(NAMES["six"])
    assert "┄ leads to the figure that was stated" in title(chart)
    low, high = layers(chart)[0]["encoding"]["y"]["scale"]["domain"]
    assert low < 0.5 + 0.4 * 2 / 6 + 0.1 < high
    frames = history(NAMES["six"])
    frames["claims"]["claimed"] = NAN
    assert "┄ leads to the figure that was stated" not in title(charts.claims_plot(**frames))


def test_days_do_not_depend_on_the_zone_of_the_browser() -> None:
    rows = [
        row for rows in draw(["a"]).to_dict(validate=False)["datasets"].values() for row in rows
    ]
    assert {row["when"] for row in rows if "system" in row} == {"2021-03-01T00:00:00"}


@pytest.mark.parametrize("frame", ["looks", "claims", "frontier", "raw"])
def test_chart_names_the_columns_it_lacks(frame: str) -> None:
    frames = history(NAMES["six"])
    frames[frame] = frames[frame].drop(columns="score")
    with pytest.raises(ValueError, match=r"`frame` lacks \['score'\]"):
        charts.claims_plot(**frames)


SHARES = st.floats(0, 1)


@given(st.lists(st.tuples(SHARES, SHARES), max_size=30), st.integers(0, 30))
def test_names_touch_neither_each_other_nor_the_edge(
    places: list[tuple[float, float]], length: int
) -> None:
    spots = [Spot(x, y, NAN, NAN) for x, y in places]
    sides = place_labels(
        spots, ["n" * length] * len(spots), range(len(spots)), width=700, height=340
    )
    boxes = []
    for spot, side in zip(spots, sides, strict=True):
        if not side:
            continue
        left = spot.x * 700 + (10 if side != "before" else -10 - 6.7 * length)
        bottom = spot.y * 340 + (3 if side != "after" else -19)
        boxes.append((left, bottom, left + 6.7 * length, bottom + 14))
    assert all(box[0] >= 0 and box[2] <= 700 and box[1] >= 0 and box[3] <= 340 for box in boxes)
    for k, one in enumerate(boxes):
        for other in boxes[:k]:
            apart_x = one[2] <= other[0] or other[2] <= one[0]
            assert apart_x or one[3] <= other[1] or other[3] <= one[1]


def test_the_first_in_the_order_gets_the_room() -> None:
    spots = [Spot(0.1, 0.5 + k / 100, NAN, NAN) for k in range(6)]
    for order in ([0, 1, 2, 3, 4, 5], [5, 2, 0, 1, 3, 4]):
        sides = place_labels(spots, ["n" * 58] * 6, order, width=800, height=340)
        assert sides[order[0]]
        assert 1 <= [bool(side) for side in sides].count(True) < 6


def test_no_name_crosses_a_line() -> None:
    spot = Spot(0.5, 0.5, NAN, NAN)
    free = place_labels([spot], ["name"], [0], width=700, height=340)
    walls = [Wall(0.47, 0, 1), Wall(0.53, 0, 1)]
    blocked = place_labels([spot], ["name"], [0], walls=walls, width=700, height=340)
    assert (free, blocked) == (["before"], [""])


def test_no_name_crosses_a_level_line() -> None:
    spot = Spot(0.5, 0.5, NAN, NAN)
    below = [Floor(0.4, 0.5, 0.53), Floor(0.5, 0.6, 0.47)]
    sides = place_labels([spot], ["name"], [0], floors=below, width=700, height=340)
    assert sides == ["above"]


def test_a_move_that_only_several_gains_show_wears_a_ring() -> None:
    frames = history(NAMES["six"])
    assert "◯ shown by several gains together only" not in title(charts.claims_plot(**frames))
    frames["frontier"]["by_itself"] = [True, True, False]
    chart = charts.claims_plot(**frames)
    assert "◯ shown by several gains together only" in title(chart)
    spec = chart.to_dict()
    (ring,) = (layer for layer in spec["layer"] if layer["mark"].get("size") == RING)
    assert not ring["mark"]["filled"]
    assert [row["best shown"] for row in spec["datasets"][ring["data"]["name"]]] == ["e"]
    assert "by_itself" not in json.dumps(ring["encoding"]["tooltip"])
