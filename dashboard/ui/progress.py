"""Long work: how far it is, and a way to stop it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

T = TypeVar("T")

_STOPPED = "stopped_work"


def with_progress(
    what: str, work: Callable[[Callable[[int, int], None]], T], *, in_percent: bool = False
) -> T:
    """Return what `work` gives, showing how far it is; the reader may stop it.

    How far: so many of all, or in percent where steps mean nothing to a reader. `work` gets a
    function to call with (done, of how many). A click on "Stop" runs the page again, which ends
    the work in its next call; the page then offers to start anew.
    """
    place = st.empty()
    if st.session_state.pop(_STOPPED, False):
        with place.container():
            st.subheader("Stopped.", anchor=False)
            st.markdown("Nothing was kept. Change a setting, or start again.")
            st.button("Start again")
        st.stop()
    bar = None

    def progress(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            with place.container(horizontal=True, vertical_alignment="center"):
                bar = st.progress(0.0)
                st.button("Stop", on_click=_stop)
        share = min(1.0, done / max(total, 1))
        how_far = f"{100 * share:.0f} %" if in_percent else f"{done:,} of {total:,}"
        bar.progress(share, text=f"{what}: {how_far}")

    result = work(progress)
    place.empty()
    return result


def _stop() -> None:
    st.session_state[_STOPPED] = True
