"""Which form a table of item scores has: long, wide by metric, wide by system, or by a layout."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from store.errors import ImportFormatError, NoResultsError, UnknownFormatError
from store.importers.bundle import COMPONENTS, Aggregation
from store.importers.cells import as_text, is_empty, is_missing, looks_numeric
from store.importers.column_parts import choose_correlation, components, plain_parts
from store.importers.columns import (
    ROLE_NAMES,
    describe_roles,
    fields_of,
    free_metric_column,
    normal_name,
    role_cells,
)
from store.importers.generic_roles import generic_roles
from store.importers.known_metrics import lookup
from store.importers.known_names import share_of_systems
from store.importers.no_metrics import AN_ID, CALLED_A_FLAG, is_answer, no_metric
from store.importers.problems import listed
from store.importers.settings import Settings
from store.importers.tables import Table
from store.importers.textfile import data_stem
from store.importers.unread_results import unread_table

_ANSWER_ROLES = ("status", "output")
_FLAGS = {
    "item": ("what the items are called", "--column item=NAME, or --column item=@line"),
    "system": ("the system", "--system NAME (or --column system=NAME)"),
    "dataset": ("the dataset", "--dataset NAME (or --column dataset=NAME)"),
    "metric": ("the metric", "--metric NAME (or --column metric=NAME)"),
    "score": ("a column of scores", "--column score=NAME"),
}


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """The columns that hold the scores of one metric: one, or its components."""

    columns: tuple[str, ...]
    metric: str | None
    """``None``: the metric column names it."""
    system: str | None
    """``None``: the system column names it, or it is given for the whole file."""
    aggregation: Aggregation = "mean"
    only: frozenset[str] | None = None
    """Metrics of the metric column that stand in these columns; ``None``: all."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a table is going to be read."""

    roles: Mapping[str, str]
    scores: tuple[ScoreColumns, ...]
    leftover: tuple[str, ...]
    """Columns that hold neither scores nor a role."""
    understood: tuple[str, ...]


def choose_plan(table: Table, settings: Settings) -> Plan:
    """Decide how a table is read.

    Raises
    ------
    UnknownFormatError
        The columns hold no item scores.
    ImportFormatError
        System, dataset or metric is not named, or two readings are possible.
    """
    roles = generic_roles(table, settings)
    if settings.layout:
        return _plan_layout(table, roles, settings)
    named = free_metric_column(roles, table.columns, settings.columns, settings.metric)
    if named is not None:
        return _plan_named(table, roles, settings, named)
    if "score" in roles or (("metric" in roles or settings.metric) and plain_parts(table)):
        _require(table, roles, settings, ("item", "system", "dataset", "metric"))
        scores = _long_scores(table, roles, settings)
        return _plan(table, roles, settings, scores, "Long table: one score in each line.")
    return _plan_wide(table, roles, settings)


def _plan_named(table: Table, roles: dict[str, str], settings: Settings, column: str) -> Plan:
    """Read the column that is called as the metric that was asked for."""
    _require(table, roles, settings, ("item", "system", "dataset"))
    told = [text for cell in table.cells[column] if (text := _shown(cell))]
    if told and not looks_numeric(table.cells[column]):
        raise ImportFormatError(
            f"the metric asked for is this column, and it holds no numbers (as {told[0]}). "
            "Write its scores as numbers, or name the column that holds them: --column score=NAME.",
            path=table.shown,
            field=column,
        )
    note = f"Scores of '{settings.metric}' from column '{column}'."
    others = [
        one.metric or ""
        for one in _score_columns(table, roles, settings)
        if one.columns != (column,)
    ]
    if others:
        note += f" Numeric columns left out: {listed(others)}."
    return _plan(table, roles, settings, [ScoreColumns((column,), settings.metric, None)], note)


def _shown(cell: object) -> str:
    """Return a cell as messages show it; empty where it holds nothing."""
    if is_missing(cell):
        return ""
    return "a list or an object" if isinstance(cell, (list, dict)) else repr(cell)


