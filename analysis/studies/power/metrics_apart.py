"""How many systems and items would tell two metrics apart?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from analysis.choices import POWER, DatasetName, Failures, Level, Seed
from analysis.question import Progress, Question
from analysis.setting import Setting
from analysis.studies.humans.correlations.settings import (
    CoefficientChoice,
    CorrelationSettings,
    LevelChoice,
    TestChoice,
)
from analysis.studies.power.metric_pairs import (
    ITERATIONS,
    MetricPairPower,
    study_metric_pair_power,
)
from store.engine import Store
from store.errors import StoreError


@dataclass(frozen=True)
class MetricsApart(Question[MetricPairPower]):
    """Say how many systems and items would tell two metrics apart."""

    name: ClassVar[str] = "power metrics"

    dataset: DatasetName
    a: Annotated[str, Setting("A metric, by name or uid.", label="Metric A")]
    b: Annotated[str, Setting("Another one.", label="Metric B")]
    gold: Annotated[str, Setting("What people judged, or a metric.", flags="--gold")]
    level: LevelChoice = None
    coefficient: CoefficientChoice = None
    test: TestChoice = None
    systems: Annotated[
        str | None, Setting("Numbers of systems to look at, separated by commas.")
    ] = None
    items: Annotated[str | None, Setting("Numbers of items to look at, separated by commas.")] = (
        None
    )
    power: Annotated[float, POWER.but("Probability with which the two are to be separated.")] = 0.8
    draws: Annotated[int, Setting("Meta-evaluations drawn for each size.", low=1)] = ITERATIONS
    correction: str = "holm"
    n_resamples: int | None = None
    """Of each test; by default as `correlate` draws."""
    alpha: Level = 0.05
    seed: Seed = 0
    failures: Failures = None

    def answer(self, store: Store, progress: Progress | None = None) -> MetricPairPower:
        """Return the power: see `study_metric_pair_power`."""
        return study_metric_pair_power(
            store.counting(self.failures),
            self.dataset,
            self.gold,
            self.a,
            self.b,
            settings=CorrelationSettings(
                level=self.level,
                coefficient=self.coefficient,
                test=self.test,
                correction=self.correction,
                n_resamples=self.n_resamples,
                alpha=self.alpha,
                seed=self.seed,
            ),
            systems=_counts("systems", self.systems),
            items=_counts("items", self.items),
            power=self.power,
            n_iterations=self.draws,
            progress=progress,
        )


def _counts(name: str, given: str | None) -> list[int] | None:
    """Return whole numbers separated by commas."""
    if given is None:
        return None
    try:
        return [int(part) for part in given.split(",")]
    except ValueError:
        raise StoreError(
            f"`{name}` must be whole numbers separated by commas, as 8,16,32; got '{given}'."
        ) from None
