"""What can be chosen when metrics are held against humans, and what fits by default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, get_args

from analysis import choices
from analysis.setting import Setting
from analysis.studies.humans.evidence import Evidence
from analysis.studies.pairs_words import CORRECTIONS_IN_WORDS
from analysis.studies.study import listed
from store.errors import StoreError

_ALIASES = {"kendall": "kendall-b"}
COEFFICIENTS_IN_WORDS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall-a": "Kendall's τ-a",
    "kendall-b": "Kendall's τ-b",
    "kendall-c": "Kendall's τ-c",
    "pairwise-accuracy": "pairwise accuracy",
    "soft-pairwise-accuracy": "soft pairwise accuracy",
}
TESTS_IN_WORDS = {
    "fisher-z": "Fisher's z for independent correlations",
    "williams": "Williams' t",
    "steiger": "Steiger's z",
    "perm-inputs": "exchange of the two metrics on whole items",
    "perm-systems": "exchange of the two metrics on whole systems",
    "perm-both": "exchange of the two metrics on whole items and systems",
    "cell-swap": "exchange of the two metrics on single cells",
    "boot-inputs": "bootstrap over items",
    "boot-systems": "bootstrap over systems",
    "boot-both": "bootstrap over items and systems",
}

Level = Literal["system", "item", "per-system", "global"]
Coefficient = Literal[
    "pearson",
    "spearman",
    "kendall-a",
    "kendall-b",
    "kendall-c",
    "pairwise-accuracy",
    "soft-pairwise-accuracy",
]
Test = Literal[
    "fisher-z",
    "williams",
    "steiger",
    "perm-inputs",
    "perm-systems",
    "perm-both",
    "cell-swap",
    "boot-inputs",
    "boot-systems",
    "boot-both",
]
Interval = Literal["boot-both", "boot-systems", "boot-inputs", "fisher-z"]

FITS: Final = "what fits"
LevelChoice = Annotated[
    Level | None,
    Setting(
        "What one correlation is taken over; by default what fits the judgments.",
        label="Over",
        words={
            "auto": FITS,
            "system": "systems",
            "item": "systems of an item",
            "per-system": "items of a system",
            "global": "all cells",
        },
        main=True,
    ),
]
CoefficientChoice = Annotated[
    Coefficient | None,
    Setting(
        "pearson, spearman, kendall (b), kendall-a, kendall-c, pairwise-accuracy or "
        "soft-pairwise-accuracy.",
        label="Coefficient",
        words={"auto": FITS, **COEFFICIENTS_IN_WORDS},
        aliases=_ALIASES,
        main=True,
    ),
]
TestChoice = Annotated[
    Test | None,
    Setting(
        "How two metrics are tested: perm-inputs speaks of these systems, perm-systems of others.",
        label="Test of two metrics",
        words={"auto": FITS, **TESTS_IN_WORDS},
    ),
]

LEVELS: tuple[Level, ...] = get_args(Level)
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
TESTS: tuple[Test, ...] = get_args(Test)
INTERVALS: tuple[Interval, ...] = get_args(Interval)

_DRAWS, _DRAWS_OF_SOFT = 9_999, 999
_FEWEST_TO_EXCHANGE = 6
"""Systems with which an exchange of whole ones can reach p = .05: there are 2^(n - 1) of them."""
_FEWEST_SYSTEMS = 5
"""With fewer, a correlation over systems says next to nothing."""


@dataclass(frozen=True, slots=True)
class CorrelationSettings:
    """How metrics are held against gold; ``None``: what fits the evidence."""

    level: LevelChoice = None
    coefficient: CoefficientChoice = None
    test: TestChoice = None
    interval: Annotated[
        Interval | None,
        Setting(
            "What is drawn anew for the interval of a coefficient.",
            label="Interval",
            words={
                "auto": FITS,
                "boot-both": "systems and items drawn anew",
                "boot-systems": "systems drawn anew",
                "boot-inputs": "items drawn anew",
                "fisher-z": "Fisher's z",
            },
        ),
    ] = None
    correction: Annotated[
        str, Setting("Over all pairs of metrics.", label="Correction", words=CORRECTIONS_IN_WORDS)
    ] = "holm"
    reference: Annotated[
        str | None,
        Setting(
            "Metric that all others are compared with, as a baseline.",
            label="Reference metric",
            words={"auto": "the best one"},
        ),
    ] = None
    """Corrected over these comparisons alone."""
    alpha: choices.Level = 0.05
    by: Annotated[
        str | None,
        Setting(
            "Slice items by 'group' or a property such as 'domain'.",
            label="Items cut by",
            words={"auto": "nothing"},
        ),
    ] = None
    n_resamples: Annotated[
        int | None,
        choices.DRAWS.but(
            "Draws of a test; by default 9,999 (999 where each is slow).",
            words={"auto": "9,999 (999 where slow)"},
            offered=(None, 199, 1_999, 99_999),
        ),
    ] = None
    seed: choices.Seed = 0


@dataclass(frozen=True, slots=True)
class Chosen:
    """The settings as they were used."""

    level: Level
    coefficient: Coefficient
    test: Test
    interval: Interval
    n_resamples: int
    jackknife: bool
    """Whether p is at least the jackknife's, which guards an exchange that nobody asked for."""


