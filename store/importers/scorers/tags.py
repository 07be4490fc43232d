"""Tagged words, one in each line, in the columns of CoNLL: a gold file and one for each system.

The first column is the word, the last the tag, with tabs or blanks between; a blank line ends a
sentence. A file whose last two columns are both tags of entities holds gold and system.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.errors import AlignmentError, ImportFormatError, UnknownFormatError
from store.importers.bundle import Guess, ImportBundle, ReadOptions
from store.importers.problems import SkippedRow
from store.importers.scorers import together
from store.importers.scorers.builder import Gold, Scored
from store.importers.scorers.entities import scheme_of
from store.importers.scorers.forms import SPAN_TAG, form_of
from store.importers.scorers.layout import dataset_of, is_plain, system_of
from store.importers.scorers.scoring import TAG_SCORERS, Choice, chosen
from store.importers.settings import load_settings
from store.importers.textfile import data_stem, read_text

NAME = "tags"
DESCRIPTION = "tagged words in CoNLL's columns (NER, chunks, parts of speech): gold and systems"
_SEPARATOR = re.compile(r"[\t ]+")
_COMMENT = re.compile(r"# ?\S+ ?[=:].*|# id .*|#begin .*|#end .*")
_MOST_OTHER_WORDS = 0.1
"""Share of words that may be written otherwise than in the gold; more, and it is another text."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    line: int
    words: list[str]
    tags: list[str]
    second: list[str]
    """The column before the last."""
    document: int


@dataclass(frozen=True, slots=True)
class _Tagged:
    shown: str
    sha256: str
    sentences: list[_Sentence]

    @property
    def tags(self) -> list[str]:
        """The tags of each sentence, a blank between."""
        return [" ".join(one.tags) for one in self.sentences]


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file holds tagged words; `read` says so where there is no gold for them."""
    if together.is_of_form(path, "tags", options):
        return True
    return is_plain(path) and form_of(path) == "tags"


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put the files of each set together; a file with both gold and tags is one by itself."""
    both = {path for path in paths if _has_both(path)}
    return [
        *([path] for path in paths if path in both),
        *together.group([path for path in paths if path not in both]),
    ]


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the tags of a folder and score the systems.

    Raises
    ------
    ImportFormatError
        A line has no tag, there is no output, or a metric is not known.
    AlignmentError
        An output has other sentences or words than the gold, and the import is strict.
    """
    if len(paths) == 1 and _has_both(paths[0]) and options.gold is None:
        return _read_both(paths[0], options, shown[paths[0]])
    shown_of = {path.resolve(): name for path, name in shown.items()}
    one = together.set_of(paths, options, shown)
    outputs = [path for path in one.outputs if path in shown_of]
    if not outputs:
        reason = "there is no file of a system beside the gold. Give the whole folder."
        raise UnknownFormatError(reason, path=shown[paths[0]])
    if len(one.gold) > 1:
        names = ", ".join(path.name for path in one.gold.values())
        reason = f"{len(one.gold)} files may be the gold: {names}. Name one: --gold FILE."
        raise ImportFormatError(reason, path=shown[paths[0]])
    if options.system and len(outputs) > 1:
        reason = f"--system '{options.system}' cannot name {len(outputs)} files."
        raise ImportFormatError(reason, path=shown[paths[0]])
    gold_path = next(iter(one.gold.values()))
    gold = _read_file(gold_path, shown_of.get(gold_path, gold_path.as_posix()))
    scored = _begin(gold_path, gold, dataset_of(outputs[0], one), options)
    if options.gold is None:
        because = "its name or folder; --gold FILE takes another"
        scored.guesses.insert(0, Guess("gold", gold.shown.rpartition("/")[2], because))
    for path in outputs:
        given = _read_file(path, shown_of[path])
        try:
            n_other = _require_aligned(given, gold)
        except AlignmentError as error:
            if not options.lenient:
                raise
            reason = f"file left out: {error.reason}"
            scored.skipped.append(SkippedRow(given.shown, error.line, None, reason))
            continue
        if n_other:
            scored.warnings.append(
                f"{given.shown}: words that are written otherwise than in the gold, and taken as "
                f"the same: {n_other:,}."
            )
        own = load_settings(path, given.shown, options)
        scored.add(system_of(path, one), given.tags, own, given.sha256)
    return scored.bundle()


def _read_both(path: Path, options: ReadOptions, shown: str) -> ImportBundle:
    """Read a file whose last two columns are the gold and a system's tags."""
    given = _read_file(path, shown)
    gold = _Tagged(
        shown,
        given.sha256,
        [
            _Sentence(each.line, each.words, each.second, [], each.document)
            for each in given.sentences
        ],
    )
    scored = _begin(path, gold, path.resolve().parent.name, options)
    because = "the last column but one; the last is the system's"
    scored.guesses.insert(0, Guess("gold", "last column but one", because))
    own = load_settings(path, shown, options)
    scored.add(data_stem(path.name), given.tags, own, given.sha256)
    return scored.bundle()