def _long_scores(table: Table, roles: Mapping[str, str], settings: Settings) -> list[ScoreColumns]:
    """Return the columns of a long table: ``score``, parts such as ``numerator``, or both.

    With both, a metric that has a score in any line stands in ``score``; the parts belong to the
    metrics that have none.
    """
    score, available = roles.get("score"), plain_parts(table)
    if "metric" not in roles:
        if score is not None:
            return [ScoreColumns((score,), settings.metric, None)]
        aggregation = choose_correlation(available[0], settings.metric, settings)
        return [ScoreColumns(COMPONENTS[available[0]], settings.metric, None, aggregation)]
    if score is not None and not available:
        return [ScoreColumns((score,), None, None)]
    names = list(map(as_text, role_cells(table, roles["metric"])))
    free = set(names) - (_metrics_with(table, names, score) if score is not None else set())
    found = []
    for parts_of in available:
        parts = COMPONENTS[parts_of]
        for name in sorted(free & _metrics_with(table, names, parts[0])):
            aggregation = choose_correlation(parts_of, name, settings)
            found.append(ScoreColumns(parts, None, None, aggregation, frozenset({name})))
            free.discard(name)
    if score is not None:
        mine = set(names).difference(*(one.only or () for one in found))
        found.insert(0, ScoreColumns((score,), None, None, "mean", frozenset(mine)))
    return found


def _metrics_with(table: Table, names: Sequence[str], column: str) -> set[str]:
    """Return the metrics that have a value in a column."""
    cells = table.cells[column]
    return {name for name, cell in zip(names, cells, strict=True) if not is_missing(cell)}


def _plan_wide(table: Table, roles: dict[str, str], settings: Settings) -> Plan:
    if "metric" in roles:
        _require(table, roles, settings, ("item", "score"))
    _require(table, roles, settings, ("item",))
    found = _score_columns(table, roles, settings)
    if not found:
        _refuse_nested(table, roles)
        _require(table, roles, settings, ("score",))
    are_metrics = "system" in roles or settings.system is not None
    unscored = _unscored_systems(table, roles, found)
    found, told = _without_no_scores(found, table, settings, are_metrics=are_metrics)
    by_name = {one.metric or "": one for one in found}
    names = listed(by_name)
    is_guessed = any(one.subject == "system" for one in settings.guesses)
    if is_guessed and not settings.metric and _is_manifest(table.shown):
        reason = f"a manifest, by its name: which items were chosen, and why ({names})."
        raise NoResultsError(
            f"{reason} If it holds scores, --metric NAME reads them.", path=table.shown
        )
    if are_metrics:
        chosen, note = found, f"Wide table: one column for each metric ({names})."
        if settings.metric:
            chosen = [_named_metric(by_name, settings, table)]
            others = [name for name, one in by_name.items() if one.columns != chosen[0].columns]
            note = f"Scores of '{settings.metric}' from column '{chosen[0].columns[0]}'."
            if others:
                note += f" Numeric columns left out: {listed(others)}."
        _require(table, roles, settings, ("dataset",))
        return _plan(table, roles, settings, chosen, *told, note)
    if settings.metric:
        _require(table, roles, settings, ("dataset",))
        if "status" in roles:
            told.append("Outcomes are of whole rows here, and count for none of the systems.")
        for role in _ANSWER_ROLES:
            roles.pop(role, None)
        found = [*found, *unscored]
        chosen = [ScoreColumns(o.columns, settings.metric, o.metric, o.aggregation) for o in found]
        note = f"Wide table: one column for each system ({listed(o.metric or '' for o in found)})."
        return _plan(table, roles, settings, chosen, *told, note)
    (first, *more) = found
    cells = {as_text(cell) for column in first.columns for cell in table.cells[column]}
    if not more and len(cells) == 1 and len(table) > 1:
        reason = f"the only column of numbers, {names}, is the same in all rows."
        raise NoResultsError(reason, path=table.shown)
    words = [c for c in table.columns if c not in (*roles.values(), *by_name)]
    why = no_metric(names, table.cells.get(names, ())) if words and not more else None
    if why is not None:  # a property of items, beside others
        reason = f"the only column of numbers, {names}, is {why}."
        raise NoResultsError(
            f"{reason} If it holds scores, --metric NAME reads it.", path=table.shown
        )
    if data_stem(table.shown).lower().startswith("confusion"):
        raise NoResultsError("a confusion matrix, by its name.", path=table.shown)
    if any(is_answer(name) for name in by_name):
        reason = f"labels and what goes with them, and no known metric: {names}. "
        raise NoResultsError(reason + "If one is, --metric NAME reads it.", path=table.shown)
    reason = (
        f"the numeric columns ({names}) may be systems or metrics. If they are systems, give "
        "--metric NAME; if they are metrics, give --system NAME or --column system=NAME."
    )
    is_usual = normal_name(roles["item"]) in ROLE_NAMES["item"] or "item" in settings.columns
    if not is_usual and share_of_systems(list(by_name)) <= 0:  # texts or files beside numbers
        raise NoResultsError(reason, path=table.shown)
    raise ImportFormatError(reason, path=table.shown)


