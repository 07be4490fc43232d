"""Uploaded files: read like files on disk, and what their import would do or did."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final, Protocol

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from dashboard.pool.asking import on_wait
from dashboard.pool.reading import reader
from dashboard.ui.links import plain
from dashboard.ui.notes import show_warnings
from dashboard.ui.tables import show_table
from store.engine import Store
from store.errors import ImportFormatError, UnknownFormatError
from store.importers.binaries import may_hold_results
from store.importers.bundle import ReadOptions
from store.importers.plan import shown_items, shown_range
from store.importers.textfile import data_stem
from store.importers.unpack import is_archive
from store.ingest.files import ingest_files
from store.ingest.planned import Imported
from store.ingest.report import summarise
from store.ingest.unnamed import folder_of_sent
from store.scratch import scratch_folder

MOST_MB = 100
"""Of a file, packed as the browser sends it (see `.streamlit/config.toml`) and unpacked: all who
look at the dashboard share its memory."""


MOST_NAMES: Final = 8
"""Of files, systems, datasets or metrics in a row, before their number stands for the others."""


class Upload(Protocol):
    """A file as the browser sent it."""

    name: str

    def getvalue(self) -> bytes:
        """Return its bytes."""


def bring(
    store: Store,
    uploads: Sequence[Upload],
    columns: Mapping[str, Mapping[str, str]],
    *,
    options: ReadOptions,
    **settings: Any,
) -> Imported:
    """Have uploaded files go through the plan of an import; see `ingest_files`.

    `columns` says what columns of a table mean, by its file's name without folder and extensions.

    Raises
    ------
    ImportFormatError
        A file cannot be read as it stands.
    """
    names = [upload.name for upload in uploads]
    if all(name.endswith(".tiebreak.yaml") for name in names):
        raise UnknownFormatError("a mapping describes a table: drop both.", path=", ".join(names))
    with scratch_folder() as scratch:
        folder = folder_of_sent(scratch)
        for upload in uploads:
            path = folder / place_below(upload.name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(upload.getvalue())
            if roles := columns.get(data_stem(upload.name)):
                told = json.dumps({"columns": dict(roles)}, ensure_ascii=False)  # JSON is YAML
                mapping = path.with_name(f"{data_stem(path.name)}.tiebreak.yaml")
                mapping.write_text(told, encoding="utf-8")
        done = ingest_files(
            store,
            folder,
            options=options,
            root=folder,
            whole=not any(is_archive(Path(name)) for name in names),
            read=reader(
                MOST_MB * 1_000_000,
                "Import it with `tiebreak ingest FILE` instead.",
                partial(on_wait, None),
            ),
            **settings,
        )
    if not any(one.is_fault or one.state != "left out" for one in done.plan.entries):
        raise UnknownFormatError(
            "no importer recognises it. Say what its columns mean under 'Columns of …', or choose "
            "the format under 'What the files do not say'.",
            path=", ".join(names),
        )
    return done


def place_below(name: str) -> PurePosixPath:
    """Return where a file that is sent stands below the folder of its import.

    Raises
    ------
    ImportFormatError
        It would stand elsewhere.
    """
    place = PurePosixPath(name.replace("\\", "/"))
    if not place.name or place.is_absolute() or ".." in place.parts or "\0" in name:
        raise ImportFormatError("a file is named by a path below its folder.", path=name)
    return place


def show_plan(done: Imported, say: Callable[[str], str]) -> None:
    """Show what becomes of each file, and what an import does or did; `say` words for the page."""
    entries = done.plan.entries
    for entry in entries:
        if entry.state == "left out":
            continue
        st.markdown(f"**{plain(_named(entry.files))}** as {plain(entry.read_as)}")
        datasets = [f"{one.name} {one.version}".strip() for one in entry.datasets]
        told = [
            f"{label}: {_named(names)}"
            for label, names in (
                ("systems", entry.systems),
                ("datasets", datasets),
                ("metrics", [shown_range(one) for one in entry.metrics]),
            )
            if names
        ]
        items = shown_items(entry.datasets)
        told += [items] if items else []
        told += entry.understood
        told += [f"guessed: {one.subject} is {one.value}, from {one.because}"
                 for one in entry.guesses]  # fmt: skip
        told += [entry.reason] if entry.reason else []
        st.markdown("\n".join(f"- {plain(say(sentence))}" for sentence in told))
    for entry in entries:
        if entry.is_fault:
            st.error(plain(say(f"{_named(entry.files)}: {entry.reason}")))
    if empty := [one for one in entries if one.state == "left out" and not one.is_fault]:
        unread = [name for one in empty if may_hold_results(one.reason) for name in one.files]
        files = [name for one in empty for name in one.files if name not in unread]
        for what, names in (("Holds no results", files), ("Not read", unread)):
            if names:
                st.caption(plain(f"{what}: {_named(names)}"))
    reports = done.reports
    for report in reports:
        show_warnings(report.warnings)
    st.markdown(f"{summarise(reports)}.")
    skipped = [row for report in reports for row in report.skipped]
    if skipped:
        st.subheader(f"{numbers.counted(len(skipped), 'row')} skipped", anchor=False)
        show_table(
            pd.DataFrame([(r.path, r.line, r.field, r.reason) for r in skipped]).set_axis(
                ["path", "line", "field", "reason"], axis=1
            ),
            key="skipped",
            columns={
                "path": Column("File"),
                "line": Column("Line", "count"),
                "field": Column("Field"),
                "reason": Column("Why"),
            },
            filename="skipped",
        )
    for report in reports:
        for found in report.differences:
            st.warning(
                plain(
                    f"{found.run}: the file states {found.metric} = {found.reported:g}, "
                    f"its items give {found.recomputed:g}."
                )
            )


def _named(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    listed = ", ".join(names[:MOST_NAMES])
    return f"{listed} and {more:,} more" if more > 0 else listed
