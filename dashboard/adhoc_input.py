"""Scores that somebody drops or pastes: two columns, or two files of one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from analysis.studies.adhoc import Adhoc
from analysis.studies.adhoc_session import is_session, read_session
from analysis.studies.two_columns import TwoColumns
from dashboard.uploads import Upload
from store.errors import StoreError
from store.importers.guard import files_up_to
from store.importers.score_columns import read_two_columns
from store.scratch import scratch_folder

MOST_MB = 10
"""Of a file, packed and unpacked."""
EXAMPLE_ITEMS = 60


class Dropped(NamedTuple):
    """The scores of two systems, and what the files call them."""

    scores: TwoColumns
    names: tuple[str, str]
    session: Adhoc | None = None
    """What was saved with them, where a session was dropped."""


def read_columns(uploads: Sequence[Upload], pasted: str) -> Dropped | None:
    """Return the scores or the session that somebody dropped or pasted; ``None`` without any.

    Raises
    ------
    ImportFormatError
        A line is not what it should be.
    StoreError
        The files do not go together.
    """
    if uploads and pasted.strip():
        raise StoreError("There are files and pasted scores. Remove one of the two.")
    sessions = [upload for upload in uploads if is_session(upload.getvalue())]
    if sessions:
        if len(uploads) > 1:
            raise StoreError("A saved session stands alone. Remove the other files.")
        session = read_session(sessions[0].getvalue(), sessions[0].name)
        assert session.columns is not None
        return Dropped(session.columns, session.called, session)
    with scratch_folder() as folder:
        paths, shown = [], []
        for number, upload in enumerate(uploads):
            inside = folder / str(number)  # two files may have one name
            inside.mkdir()
            shown.append(Path(upload.name).name)
            paths.append(inside / shown[-1])
            paths[-1].write_bytes(upload.getvalue())
        if pasted.strip():
            shown.append("pasted text")
            paths.append(folder / shown[-1])
            paths[-1].write_text(pasted, encoding="utf-8")
        if not paths:
            return None
        with files_up_to(MOST_MB * 1_000_000, "Compare it with `tiebreak adhoc FILE` instead."):
            a, b, names = read_two_columns(paths, shown)
    stems = [Path(upload.name).stem for upload in uploads]
    if len(stems) == 2 and stems[0] != stems[1]:
        names = (stems[0], stems[1])
    return Dropped(TwoColumns(a, b), names or ("A", "B"))


def example() -> Dropped:
    """Return made-up scores of two systems, always the same."""
    rng = np.random.Generator(np.random.PCG64(7))
    hardness = rng.beta(3, 2, EXAMPLE_ITEMS)
    a = np.clip(hardness + rng.normal(0.03, 0.08, EXAMPLE_ITEMS), 0, 1).round(2)
    b = np.clip(hardness + rng.normal(0.0, 0.08, EXAMPLE_ITEMS), 0, 1).round(2)
    return Dropped(TwoColumns(a, b), ("A", "B"))
