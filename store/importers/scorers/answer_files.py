"""Answers to questions as a JSON object, ``{question: answer}``, as SQuAD's evaluation takes them.

The gold is SQuAD's own file, or an object ``{question: [answers]}``; without it the answers go in
without scores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from store.errors import AlignmentError, ImportFormatError, NoResultsError
from store.importers.bundle import (
    BundleItem,
    BundleRun,
    Guess,
    ImportBundle,
    ReadOptions,
    SourceFile,
    Status,
)
from store.importers.scorers.answers import normalised
from store.importers.scorers.builder import Gold, Scored
from store.importers.scorers.layout import folder_name, parts_of, says_output
from store.importers.scorers.scoring import Choice, chosen, usual_for
from store.importers.settings import Settings, load_settings
from store.importers.textfile import data_stem, data_suffix, read_json

NAME = "answers"
DESCRIPTION = (
    "answers as JSON {question: answer}, with SQuAD's file or {question: [answers]} as gold"
)
_GOLD_NAME = re.compile(r"(gold|ref|refs|references?|answers|truth|targets?|labels)", re.IGNORECASE)
_NO_SYSTEM = re.compile(
    r"(predictions?|preds?|predict|outputs?|results?|answers|nbest|best|test|dev|eval|v?\d+(\.\d+)?)",
    re.IGNORECASE,
)
_SQUAD = Choice(("normalised_match", "token_f1"), "SQuAD's own evaluation")
_BEGINS = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"[^"]*"\s*:\s*["\[]')
_MOST_BESIDE = 50
_FEWEST = 2
"""Questions below which an object is not taken for answers."""


@dataclass(frozen=True, slots=True)
class _Key:
    """What is right."""

    answers: dict[str, tuple[str, ...]]
    questions: dict[str, str]
    passages: dict[str, str]
    is_squad: bool


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a JSON file holds answers by question, or the gold for them."""
    if data_suffix(path) != ".json":
        return False
    kind = _kind(path)
    if kind == "other" or options.gold is not None:
        return kind != "other"
    if kind == "texts":
        return says_output(path) or _is_gold(path) or _has_gold_beside(path)
    return _is_gold(path)


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put the files of a folder and of the folder above it together."""
    groups: dict[Path, list[Path]] = {}
    for path in paths:
        groups.setdefault(path.resolve().parent, []).append(path)
    for folder in sorted(groups, key=lambda one: -len(one.parts)):
        has_gold = any(_is_gold(path) for path in groups[folder])
        above = groups.get(folder.parent)
        if above and not has_gold and any(_is_gold(path) for path in above):
            above.extend(groups.pop(folder))
    return list(groups.values())


def _kind(path: Path) -> str:
    try:
        stat = path.stat()
        return _known_kind(path, stat.st_mtime_ns)
    except OSError:
        return "other"


@lru_cache(maxsize=512)
def _known_kind(path: Path, stamp: int) -> str:
    """Return ``squad``, ``lists`` (several right answers), ``texts`` or ``other``."""
    try:
        if path.suffix == ".json":
            with path.open("rb") as file:
                if not _BEGINS.match(file.read(4096)):
                    return "other"
        content, _ = read_json(path, path.name)
    except (ImportFormatError, OSError):
        return "other"
    return kind_of(content)


def kind_of(content: Any) -> str:
    """Return what a JSON value holds: ``squad``, ``lists``, ``texts`` or ``other``."""
    if not isinstance(content, dict) or not content:
        return "other"
    data = content.get("data")
    if isinstance(data, list) and data and isinstance(data[0], dict) and "paragraphs" in data[0]:
        return "squad"
    values = list(content.values())
    if len(values) < _FEWEST:
        return "other"
    if all(isinstance(value, str) for value in values):
        return "texts" if _are_questions(content) else "other"
    are_lists = all(
        isinstance(value, list) and all(isinstance(one, str) for one in value) for value in values
    )
    return "lists" if are_lists and _are_questions(content) else "other"


def _are_questions(content: Mapping[str, Any]) -> bool:
    """Return whether the keys are ids, alike in form, and not the fields of one record."""
    keys = list(content)
    return sum(any(c.isdigit() for c in key) for key in keys) > 0.9 * len(keys)


def _is_gold(path: Path) -> bool:
    kind = _kind(path)
    named = any(_GOLD_NAME.fullmatch(text) for _, _, text in parts_of(data_stem(path.name)))
    return kind == "squad" or (kind in ("lists", "texts") and named)


def _has_gold_beside(path: Path) -> bool:
    folder = path.resolve().parent
    beside = [one for where in (folder, folder.parent) for one in sorted(where.glob("*.json"))]
    return any(_is_gold(one) for one in beside[:_MOST_BESIDE])


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the answers of one or several systems, and score them where the gold is known.

    Raises
    ------
    NoResultsError
        There is gold and nothing to score.
    AlignmentError
        The gold has none of the questions, or not most of them.
    """
    if options.gold is not None:
        golds = [options.gold]
    else:
        golds = [path for path in paths if _is_gold(path)]
    gold_files = {path.resolve() for path in golds}
    outputs = [path for path in paths if path.resolve() not in gold_files]
    if not outputs:
        raise NoResultsError(
            "answers that are right, without outputs to score.", path=shown[paths[0]]
        )
    if len(golds) > 1:
        names = ", ".join(path.name for path in golds)
        reason = f"{len(golds)} files may be the gold: {names}. Name one: --gold FILE."
        raise ImportFormatError(reason, path=shown[outputs[0]])
    if options.system and len(outputs) > 1:
        reason = f"--system '{options.system}' cannot name {len(outputs)} files."
        raise ImportFormatError(reason, path=shown[outputs[0]])
    if not golds:
        return _unscored(outputs, options, shown)
    return _scored(golds[0], outputs, options, shown)


