"""Figures in nested mappings of JSON or YAML: ``{"task": {"accuracy": 0.5, …}, …}``, without items.

The keys above a metric name systems, where they are like names of systems or the file is called
after no system; else they name datasets.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from store.errors import ImportFormatError
from store.importers.bundle import Guess, ImportBundle, ReadOptions, RowProblems
from store.importers.figures import Figure, Figures
from store.importers.file_names import is_of_settings, specific_name
from store.importers.item_mappings import holds_outcomes
from store.importers.json_frames import rows_of_frame
from store.importers.known_metrics import is_quality, lookup
from store.importers.known_names import share_of_systems
from store.importers.metric_registry import words_of
from store.importers.naming_columns import metric_of_file
from store.importers.nested_keys import metrics_last
from store.importers.no_metrics import counts_beside
from store.importers.places import folder_name, has_fellows, own_name
from store.importers.run_folders import split_beside
from store.importers.settings import load_settings
from store.importers.textfile import data_stem, data_suffix, peek_json, read_json, read_text
from store.importers.tracked import dataset_said, is_about_the_run, model_said
from store.importers.yaml_nodes import parse_yaml

NAME = "nested_figures"
DESCRIPTION = 'figures in nested JSON or YAML, by dataset or system: {"task": {"accuracy": 0.5}}'
_YAML = (".yaml", ".yml")
_DEEPEST = 4
_SURE = 0.5
"""Share of names like those of systems, or of datasets, from which a level has either."""
_WRAPPERS = words_of(
    """results result metrics scores figures table_results evaluation summary all report
    classification_report conditions"""
)
_YEAR = re.compile(r"(19|20)\d\d")
_SYSTEMS = words_of("arms models systems methods approaches agents")
"""What stands above the names of systems."""
_OF_ARMS = words_of("ablation ablations arms variants")
"""Words in the name of a file whose keys are arms of an experiment."""
_VALUES = words_of("mean avg average value score")
_PARTS = words_of("train training val valid validation dev test eval overall all average")

_OF_ALL = {("overall",), ("all",), ("average",)}
"""Keys above figures that say no more than the file does."""
_TEXTS = words_of(
    "question query answer response prompt input output prediction completion reference gold_answer"
)
"""What the texts of an item are called."""
_AVERAGES = ("micro avg", "macro avg", "weighted avg", "samples avg")
_OF_CLASS = frozenset(("precision", "recall", "f1", "number"))
_OF_REPORT = "_classification_report"


class _Leaf(NamedTuple):
    """A number and the keys that lead to it."""

    keys: tuple[str, ...]
    metric: str
    value: float


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file holds nothing but mappings whose numbers are mostly known metrics."""
    suffix = data_suffix(path)
    try:
        if suffix in _YAML:
            return not is_of_settings(path) and bool(_leaves_of(path, _content(path, path.name)[0]))
        if suffix != ".json":
            return False
        content = peek_json(path)
        return bool(_leaves_of(path, content)) and not holds_outcomes(content)
    except (ImportFormatError, RecursionError):
        return False


