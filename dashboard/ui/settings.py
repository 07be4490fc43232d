"""What a reader can choose about a comparison, alike on all pages that make one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar, cast, get_args

from analysis import numbers
from analysis.statistics.description.evaluation_units import UNIT_STATISTICS, UnitStatistic
from analysis.studies.leaderboard_standing import ScoreIntervalName
from analysis.studies.pair_analysis import PairSettings
from analysis.studies.pairs_words import CORRECTIONS_IN_WORDS, Correction, PairsSettings
from analysis.studies.test_names import IN_WORDS, INTERVALS_IN_WORDS, to_statistics
from dashboard import data
from dashboard.ui import filters
from store.records import DatasetRecord

T = TypeVar("T", bound=str)

ALPHAS = (0.05, 0.01, 0.1, 0.001)
CLUSTERS = {"as the dataset says": None, "items": False, "groups": True}
_UNITS = {"as the dataset says": "auto", "items": "items", "groups": "groups"}
RESAMPLES = (9_999, 999, 99_999)


class Details(NamedTuple):
    """What most readers leave as it is."""

    margin: float | None
    clusters: bool | None
    unit_size: int
    unit_statistic: UnitStatistic
    shuffle_seed: int | None
    seed: int
    n_resamples: int


def choose_cell(datasets: Sequence[DatasetRecord]) -> tuple[DatasetRecord, str | None]:
    """Draw the choice of a dataset, by default the fullest, and of one of its metrics."""
    labels = [dataset.label for dataset in datasets]
    fullest = max(datasets, key=lambda dataset: (dataset.n_runs, dataset.n_items)).label
    label = filters.choose_one("Dataset", labels, key="dataset", default=fullest, width=260)
    dataset = datasets[labels.index(str(label))]
    metrics = [metric.label for metric in data.metrics_of(dataset.uid)]
    return dataset, filters.choose_one("Metric", metrics, key="metric", width=200)


def choose_test(tests: Sequence[T]) -> T:
    """Draw the choice of a test."""
    chosen = filters.choose_one("Test", tests, key="test", name=test_in_words, width=220)
    return chosen or tests[0]


def choose_alpha() -> float:
    """Draw the choice of the level."""
    return filters.choose_one("α", ALPHAS, key="alpha", width=90) or ALPHAS[0]


def choose_correction() -> Correction:
    """Draw the choice of a correction for testing many pairs at once."""
    chosen = filters.choose_one(
        "Correction",
        get_args(Correction),
        key="correction",
        default="holm",
        name=CORRECTIONS_IN_WORDS.__getitem__,
        width=190,
        help="Testing many pairs finds differences by chance; a correction bounds that",
    )
    return cast("Correction", chosen)


def choose_score_interval() -> ScoreIntervalName:
    """Draw the choice of the interval of a score by itself."""
    names = get_args(ScoreIntervalName)
    chosen = filters.choose_one(
        "Interval",
        names,
        key="interval",
        name=score_interval_in_words,
        width=190,
        help="Of a score by itself; Clopper and Pearson's never covers less than it says",
    )
    return cast("ScoreIntervalName", chosen or names[0])


def score_interval_in_words(name: str) -> str:
    """Return what the page calls the interval of a score."""
    return "what suits the scores" if name == "auto" else INTERVALS_IN_WORDS[name]


def choose_details(*, stored: bool = True) -> Details:
    """Draw everything else; scores that are not `stored` have no groups."""
    margin = filters.choose_number(
        "Margin: differences below it do not matter",
        key="margin",
        least=0,
        help="Needed for the verdict 'equivalent', which two one-sided tests must both allow",
    )
    clusters = None
    if stored:
        clusters = choose_units()
    unit_size = filters.choose_number(
        "Items per evaluation unit", key="unit_size", default=1, least=1, is_whole=True
    )
    statistic = filters.choose_one(
        "Score of an evaluation unit", UNIT_STATISTICS, key="unit_statistic"
    )
    shuffle_seed = filters.choose_number(
        "Seed of the shuffle before units are cut",
        key="shuffle_seed",
        least=0,
        is_whole=True,
        help="Empty: items stay in order",
    )
    seed = filters.choose_seed()
    resamples = filters.choose_one("Resamples", RESAMPLES, key="resamples", name=numbers.count)
    return Details(
        margin=float(margin) if margin else None,
        clusters=clusters,
        unit_size=int(unit_size or 1),
        unit_statistic=statistic or "mean",
        shuffle_seed=None if shuffle_seed is None else int(shuffle_seed),
        seed=seed,
        n_resamples=resamples or RESAMPLES[0],
    )


def choose_units() -> bool | None:
    """Draw the choice of the independent units; ``None`` leaves it to the dataset."""
    words = filters.choose_one("Units", list(CLUSTERS), key="units", value=_UNITS.__getitem__)
    return CLUSTERS[str(words)]


def units_value(clusters: bool | None) -> str:
    """Return what the address says of the independent units."""
    return next(_UNITS[words] for words, value in CLUSTERS.items() if value is clusters)


def test_in_words(test: str) -> str:
    """Return a test in words; "auto" as what it does."""
    return "what suits the scores" if test == "auto" else IN_WORDS[to_statistics(test)]


def as_parameters(settings: PairSettings | PairsSettings, clusters: bool | None) -> dict[str, str]:
    """Return the URL parameters that stand for these settings."""
    parameters = {
        "test": settings.test,
        "alpha": f"{settings.alpha:g}",
        "units": units_value(clusters),
        "unit_size": str(settings.unit_size),
        "unit_statistic": settings.unit_statistic,
        "seed": str(settings.seed),
        "resamples": str(settings.n_resamples),
    }
    if settings.margin is not None:
        parameters["margin"] = f"{settings.margin:g}"
    if settings.shuffle_seed is not None:
        parameters["shuffle_seed"] = str(settings.shuffle_seed)
    return parameters
