"""The tables of the agreement of annotators."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from analysis import numbers
from analysis.answer_table import AnswerTable, fields_of
from analysis.columns import Column, with_interval
from analysis.studies.humans.agreement.items import FEWEST_JUDGES
from analysis.studies.humans.agreement.result import AgreementResult

VERDICTS: Final = {
    "less": "agrees less",
    "more": "agrees more",
    "undecided": "cannot tell",
    "no comparison": "no comparison",
}
"""A metric's agreement with annotators against theirs with each other, in words."""

_MOST_JUDGMENTS: Final = 6
"""Judgments of a disagreement that are written into its row."""


def coefficients(study: AgreementResult) -> AnswerTable:
    """Return a row per coefficient of agreement."""
    return AnswerTable(
        name="coefficients",
        noun="coefficient",
        columns={
            "name": Column("coefficient", pinned=True),
            **with_interval("value", Column("value", "number"), "ci_low", "ci_high"),
            "note": Column("what it says"),
        },
        rows=[fields_of(row, "name value ci_low ci_high note") for row in study.coefficients],
        caption="Agreement between annotators",
    )


def annotators(study: AgreementResult) -> AnswerTable:
    """Return a row per annotator, the most competent (else the most agreeing) first."""
    names = "name uid kind n_judged competence"
    rows = [
        {
            **fields_of(row, names),
            "with_others": row.agreement_with_others,
            "with_consensus": row.agreement_with_consensus,
        }
        for row in study.annotators
    ]
    rows.sort(key=lambda row: (_falling(row["competence"]), _falling(row["with_others"])))
    has_competence = any(math.isfinite(row["competence"]) for row in rows)
    has_others = any(math.isfinite(row["with_others"]) for row in rows)
    return AnswerTable(
        name="annotators",
        noun="annotator",
        columns={
            "name": Column("annotator", pinned=True),
            "kind": Column("kind").when(len({row["kind"] for row in rows}) > 1),
            "n_judged": Column("judged", "count"),
            "competence": Column(
                "competence",
                "number",
                help="Probability that the annotator knows rather than guesses (MACE)",
            ).when(has_competence),
            "with_others": Column("with the others", "number", help="Mean agreement, 0 to 1").when(
                has_others
            ),
            "with_consensus": Column(
                "with the consensus", "number", help=f"Consensus: {study.consensus_rule}"
            ).when(has_others),
        },
        rows=rows,
        caption="Annotators",
        notes=[f"Consensus: {study.consensus_rule}."],
    )


def _falling(value: float) -> float:
    return math.inf if math.isnan(value) else -value


def annotator_pairs(study: AgreementResult) -> AnswerTable:
    """Return a row per two annotators who judged the same."""
    names = [row.name for row in study.annotators]
    shared = np.triu(np.asarray(study.pairs_n), 1)
    return AnswerTable(
        name="annotator_pairs",
        noun="pair",
        columns={
            "first": Column("annotator", pinned=True),
            "second": Column("and"),
            "agreement": Column("agreement", "number"),
            "n": Column("judged by both", "count"),
        },
        rows=[
            {
                "first": names[i],
                "second": names[j],
                "agreement": float(study.pairs[i, j]),
                "n": int(shared[i, j]),
            }
            for i, j in zip(*np.nonzero(shared), strict=True)
        ],
    )


def metrics(study: AgreementResult) -> AnswerTable:
    """Return a row per metric, the one that agrees most first."""
    digits = metric_decimals(study)
    names = "name metric metric_uid agreement humans difference difference_low difference_high"
    rows = [
        {
            **fields_of(row, names),
            **fields_of(row, "pvalue pvalue_adjusted n_units n_ties"),
            "low": row.ci_low,
            "high": row.ci_high,
            "mark": row.verdict,
            "verdict": VERDICTS[row.verdict],
        }
        for row in sorted(study.metrics, key=lambda row: _falling(row.agreement))
    ]
    agreement = Column("with annotators", "number", decimals=digits)
    difference = Column(
        "difference",
        "difference",
        decimals=digits,
        help="Annotators with each other minus with the metric",
    )
    return AnswerTable(
        name="metrics",
        noun="metric",
        columns={
            "name": Column("metric", pinned=True),
            "metric": Column("full name").when(False),
            **with_interval("agreement", agreement, "low", "high"),
            "humans": Column("they with each other", "number", decimals=digits),
            "verdict": Column(
                "verdict", help="Agrees with them less, or more, than they with each other"
            ),
            **with_interval("difference", difference),
            "pvalue": Column("p", "pvalue").when(False),
            "pvalue_adjusted": Column(
                "adjusted p", "pvalue", help=f"By Holm, over all metrics; α = {study.alpha:g}"
            ),
            "n_units": Column("compared", "count", shown=False),
            "n_ties": Column("scored alike", "count", help="Pairs of outputs without a winner"),
        },
        rows=rows,
        caption="Metrics against annotators",
        strong="annotators agree more with each other than with it",
        stands_out={"name": [k for k, row in enumerate(rows) if row["mark"] == "less"]},
    )


