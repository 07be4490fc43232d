"""Files that are sent to a server lie in a folder of it, whose name says nothing of the results.

What would be called after that folder is asked for; the guess is what the file itself is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from store.importers.bundle import ImportBundle, Question
from store.importers.textfile import data_stem
from store.ingest.capitals import Kind, Renamed, names_in, with_names

UNNAMED: Final = "unnamedupload"
"""The folder of files that were sent: a word that no result is called."""


def folder_of_sent(scratch: Path) -> Path:
    """Make the folder for files that are sent, in a folder of the server."""
    folder = scratch / UNNAMED / UNNAMED  # some files are called after the folder above theirs
    folder.mkdir(parents=True)
    return folder


def with_names_asked(
    bundles: Iterable[ImportBundle], answers: Mapping[str, str]
) -> Iterator[ImportBundle]:
    """Yield bundles of one import where nothing is called after the folder of sent files.

    What was is called as answered, or else by a guess and with a question; one for all files.
    """
    guesses: dict[Kind, str] = {}
    for bundle in bundles:
        names = [(kind, name) for kind, name in names_in(bundle) if UNNAMED in name]
        for kind in {kind for kind, _ in names}:
            # What is right stands before what a system gave.
            file = bundle.files[-1 if kind == "system" else 0].path.rpartition("/")[2]
            guesses.setdefault(kind, data_stem(file))
        yield _with_names(bundle, names, guesses, answers) if names else bundle


def _with_names(
    bundle: ImportBundle,
    names: Sequence[tuple[Kind, str]],
    guesses: Mapping[Kind, str],
    answers: Mapping[str, str],
) -> ImportBundle:
    asked = {
        kind: Question(
            f"name of the {kind}", guesses[kind], because=f"no file says which {kind} it is of"
        )
        for kind, _ in names
    }
    said = {kind: answers.get(one.subject) or one.guess for kind, one in asked.items()}
    renamed: Renamed = {(kind, name): name.replace(UNNAMED, said[kind]) for kind, name in names}
    named, word = with_names(bundle, renamed), next(iter(said.values()))
    return replace(
        named,
        identities={
            name: {key: text.replace(UNNAMED, word) for key, text in stated.items()}
            for name, stated in named.identities.items()
        },
        guesses=[one for one in bundle.guesses if UNNAMED not in one.value],
        understood=[line.replace(UNNAMED, word) for line in named.understood],
        # An answer is about these files alone: it is not remembered with the others.
        questions=[
            *bundle.questions,
            *(one for one in asked.values() if one.subject not in answers),
        ],
    )
