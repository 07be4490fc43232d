"""System and dataset of files of figures that name neither, from the paths of all of them.

``gpt-4/gsm8k/metrics.json`` beside ``gpt-4/squad/metrics.json`` holds figures of gpt-4 on two
datasets, and so does ``squad_gpt-4.json``. Nothing is said where no name is like that of a system
or of a dataset.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import PathNames
from store.importers.columns import normal_name
from store.importers.known_metrics import lookup
from store.importers.known_names import share_of_systems
from store.importers.path_names import is_crossed, names_together, trimmed
from store.importers.tables import TABLE_SUFFIXES, peek_columns
from store.importers.textfile import data_stem, data_suffix

_SURE = 0.5


def names_of_figure_files(
    paths: Sequence[Path], answers: Mapping[str, str]
) -> dict[Path, PathNames]:
    """Return what files of figures are called after, those of one kind and depth together.

    Parameters
    ----------
    paths
        Files that hold figures without items.
    answers
        What was said to earlier questions.
    """
    alike: dict[tuple[str, int, tuple[str, ...]], list[Path]] = {}
    for path in paths:
        kind = (data_suffix(path), len(path.parts), _columns_of(path))
        alike.setdefault(kind, []).append(path)
    found: dict[Path, PathNames] = {}
    for (suffix, *_), group in alike.items():
        if len(group) > 1:
            what = f"{suffix} files of figures"
            named = names_together(group, lambda _: None, answers, what)
            found |= named if _are_sure(named) or _are_asked(named) else {}
    return found


def _columns_of(path: Path) -> tuple[str, ...]:
    """Return the columns of a table, by which it is of a kind; none of another file."""
    if data_suffix(path) not in TABLE_SUFFIXES:
        return ()
    try:
        return tuple(sorted(map(normal_name, peek_columns(path))))
    except ImportFormatError:
        return (path.name,)


def begins_as_metric(name: str) -> bool:
    """Return whether a name is that of a metric, or its first word is: ``f1_opt``."""
    return lookup(re.split(r"[\W_]", name)[0]) is not None or lookup(name) is not None


def _are_sure(named: Mapping[Path, PathNames]) -> bool:
    """Return whether the names show which are systems, and which are datasets."""
    if any(one.questions or not one.system or not one.dataset for one in named.values()):
        return False
    systems = list(dict.fromkeys(one.system or "" for one in named.values()))
    datasets = list(dict.fromkeys(one.dataset or "" for one in named.values()))
    if any(map(begins_as_metric, (part for one in systems for part in one.split("/")))):
        return False
    leans = share_of_systems(systems), share_of_systems(datasets)
    if systems == datasets or leans[0] <= leans[1]:
        return False
    are_idle = not any(trimmed(data_stem(path.name)) for path in named)
    if leans[0] >= _SURE and leans[1] <= 0 and are_idle:
        pairs = [(one.system or "", one.dataset or "") for one in named.values()]
        return len(datasets) == 1 or is_crossed(*map(list, zip(*pairs, strict=True)))
    return leans[1] <= -_SURE or (leans[0] >= _SURE and len(datasets) == 1)


def _are_asked(named: Mapping[Path, PathNames]) -> bool:
    """Return whether the files lie in a grid of two by two or more, and it is asked of what."""
    pairs = {(one.system, one.dataset) for one in named.values()}
    n_each = [len(set(names)) for names in zip(*pairs, strict=True)]
    is_grid = bool(n_each) and min(n_each) > 1 and n_each[0] * n_each[1] == len(pairs)
    return is_grid and any(one.questions for one in named.values())
