"""Inflected word forms, as SIGMORPHON's shared tasks have them: lemma, form and features by tabs.

A gold file for each language, ``gold/tur.gold``, and for each team a folder with its forms,
``predictions/TEAM/tur_large.test``, line by line the same lemmas and features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.errors import AlignmentError, ImportFormatError, UnknownFormatError
from store.importers.bundle import Guess, ImportBundle, ReadOptions
from store.importers.mt_metrics_eval.files import read_lines
from store.importers.problems import SkippedRow
from store.importers.scorers import together
from store.importers.scorers.builder import Gold, Scored
from store.importers.scorers.forms import are_features, form_of
from store.importers.scorers.joined import joined
from store.importers.scorers.layout import dataset_of, is_plain, system_of
from store.importers.scorers.scoring import Choice, chosen
from store.importers.settings import load_settings
from store.importers.textfile import read_text

NAME = "inflection"
DESCRIPTION = "inflected forms of SIGMORPHON's tasks: lemma, form, features; gold and systems"
_USUAL = Choice(("exact_match", "edit_distance"), "word forms with their features")
_MOST_OTHER = 0.1
"""Share of lines whose features may be other than in the gold; more, and it is another order."""

group = together.group


@dataclass(frozen=True, slots=True)
class _Forms:
    shown: str
    sha256: str
    lemmas: list[str]
    forms: list[str]
    features: list[str]


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file holds lemmas, forms and features; `read` says where gold is missing."""
    if together.is_of_form(path, "inflection", options):
        return True
    return is_plain(path) and form_of(path) == "inflection"


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the forms of a language and score the systems.

    Raises
    ------
    ImportFormatError
        A line has no lemma, form and features, or there is no output.
    AlignmentError
        An output has other lines than the gold, and the import is strict.
    """
    shown_of = {path.resolve(): name for path, name in shown.items()}
    one = together.set_of(paths, options, shown)
    outputs = [path for path in one.outputs if path in shown_of]
    if not outputs:
        reason = "there is no file of a system beside the gold. Give the whole folder."
        raise UnknownFormatError(reason, path=shown[paths[0]])
    gold_path = next(iter(one.gold.values()))
    gold = _read_file(gold_path, shown_of.get(gold_path, gold_path.as_posix()))
    by_dataset: dict[str, Scored] = {}
    skipped: list[SkippedRow] = []
    for path in outputs:
        given = _read_file(path, shown_of[path])
        try:
            n_other = _require_aligned(given, gold)
        except AlignmentError as error:
            if not options.lenient:
                raise
            reason = f"file left out: {error.reason}"
            skipped.append(SkippedRow(given.shown, error.line, None, reason))
            continue
        name = dataset_of(path, one)
        if name not in by_dataset:
            by_dataset[name] = _begin(gold_path, gold, name, options)
        scored = by_dataset[name]
        if n_other:
            scored.warnings.append(
                f"{given.shown}: lemmas or features that are written otherwise than in the gold, "
                f"and taken as the same: {n_other:,}."
            )
        own = load_settings(path, given.shown, options)
        scored.add(system_of(path, one), given.forms, own, given.sha256)
    if not by_dataset:
        raise ImportFormatError("no file of a system lines up with the gold.", path=gold.shown)
    next(iter(by_dataset.values())).skipped = skipped
    return joined([scored.bundle() for scored in by_dataset.values()])


def _begin(path: Path, gold: _Forms, dataset: str, options: ReadOptions) -> Scored:
    """Return a dataset with the gold, and no system yet."""
    settings = load_settings(path, gold.shown, options)
    pairs = list(zip(gold.lemmas, gold.features, strict=True))
    scored = Scored(
        NAME,
        settings,
        settings.dataset or dataset,
        Gold(
            [str(i + 1) for i in range(len(pairs))],
            [[form] for form in gold.forms],
            [f"{lemma} {features}" for lemma, features in pairs],
            task="inflection",
            metadata=[{"part of speech": features.split(";")[0]} for features in gold.features],
        ),
        chosen(options.score, _USUAL, gold.shown),
        list(settings.files(gold.sha256)),
    )
    if settings.dataset is None:
        because = "the names of the files; --dataset NAME takes another"
        scored.guesses.append(Guess("dataset", dataset, because))
    if options.gold is None:
        scored.guesses.append(Guess("gold", gold.shown.rpartition("/")[2], "its name or folder"))
    return scored


def _read_file(path: Path, shown: str) -> _Forms:
    """Read a file; which column has the features is seen from its first lines.

    Raises
    ------
    ImportFormatError
        A line does not have three columns.
    """
    text, sha256 = read_text(path, shown)
    rows = []
    for number, line in enumerate(read_lines(text), start=1):
        cells = line.split("\t")
        if len(cells) < 3:
            reason = f"'{line[:40]}' is not lemma, form and features with tabs between."
            raise ImportFormatError(reason, path=shown, line=number)
        rows.append(cells)
    place = 1 if are_features([row[1] for row in rows]) else 2
    return _Forms(
        shown,
        sha256,
        [row[0] for row in rows],
        [row[3 - place] for row in rows],
        [row[place] for row in rows],
    )


def _require_aligned(given: _Forms, gold: _Forms) -> int:
    """Return how many lines have another lemma or other features than the gold.

    Raises
    ------
    AlignmentError
        There are more or fewer lines, or too many differ.
    """
    n_lines, n_gold = len(given.forms), len(gold.forms)
    if n_lines != n_gold:
        raise AlignmentError(
            f"{n_lines:,} lines here, {n_gold:,} in {gold.shown}. Forms and gold must line up.",
            path=given.shown,
            line=min(n_lines, n_gold) + 1,
        )
    pairs = zip(given.features, gold.features, strict=True)
    other = [i for i, (mine, right) in enumerate(pairs) if mine != right]
    if len(other) > _MOST_OTHER * n_lines:
        i = other[0]
        raise AlignmentError(
            f"{len(other):,} of {n_lines:,} lines have other features than {gold.shown}: here "
            f"'{given.features[i]}', there '{gold.features[i]}'. Are they in the same order?",
            path=given.shown,
            line=i + 1,
        )
    lemmas = zip(given.lemmas, gold.lemmas, strict=True)
    return len({*other, *(i for i, (mine, right) in enumerate(lemmas) if mine != right)})
