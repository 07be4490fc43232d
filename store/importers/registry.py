"""All importers. To add one: write a module with `sniff` and `read`, and add one line below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.importers import generic, lm_eval, mteb, nlpstattest, reported
from store.importers.bundle import ImportBundle, ReadOptions

Sniff = Callable[[Path, ReadOptions], bool]
Read = Callable[[Sequence[Path], ReadOptions, Mapping[Path, str]], ImportBundle]
Group = Callable[[Sequence[Path]], list[list[Path]]]


def one_by_one(paths: Sequence[Path]) -> list[list[Path]]:
    """Put every file into a group of its own."""
    return [[path] for path in paths]


@dataclass(frozen=True, slots=True)
class Importer:
    """Reads one file format."""

    name: str
    """What ``--format`` takes."""
    description: str
    """One line for a list of formats."""
    sniff: Sniff
    """Whether a file is of this format, judged by its content; never raises."""
    read: Read
    """Turn the files of one group into a bundle; the mapping says how messages show a path."""
    group: Group = one_by_one
    """Put files that belong together into one group."""


IMPORTERS: tuple[Importer, ...] = (
    Importer(lm_eval.NAME, lm_eval.DESCRIPTION, lm_eval.sniff, lm_eval.read, lm_eval.group),
    Importer(mteb.NAME, mteb.DESCRIPTION, mteb.sniff, mteb.read, mteb.group),
    Importer(reported.NAME, reported.DESCRIPTION, reported.sniff, reported.read),
    Importer(nlpstattest.NAME, nlpstattest.DESCRIPTION, nlpstattest.sniff, nlpstattest.read),
    Importer(generic.NAME, generic.DESCRIPTION, generic.sniff, generic.read),
)
"""In the order in which they are asked; the first that recognises a file reads it."""


def importer_named(name: str) -> Importer | None:
    """Return the importer with that name."""
    return next((importer for importer in IMPORTERS if importer.name == name), None)
