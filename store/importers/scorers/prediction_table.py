"""Tables with a column of outputs and one of what is right: CSV, TSV, JSON Lines, Parquet.

Files of one name in folders beside each other are systems called as the folders. Files with the
same items and gold are one dataset; where the gold of an item differs, they are two.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import Guess, ImportBundle, ReadOptions, RowProblems
from store.importers.cells import as_text
from store.importers.file_names import says_nothing
from store.importers.known_names import share_of_systems
from store.importers.metric_registry import words_of
from store.importers.places import folder_of_system, own_name
from store.importers.scorers.builder import Gold, Scored
from store.importers.scorers.crossed_names import crossed_names
from store.importers.scorers.gold_tables import Golds, gold_beside, holds_gold, is_called_gold
from store.importers.scorers.joined import joined
from store.importers.scorers.layout import folder_name, parts_of
from store.importers.scorers.run_folder import experiment_of_run, is_artefact, system_of_run
from store.importers.scorers.scoring import chosen, usual_for
from store.importers.scorers.table_keys import cells_at, gold_of_cell, keys_of
from store.importers.scorers.table_roles import TableRoles, roles_of
from store.importers.scorers.told_answers import holds_answers
from store.importers.settings import Settings, load_settings
from store.importers.tables import TABLE_SUFFIXES, peek_columns, read_table
from store.importers.textfile import data_stem, data_suffix

NAME = "predictions"
DESCRIPTION = "tables with a column of outputs and a column of references"
_NO_SYSTEM = re.compile(
    r"(predictions?|preds?|outputs?|results?|eval|answers|generations?|responses|test|dev|"
    r"samples|details|table)([-_]?\d+)?",
    re.IGNORECASE,
)


_WRONG = words_of("wrong incorrect misclassified misclassifications mistakes failures")
"""Words in the names of files of what was answered wrong."""
_FEWEST_PARTS = 3
"""Files with items of their own from which each is a dataset, and none a system."""
_MOST_LIKE_SYSTEMS = 0.2
"""Share of their names that may be like those of systems, as ``human_aging`` is."""
_RARELY = 10
"""One in so many items may stand in two of such files."""
_NO_OTHER = ("prediction", "predictions", "pred")
"""Names of columns that hold outputs and nothing else."""


@dataclass(slots=True)
class _Rows:
    """What one system gave in one file."""

    system: str
    settings: Settings
    sha256: str
    keys: list[str]
    outputs: list[str | None]
    gold: list[tuple[str, ...]]
    inputs: list[str] | None
    roles: TableRoles
    has_ids: bool
    gold_place: Path | None
    """The table that says what is right, where the outputs' own does not."""


