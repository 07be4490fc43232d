"""What was made lately is not made again, and never taken for something else."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from streamlit.elements.vega_charts import _convert_altair_to_vega_lite_spec as as_sent

from analysis.columns import Column
from dashboard.charts import power_curve
from dashboard.shelf import Shelf
from dashboard.ui.links import page_urls
from dashboard.ui.pictures import kept
from dashboard.ui.table_columns import drawn

SAYS: dict[str, Any] = {"label": "items", "band": "95 %"}


def test_the_oldest_leave_when_all_weigh_too_much() -> None:
    shelf = Shelf[str](most=3)
    for name, weight in (("a", 1), ("b", 1), ("a", 1), ("c", 2)):
        shelf.put(name, name.upper(), weight)
    assert [shelf.take(name) for name in "abc"] == ["A", None, "C"]


def test_a_thing_heavier_than_all_is_not_kept() -> None:
    shelf = Shelf[str](most=3)
    shelf.put("a", "A", 4)
    shelf.put("b", "B", 3)
    assert (shelf.take("a"), shelf.take("b")) == (None, "B")


def test_what_is_equal_is_made_once_and_what_has_no_bytes_each_time() -> None:
    shelf, made = Shelf[int](most=1_000), iter(range(10))
    assert [shelf.made([1.0, None, "x"], made.__next__) for _ in range(3)] == [0, 0, 0]
    assert shelf.made([1, None, "x"], made.__next__) == 1  # 1 is printed in another way than 1.0
    assert [shelf.made(lambda: 0, made.__next__) for _ in range(2)] == [2, 3]


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        ([1.0, 0.5], ["1", "0.5"]),
        ([1, 2], ["1", "2"]),
        ([True, False], ["yes", "no"]),
        ([0.0, -0.0], ["0", "0"]),
        ([float("nan"), 0.5], ["–", "0.5"]),
        (["1", "x\ny"], ["1", "x y"]),
    ],
)
def test_a_column_is_printed_as_if_for_the_first_time(
    cells: list[object], texts: list[str]
) -> None:
    frame = pd.DataFrame({"score": cells})
    once, again = (drawn("score", Column("Score"), frame, ()) for _ in range(2))
    assert list(once.texts) == texts
    assert again is once
    other = drawn("score", Column("Score", "number"), frame, ())
    assert other is not once


def test_links_go_by_all_that_they_are_made_of() -> None:
    once = page_urls("compare", {"dataset": "d"}, a=["x", "y"])
    assert page_urls("compare", {"dataset": "d"}, a=["x", "y"]) is once
    assert page_urls("compare", {"dataset": "e"}, a=["x", "y"]) != once
    assert page_urls("compare", {"dataset": "d"}, b=["x", "y"]) != once


def test_a_picture_goes_by_its_data() -> None:
    curve = pd.DataFrame({"x": [1.0, 2.0], "power": [0.1, 0.9], "low": [0.0, 0.8], "high": 1.0})
    once = kept(power_curve, curve, **SAYS)
    again = kept(power_curve, curve.copy(), **SAYS)
    other = kept(power_curve, curve * 0.5, **SAYS)
    assert again is once
    assert other.to_dict() != once.to_dict()
    assert as_sent(once) == as_sent(once) == as_sent(kept(power_curve, curve * 1.0, **SAYS))
    assert as_sent(other)["datasets"] != as_sent(once)["datasets"]
    assert once.to_dict()["datasets"] != {}  # a file has the data in it, page or no page before
