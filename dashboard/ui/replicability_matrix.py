"""What the replicability matrix lets a reader choose, and its table."""

from __future__ import annotations

from typing import Final, NamedTuple, cast, get_args

import numpy as np
import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.studies.dependence import ASSUMES, ESTIMATOR_NAMES, EstimatorChoice
from analysis.studies.replicability_matrix import ReplicabilityMatrixStudy
from analysis.studies.test_names import PairsTestName
from dashboard.ui import filters, settings
from dashboard.ui.links import plain
from dashboard.ui.tables import Column

ORDERS: Final = ("wins", "name")


class Chosen(NamedTuple):
    """How datasets are counted and tested, and in which order systems are shown."""

    estimator: EstimatorChoice
    alpha: float
    test: PairsTestName
    seed: int
    n_resamples: int
    order: str

    def as_parameters(self) -> dict[str, str]:
        """Return the URL parameters that stand for these settings."""
        return {
            "estimator": self.estimator,
            "alpha": f"{self.alpha:g}",
            "test": self.test,
            "seed": str(self.seed),
            "resamples": str(self.n_resamples),
            "order": self.order,
        }


def choose_settings() -> Chosen:
    """Draw what can be chosen about the counts."""
    estimator = filters.choose_one(
        "Counted by",
        get_args(EstimatorChoice),
        key="estimator",
        name=estimator_in_words,
        width=215,
        help="By default what datasets share decides, for each pair: "
        + "; ".join(f"{ESTIMATOR_NAMES[name]} assumes {ASSUMES[name]}" for name in ASSUMES),
    )
    alpha = settings.choose_alpha()
    with st.popover("More settings"):
        order = filters.choose_one("Order by", ORDERS, key="order")
        test = settings.choose_test(get_args(PairsTestName))
        seed = filters.choose_seed()
        resamples = filters.choose_one(
            "Resamples", settings.RESAMPLES, key="resamples", name=numbers.count
        )
    return Chosen(
        estimator=cast("EstimatorChoice", estimator or "auto"),
        alpha=alpha,
        test=cast("PairsTestName", test),
        seed=seed,
        n_resamples=resamples or settings.RESAMPLES[0],
        order=order or ORDERS[0],
    )


def estimator_in_words(name: str) -> str:
    """Return an estimator in words; "auto" as what it does."""
    return "what is known allows" if name == "auto" else ESTIMATOR_NAMES[name]


def ordered(study: ReplicabilityMatrixStudy, order: str) -> list[int]:
    """Return the positions of the systems in the order asked for."""
    positions = range(len(study.systems))
    if order == "name":
        return sorted(positions, key=lambda i: study.systems[i].casefold())
    return list(positions)


def places(study: ReplicabilityMatrixStudy) -> int:
    """Return decimals for mean differences: two digits of the usual one."""
    sizes = np.abs(study.mean_difference)
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    return numbers.decimals(half_width=float(np.median(sizes)) if sizes.size else None)


def pair_frame(study: ReplicabilityMatrixStudy) -> pd.DataFrame:
    """Return a row per pair, the clearest first, with the counts of every estimator."""
    frame = pd.DataFrame(study.rows())
    first, second = np.triu_indices(len(study.systems), 1)
    for name, k in study.k_by_estimator.items():
        frame[f"{name}_a"], frame[f"{name}_b"] = k[first, second], k[second, first]
    frame["estimator"] = [ESTIMATOR_NAMES.get(name, name) for name in frame["estimator"]]
    lead = (frame["k_a_over_b"] - frame["k_b_over_a"]).abs()
    return frame.iloc[np.argsort(-lead.to_numpy(), kind="stable")].reset_index(drop=True)


def pair_columns(study: ReplicabilityMatrixStudy) -> dict[str, Column]:
    """Return how the columns of `pair_frame` are shown; other estimators at request."""
    columns = {
        "a": Column("A", pinned=True),
        "b": Column("B"),
        "k_a_over_b": Column("A better on", "count", help="On at least so many datasets"),
        "k_b_over_a": Column("B better on", "count", help="On at least so many datasets"),
        "n_datasets": Column("Of datasets", "count", help="Those on which both can be tested"),
        "mean_difference": Column(
            "Mean difference",
            "difference",
            decimals=places(study),
            help=f"{plain(study.metric.label)}, A minus B, a mean over the datasets that both have",
        ),
        "estimator": Column("Counted by"),
    }
    for name in study.k_by_estimator:
        title = ESTIMATOR_NAMES.get(name, "p ≤ α")
        columns[f"{name}_a"] = Column(f"{title}, A", "count", shown=False)
        columns[f"{name}_b"] = Column(f"{title}, B", "count", shown=False)
    return columns