def _scored(
    gold_path: Path, outputs: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]
) -> ImportBundle:
    gold_shown = shown.get(gold_path, gold_path.as_posix())
    content, sha256 = read_json(gold_path, gold_shown)
    right = _key_of(content, gold_shown)
    keys = list(right.answers)
    references = [right.answers[key] for key in keys]
    usual = usual_for(references, is_speech=False, is_translation=False)
    settings = load_settings(gold_path, gold_shown, options)
    dataset = data_stem(gold_path.name)
    if _GOLD_NAME.fullmatch(dataset):
        dataset = folder_name(gold_path.resolve())
    scored = Scored(
        NAME,
        settings,
        settings.dataset or dataset,
        Gold(
            keys,
            references,
            [right.questions[key] for key in keys] if right.questions else None,
            groups=[right.passages[key] for key in keys] if right.passages else None,
            task="question answering" if right.is_squad else None,
        ),
        chosen(options.score, _SQUAD if right.is_squad else usual, gold_shown),
        list(settings.files(sha256)),
    )
    if options.gold is None:
        scored.guesses.append(Guess("gold", gold_path.name, "its content; --gold FILE names it"))
    if settings.dataset is None:
        because = "the name of the gold file; --dataset NAME takes another"
        scored.guesses.append(Guess("dataset", dataset, because))
    for path in outputs:
        own = load_settings(path, shown[path], options)
        given, own_sha256 = _answers(path, shown[path])
        other = [key for key in given if key not in right.answers]
        if 2 * len(other) > len(given):
            raise AlignmentError(
                f"{len(other):,} of {len(given):,} questions are not in {gold_shown}, as "
                f"'{other[0]}'. Is this the gold for them? --gold FILE names another.",
                path=shown[path],
            )
        n_missing = sum(given.get(key) is None for key in keys)
        if other or n_missing:
            scored.warnings.append(
                f"{shown[path]}: {n_missing:,} questions of the gold have no answer (missing, not "
                f"0), and {len(other):,} answers have no gold (left out)."
            )
        scored.add(
            _system_of(path, outputs, dataset), [given.get(k) for k in keys], own, own_sha256
        )
    return scored.bundle()


