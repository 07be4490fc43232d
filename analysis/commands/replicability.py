"""`tiebreak replicability`: two systems, or all pairs of them, across datasets."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from analysis import numbers
from analysis.commands.options import (
    AlphaOption,
    FormatOption,
    ReportStyle,
    SeedOption,
    gave_report,
    names,
)
from analysis.studies.cells import ALL_METRICS
from analysis.studies.dependence import ESTIMATOR_NAMES, NEED_INDEPENDENCE, EstimatorChoice
from analysis.studies.families import FamilyKind
from analysis.studies.new_datasets_words import new_datasets_in_words
from analysis.studies.replicability import (
    ReplicabilitySettings,
    ReplicabilityStudy,
    study_replicability,
)
from analysis.studies.replicability_matrix import (
    ReplicabilityMatrixStudy,
    study_replicability_matrix,
)
from analysis.studies.test_names import PairsTestName
from store.console import JsonOption, answer, exits_in_words, messages, opened, table
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.metrics import get_metric

app = typer.Typer()

SHORT = {"holm": "Holm", "hochberg": "Hochberg", "hommel": "Hommel", "bh": "BH"}
"""Ways to name datasets that a terminal shows; all are in the JSON."""
MOST_PRINTED = 40
"""Pairs that a terminal shows; all are in the JSON."""


@app.command("replicability")
@exits_in_words
def replicability_command(
    context: typer.Context,
    a: Annotated[str | None, typer.Argument(help="Without A and B: all pairs.")] = None,
    b: Annotated[str | None, typer.Argument()] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help="By default the one on most datasets. For a pair also several, separated by "
            "commas, or 'all'."
        ),
    ] = None,
    datasets: Annotated[
        str | None, typer.Option(help="Names, separated by commas; by default all.")
    ] = None,
    systems: Annotated[
        str | None, typer.Option(help="For all pairs: names, separated by commas.")
    ] = None,
    alpha: AlphaOption = 0.05,
    test: Annotated[PairsTestName, typer.Option(help="How item scores are tested.")] = "auto",
    reported: Annotated[
        bool, typer.Option("--reported", help="Use the p-values that papers and files state.")
    ] = False,
    estimator: Annotated[
        EstimatorChoice, typer.Option(help="auto: what is known of the datasets' items allows.")
    ] = "auto",
    dependent: Annotated[
        bool | None,
        typer.Option(
            "--dependent/--independent",
            help="By default what the store knows of their items decides; unknown counts as "
            "dependent.",
        ),
    ] = None,
    family: Annotated[
        FamilyKind, typer.Option(help="What is counted together, with several metrics.")
    ] = "together",
    margin: Annotated[
        float | None,
        typer.Option(help="Differences below this do not matter on a new dataset."),
    ] = None,
    n_resamples: Annotated[int, typer.Option(help="Random sign flips per test.")] = 9_999,
    seed: SeedOption = 0,
    format: FormatOption = ReportStyle.table,
    as_json: JsonOption = False,
) -> None:
    """Say on how many datasets, and on which, A is better than B; or that for all pairs."""
    if (a is None) != (b is None):
        raise StoreError("Name two systems, A and B, or none for all pairs.")
    if a is None or b is None:
        _refuse_for_all_pairs(reported=reported, family=family, margin=margin)
    elif systems is not None:
        raise StoreError("`--systems` is for all pairs: leave it out, or leave A and B out.")
    with (
        opened(context, read_only=True) as store,
        Progress(console=messages, transient=True, disable=not sys.stderr.isatty()) as bar,
    ):
        task = bar.add_task("Testing", total=None)

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        study: ReplicabilityStudy | ReplicabilityMatrixStudy
        if a is None or b is None:
            study = study_replicability_matrix(
                store,
                metric=metric,
                datasets=names(datasets),
                systems=names(systems),
                alpha=alpha,
                estimator=estimator,
                dependent=dependent,
                test=test,
                n_resamples=n_resamples,
                seed=seed,
                progress=progress,
            )
        else:
            chosen = names(datasets)
            settings = ReplicabilitySettings(
                metric=_metrics(store, metric),
                datasets=None if chosen is None else tuple(chosen),
                alpha=alpha,
                reported=reported,
                estimator=estimator,
                dependent=dependent,
                family=family,
                margin=margin,
                test=test,
                n_resamples=n_resamples,
                seed=seed,
            )
            study = study_replicability(store, a, b, settings, progress=progress)
    if gave_report(study.report, format, as_json):
        return
    answer(
        "replicability",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show(console, study),
    )


def _refuse_for_all_pairs(*, reported: bool, family: FamilyKind, margin: float | None) -> None:
    given = {
        "--reported": reported,
        "--family": family != "together",
        "--margin": margin is not None,
    }
    for option, is_given in given.items():
        if is_given:
            raise StoreError(f"`{option}` is for two systems: name A and B.")


def _metrics(store: Store, given: str | None) -> str | tuple[str, ...] | None:
    """Return one name, "all", or several names; a metric's own name may hold a comma."""
    if given is None or given == ALL_METRICS or "," not in given:
        return given
    try:
        return get_metric(store, given).uid
    except NotFoundError:
        return tuple(names(given) or ())


