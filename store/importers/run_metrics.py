"""The metrics of one run without its items: ``{"eval_loss": 0.4, …}``, lines, or a table.

Libraries write such files at the end of a training or an evaluation. They name neither system nor
dataset: both are guessed from folder and file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError
from store.importers import nested_figures
from store.importers.bundle import ImportBundle, ReadOptions, RowProblems
from store.importers.columns import find_roles, normal_name
from store.importers.figure_names import begins_as_metric
from store.importers.figures import Figures
from store.importers.file_names import is_of_settings, naming_folders, specific_name
from store.importers.known_metrics import is_quality, lookup
from store.importers.known_names import is_like_dataset, share_of_systems
from store.importers.no_metrics import counts_beside
from store.importers.path_names import is_crossed, trimmed
from store.importers.places import fellows, folder_name, own_name
from store.importers.run_folders import split_beside
from store.importers.settings import load_settings
from store.importers.tables import peek_columns, read_table
from store.importers.textfile import (
    data_stem,
    data_suffix,
    peek_json,
    peek_text,
    read_json,
    read_text,
)
from store.importers.tracked import (
    OF_NAMES,
    TrackedRun,
    add_runs,
    is_about_the_run,
    is_metric,
    names_model,
)
from store.importers.yaml_nodes import parse_yaml

NAME = "run_metrics"
DESCRIPTION = (
    'metrics of one run without items: {"eval_accuracy": 0.5}, lines "name = value", or columns'
)
_TABLES = (".csv", ".tsv")
_YAML = (".yaml", ".yml")
_INDEX = ("column 1", "", "Unnamed: 0")
"""What the index of a data frame is called where it has no name."""
_NAMES = ("system", "dataset", "item", "score", "input", "output")
"""Roles of columns of a table that is more than the metrics of one run."""
_LINES_OF_ONE_ROW = 3
"""Line ends, of a header and an empty line, too."""
_TEXTS = (".txt", ".eval", ".res", ".result", ".results")
_VALUES = ("score", "value", "result")
_LINE = re.compile(r"\s*([A-Za-z][\w@/ .-]*?)\s*[=:]\s*(\S+)\s*")
_ATTACHMENT = re.compile(
    r"^\s*(Labeled +attachment score|Unlabeled +attachment score|Label +accuracy score):"
    r"\s+\d+ / \d+ \* 100 = ([\d.]+) %$",
    re.MULTILINE,
)
"""The first lines of what eval.pl of CoNLL prints of a parser."""
_ATTACHED = {
    "Labeledattachment": "LAS",
    "Unlabeledattachment": "UAS",
    "Labelaccuracy": "label accuracy",
}
_MOST_HEAD = 500
_OUTPUT = re.compile(r"\.(out|hyp|pred|txt)$")
_SPLIT = re.compile(r"(?<![^\W_])(dev|test|valid|validation|val)\d*(?![^\W_])", re.IGNORECASE)
_OF_SPLIT = re.compile(
    r"(test|dev|valid|validation|predict)_(?:results|metrics)|(?:all_|eval_)?results_(test|dev|valid)"
)
_OF_CONLL = re.compile(r"Metric\s*\|\s*Precision\s*\|\s*Recall\s*\|\s*F1 Score")
_OF_COLUMNS = ("precision", "recall", "F1", "aligned accuracy")
_BEFORE_SPLITS = ("eval_", "test_", "predict_", "train_", "dev_", "val", "best_", "epoch")
"""What names of metrics begin with that tell the split themselves."""
_RUN_NAMES = ("run", "run_name", "experiment", "experiment_name", "exp_name")
"""Keys under which a file names its run."""
_MOST_LINES = 200


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file holds nothing but names and numbers, well-known metrics among them."""
    suffix = data_suffix(path)
    try:
        if suffix in _TABLES:
            return _may_be_table(path) and _says_metrics(_of_table(path)[0])
        if suffix in _YAML:
            return not is_of_settings(path) and _says_metrics(_of_yaml(path)[0])
        if suffix == ".json":
            content = _only_record(peek_json(path))
            return _says_metrics(content) or (
                _says_metrics_beside(content) and not nested_figures.sniff(path, options)
            )
        if suffix in _TEXTS:
            return _says_metrics(_of_lines(peek_text(path)))
    except (ImportFormatError, ValueError):
        pass
    return False


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the figures of a run.

    Raises
    ------
    ImportFormatError
        The file is damaged.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    whole, sha256 = _content(path, settings.shown)
    content = _plain(whole)
    counts = counts_beside({n: [float(v)] for n, v in content.items() if _is_number(v)})
    named = {n: value for n, value in content.items() if is_metric(n) and n not in counts}
    named |= {n: v for n, v in content.items() if _may_be_metric(n, v) and n not in counts}
    system, dataset = _called(path)
    by_path = options.names.get(path)
    if by_path is not None:
        system, dataset = by_path.system or system, by_path.dataset or dataset
        is_told = all(name.lower().startswith(_BEFORE_SPLITS) for name in named)
        beside = split_beside(path)
        is_other = beside == "train" and any(name.lower().startswith("eval_") for name in named)
        if beside and (not is_told or is_other):
            dataset = f"{dataset}/{beside}"
    elif (split := _split_of(path)) and any(name.startswith("eval_") for name in named):
        dataset = f"{folder_name(path)}/{split}"
    said = {key: text.removeprefix("./") for key, text in content.items() if isinstance(text, str)}
    system = next((said[key] for key in _RUN_NAMES if said.get(key)), system)
    label = by_path.run_label if by_path is not None else ""
    run = TrackedRun(system, label, dataset, said, named, is_system=not names_model(said))
    figures = Figures(settings, RowProblems(options.lenient))
    guesses = add_runs([run], figures, "")
    if by_path is not None:
        guesses = [
            replace(guess, because=by_path.because) if guess.because in OF_NAMES else guess
            for guess in guesses
        ]
    told = [f"{len(named)} figures of {len(content)} entries; the others count or time something."]
    if nested := [name for name in whole if name not in content]:
        told.append(f"Entries that hold more than one value are not read: {', '.join(nested)}.")
    bundle = figures.bundle(NAME, settings.files(sha256), told, guesses)
    asked = by_path.questions if by_path is not None else ()
    return replace(bundle, questions=[*bundle.questions, *asked])


