"""The section *Plan a test set*: every kind, every question, the URL, what cannot be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard import charts
from dashboard.charts.palette import log_ticks
from tests.test_dashboard.tables import tables_of

TextOf = Callable[[AppTest], str]
OpenSection = Callable[..., AppTest]

SCRIPT = """
import streamlit as st
from dashboard.ui.power_plan import show_plan

st.json(show_plan())
"""


@pytest.fixture
def open_section() -> OpenSection:
    """Return a function that opens the section by itself."""

    def open_it(**params: str) -> AppTest:
        app = AppTest.from_string(SCRIPT, default_timeout=60)
        for key, value in params.items():
            app.query_params[key] = value
        return app.run()

    return open_it


def parameters(app: AppTest) -> dict[str, str | None]:
    found: dict[str, str | None] = json.loads(app.json[0].value)
    return found


def test_it_begins_with_a_sentence_and_the_range(
    open_section: OpenSection, text_of: TextOf
) -> None:
    app = open_section()
    assert not app.exception
    assert text_of(app).startswith("500 items find a true gap of 2 points from 80")
    assert "Over every possible agreement" in text_of(app)
    frame = tables_of(app)[0]
    assert list(frame["scenario"]) == [
        "as on GLUE",
        "least agreement",
        "middle agreement",
        "most agreement",
    ]
    assert parameters(app)["accuracy"] == "0.8"


@pytest.mark.parametrize(
    ("kind", "questions"),
    [
        ("accuracy", 3),
        ("t", 3),
        ("bleu", 3),
        ("ratings", 4),
        ("preferences", 3),
    ],
)
def test_every_kind_answers_every_question(
    open_section: OpenSection, text_of: TextOf, kind: str, questions: int
) -> None:
    first = open_section(plan=kind)
    control = next(c for c in first.button_group if c.key == "plan_for")
    assert len(control.options) == questions
    for question in ["power", "mde", "n", "workers"][:questions]:
        app = open_section(plan=kind, plan_for=question)
        assert not app.exception
        assert not app.error
        assert "α = 0.05" in text_of(app)
        told = {"power": "probability", "mde": "smallest"}
        assert re.search(told.get(question, "needed|is enough"), text_of(app))
        assert parameters(app)["plan_for"] == question


def test_the_link_to_a_view_shows_that_view(open_section: OpenSection, text_of: TextOf) -> None:
    app = open_section(plan_for="mde", accuracy="0.92", n="1725")
    assert "1,725 items find with a power of 80" in text_of(app)
    assert "is 1.61 points" in text_of(app)
    again = open_section(**{k: v for k, v in parameters(app).items() if v is not None})
    assert text_of(again) == text_of(app)
    assert not again.warning


def test_widgets_change_the_answer(open_section: OpenSection, text_of: TextOf) -> None:
    app = open_section()
    app.number_input(key="n").set_value(5_000).run()
    assert text_of(app).startswith("5,000 items")
    app.selectbox(key="agreement").set_value("0.95").run()
    assert "if the systems agree on 95" in text_of(app)
    app.selectbox(key="alpha").set_value("0.01").run()
    assert "α = 0.01" in text_of(app)


def test_what_cannot_be_is_told(open_section: OpenSection, text_of: TextOf) -> None:
    app = open_section(gap="0.3")
    assert not app.exception
    assert "gap" in app.error[0].value
    assert parameters(app)["gap"] == "0.3"
    less = open_section(alternative="less")
    assert "never found with the alternative 'less'" in text_of(less)


def test_a_bad_link_is_told(open_section: OpenSection, text_of: TextOf) -> None:
    app = open_section(plan="nonsense")
    assert not app.exception
    assert "The link asks for 'nonsense'" in text_of(app)
    app = open_section(n="many", alpha="2")
    assert not app.exception
    assert "The link asks for '2' as α" in text_of(app)


def test_an_address_of_before_leads_to_the_same_view(open_section: OpenSection) -> None:
    app = open_section(
        plan="any metric", plan_for="items needed", plan_mean="0.1", plan_power="90", plan_sd="0.3"
    )
    asked = [json.loads(block.proto.json or "{}") for block in app.get("bidi_component")]
    (to,) = (data["to"] for data in asked if "to" in data)
    query = {name: texts[0] for name, texts in parse_qs(to.partition("?")[2]).items()}
    assert {query[name] for name in ("mean", "power", "sd")} == {"0.1", "0.9", "0.3"}
    app = open_section(**query)
    assert not app.error
    assert parameters(app) | {"plan": "t", "plan_for": "n", "mean": "0.1", "power": "0.9"} == (
        parameters(app)
    )


def curve(n: int = 5) -> pd.DataFrame:
    power = [k / n for k in range(n)]
    return pd.DataFrame({"x": range(1, n + 1), "power": power, "low": power, "high": power})


def test_curve_has_a_key_in_words_and_marks_the_point() -> None:
    chart = charts.power_curve(
        curve(),
        label="items",
        scale="log",
        band="least to most agreement",
        target=0.8,
        asked=(3.0, 0.4, "3: 40 %"),
    ).to_dict()
    assert "band: least to most agreement" in chart["title"]["text"][0]
    assert "80%" in chart["title"]["text"][0]
    marks = [layer["mark"]["type"] for layer in chart["layer"]]
    assert marks == ["area", "line", "point", "rule", "point", "text"]


def test_curve_does_without_band_target_and_point() -> None:
    nan = float("nan")
    chart = charts.power_curve(curve(), label="gap", target=nan, asked=(nan, 0.5, "–")).to_dict()
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["line", "point"]
    with pytest.raises(ValueError, match="lacks"):
        charts.power_curve(curve().drop(columns="low"), label="items")


def test_the_page_has_the_section_and_its_link(
    open_page: Callable[..., AppTest], text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("plan", filled_path, plan="bleu", delta="0.5", plan_for="n")
    assert not app.exception
    assert "9,094 items are needed to find a true difference of 0.5 BLEU" in text_of(app)


def test_the_section_needs_no_runs(
    open_page: Callable[..., AppTest], text_of: TextOf, empty_path: Path
) -> None:
    app = open_page("plan", empty_path)
    assert not app.exception
    assert "500 items find a true gap of 2 points" in text_of(app)


def test_ticks_of_a_logarithmic_axis_are_1_2_and_5() -> None:
    assert log_ticks(pd.Series([0.004, 0.03])) == [0.005, 0.01, 0.02]
    assert log_ticks(pd.Series([50.0, 5_000.0])) == [50, 100, 200, 500, 1_000, 2_000, 5_000]
    assert log_ticks(pd.Series([0.0, float("nan")])) == []
