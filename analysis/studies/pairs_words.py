"""What a comparison of all pairs says in words: settings, verdicts, the sentence, the warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

import numpy as np
import numpy.typing as npt

from analysis import glossary
from analysis.choices import (
    Clusters,
    Draws,
    Level,
    Margin,
    Seed,
    ShuffleSeed,
    UnitScore,
    UnitSize,
)
from analysis.setting import Setting
from analysis.statistics.all_pairs.result import BOUND_PVALUE, PairMethod
from analysis.studies.study import count
from analysis.studies.test_names import (
    PairsTest,
)
from store.records import ScoreMatrix

Correction = Literal[
    "none",
    "bonferroni",
    "holm",
    "hochberg",
    "hommel",
    "bh",
    "by",
    "max-t",
    "max-t-single",
    "tukey",
]

NOT_COMPARABLE, UNDECIDED, BETTER, WORSE, EQUIVALENT = range(5)
"""Codes of `PairsStudy.verdicts`."""

CORRECTIONS_IN_WORDS = {
    "none": "no correction",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "hochberg": "Hochberg",
    "hommel": "Hommel",
    "bh": "Benjamini–Hochberg",
    "by": "Benjamini–Yekutieli",
    "max-t": "step-down max-T",
    "max-t-single": "single-step max-T",
    "tukey": "Tukey's HSD",
}

CorrectionChoice = Annotated[
    Correction,
    Setting(
        glossary.help("correction"),
        label="Correction",
        words=CORRECTIONS_IN_WORDS,
        main=True,
    ),
]
"""The choice of a correction for testing many pairs at once."""

METHODS_IN_WORDS = {
    PairMethod.CLOSED_FORM: "in closed form",
    PairMethod.EXACT: "exactly",
    PairMethod.ENUMERATED: "by listing all sign patterns",
    PairMethod.MONTE_CARLO: "by resampling",
    PairMethod.TAIL: "by saddlepoint, since fewer than ten resamples were as extreme",
    PairMethod.BOUND: f"by a bound, below {BOUND_PVALUE:g}",
}


VERDICTS_IN_WORDS: Final = ("not comparable", "undecided", "better", "worse", "equivalent")


@dataclass(frozen=True, slots=True)
class PairsSettings:
    """Everything about a comparison of all pairs that a person can choose."""

    test: PairsTest = "auto"
    correction: CorrectionChoice = "holm"
    alpha: Level = 0.05
    margin: Margin = None
    """Differences smaller than this do not matter; ``None`` = no pair is called equivalent."""
    n_resamples: Draws = 9_999
    seed: Seed = 0
    clusters: Clusters = None
    unit_size: UnitSize = 1
    unit_statistic: UnitScore = "mean"
    shuffle_seed: ShuffleSeed = None

    @property
    def in_units(self) -> bool:
        """Whether items are cut into evaluation units, or shuffled for that."""
        return self.unit_size > 1 or self.shuffle_seed is not None


def sentence(
    systems: Sequence[str],
    verdicts: npt.NDArray[np.uint8],
    n_items: npt.NDArray[np.int64],
    settings: PairsSettings,
    matrix: ScoreMatrix,
) -> str:
    """Return the answer: how many pairs differ, on how many items, and who beats everybody."""
    where = f"on {matrix.dataset.label} ({matrix.metric.label})"
    if len(systems) == 1:
        return f"Only {systems[0]} has item scores {where}: there is no pair to compare."
    upper = np.triu_indices(len(systems), 1)
    codes = Counter(int(code) for code in verdicts[upper])
    n_different = codes[BETTER] + codes[WORSE]
    n_pairs = len(upper[0])
    items = n_items[upper]
    shared = count(int(items.max()), "item" if settings.unit_size == 1 else "unit")
    if items.min() != items.max():
        shared = f"{int(items.min()):,} to {shared}"
    if not n_different:
        told = f"None of {count(n_pairs, 'pair')} of systems {where} can be separated"
    else:
        told = (
            f"{n_different:,} of {count(n_pairs, 'pair')} of systems {where} "
            f"{'differs' if n_different == 1 else 'differ'}"
        )
    told += f", with {shared} a pair"
    if settings.unit_size > 1:
        told += f" (a unit is {settings.unit_size} items)"
    if n_different:
        undecided = codes[UNDECIDED]
        if undecided:
            told += f"; {undecided:,} cannot be separated"
    if codes[EQUIVALENT]:
        told += f"; {codes[EQUIVALENT]:,} are equivalent within ±{settings.margin:g}"
    if codes[NOT_COMPARABLE]:
        told += f"; {codes[NOT_COMPARABLE]:,} cannot be tested"
    best = [
        name
        for i, name in enumerate(systems)
        if len(systems) > 2 and np.count_nonzero(verdicts[i] == BETTER) == len(systems) - 1
    ]
    told += f". {best[0]} is better than every other system." if best else "."
    return told


def warnings(
    n_items: npt.NDArray[np.int64],
    n_pairs: int,
    floor_note: str,
    units_note: str,
    matrix: ScoreMatrix,
    settings: PairsSettings,
) -> list[str]:
    """Return what a reader must know before believing the sentence."""
    upper = np.triu_indices(len(n_items), 1)
    shared = n_items[upper]
    told = []
    if shared.size and shared.min() != shared.max():
        told.append(
            f"Unequal coverage: a pair is compared on the items that both were scored on, "
            f"{int(shared.min()):,} to {int(shared.max()):,} of {matrix.dataset.n_items:,}. "
            "Differences of different pairs are of different items."
        )
    if shared.size and n_pairs < shared.size:
        told.append(
            f"{count(shared.size - n_pairs, 'pair')} cannot be tested, for want of shared items or "
            "of a metric that is defined on them, and "
            f"{'does' if shared.size - n_pairs == 1 else 'do'} not count in the correction."
        )
    if settings.correction == "none" and n_pairs > 1:
        told.append(
            f"Not corrected: of {n_pairs:,} pairs without any difference about "
            f"{max(1, round(settings.alpha * n_pairs)):,} would be called different."
        )
    if settings.correction in ("bh", "by"):
        told.append(
            f"{CORRECTIONS_IN_WORDS[settings.correction]} bounds the expected share of false "
            f"differences among those called different by {settings.alpha:g}; it does not bound "
            "the probability of any."
        )
    if settings.margin is not None:
        told.append("Equivalence is tested for each pair by itself, without correction.")
    return [*told, *filter(None, (floor_note, units_note))]