def _unscored_systems(
    table: Table, roles: Mapping[str, str], found: Sequence[ScoreColumns]
) -> list[ScoreColumns]:
    """Return the columns that would be systems without a score.

    The header tells them where it names nothing but roles, columns of scores, and these.
    """
    used = {name for column in roles.values() for name in fields_of(column, table.columns)}
    used.update(name for one in found for name in one.columns)
    free = [column for column in table.columns if column not in used]
    if any(len(one.columns) > 1 for one in found):
        return []
    if not all(is_empty(table.cells[column]) for column in free):
        return []
    called = [c for c in free if c != f"column {table.columns.index(c) + 1}"]
    return [ScoreColumns((column,), column, None) for column in called]


def _is_manifest(shown: str) -> bool:
    return "manifest" in re.findall(r"[^\W_]+", data_stem(shown).lower())


def _without_no_scores(
    found: Sequence[ScoreColumns], table: Table, settings: Settings, *, are_metrics: bool
) -> tuple[list[ScoreColumns], list[str]]:
    """Return the columns that may hold scores, and a sentence that tells the others.

    A column that stands for a system is none by its name only where it holds ids.

    Raises
    ------
    ImportFormatError
        No column is left.
    """
    kept, reasons = [], {}
    for one in found:
        name = one.metric or ""
        cells = table.cells.get(name)
        is_declared = are_metrics and name in (
            *settings.mapping.metrics,
            *settings.options.directions,
        )
        reason = None if cells is None or is_declared else no_metric(name, cells)
        if reason is None or not (are_metrics or reason == AN_ID):
            kept.append(one)
        else:
            reasons[name] = reason
    if not kept:
        kept = [one for one in found if reasons.get(one.metric or "") == CALLED_A_FLAG]
        reasons = {name: why for name, why in reasons.items() if why != CALLED_A_FLAG}
    listed = ", ".join(f"{name} ({reason})" for name, reason in reasons.items())
    if reasons and not kept:
        raise NoResultsError(
            f"no numeric column seems to hold scores: {listed}. If one does, name it: "
            "--metric NAME, or --column score=NAME.",
            path=table.shown,
        )
    told = f"Not taken for scores: {listed}; --metric NAME reads one of them."
    return kept, [told] if reasons else []


def _plan_layout(table: Table, roles: dict[str, str], settings: Settings) -> Plan:
    layout = settings.layout or ""
    pattern = _layout_pattern(layout, settings, table.shown)
    used = {name for column in roles.values() for name in fields_of(column, table.columns)}
    matched = tuple(
        column
        for column in table.columns
        if column not in used
        and pattern.fullmatch(column)
        and (looks_numeric(table.cells[column]) or is_empty(table.cells[column]))
    )
    if not matched:
        raise ImportFormatError(
            f"no numeric column fits the layout '{layout}'. Columns: {', '.join(table.columns)}.",
            path=table.shown,
            field="layout",
        )
    for role in (*_ANSWER_ROLES, "system", "metric"):
        roles.pop(role, None)
    _require(table, roles, settings, ("item", "dataset"))
    has_metric = "metric" in pattern.groupindex
    if not has_metric:
        _require(table, roles, settings, ("metric",))
    scores = []
    for columns, name, aggregation in components(matched, table.shown):
        match = pattern.fullmatch(name)
        system = match["system"] if match else name
        metric = match["metric"] if match and has_metric else settings.metric
        if aggregation == "spearman":
            aggregation = choose_correlation("spearman", metric, settings)
        scores.append(ScoreColumns(columns, metric, system, aggregation))
    if has_metric and settings.metric:
        scores = _only_metric(scores, settings.metric, table.shown)
    systems = list(dict.fromkeys(one.system for one in scores))
    metrics = list(dict.fromkeys(one.metric for one in scores))
    note = f"Layout '{layout}': systems {', '.join(map(str, systems))}; metrics "
    note += f"{', '.join(map(str, metrics))}."
    if len(systems) * len(metrics) != len(scores):
        note += " Not every system has every metric: check that the names are split where meant."
    return _plan(table, roles, settings, scores, note)


def _plan(
    table: Table,
    roles: Mapping[str, str],
    settings: Settings,
    scores: Sequence[ScoreColumns],
    *notes: str,
) -> Plan:
    used = {name for column in roles.values() for name in fields_of(column, table.columns)}
    used.update(name for one in scores for name in one.columns)
    leftover = tuple(column for column in table.columns if column not in used)
    told = describe_roles(roles, table.columns, settings.columns)
    return Plan(roles, tuple(scores), leftover, (*notes, told))


