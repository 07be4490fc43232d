"""How many systems and items would tell two metrics apart that are held against human judgments?

From a stored meta-evaluation, whose systems and items are drawn anew in other numbers. The power
at its own size is left out: it is its p-value in another guise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from analysis.report import Report
from analysis.statistics._typing import Progress
from analysis.statistics.item_groups import as_group_codes
from analysis.statistics.meta_evaluation.metric_power import Design, MetricPower, metric_power
from analysis.statistics.signature import build_signature
from analysis.studies.checked_numbers import check_numbers
from analysis.studies.humans.correlations.settings import (
    TESTS_IN_WORDS,
    Chosen,
    CorrelationSettings,
    choose,
    takes_groups,
)
from analysis.studies.humans.correlations.words import units_in_words
from analysis.studies.humans.evidence import Evidence, load_evidence
from analysis.studies.power.checks import check_target
from analysis.studies.power.metric_pairs_result import MetricPairResult, MetricPowerRow
from analysis.studies.power.metric_pairs_words import power_report, sentence, warnings
from analysis.studies.power.plans import told_in_words
from analysis.studies.reading import failures_told
from store.engine import Store
from store.errors import StoreError

ITERATIONS: Final = 200
"""Meta-evaluations drawn for each size: 95 times in 100 their share is within 0.07 of that of
endlessly many drawn from the same data."""
RESAMPLES: Final = 199
_MULTIPLES: Final = (0.5, 2.0, 4.0, 8.0)
_MOST_CELLS: Final = 100_000
_FEWEST_SYSTEMS: Final = 4
_FEWEST_ITEMS: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class MetricPairPower(MetricPairResult):
    """How large a meta-evaluation must be to tell two metrics apart."""

    def report(self) -> Report:
        """Return what to write down."""
        return power_report(self)


def study_metric_pair_power(
    store: Store,
    dataset: str,
    gold: str,
    a: str,
    b: str,
    *,
    settings: CorrelationSettings = CorrelationSettings(),  # noqa: B008 - frozen
    systems: Sequence[int] | None = None,
    items: Sequence[int] | None = None,
    power: float = 0.8,
    n_iterations: int = ITERATIONS,
    progress: Progress | None = None,
) -> MetricPairPower:
    """Say how many systems and items would tell two metrics apart.

    Parameters
    ----------
    store
        Where from.
    dataset, gold
        As for `load_evidence`.
    a, b
        Metrics, by uid, name or label.
    settings
        Level, coefficient, test, alpha and seed; what concerns several metrics is not used.
    systems, items
        Numbers to look at; by default half of, twice, four and eight times those that there are.
        What the test does not exchange or draw stays as it is.
    power
        Probability with which the two are to be told apart.
    n_iterations
        Meta-evaluations drawn for each size.
    progress
        Called as ``progress(done, total)``.

    Raises
    ------
    NotFoundError
        A name is unknown.
    StoreError
        The settings do not fit the evidence, or the two metrics agree with gold equally well.
    """
    check_numbers(alpha=settings.alpha, n_resamples=n_iterations, seed=settings.seed)
    check_target(settings.alpha, power)
    if a == b:
        raise StoreError(f"`a` and `b` are one metric, '{a}': name two.")
    evidence = load_evidence(store, dataset, gold, metrics=[a, b])
    first = _place(evidence, a)
    chosen = choose(evidence, settings)
    wanted = _wanted(evidence, chosen, systems, items)
    every = (*wanted.by_items, *wanted.by_systems)
    with told_in_words({"x": "a", "y": "b", "gold": "gold"}):
        found = metric_power(
            evidence.scores[first],
            evidence.scores[1 - first],
            evidence.gold,
            level=chosen.level,
            coefficient=chosen.coefficient,
            test=chosen.test,
            designs=every,
            alpha=settings.alpha,
            n_iterations=n_iterations,
            n_resamples=RESAMPLES,
            rng=settings.seed,
            scale="as given" if evidence.kind == "preferences" else None,
            groups=evidence.groups if takes_groups(chosen.test) else None,
            progress=progress,
        )
    return _study(store, evidence, first, chosen, settings, found, wanted, power)


class _Wanted(NamedTuple):
    """Sizes to look at, and what there is."""

    by_items: tuple[Design, ...]
    by_systems: tuple[Design, ...]
    n_systems: int
    n_items: int
    item_noun: str


def _wanted(
    evidence: Evidence,
    chosen: Chosen,
    systems: Sequence[int] | None,
    items: Sequence[int] | None,
) -> _Wanted:
    """Return the sizes; what the test takes as given is not drawn."""
    n_systems, n_columns = evidence.gold.shape
    n_items, noun = n_columns, "item"
    if evidence.kind == "preferences":
        noun = "unit"
    if evidence.groups is not None:
        n_items, noun = int(as_group_codes(evidence.groups, n_columns).max()) + 1, "group"
    kind = chosen.test.rpartition("-")[2]
    draws_systems = kind != "inputs" and n_systems > 1 and evidence.kind != "preferences"
    draws_items = kind != "systems" and n_columns > 1
    for name, given, drawn in (("systems", systems, draws_systems), ("items", items, draws_items)):
        if given is not None and not drawn:
            raise StoreError(
                f"`{name}`: {TESTS_IN_WORDS[chosen.test]} speaks of the {name} that there are, or "
                f"there is one. Leave `{name}` out, or choose another `test`."
            )
    by_items: tuple[Design, ...] = ()
    by_systems: tuple[Design, ...] = ()
    per_item = max(1.0, evidence.gold.size / max(n_items, 1))
    per_system = max(1.0, evidence.gold.size / n_systems)
    if draws_items:
        counts = _sizes(items, n_items, _FEWEST_ITEMS, per_item)
        by_items = tuple(Design(n_systems if draws_systems else None, n) for n in counts)
    if draws_systems:
        counts = _sizes(systems, n_systems, _FEWEST_SYSTEMS, per_system)
        by_systems = tuple(Design(n, n_items if draws_items else None) for n in counts)
    if not by_items and not by_systems:
        raise StoreError(
            f"'{evidence.dataset.label}' has nothing that {TESTS_IN_WORDS[chosen.test]} could have "
            "more of. Choose another `test`."
        )
    return _Wanted(by_items, by_systems, n_systems, n_items, noun)


def _sizes(given: Sequence[int] | None, present: int, fewest: int, cells_each: float) -> list[int]:
    """Return the numbers to look at, without the one that there is."""
    if given is not None:
        for n in given:
            if n < fewest:
                raise StoreError(f"`systems` and `items` must be at least {fewest} here; got {n}.")
            if n == present:
                raise StoreError(
                    f"{n:,} is what there is: the power at this size would be the p-value in "
                    "another guise. Name other numbers."
                )
        return sorted(set(given))
    found = {max(fewest, round(present * multiple)) for multiple in _MULTIPLES} - {present}
    affordable = [n for n in found if n <= 2 * present or n * cells_each <= _MOST_CELLS]
    return sorted(affordable)


def _study(
    store: Store,
    evidence: Evidence,
    first: int,
    chosen: Chosen,
    settings: CorrelationSettings,
    found: MetricPower,
    wanted: _Wanted,
    power: float,
) -> MetricPairPower:
    rows = _rows(found, wanted)
    half = len(wanted.by_items)
    by_items, by_systems = rows[:half], rows[half:]
    sides = (first, 1 - first)
    (a, b), (a_uid, b_uid) = (
        tuple(evidence.names[i] for i in sides),
        tuple(evidence.metrics[i].uid for i in sides),
    )
    study = MetricPairPower(
        sentence="",
        signature=_signature(store, evidence, chosen, settings, found),
        warnings=(),
        store_revision=store.revision(),
        dataset=evidence.dataset,
        gold=evidence.gold_name,
        gold_rule=evidence.rule,
        kind=evidence.kind,
        metric_a=a,
        metric_b=b,
        metric_a_uid=a_uid,
        metric_b_uid=b_uid,
        level=chosen.level,
        coefficient=chosen.coefficient,
        test=chosen.test,
        alpha=settings.alpha,
        target_power=power,
        n_systems=wanted.n_systems,
        n_items=wanted.n_items,
        item_noun=wanted.item_noun,
        difference=found.difference,
        pvalue=found.pvalue,
        by_items=by_items,
        by_systems=by_systems,
        items_needed=_needed([(row.n_items, row.power) for row in by_items], power),
        systems_needed=_needed([(row.n_systems, row.power) for row in by_systems], power),
        n_iterations=found.n_iterations,
        n_resamples=found.n_resamples,
        seed=settings.seed,
    )
    return replace(
        study, sentence=sentence(study, units_in_words(evidence)), warnings=tuple(warnings(study))
    )


def _place(evidence: Evidence, name: str) -> int:
    """Return which of both metrics a name means."""
    metric = evidence.metrics[0]
    return 0 if name in (metric.uid, metric.label, metric.name) else 1


def _rows(found: MetricPower, wanted: _Wanted) -> tuple[MetricPowerRow, ...]:
    return tuple(
        MetricPowerRow(
            n_systems=design.n_systems or wanted.n_systems,
            n_items=design.n_items or wanted.n_items,
            draws_systems=design.n_systems is not None,
            draws_items=design.n_items is not None,
            power=float(found.power[k]),
            low=float(found.power_low[k]),
            high=float(found.power_high[k]),
            type_m=float(found.type_m[k]),
            type_s=float(found.type_s[k]),
            n_untestable=int(found.n_untestable[k]),
        )
        for k, design in enumerate(found.designs)
    )


def _needed(sizes: list[tuple[int, float]], power: float) -> int | None:
    return next((n for n, found in sizes if found >= power), None)


def _signature(
    store: Store,
    evidence: Evidence,
    chosen: Chosen,
    settings: CorrelationSettings,
    found: MetricPower,
) -> str:
    return build_signature(
        "power metrics",
        dataset=evidence.dataset.label,
        gold=evidence.gold_name,
        metrics=",".join(metric.label for metric in evidence.metrics),
        level=chosen.level,
        coefficient=chosen.coefficient,
        test=chosen.test,
        alpha=settings.alpha,
        sizes=" ".join(str(design) for design in found.designs),
        m=found.n_iterations,
        B=found.n_resamples,
        seed=settings.seed,
        **failures_told(store, evidence.dataset.uid),
    )
