"""What the page of all pairs lets a reader choose, and in which order it shows the systems."""

from __future__ import annotations

from typing import cast, get_args

import numpy as np
import streamlit as st

from analysis import numbers
from analysis.studies.pairs import PairsStudy
from analysis.studies.pairs_words import CORRECTIONS_IN_WORDS, Correction, PairsSettings
from analysis.studies.test_names import IN_WORDS, PairsTestName, to_statistics
from dashboard.ui import filters

ORDERS = ("score", "name", "likeness")
UNITS = {"as the dataset says": None, "items": False, "groups": True}


def choose_settings() -> tuple[PairsSettings, str]:
    """Draw what can be chosen about the comparison; return it and the order of the systems."""
    test = filters.choose_one(
        "Test", list(get_args(PairsTestName)), key="test", name=test_name, width=220
    )
    correction = choose_correction()
    alpha = choose_alpha()
    order = filters.choose_one("Order by", list(ORDERS), key="order", width=120)
    with st.popover("More settings"):
        margin = st.number_input(
            "Margin: differences below it do not matter",
            min_value=0.0,
            value=None,
            key="margin",
            bind="query-params",
            format="%g",
        )
        units = filters.choose_one("Units", list(UNITS), key="units")
        unit_size = st.number_input(
            "Items per evaluation unit", min_value=1, value=1, key="unit_size", bind="query-params"
        )
        shuffle_seed = st.number_input(
            "Seed of the shuffle before units are cut",
            min_value=0,
            value=None,
            key="shuffle_seed",
            bind="query-params",
            help="Empty: items stay in order",
        )
        seed = st.number_input("Seed", min_value=0, value=0, key="seed", bind="query-params")
        resamples = filters.choose_one(
            "Resamples", [9_999, 999, 99_999], key="resamples", name=numbers.count
        )
    return (
        PairsSettings(
            test=cast("PairsTestName", test),
            correction=correction,
            alpha=alpha,
            margin=None if not margin else float(margin),
            n_resamples=int(resamples or 9_999),
            seed=int(seed or 0),
            clusters=UNITS[str(units)],
            unit_size=int(unit_size or 1),
            shuffle_seed=None if shuffle_seed is None else int(shuffle_seed),
        ),
        str(order),
    )


def choose_correction() -> Correction:
    """Draw the choice of a correction for testing many pairs at once."""
    chosen = filters.choose_one(
        "Correction",
        list(get_args(Correction)),
        key="correction",
        default="holm",
        name=CORRECTIONS_IN_WORDS.__getitem__,
        width=190,
        help="Testing many pairs finds differences by chance; a correction bounds that",
    )
    return cast("Correction", chosen)


def choose_alpha() -> float:
    """Draw the choice of the level."""
    return float(filters.choose_one("α", [0.05, 0.01, 0.1, 0.001], key="alpha", width=90) or 0.05)


def test_name(test: str) -> str:
    """Return a test in words; "auto" as what it does."""
    return "what suits the scores" if test == "auto" else IN_WORDS[to_statistics(test)]


def as_parameters(settings: PairsSettings, order: str) -> dict[str, str]:
    """Return the URL parameters that stand for these settings."""
    parameters = {
        "test": test_name(settings.test),
        "correction": CORRECTIONS_IN_WORDS[settings.correction],
        "alpha": f"{settings.alpha:g}",
        "order": order,
        "units": next(name for name, value in UNITS.items() if value is settings.clusters),
        "seed": str(settings.seed),
        "resamples": numbers.count(settings.n_resamples),
    }
    if settings.margin is not None:
        parameters["margin"] = f"{settings.margin:g}"
    if settings.unit_size > 1:
        parameters["unit_size"] = str(settings.unit_size)
    if settings.shuffle_seed is not None:
        parameters["shuffle_seed"] = str(settings.shuffle_seed)
    return parameters


def ordered(study: PairsStudy, order: str) -> list[int]:
    """Return the positions of the systems in the order asked for."""
    if order == "name":
        return list(study.order_by_name)
    if order == "likeness":
        return list(study.order_by_cluster)
    return list(range(len(study.systems)))


def places(study: PairsStudy) -> int:
    """Return the decimals that the intervals of the differences support."""
    widths = (study.ci_high - study.ci_low)[np.triu_indices(len(study.systems), 1)]
    widths = widths[np.isfinite(widths) & (widths > 0)]
    span = 100.0 if any(abs(score) > 1.5 for score in study.scores) else 1.0
    half_width = float(np.median(widths)) / 2 if widths.size else None
    return numbers.decimals(half_width=half_width, n=study.n_units or None, span=span)
