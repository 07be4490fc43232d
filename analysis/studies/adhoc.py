"""Two columns of scores through the whole procedure, nothing stored.

Data analysis, test, effect sizes and report, as NLPStatTest (Zhu et al. 2020) takes a file.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from analysis.question import Progress, Question
from analysis.report import Report
from analysis.setting import Setting
from analysis.statistics._typing import FloatArray
from analysis.statistics.description.evaluation_units import (
    UnitSizeCalibration,
    calibrate_unit_size,
)
from analysis.statistics.paired.tests import paired_test
from analysis.statistics.precision import comparable
from analysis.statistics.results import DegenerateDataWarning
from analysis.statistics.signature import build_signature
from analysis.studies.calibrated import guarded
from analysis.studies.comparison import flatten
from analysis.studies.comparison_words import sentence
from analysis.studies.pair_analysis import (
    PairAnalysis,
    PairSettings,
    analyse_pair,
    caution_about,
    in_units,
)
from analysis.studies.pair_report import pair_tables
from analysis.studies.study import Study, count
from analysis.studies.test_names import in_public_words, to_public
from analysis.studies.two_columns import TwoColumns
from store.engine import Store
from store.errors import StoreError

MIN_FOR_CALIBRATION = 30
"""Items below which there is no second unit size to compare."""
MANY_ITEMS = 5_000
"""From here on the tests beside the one that counts take fewer resamples."""
FEW_RESAMPLES = 999


@dataclass(frozen=True, slots=True, eq=False)
class TestOfList:
    """A test that could have been used, what speaks for it, and what it gives."""

    test: str
    advice: Literal["recommended", "possible", "not preferred", "inappropriate"]
    reason: str
    pvalue: float


@dataclass(frozen=True, slots=True, eq=False)
class AdhocStudy(Study):
    """Two columns of scores; A is the first."""

    system_a: str
    system_b: str
    settings: PairSettings
    higher_is_better: bool
    n_lines: int
    analysis: PairAnalysis
    tests: tuple[TestOfList, ...]
    """All tests with the reason for or against each; only `analysis` answers the question."""
    unit_sizes: UnitSizeCalibration | None
    """How the spread of unit scores goes with their size; ``None`` with fewer than 30 items."""

    def report(self) -> Report:
        """Return what to write down about the comparison."""
        return Report(
            title=f"{self.system_a} against {self.system_b}",
            sentences=(self.sentence,),
            tables=pair_tables(self.analysis, self.settings, self.system_a, self.system_b),
            signature=self.signature,
            warnings=self.warnings,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the study as JSON-safe values, the analysis' fields at the top."""
        return flatten(Study.to_dict(self))


def study_adhoc(
    a: FloatArray,
    b: FloatArray,
    *,
    names: tuple[str, str] = ("A", "B"),
    settings: PairSettings = PairSettings(),  # noqa: B008 (frozen)
    higher_is_better: bool = True,
) -> AdhocStudy:
    """Compare two columns of scores.

    Parameters
    ----------
    a, b
        Scores of the same items, shape (n_items,); NaN = missing.
    names
        What to call the two.
    settings
        Test, direction, hypothesised difference, α, margin, seed, evaluation units.
    higher_is_better
        Which way the scores run.

    Raises
    ------
    StoreError
        The settings do not go together with the scores.
    """
    sign = 1 if higher_is_better else -1
    if len(a) != len(b):
        raise StoreError(f"The columns must have one length, got {len(a)} and {len(b)} scores.")
    first, second = comparable(np.array([a, b], dtype=np.float64)[:, :, np.newaxis])
    columns = first, second
    try:
        analysis = analyse_pair(*columns, settings, sign=sign)
        tests = _tests(columns, settings, analysis, sign)
    except (ValueError, TypeError) as error:
        raise StoreError(in_public_words(str(error))) from error
    told = sentence(analysis, settings, *names, None, "")
    return AdhocStudy(
        sentence=f"{caution_about(analysis, settings)} {told}".strip(),
        signature=build_signature(
            "adhoc",
            a=names[0],
            b=names[1],
            unit=f"{settings.unit_size} {settings.unit_statistic}",
            shuffle="none" if settings.shuffle_seed is None else settings.shuffle_seed,
            test=analysis.test.signature.replace("|", " "),
        ),
        warnings=tuple(_warnings(analysis)),
        store_revision=0,
        system_a=names[0],
        system_b=names[1],
        settings=settings,
        higher_is_better=higher_is_better,
        n_lines=len(columns[0]),
        analysis=analysis,
        tests=tests,
        unit_sizes=_unit_sizes(columns, settings),
    )


