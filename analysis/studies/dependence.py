"""Which count of datasets is valid: what the datasets have in common decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from analysis.setting import Setting
from analysis.studies.study import count
from store.datasets import DatasetRelations
from store.errors import StoreError
from store.records import OverlapRecord, UnknownPair

Known = Literal["overlap", "unknown", "independent", "metrics", "asked-for"]
"""What the choice of an estimator rests on: datasets that share items, of which that is not known,
or that share none; several metrics on the same items; what a person asked for or declared."""

Estimator = Literal["fisher", "bonferroni", "simes", "stouffer", "joint"]
EstimatorChoice = Literal["auto", "fisher", "bonferroni", "simes", "stouffer", "joint"]

ESTIMATOR_NAMES: Mapping[str, str] = {
    "fisher": "Fisher",
    "bonferroni": "Bonferroni",
    "simes": "Simes",
    "stouffer": "Stouffer",
    "joint": "joint resampling",
}

Estimating = Annotated[
    EstimatorChoice,
    Setting(
        "auto: what is known of the datasets' items allows.",
        label="Counted by",
        words={"auto": "what is known allows", **ESTIMATOR_NAMES},
        main=True,
    ),
]
"""The choice of an estimator."""
Dependent = Annotated[
    bool | None,
    Setting(
        "By default what the store knows of their items decides; unknown counts as dependent.",
        label="Datasets are",
        words={"auto": "as is known", "yes": "dependent", "no": "independent"},
        flags="--dependent/--independent",
        formerly="dependence",
    ),
]
"""The choice of what is taken for granted about the datasets."""

ASSUMES: Final[Mapping[str, str]] = {
    "fisher": "independent datasets: valid only if they share no items",
    "bonferroni": "nothing about their dependence",
    "simes": "independence or positive dependence",
    "stouffer": "independent datasets: valid only if they share no items",
    "joint": "no dependence but through items known to be shared",
}

NEED_INDEPENDENCE: Final = ("fisher", "stouffer")

SHARED: Final = "datasets share items"
NOT_SHOWN: Final = "nothing shows that the datasets share no items"
_SAY_SO: Final = (
    "If you know that they share no items, say so (`--independent`, or `kind: independent` in a "
    "mapping file)."
)

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


@dataclass(frozen=True, slots=True)
class Choice:
    """Which estimator answers, and why it is this one."""

    estimator: Estimator
    known: Known
    because: str
    doubt: str = ""
    """What is not known, or speaks against, an estimator asked for by name."""


def beside(known: Known, doubt: str) -> str:
    """Return what a reader must know of a choice at once, as it stands in the sentence."""
    if known == "unknown":
        return f", as {NOT_SHOWN}"
    if known == "overlap":
        return f", as {SHARED}"
    return f", although {doubt}" if doubt else ""


def choose_estimator(
    overlaps: Sequence[OverlapRecord],
    unknown: Sequence[UnknownPair],
    n_datasets: int,
    *,
    estimator: EstimatorChoice = "auto",
    dependent: bool | None = None,
    several_metrics: bool = False,
) -> Choice:
    """Choose the estimator: Fisher where datasets are known to be independent, else Bonferroni.

    Dror et al. 2017, section 4.3. Datasets of which nothing says whether they share items count
    as dependent.

    Parameters
    ----------
    overlaps, unknown
        Among the datasets in question.
    n_datasets
        How many there are.
    estimator, dependent
        What the person asked for or declared.
    several_metrics
        Whether a dataset takes part with more than one metric.
    """
    if estimator != "auto":
        disagrees = ""
        if estimator in NEED_INDEPENDENCE:
            disagrees = _disagreement(overlaps)
            if several_metrics:
                disagrees += " Several metrics on the same items are not independent."
            elif unknown and not overlaps:
                disagrees = f" Nothing shows that they are: {describe_unknown(unknown)}."
        doubt = ""
        if estimator in NEED_INDEPENDENCE and overlaps:
            doubt = SHARED
        elif estimator in (*NEED_INDEPENDENCE, "joint") and unknown:
            doubt = NOT_SHOWN
            if estimator == "joint":
                doubt += " but those known"
                disagrees = f" {describe_unknown(unknown)}."
        return Choice(estimator, "asked-for", _ASKED_FOR[estimator] + disagrees, doubt)
    if several_metrics and not dependent:
        return Choice(
            "bonferroni",
            "metrics",
            "Several metrics are computed on the same items, so that their p-values are not "
            "independent. Bonferroni is valid under any dependence; Fisher would promise too much.",
        )
    if dependent:
        return Choice(
            "bonferroni",
            "asked-for",
            "The datasets were declared dependent for this analysis; Bonferroni is valid under any "
            "dependence.",
        )
    if dependent is not None:
        return Choice(
            "fisher",
            "asked-for",
            "The datasets were declared independent for this analysis, as Fisher assumes."
            + _disagreement(overlaps),
            SHARED if overlaps else "",
        )
    if overlaps:
        return Choice(
            "bonferroni",
            "overlap",
            f"The datasets are not independent: {describe(overlaps)}. "
            "Bonferroni is valid under any dependence; Fisher would promise too much.",
        )
    if n_datasets <= 1:
        return Choice("fisher", "independent", "With a single dataset all estimators are the same.")
    if unknown:
        return Choice(
            "bonferroni",
            "unknown",
            f"{describe_unknown(unknown)}. So the datasets count as dependent, and Bonferroni "
            f"answers, which is valid whatever they share. {_SAY_SO}",
        )
    return Choice(
        "fisher",
        "independent",
        f"The {count(n_datasets, 'dataset')} share no items, as their contents or a declaration "
        "say, so that Fisher may be used, which assumes independence.",
    )


def although(relations: DatasetRelations, dependent: bool | None) -> str:
    """Return what speaks against datasets that were declared independent, for a sentence."""
    contradicts = dependent is False and relations.overlaps
    return beside("asked-for", SHARED) if contradicts else ""


def count_as_one(n_datasets: str, relations: DatasetRelations, dependent: bool | None) -> str:
    """Say why datasets are no sample of several."""
    if dependent:
        return f"the {n_datasets} were declared dependent and count as one"
    if relations.unknown:
        return f"{NOT_SHOWN}, so that the {n_datasets} count as one"
    return f"the {n_datasets} share items and count as one"


def sample_notes(
    relations: DatasetRelations, dependent: bool | None, n_independent: int, *, is_known: bool
) -> list[str]:
    """Say what is known of datasets that are taken as a sample, and what follows.

    Parameters
    ----------
    relations, dependent
        What is known of the datasets, and what was declared.
    n_independent
        As how many they count.
    is_known
        Whether it is known of every two which items they share.
    """
    left = f"{count(n_independent, 'dataset')} {'is' if n_independent == 1 else 'are'} left"
    if dependent:
        return [f"The datasets were declared dependent for this analysis: {left}."]
    if dependent is not None:
        if not relations.overlaps:
            return []
        return [f"The datasets were declared independent.{_disagreement(relations.overlaps)}"]
    say_so = f" {_SAY_SO}" if relations.unknown else ""
    if relations.overlaps:
        return [
            f"The datasets are not independent ({describe(relations.overlaps)}): in tests over "
            f"datasets an item that several share counts on the first of them only, and {left}."
            + ("" if is_known else f" Those that share unknown items count as one.{say_so}")
        ]
    if relations.unknown:
        return [
            f"{describe_unknown(relations.unknown)}: such datasets count as one, and {left}."
            f"{say_so}"
        ]
    return []


def _disagreement(overlaps: Sequence[OverlapRecord]) -> str:
    return f" The store disagrees: {describe(overlaps)}." if overlaps else ""


def describe_unknown(unknown: Sequence[UnknownPair]) -> str:
    """Say which datasets may share items for all that is known."""
    first = unknown[0]
    if len(unknown) == 1:
        return f"Whether {first.dataset_a} and {first.dataset_b} share items is not known"
    more = count(len(unknown) - 1, "other pair")
    return (
        f"Whether {first.dataset_a} and {first.dataset_b} share items is not known, nor of {more}"
    )


def describe(overlaps: Sequence[OverlapRecord]) -> str:
    """Say in half a sentence what the datasets have in common."""
    verbs = {
        "shared-items": "share items",
        "same-scores": "share items, as the scores of several systems show",
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
