"""What the page of all pairs lets a reader choose, and in which order it shows the systems."""

from __future__ import annotations

from typing import cast, get_args

import numpy as np
import streamlit as st

from analysis import numbers
from analysis.studies.pairs import PairsStudy
from analysis.studies.pairs_words import PairsSettings
from analysis.studies.test_names import PairsTestName
from dashboard.ui import filters, settings

ORDERS = ("score", "name", "likeness")


def choose_settings() -> tuple[PairsSettings, str]:
    """Draw what can be chosen about the comparison; return it and the order of the systems."""
    test = settings.choose_test(get_args(PairsTestName))
    correction = settings.choose_correction()
    alpha = settings.choose_alpha()
    order = filters.choose_one("Order by", list(ORDERS), key="order", width=120)
    with st.popover("More settings"):
        details = settings.choose_details()
    chosen = PairsSettings(
        test=cast("PairsTestName", test), correction=correction, alpha=alpha, **details._asdict()
    )
    return chosen, str(order)


def as_parameters(chosen: PairsSettings, order: str) -> dict[str, str]:
    """Return the URL parameters that stand for these settings."""
    parameters = settings.as_parameters(chosen, chosen.clusters)
    return parameters | {"correction": chosen.correction, "order": order}


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
