"""A study to take away: as text, Markdown, LaTeX or JSON."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from analysis.report import Report
from dashboard.ui.files import file_name
from dashboard.ui.links import plain


@st.fragment
def show_report(
    write: Callable[[], Report],
    filename: str,
    *,
    signature: str = "",
    how: str = "",
    label: str = "How this was computed",
    key: str = "report",
) -> None:
    """Offer the report in every form, with its text to copy; each on a page has its `key`.

    `how` says in words what the report does not.

    It is folded, and written once somebody opens it: that of many rows takes longer than its page.
    """
    fold = st.expander(label, key=f"{key}_fold", on_change="rerun")
    if how:
        fold.markdown(plain(how))
    if signature:
        fold.caption(plain(signature))
    if not fold.open:
        return
    report = write()
    forms = (
        ("Text", "txt", "text/plain", report.as_text),
        ("Markdown", "md", "text/markdown", report.as_markdown),
        ("LaTeX", "tex", "application/x-tex", report.as_latex),
        ("JSON", "json", "application/json", report.as_json),
    )
    with fold, st.container(horizontal=True, gap="small"):
        for form, suffix, kind, written in forms:
            st.download_button(
                form,
                data=written,
                file_name=file_name(filename, suffix),
                mime=kind,
                key=f"{key}_{suffix}",
                on_click="ignore",
            )
    fold.code(report.as_text(), language=None, wrap_lines=False, height=320)
