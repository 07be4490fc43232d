"""What TREC's files are called after: systems of runs, datasets of judgments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from store.importers.file_names import specific_name
from store.importers.metric_registry import words_of
from store.importers.places import folder_name
from store.importers.textfile import data_stem

_SAYS_NOTHING = words_of("standard run runid tag test exp experiment lucene myrun default q0 a b")
_SUFFIX = re.compile(r"\.(txt|run|res|trec|out|eval|test)$", re.IGNORECASE)
_OF_QRELS = re.compile(r"(^|[-._ ])q?rels?(?=$|[-._ ])", re.IGNORECASE)


def stem_of(path: Path) -> str:
    """Return the name of a file of a run, without what says that it is one."""
    return _SUFFIX.sub("", data_stem(path.name)).removeprefix("input.")


def systems_of(paths: Sequence[Path], tags: Sequence[str]) -> list[str]:
    """Return the system of each run: its tag where all have others, else its file's name."""
    are_telling = len(set(tags)) == len(tags) and not any(
        tag.lower() in _SAYS_NOTHING or not tag for tag in tags
    )
    if are_telling:
        return list(tags)
    names = [stem_of(path) for path in paths]
    counts = Counter(names)
    return [
        name if counts[name] == 1 else f"{path.resolve().parent.name}/{name}"
        for name, path in zip(names, paths, strict=True)
    ]


def dataset_of_qrels(path: Path) -> str:
    """Return what judgments are of: what their file is called beside ``qrels``, or the folder."""
    rest = _OF_QRELS.sub("", _SUFFIX.sub("", data_stem(path.name))).strip("-_. ")
    is_in_own = _OF_QRELS.search(path.resolve().parent.name) is not None
    return specific_name(rest) or folder_name(path.parent if is_in_own else path)
