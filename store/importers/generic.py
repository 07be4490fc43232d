"""Tables of item scores: long, wide by metric, wide by system, by a layout, or a list of scores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleMetric,
    BundleRun,
    BundleScores,
    Guess,
    ImportBundle,
    Provenance,
    ReadOptions,
    RowProblems,
)
from store.importers.cells import CellError, as_text, parse_date
from store.importers.columnar import Coded, first_rows, repeated, together
from store.importers.columns import GENERIC_ROLES, LINE_NUMBER, find_roles, role_cells
from store.importers.failed_judges import without_failed
from store.importers.file_names import is_of_settings
from store.importers.generic_forms import Plan, choose_plan
from store.importers.generic_guesses import spread_where_needed, with_guesses
from store.importers.generic_items import read_items, without_changing_group
from store.importers.generic_rows import RowKeys, dataset_identity, read_keys
from store.importers.generic_vectors import VectorBuilder
from store.importers.item_columns import is_id, may_name_items, names_subjects
from store.importers.item_headers import items_as_rows
from store.importers.item_mappings import holds_outcomes, is_specific
from store.importers.known_metrics import is_quality, lookup
from store.importers.outcome_columns import (
    outcomes_as_statuses,
    outcomes_of_systems_as_rows,
    statuses_of,
)
from store.importers.outcome_words import outcomes_as_numbers
from store.importers.repeat_columns import repeats_as_rows
from store.importers.repeats import repeats_apart
from store.importers.score_list import is_score_list, read_score_list
from store.importers.settings import Settings, load_settings
from store.importers.summary_rows import without_summaries
from store.importers.tables import (
    RECORD_SUFFIXES,
    TABLE_SUFFIXES,
    Table,
    peek_columns,
    read_table,
)
from store.importers.textfile import data_suffix, peek_json
from store.importers.variants import with_variant

NAME = "generic"
DESCRIPTION = "table of item scores (CSV, TSV, JSON Lines, Parquet) or one score per line"


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file is a table by its name, a list of numbers, or has known columns."""
    if data_suffix(path) in TABLE_SUFFIXES or is_score_list(path):
        return not is_of_settings(path) or any(map(is_quality, peek_columns(path)))
    try:
        is_records = data_suffix(path) in RECORD_SUFFIXES
        columns = peek_columns(path)
        roles = find_roles(columns, options.columns, GENERIC_ROLES, path.name)
    except ImportFormatError:
        return False
    names_items = not roles.keys().isdisjoint({"item", "input"})
    if is_records and roles.keys().isdisjoint({"system", "score"}):
        # Keys of an object may be systems as well; and a list may hold questions, or settings.
        if roles.get("item") == "item":
            return data_suffix(path) == ".json" and holds_outcomes(peek_json(path))
        return (names_items or any(map(is_id, columns))) and any(map(is_quality, columns))
    if is_records and not names_items:
        names_items = any(map(may_name_items, columns)) and any(map(is_specific, columns))
        return "system" in roles and (names_items or names_subjects(path, roles))
    return len(columns) > 1 and names_items and len(roles) > 1


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read one table of item scores.

    Raises
    ------
    ImportFormatError
        The columns do not suffice, or a row cannot be used and the import is strict.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    problems = RowProblems(options.lenient)
    if is_score_list(path):
        return read_score_list(settings, problems)
    table = read_table(path, settings.shown, problems)
    table = outcomes_of_systems_as_rows(outcomes_as_statuses(table, settings), settings)
    table = items_as_rows(spread_where_needed(table, settings))
    table, settings = outcomes_as_numbers(table, settings)
    table = repeats_as_rows(table, settings, of_items=True)
    settings = with_guesses(table, with_variant(table, settings))
    plan = choose_plan(table, settings)
    names = [name for one in plan.scores for name in one.columns]
    table, failed = without_failed(table, names, settings)
    if failed:
        plan = replace(plan, roles={**plan.roles, **statuses_of(table, settings)})
    if "metric" not in plan.roles and plan.roles["item"] != LINE_NUMBER:
        items = role_cells(table, plan.roles["item"])
        table, summed = without_summaries(table, items, names)
        failed += summed
    keys = read_keys(table, plan, settings, problems)
    plan, keys, guessed = repeats_apart(table, plan, keys, settings)
    plan = without_changing_group(table, plan, keys, settings.columns)
    items, told = read_items(table, plan, keys, problems, with_text=options.with_text)
    builder = VectorBuilder(table, plan, keys, settings, problems)
    builder.build()
    skipped = problems.raise_if_any()
    if not builder.runs:
        raise ImportFormatError("the table holds no score: every cell is empty.", path=table.shown)
    used = sorted({one.metric for run in builder.runs.values() for one in run.scores})
    return ImportBundle(
        NAME,
        settings.files(table.sha256),
        datasets=[
            settings.dataset_of(name, dataset_items, version=version)
            for (name, version), dataset_items in zip(
                map(dataset_identity, keys.datasets), items, strict=True
            )
        ],
        metrics=[builder.metrics[number] for number in used],
        runs=_runs(table, plan, keys, builder, settings, {n: i for i, n in enumerate(used)}),
        overlaps=settings.mapping.overlaps,
        identities=keys.identities,
        aliases=settings.mapping.aliases,
        skipped=skipped,
        understood=[
            *table.notes,
            *plan.understood,
            *keys.understood,
            *told,
            *failed,
            *_means_of_corpus_metrics([builder.metrics[number] for number in used]),
        ],
        warnings=builder.warnings,
        guesses=[*_still_true(settings.guesses, guessed), *guessed, *builder.guesses],
        questions=settings.questions,
    )