def _begin(path: Path, gold: _Tagged, dataset: str, options: ReadOptions) -> Scored:
    """Return a bundle with the gold, and no system yet."""
    tags = gold.tags
    is_spans = all(SPAN_TAG.fullmatch(tag) for each in gold.sentences for tag in each.tags)
    usual = Choice(("tag_accuracy",), "tags of single words")
    if is_spans:
        usual = Choice(("span_f1", "span_f1_strict"), "tags such as B-PER and I-PER")
        if scheme_of([[text] for text in tags]) is None:
            usual = Choice(("span_f1",), "tags such as I-PER, without a B- at each begin")
    settings = load_settings(path, gold.shown, options)
    n_documents = len({one.document for one in gold.sentences})
    scored = Scored(
        NAME,
        settings,
        settings.dataset or dataset,
        Gold(
            [str(i + 1) for i in range(len(gold.sentences))],
            [[text] for text in tags],
            [" ".join(one.words) for one in gold.sentences],
            groups=[f"document {one.document}" for one in gold.sentences]
            if n_documents > 1
            else None,
            task="tagging",
            metadata=[{"words": len(one.words)} for one in gold.sentences],
        ),
        chosen(options.score, usual, gold.shown, tuple(TAG_SCORERS)),
        list(settings.files(gold.sha256)),
    )
    n_words = sum(len(one.words) for one in gold.sentences)
    scored.understood.append(
        f"Gold: {gold.shown}, {n_words:,} words; a sentence is known by its number."
    )
    if settings.dataset is None:
        because = "the name of the folder; --dataset NAME takes another"
        scored.guesses.append(Guess("dataset", dataset, because))
    return scored


def _has_both(path: Path) -> bool:
    """Return whether the last two columns of the first lines are tags of the same entities.

    Where they name other things, as chunks and names in CoNLL's own files, all of it is gold.
    """
    try:
        with path.open("rb") as file:
            start = file.read(1 << 14).decode("utf-8", errors="replace")
    except OSError:
        return False
    lines = [line.strip("\r\t ") for line in start.split("\n")[:-1]]
    rows = [_SEPARATOR.split(line) for line in lines if line and not line.startswith("-DOCSTART-")]
    are_tags = bool(rows) and all(
        len(row) > 2 and SPAN_TAG.fullmatch(row[-1]) and SPAN_TAG.fullmatch(row[-2]) for row in rows
    )
    if not are_tags:
        return False
    first, second = ({row[k].partition("-")[2] for row in rows} - {""} for k in (-1, -2))
    return not first or not second or bool(first & second)


def _read_file(path: Path, shown: str) -> _Tagged:
    """Read the sentences of a file.

    Raises
    ------
    ImportFormatError
        A line has no tag.
    """
    text, sha256 = read_text(path, shown)
    sentences: list[_Sentence] = []
    rows: list[list[str]] = []
    first, document = 1, 0

    def end() -> None:
        if rows:
            columns = (
                [row[0] for row in rows],
                [row[-1] for row in rows],
                [row[-2] for row in rows],
            )
            sentences.append(_Sentence(first, *columns, document))
            rows.clear()

    for number, line in enumerate(text.split("\n"), start=1):
        trimmed = line.strip("\r ")
        if not trimmed.strip("\t"):
            end()
        elif trimmed.startswith("-DOCSTART-"):
            end()
            document += 1
        elif not (_COMMENT.fullmatch(trimmed) and not rows):
            cells = _SEPARATOR.split(trimmed)
            if len(cells) < 2:
                reason = f"'{trimmed[:40]}' has no tag: write word and tag with a tab between."
                raise ImportFormatError(reason, path=shown, line=number)
            first = first if rows else number
            rows.append(cells)
    end()
    return _Tagged(shown, sha256, sentences)


def _require_aligned(given: _Tagged, gold: _Tagged) -> int:
    """Return how many words are written otherwise than in the gold.

    Raises
    ------
    AlignmentError
        There are other sentences, or other words in one.
    """
    n_other, first_other = 0, None
    for i, (mine, right) in enumerate(zip(given.sentences, gold.sentences, strict=False), start=1):
        if len(mine.words) != len(right.words):
            raise AlignmentError(
                f"sentence {i} has {len(mine.words)} words, in {gold.shown} (line {right.line}) "
                f"{len(right.words)}. Words must be those of the gold.",
                path=given.shown,
                line=mine.line,
            )
        if mine.words != right.words:
            n_other += sum(a != b for a, b in zip(mine.words, right.words, strict=True))
            first_other = first_other or (i, mine, right)
    if len(given.sentences) != len(gold.sentences):
        raise AlignmentError(
            f"{len(given.sentences):,} sentences, in {gold.shown} {len(gold.sentences):,}. A "
            "blank line ends a sentence; those of the gold are needed, all and in order.",
            path=given.shown,
        )
    n_words = sum(len(one.words) for one in gold.sentences)
    if first_other and n_other > _MOST_OTHER_WORDS * n_words:
        i, mine, right = first_other
        raise AlignmentError(
            f"{n_other:,} of {n_words:,} words are not those of {gold.shown}: sentence {i} begins "
            f"'{' '.join(mine.words)[:40]}', there '{' '.join(right.words)[:40]}'. Are they "
            "in the same order?",
            path=given.shown,
            line=mine.line,
        )
    return n_other
