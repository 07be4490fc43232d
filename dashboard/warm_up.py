"""Compiled loops, loaded in the background when the server starts.

The first comparison of all pairs after an installation would otherwise wait for the compiler.
"""

from __future__ import annotations

import threading

import streamlit as st

from analysis.statistics.all_pairs.warm_up import compile_loops


@st.cache_resource(show_spinner=False)
def warm_up() -> threading.Thread:
    """Start loading once in the life of the server."""
    thread = threading.Thread(target=compile_loops, name="warm-up", daemon=True)
    thread.start()
    return thread