def _require(
    table: Table, roles: Mapping[str, str], settings: Settings, wanted: Sequence[str]
) -> None:
    """Raise an error that lists all that is wanted and neither a column nor given."""
    given = {"system": settings.system, "dataset": settings.dataset, "metric": settings.metric}
    missing = [role for role in wanted if role not in roles and not given.get(role)]
    if not missing:
        return
    unread = unread_table(table) if {"item", "score"} & set(missing) else None
    kind = UnknownFormatError if {"item", "score"} & set(missing) else ImportFormatError
    lacks = "; ".join(f"{_FLAGS[role][0]}: give {_FLAGS[role][1]}" for role in missing)
    if unread is not None:
        raise ImportFormatError(f"{unread} Missing: {lacks}.", path=table.shown)
    raise kind(
        f"not enough to read item scores. Columns found: {listed(table.columns)}. "
        f"Missing: {lacks}.",
        path=table.shown,
    )


def _score_columns(
    table: Table, roles: Mapping[str, str], settings: Settings
) -> list[ScoreColumns]:
    """Return the numeric columns that play no role; `metric` holds the name of each."""
    used = {name for column in roles.values() for name in fields_of(column, table.columns)}
    free = tuple(c for c in table.columns if c not in used and looks_numeric(table.cells[c]))
    return [
        ScoreColumns(columns, name, None, choose_correlation(aggregation, name, settings))
        for columns, name, aggregation in components(free, table.shown)
    ]


def _refuse_nested(table: Table, roles: Mapping[str, str]) -> None:
    """Raise an error when the only columns left hold lists or objects: outputs, or damaged scores.

    Raises
    ------
    ImportFormatError
        The column is called like a metric.
    NoResultsError
        It may hold anything.
    """
    for column in table.columns:
        if column in roles.values():
            continue
        for line, cell in zip(table.lines, table.cells[column], strict=True):
            if isinstance(cell, (list, dict)):
                reason = "holds a list or an object where a score is wanted; write one number."
                kind = NoResultsError if lookup(column) is None else ImportFormatError
                raise kind(reason, path=table.shown, line=line, field=column)


def _named_metric(
    by_name: Mapping[str, ScoreColumns], settings: Settings, table: Table
) -> ScoreColumns:
    """Return the column that holds the metric that was asked for."""
    wanted = settings.metric or ""
    if wanted in by_name:
        return by_name[wanted]
    if len(by_name) == 1:
        only = next(iter(by_name.values()))
        return ScoreColumns(only.columns, wanted, None, only.aggregation)
    raise ImportFormatError(
        f"no column is called '{wanted}' and there are several numeric columns "
        f"({', '.join(by_name)}). Name the one that holds it: --column score=NAME.",
        path=table.shown,
    )


def _only_metric(scores: list[ScoreColumns], metric: str, shown: str) -> list[ScoreColumns]:
    chosen = [one for one in scores if one.metric == metric]
    if not chosen:
        found = ", ".join(dict.fromkeys(str(one.metric) for one in scores))
        raise ImportFormatError(
            f"the layout names the metrics {found}, but not '{metric}'.", path=shown, field="metric"
        )
    return chosen


def _layout_pattern(layout: str, settings: Settings, shown: str) -> re.Pattern[str]:
    """Return a layout such as ``{system}_{metric}`` as a regular expression.

    The metrics that the YAML declares are the only ones then; without them the last possible
    place splits the name.
    """
    fields = re.findall(r"\{([^{}]*)\}", layout)
    if (
        "system" not in fields
        or len(set(fields)) < len(fields)
        or set(fields) - {"system", "metric"}
    ):
        raise ImportFormatError(
            f"the layout '{layout}' must hold {{system}} once, may hold {{metric}} once, and "
            'nothing else in braces; for example "{system}_{metric}".',
            path=shown,
            field="layout",
        )
    declared = sorted(settings.mapping.metrics, key=len, reverse=True)
    parts = [part for names in COMPONENTS.values() for part in names if part != "score"]
    metric = "|".join(map(re.escape, declared)) or ".+"
    pattern = re.escape(layout).replace(r"\{system\}", "(?P<system>.+)")
    pattern = pattern.replace(r"\{metric\}", f"(?P<metric>{metric})")
    return re.compile(pattern + rf"(?:\.(?:{'|'.join(dict.fromkeys(parts))}))?")
