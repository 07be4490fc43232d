"""Who agrees with whom: what was judged, annotators among themselves, where they part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.studies.humans.agreement.study import Agreement, AgreementStudy
from dashboard import data
from dashboard.charts import annotator_dots
from dashboard.components import Standing, correlation_heatmap
from dashboard.ui import ask, filters
from dashboard.ui.links import page_url, plain
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_table
from store.judgments import CriterionRecord

_LONG: Final = 50
"""Characters of a text that a row may cut: the texts stand below as well."""
_MOST_DRAWN: Final = 60
"""Annotators in the picture; of more those who judged most."""
_MOST_JUDGMENTS: Final = 8
"""Judgments of a disagreement that are written into its row."""


def choose_criterion(criteria: Sequence[CriterionRecord]) -> CriterionRecord:
    """Draw the choice of a dataset, by default that with most judgments, and of what was judged."""
    datasets = sorted({c.dataset for c in criteria}, key=str.casefold)
    fullest = max(criteria, key=lambda c: (c.n_annotators > 1, c.n_judgments)).dataset
    dataset = filters.choose_one("Dataset", datasets, key="dataset", default=fullest, width=260)
    there = {c.name: c for c in criteria if c.dataset == dataset}
    name = filters.choose_one("Judged", list(there), key="criterion", width=220)
    return there[str(name)]


def choose_question(criterion: CriterionRecord) -> Agreement:
    """Draw everything else that can be chosen."""
    return ask.choose(Agreement, {"dataset": criterion.dataset_uid, "gold": criterion.uid})


def show_coefficients(study: AgreementStudy) -> None:
    """Show the coefficients of agreement, with what agreement by chance would be beside them."""
    frame = pd.DataFrame(
        {
            "name": [row.name for row in study.coefficients],
            "value": [row.value for row in study.coefficients],
            "low": [row.ci_low for row in study.coefficients],
            "high": [row.ci_high for row in study.coefficients],
            "note": [row.note for row in study.coefficients],
        }
    )
    show_table(
        frame,
        key="coefficients",
        columns={
            "name": Column("Coefficient", pinned=True),
            "value": Column("Value", "number", ends=("low", "high")),
            "low": Column("From", "number", shown=False),
            "high": Column("To", "number", shown=False),
            "note": Column("What it says"),
        },
        filename="agreement",
        noun="coefficient",
    )
    if frame["note"].str.len().max() > _LONG:
        with st.expander("What the coefficients say"):
            lines = zip(frame["name"], frame["note"], strict=True)
            st.markdown("\n".join(f"- {plain(f'{name}: {note}')}" for name, note in lines))


def show_annotators(study: AgreementStudy) -> None:
    """Show each annotator's competence and agreement, as a picture and as a table."""
    frame = annotator_frame(study)
    has_competence = bool(frame["competence"].notna().any())
    has_others = bool(frame["with_others"].notna().any())
    picture = annotators_plot(study)
    if picture is not None:
        n_drawn = min(len(frame), _MOST_DRAWN)
        who = numbers.counted(n_drawn, "annotator")
        modelled = ", and the competence that a model of them gives" if has_competence else ""
        show_picture(
            picture,
            key="annotators_picture",
            alt=f"Agreement of {who} with the others{modelled}.",
        )
        if n_drawn < len(frame):
            st.caption(f"The {n_drawn} who judged most, of {len(frame):,}.")
    show_table(
        frame,
        key="annotators",
        columns={
            "annotator": Column("Annotator", pinned=True),
            "kind": Column("Kind", shown=frame["kind"].nunique() > 1),
            "n_judged": Column("Judged", "count"),
            "competence": Column(
                "Competence",
                "number",
                shown=has_competence,
                help="Probability that the annotator knows rather than guesses (MACE)",
                ends=("competence_low", "competence_high"),
            ),
            "competence_low": Column("From", "number", shown=False),
            "competence_high": Column("To", "number", shown=False),
            "with_others": Column(
                "With the others", "number", help="Mean agreement, 0 to 1", shown=has_others
            ),
            "with_consensus": Column(
                "With the consensus",
                "number",
                shown=has_others,
                help=f"Consensus: {study.consensus_rule}",
            ),
        },
        filename=f"annotators_{study.criterion.name}",
        noun="annotator",
    )


def annotators_plot(study: AgreementStudy) -> alt.LayerChart | None:
    """Draw each annotator's competence and agreement; nothing where neither is known."""
    frame = annotator_frame(study)
    if not frame[["competence", "with_others"]].notna().any(axis=None):
        return None
    drawn = frame.loc[frame["n_judged"].nlargest(_MOST_DRAWN).index.sort_values()]
    return annotator_dots(
        drawn.assign(label=[numbers.count(n) for n in drawn["n_judged"]]),
        competence="competence (MACE)",
    )


