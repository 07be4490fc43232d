"""What the names of files and folders tell of results that do not say it themselves."""

from __future__ import annotations

import re
from pathlib import Path

from store.importers.known_metrics import lookup
from store.importers.metric_registry import words_of
from store.importers.releases import is_version
from store.importers.surroundings import is_given
from store.importers.textfile import data_stem
from store.spelling import LONGEST_NAME

_GENERIC = words_of(
    """data dataset datasets result results derived raw score scores table tables leaderboard
    leaderboards board boards per problem sentence segment item items instance instances example
    examples trial trials run runs all summary summaries aggregate aggregates detail details output
    outputs eval evals evaluation evaluations metric metrics model models experiment experiments
    dev val validation test train public private processed clean cleaned final file files csv tsv
    json jsonl parquet export exports exported system systems level report reports log logs
    prediction predictions judgment judgments judgement judgements annotation annotations annotated
    entry entries claims single grade pairwise automatic human id by stdin stream tmp temp sheet
    sheet1 downloads download desktop documents home data1 main src work samples sample question
    questions answers answer list values value new old copy figures benchmark benchmarks seed seeds
    fold folds cv cache cached comparison comparisons mean means avg average label labels class
    classes"""
)
"""Words that say nothing of what was evaluated."""
_TOOLS = words_of("ragas deepeval trulens combined")
"""Words for what scored answers, and for its tables taken together."""
_OF_SETTINGS = words_of(
    """config configs configuration conf cfg settings setting args arguments params hparams
    hyperparameters options package tsconfig jsconfig environment env manifest schema launch
    requirements lock prompt prompts template templates"""
)
"""Words in the names of files that say how something was run, not what came out."""
_OF_METRICS = words_of("metrics metric_scores metric-scores")
"""Folders whose files are called after metrics."""
_DATE = re.compile(r"(?<!\d)(20\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?([0-2]\d|3[01])(?!\d)")
_MOMENT = re.compile(r"\d{6,}(am|pm|[tz\d])*")
_WORD = re.compile(r"[^\W_]*\d(?:\.\d+)+[^\W_]*|[^\W_]+")
"""A word of a name; ``v1.1`` is one."""
_SPLITS = words_of("train dev val valid validation test")
_SPLIT = re.compile(rf"(?<![^\W_])({'|'.join(sorted(_SPLITS))})(?![^\W_])")
_YEAR = re.compile(r"[-_. ]?(?:19|20)\d\d(?![-_.]?\d)")
_FEWEST_LETTERS = 5
"""Of the name of a file that begins as that of a system does."""
_CROSS = re.compile(r"cross[-_ ]?val(idation|idated)?(?![a-z])", re.IGNORECASE)
NO_PLACE = re.compile(r"tiebreak-\w+|\d+|pytest-of-.*|tmp|root|users|home", re.IGNORECASE)
"""Folders above which nothing is about the results: those of a person or of an unpacked archive."""


def says_nothing(word: str) -> bool:
    """Return whether a word of a name says nothing of what was evaluated: ``results``."""
    return word.lower() in _GENERIC


def is_of_tools(name: str) -> bool:
    """Return whether a name says nothing, or only which tool scored: ``DeepEval Metrics``."""
    words = re.findall(r"[^\W_]+", name)
    return all(
        (says_nothing(word) and not word.isdigit()) or word.lower() in _TOOLS for word in words
    )


def is_dated(name: str, folder: str) -> bool:
    """Return whether a name is its folder's with a date: ``Net-A_2026-01-01`` in ``net_a``."""
    inner, outer = ("".join(re.findall(r"[^\W_]+", one)).lower() for one in (name, folder))
    return inner.startswith(outer) and _MOMENT.fullmatch(inner[len(outer) :]) is not None


def is_of_settings(path: Path) -> bool:
    """Return whether a file is called after what was chosen before a run: ``run_config.json``."""
    return not _OF_SETTINGS.isdisjoint(re.findall(r"[^\W_]+", data_stem(path.name).lower()))


def specific_name(name: str) -> str:
    """Return the part of a name that says something: ``gsm8k`` of ``gsm8k_results``, or nothing."""
    bare = _CROSS.sub("", _DATE.sub("", name)).strip("-_. ")
    telling = [one for one in _WORD.finditer(bare) if _may_tell(one[0])]
    telling = [one for one in telling if lookup(one[0]) is None or len(telling) == 1]
    if not telling or all(is_version(one[0]) for one in telling):
        return ""
    year = _YEAR.match(bare, telling[-1].end())
    return bare[telling[0].start() : year.end() if year else telling[-1].end()]


def _may_tell(word: str) -> bool:
    return word.lower() not in _GENERIC and not word.replace(".", "").isdigit()


def dataset_of_file(path: Path, *, use_stem: bool = True) -> tuple[str, str] | None:
    """Return a name for the dataset of a file, and whether the file or the folder gave it.

    Parameters
    ----------
    use_stem
        Whether the name of the file may be that of the dataset, and not that of a system.
    """
    use_stem = use_stem and path.absolute().parent.name.lower() not in _OF_METRICS
    name = specific_name(data_stem(path.name))
    if use_stem and name and lookup(name) is None:  # a file may be called after its metric
        split = _split_beside(path)
        return (f"{name}-{split}" if split else name), "the name of the file"
    for folder in naming_folders(path.absolute())[:4]:
        if NO_PLACE.fullmatch(folder.name):
            break
        if name := specific_name(folder.name):
            return name, "the name of the folder"
    return None


def _split_beside(path: Path) -> str:
    """Return the split in a file's name, where another file is called alike but for it."""
    stem = data_stem(path.name)
    for found in _SPLIT.finditer(stem):
        for word in _SPLITS - {found[0]}:
            other = f"{stem[: found.start()]}{word}{stem[found.end() :]}"
            if path.with_name(path.name.replace(stem, other, 1)).is_file():
                return found[0]
    return ""


def beside_system(stem: str, system: str) -> str | None:
    """Return what the name of a file says beside that of its system; ``None``: it names none.

    ``indicbert_pairs`` of the system IndicBERT is ``pairs``, ``results_claude-haiku`` of
    claude-haiku-4-5 says nothing more. What is longer than a name may be names no file.
    """
    tokens = re.findall(r"[^\W_]+", system) if len(system) <= LONGEST_NAME else []
    if not tokens:
        return None
    pattern = r"[\W_]*".join(map(re.escape, tokens))
    match = re.search(rf"(?<![^\W_]){pattern}(?![^\W_])", stem, re.IGNORECASE)
    if match is not None:
        return specific_name(f"{stem[: match.start()]}_{stem[match.end() :]}")
    telling = "".join(re.findall(r"[^\W_]+", specific_name(stem))).lower()
    whole = "".join(tokens).lower()
    is_short = len(telling) >= _FEWEST_LETTERS and whole.startswith(telling)
    return "" if is_short or (telling and telling == whole) else None


def system_of_file(path: Path) -> tuple[str, str] | None:
    """Return a name for the system of a file that holds the scores of one, and why."""
    stem = data_stem(path.name)
    return (stem, "the name of the file") if specific_name(stem) else None


def naming_folders(path: Path) -> list[Path]:
    """Return the folders that a file may be called after, the nearest first.

    None lies above the folder that a person named, unless that one's name says nothing.
    """
    found: list[Path] = []
    is_inside = True
    for folder in path.parents:
        found.append(folder)
        is_inside = is_inside and not is_given(folder)
        if not is_inside and specific_name(folder.name):
            break
    return found
