"""`tiebreak correlate`: metrics held against human judgments."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.options import (
    AlphaOption,
    FormatOption,
    ReportStyle,
    SeedOption,
    gave_report,
    names,
)
from analysis.statistics.boards.groups import shorten_letters
from analysis.studies.humans.correlations.report import method_in_words
from analysis.studies.humans.correlations.settings import CorrelationSettings, with_words
from analysis.studies.humans.correlations.study import CorrelationsStudy, study_correlations
from analysis.studies.humans.correlations.words import COEFFICIENTS_IN_WORDS
from analysis.studies.humans.golds import GoldsStudy, study_golds
from analysis.studies.humans.over_datasets.marks import BETTER, WORSE
from analysis.studies.humans.over_datasets.report import mean_test_in_words
from analysis.studies.humans.over_datasets.study import CorrelationsOver, study_correlations_over
from store.console import JsonOption, answer, exits_in_words, opened, table
from store.datasets import get_dataset
from store.engine import Store
from store.errors import NotFoundError, StoreError

app = typer.Typer()

MOST_COLUMNS = 6
"""Datasets that a terminal shows side by side."""


@app.command("correlate")
@exits_in_words
def correlate_command(
    context: typer.Context,
    dataset: Annotated[
        str | None,
        typer.Argument(
            help="Name or uid, or several separated by commas; 'all' for every one with this gold."
        ),
    ] = None,
    gold: Annotated[
        str | None,
        typer.Option(help="What people judged, or a metric; without it all that there is is told."),
    ] = None,
    metrics: Annotated[
        str | None, typer.Option(help="Names, separated by commas; by default all automatic ones.")
    ] = None,
    systems: Annotated[
        str | None, typer.Option(help="Only these, separated by commas; by default all.")
    ] = None,
    without: Annotated[
        str | None, typer.Option(help="All but these, such as human references.")
    ] = None,
    level: Annotated[str | None, typer.Option(help="system, item, per-system or global.")] = None,
    coefficient: Annotated[
        str | None,
        typer.Option(
            help="pearson, spearman, kendall (b), kendall-a, kendall-c, pairwise-accuracy or "
            "soft-pairwise-accuracy."
        ),
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(
            help="perm-both, perm-inputs, perm-systems, cell-swap, boot-both, boot-inputs, "
            "boot-systems, williams, steiger or fisher-z."
        ),
    ] = None,
    interval: Annotated[
        str | None, typer.Option(help="boot-both, boot-systems, boot-inputs or fisher-z.")
    ] = None,
    correction: Annotated[str, typer.Option(help="Over all pairs of metrics.")] = "holm",
    reference: Annotated[
        str | None, typer.Option(help="Metric that all others are compared with, as a baseline.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Slice items by 'group' or a property such as 'domain'.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="Several datasets: what each counts in the mean: equal (the default), units, or "
            "numbers in their order, separated by commas."
        ),
    ] = None,
    ties: Annotated[
        str | None,
        typer.Option(help="Preferences: outputs scored alike count as 0 (sign), or drop."),
    ] = None,
    consensus: Annotated[
        str | None, typer.Option(help="Preferences: majority of the annotators, or mace.")
    ] = None,
    alpha: AlphaOption = 0.05,
    n_resamples: Annotated[
        int | None, typer.Option(help="Draws of a test; by default 9,999 (999 where each is slow).")
    ] = None,
    seed: SeedOption = 0,
    format: FormatOption = ReportStyle.table,
    as_json: JsonOption = False,
) -> None:
    """Hold metrics against human judgments: which follows them best, which cannot be told apart."""
    settings = with_words(
        CorrelationSettings(
            correction=correction,
            reference=reference,
            alpha=alpha,
            by=by,
            n_resamples=n_resamples,
            seed=seed,
        ),
        level=level,
        coefficient=coefficient,
        test=test,
        interval=interval,
    )
    chosen: dict[str, Any] = {
        "metrics": names(metrics),
        "systems": names(systems),
        "without": names(without) or (),
        "settings": settings,
        "ties": ties,
        "consensus": consensus,
    }
    with opened(context, read_only=True) as store:
        study = _study(store, dataset, gold, weights, chosen)
    if gave_report(study.report, format, as_json):
        return
    answer(
        "correlate",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show_any(console, study),
    )


def _study(
    store: Store,
    dataset: str | None,
    gold: str | None,
    weights: str | None,
    chosen: dict[str, Any],
) -> CorrelationsStudy | CorrelationsOver | GoldsStudy:
    if weights is not None and (gold is None or dataset is None):
        raise StoreError("`--weights` are for several datasets: name them, and the gold.")
    if gold is None:
        if dataset not in (None, "all"):
            found = study_golds(store, dataset)
            if len(found.golds) == 1:
                return study_correlations(store, dataset or "", found.golds[0].uid, **chosen)
            return found
        return study_golds(store)
    wanted = _wanted(store, dataset)
    if len(wanted) == 1 and wanted != ["all"]:
        if weights is not None:
            raise StoreError("`--weights` are for several datasets; there is one.")
        return study_correlations(store, wanted[0], gold, **chosen)
    if not wanted:
        raise StoreError("Say which dataset, several separated by commas, or 'all'.")
    datasets = None if wanted == ["all"] else wanted
    return study_correlations_over(
        store, gold, datasets=datasets, weights=_weights(weights), **chosen
    )


def _weights(text: str | None) -> str | list[float]:
    """Return a word as it is and numbers as such; the study refuses the rest."""
    try:
        return [float(number) for number in names(text) or []] or "equal"
    except ValueError:
        return text or "equal"


def _wanted(store: Store, dataset: str | None) -> list[str]:
    """Return the names of datasets: one, though it may hold a comma, or several."""
    if dataset is not None:
        try:
            return [get_dataset(store, dataset).uid]
        except NotFoundError:
            pass
    return names(dataset) or []


def _show_any(console: Console, study: CorrelationsStudy | CorrelationsOver | GoldsStudy) -> None:
    if isinstance(study, GoldsStudy):
        _show_golds(console, study)
    elif isinstance(study, CorrelationsOver):
        _show_over(console, study)
    else:
        _show(console, study)


def _show(console: Console, study: CorrelationsStudy) -> None:
    console.print(study.sentence, markup=False)
    console.print(method_in_words(study), markup=False)
    rows = [
        [
            row.metric,
            numbers.fixed(row.coefficient, 3),
            _interval(*row.ci),
            row.n,
            shorten_letters(row.group),
            numbers.pvalue(row.pvalue_vs_best),
            *([numbers.pvalue(row.pvalue_vs_reference)] if study.reference else []),
        ]
        for row in study.rows
    ]
    columns = (
        "metric",
        f"={COEFFICIENTS_IN_WORDS[study.coefficient]}",
        "=interval",
        "=n",
        "group",
        "=p, best",
        *([f"=p, {study.reference}"] if study.reference else []),
    )
    console.print(table("", columns, rows))
    if len(study.rows) > 1:
        console.print("Metrics that share a letter cannot be told apart.")
    if study.slices:
        header = (study.by or "slice", "=items", *(f"={name}" for name in study.metrics))
        cells = [
            [one.slice, one.n_items, *(numbers.fixed(v, 3) for v in one.values)]
            for one in study.slices
        ]
        console.print(table("", header, cells))


def _show_golds(console: Console, study: GoldsStudy) -> None:
    console.print(study.sentence, markup=False)
    if not study.golds:
        return
    columns = ("dataset", "gold", "kind", "=metrics", "=systems", "=items")
    rows = [[g.dataset, g.name, g.kind, g.n_metrics, g.n_systems, g.n_items] for g in study.golds]
    console.print(table("", columns, rows))


def _show_over(console: Console, study: CorrelationsOver) -> None:
    console.print(study.sentence, markup=False)
    console.print(mean_test_in_words(study), markup=False)
    shown = range(len(study.dataset_labels)) if len(study.dataset_labels) <= MOST_COLUMNS else ()
    columns = (
        "metric",
        "=mean",
        "=interval",
        "=by units",
        "group",
        f"=p, {study.reference}",
        "=datasets",
        "=better",
        "=worse",
        *(f"={study.dataset_labels[d]}" for d in shown),
    )
    marks = {BETTER: " +", WORSE: f" {numbers.MINUS}"}
    rows = [
        [
            name,
            numbers.fixed(float(study.mean[i]), 3),
            _interval(float(study.mean_low[i]), float(study.mean_high[i])),
            numbers.fixed(float(study.mean_by_units[i]), 3),
            shorten_letters(study.groups[i]),
            numbers.pvalue(float(study.pvalue_vs_reference[i])),
            int((study.n[i] > 0).sum()),
            int((study.differs[i] == BETTER).sum()),
            int((study.differs[i] == WORSE).sum()),
            *(
                numbers.fixed(float(study.values[i, d]), 3)
                + marks.get(int(study.differs[i, d]), "")
                for d in shown
            ),
        ]
        for i, name in enumerate(study.metrics)
    ]
    console.print(table("", columns, rows))
    text = (
        "group: metrics that share a letter cannot be told apart on the mean. better, worse: "
        f"datasets on which a metric differs from {study.reference}."
    )
    if not shown:
        text += " The single datasets: --format text, or --json."
    console.print(text, markup=False)


def _interval(low: float, high: float) -> str:
    if math.isnan(low):
        return numbers.MISSING
    return f"{numbers.fixed(low, 3)} to {numbers.fixed(high, 3)}"
