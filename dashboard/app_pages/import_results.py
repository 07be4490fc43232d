"""Import: upload files, see what would happen, then commit it.

URL parameters: `sort` (a column of the imports so far).
"""

from contextlib import closing
from typing import Any

import streamlit as st

from analysis import numbers
from dashboard import data
from dashboard.ui.answers import answer
from dashboard.ui.asked import Asked
from dashboard.ui.imports import show_imports
from dashboard.ui.links import Link, plain, show_link
from dashboard.ui.mapping import choose_columns, for_the_page, open_columns
from dashboard.uploads import bring, show_plan
from store.console import current_actor
from store.engine import open_for_trial, open_store
from store.errors import StoreError
from store.import_answers import remember_answers
from store.import_lists import list_imports
from store.importers.bundle import ReadOptions
from store.importers.registry import IMPORTERS
from store.location import resolve_location, sqlite_path
from store.records import dataset_label

st.title("Import", anchor=False)
if data.is_read_only():
    if data.is_frozen():
        answer("This dashboard is read-only.", "Import with `tiebreak ingest FILE` instead.")
    else:
        answer("Importing takes the role contributor.", "You are a viewer here. Ask an admin.")
    st.stop()

answer("Drop result files here; nothing is written before you have seen what it would be.")
is_folder = st.toggle("Choose a whole folder")
uploads = st.file_uploader(
    "A folder of results" if is_folder else "Result files or archives",
    accept_multiple_files="directory" if is_folder else True,
    help="CSV, TSV, JSON Lines, Parquet, lm-evaluation-harness output; .gz, .zip and .tar too. A "
    "mapping file (NAME.tiebreak.yaml) can be dropped beside its table.",
)
with st.expander("What the files do not say"):
    left, right = st.columns(2)
    formats = ["recognise", *(importer.name for importer in IMPORTERS)]
    format_ = left.selectbox("Format", formats)
    direction = right.selectbox("Metrics without a direction", ["ask", "higher", "lower"])
    system = left.text_input("System")
    dataset = right.text_input("Dataset")
    metric = left.text_input("Metric")
    run_label = right.text_input("Run", help="Tells several runs of one system apart")
    lenient = left.toggle("Skip rows that cannot be used, and list them")
    replace = right.toggle("Replace runs that are there with other scores")
    with_text = left.toggle("Keep the texts of items and outputs", value=True)
    take_guesses = right.toggle("Take every guess instead of asking")

if not uploads:
    if past := list_imports(data.current_store()) if data.has_store() else []:
        st.header("Imports so far", anchor=False)
        show_imports(past)
    st.stop()

columns = choose_columns(uploads)
asked = Asked(uploads)
place_of_store = sqlite_path(resolve_location())
options = ReadOptions(
    system=system or None,
    dataset=dataset or None,
    metric=metric or None,
    run_label=run_label or None,
    higher_is_better={"higher": True, "lower": False}.get(str(direction)),
    lenient=lenient,
    with_text=with_text,
    answers=asked.answers(),
    recipes=None if place_of_store is None else place_of_store.parent / "recipes",
)
settings: dict[str, Any] = {
    "actor": current_actor(),
    "format": None if format_ == "recognise" else format_,
    "options": options,
    "take_guesses": take_guesses,
    "replace": replace,
}
try:
    with open_for_trial() as trial:
        preview = bring(trial, uploads, columns, dry_run=True, **settings)
except StoreError as error:
    open_columns(uploads, for_the_page(str(error)))
    st.subheader("This cannot be imported as it stands.", anchor=False)
    st.error(plain(for_the_page(str(error))))
    asked.show([])
    st.stop()

for entry in preview.plan.entries:
    if entry.is_fault:
        open_columns(uploads, for_the_page(f"{', '.join(entry.files)}: {entry.reason}"))
asked.show(preview.plan.questions)
place = st.empty()
with place.container():
    st.header("What would happen", anchor=False)
    show_plan(preview, for_the_page)
    if not any(report.changed for report in preview.reports):
        if not preview.plan.questions and preview.reports:
            answer("Nothing new: the store holds all of this already.")
        st.stop()
    is_wanted = st.button("Import this", type="primary")
if not is_wanted:
    st.stop()

try:
    with closing(open_store(create=True)) as store:
        done = bring(store, uploads, columns, **settings)
        said = {s: text for entry in done.plan.entries for s, text in entry.answered.items()}
        remember_answers(store, said, actor=current_actor())
except StoreError as error:
    st.error(plain(for_the_page(str(error))))
    st.stop()
place.empty()  # what would happen has happened
runs = sum(
    report.n("run", "added") + report.n("run", "extended") + report.n("run", "replaced")
    for report in done.reports
)
figures = sum(report.n("reported figure", "added") for report in done.reports)
answer(
    f"Done: {numbers.counted(runs, 'run')} and {numbers.counted(figures, 'reported figure')} "
    "came into the store."
)
labels = dict.fromkeys(
    dataset_label(one.name, one.version) for entry in done.plan.entries for one in entry.datasets
)
for label in list(labels)[:10]:
    show_link(Link(f"Leaderboard of {label}", "leaderboard", {"dataset": label}))
with closing(open_store(read_only=True)) as store:
    for latest in list_imports(store, limit=1):
        show_link(Link("This import: what it brought, undo", "import_object", {"uid": latest.uid}))
