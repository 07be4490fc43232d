"""The sentence at the top of a page."""

import streamlit as st


def answer(text: str, detail: str | None = None) -> None:
    """Say the answer first, in one sentence; `detail` says on what it rests.

    Both are Markdown: escape names with `links.plain`.
    """
    st.subheader(text, anchor=False)
    if detail is not None:
        st.markdown(detail)