def _unscored(
    outputs: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]
) -> ImportBundle:
    """Return the systems' answers without a score; texts are kept where they are wanted."""
    read = [(path, *_answers(path, shown[path])) for path in outputs]
    settings = load_settings(outputs[0], shown[outputs[0]], options)
    if options.score:
        raise ImportFormatError(_no_gold(len(read[0][1])), path=settings.shown, field="gold")
    keys = list(dict.fromkeys(key for _, given, _ in read for key in given))
    dataset = settings.dataset or folder_name(outputs[0].resolve())
    runs: list[BundleRun] = []
    files: list[SourceFile] = []
    for path, given, sha256 in read:
        own: Settings = load_settings(path, shown[path], options)
        answered = [given.get(key) for key in keys]
        statuses = np.array(
            [Status.NOT_ATTEMPTED if one is None else Status.OK for one in answered], np.uint8
        )
        runs.append(
            BundleRun(
                own.canonical(own.system or _system_of(path, outputs, dataset)),
                0,
                own.run_label or "",
                statuses={0: statuses},
                outputs={0: answered} if options.with_text else {},
                provenance=own.provenance,
            )
        )
        files.extend(own.files(sha256))
    return ImportBundle(
        NAME,
        files,
        [settings.dataset_of(dataset, tuple(BundleItem(key) for key in keys))],
        runs=runs,
        warnings=[_no_gold(len(keys))],
        guesses=[
            Guess("dataset", dataset, "the name of the folder; --dataset NAME takes another"),
            Guess("systems", ", ".join(run.system for run in runs), "the names of the files"),
        ],
    )


def _no_gold(n: int) -> str:
    return (
        f"{n:,} answers are not scored: what is right is not here. Give it with --gold FILE: "
        "SQuAD's own file, or {question: [answers]}."
    )


def _answers(path: Path, shown: str) -> tuple[dict[str, str | None], str]:
    """Return question -> answer, and the fingerprint of the file."""
    content, sha256 = read_json(path, shown)
    if not isinstance(content, dict):
        raise ImportFormatError("not an object {question: answer}.", path=shown)
    for key, value in content.items():
        if value is not None and not isinstance(value, str):
            reason = f"the answer is no text: {str(value)[:40]}."
            raise ImportFormatError(reason, path=shown, field=key)
    return content, sha256


def _key_of(content: Any, shown: str) -> _Key:
    """Return what a gold file says is right."""
    kind = kind_of(content)
    if kind == "squad":
        return _squad(content["data"], shown)
    if kind == "other":
        reason = "not the gold of answers: SQuAD's own file, or {question: [answers]}."
        raise ImportFormatError(reason, path=shown)
    right = {
        key: tuple(value) or ("",) if isinstance(value, list) else (value,)
        for key, value in content.items()
    }
    return _Key(right, {}, {}, is_squad=False)


def _squad(data: Sequence[Any], shown: str) -> _Key:
    """Read SQuAD's file: articles of passages of questions, each with its answers.

    A question without an answer is answered right by an empty text (Rajpurkar et al. 2018).
    """
    found = _Key({}, {}, {}, is_squad=True)
    try:
        for number, article in enumerate(data, start=1):
            for place, passage in enumerate(article["paragraphs"], start=1):
                for question in passage["qas"]:
                    key = str(question["id"])
                    texts = [str(one["text"]) for one in question.get("answers", [])]
                    texts = [text for text in texts if normalised(text)]
                    found.answers[key] = tuple(dict.fromkeys(texts)) or ("",)
                    found.questions[key] = str(question.get("question", ""))
                    found.passages[key] = f"{article.get('title', number)}, passage {place}"
    except (KeyError, TypeError) as error:
        reason = f"not as SQuAD has it: {error} is missing or of another kind."
        raise ImportFormatError(reason, path=shown) from None
    return found


def _system_of(path: Path, outputs: Sequence[Path], dataset: str) -> str:
    """Return the system: what the file's name says more than ``predictions``, else its folder."""
    stem = parts_of(data_stem(path.name))
    parts = [text for _, _, text in stem if not _NO_SYSTEM.fullmatch(text)]
    if parts:
        return "_".join(parts)
    full = path.resolve()
    if len({one.resolve().parent for one in outputs}) > 1:
        return full.parent.name
    near = folder_name(full)
    above = next(folder for folder in full.parents if folder.name == near)
    return folder_name(above) if near == dataset else near