def _content(path: Path, shown: str) -> tuple[Mapping[str, Any], str]:
    if data_suffix(path) in _TABLES:
        return _of_table(path, shown)
    if data_suffix(path) in _YAML:
        return _of_yaml(path, shown)
    if data_suffix(path) in _TEXTS:
        text, sha256 = read_text(path, shown)
        return _of_lines(text), sha256
    content, sha256 = read_json(path, shown)
    return _only_record(content), sha256


def _of_yaml(path: Path, shown: str = "") -> tuple[Mapping[str, Any], str]:
    text, sha256 = read_text(path, shown or path.name)
    root = parse_yaml(text, shown or path.name)
    content = None if root is None else root.plain()
    return (content if isinstance(content, dict) else {}), sha256


def _only_record(content: Any) -> Any:
    """Return the only record of a list: some write the metrics of a run as a list of one."""
    (record, *others) = content if isinstance(content, list) and content else [None]
    is_one = isinstance(record, dict) and not others and all(map(_is_number, record.values()))
    return record if is_one else content


def _of_lines(text: str) -> dict[str, Any]:
    """Return the entries of lines ``name = value``; none where a line is something else."""
    if len(attached := _ATTACHMENT.findall(text[:_MOST_HEAD])) == len(_ATTACHED):
        return {_ATTACHED[name.split()[0] + name.split()[-2]]: value for name, value in attached}
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and _OF_CONLL.match(lines[0]):
        return _of_conll(lines[1:])
    found = [_LINE.fullmatch(line) for line in lines[: _MOST_LINES + 1]]
    if len(lines) > _MOST_LINES or not all(found):
        return {}
    return {match[1]: match[2] for match in found if match is not None}


def _of_conll(lines: Sequence[str]) -> dict[str, Any]:
    """Return what the scorer of the CoNLL shared tasks on parsing prints in a table."""
    found: dict[str, Any] = {}
    for line in lines:
        name, *cells = (cell.strip() for cell in line.split("|"))
        for what, cell in zip(_OF_COLUMNS, cells, strict=False):
            if cell:
                found[f"{name} {what}"] = cell
    return found


def _called(path: Path) -> tuple[str, str]:
    """Return system and dataset by folder and file: of several files in a folder, each a system.

    Unless the names of the files are those of datasets, or that of the folder is of a system.
    """
    folder, own, beside = folder_name(path), own_name(path), fellows(path)
    n_metrics = sum(map(begins_as_metric, beside))
    if len(beside) > 1 and 2 * n_metrics > len(beside) and begins_as_metric(own):
        # f1_opt.json, pr_auc.json
        return folder, folder
    if (crossed := _crossed(own, beside)) is not None:
        return crossed[0], f"{folder}/{crossed[1]}"
    are_datasets = is_like_dataset(own) and share_of_systems(beside) < 0
    is_in_system = share_of_systems([folder]) > 0
    if own == folder or are_datasets or is_in_system or len(beside) < 2:
        return folder, own
    system = trimmed(own) or own
    model = None if share_of_systems([own]) > 0 else _model_above(path, folder)
    return f"{model}/{system}" if model else system, folder


