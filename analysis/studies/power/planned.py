"""Plans as questions: two accuracies, any metric, a corpus metric, human ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from analysis.choices import POWER, Level, Power, Seed
from analysis.question import Progress, Question
from analysis.setting import Setting, values_of
from analysis.statistics._typing import Alternative
from analysis.statistics.planning.corpus.model import CorpusMethod
from analysis.studies.power.plans import PowerPlan
from analysis.studies.power.plans_accuracy import (
    AGREEMENTS,
    VARIANTS,
    AgreementName,
    Variant,
    study_accuracy_plan,
)
from analysis.studies.power.plans_bleu import study_bleu_plan
from analysis.studies.power.plans_ratings import Variance, study_ratings_plan
from analysis.studies.power.plans_t import study_t_plan
from analysis.studies.power.ratings_file import FittedRatings
from store.engine import Store
from store.errors import StoreError

ONE_POINT: Final = 0.01
"""The difference that items are planned for where nobody names another."""

_N: Final = Setting("Items of the test set.", label="Items", low=1, flags="--n", main=True)
_GAP: Final = Setting(
    "True accuracy of the new system less the baseline's, as 0.02.",
    label="Gap",
    low=-1,
    high=1,
    flags="--gap",
    main=True,
)
_VARIANT: Final = Setting(
    "score: the test that compare takes; else a form of McNemar's.", label="Test", words=VARIANTS
)

Items = Annotated[int, _N]
SomeItems = Annotated[int | None, _N]
Accuracy = Annotated[
    float,
    Setting(
        "Of the baseline, a share such as 0.8.",
        label="Baseline accuracy",
        low=0,
        high=1,
        flags="--accuracy",
        main=True,
    ),
]
Agreement = Annotated[
    str | None,
    Setting(
        "Share of items both get right or both wrong, or least, middle, most, glue; by default "
        "the range, and GLUE's.",
        words={"auto": "not known", **AGREEMENTS},
        main=True,
    ),
]
SomePower = Annotated[float | None, POWER]
Direction = Annotated[Alternative, Setting("Differences that are looked for.", label="Alternative")]


class _AccuracyPlan(Question[PowerPlan]):
    """Two accuracies; what a question does not set is looked for."""

    needs_store: ClassVar[bool] = False

    def answer(self, store: Store, progress: Progress | None = None) -> PowerPlan:
        """Return the plan."""
        settings = values_of(self)
        return study_accuracy_plan(**settings | {"agreement": _agreement(settings["agreement"])})


@dataclass(frozen=True)
class AccuracyPower(_AccuracyPlan):
    """Say how likely a test set shows a gap between two accuracies."""

    name: ClassVar[str] = "power mcnemar"

    n: Items
    accuracy: Accuracy
    gap: Annotated[float, _GAP]
    agreement: Agreement = None
    alpha: Level = 0.05
    alternative: Direction = "two-sided"
    variant: Annotated[Variant, _VARIANT] = "exact"


@dataclass(frozen=True)
class AccuracyGap(_AccuracyPlan):
    """Find the smallest gap between two accuracies that a test set shows."""

    name: ClassVar[str] = "power mde"

    n: Items
    accuracy: Accuracy
    agreement: Agreement = None
    power: Power = 0.8
    alpha: Level = 0.05
    alternative: Direction = "two-sided"
    variant: Annotated[Variant, _VARIANT] = "score"


@dataclass(frozen=True)
class AccuracyItems(_AccuracyPlan):
    """Find how many items it takes to show a gap between two accuracies."""

    name: ClassVar[str] = "power items"

    accuracy: Accuracy
    gap: Annotated[float, _GAP] = ONE_POINT
    agreement: Agreement = None
    power: Power = 0.8
    alpha: Level = 0.05
    alternative: Direction = "two-sided"
    variant: Annotated[Variant, _VARIANT] = "score"


@dataclass(frozen=True)
class DifferencePlan(Question[PowerPlan]):
    """Plan for any metric by the t test: of mean, n and power, two give the third."""

    name: ClassVar[str] = "power t"
    needs_store: ClassVar[bool] = False

    sd: Annotated[
        float,
        Setting(
            "Standard deviation of the differences per item.",
            label="SD of differences",
            low=0,
            flags="--sd",
            main=True,
        ),
    ]
    mean: Annotated[
        float | None, Setting("True mean difference.", label="Mean difference", main=True)
    ] = None
    n: SomeItems = None
    power: SomePower = None
    alpha: Level = 0.05
    alternative: Direction = "two-sided"

    def answer(self, store: Store, progress: Progress | None = None) -> PowerPlan:
        """Return the plan."""
        return study_t_plan(**values_of(self))


@dataclass(frozen=True)
class CorpusPlan(Question[PowerPlan]):
    """Plan for BLEU and other corpus metrics: of delta, n and power, two give the third."""

    name: ClassVar[str] = "power bleu"
    needs_store: ClassVar[bool] = False

    n: SomeItems = None
    delta: Annotated[
        float | None, Setting("True difference, in BLEU.", label="Difference", main=True)
    ] = None
    p0: Annotated[
        float | None,
        Setting("Share of items whose exchange changes nothing.", label="P0", low=0, high=1),
    ] = None
    b0: Annotated[
        float | None,
        Setting("Laplace scale of the others' effects times n.", label="b0", low=0),
    ] = None
    power: SomePower = None
    method: Annotated[
        CorpusMethod,
        Setting("t: of the default comparison; of the exchange test in closed form, or simulated."),
    ] = "t"
    alpha: Level = 0.05
    alternative: Direction = "two-sided"
    seed: Seed = 0

    def answer(self, store: Store, progress: Progress | None = None) -> PowerPlan:
        """Return the plan."""
        return study_bleu_plan(**values_of(self))


@dataclass(frozen=True)
class RatingsPlan(Question[PowerPlan]):
    """Plan human ratings: of workers, items, effect and power, three give the fourth."""

    name: ClassVar[str] = "power ratings"
    needs_store: ClassVar[bool] = False

    workers: Annotated[int | None, Setting("Each rates every item.", low=1, main=True)] = None
    items: Annotated[int | None, Setting("Items, rated for both systems.", low=1, main=True)] = None
    effect: Annotated[
        float | None,
        Setting("True difference between the systems' means.", label="Difference", main=True),
    ] = None
    variance: Annotated[
        Variance | None,
        Setting("As in the paper; by default high, beside low.", words={"auto": "high and low"}),
    ] = None
    ratings_per_item: Annotated[
        int, Setting("Ratings of an output by each worker.", label="Ratings each", low=1)
    ] = 1
    published: Annotated[
        bool,
        Setting(
            "The paper's test: too many false alarms.",
            label="Critical value",
            words={"no": "calibrated", "yes": "published"},
            flags="--published",
        ),
    ] = False
    power: SomePower = None
    alpha: Level = 0.05
    alternative: Direction = "two-sided"
    seed: Seed = 0
    fitted: FittedRatings | None = None
    """Ratings of one's own instead of `variance`; no address has them."""

    def answer(self, store: Store, progress: Progress | None = None) -> PowerPlan:
        """Return the plan."""
        settings = values_of(self) | {"variance": self.fitted or self.variance}
        return study_ratings_plan(**settings)


def _agreement(given: str | None) -> float | AgreementName | None:
    if given is None:
        return None
    if given in AGREEMENTS:
        found: Literal["glue", "least", "middle", "most"] = given
        return found
    try:
        return float(given)
    except ValueError:
        raise StoreError(
            f"`agreement` must be a share such as 0.9, or one of {', '.join(AGREEMENTS)}, got "
            f"'{given}'."
        ) from None