def choose(evidence: Evidence, settings: CorrelationSettings) -> Chosen:
    """Return level, coefficient, test and interval for some evidence.

    By default systems are the units where there are at least five, else items. What is drawn anew
    or exchanged is what there are several of: systems, items, or both.

    Raises
    ------
    StoreError
        A word is unknown, or the evidence does not allow what is asked for.
    """
    n_systems, n_items = evidence.gold.shape
    is_units = evidence.kind == "preferences"
    level = _checked("level", settings.level, LEVELS)
    if level is None:
        level = "system" if n_systems >= _FEWEST_SYSTEMS else "global"
        if is_units:
            level = "global"
    _refuse_level(evidence, level)
    given = settings.coefficient
    coefficient = _checked("coefficient", _ALIASES.get(given or "", given), COEFFICIENTS)
    if coefficient is None:
        coefficient = "kendall-b" if level == "item" else "pearson"
        if is_units:
            coefficient = "spearman"
    if coefficient == "soft-pairwise-accuracy" and (level != "system" or n_items < 2):
        raise StoreError(
            "`coefficient` 'soft-pairwise-accuracy' weighs how sure each ranking of two systems "
            "is: it needs item scores and `level` 'system'."
        )
    both = "both" if n_systems > 1 and n_items > 1 else "systems" if n_systems > 1 else "inputs"
    if is_units:
        both = "inputs"
    test = _checked("test", settings.test, TESTS)
    test = test or _usual_test(evidence, level, coefficient, both)
    interval = _checked("interval", settings.interval, INTERVALS)
    interval = interval or _usual_interval(evidence, level, coefficient, both)
    for name, word in (("test", test), ("interval", interval)):
        _refuse_single(name, word, n_systems, n_items)
        if is_units and n_systems > 1 and not word.endswith("-inputs"):
            raise StoreError(
                f"`{name}` '{word}' takes the pairs of outputs of an item as independent, and they "
                f"are not. Use '{'perm' if name == 'test' else 'boot'}-inputs', which takes whole "
                "items."
            )
    n_resamples = settings.n_resamples or usual_draws(coefficient)
    jackknife = settings.test is None and evidence.kind == "scores"
    jackknife &= (level, coefficient, test) == ("global", "pearson", "perm-inputs")
    return Chosen(level, coefficient, test, interval, n_resamples, jackknife)  # type: ignore[arg-type]  # by _checked


def usual_draws(coefficient: str) -> int:
    """Return how often a test draws by default; each draw of the soft accuracy permutes again."""
    return _DRAWS_OF_SOFT if coefficient == "soft-pairwise-accuracy" else _DRAWS


def takes_groups(word: str) -> bool:
    """Whether a test or interval can take items in groups as a whole."""
    return word.startswith(("perm-", "boot-", "cell-"))


def _usual_test(evidence: Evidence, level: str, coefficient: str, both: str) -> str:
    """Return the usual test: of Pearson's r of one value per system Williams', as WMT does.

    Williams' has no p-value beside a coefficient of 1, which ranks of a few systems often reach.

    A metric may be lucky with a system, on all its items alike, or with an item. Over systems only
    an exchange of whole systems counts the first, over cells one of whole items the second: an
    exchange of both finds differences between metrics that are equally good elsewhere. With fewer
    than six systems an exchange of them can find nothing. See `docs/calibration_metrics.md`.
    """
    enough = evidence.gold.shape[0] >= _FEWEST_TO_EXCHANGE
    if evidence.kind == "reported" and (coefficient == "pearson" or not enough):
        return "williams" if coefficient in ("pearson", "spearman") else "perm-systems"
    if evidence.kind == "scores" and level == "system":
        return "perm-systems" if enough or both == "systems" else "perm-inputs"
    return "perm-systems" if both == "systems" else "perm-inputs"


def _usual_interval(evidence: Evidence, level: str, coefficient: str, both: str) -> str:
    """Return the usual interval; a bootstrap over a few single values covers too little.

    Of Pearson's r over systems Fisher's covers as stated from five systems on, and is narrower
    than the bootstrap over systems and items, which covers 90 to 94 % with 5 to 12 systems.
    """
    if evidence.kind == "reported" and "accuracy" not in coefficient:
        return "fisher-z"
    if evidence.kind == "scores" and level == "system" and coefficient == "pearson":
        return "fisher-z"
    return f"boot-{both}"


def _checked(name: str, given: str | None, known: Sequence[str]) -> str | None:
    if given is not None and given not in known:
        raise StoreError(f"`{name}` must be one of {listed(list(known), most=20)}; got '{given}'.")
    return given


def _refuse_level(evidence: Evidence, level: str) -> None:
    if evidence.kind == "preferences" and level != "global":
        raise StoreError(
            "Preferences are judged pair by pair: there is one correlation over all of them. "
            f"Leave `level` '{level}' out, or use 'global'."
        )
    if evidence.kind == "reported" and level != "system":
        raise StoreError(
            f"'{evidence.dataset.label}' has reported figures only, one per system: `level` "
            f"'{level}' needs item scores. Use 'system'."
        )


def _refuse_single(name: str, word: str, n_systems: int, n_items: int) -> None:
    kind = word.rpartition("-")[2]
    lacking = []
    if kind in ("systems", "both") and n_systems < 2:
        lacking.append("systems")
    if kind in ("inputs", "both") and n_items < 2:
        lacking.append("items")
    if lacking and word != "cell-swap":
        raise StoreError(f"`{name}` '{word}' needs several {' and '.join(lacking)}; there is one.")