def _content(path: Path, shown: str) -> tuple[Any, str]:
    """Return what JSON or YAML holds, and the fingerprint of the file."""
    if data_suffix(path) not in _YAML:
        return read_json(path, shown)
    text, sha256 = read_text(path, shown)
    root = parse_yaml(text, shown)
    return (None if root is None else root.plain()), sha256


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the figures.

    Raises
    ------
    ImportFormatError
        The file is damaged.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    content, sha256 = _content(path, settings.shown)
    leaves = _leaves_of(path, content)
    said = model_said(content)
    of_system = None if said else _level_of_systems([leaf.keys for leaf in leaves], path)
    figures = Figures(settings, RowProblems(options.lenient))
    own = folder_name(path) if lookup(own_name(path)) is not None else own_name(path)
    is_short = _is_last_key_enough(leaves, of_system)
    is_told = specific_name(own) or (own != folder_name(path) and has_fellows(path))
    system = said[0] if said else own if is_told else folder_name(path)
    around = folder_name(path)
    if (by_paths := settings.named) is not None and of_system is None:
        system = said[0] if said else by_paths.system or system
        around = by_paths.dataset or around
        if split := split_beside(path):
            around = f"{around}/{split}"
    on = dataset_said(content)
    around = on[0] if on else around
    is_all = {leaf.keys for leaf in leaves} <= _OF_ALL
    for leaf in leaves:
        others = [key for level, key in enumerate(leaf.keys) if level != of_system]
        if of_system is not None:
            others = [key for key in others if key.lower() not in _SYSTEMS]
        named = others[-1:] if is_short else others
        named = [] if is_all else named
        dataset = "/".join(named) or (own if of_system is not None and not on else around)
        figures.add(
            Figure(
                settings.system or (system if of_system is None else leaf.keys[of_system]),
                settings.dataset or dataset,
                leaf.metric,
                leaf.value,
                column="/".join((*leaf.keys, leaf.metric)),
                task=others[0] if is_short and len(others) > 1 else None,
            )
        )
    bundle = figures.bundle(
        NAME, settings.files(sha256), _told(leaves), _guesses(leaves, of_system, said)
    )
    is_open = by_paths is not None and of_system is None and not said
    return replace(bundle, questions=by_paths.questions) if by_paths and is_open else bundle


def _told(leaves: Sequence[_Leaf]) -> list[str]:
    metrics = ", ".join(dict.fromkeys(leaf.metric for leaf in leaves))
    return [f"{len(leaves)} figures of {metrics}; numbers with other names are not read."]


def _guesses(
    leaves: Sequence[_Leaf], of_system: int | None, said: tuple[str, str] | None
) -> list[Guess]:
    if said:
        names = ", ".join(
            list(dict.fromkeys(leaf.keys[-1] for leaf in leaves if leaf.keys[-1]))[:3]
        )
        because = "the keys above the metrics" if names else "nothing else names it"
        told = Guess("datasets", names or "called as the file or folder", because)
        return [Guess("system", said[0], f"its entry '{said[1]}'"), told]
    if of_system is None and not any(leaf.keys[-1] for leaf in leaves):
        return [Guess("system and dataset", "the name of the file or folder", "it names neither")]
    if of_system is None:
        keys = ", ".join(list(dict.fromkeys(leaf.keys[-1] for leaf in leaves))[:3])
        return [
            Guess("datasets", keys, "the keys above the metrics"),
            Guess("system", "the name of the file or folder", "no key is like the name of one"),
        ]
    keys = ", ".join(list(dict.fromkeys(leaf.keys[of_system] for leaf in leaves))[:3])
    return [Guess("systems", keys, "the keys above the metrics")]


def _leaves_of(path: Path, content: Any) -> list[_Leaf]:
    """Return the figures of a file, which may name their metric: ``accuracy.json``."""
    if found := _leaves(content):
        return found
    metric = metric_of_file(path.name)
    if metric is None or not isinstance(content, dict) or not _holds_only_numbers(content):
        return []
    told = [leaf for leaf in _walk(content, ("",)) if leaf is not None]
    named = [_Leaf((*leaf.keys[1:], leaf.metric), metric, leaf.value) for leaf in told]
    depths = {len(leaf.keys) for leaf in named}
    levels = list(zip(*(leaf.keys for leaf in named), strict=True)) if len(depths) == 1 else []
    leans = [abs(share_of_systems(list(dict.fromkeys(level)))) for level in levels]
    return named if max(leans, default=0) >= _SURE else []


def _holds_only_numbers(content: Mapping[Any, Any]) -> bool:
    return all(
        _holds_only_numbers(value) if isinstance(value, dict) else type(value) in (int, float)
        for value in content.values()
    )


def _leaves(content: Any) -> list[_Leaf]:
    """Return the figures of a mapping of mappings; nothing where it may be anything else.

    The metric may stand above systems or datasets.
    """
    if not isinstance(content, dict) or rows_of_frame(content):
        return []
    results = content.get("results")
    of_file = _all_leaves(content)
    if not of_file and len(content) > 1 and isinstance(results, dict) and model_said(content):
        return _all_leaves({"results": results})  # beside how it was run, in numbers
    return of_file


