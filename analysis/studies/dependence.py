"""Which count of datasets is valid: what the datasets have in common decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from analysis.studies.study import count, listed
from store.errors import StoreError
from store.records import OverlapRecord

Estimator = Literal["fisher", "bonferroni", "simes", "stouffer", "joint"]
EstimatorChoice = Literal["auto", "fisher", "bonferroni", "simes", "stouffer", "joint"]

ESTIMATOR_NAMES: Mapping[str, str] = {
    "fisher": "Fisher",
    "bonferroni": "Bonferroni",
    "simes": "Simes",
    "stouffer": "Stouffer",
    "joint": "joint resampling",
}

ASSUMES: Final[Mapping[str, str]] = {
    "fisher": "independent datasets",
    "bonferroni": "nothing about their dependence",
    "simes": "independence or positive dependence",
    "stouffer": "independent datasets; is 0 beside a p of 1",
    "joint": "no dependence but through shared items",
}

_ASKED_FOR: Final[Mapping[str, str]] = {
    "fisher": "Fisher was asked for; it assumes that the datasets are independent.",
    "bonferroni": "Bonferroni was asked for; it is valid under any dependence.",
    "simes": "Simes was asked for; it is valid for independent and for positively dependent "
    "datasets.",
    "stouffer": "Stouffer was asked for; it assumes that the datasets are independent.",
    "joint": "Joint resampling was asked for: what datasets share is exchanged together, so "
    "that the dependence through shared items is taken as it is.",
}


def check_choice(estimator: EstimatorChoice, dependent: bool | None, *, reported: bool) -> None:
    """Refuse choices that contradict each other.

    Raises
    ------
    StoreError
        An estimator and a declaration of dependence are both given, or joint resampling is asked
        for where there are no item scores.
    """
    if estimator == "auto":
        return
    if estimator not in ESTIMATOR_NAMES:
        raise StoreError(
            f"`estimator` must be 'auto' or one of {', '.join(ESTIMATOR_NAMES)}, got '{estimator}'."
        )
    if dependent is not None:
        raise StoreError(
            "`estimator` and `dependent` exclude each other: declare how the datasets depend on "
            "each other, or choose the estimator yourself."
        )
    if estimator == "joint" and reported:
        raise StoreError(
            "Joint resampling needs item scores, which reported p-values do not have: choose "
            "another estimator."
        )


def choose_estimator(
    overlaps: Sequence[OverlapRecord],
    n_datasets: int,
    *,
    estimator: EstimatorChoice = "auto",
    dependent: bool | None = None,
    several_metrics: bool = False,
    unknown: Sequence[str] = (),
) -> tuple[Estimator, str]:
    """Return the estimator, and why it is this one.

    Dror et al. 2017, section 4.3: Fisher where independence may be assumed, else Bonferroni.

    Parameters
    ----------
    overlaps
        Among the datasets in question.
    n_datasets
        How many there are.
    estimator, dependent
        What the person asked for or declared.
    several_metrics
        Whether a dataset takes part with more than one metric.
    unknown
        Names of datasets whose items say nothing about what they are.
    """
    if estimator != "auto":
        disagrees = ""
        if overlaps and estimator in ("fisher", "stouffer"):
            disagrees = f" The store disagrees: {describe(overlaps)}."
        if several_metrics and estimator in ("fisher", "stouffer"):
            disagrees += " Several metrics on the same items are not independent."
        return estimator, _ASKED_FOR[estimator] + disagrees
    if several_metrics and not dependent:
        return "bonferroni", (
            "Several metrics are computed on the same items, so that their p-values are not "
            "independent. Bonferroni is valid under any dependence; Fisher would promise too much."
        )
    if dependent is not None:
        because = "The datasets were declared " + (
            "dependent for this analysis; Bonferroni is valid under any dependence."
            if dependent
            else "independent for this analysis, as Fisher assumes."
        )
        if overlaps and not dependent:
            because += f" The store disagrees: {describe(overlaps)}."
        return ("bonferroni" if dependent else "fisher"), because
    if overlaps:
        return "bonferroni", (
            f"The datasets are not independent: {describe(overlaps)}. "
            "Bonferroni is valid under any dependence; Fisher would promise too much."
        )
    if n_datasets == 1:
        return "fisher", "With a single dataset all estimators are the same."
    known = "declared or found in their items"
    if unknown:
        whose = f"the items of {listed(list(unknown), most=3)}"
        whose = "their items" if len(unknown) == n_datasets else whose
        known = f"declared, and nothing is known of {whose} that could tell"
    return "fisher", (
        f"No overlap among the {count(n_datasets, 'dataset')} is {known}, so that Fisher may be "
        "used, which assumes independence."
    )


def describe(overlaps: Sequence[OverlapRecord]) -> str:
    """Say in half a sentence what the datasets have in common."""
    verbs = {
        "shared-items": "share items",
        "contains": "overlap (one contains the other)",
        "transform": "hold the same items in another form",
        "same-names": "have items of the same names",
        "versions": "are versions of one dataset",
    }
    first = overlaps[0]
    text = f"{first.dataset_a} and {first.dataset_b} {verbs[first.kind]}"
    more = len(overlaps) - 1
    verb = "overlaps" if more == 1 else "overlap"
    return text + (f", and {count(more, 'other pair')} {verb} too" if more else "")
