"""The systems of a dataset by score, and which of them can be separated.

URL parameters: `dataset`, `metric`, `baseline` (a system), `tag`, `by` (tag or family: rows in
groups), `folded` (groups), and the settings of `Board`.
"""

import streamlit as st

from analysis import numbers
from analysis.setting import parameters as parameters_of
from analysis.studies.leaderboard import Board
from analysis.studies.leaderboard_table import board_table
from dashboard import data, places
from dashboard.charts import rank_intervals_plot, score_dots
from dashboard.ui import ask, board_beside, board_groups, filters, settings, states
from dashboard.ui.answers import answer
from dashboard.ui.badges import badge
from dashboard.ui.board import (
    picture_frame,
    resolution_in_words,
    run_frame,
)
from dashboard.ui.links import page_urls, plain, show_permalink
from dashboard.ui.notes import show_warnings
from dashboard.ui.pictures import kept, show_picture
from dashboard.ui.reports import show_report
from dashboard.ui.tables import show_answer

st.title("Leaderboard", anchor=False)
datasets = [d for d in data.datasets() if d.n_runs or d.n_reported]
if not datasets:
    states.empty_store()
    st.stop()

with filters.filter_row("leaderboard_filters"):
    dataset, metric = settings.choose_cell(datasets)
    baseline = board_beside.choose_baseline(dataset, str(metric))
    is_tagged = board_beside.choose_tags()
    groups_of = board_groups.choose_groups([*board_beside.systems_of(dataset, str(metric))])
    board = ask.choose(Board, {"dataset": dataset.uid, "metric": metric})

study = data.ask(board)
answer(plain(study.sentence))
basis = {row.basis for row in study.rows}
badges = [badge("recomputed", "item scores")] if "items" in basis else []
badges += [badge("reported")] if "reported" in basis else []
better = "higher is better" if study.metric.higher_is_better else "lower is better"
facts = [numbers.counted(dataset.n_items, "item")] if dataset.n_items else []
st.markdown(" ".join(badges) + "  " + plain(", ".join([*facts, better])))
if resolution := resolution_in_words(study):
    st.markdown(plain(resolution))
show_warnings(study.warnings)

told = board_table(study, [row for row in study.rows if is_tagged(row.system)])
if baseline:
    told = board_beside.beside_baseline(told, board, baseline)
told = board_beside.beside_metrics(told, study, dataset)
told = board_beside.beside_tags(told)
frame = told.frame()
where = {"dataset": dataset.label, "metric": study.metric.label}
is_tested = study.resolution.n_adjacent > 0
of_pair = {name: told for name, told in parameters_of(board).items() if name != "interval"} | where
show_answer(
    told,
    filename=f"leaderboard_{dataset.name}",
    links={"system": page_urls("system", {}, uid=told.values("system_uid"))},
    order="rank",
    label=f"Leaderboard of {dataset.label}",
    is_main=True,
    groups=groups_of(told.values("system")),
    compare=places.href("compare", of_pair) if is_tested else "",
)
with st.expander("The board as pictures"):
    show_picture(
        kept(
            score_dots,
            picture_frame(frame, study),
            runs=run_frame(study.rows),
            metric=study.metric.label,
            higher_is_better=study.metric.higher_is_better,
            interval=f"{100 * (1 - study.alpha):g} %",
        ),
        key="scores",
        filename="leaderboard",
        alt=study.sentence,
    )
    if is_tested and frame["rank_low"].notna().all():
        show_picture(
            kept(
                rank_intervals_plot,
                frame.assign(low=frame["rank_low"], high=frame["rank_high"], label=""),
                confidence=1 - study.alpha,
            ),
            key="ranks",
            filename="possible_ranks",
            alt="The ranks that are possible for each system.",
        )
show_permalink("leaderboard", **{**parameters_of(board, whole=True), **where})
show_report(study.report, f"leaderboard_{dataset.name}", signature=study.signature)
