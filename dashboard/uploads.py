"""Uploaded files: read like files on disk, and what their import would do or did."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from dashboard.ui.links import plain
from dashboard.ui.notes import show_warnings
from dashboard.ui.tables import show_table
from store.errors import UnknownFormatError
from store.importers.bundle import ImportBundle, ReadOptions
from store.importers.detect import read_paths
from store.importers.guard import files_up_to
from store.ingest import IngestReport
from store.ingest.report import summarise

MOST_MB = 100
"""Of a file, packed as the browser sends it (see `.streamlit/config.toml`) and unpacked: all who
look at the dashboard share its memory."""


class Upload(Protocol):
    """A file as the browser sent it."""

    name: str

    def getvalue(self) -> bytes:
        """Return its bytes."""


def read_uploads(
    uploads: Sequence[Upload],
    format: str | None,
    options: ReadOptions,
    columns: Mapping[str, Mapping[str, str]] | None = None,
) -> Sequence[ImportBundle]:
    """Return what the importers make of uploaded files.

    `columns` says what columns of a table mean, by its file's name without folder and extensions.

    Raises
    ------
    ImportFormatError
        A file cannot be read as it stands.
    """
    names = [Path(upload.name).name for upload in uploads]
    if all(name.endswith(".tiebreak.yaml") for name in names):
        raise UnknownFormatError("a mapping describes a table: drop both.", path=", ".join(names))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for upload in uploads:
            (folder / Path(upload.name).name).write_bytes(upload.getvalue())
        for stem, roles in (columns or {}).items():
            told = json.dumps({"columns": dict(roles)}, ensure_ascii=False)  # JSON is YAML
            (folder / f"{stem}.tiebreak.yaml").write_text(told, encoding="utf-8")
        with files_up_to(MOST_MB * 1_000_000, "Import it with `tiebreak ingest FILE` instead."):
            read = read_paths([folder], format=format, options=options, root=folder, whole=True)
    if not read.bundles:
        raise UnknownFormatError(
            "no importer recognises it. Say what its columns mean under 'Columns of …', or choose "
            "the format under 'What the files do not say'.",
            path=", ".join(upload.name for upload in uploads),
        )
    return read.bundles


def dataset_labels(bundle: ImportBundle) -> list[str]:
    """Return the names of a bundle's datasets as the pages show them."""
    return [f"{d.name} ({d.version})" if d.version else d.name for d in bundle.datasets]


def show_reports(reports: Sequence[IngestReport]) -> None:
    """Show what an import does: what was understood, how much comes in, what was skipped."""
    for report in reports:
        st.markdown(f"**{plain(', '.join(report.files))}** as {plain(report.format)}")
        st.markdown("\n".join(f"- {plain(sentence)}" for sentence in report.understood))
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