@dataclass(frozen=True)
class Adhoc(Question[AdhocStudy]):
    """Compare two columns of scores in a file; nothing is stored."""

    name: ClassVar[str] = "adhoc"
    needs_store: ClassVar[bool] = False

    settings: PairSettings = PairSettings()  # noqa: RUF009 (frozen)
    names: Annotated[
        tuple[str, ...] | None,
        Setting("What to call the two, as 'mine,theirs'; by default A and B."),
    ] = None
    lower_is_better: Annotated[
        bool,
        Setting(
            "As for error rates.",
            label="Scores",
            words={"no": "higher is better", "yes": "lower is better"},
            aliases={"true": "yes", "false": "no"},
            main=True,
        ),
    ] = False
    columns: TwoColumns | None = None
    """The scores that are compared; no address has them."""

    @property
    def called(self) -> tuple[str, str]:
        """The names of the two.

        Raises
        ------
        StoreError
            They are not two different names.
        """
        if self.names is None:
            return "A", "B"
        if len(set(self.names)) != 2 or len(self.names) != 2:
            raise StoreError(
                f"`names` must be two different names, as 'mine,theirs'; got "
                f"'{','.join(self.names)}'."
            )
        return self.names[0], self.names[1]

    def answer(self, store: Store, progress: Progress | None = None) -> AdhocStudy:
        """Return the comparison.

        Raises
        ------
        StoreError
            The settings do not go together with the scores, or there are none.
        """
        if self.columns is None:
            raise StoreError("There are no scores. Name a file of two columns.")
        return study_adhoc(
            self.columns.a,
            self.columns.b,
            names=self.called,
            settings=self.settings,
            higher_is_better=not self.lower_is_better,
        )


def _tests(
    columns: tuple[FloatArray, FloatArray],
    settings: PairSettings,
    analysis: PairAnalysis,
    sign: int,
) -> tuple[TestOfList, ...]:
    """Return every test that the diagnostics speak of, with its p-value."""
    if analysis.diagnostics is None:
        return ()
    first, second = columns if sign > 0 else columns[::-1]
    if settings.in_units:
        first, second = in_units(first, second, settings, "mean")
    if len(first) > MANY_ITEMS:
        settings = replace(settings, n_resamples=min(settings.n_resamples, FEW_RESAMPLES))
    return tuple(
        TestOfList(
            to_public(advice.test),
            advice.verdict,
            advice.reason,
            analysis.test.pvalue
            if advice.test == analysis.test.test
            else _pvalue(first, second, advice.test, settings, sign),
        )
        for advice in analysis.diagnostics.recommended_tests
    )


def _pvalue(
    first: FloatArray, second: FloatArray, test: str, settings: PairSettings, sign: int
) -> float:
    own_zeros = test == "wilcoxon" and settings.zeros != "wilcox"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)  # told of the test that counts
        try:
            return paired_test(
                first,
                second,
                test=test,
                alternative=settings.alternative,
                delta=sign * settings.delta,
                n_resamples=settings.n_resamples,
                rng=settings.seed,
                zeros=settings.zeros if own_zeros else None,
            ).pvalue
        except ValueError:
            return math.nan  # the scores do not suit it, as McNemar's graded ones


def _unit_sizes(
    columns: tuple[FloatArray, FloatArray], settings: PairSettings
) -> UnitSizeCalibration | None:
    both = ~(np.isnan(columns[0][:, 0]) | np.isnan(columns[1][:, 0]))
    if both.sum() < MIN_FOR_CALIBRATION:
        return None
    return calibrate_unit_size(
        columns[0][both, 0],
        columns[1][both, 0],
        statistic=settings.unit_statistic,
        shuffle_seed=settings.shuffle_seed,
    )


def _warnings(analysis: PairAnalysis) -> list[str]:
    told = [*analysis.notes, *filter(None, [guarded(analysis.guard)])]
    if not analysis.n_missing:
        return told
    return [
        *told,
        f"{count(analysis.n_missing, 'line')} without a score in one of the columns "
        f"{'is' if analysis.n_missing == 1 else 'are'} left out.",
    ]
