"""Tables of judgments: ratings, labels and preferences of annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from store.errors import AlignmentError, ImportFormatError, UnknownFormatError
from store.importers.apart import set_apart
from store.importers.bundle import (
    BundleItem,
    Guess,
    ImportBundle,
    ReadOptions,
    RowProblems,
    SourceFile,
)
from store.importers.cells import as_text
from store.importers.columns import normal_name
from store.importers.judgments.beside import read_beside
from store.importers.judgments.by_file import annotator_of_file
from store.importers.judgments.choices import (
    Preferences,
    are_choices,
    read_cell_choices,
    read_pairs,
)
from store.importers.judgments.forms import Layout, choose_layout
from store.importers.judgments.items import names_file
from store.importers.judgments.missing import no_judgment, unjudged
from store.importers.judgments.options import JudgmentOptions, read_options, require_known
from store.importers.judgments.roles import judgment_roles
from store.importers.judgments.rows import RowReader
from store.importers.judgments.scales import Ratings, guessed_levels, read_ratings
from store.importers.judgments.sheet import (
    first_record,
    is_list_of_numbers,
    is_matrix_of_labels,
    numbered_winners,
    read_sheet,
)
from store.importers.judgments.work import own_names
from store.importers.known_names import are_language_models
from store.importers.settings import Settings, load_settings
from store.importers.tables import Table, peek_columns
from store.importers.textfile import data_suffix, peek_json, read_text

NAME = "judgments"
DESCRIPTION = "table of ratings, labels or preferences (CSV, TSV, JSON Lines, JSON, Parquet)"
_SURE_NAMES = frozenset(
    f"{word}{end}"
    for word in ("annotator", "worker", "rater")
    for end in ("", "_id", "_name", "id")
)


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a table names annotators, compares pairs, or holds lists of values.

    Anything less is left to the tables of scores.
    """
    if _table_of(path) is not None:
        return True
    if data_suffix(path) == ".json" and _is_plain_mapping(path):
        return False
    if options.columns.get("score") is None and is_matrix_of_labels(path):
        return True
    record = first_record(path)
    columns = tuple(record) or peek_columns(path)
    columns = tuple(own_names(columns).values()) or columns
    if numbered_winners(columns):
        columns = (*columns, "winner")
    try:
        roles = judgment_roles(columns, options.columns, path.name)
    except ImportFormatError:
        return False
    stated = {role for role in ("annotator", "choice", "strength") if options.columns.get(role)}
    has_item = "item" in roles or "input" in roles
    sides = {name for name in ("first", "second") if name in roles or name in options.choices}
    if len(sides) == 2 and sides & roles.keys() and ("choice" in roles or "strength" in roles):
        return has_item
    if "annotator" in roles and has_item:
        return bool(stated) or normal_name(roles["annotator"]) in _SURE_NAMES
    if "item" in roles and not options.system and annotator_of_file(path) is not None:
        return True
    return "item" in roles and _only_lists(record, roles)


def _is_plain_mapping(path: Path) -> bool:
    """Return whether JSON is one object without a list or an object in it, as a vocabulary is."""
    try:
        content = peek_json(path)
    except ImportFormatError:
        return False
    return isinstance(content, dict) and not any(
        isinstance(value, (list, dict)) for value in content.values()
    )


def _only_lists(record: Mapping[str, object], roles: Mapping[str, str]) -> bool:
    """Return whether a JSON record has lists of ratings, and no plain number.

    They stand below an object, or in a column that is called "ratings" or as a rating may be.
    """
    cells = {name: cell for name, cell in record.items() if name not in roles.values()}
    has_number = any(isinstance(cell, (int, float)) for cell in cells.values())
    lists = [
        name
        for name, cell in cells.items()
        if is_list_of_numbers(cell) and not name.endswith(".answer_start")  # a place in a text
    ]
    named = [name for name in (roles.get("rating", ""), "ratings") if name in record]
    is_named = any(is_list_of_numbers(record[name]) for name in named)
    return not has_number and (is_named or any("." in name for name in lists))