def metric_decimals(study: AgreementResult) -> int:
    """Return the decimals that the intervals of metrics support."""
    return numbers.decimals_of(
        [row.ci_low for row in study.metrics], [row.ci_high for row in study.metrics]
    )


def overruled(study: AgreementResult) -> AnswerTable:
    """Return a row per other metric: whose side it takes where people overrule the best one."""
    best = study.metrics[0].name if study.metrics else ""
    share = Column("with the majority", "number", decimals=2, help="Share of those it decides")
    names = "metric n_with n_against n_neither share"
    return AnswerTable(
        name="overruled",
        noun="metric",
        columns={
            "metric": Column("metric", pinned=True),
            **with_interval("share", share, "low", "high"),
            "n_with": Column("with", "count", help="Items on which it chooses as they do"),
            "n_against": Column("against", "count"),
            "n_neither": Column("scored alike", "count"),
        },
        rows=[
            {**fields_of(row, names), "low": row.ci_low, "high": row.ci_high}
            for row in study.overruled
        ],
        caption=f"Where three in four annotators contradict {best}",
        notes=[
            f"Items on which three in four of {FEWEST_JUDGES} or more annotators choose the output "
            f"that {best} scores lower. Intervals of shares are Wilson's."
        ],
    )


def properties(study: AgreementResult) -> AnswerTable:
    """Return a row per property of items that agreement may go with."""
    names = "property rho ci_low ci_high n_units"
    return AnswerTable(
        name="properties",
        noun="property",
        columns={
            "property": Column("property of items", pinned=True),
            **with_interval("rho", Column("Spearman's ρ", "number"), "ci_low", "ci_high"),
            "n_units": Column("judged", "count", help="By two annotators or more"),
        },
        rows=[fields_of(row, names) for row in study.properties],
        caption="What agreement goes with",
        notes=["Above 0: annotators agree more on items with more of it."],
    )


def disagreements(study: AgreementResult) -> AnswerTable:
    """Return the units that annotators differ on most, the worst first."""
    several = len({row.what for row in study.disagreements}) > 1
    return AnswerTable(
        name="disagreements",
        noun="item",
        columns={
            "item": Column("item", pinned=True),
            "what": Column("of").when(several),
            "spread": Column("spread", "number", decimals=2),
            "judgments": Column("judgments"),
        },
        rows=[
            {
                "item": row.item_key,
                "what": row.what,
                "spread": row.spread,
                "judgments": _in_words(row.judgments),
            }
            for row in study.disagreements
        ],
        caption="What annotators differ on most",
    )


def _in_words(judgments: Mapping[str, str]) -> str:
    told = [f"{name}: {said}" for name, said in list(judgments.items())[:_MOST_JUDGMENTS]]
    more = len(judgments) - len(told)
    return "; ".join(told) + (f" and {more} more" if more else "")


def strengths(study: AgreementResult) -> AnswerTable:
    """Return a row per system with its strength by the annotators' choices, the best first."""
    names = "system system_uid strength low high rank rank_low rank_high n_choices"
    strength = Column("strength", "difference", decimals=2)
    return AnswerTable(
        name="strengths",
        noun="system",
        columns={
            "system": Column("system", pinned=True),
            **with_interval("strength", strength, "low", "high"),
            **with_interval("rank", Column("rank", "count")),
            "n_choices": Column("choices", "count", help="That the system was part of"),
        },
        rows=[fields_of(row, names) for row in study.strengths],
        caption="Systems by the annotators' choices (Bradley–Terry, log)",
        notes=[
            "Bradley and Terry's model of the choices, ties by Davidson's: a difference of 1 is "
            "odds of 2.7. Intervals from items drawn anew."
        ],
    )
