"""One run: scores, what happened to its items, provenance, reported against recomputed, history.

URL parameters: `uid` of the run, `metric`, `beside` (uid of another run).
"""

import json

import numpy as np
import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from dashboard import data
from dashboard.charts import score_histogram, status_bars
from dashboard.params import target
from dashboard.ui import filters, states
from dashboard.ui.answers import answer
from dashboard.ui.badges import badge
from dashboard.ui.editing import show_editing
from dashboard.ui.links import Link, plain, show_link
from dashboard.ui.note_list import show_notes
from dashboard.ui.notes import show_facts, show_history, show_warnings
from dashboard.ui.pictures import show_picture
from dashboard.ui.run_difference import show_beside
from dashboard.ui.tables import show_table
from store.importers.kinds import OUTCOME_WORDS, Status
from store.reported import disputed_figures

runs = data.runs()
st.title("Run", anchor=False)
run = target("run", runs, [f"{r.system} on {r.dataset} {r.label}".strip() for r in runs])
if run is None:
    st.stop()

label = f", run {run.label}" if run.label else ""
answer(plain(f"{run.system} on {run.dataset}{label}"))
missing = max((run.n_items - v.n_scored for v in run.vectors), default=0)
if not run.vectors:
    badges = [badge("reported")]
else:
    badges = [badge("incomplete" if missing or not run.complete else "complete")]
st.markdown(" ".join(badges) + ("" if run.complete else "  The run did not finish."))
show_link(Link(run.system, "system", {"uid": run.system_uid}))
show_link(Link(run.dataset, "dataset", {"dataset": run.dataset}))
show_notes(data.notes("run", run.uid))
show_editing("run", run.uid, run.label, run.tags)

reported = [score for score in data.reported_scores() if score.run_uid == run.uid]
stated = {score.metric_uid: score.value for score in reported}
show_warnings([f"{figure}." for figure in disputed_figures(reported, [run])])
if run.vectors:
    st.header("Scores", anchor=False)
    show_table(
        pd.DataFrame(
            [
                v.to_dict()
                | {"n_missing": run.n_items - v.n_scored, "stated": stated.get(v.metric_uid)}
                for v in run.vectors
            ]
        ).astype({"stated": "float64"}),
        key="scores",
        columns={
            "metric": Column("Metric", pinned=True),
            "trial": Column("Trial", "count", shown=len({v.trial for v in run.vectors}) > 1),
            "value": Column("Recomputed from items", "number", decimals=4),
            "stated": Column("As the file states", "number", decimals=4, shown=bool(stated)),
            "std": Column("SD of items", "number", decimals=3),
            "min": Column("Lowest", "number", decimals=3, shown=False),
            "max": Column("Highest", "number", decimals=3, shown=False),
            "n_scored": Column("Scored", "count"),
            "n_missing": Column("Missing", "count"),
        },
        filename=f"scores_{run.uid}",
        noun="score",
    )
else:
    states.no_item_scores("this run")
without_items = [s for s in reported if s.metric_uid not in {v.metric_uid for v in run.vectors}]
for score in without_items:
    st.markdown(
        f"{badge('reported')} {plain(score.metric)} {score.value:.6g}: the file has no item "
        "scores for it."
    )

vectors = data.run_scores(run.uid)
if vectors:
    names = list(dict.fromkeys(v.metric for v in run.vectors))
    chosen = filters.choose_one("Metric", names, key="metric")
    uid = next(v.metric_uid for v in run.vectors if v.metric == chosen)
    values = [v.item_values for v in vectors if v.metric_uid == uid]
    statuses = np.concatenate([v.status for v in vectors if v.metric_uid == uid])
    left, right = st.columns(2)
    with left:
        flat = np.concatenate(values)
        show_picture(
            score_histogram(flat.tolist(), metric=str(chosen)),
            key="histogram",
            filename=f"scores_of_items_{run.system}_{run.dataset}",
            alt=f"Distribution of {chosen} over items.",
        )
    with right:
        unscored = (statuses == Status.OK) & np.isnan(flat)
        outcomes = np.where(unscored, Status.UNSCORED, statuses)
        answered = OUTCOME_WORDS[Status.OK]
        counts = {word: int((outcomes == one).sum()) for one, word in OUTCOME_WORDS.items()}
        show_picture(
            status_bars(
                {name: n for name, n in counts.items() if n or name == OUTCOME_WORDS[Status.OK]}
            ),
            key="statuses",
            filename=f"items_by_status_{run.system}_{run.dataset}",
            alt="What happened to the items: "
            + ", ".join(f"{n} {name}" for name, n in counts.items() if n),
        )

st.header("Provenance", anchor=False)
dirty = {True: " with uncommitted changes", False: "", None: ""}[run.git_dirty]
show_facts(
    [
        ("Evaluated", numbers.moment(run.evaluated_on) if run.evaluated_on else "not stated"),
        ("Time zone", "not in the source, taken as UTC" if run.tz_assumed else ""),
        ("Seed", "" if run.seed is None else str(run.seed)),
        ("Command", run.command or ""),
        ("Harness", " ".join(filter(None, [run.harness, run.harness_version]))),
        ("Git", f"{run.git_origin or ''} {run.git_commit or ''}{dirty}".strip()),
        ("Source", run.source_url or ""),
        ("Tags", ", ".join(run.tags)),
        ("Imported", numbers.moment(run.created_at)),
        ("Uid", run.uid),
    ]
)
for title, content in (("Configuration", run.config), ("Packages", run.packages)):
    if content:
        with st.expander(title):
            st.code(json.dumps(content, indent=1, ensure_ascii=False), language="json")
show_beside(run, runs)
show_history(data.events(run.uid))
