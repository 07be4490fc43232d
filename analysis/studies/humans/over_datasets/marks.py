"""How a metric compares with the reference on each of several datasets."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from analysis.statistics.multiplicity import adjust
from analysis.studies.humans.correlations.settings import CorrelationSettings
from analysis.studies.humans.correlations.study import CorrelationsStudy

IntArray = npt.NDArray[np.int8]
BETTER, WORSE, CANNOT_TELL, NONE = 1, -1, 0, -2


def mark_against(
    studies: Sequence[CorrelationsStudy],
    names: Sequence[str],
    reference: str,
    settings: CorrelationSettings,
) -> IntArray:
    """Say of each metric and dataset how it compares with the reference, corrected per dataset.

    Over the comparisons with the reference where it was named; over all pairs where the data chose
    it, being the best one.
    """
    marks = np.full((len(names), len(studies)), NONE, np.int8)
    for d, study in enumerate(studies):
        if reference not in study.metrics:
            continue
        at = study.metrics.index(reference)
        others = [i for i in range(len(study.metrics)) if i != at]
        if not others:
            continue
        if settings.reference is None:
            pvalues = study.pvalue_adjusted[others, at]
        else:
            pvalues = adjust(study.pvalue[others, at], study.correction).pvalues_adjusted
        for i, p in zip(others, pvalues, strict=True):
            if not math.isnan(p):
                sign = BETTER if study.difference[i, at] > 0 else WORSE
                marks[names.index(study.metrics[i]), d] = (
                    sign if p <= settings.alpha else CANNOT_TELL
                )
    return marks
