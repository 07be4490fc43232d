"""The lines of TREC's files: of runs, of judgments of relevance (qrels), of trec_eval's output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from store.errors import ImportFormatError
from store.importers.guard import start_of
from store.importers.textfile import data_suffix, read_text

Kind = Literal["run", "qrels", "output"]
_RUN = 6
_QRELS = 4
_OUTPUT = 3
_OF_BEIR = ["query-id", "corpus-id", "score"]
"""First line of judgments as BEIR keeps them, in three columns."""
_HEAD = 8_192
"""Bytes that are looked at."""
_WHOLE = re.compile(r"-?\d+")
_NUMBER = re.compile(r"-?\d+([.,]\d+)?([eE][-+]?\d+)?")
_OF_OUTPUT = re.compile(
    r"runid|num_(q|ret|rel|rel_ret)|(gm_)?map|Rprec|bpref|recip_rank|(P|recall|success)_\d+|"
    r"ndcg(_cut_\d+)?|map_cut_\d+|iprec_at_recall_\d\.\d+|11pt_avg"
)
_NO_FILES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".md", ".html", ".py", ".xml")


class Run(NamedTuple):
    """A ranking of documents for each topic."""

    tag: str
    """What the run calls itself; empty where its lines call it differently."""
    ranked: dict[str, list[str]]
    """Topic -> documents, the best first, in the order that trec_eval takes."""
    sha256: str


class Output(NamedTuple):
    """What trec_eval printed."""

    run: str
    """The ``runid``; empty where it is not printed."""
    values: dict[str, dict[str, float]]
    """Topic, or ``all`` -> measure -> value."""
    sha256: str


def kind_of(path: Path) -> Kind | None:
    """Return what a file is by its first lines; ``None`` for any other file."""
    head = start_of(path, _HEAD)
    if head.split(b"\n")[0].decode("utf-8", "replace").split() == _OF_BEIR:
        return "qrels"
    if data_suffix(path) in _NO_FILES:
        return None
    whole = head if len(head) < _HEAD else head[: head.rfind(b"\n") + 1]
    lines = [line.split() for line in whole.decode("utf-8", "replace").splitlines()]
    rows = [row for row in lines if row and not row[0].startswith("#")]
    if not rows:
        return None
    if all(_is_run(row) for row in rows):
        return "run"
    if all(len(row) == _QRELS and _WHOLE.fullmatch(row[3]) for row in rows):
        return "qrels" if all(_NUMBER.fullmatch(row[1]) or row[1] == "Q0" for row in rows) else None
    are_measures = [len(row) >= _OUTPUT and bool(_OF_OUTPUT.fullmatch(row[0])) for row in rows]
    return "output" if are_measures[0] and 2 * sum(are_measures) > len(rows) else None


def _is_run(row: list[str]) -> bool:
    is_ranked = len(row) == _RUN and _WHOLE.fullmatch(row[3]) is not None
    return is_ranked and _NUMBER.fullmatch(row[4]) is not None


def read_run(path: Path, shown: str) -> Run:
    """Read a run; documents are ordered by score, equal ones by name, as trec_eval does.

    Raises
    ------
    ImportFormatError
        A line has other columns, or a document stands twice in a topic.
    """
    scored: dict[str, dict[str, float]] = {}
    tags: dict[str, None] = {}
    text, sha256 = read_text(path, shown)
    for number, row in _rows(text):
        if not _is_run(row):
            raise ImportFormatError(
                "a run has a topic, Q0, a document, its rank, its score and the name of the run.",
                path=shown,
                line=number,
            )
        topic, _, document, _, score, tag = row
        found = scored.setdefault(topic, {})
        if document in found:
            raise ImportFormatError(
                f"document '{document}' stands twice in topic '{topic}'.", path=shown, line=number
            )
        found[document] = float(score.replace(",", "."))
        tags[tag] = None
    ranked = {
        topic: [d for _, d in sorted(((s, d) for d, s in found.items()), reverse=True)]
        for topic, found in scored.items()
    }
    return Run(next(iter(tags)) if len(tags) == 1 else "", ranked, sha256)


def read_qrels(path: Path, shown: str) -> tuple[dict[str, dict[str, int]], str]:
    """Read judgments: topic -> document -> how relevant it is; and the file's SHA-256.

    Raises
    ------
    ImportFormatError
        A line has other columns.
    """
    relevance: dict[str, dict[str, int]] = {}
    text, sha256 = read_text(path, shown)
    for number, row in _rows(text):
        if row == _OF_BEIR:
            continue
        if len(row) == len(_OF_BEIR) and text.startswith(_OF_BEIR[0]):
            row = [row[0], "0", *row[1:]]
        if len(row) != _QRELS or not _WHOLE.fullmatch(row[3]):
            raise ImportFormatError(
                "judgments of relevance have a topic, 0, a document and a whole number.",
                path=shown,
                line=number,
            )
        relevance.setdefault(row[0], {})[row[2]] = int(row[3])
    return relevance, sha256


def read_output(path: Path, shown: str) -> Output:
    """Read what trec_eval printed.

    Raises
    ------
    ImportFormatError
        A line is no measure, topic and value.
    """
    run, values = "", dict[str, dict[str, float]]()
    text, sha256 = read_text(path, shown)
    for number, row in _rows(text):
        if row[0] in ("runid", "relstring"):
            run = " ".join(row[2:]) if row[0] == "runid" else run
            continue
        if len(row) != _OUTPUT or not _NUMBER.fullmatch(row[2]):
            raise ImportFormatError(
                "trec_eval prints a measure, a topic and a value.", path=shown, line=number
            )
        values.setdefault(row[1], {})[row[0]] = float(row[2].replace(",", "."))
    return Output(run, values, sha256)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        row = line.split()
        if row and not row[0].startswith("#"):
            yield number, row
