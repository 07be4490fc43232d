"""What tells the rows of a table of figures apart, where they would state the same figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from store.importers.cells import looks_numeric
from store.importers.columnar import Coded, are_distinct
from store.importers.columns import fields_of, normal_name, role_cells
from store.importers.metric_registry import words_of
from store.importers.no_metrics import no_metric_by_name
from store.importers.settings import Settings
from store.importers.tables import Table
from store.importers.textfile import data_stem

_KEY_ROLES = (
    "system", "dataset", "dataset_version", "metric", "date", "source", "source_url", "revision",
    "adapter", "precision", "backend", "prompt_variant",
)  # fmt: skip
"""Roles that tell the lines of a table of figures apart."""
_MOST_JOINED = 3
_REPEATS = words_of("experiment run seed trial repeat repetition fold replica attempt date")
"""Words in the names of columns that tell repeats of one measurement apart."""
_PARTS = words_of(
    """subset split language lang domain board leaderboard category section subject data condition
    conditions environment scenario noise difficulty bucket series"""
)
"""Words in the names of columns that name parts of a benchmark."""
_FEWEST_ALIKE = 3
"""Lines that share a value of a column which names datasets, on the average."""
_CUT_OFFS = words_of(
    """k top_k topk at cutoff cut_off rank_cutoff depth shots n_shots n_shot num_shots num_fewshot
    few_shot fewshot shot context_length context_window ctx_len length snr snr_db noise budget
    n_docs n_passages n_candidates"""
)
"""What a column of a few numbers is called that says how each system was measured."""
_CHOSEN = words_of(
    """aggr aggregation aggregator pooling pool optimizer optimiser optim scheduler activation
    norm normalization normalisation backbone loss_fn loss_type criterion init initialization
    initialisation regularization regularisation augmentation sampler solver kernel tokenizer
    tokeniser ablation variant feature features feature_set vectorizer vectoriser representation
    embedding embeddings encoder preprocessing freeze_fraction data_split data_fraction
    train_fraction tier"""
)
"""What a column is called that says how a system was made, beside what is known as a setting."""
_COMPARISONS = words_of(
    """improvement improvements gain gains delta diff difference uplift lift increase decrease
    reduction"""
)
"""Words in the name of a row that compares others."""
_SUMMARIES = words_of("total grand_total average mean avg overall median std stdev")
"""Names of rows that sum up others."""
_ABOUT_A_ROW = words_of(
    "error errors message msg exception traceback status state reason note notes comment comments"
)
"""Words in the names of columns that say what happened, and of what nothing is."""
_MOST_WORDS = 3
_A_SETTING = "a setting"
_FEWEST_SETTINGS = 2
"""Columns of settings from which other words in a table are settings, too."""
_BECAUSE = "without them lines would state the same figure"


def is_comparison(name: str) -> bool:
    """Return whether a row is called as the difference or the sum of others, and is no system."""
    words = normal_name(name).split("_")
    if "_".join(words) in _SUMMARIES:
        return True
    return name.strip().startswith(("Δ", "∆")) or (
        bool(words[0]) and not _COMPARISONS.isdisjoint(words) and len(words) <= _MOST_WORDS
    )


def tell_rows_apart(table: Table, roles: dict[str, str], settings: Settings) -> Settings:
    """Let columns tell datasets, systems or sources apart where rows would repeat a figure.

    A column with few values, such as ``split``, names datasets; so do the few numbers of one such
    as ``k``. A setting, such as ``aggr``, is a part of the system. One that numbers repeats or is
    another in nearly each row, such as ``seed`` or ``folder``, tells sources apart.

    Returns
    -------
    The settings with what was guessed; `roles` has the columns.
    """
    stated = settings.columns
    if "system" not in roles or "dataset" in stated or "source" in stated:
        return settings
    keys = [role for role in _KEY_ROLES if role in roles]
    cells = [role_cells(table, roles[key]) for key in keys]
    coded = [one for one in cells if isinstance(one, Coded)]
    if len(coded) == len(cells) and are_distinct(
        [one.codes for one in coded], [len(one.values) for one in coded]
    ):
        return settings
    rows = list(zip(*cells, strict=True))
    if len(set(map(str, rows))) == len(rows):
        return settings
    teller = _Teller(table, roles)
    parts, rows = teller.telling(rows, teller.is_part)
    cut_offs, rows = teller.telling(rows, teller.is_cut_off)
    of_system, rows = teller.telling(rows, teller.is_of_system)
    shared, rows = teller.telling(rows, teller.is_shared)
    of_dataset = [*parts, *shared]
    of_source, rows = teller.telling(rows, teller.is_of_source)
    is_told = len(set(map(str, rows))) == len(rows)
    n_joined = len(of_dataset) + len(cut_offs) + len(of_system) + len(of_source)
    if not is_told or n_joined > _MOST_JOINED:
        return settings
    if of_system:
        fields = ", ".join(f"{column}={{{column}}}" for column in of_system)
        roles["system"] = f"{{{roles['system']}}} ({fields})"
        settings = settings.guessing("systems", roles["system"], _BECAUSE)
    if of_source and "source" not in roles:
        fields = ", ".join(f"{column} {{{column}}}" for column in of_source)
        roles["source"] = f"{settings.path.name}, {fields}"
        settings = settings.guessing("source", fields, _BECAUSE)
    if not of_dataset and not cut_offs:
        return settings
    named = roles.get("dataset")
    own = f"{{{named}}}" if named else _own_dataset(table, roles, settings)
    parts = [own, *(f"{{{one}}}" for one in of_dataset), *(f"{one}={{{one}}}" for one in cut_offs)]
    roles["dataset"] = "/".join(parts).lstrip("/")
    return settings.guessing("datasets", roles["dataset"], _BECAUSE)


def _are_flags(cells: Sequence[Any]) -> bool:
    """Return whether each cell says yes or no in words, as a setting does."""
    return {str(cell).strip().lower() for cell in cells} == {"true", "false"}


def _own_dataset(table: Table, roles: Mapping[str, str], settings: Settings) -> str:
    """Return the dataset after the file, or after its folder where the file is called a system."""
    stem = data_stem(settings.path.name).casefold()
    columns = fields_of(roles["system"], table.columns)[:1]
    systems = {str(cell).casefold() for c in columns for cell in table.cells.get(c, ())}
    return settings.with_dataset(use_stem=stem not in systems).dataset or ""


@dataclass(frozen=True, slots=True)
class _Teller:
    table: Table
    roles: dict[str, str]

    def telling(
        self, rows: list[tuple[Any, ...]], is_fit: Callable[[str], bool]
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the fit columns that tell rows apart, in their order, and the rows with them."""
        columns = self.table.columns
        taken = {name for column in self.roles.values() for name in fields_of(column, columns)}
        added: list[str] = []
        n_distinct = len(set(map(str, rows)))
        for column in columns:
            is_no_field = not {"{", "}"}.isdisjoint(column)  # a pattern could not name it
            if n_distinct == len(rows) or column in taken or is_no_field or not is_fit(column):
                continue
            cells = self.table.cells[column]
            wider = [(*row, cell) for row, cell in zip(rows, cells, strict=True)]
            if len(set(map(str, wider))) > n_distinct:
                rows, n_distinct = wider, len(set(map(str, wider)))
                added.append(column)
        return added, rows

    def is_part(self, column: str) -> bool:
        """Return whether a column is called after parts of a benchmark."""
        is_called = not _PARTS.isdisjoint(normal_name(column).split("_"))
        return is_called and self._holds_words(column)

    def is_shared(self, column: str) -> bool:
        """Return whether a column holds few words, each in several lines."""
        return self._holds_words(column) and _is_shared(self.table.cells[column])

    def is_of_system(self, column: str) -> bool:
        """Return whether a column says how a system was made: its name or those around it tell."""
        if _is_repeat(column):
            return False
        if no_metric_by_name(column) == _A_SETTING or normal_name(column) in _CHOSEN:
            return True
        others = map(no_metric_by_name, self.table.columns)
        is_of_runs = sum(reason == _A_SETTING for reason in others) >= _FEWEST_SETTINGS
        cells = self.table.cells[column]
        are_words = self._holds_words(column) or _are_flags(cells)
        return is_of_runs and are_words and len(set(map(str, cells))) < len(cells)

    def _holds_words(self, column: str) -> bool:
        is_told = not _ABOUT_A_ROW.isdisjoint(normal_name(column).split("_"))
        is_number = looks_numeric(self.table.cells[column])
        return not (is_told or is_number or _is_repeat(column))

    def is_cut_off(self, column: str) -> bool:
        """Return whether a column holds the few numbers of a setting of the measurement."""
        cells = self.table.cells[column]
        is_called = normal_name(column) in _CUT_OFFS
        return is_called and looks_numeric(cells) and 2 * len(set(map(str, cells))) <= len(cells)

    def is_of_source(self, column: str) -> bool:
        """Return whether a column numbers repeats, or holds words."""
        return _is_repeat(column) or not looks_numeric(self.table.cells[column])


def _is_shared(cells: Sequence[Any]) -> bool:
    return _FEWEST_ALIKE * len(set(map(str, cells))) <= len(cells)


def _is_repeat(column: str) -> bool:
    return not _REPEATS.isdisjoint(normal_name(column).split("_"))