def annotator_frame(study: AgreementStudy) -> pd.DataFrame:
    """Return a row per annotator, the most competent (else the most agreeing) first."""
    frame = pd.DataFrame(
        {
            "annotator": [row.name for row in study.annotators],
            "annotator_uid": [row.uid for row in study.annotators],
            "kind": [row.kind for row in study.annotators],
            "n_judged": [row.n_judged for row in study.annotators],
            "competence": [row.competence for row in study.annotators],
            "competence_low": [row.competence_low for row in study.annotators],
            "competence_high": [row.competence_high for row in study.annotators],
            "with_others": [row.agreement_with_others for row in study.annotators],
            "with_consensus": [row.agreement_with_consensus for row in study.annotators],
        }
    )
    floats = ["competence", "competence_low", "competence_high", "with_others", "with_consensus"]
    frame = frame.astype(dict.fromkeys(floats, "float64"))
    return frame.sort_values(
        ["competence", "with_others"], ascending=False, kind="stable", na_position="last"
    ).reset_index(drop=True)


def show_matrix(study: AgreementStudy) -> None:
    """Show how often every two annotators agree."""
    names = [row.name for row in study.annotators]
    if len(names) < 2:
        return
    pairs = np.array(study.pairs, dtype=float)
    np.fill_diagonal(pairs, np.nan)
    none = np.full(pairs.shape, np.nan)
    correlation_heatmap(
        names,
        names,
        pairs,
        none,
        none,
        np.full(pairs.shape, Standing.UNKNOWN),
        quantity="agreement",
        reference="",
        caption="Shade: agreement of two annotators on what both judged",
        ends=(min(0.0, float(np.nanmin(pairs, initial=0.0))), 1.0),
        among=True,
        key="pairs",
    )
    shared = np.asarray(study.pairs_n)
    first, second = np.nonzero(np.triu(shared, 1))
    show_table(
        pd.DataFrame(
            {
                "first": [names[i] for i in first],
                "second": [names[j] for j in second],
                "agreement": pairs[first, second],
                "n": shared[first, second],
            }
        ),
        key="annotator_pairs",
        columns={
            "first": Column("Annotator", pinned=True),
            "second": Column("And"),
            "agreement": Column("Agreement", "number"),
            "n": Column("Judged by both", "count"),
        },
        filename="annotator_pairs",
        noun="pair",
    )


def show_disagreements(study: AgreementStudy) -> None:
    """List the units that annotators differ on most; a row opens the item."""
    if not study.disagreements:
        st.markdown("There is nothing on which two annotators differ.")
        return
    frame = pd.DataFrame(
        {
            "item": [d.item_key for d in study.disagreements],
            "what": [d.what for d in study.disagreements],
            "spread": [d.spread for d in study.disagreements],
            "judgments": [_in_words(d.judgments) for d in study.disagreements],
        }
    )
    where = {"dataset": study.dataset.label, "criterion": study.criterion.name}
    show_table(
        frame,
        key="disagreements",
        columns={
            "item": Column("Item", pinned=True),
            "what": Column("Of", shown=bool(frame["what"].nunique() > 1)),
            "spread": Column("Spread", "number", decimals=2),
            "judgments": Column("Who said what"),
        },
        filename=f"disagreements_{study.criterion.name}",
        noun="item",
        links={
            "item": [
                page_url("judgments", **where, item=item, **outputs_in_question(study, what))
                for item, what in zip(frame["item"], frame["what"], strict=True)
            ]
        },
    )


def outputs_in_question(study: AgreementStudy, what: str) -> dict[str, str]:
    """Return the URL parameters by which the page of judgments shows the outputs named `what`."""
    if study.criterion.kind != "preference":
        return {"a": what} if what else {}
    systems = [row.system for row in study.strengths]
    if len(systems) < 3:
        return {}
    pairs = [(a, b) for a in systems for b in systems if f"{a} or {b}" == what]
    return {"pair": " or ".join(sorted(pairs[0]))} if pairs else {}


def _in_words(judgments: Mapping[str, str]) -> str:
    told = [f"{name}: {said}" for name, said in list(judgments.items())[:_MOST_JUDGMENTS]]
    more = len(judgments) - len(told)
    return "; ".join(told) + (f" and {more} more" if more else "")


def show_question(criterion: CriterionRecord) -> None:
    """Say what was asked, and on which scale."""
    told = [f"“{criterion.question}”"] if criterion.question else []
    ends = (criterion.lower, criterion.upper)
    if criterion.labels:
        told.append(f"one of {', '.join(criterion.labels)}")
    elif ends[0] is not None and ends[1] is not None:
        told.append(f"from {ends[0]:g} to {ends[1]:g}")
    if criterion.kind == "preference":
        told.append("a choice between two outputs")
    elif criterion.kind == "error-spans":
        weights = criterion.weights or {}
        told.append(
            "errors marked; weights: " + ", ".join(f"{k} {v:g}" for k, v in weights.items())
        )
    record = next((d for d in data.datasets() if d.uid == criterion.dataset_uid), None)
    n_items = "" if record is None else f" of {record.n_items:,}"
    told.append(
        f"{numbers.counted(criterion.n_judgments, 'judgment')} by "
        f"{numbers.counted(criterion.n_annotators, 'annotator')} on "
        f"{criterion.n_items:,}{n_items} items"
    )
    text = "; ".join(told)
    st.markdown(plain(f"{text[:1].upper()}{text[1:]}."))
