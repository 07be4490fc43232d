"""What the replicability matrix lets a reader choose, and its table."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from analysis import glossary, numbers
from analysis.columns import Column
from analysis.studies.dependence import ESTIMATOR_NAMES
from analysis.studies.replicability_matrix import ReplicabilityMatrixStudy
from dashboard.ui.links import plain

ORDERS: Final = ("wins", "name")


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
        "k_a_over_b": Column("A better on", "count", help=glossary.help("k̂")),
        "k_b_over_a": Column("B better on", "count", help=glossary.help("k̂")),
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
