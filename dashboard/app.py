"""The frame of every page: says in words what keeps one from being shown."""

from __future__ import annotations

from urllib.parse import urlsplit

import altair as alt
import streamlit as st

from dashboard import address
from dashboard.data import has_vanished, seen_damage
from dashboard.registry import PAGES
from dashboard.ui import states
from dashboard.ui.links import PAGES as FOLDER
from dashboard.ui.links import Link, plain
from dashboard.ui.style import apply_style
from dashboard.warm_up import warm_up
from store.errors import NotFoundError, SchemaVersionError, StoreError

_MOST_DAMAGES = 3


def show_damage() -> list[str]:
    """Say above every page which scores are damaged and left out; return what was said."""
    told = seen_damage()
    for sentence in told[:_MOST_DAMAGES]:
        st.error(plain(sentence))
    if len(told) > _MOST_DAMAGES:
        st.error(f"And {len(told) - _MOST_DAMAGES:,} more: `tiebreak db check` lists them.")
    return told


def run() -> None:
    """Draw the page that the address names."""
    alt.data_transformers.enable("default", max_rows=None)
    pages = {
        spec.name: st.Page(
            FOLDER / f"{spec.name}.py",
            title=spec.title,
            url_path=spec.name,
            visibility="hidden" if spec.hidden else "visible",
        )
        for spec in PAGES
    }

    def home() -> None:
        """Go to the first page: Streamlit gives its default page no address of its own."""
        asked = urlsplit(st.context.url or "").path.strip("/").rpartition("/")[2]
        if asked:  # an unknown address ends here too
            states.no_page(
                asked, [Link(spec.title, spec.name, {}) for spec in PAGES if not spec.hidden]
            )
            return
        address.redirect(PAGES[0].name, {name: address.values(name) for name in st.query_params})

    sections = {"": [st.Page(home, title="Tiebreak", default=True, visibility="hidden")]}
    for spec in PAGES:
        sections.setdefault(spec.section, []).append(pages[spec.name])
    page = st.navigation(sections)
    st.set_page_config(page_title=f"{page.title} · Tiebreak", layout="wide")
    address.listen([spec.name for spec in PAGES], moved=[""])
    apply_style()
    warm_up()
    told = show_damage()
    try:
        page.run()
    except SchemaVersionError as error:
        states.wrong_revision(str(error), "tiebreak db upgrade")
    except NotFoundError as error:
        if has_vanished():
            states.vanished_store()
        elif "no store at" in str(error):
            states.empty_store()
        else:
            st.subheader(plain(str(error)), anchor=False)
    except StoreError as error:
        st.subheader("The store cannot answer.", anchor=False)
        st.markdown(plain(str(error)))
    finally:
        address.settle()
    if seen_damage() != told:
        st.rerun()  # seen while the page was drawn: it is said above everything
