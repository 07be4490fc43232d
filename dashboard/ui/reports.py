"""A study to take away: as text, Markdown, LaTeX or JSON."""

from __future__ import annotations

import streamlit as st

from analysis.report import Report


def show_report(report: Report, filename: str, *, key: str = "report") -> None:
    """Offer the report in every form, and show its text to copy; each on a page has its `key`."""
    forms = (
        ("Text", "txt", "text/plain", report.as_text),
        ("Markdown", "md", "text/markdown", report.as_markdown),
        ("LaTeX", "tex", "application/x-tex", report.as_latex),
        ("JSON", "json", "application/json", report.as_json),
    )
    with st.container(horizontal=True, gap="small"):
        for label, suffix, kind, write in forms:
            st.download_button(
                label,
                data=write,
                file_name=f"{filename}.{suffix}",
                mime=kind,
                key=f"{key}_{suffix}",
                on_click="ignore",
            )
    st.code(report.as_text(), language=None, wrap_lines=False, height=320)
