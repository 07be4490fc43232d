"""Outputs and references as plain text that lines up: a file for each system, a line an item.

Lines of speech recognition may end in the name of the utterance, ``… (spk1-004)``, as NIST's
scoring and fairseq write them; then the lines are aligned by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.errors import AlignmentError, ImportFormatError, UnknownFormatError
from store.importers.bundle import Guess, ImportBundle, LeftOut, ReadOptions
from store.importers.first_line import first_line
from store.importers.metric_registry import words_of
from store.importers.mt_metrics_eval.files import read_lines
from store.importers.problems import SkippedRow
from store.importers.scorers.builder import Gold, Scored
from store.importers.scorers.forms import form_of
from store.importers.scorers.layout import (
    FileSet,
    dataset_of,
    is_stranger,
    parts_of,
    system_of,
)
from store.importers.scorers.scoring import chosen, usual_for
from store.importers.scorers.together import group, is_of_form, set_of
from store.importers.settings import load_settings
from store.importers.textfile import read_text

__all__ = ["DESCRIPTION", "NAME", "group", "read", "sniff"]

NAME = "texts"
DESCRIPTION = "outputs and references as text that lines up: ref.en, system1.en, …"
_UTTERANCE = re.compile(r"(.*?)\s*\(([^()\s]+)\)\s*")
_SPEECH = words_of("wer cer asr trn hypo stm ctm utt utterances transcripts transcript")
_PRINTED_BY_R = "[1] "
_JOINER = "<unk>"
"""Between words where fairseq's dictionary of letters has no sign for it."""


@dataclass(frozen=True, slots=True)
class _Lines:
    path: Path
    shown: str
    sha256: str
    lines: list[str]


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a plain text has its references, or its outputs, beside it or given."""
    return is_of_form(path, "text", options) and not first_line(path).startswith(_PRINTED_BY_R)


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the texts of a folder and score the outputs.

    Raises
    ------
    ImportFormatError
        There is no output, or a metric is not known.
    AlignmentError
        An output has other lines than the references, and the import is strict.
    """
    shown_of = {path.resolve(): name for path, name in shown.items()}
    one = set_of(paths, options, shown)
    outputs = [path for path in one.outputs if path in shown_of]
    if not outputs:
        reason = "there is no output of a system beside the references. Give the whole folder."
        raise UnknownFormatError(reason, path=shown[paths[0]])

    def text_of(path: Path) -> _Lines:
        text, sha256 = read_text(path, shown_of.get(path, path.as_posix()))
        name = shown_of.get(path, path.as_posix())
        return _Lines(path, name, sha256, read_lines(text))

    golds = {label: text_of(path) for label, path in sorted(one.gold.items())}
    first = next(iter(golds.values()))
    source = text_of(one.source) if one.source and form_of(one.source) == "text" else None
    for other in [*golds.values(), *([source] if source else [])]:
        _require_lines(other, first)
    utterances = _utterances(first)
    columns = [_texts(each, first, utterances) for each in golds.values()]
    is_joined = _is_joined(columns[0])
    columns = [_split(texts, is_joined) for texts in columns]
    references = list(zip(*columns, strict=True))
    is_speech = utterances is not None or any(
        text.lower() in _SPEECH for path in outputs for _, _, text in parts_of(path.name)
    )
    gold = Gold(
        utterances or [str(i + 1) for i in range(len(first.lines))],
        references,
        source.lines if source else None,
        language=_language(first.path),
        task="speech recognition" if is_speech else "machine translation" if source else None,
    )
    is_translation = source is not None or _is_like_translation(references)
    usual = usual_for(references, is_speech=is_speech, is_translation=is_translation)
    settings = load_settings(first.path, first.shown, options)
    scored = Scored(
        NAME,
        settings,
        settings.dataset or dataset_of(outputs[0], one),
        gold,
        chosen(options.score, usual, first.shown),
        [],
    )
    for each in [*golds.values(), *([source] if source else [])]:
        scored.files.extend(load_settings(each.path, each.shown, options).files(each.sha256))
    _tell(scored, one, golds, options, is_joined=is_joined, by_key=utterances is not None)
    for path in outputs:
        given = text_of(path)
        own = load_settings(path, given.shown, options)
        try:
            _require_lines(given, first)
            texts = _split(_texts(given, first, utterances), is_joined)
        except AlignmentError as error:
            if options.lenient:
                reason = f"file left out: {error.reason}"
                scored.skipped.append(SkippedRow(given.shown, error.line, None, reason))
                continue
            if options.gold is None and is_stranger(path, one):
                scored.left_out.append(LeftOut(given.shown, f"no output: {error.reason}"))
                continue
            raise
        if options.system and len(outputs) > 1:
            reason = f"--system '{options.system}' cannot name {len(outputs)} files."
            raise ImportFormatError(reason, path=first.shown)
        scored.add(system_of(path, one), texts, own, given.sha256)
    if len(scored.left_out) == len(outputs):
        reason = "no other file here has as many lines, or is called an output."
        raise UnknownFormatError(reason, path=first.shown)
    return scored.bundle()


