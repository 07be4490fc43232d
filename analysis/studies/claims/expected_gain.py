"""How large a gain is to be expected next, from the gains of all records in the store?"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Annotated, ClassVar

from analysis.choices import DatasetName
from analysis.columns import Column
from analysis.question import Progress, Question
from analysis.report import Cell, Report, Table
from analysis.setting import Setting
from analysis.statistics.planning.accuracy.expected_gap import GapModel, fit_expected_gap
from analysis.studies.claims.history import load_time_line
from analysis.studies.power.plans_words import points, share
from analysis.studies.study import Study, count
from store.claim_records import HistoryRecord
from store.datasets import get_dataset
from store.dated_scores import list_histories
from store.engine import Store
from store.errors import NotFoundError, StoreError


@dataclass(frozen=True, slots=True)
class Gain:
    """A record: the best accuracy before it, and by how much it is higher, as shares."""

    dataset: str
    baseline: float
    gap: float


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedGainStudy(Study):
    """The gain to be expected on a dataset."""

    dataset: str
    metric: str
    baseline: float
    expected: float
    model: GapModel
    gains: tuple[Gain, ...]

    def report(self) -> Report:
        """Return the gains that the line was fitted to."""
        rows: list[list[Cell]] = [[one.dataset, one.baseline, one.gap] for one in self.gains]
        columns = ("dataset", Column("best before", decimals=4), Column("gain", decimals=4))
        return Report(
            title=f"Gain to be expected on {self.dataset}",
            sentences=(self.sentence,),
            tables=(Table(columns, rows, caption=f"Records, {self.metric}"),),
            signature=self.signature,
            warnings=self.warnings,
        )


@dataclass(frozen=True)
class ExpectedGain(Question[ExpectedGainStudy]):
    """Say how large a gain is to be expected next, from the records so far."""

    name: ClassVar[str] = "power expected-gain"

    dataset: DatasetName
    metric: Annotated[
        str | None, Setting("By default the one with most dated scores and claims.")
    ] = None

    def answer(self, store: Store, progress: Progress | None = None) -> ExpectedGainStudy:
        """Return the gain by a line over baseline accuracy; Card et al. (2020), tables 7 and 9.

        Raises
        ------
        NotFoundError
            The dataset has no history on the metric.
        StoreError
            The records are too few for a line, or no accuracies.
        """
        wanted = get_dataset(store, self.dataset)
        line = load_time_line(store, wanted.uid, self.metric)
        metric = line.metric.label
        same = [h for h in list_histories(store) if h.metric_uid == line.metric.uid]
        gains, latest = [], math.nan
        for history in same:
            found, best = _records(store, history)
            gains += found
            if history.dataset_uid == wanted.uid:
                latest = best
        n_here = Counter(one.dataset for one in gains)[wanted.label]
        if not n_here:
            raise NotFoundError(
                f"No record on '{wanted.label}' ({metric}) passed an earlier one, so nothing says "
                "how large the next gain may be."
            )
        try:
            model = fit_expected_gap(
                [one.baseline for one in gains],
                [one.gap for one in gains],
                [one.dataset for one in gains],
            )
            by_line = model.expected(latest, wanted.label)
        except ValueError as error:
            raise StoreError(
                f"No gain can be expected on '{wanted.label}': {error} It takes two records over "
                "different accuracies on one dataset."
            ) from error
        datasets = len({one.dataset for one in gains})
        left = 1.0 - latest if line.metric.sign > 0 else latest
        expected = min(by_line, left)
        warnings = [
            "Records that were published are those that came out well: what is expected from "
            "them is too large for the next one."
        ]
        if by_line > left:
            warnings.append(
                f"The line over the records gives {points(by_line)}, more than the scale leaves."
            )
        return ExpectedGainStudy(
            sentence=(
                f"After {share(round(latest, 6))} on {wanted.label} ({metric}) a gain of "
                f"{points(expected)} is to be expected, from {count(len(gains), 'record')} on "
                f"{count(datasets, 'dataset')}."
            ),
            signature=model.signature,
            warnings=tuple(warnings),
            store_revision=store.revision(),
            dataset=wanted.label,
            metric=metric,
            baseline=latest,
            expected=expected,
            model=model,
            gains=tuple(gains),
        )


def _records(store: Store, history: HistoryRecord) -> tuple[list[Gain], float]:
    """Return the records of a history but the first, and the best accuracy in the end."""
    line = load_time_line(store, history.dataset_uid, history.metric_uid)
    sign = line.metric.sign
    scores = [entry.score for entry in line.entries if not math.isnan(entry.score)]
    unit = 100.0 if any(abs(score) > 1.5 for score in scores) else 1.0
    found, best = [], math.nan
    for score in scores:
        here = score / unit
        if math.isnan(best):
            best = here
        elif sign * (here - best) > 0:
            found.append(Gain(history.dataset, best, sign * (here - best)))
            best = here
    return found, best
