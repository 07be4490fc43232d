"""Judgments of Arena-Hard: a judge compares each answer of a model with that of one baseline.

Each line is a question with two games. In the first the baseline is shown first, as A; in the
second the model is. ``A>>B`` is a clear preference, ``A>B`` a slight one; a game without a verdict
is one that the judge failed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError, NoResultsError
from store.importers.apart import set_apart
from store.importers.bundle import (
    AnnotatorKind,
    BundleCriterion,
    BundleItem,
    BundlePreference,
    Choice,
    Guess,
    ImportBundle,
    ReadOptions,
    RowProblems,
    SourceFile,
)
from store.importers.settings import Settings, load_settings
from store.importers.tables import read_json_objects
from store.importers.textfile import data_suffix, peek_text, read_text

NAME = "arena_hard"
DESCRIPTION = "model_judgment/JUDGE/MODEL.jsonl of Arena-Hard: answers held against a baseline"
CRITERION = "preference"
_START = re.compile(r'\s*\{(?=[^\n]*"model")(?=[^\n]*"judge")[^\n]*"games"\s*:\s*\[')
_ITEMS = ("question_id", "uid")
_CHOICES: Mapping[str, Choice] = {
    "A>>B": "first", "A>B": "first", "A=B": "tie", "B>A": "second", "B>>A": "second",
}  # fmt: skip
_BASELINE = "baseline"
"""What the baseline is called where no line names it."""
_JUDGMENTS = "model_judgment"


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether the first line holds a model, its judge and their games."""
    if data_suffix(path) not in (".jsonl", ".json"):
        return False
    try:
        return _START.match(peek_text(path)) is not None
    except ImportFormatError:
        return False


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put the files of one judge together: they are of the same questions."""
    folders: dict[Path, list[Path]] = {}
    for path in paths:
        folders.setdefault(path.parent, []).append(path)
    return list(folders.values())


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the judgments of one judge, a file for each model.

    Raises
    ------
    NoResultsError
        No game has a verdict.
    ImportFormatError
        A line names no question, or its games are none.
    """
    settings = load_settings(paths[0], shown[paths[0]], options)
    problems = RowProblems(options.lenient)
    builder = _Builder(settings, problems, paths[0].resolve().parent.name)
    files = []
    for path in paths:
        text, sha256 = read_text(path, shown[path])
        records, lines = read_json_objects(text, shown[path], problems)
        for record, line in zip(records, lines, strict=True):
            builder.add(record, line, shown[path])
        files.append(SourceFile(shown[path], sha256))
        problems.raise_if_any()
    if not builder.preferences:
        raise NoResultsError("no game has a verdict.", path=settings.shown)
    kinds: dict[str, AnnotatorKind] = dict.fromkeys(
        (one.annotator for one in builder.preferences), "model"
    )
    criteria = [BundleCriterion(settings.metric or CRITERION, 0, "preference")]
    criteria, preferences, told = set_apart(criteria, builder.preferences, kinds)
    guesses = []
    dataset = settings.dataset
    if dataset is None:
        dataset = _name_of_questions(paths[0])
        guesses.append(Guess("dataset", dataset, "the folder around the judgments"))
    if builder.has_unnamed_baseline:
        guesses.append(Guess("system", _BASELINE, "the second side, which no line names"))
    return ImportBundle(
        NAME,
        [*files, *settings.files("")[1:]],
        datasets=[settings.dataset_of(dataset, tuple(builder.items.values()))],
        criteria=criteria,
        annotators=kinds,
        preferences=preferences,
        overlaps=settings.mapping.overlaps,
        aliases=settings.mapping.aliases,
        skipped=problems.raise_if_any(),
        understood=[
            "Two games a question: the baseline is shown first in one, the model in the other.",
            f"{builder.n_failed} games without a verdict are missing.",
            *told,
        ],
        guesses=guesses,
    )


def _name_of_questions(path: Path) -> str:
    """Return the folder that holds the judgments, such as ``arena-hard-v2.0``."""
    parts = path.resolve().parent.parts
    at = parts.index(_JUDGMENTS) if _JUDGMENTS in parts else 0
    return parts[at - 1] if at > 1 else "Arena-Hard"


@dataclass(slots=True)
class _Builder:
    settings: Settings
    problems: RowProblems
    folder: str
    """Stands for a judge that no line names."""
    items: dict[str, BundleItem] = field(default_factory=dict)
    preferences: list[BundlePreference] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)
    n_failed: int = 0
    has_unnamed_baseline: bool = False

    def add(self, record: Mapping[str, Any], line: int, shown: str) -> None:
        """Add the games of one question, or report why they cannot be used."""
        key = next((str(record[name]) for name in _ITEMS if record.get(name)), "")
        model, games = record.get("model"), record.get("games")
        if not key or not isinstance(model, str) or not model or not isinstance(games, list):
            reason = "a question, its model and its games are wanted."
            self.problems.report(shown, line, None, reason)
            return
        stated = record.get("baseline")
        self.has_unnamed_baseline |= not isinstance(stated, str)
        baseline = stated if isinstance(stated, str) else _BASELINE
        category = record.get("category")
        about = {"category": category} if isinstance(category, str) else None
        place = self._places.setdefault(key, len(self._places))
        self.items.setdefault(key, BundleItem(key, metadata=about))
        sides = [self.settings.canonical(name) for name in (baseline, model)]
        for number, game in enumerate(games):
            score = game.get("score") if isinstance(game, dict) else None
            choice = _CHOICES.get(str(score))
            if choice is None:
                self.n_failed += 1
                continue
            first, second = sides if number % 2 == 0 else sides[::-1]
            self.preferences.append(
                BundlePreference(
                    0,
                    str(record.get("judge") or self.folder),
                    place,
                    first,
                    second,
                    choice,
                    order_known=True,
                    replicate=number,
                    line=line,
                )
            )