def _still_true(guesses: Sequence[Guess], later: Sequence[Guess]) -> list[Guess]:
    """Return the guesses without those that a later one of the same role replaces."""
    replaced = {guess.subject for guess in later} & {"system"}
    return [guess for guess in guesses if guess.subject not in replaced]


def _means_of_corpus_metrics(metrics: Sequence[BundleMetric]) -> list[str]:
    """Return what is told of metrics that usually arise over a whole corpus and are means here."""
    names = [
        f"'{metric.name}'"
        for metric in metrics
        if metric.aggregation == "mean"
        and (known := lookup(metric.name)) is not None
        and known.over == "corpus"
    ]
    if not names:
        return []
    return [
        f"Taken as the mean of the item scores: {', '.join(names)}. Over a corpus it is usually "
        "computed from the parts of the items."
    ]


def _runs(
    table: Table,
    plan: Plan,
    keys: RowKeys,
    builder: VectorBuilder,
    settings: Settings,
    metric_index: Mapping[int, int],
) -> list[BundleRun]:
    dates = _run_property(table, plan, keys, "date")
    seeds = _run_property(table, plan, keys, "seed")
    names, labels = list(builder.systems), list(keys.runs)
    runs = []
    for (system, dataset, run), content in sorted(builder.runs.items()):
        place = (system if keys.system is not None else 0, dataset, run)
        scores = sorted(content.scores, key=lambda one: (one.metric, one.trial))
        runs.append(
            BundleRun(
                names[system],
                dataset,
                labels[run],
                [BundleScores(metric_index[o.metric], o.values, o.trial) for o in scores],
                content.statuses,
                content.outputs,
                provenance=_provenance(settings, dates.get(place), seeds.get(place), table.shown),
            )
        )
    return runs


def _provenance(
    settings: Settings, date: tuple[str, int] | None, seed: tuple[str, int] | None, shown: str
) -> Provenance:
    """Join the provenance of the whole file with what the row's columns say; flags go first."""
    provenance = settings.provenance
    if date is not None and settings.options.date is None:
        try:
            moment, assumed = parse_date(date[0])
        except CellError as error:
            raise ImportFormatError(f"{error}.", path=shown, line=date[1], field="date") from None
        provenance = replace(provenance, evaluated_on=moment, tz_assumed=assumed)
    if seed is not None:
        number = seed[0].removesuffix(".0")
        if not re.fullmatch(r"-?\d+", number):
            raise ImportFormatError(
                f"the seed {seed[0]!r} is no whole number. If it is a name, use --column "
                "run=NAME --column seed= instead.",
                path=shown,
                line=seed[1],
                field="seed",
            )
        provenance = replace(provenance, seed=int(number))
    return provenance


def _run_property(
    table: Table, plan: Plan, keys: RowKeys, role: str
) -> dict[tuple[int, int, int], tuple[str, int]]:
    """Return run -> (text, line) of a column that must be constant within each run."""
    if role not in plan.roles:
        return {}
    cells = role_cells(table, plan.roles[role])
    systems = repeated(0, keys.n_rows) if keys.system is None else keys.system
    runs = [systems, keys.dataset, keys.run]
    sizes = [int(part.max()) + 1 for part in runs]
    coded = cells if isinstance(cells, Coded) else Coded.of(map(as_text, cells))
    texts = coded.map(as_text)
    found, codes = together([*runs, keys.of(texts.codes)], [*sizes, len(texts.values)])
    first = first_rows(codes, len(found[0]))
    properties: dict[tuple[int, int, int], tuple[str, int]] = {}
    numbers = range(len(found[0]))
    for number in sorted(numbers, key=first.__getitem__):
        *place, text_number = (int(part[number]) for part in found)
        text, row = texts.values[text_number], keys.row(int(first[number]))
        if not text:
            continue
        system, dataset, run = place
        earlier, line = properties.setdefault((system, dataset, run), (text, table.lines[row]))
        if earlier != text:
            raise ImportFormatError(
                f"the {role} changes within one run: {text!r} here, {earlier!r} in line {line}. If "
                f"it tells runs apart, use --column run=NAME; if it belongs to the items, switch "
                f"it off with --column {role}=",
                path=table.shown,
                line=table.lines[row],
                field=plan.roles[role],
            )
    return properties