def _all_leaves(content: Mapping[Any, Any]) -> list[_Leaf]:
    content = _without_classes(content)
    found = list(_walk(content, ("",) if _OF_REPORT in content else ()))
    if not found or any(leaf is None for leaf in found):
        return []
    numbers = [leaf for leaf in found if leaf is not None and not is_about_the_run(leaf.metric)]
    if numbers and all(leaf.metric.lower() in _VALUES for leaf in numbers):
        numbers = [_Leaf(k[:-1] or ("",), k[-1], v) for k, _, v in numbers]
    numbers = [_at_cutoff(leaf) for leaf in numbers]
    turned = metrics_last(numbers)
    if turned:
        return [_Leaf(_without_wrappers(keys), name, value) for keys, name, value in turned]
    by_name: dict[str, list[float]] = {}
    for leaf in found:
        if leaf is not None:
            by_name.setdefault(leaf.metric, []).append(leaf.value)
    counts = counts_beside(by_name)
    numbers = [leaf for leaf in numbers if leaf.metric not in counts]
    known = [leaf for leaf in numbers if lookup(leaf.metric) is not None]
    are_measured = any(is_quality(one.metric) and not _is_whole(one) for one in known)
    whole = [leaf for leaf in numbers if are_measured and leaf not in known and _is_whole(leaf)]
    if 2 * len(known) < len(numbers) - len(whole):
        return []
    bare = [_Leaf(_without_wrappers(leaf.keys), leaf.metric, leaf.value) for leaf in known]
    bare = [_without_metric(leaf) for leaf in bare if not _is_number(leaf.keys[-1])]
    around = {leaf.keys for leaf in bare}
    (only, *_) = around or {()}
    is_wrapper = len(around) == 1 and only[-1:] and only[-1].lower() in _WRAPPERS
    if len(around) == 1 and (is_wrapper or not specific_name("/".join(only))):  # as "metrics"
        bare = [leaf._replace(keys=("",)) for leaf in bare]
        bare += _beside(content, {leaf.metric for leaf in bare})
    depths = {len(leaf.keys) for leaf in bare}
    return bare if len(depths) == 1 and 0 not in depths else []


def _without_metric(leaf: _Leaf) -> _Leaf:
    """Return a figure without its own metric above it: ``{"eval_accuracy": {"accuracy": 0.5}}``."""
    known = lookup(leaf.keys[-1])
    is_said_twice = known is not None and known == lookup(leaf.metric)
    return leaf._replace(keys=leaf.keys[:-1] or ("",)) if is_said_twice else leaf


def _is_number(key: str) -> bool:
    """Return whether a key is a number, as of a fold, a layer or an item, and no year."""
    return key.isdigit() and not _YEAR.fullmatch(key)


def _is_whole(leaf: _Leaf) -> bool:
    return isinstance(leaf.value, int) or leaf.value.is_integer()


def _beside(content: Mapping[Any, Any], taken: Collection[str]) -> list[_Leaf]:
    """Return the known metrics that stand beside the only mapping of figures."""
    return [
        _Leaf(("",), str(name), value)
        for name, value in content.items()
        if isinstance(value, (int, float))
        and not isinstance(value, bool)
        and lookup(str(name)) is not None
        and str(name) not in taken
        and not is_about_the_run(str(name))
    ]


def _at_cutoff(leaf: _Leaf) -> _Leaf:
    """Return a figure at a rank under its metric: ``{"recall": {"10": 0.5}}`` is recall@10.

    Nor is the metric a dataset in ``{"ndcg": {"NDCG@10": 0.5}}``, as BEIR has it.
    """
    above = lookup(leaf.keys[-1])
    is_same = leaf.metric.lower().startswith(f"{leaf.keys[-1].lower()}@")
    if "@" in leaf.metric and above and (is_same or above == lookup(leaf.metric)):
        return _Leaf(leaf.keys[:-1] or ("",), leaf.metric, leaf.value)
    if not leaf.metric.isdigit() or len(leaf.keys) < 2:
        return leaf
    metric = f"{leaf.keys[-1]}@{leaf.metric}"
    return _Leaf(leaf.keys[:-1], metric, leaf.value) if lookup(metric) is not None else leaf


