"""Two columns of scores, dropped or pasted, through the whole procedure; nothing is stored.

URL parameters: the settings of `Adhoc`.
"""

from dataclasses import replace

import streamlit as st

from analysis.setting import parameters as parameters_of
from analysis.studies.adhoc import Adhoc, AdhocStudy
from dashboard.adhoc_input import MOST_MB, example, read_columns
from dashboard.pool.asking import worked_out
from dashboard.pool.tasks import Task
from dashboard.ui import ask, pair
from dashboard.ui.adhoc import offer_session, restore, show_tests, show_unit_sizes
from dashboard.ui.answers import answer
from dashboard.ui.badges import badge
from dashboard.ui.links import Link, plain, show_link, show_permalink
from dashboard.ui.notes import show_warnings
from dashboard.ui.reports import show_report
from store.errors import StoreError

st.title("Try your own", anchor=False)
upload, paste = st.columns(2, gap="large")
uploads = upload.file_uploader(
    "A file of two columns, two files of one column, or a saved session",
    accept_multiple_files=True,
    max_upload_size=MOST_MB,
    help="Numbers separated by spaces, tabs or commas, one item a line; the first "
    "line may name the two",
)
pasted = paste.text_area(
    "Or paste two columns", placeholder="0.71 0.68\n0.35 0.41\n…", height=120, key="pasted"
)
with st.container(horizontal=True, vertical_alignment="bottom"):
    asked = ask.choose(Adhoc, {})

try:
    columns = read_columns(uploads, pasted)
except StoreError as error:
    st.subheader("This cannot be read as it stands.", anchor=False)
    st.error(plain(str(error)))
    st.stop()
if columns is None:
    answer(
        "Drop a file to compare two systems.",
        "What you drop stays in this session; nothing is stored. Until then, this is what an "
        "answer looks like, with 60 made-up scores.",
    )
    columns = example()
restore(columns.session)

asked = replace(asked, names=columns.names, columns=columns.scores)
study: AdhocStudy = worked_out(object(), Task(asked), None, None)  # what was dropped is not kept
a, b = asked.called
answer(plain(study.sentence))
st.markdown(f"{badge(study.analysis.verdict)} {plain(a)} against {plain(b)}")
show_warnings(study.warnings)

st.header("The data", anchor=False)
pair.show_data(study.analysis, a, b, None, folded=False)
show_unit_sizes(study)
st.header("The difference", anchor=False)
pair.show_difference(study.analysis, asked.settings, a, b, None)
left, right = st.columns([4, 5], gap="medium")
with left:
    pair.show_test(study.analysis)
with right:
    pair.show_effects(study.analysis)
show_tests(study)

show_report(study.report, "adhoc", signature=study.signature)
offer_session(asked)
if uploads:
    st.markdown("To keep these scores, import the file: its runs then stand beside all others.")
    show_link(Link("Import results", "import_results", {}))
show_permalink("adhoc", **parameters_of(replace(asked, names=None), whole=True))
