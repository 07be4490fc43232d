"""`tiebreak --store https://… ingest`: files to a server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from store.commands.questions import read_answers
from store.console import messages
from store.errors import ImportFormatError, StoreError
from store.importers.problems import together
from store.importers.sources import Candidate, FilesToSend
from store.ingest.report import IngestReport, summarise
from store.remote import Remote
from store.scratch import scratch_folder

_SENT: Final = (
    *(
        "format",
        "system",
        "dataset",
        "dataset_version",
        "metric",
        "higher_is_better",
        "date",
        "run",
    ),
    *("layout", "lenient", "replace", "with_text", "dry_run", "yes", "strict"),
)
_ONLY_HERE: Final = {
    "gold": None,
    "score": None,
    "option": None,
    "missing": "nan",
    "case_matters": False,
}
"""Options that take the store's own file -> what is no wish."""


def send(
    location: str,
    given: Mapping[str, Any],
    *,
    directions: Mapping[str, bool],
    columns: Mapping[str, str],
) -> dict[str, Any]:
    """Bring files to a server; return the JSON object of the command.

    Raises
    ------
    StoreError
        An option cannot be sent, or the server refuses; the message says what is asked.
    """
    for name, usual in _ONLY_HERE.items():
        if given.get(name) not in (usual, None, [], ()):
            raise StoreError(
                f"--{name.replace('_', '-')} is for the store's own file. Import on the server."
            )
    told = {name: _word(given[name]) for name in _SENT if given.get(name) is not None}
    mappings = {
        "directions": {name: "higher" if is_up else "lower" for name, is_up in directions.items()},
        "columns": dict(columns),
        "answers": {}
        if given.get("answers") is None
        else dict(read_answers(Path(given["answers"]))),
    }
    told |= {name: json.dumps(each) for name, each in mappings.items() if each}
    left_out: list[ImportFormatError] = []
    refused: list[ImportFormatError] = []

    def on_fault(one: Candidate, error: ImportFormatError) -> None:
        (refused if one.is_given else left_out).append(error)

    with scratch_folder() as scratch:
        files = FilesToSend(scratch, None, on_fault).find_named(map(Path, given["paths"]))
        if refused or not files:
            raise together(refused or left_out)
        said = Remote(location).send_files(files, told)
    if left_out:
        said["result"]["plan"]["is_whole"] = False
        said["warnings"] += [f"Not sent: {error}" for error in left_out]
    return said


def show(said: Mapping[str, Any]) -> None:
    """Print what came in, and what is still asked."""
    print(f"{summarise([IngestReport.from_dict(said['result'])])}.")
    for question in said["result"]["questions"]:
        messages.print(
            f"Asked: {question['file']}: {question['about']}? {question['because']} "
            f"(guess: {question['guess']})",
            markup=False,
        )
    for warning in said["warnings"]:
        messages.print(f"Note: {warning}", markup=False)


def _word(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