def _table_of(path: Path) -> Path | None:
    """Return the table that a file of right labels belongs to: ``rte.csv`` of ``rte.key``."""
    if path.suffix.lower() != ".key":
        return None
    table = path.with_suffix(".csv")
    return table if table.is_file() and is_matrix_of_labels(table) else None


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put a table and its right labels together; all other files are by themselves."""
    groups: dict[Path, list[Path]] = {}
    for path in paths:
        groups.setdefault(_table_of(path) or path, []).append(path)
    return [sorted(one, key=lambda path: path.suffix.lower() == ".key") for one in groups.values()]


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read one table of judgments, with the right labels of its items where a file has them.

    Raises
    ------
    ImportFormatError
        The columns do not suffice, or a row cannot be used and the import is strict.
    """
    path, *keys = paths
    if _table_of(path) is not None:
        reason = "right labels without the table of judgments. Give both."
        raise UnknownFormatError(reason, path=shown[path])
    settings = load_settings(path, shown[path], options)
    choices = read_options(settings)
    if not choices.annotator and (who := annotator_of_file(path)) is not None:
        choices = replace(choices, annotator=who)
        settings = settings.guessing("annotator", who, "the names of this file and those beside it")
    problems = RowProblems(options.lenient)
    table = read_sheet(settings, choices, problems)
    settings = _with_turns(table, settings)
    roles = judgment_roles(table.columns, settings.columns, table.shown)
    if "dataset" not in roles:  # items that are known by their line belong to this file alone
        settings = settings.with_dataset(use_stem="item" not in roles)
    layout = choose_layout(table, settings, choices)
    rows = RowReader(layout, settings, choices, problems)
    found = _read_judgments(rows, layout, settings, choices, problems)
    item_lists: list[tuple[BundleItem, ...]] = [tuple(items) for items in rows.item_lists]
    key_files = []
    for key in keys:
        labels, sha256 = read_text(key, shown[key])
        item_lists = [_with_gold(items, labels, shown[key], settings) for items in item_lists]
        key_files.append(SourceFile(shown[key], sha256))
    taken = {criterion.name for criterion in found.criteria}
    beside = read_beside(rows.rows, rows.items, taken, layout, settings, problems)
    skipped = problems.raise_if_any()
    ratings = found.ratings if isinstance(found, Ratings) else []
    preferences = found.preferences if isinstance(found, Preferences) else []
    if not ratings and not preferences:
        raise no_judgment(found, settings.shown)
    names = dict.fromkeys([one.annotator for one in ratings])
    names = names or dict.fromkeys([one.annotator for one in preferences])
    kinds = (dict.fromkeys(names, choices.kind) if choices.kind else {}) | rows.kinds
    guesses: list[Guess] = []
    if not kinds and are_language_models(names):
        kinds = dict.fromkeys(names, "model")
        guesses = [Guess("kind of the annotators", "model", "their names; --option kind=human")]
    criteria, told = found.criteria, found.understood
    if preferences and choices.is_split:
        criteria, preferences, apart = set_apart(criteria, preferences, kinds)
        told = [*told, *apart]
    return ImportBundle(
        NAME,
        (*settings.files(table.sha256), *key_files, *names_file(settings, choices)),
        datasets=[
            settings.dataset_of(name, items)
            for name, items in zip(rows.datasets, item_lists, strict=True)
        ],
        metrics=beside.metrics,
        runs=beside.runs,
        criteria=criteria,
        annotators=kinds,
        ratings=ratings,
        preferences=preferences,
        overlaps=settings.mapping.overlaps,
        aliases=settings.mapping.aliases,
        skipped=skipped,
        understood=[
            *layout.understood,
            *beside.understood,
            *rows.understood,
            *told,
            *unjudged(rows, layout, found),
        ],
        guesses=[*settings.guesses, *guesses, *guessed_levels(criteria, layout, choices)],
    )


def _with_turns(table: Table, settings: Settings) -> Settings:
    """Return settings that tell the turns of a question apart where its pairs are judged by turn.

    A column ``turn`` that says the same in every row of an item tells nothing apart.
    """
    roles = judgment_roles(table.columns, settings.columns, table.shown)
    is_free = {"item", "choice"} <= roles.keys() and "item" not in settings.columns
    if not is_free or "turn" not in table.columns or "turn" in roles.values():
        return settings
    items = [as_text(cell) for cell in table.cells[roles["item"]]]
    turns = [as_text(cell) for cell in table.cells["turn"]]
    if len(set(zip(items, turns, strict=True))) == len(set(items)):
        return settings
    columns = {**settings.options.columns, "item": f"{{{roles['item']}}} turn {{turn}}"}
    return replace(settings, options=replace(settings.options, columns=columns))


def _with_gold(
    items: Sequence[BundleItem], labels: str, shown: str, settings: Settings
) -> tuple[BundleItem, ...]:
    """Return the items with the right label as a property, line by line."""
    right = labels.rstrip("\n").split("\n")
    if len(right) != len(items):
        raise AlignmentError(
            f"{len(right):,} labels here, {len(items):,} items in {settings.shown}.", path=shown
        )
    return tuple(
        replace(item, metadata={**(item.metadata or {}), "gold": label.strip()})
        for item, label in zip(items, right, strict=True)
    )


def _read_judgments(
    rows: RowReader,
    layout: Layout,
    settings: Settings,
    choices: JudgmentOptions,
    problems: RowProblems,
) -> Ratings | Preferences:
    if layout.form == "pairs":
        return read_pairs(rows.rows, layout, settings, choices, problems)
    if layout.form == "workers" and are_choices(choices):
        return read_cell_choices(rows.judged(), layout, settings, choices, problems)
    require_known(choices.words, lambda word: False, settings.shown)
    return read_ratings(rows.judged(), rows.levels, layout, settings, choices, problems)
