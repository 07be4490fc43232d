"""Planning a test set from numbers alone.

URL parameters: `plan` (what is measured), `plan_for` (what is looked for), and the settings of the
question that these make.
"""

from __future__ import annotations

import math
from typing import cast

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.setting import parameters
from analysis.studies.power.planned import RatingsPlan
from analysis.studies.power.plans import PowerPlan
from analysis.studies.power.plans_words import amount, chance
from dashboard import data
from dashboard.charts import power_curve
from dashboard.ui.answers import answer
from dashboard.ui.links import plain
from dashboard.ui.notes import show_warnings, without_commands
from dashboard.ui.pictures import kept, show_picture
from dashboard.ui.power_plan_inputs import choose
from dashboard.ui.reports import show_report
from dashboard.ui.tables import show_table
from store.engine import Store
from store.errors import StoreError


def show_plan() -> dict[str, str | list[str]]:
    """Draw the section; return its URL parameters, for a link to this view."""
    try:
        asked, kind = choose()
    except StoreError as error:  # of a file of ratings
        st.error(plain(without_commands(str(error))))
        return {}
    try:
        if isinstance(asked, RatingsPlan) and asked.fitted:
            plan = asked.answer(cast("Store", None))  # what somebody has just uploaded is not kept
        else:
            plan = data.ask(asked)
    except StoreError as error:
        st.error(plain(without_commands(str(error))))
    else:
        _show(plan)
    shown = {name: text for name, text in parameters(asked, whole=True).items() if text != "auto"}
    return {**kind, **shown}


def _show(plan: PowerPlan) -> None:
    first, end, rest = plan.sentence.partition(").")
    answer(plain(first + end), plain(rest.strip()) or None)
    show_warnings(plan.warnings)
    in_points = plan.kind == "accuracy" and plan.question == "mde"
    unit = 100 if in_points else 1
    label = "gap, points" if in_points else plan.curve.label
    curve = pd.DataFrame(
        {
            "x": plan.curve.x * unit,
            "power": plan.curve.power,
            "low": plan.curve.low,
            "high": plan.curve.high,
        }
    )
    show_picture(
        kept(
            power_curve,
            curve,
            label=label,
            scale=plan.curve.scale,
            band=plan.curve.band,
            target=None if math.isnan(plan.target) else plan.target,
            asked=_point(plan, unit),
        ),
        key="curve",
        filename="power_curve",
        alt=plan.sentence,
    )
    if len(plan.scenarios) > 1:
        _show_scenarios(plan)
    with st.expander("All points"):
        show_table(
            curve,
            key="points",
            columns={
                "x": Column(label[0].upper() + label[1:], "number", decimals=_places(plan)),
                "power": Column("Power", "share"),
                "low": Column("Least", "share", shown=bool(plan.curve.band)),
                "high": Column("Most", "share", shown=bool(plan.curve.band)),
            },
            filename=f"power_{plan.kind}",
            noun="point",
        )
    show_report(plan.report, "plan", key="plan_report", signature=plan.signature)


def _places(plan: PowerPlan) -> int:
    return 0 if plan.curve.scale == "log" else 3


def _point(plan: PowerPlan, unit: float) -> tuple[float, float, str] | None:
    """Return the point asked about, with its words."""
    x = abs(plan.difference) * unit
    words = f"{amount(x)}: {chance(plan.power)}"
    if plan.question != "mde":
        workers = plan.kind == "ratings" and plan.question == "power"
        number = plan.asked["workers"] if workers else plan.n
        if number is None:
            return None
        x = float(number)
        words = f"{numbers.count(x)}: {chance(plan.power)}"
    return x, plan.power, words


def _show_scenarios(plan: PowerPlan) -> None:
    names = list(plan.scenarios[0].settings)
    frame = pd.DataFrame(
        {
            "scenario": [each.name for each in plan.scenarios],
            **{name: [each.settings[name] for each in plan.scenarios] for name in names},
            "n": [math.nan if each.n is None else each.n for each in plan.scenarios],
            "difference": [each.difference for each in plan.scenarios],
            "power": [each.power for each in plan.scenarios],
            "type_m": [each.type_m for each in plan.scenarios],
            "type_s": [each.type_s for each in plan.scenarios],
        }
    )
    headings = {"p0": "P0", "b0": "b0"}
    decimals = {"b0": 1, "difference": 4 if plan.kind == "accuracy" else 3}
    show_table(
        frame,
        key="scenarios",
        columns={
            "scenario": Column("If", pinned=True, help="The first is the answer above"),
            **{
                name: Column(
                    headings.get(name, name.replace("_", " ").capitalize()),
                    "number",
                    decimals=decimals.get(name, 3),
                )
                for name in names
            },
            "n": Column(plan.number_of.capitalize(), "count"),
            "difference": Column("Difference", "difference", decimals=decimals["difference"]),
            "power": Column("Power", "share"),
            "type_m": Column("Type M", "number", decimals=2),
            "type_s": Column("Type S", "number", decimals=4),
        },
        filename=f"scenarios_{plan.kind}",
        noun="scenario",
    )
