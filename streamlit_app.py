"""The dashboard's entry: frames every page and says in words what keeps one from being shown."""

import altair as alt
import streamlit as st

from dashboard.registry import PAGES
from dashboard.ui import states
from dashboard.ui.links import Link, plain
from dashboard.ui.links import PAGES as FOLDER
from dashboard.ui.style import apply_style
from store.errors import NotFoundError, SchemaVersionError, StoreError

st.set_page_config(page_title="Tiebreak", layout="wide")
apply_style()
alt.data_transformers.enable("default", max_rows=None)

sections: dict[str, list] = {}
for spec in PAGES:
    sections.setdefault(spec.section, []).append(
        st.Page(
            FOLDER / f"{spec.name}.py",
            title=spec.title,
            url_path=spec.name,
            default=spec is PAGES[0],
            visibility="hidden" if spec.hidden else "visible",
        )
    )
page = st.navigation(sections)
try:
    page.run()
except SchemaVersionError as error:
    states.wrong_revision(str(error), "tiebreak db upgrade")
except NotFoundError as error:
    if "no store at" in str(error):
        states.empty_store([Link("Import results", "import_results", {})])
    else:
        st.subheader(plain(str(error)), anchor=False)
except StoreError as error:
    st.subheader("The store cannot answer.", anchor=False)
    st.markdown(plain(str(error)))
