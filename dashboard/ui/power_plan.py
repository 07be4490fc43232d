"""Planning a test set from numbers alone: a section of the page *Power*.

URL parameters: `plan` (what is measured), `plan_for` (what is looked for), `plan_n`,
`plan_accuracy`, `plan_gap`, `plan_agreement`, `plan_share`, `plan_mean`, `plan_sd`, `plan_delta`,
`plan_p0`, `plan_b0`, `plan_workers`, `plan_items`, `plan_effect`, `plan_variance`, `plan_test`,
`plan_each`, `plan_alpha`, `plan_power`, `plan_alternative`.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.studies.power.plans import PowerPlan
from analysis.studies.power.plans_accuracy import study_accuracy_plan
from analysis.studies.power.plans_bleu import study_bleu_plan
from analysis.studies.power.plans_ratings import study_ratings_plan
from analysis.studies.power.plans_t import study_t_plan
from analysis.studies.power.plans_words import amount, chance
from analysis.studies.power.ratings_file import fit_ratings_file
from dashboard.charts import power_curve
from dashboard.ui.answers import answer
from dashboard.ui.links import plain
from dashboard.ui.notes import show_warnings
from dashboard.ui.pictures import show_picture
from dashboard.ui.power_plan_inputs import MOST_MB, Parameters, ask
from dashboard.ui.reports import show_report
from dashboard.ui.tables import Column, show_table
from store.errors import StoreError
from store.importers.guard import files_up_to


def show_plan() -> Parameters:
    """Draw the section; return its URL parameters, for a link to this view."""
    asked = ask()
    if asked.problem:
        st.error(plain(asked.problem))
        return asked.parameters
    try:
        plan = _planned(asked.kind, **asked.settings)
    except StoreError as error:
        st.error(plain(str(error)))
    else:
        _show(plan)
    return asked.parameters


@st.cache_resource(max_entries=64, show_spinner=False)
def _planned(kind: str, **asked: Any) -> PowerPlan:
    """Return a plan, each computed once."""
    if kind == "ratings":
        ratings: tuple[str, bytes] | None = asked.pop("ratings")
        if ratings is not None:
            name, content = ratings
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / Path(name).name
                path.write_bytes(content)
                with files_up_to(MOST_MB * 1_000_000, "Use `tiebreak power ratings` instead."):
                    asked["variance"] = fit_ratings_file(path, shown=name)
    studies: Mapping[str, Callable[..., PowerPlan]] = {
        "accuracy": study_accuracy_plan,
        "t": study_t_plan,
        "bleu": study_bleu_plan,
        "ratings": study_ratings_plan,
    }
    return studies[kind](**asked)


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
        power_curve(
            curve,
            label=label,
            scale=plan.curve.scale,
            band=plan.curve.band,
            target=None if math.isnan(plan.target) else plan.target,
            asked=_point(plan, unit),
        ),
        key="plan_curve",
        alt=plan.sentence,
    )
    if len(plan.scenarios) > 1:
        _show_scenarios(plan)
    with st.expander("All points"):
        show_table(
            curve,
            key="plan_points",
            columns={
                "x": Column(label[0].upper() + label[1:], "number", decimals=_places(plan)),
                "power": Column("Power", "share"),
                "low": Column("Least", "share", shown=bool(plan.curve.band)),
                "high": Column("Most", "share", shown=bool(plan.curve.band)),
            },
            filename=f"power_{plan.kind}",
            noun="point",
        )
    show_report(plan.report, "plan", key="plan_report")
    st.caption(plain(plan.signature))


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
        key="plan_scenarios",
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