def _require_lines(given: _Lines, first: _Lines) -> None:
    if len(given.lines) != len(first.lines):
        raise AlignmentError(
            f"{len(given.lines):,} lines here, {len(first.lines):,} in {first.shown}. Outputs and "
            "references must line up; add the lines that are missing, empty if need be.",
            path=given.shown,
            line=min(len(given.lines), len(first.lines)) + 1,
        )


def _utterances(first: _Lines) -> list[str] | None:
    """Return the name that each line ends in, where each has one of its own."""
    found = [_UTTERANCE.fullmatch(line) for line in first.lines]
    names = [match[2] for match in found if match]
    return names if len(names) == len(first.lines) and len(set(names)) == len(names) else None


def _texts(given: _Lines, first: _Lines, utterances: list[str] | None) -> list[str]:
    """Return the lines of a file in the order of the items, without the utterances' names."""
    if utterances is None:
        return given.lines
    texts: dict[str, str] = {}
    for number, line in enumerate(given.lines, start=1):
        match = _UTTERANCE.fullmatch(line)
        if match is None:
            reason = f"the line does not end in the name of an utterance, as in {first.shown}."
            raise AlignmentError(reason, path=given.shown, line=number)
        if match[2] in texts:
            reason = f"the utterance '{match[2]}' stands twice."
            raise AlignmentError(reason, path=given.shown, line=number)
        texts[match[2]] = match[1]
    lost = [name for name in utterances if name not in texts]
    if lost:
        reason = f"{len(lost):,} utterances of {first.shown} are not here, as '{lost[0]}'."
        raise AlignmentError(reason, path=given.shown)
    return [texts[name] for name in utterances]


def _is_joined(texts: Sequence[str]) -> bool:
    """Return whether words are joined by fairseq's sign for an unknown letter, the blank."""
    return any(_JOINER in text for text in texts) and not any(" " in text for text in texts)


def _split(texts: Sequence[str], is_joined: bool) -> list[str]:
    return [text.replace(_JOINER, " ") for text in texts] if is_joined else list(texts)


def _is_like_translation(references: Sequence[Sequence[str]]) -> bool:
    """Return whether texts without a source are sentences rather than labels or answers."""
    n_words = sum(len(rights[0].split()) for rights in references)
    return n_words > 5 * len(references)


def _language(path: Path) -> str:
    last = parts_of(path.name)[-1][2]
    no_language = {"txt", "ref", "out", "hyp", "tok", "trn", "tgt", "src", "trg", "raw"}
    return last if re.fullmatch(r"[a-z]{2,3}", last) and last not in no_language else ""


def _tell(
    scored: Scored,
    one: FileSet,
    golds: Mapping[str, _Lines],
    options: ReadOptions,
    *,
    is_joined: bool,
    by_key: bool,
) -> None:
    """Add what was taken for granted."""
    shown = ", ".join(each.shown.rpartition("/")[2] for each in golds.values())
    if options.gold is None:
        scored.guesses.append(Guess("gold", shown, "its name; --gold FILE takes another"))
    if options.system is None and scored.settings.mapping.system is None:
        scored.guesses.append(Guess("systems", "one for each file", "the names of the files"))
    if scored.settings.dataset is None:
        because = "the names of the folders; --dataset NAME takes another"
        scored.guesses.append(Guess("dataset", scored.dataset, because))
    if len(golds) > 1:
        scored.understood.append(
            f"{len(golds)} references count together; --gold FILE takes one alone."
        )
    if by_key:
        scored.understood.append("Lines are aligned by the utterance that they end in.")
    if is_joined:
        scored.guesses.append(Guess("words", f"split at {_JOINER}", "no text has a blank"))
