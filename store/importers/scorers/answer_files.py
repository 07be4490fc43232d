"""Answers to questions as a JSON object, ``{question: answer}``, as SQuAD's evaluation takes them.

The gold is SQuAD's own file, or an object ``{question: [answers]}``; without it the answers go in
without scores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

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
from store.importers.known_names import is_like_dataset, share_of_systems
from store.importers.scorers.builder import Gold, Scored
from store.importers.scorers.layout import folder_name, parts_of, says_output
from store.importers.scorers.right_answers import key_of, kind_of, read_answers
from store.importers.scorers.scoring import Choice, chosen, usual_for
from store.importers.settings import Settings, load_settings
from store.importers.surroundings import is_given
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


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a JSON file holds answers by question, or the gold for them."""
    if data_suffix(path) not in (".json", ".jsonl"):
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
    """Return what `kind_of` says of the content of a file."""
    try:
        if path.suffix in (".json", ".jsonl"):
            with path.open("rb") as file:
                if not _BEGINS.match(file.read(4096)):
                    return "other"
        content, _ = read_answers(path, path.name)
    except (ImportFormatError, OSError):
        return "other"
    return kind_of(content)


def _is_gold(path: Path) -> bool:
    kind = _kind(path)
    named = any(_GOLD_NAME.fullmatch(text) for _, _, text in parts_of(data_stem(path.name)))
    return kind in ("squad", "records") or (kind in ("lists", "texts") and named)


def _has_gold_beside(path: Path) -> bool:
    folder = path.resolve().parent
    beside = [one for where in (folder, folder.parent) for one in sorted(where.glob("*.json*"))]
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
    content, sha256 = read_answers(gold_path, gold_shown)
    right = key_of(content, gold_shown)
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
    dataset = settings.dataset or _dataset_around(outputs[0].resolve())
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


def _dataset_around(path: Path) -> str:
    """Return the folder of answers without gold; of one called after a model, that above."""
    near = folder_name(path)
    folder = next(one for one in path.parents if one.name == near)
    words = re.findall(r"[^\W_]+", near)
    is_of_system = any(share_of_systems([word]) > 0 for word in words) and not is_given(folder)
    return folder_name(folder) if is_of_system and not is_like_dataset(near) else near


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
    return folder_name(above) if near == dataset and not is_given(above) else near
