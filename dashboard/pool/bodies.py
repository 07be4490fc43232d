"""Bodies of requests that hold results, taken apart where files of strangers are read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from store.errors import StoreError
from store.importers.bundle import SourceFile
from store.importers.guard import require_values
from store.importers.logged import LoggedRun
from store.journal import read_journal

MOST_BESIDE: Final = 1_000_000
"""Bytes of JSON beside the records."""


def records_apart(paths: Sequence[Path], *, to: Path) -> dict[str, Any]:
    """Write the records of a body of JSON as lines to a file; return what stands beside them.

    Raises
    ------
    StoreError
        The body is no such JSON.
    ImportFormatError
        It makes too many objects.
    """
    (body,) = paths
    data = body.read_bytes()
    try:
        text = data.decode(json.detect_encoding(data))
        require_values(text, "the body")
        told = json.loads(text)
    except ValueError as error:
        raise StoreError(f"The body is no JSON: {error}") from None
    except RecursionError:
        raise StoreError("The body is nested too deeply to be results.") from None
    records = told.pop("records", None) if isinstance(told, dict) else None
    if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
        raise StoreError('The body is `{"records": [{…}, …], …}`: an object for each score.')
    with to.open("w", encoding="utf-8") as file:
        for one in records:
            file.write(f"{json.dumps(one)}\n")  # half a letter is no UTF-8
    if len(json.dumps(told)) > MOST_BESIDE:
        raise StoreError(f"Beside the records a body holds up to {MOST_BESIDE // 1_000_000} MB.")
    assert isinstance(told, dict)
    return told


def journal_of(paths: Sequence[Path]) -> tuple[LoggedRun, SourceFile]:
    """Return the run of a journal; see `store.journal.read_journal`."""
    (path,) = paths
    return read_journal(path)
