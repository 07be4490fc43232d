"""Compiled loops, loaded in the background when the server starts.

The first comparison of all pairs after an installation would otherwise wait for the compiler.
"""

from __future__ import annotations

import threading

import streamlit as st

from analysis.statistics.all_pairs import warm_up as all_pairs
from analysis.statistics.meta_evaluation import warm_up as meta_evaluation


@st.cache_resource(show_spinner=False)
def warm_up() -> threading.Thread:
    """Start loading once in the life of the server."""
    thread = threading.Thread(target=_compile_loops, name="warm-up", daemon=True)
    thread.start()
    return thread


def _compile_loops() -> None:
    all_pairs.compile_loops()
    meta_evaluation.compile_loops()
