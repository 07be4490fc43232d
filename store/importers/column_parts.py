"""Metrics that stand in several columns, such as the parts of a ratio or of BLEU."""

from __future__ import annotations

from store.errors import ImportFormatError
from store.importers.bundle import COMPONENTS, Aggregation
from store.importers.cells import looks_numeric
from store.importers.settings import Settings
from store.importers.tables import Table

_WITH_COMPONENTS: tuple[Aggregation, ...] = ("ratio", "f1", "bleu", "chrf", "spearman")


def components(
    columns: tuple[str, ...], shown: str
) -> list[tuple[tuple[str, ...], str, Aggregation]]:
    """Join the columns ``las.numerator`` and ``las.denominator`` into one metric ``las``."""
    joined: dict[str, tuple[tuple[str, ...], Aggregation]] = {}
    for column in columns:
        base, _, part = column.rpartition(".")
        for aggregation in _WITH_COMPONENTS:
            parts = COMPONENTS[aggregation]
            if not base or part not in parts:
                continue
            wanted = tuple(f"{base}.{name}" for name in parts)
            absent = [name for name in wanted if name not in columns]
            if absent:
                raise ImportFormatError(
                    f"the column '{column}' is a part of the metric '{base}' and needs "
                    f"'{absent[0]}' beside it. Add that column or rename this one.",
                    path=shown,
                    field=column,
                )
            joined[base] = wanted, aggregation
    parts_of = {column: base for base, (wanted, _) in joined.items() for column in wanted}
    found: dict[str, tuple[tuple[str, ...], Aggregation]] = {}
    for column in columns:
        name = parts_of.get(column, column)
        found[name] = joined.get(name, ((column,), "mean"))
    return [(wanted, name, aggregation) for name, (wanted, aggregation) in found.items()]


def plain_parts(table: Table) -> list[Aggregation]:
    """Return the aggregations whose parts are columns of a long table."""
    return [
        aggregation
        for aggregation in _WITH_COMPONENTS
        if all(
            part in table.columns and looks_numeric(table.cells[part])
            for part in COMPONENTS[aggregation]
        )
    ]


def choose_correlation(
    aggregation: Aggregation, metric: str | None, settings: Settings
) -> Aggregation:
    """Return pearson for prediction and gold when the YAML or the metric's name says so."""
    if aggregation != "spearman":
        return aggregation
    declared = settings.note_of(metric or "").aggregation
    is_named = "pearson" in (metric or "").casefold()
    return "pearson" if declared == "pearson" or (declared is None and is_named) else "spearman"