def _without_classes(content: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return JSON where a classification report of scikit-learn holds its averages, flat.

    The rows of its classes are parts of one system's result, neither systems nor datasets.
    """
    rows = {key: value for key, value in content.items() if isinstance(value, dict)}
    if classes := {key: row for key, row in rows.items() if row.keys() >= _OF_CLASS}:
        flat = {key: value for key, value in content.items() if key not in classes}
        for key, row in classes.items():  # of seqeval
            name = str(key).removeprefix("eval_").removeprefix("test_")
            flat |= {f"{one} [class {name}]": row[one] for one in _OF_CLASS - {"number"}}
        return flat
    averages = {key: row for key, row in rows.items() if str(key) in _AVERAGES and "support" in row}
    if not averages:
        return dict(content) | {key: _without_classes(row) for key, row in rows.items()}
    flat = {key: value for key, value in content.items() if key not in rows}
    for key, row in averages.items():
        kind = str(key).removesuffix(" avg")
        flat |= {f"{kind} {name}": value for name, value in row.items() if name != "support"}
    return flat | {_OF_REPORT: True}


def _walk(content: Mapping[Any, Any], keys: tuple[str, ...]) -> Iterator[_Leaf | None]:
    """Yield the numbers below; ``None`` where there is a list of records or it is too deep."""
    for name, value in content.items():
        if str(name).startswith("_"):  # what a tool keeps for itself
            continue
        if isinstance(value, dict):
            if len(keys) >= _DEEPEST:
                yield None
            else:
                yield from _walk(value, (*keys, str(name)))
        elif _is_of_items(str(name), value):
            yield None
        elif keys and isinstance(value, (int, float)) and not isinstance(value, bool):
            yield _Leaf(keys, str(name), value)


def _is_of_items(name: str, value: Any) -> bool:
    """Return whether an entry is a list of records, or a text of an item.

    Records without a number or a truth value, such as links, say nothing of items.
    """
    if isinstance(value, list):
        records = [one for one in value if isinstance(one, dict)]
        return any(isinstance(v, (int, float, dict)) for one in records for v in one.values())
    return isinstance(value, str) and name.lower() in _TEXTS


def _without_wrappers(keys: tuple[str, ...]) -> tuple[str, ...]:
    return keys[1:] if len(keys) > 1 and keys[0].lower() in _WRAPPERS else keys


def _level_of_systems(keys: Sequence[tuple[str, ...]], path: Path) -> int | None:
    """Return which of the keys name systems, where any do."""
    levels = [list(dict.fromkeys(level)) for level in zip(*keys, strict=True)]
    shares = [share_of_systems(level) for level in levels]
    called = [i for i, level in enumerate(levels[:-1]) if level[0].lower() in _SYSTEMS]
    if called and len(levels[called[0]]) == 1:
        return called[0] + 1
    if max(shares) > 0:
        return shares.index(max(shares))
    stem = data_stem(path.name)
    if len(levels[0]) > 1 and not _OF_ARMS.isdisjoint(re.findall(r"[^\W\d_]+", stem.lower())):
        return 0
    is_called = share_of_systems([stem]) > 0 or share_of_systems([path.resolve().parent.name]) > 0
    are_parts = all(key.lower() in _PARTS for key in levels[0])
    is_open = len(levels) == 1 and min(shares) == 0 and not are_parts and not is_called
    return 0 if is_open and len(levels[0]) > 1 and not specific_name(stem) else None


def _is_last_key_enough(leaves: Sequence[_Leaf], of_system: int | None) -> bool:
    """Return whether the last key alone tells all datasets apart."""
    paths = {
        tuple(key for level, key in enumerate(leaf.keys) if level != of_system) for leaf in leaves
    }
    return len({path[-1:] for path in paths}) == len(paths)