def _show(console: Console, study: ReplicabilityStudy | ReplicabilityMatrixStudy) -> None:
    if isinstance(study, ReplicabilityStudy):
        _show_pair(console, study)
    else:
        _show_matrix(console, study)


def _show_pair(console: Console, study: ReplicabilityStudy) -> None:
    console.print(study.sentence, markup=False)
    console.print(study.recommended.because, markup=False)
    columns: tuple[str, ...] = (
        "on at least so many datasets"
        if len(study.metrics) == 1
        else "on at least so many combinations",
        f"={study.system_a} better",
        f"={study.system_b} better",
        "=undirected",
    )
    console.print(table("", columns, _count_rows(study)))
    several = len(study.metrics) > 1
    rows = [
        [
            e.name(with_metric=several),
            e.score_a,
            e.score_b,
            e.difference,
            numbers.interval(e.ci_low, e.ci_high, signed=True),
            numbers.pvalue(e.pvalue),
            e.favours,
            ", ".join(title for title, yes in named.items() if yes[k]),
        ]
        for k, e in enumerate(study.datasets)
        for named in ({t: study.undirected.identified[m] for m, t in SHORT.items()},)
    ]
    columns = (
        "dataset",
        f"={study.system_a}",
        f"={study.system_b}",
        "=difference",
        "=interval",
        "=p",
        "favours",
        "identified",
    )
    console.print(table("", columns, rows))
    if len(study.families) > 1:
        _show_families(console, study)
    if study.new_datasets is not None:
        for line in new_datasets_in_words(study):
            console.print(line, markup=False)


def _show_families(console: Console, study: ReplicabilityStudy) -> None:
    columns = ("family", "=tests", f"={study.system_a} better", f"={study.system_b} better", "by")
    rows = [
        [f.name, f.n_testable, f.k_a_over_b, f.k_b_over_a, ESTIMATOR_NAMES[f.estimator]]
        for f in study.families
    ]
    console.print(table("within each family, α for each by itself", columns, rows))


def _count_rows(study: ReplicabilityStudy) -> list[list[Any]]:
    directions = (study.a_over_b, study.b_over_a, study.undirected)
    rows: list[list[Any]] = []
    for name in ("bonferroni", "fisher", "simes", "stouffer"):
        rows.append([_title(study, name), *(getattr(result, f"k_{name}") for result in directions)])
    if study.joint is not None:
        joint = (study.joint.a_over_b, study.joint.b_over_a, study.joint.undirected)
        rows.append([_title(study, "joint"), *(result.k for result in joint)])
    title = f"Count of p ≤ {study.alpha:g} (no guarantee)"
    rows.append([title, *(result.k_count for result in directions)])
    return rows


def _title(study: ReplicabilityStudy, estimator: str) -> str:
    name = ESTIMATOR_NAMES[estimator]
    name = name[0].upper() + name[1:]
    if estimator != study.recommended.estimator:
        only = study.recommended.known == "unknown" and estimator in NEED_INDEPENDENCE
        return f"{name} (only if no items are shared)" if only else name
    return f"{name} ({'asked for' if study.recommended.asked_for else 'recommended'})"


def _show_matrix(console: Console, study: ReplicabilityMatrixStudy) -> None:
    console.print(study.sentence, markup=False)
    console.print(study.how, markup=False)
    rows = study.rows()
    columns = ("a", "b", "=a better", "=b better", "=of datasets", "=mean difference", "estimator")
    printed: list[list[Any]] = [
        [
            row["a"],
            row["b"],
            row["k_a_over_b"],
            row["k_b_over_a"],
            row["n_datasets"],
            row["mean_difference"],
            ESTIMATOR_NAMES.get(row["estimator"], ""),
        ]
        for row in rows[:MOST_PRINTED]
    ]
    console.print(table("on at least so many datasets", columns, printed))
    if len(rows) > MOST_PRINTED:
        console.print(f"… and {len(rows) - MOST_PRINTED:,} more pairs: see --json.")