def _model_above(path: Path, folder: str) -> str | None:
    """Return the folder above that of a file that is called as a model is."""
    names = [one.name for one in naming_folders(path.resolve())]
    above = names[names.index(folder) + 1 :] if folder in names else []
    return next((name for name in above if share_of_systems([specific_name(name)]) > 0), None)


def _crossed(own: str, beside: Sequence[str]) -> tuple[str, str] | None:
    """Return system and dataset in a name, where files are called after one and the other.

    ``net.fm-dev`` stands beside ``net.fm-test``, ``base.fm-dev`` and ``base.fm-test``.
    """
    for mark, cut in product("._-", (str.partition, str.rpartition)):
        halves = [cut(name, mark) for name in beside]
        first, last = [one[0] for one in halves], [one[2] for one in halves]
        is_cut = own in beside and all(one[1] for one in halves)
        if not is_cut or min(len(set(first)), len(set(last))) < 2 or not is_crossed(first, last):
            continue
        for systems, datasets in ((first, last), (last, first)):
            if any(map(_is_of_data, systems)) or 2 * sum(map(_is_of_data, datasets)) < len(beside):
                continue
            place = beside.index(own)
            return trimmed(systems[place]), _OUTPUT.sub("", datasets[place])
    return None


def _is_of_data(name: str) -> bool:
    return _SPLIT.search(name) is not None or is_like_dataset(name)


def _split_of(path: Path) -> str | None:
    """Return the split that the name of a file tells, where metrics are all of an evaluation."""
    found = _OF_SPLIT.fullmatch(data_stem(path.name).lower())
    return (found[1] or found[2]) if found else None


def _may_be_table(path: Path) -> bool:
    """Return whether a table has a column of metrics and one of values, or a single row."""
    if _is_two_columns(peek_columns(path)):
        return True
    return peek_text(path).count("\n") <= _LINES_OF_ONE_ROW and len(_row_of(path)[0]) > 1


def _row_of(path: Path, shown: str = "") -> tuple[dict[str, Any], str]:
    """Return the cells of the only row of a table of numbers, without the index of a frame."""
    table = read_table(path, shown or path.name, RowProblems(lenient=True))
    if len(table) != 1 or find_roles(table.columns, {}, _NAMES, shown):
        return {}, table.sha256
    row = {name: table.cells[name][0] for name in table.columns if name not in _INDEX}
    return (row if all(map(_is_number, row.values())) else {}), table.sha256


def _is_two_columns(columns: Sequence[str]) -> bool:
    names = [normal_name(column) for column in columns]
    return (
        len(names) == len(_VALUES[:2]) and names[0] in ("metric", "measure") and names[1] in _VALUES
    )


def _of_table(path: Path, shown: str = "") -> tuple[dict[str, Any], str]:
    if not _is_two_columns(peek_columns(path)):
        return _row_of(path, shown)
    table = read_table(path, shown or path.name, RowProblems(lenient=True))
    names, values = (table.cells[column] for column in table.columns)
    return dict(zip(map(str, names), values, strict=True)), table.sha256


def _may_be_metric(name: str, value: Any) -> bool:
    """Return whether a broken number of an unknown name is a figure beside known metrics."""
    if is_metric(name) or is_about_the_run(name) or not _is_number(value):
        return False
    return not float(value).is_integer() and math.isfinite(float(value))


def _says_metrics(content: Any) -> bool:
    """Return whether half of the numbers may be metrics, and a known one is more than spending."""
    if not isinstance(content, dict) or any(isinstance(v, (dict, list)) for v in content.values()):
        return False
    numbers = [n for n, value in content.items() if _is_number(value) and not is_about_the_run(n)]
    known = [name for name in numbers if is_metric(name)]
    found = [metric for metric in map(lookup, known) if metric is not None]
    are_results = any(metric.measured not in ("count", "money") for metric in found)
    return are_results and 2 * len(known) >= len(numbers)


def _plain(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that hold one value each."""
    return {name: v for name, v in content.items() if not isinstance(v, (dict, list))}


def _says_metrics_beside(content: Any) -> bool:
    """Return whether metrics of quality stand beside matrices, texts and parts, and no records."""
    if not isinstance(content, dict) or len(content) > _MOST_LINES:
        return False
    lists = [value for value in content.values() if isinstance(value, list)]
    if any(isinstance(one, dict) for value in lists for one in value):
        return False
    plain = _plain(content)
    has_quality = any(
        is_quality(name) and _is_number(value) and not float(value).is_integer()
        for name, value in plain.items()
    )
    return has_quality and _says_metrics(plain)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True