@dataclass(slots=True)
class _Set:
    """Items with one gold, and who answered them."""

    items: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    """Key -> gold and input."""
    members: list[_Rows] = field(default_factory=list)

    def fits(self, rows: _Rows) -> bool:
        """Return whether items are shared, and all that are shared have the same gold and input."""
        theirs = zip(rows.keys, rows.gold, rows.inputs or rows.keys, strict=True)
        shared = [(key, gold, text) for key, gold, text in theirs if key in self.items]
        return bool(shared) and all(self.items[key] == (gold, text) for key, gold, text in shared)

    def add(self, rows: _Rows) -> None:
        """Take what one system gave."""
        for key, gold, text in zip(rows.keys, rows.gold, rows.inputs or rows.keys, strict=True):
            self.items.setdefault(key, (gold, text))
        self.members.append(rows)


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a table has outputs and gold, in it or given, and is not scored yet."""
    if data_suffix(path) not in (*TABLE_SUFFIXES, ".json") or _is_selection(path):
        return False
    roles = roles_of(peek_columns(path), options.columns)
    if roles.output is None:
        return _is_gold_alone(path) or (is_called_gold(path) and holds_gold(path))
    if roles.output in roles.outputs and not holds_answers(path, roles):
        return False
    is_asked = bool(options.score) or options.gold is not None
    has_gold = roles.gold is not None or _has_gold(options) or gold_beside(path) is not None
    if not has_gold and roles.output.lower() in _NO_OTHER and roles.item is not None:
        rest = set(peek_columns(path)) - {roles.output, roles.item, roles.input}
        return not rest  # nothing but outputs: what is right is asked for
    return has_gold and (is_asked or not roles.has_scores)


def _is_selection(path: Path) -> bool:
    """Return whether a file is called after what was answered wrong: no sample of all answers."""
    return not _WRONG.isdisjoint(re.findall(r"[^\W\d_]+", data_stem(path.name).lower()))


def _is_gold_alone(path: Path) -> bool:
    """Return whether a table has inputs and what is right, and nothing else."""
    columns = peek_columns(path)
    roles = roles_of(columns, {"output": ""})
    known = {roles.item, roles.input, roles.gold}
    return None not in (roles.input, roles.gold) and known >= set(columns)


def _has_gold(options: ReadOptions) -> bool:
    return options.gold is not None and data_suffix(options.gold) in TABLE_SUFFIXES


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put files of one name in folders beside each other together, all others by folder."""
    count = Counter((path.resolve().parent.parent, path.name) for path in paths)
    groups: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        folder = path.resolve().parent
        twins = (folder.parent, path.name)
        groups.setdefault(twins if count[twins] > 1 else (folder, ""), []).append(path)
    return list(groups.values())


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read outputs and gold of a table, or of several that belong together, and score them.

    Raises
    ------
    ImportFormatError
        An item stands twice, a row does not fit, or a metric is not known.
    AlignmentError
        The gold that is given has other items.
    """
    problems = RowProblems(options.lenient)
    are_twins = len(paths) > 1 and len({path.name for path in paths}) == 1
    golds = Golds(options, problems)
    found = [
        _rows_of(path, shown[path], options, problems, golds, are_twins=are_twins) for path in paths
    ]
    are_parts = not are_twins and _are_datasets(paths, found)
    sets: list[_Set] = []
    for rows in (rows for of_file in found for rows in of_file):
        fitting = None if are_parts else next((one for one in sets if one.fits(rows)), None)
        if fitting is None:
            sets.append(fitting := _Set())
        fitting.add(rows)
    skipped = problems.raise_if_any()
    if are_parts:
        names = _names_of_parts(paths, sets)
    elif crossed := None if are_twins else _crossed(sets):
        names, sets = list(crossed), list(crossed.values())
    else:
        _name_apart(sets)
        names = _names(paths, sets, are_twins=are_twins)
    bundles = [_scored(one, name, options) for one, name in zip(sets, names, strict=True)]
    bundles[0].skipped = list(skipped)
    if len(sets) > 1:
        because = "the files have other items, or another gold for the same"
        bundles[0].guesses.append(Guess("datasets", ", ".join(names), because))
    return joined([one.bundle() for one in bundles])


def _rows_of(
    path: Path,
    shown: str,
    options: ReadOptions,
    problems: RowProblems,
    golds: Golds,
    *,
    are_twins: bool,
) -> list[_Rows]:
    """Return what each system of a file gave."""
    settings = load_settings(path, shown, options)
    if roles_of(peek_columns(path), settings.columns).output is None:
        raise NoResultsError("inputs and what is right, without outputs to score.", path=shown)
    table = read_table(path, shown, problems)
    roles = roles_of(table.columns, settings.columns)
    if roles.output is None or not len(table):
        raise NoResultsError("there is no row with an output of a system.", path=shown)
    every, of_system = range(len(table)), None if settings.system else roles.system
    systems = cells_at(table, of_system, every, as_text) if of_system else None
    by_system: dict[str, list[int]] = {}
    named = settings.named.system if settings.named else None
    own = settings.system or named or _system_of(path, are_twins=are_twins)
    for row in every:
        name = systems[row] if systems is not None else ""
        by_system.setdefault(name or own, []).append(row)
    found = []
    columns = roles.outputs or {"": roles.output}
    parts = [
        (f"{by} ({name})" if name and systems is not None else name or by, c, rows)
        for by, rows in by_system.items()
        for name, c in columns.items()
    ]
    for system, column, rows in parts:
        keys, has_ids = keys_of(table, roles, rows, shown)
        place = golds.place_for(path, roles)
        if place is not None:
            gold = golds.of_rows(place, keys, table, rows, has_ids=has_ids)
        elif roles.gold is not None:
            gold = cells_at(table, roles.gold, rows, gold_of_cell)
        else:
            reason = "outputs, and nothing that says what is right. Give --gold FILE, or put it"
            raise ImportFormatError(f"{reason} beside them as gold/{path.name}.", path=shown)
        outputs = cells_at(table, column, rows, _output_of)
        inputs = None
        if roles.input:
            inputs = cells_at(table, roles.input, rows, as_text)
        found.append(
            _Rows(
                system, settings, table.sha256, keys, outputs, gold, inputs, roles, has_ids, place
            )
        )
    return found


def _output_of(cell: Any) -> str | None:
    if isinstance(cell, (list, tuple)):
        cell = cell[0] if len(cell) == 1 else None
    return None if cell is None else as_text(cell)


def _system_of(path: Path, *, are_twins: bool) -> str:
    """Return the system of a file that does not name it."""
    full = path.resolve()
    if are_twins:
        return full.parent.name
    if is_artefact(full):
        return system_of_run(full.parent.parent)
    stem = data_stem(path.name)
    parts = [text for _, _, text in parts_of(stem) if not _NO_SYSTEM.fullmatch(text)]
    return "_".join(parts) if parts else folder_of_system(full)


def _are_datasets(paths: Sequence[Path], found: Sequence[Sequence[_Rows]]) -> bool:
    """Return whether the files of a folder are of a dataset each: they hardly share any item.

    Nothing names their systems, and the files are not called like any.
    """
    if len(paths) < _FEWEST_PARTS or any(len(of_file) != 1 for of_file in found):
        return False
    rows = [one for of_file in found for one in of_file]
    if any(one.settings.system or one.roles.system for one in rows):
        return False
    if share_of_systems([own_name(path) for path in paths]) > _MOST_LIKE_SYSTEMS:
        return False
    times = Counter(key for one in rows for key in set(one.keys))
    n_shared = sum(n > 1 for n in times.values())
    return _RARELY * n_shared < len(times)


def _names_of_parts(paths: Sequence[Path], sets: Sequence[_Set]) -> list[str]:
    """Return datasets called as their files, of the system that a folder above is called after."""
    full = [path.resolve() for path in paths]
    for one, path in zip(sets, full, strict=True):
        one.members[0].system = folder_of_system(path)
    project = folder_name(full[0])
    return [f"{project}/{_without_ending(own_name(path))}" for path in paths]


def _without_ending(stem: str) -> str:
    """Return a name without the words at its end that say nothing: ``law`` of ``law_results``."""
    words = re.split(r"(?<=[-_. ])", stem)
    while len(words) > 1 and says_nothing(words[-1].strip("-_. ")):
        words.pop()
    return "".join(words).strip("-_. ")


def _names(paths: Sequence[Path], sets: Sequence[_Set], *, are_twins: bool) -> list[str]:
    """Return a name for each dataset."""
    named = [
        dict.fromkeys(m.settings.named.dataset if m.settings.named else None for m in one.members)
        for one in sets
    ]
    told = [name for names in named for name in names if name is not None and len(names) == 1]
    if len(set(told)) == len(sets):
        return told
    full = paths[0].resolve()
    if is_artefact(full) and len(sets) == 1:
        return [experiment_of_run(full.parent.parent)]
    stem = data_stem(full.name)
    is_told = any(not _NO_SYSTEM.fullmatch(text) for _, _, text in parts_of(stem))
    project = folder_name(full.parent if are_twins else full)
    base = f"{project} {stem}" if are_twins and is_told else project
    if len(sets) == 1:
        return [base]
    sizes = [f"{base}, {len(one.items)} items" for one in sets]
    found = []
    for i, name in enumerate(sizes):
        earlier = sizes[:i].count(name)
        found.append(f"{name} ({chr(ord('a') + earlier)})" if sizes.count(name) > 1 else name)
    return found


def _crossed(sets: Sequence[_Set]) -> dict[str, _Set] | None:
    """Return the datasets that files are called after beside their systems: those of all items."""
    if _are_told(sets):
        return None
    groups: dict[tuple[int, frozenset[str]], list[_Rows]] = {}
    for number, one in enumerate(sets):
        for rows in one.members:
            groups.setdefault((number, frozenset(rows.keys)), []).append(rows)
    told = crossed_names(
        [[data_stem(rows.settings.path.name) for rows in group] for group in groups.values()]
    )
    if told is None:
        return None
    found = {name: _Set() for name, _ in told}
    for (name, systems), group in zip(told, groups.values(), strict=True):
        for rows, system in zip(group, systems, strict=True):
            rows.system = system
            found[name].add(rows)
    return found


def _are_told(sets: Sequence[_Set]) -> bool:
    """Return whether something else than the names of files tells systems or datasets.

    What all names taken together tell does not hold where one system would answer items twice.
    """
    members = [rows for one in sets for rows in one.members]
    settings = [rows.settings for rows in members]
    if any(one.system or one.dataset for one in settings):
        return True
    if any(rows.roles.system or rows.roles.outputs for rows in members):
        return True
    named = {(n.dataset, n.run_label, n.seed) if (n := one.named) else None for one in settings}
    return len(named) > 1 and all(_has_each_once(one) for one in sets)


def _name_apart(sets: Sequence[_Set]) -> None:
    """Call systems after their files where names, taken together, tell one that answered twice."""
    for one in sets:
        named = all(rows.settings.named and not rows.roles.system for rows in one.members)
        if named and not _has_each_once(one):
            for rows in one.members:
                stem = data_stem(rows.settings.path.name)
                parts = [part for part in parts_of(stem) if not _NO_SYSTEM.fullmatch(part[2])]
                rows.system = stem[parts[0][0] : parts[-1][1]] if parts else stem


def _has_each_once(one: _Set) -> bool:
    named = [
        (rows.system, rows.settings.named.run_label if rows.settings.named else "")
        for rows in one.members
    ]
    return len(set(named)) == len(named)


def _scored(one: _Set, name: str, options: ReadOptions) -> Scored:
    """Return a dataset with the scores of its systems."""
    first = one.members[0]
    keys = list(one.items)
    references = [one.items[key][0] for key in keys]
    has_inputs = first.inputs is not None
    is_named = first.has_ids or not has_inputs
    roles = first.roles
    usual = usual_for(references, is_speech=roles.is_speech, is_translation=roles.is_translation)
    settings = first.settings
    if usual.names == ("accuracy",) and not options.score:
        _require_labels(one, references)
    scored = Scored(
        NAME,
        settings,
        settings.dataset or name,
        Gold(
            keys if is_named else [str(i + 1) for i in range(len(keys))],
            references,
            [one.items[key][1] for key in keys] if has_inputs else None,
        ),
        chosen(options.score, usual, settings.shown),
        list(settings.files(first.sha256)),
    )
    n_empty = 0
    for rows in one.members:
        place = {key: i for i, key in enumerate(rows.keys)}
        outputs = [rows.outputs[place[key]] if key in place else None for key in keys]
        n_empty += sum(output == "" for output in outputs)
        scored.add(rows.system, outputs, rows.settings, rows.sha256)
    gold = first.gold_place
    right = f"{gold.parent.name}/{gold.name}" if gold is not None else roles.gold
    given = "', '".join(roles.outputs.values()) or roles.output
    columns = f"outputs in '{given}', what is right in '{right}'"
    because = "their names; --column output=NAME and reference=NAME take others"
    scored.guesses.append(Guess("columns", columns, because))
    if settings.dataset is None:
        because = "the names of the folders; --dataset NAME takes another"
        scored.guesses.append(Guess("dataset", name, because))
    if settings.system is None and roles.system is None:
        names = ", ".join(rows.system for rows in one.members[:8])
        scored.guesses.append(Guess("systems", names, "the names of files and folders"))
    if n_empty:
        scored.warnings.append(
            f"{n_empty:,} empty outputs count as empty answers, not as missing ones."
        )
    return scored


def _require_labels(one: _Set, references: Sequence[Sequence[str]]) -> None:
    """Refuse outputs of which none is a label, as probabilities are: all would count as wrong."""
    labels = {text.strip() for rights in references for text in rights}
    for rows in one.members:
        given = [output.strip() for output in rows.outputs if output is not None]
        if given and not labels & set(given):
            raise ImportFormatError(
                f"no output is one of the labels ({', '.join(sorted(labels)[:5])}); the first is "
                f"'{given[0][:40]}'. Name another column (--column output=NAME) or a metric "
                "(--score METRIC).",
                path=rows.settings.shown,
                field=rows.roles.output,
            )
