"""How small a difference does a test set find, and how large must another be?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from analysis.choices import Failures, Level, MetricName, Power, Seed
from analysis.question import Progress, Question
from analysis.setting import Setting
from analysis.statistics._typing import Alternative
from analysis.studies.power.dataset import DatasetPower, study_dataset_power
from analysis.studies.power.dataset_curves import By
from analysis.studies.power.resolution import ResolutionStudy, study_resolution
from store.engine import Store
from store.errors import StoreError

OBSERVED: Literal["observed"] = "observed"


@dataclass(frozen=True)
class TestSetPower(Question[DatasetPower | ResolutionStudy]):
    """Say how small a difference a stored test set finds, and how many items others take."""

    __test__ = False  # its name is not that of a test
    name: ClassVar[str] = "power dataset"

    dataset: Annotated[
        str | None,
        Setting(
            "Name or uid; without one all test sets are listed.",
            label="Dataset",
            place=True,
        ),
    ] = None
    metric: MetricName = None
    a: Annotated[
        str | None, Setting("By default the first of the leaderboard.", label="System A")
    ] = None
    b: Annotated[str | None, Setting("By default the second.", label="System B")] = None
    effect: Annotated[
        str | None,
        Setting(
            "True gain of A over B that matters, on the metric's own scale.",
            label="True gain of A",
        ),
    ] = None
    alpha: Level = 0.05
    power: Power = 0.8
    alternative: Annotated[
        Alternative, Setting("greater: only whether A is better.", label="Alternative")
    ] = "two-sided"
    by: Annotated[
        By,
        Setting(
            "Power by number of items: model (what suits the scores), normal (Student's t), "
            "bootstrap (stored items drawn anew, with a Monte Carlo band).",
            label="Power by items from",
            words={
                "model": "what suits the scores",
                "normal": "Student's t",
                "bootstrap": "items drawn anew",
            },
        ),
    ] = "model"
    seed: Seed = 0
    failures: Failures = None

    def answer(
        self, store: Store, progress: Progress | None = None
    ) -> DatasetPower | ResolutionStudy:
        """Return one test set, or all of them where none is named.

        Raises
        ------
        StoreError
            What is about one test set is given without one.
        """
        store = store.counting(self.failures)
        if self.dataset is None:
            for name in ("a", "b", "effect"):
                if getattr(self, name) is not None:
                    raise StoreError(
                        f"`{name}` is about one test set: name it, `power dataset NAME`."
                    )
            return study_resolution(store, metric=self.metric, alpha=self.alpha, power=self.power)
        return study_dataset_power(
            store,
            self.dataset,
            metric=self.metric,
            a=self.a,
            b=self.b,
            effect=_as_effect(self.effect),
            alpha=self.alpha,
            power=self.power,
            alternative=self.alternative,
            by=self.by,
            seed=self.seed,
        )


def _as_effect(given: str | None) -> float | Literal["observed"] | None:
    if given is None:
        return None
    if given == OBSERVED:
        return OBSERVED
    try:
        return float(given)
    except ValueError:
        raise StoreError(
            f"`effect` must be a number on the metric's own scale, as 0.02; got '{given}'."
        ) from None
