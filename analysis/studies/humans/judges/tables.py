"""The tables of a model as judge."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from analysis import numbers
from analysis.answer_table import AnswerTable, fields_of
from analysis.columns import Column, with_interval
from analysis.studies.humans.agreement.tables import VERDICTS
from analysis.studies.humans.judges.result import JudgesResult
from analysis.studies.humans.judges.rows import JudgedPair, JudgedSystem


def ceiling(study: JudgesResult) -> AnswerTable:
    """Return a row for people, where two judged the same, and one for the judge."""
    rows: list[dict[str, Any]] = []
    found = study.ceiling
    digits = 3
    if found is not None and math.isfinite(found.metric):
        low, high = found.metric_interval[:2]
        digits = numbers.decimals_of([low], [high])
        if math.isfinite(found.humans):
            who = numbers.counted(study.n_people, "person").replace("persons", "people")
            rows.append(
                {
                    "name": f"the {who}",
                    "value": found.humans,
                    "low": found.humans_interval[0],
                    "high": found.humans_interval[1],
                    "pvalue": math.nan,
                    "mark": "annotators",
                    "verdict": "",
                }
            )
        mark = "less" if found.difference > 0 else "more"
        if math.isnan(found.pvalue):
            mark = "no comparison"
        elif found.pvalue > study.alpha:
            mark = "undecided"
        rows.append(
            {
                "name": study.judge,
                "value": found.metric,
                "low": low,
                "high": high,
                "pvalue": found.pvalue,
                "mark": mark,
                "verdict": VERDICTS[mark],
            }
        )
    among = len(rows) > 1
    with_people = Column("with people", "number", decimals=digits)
    return AnswerTable(
        name="ceiling",
        noun="row",
        columns={
            "name": Column("who", pinned=True),
            **with_interval("value", with_people, "low", "high"),
            "verdict": Column("verdict", help="Against people's agreement with each other"),
            "pvalue": Column("p", "pvalue").when(among),
        },
        rows=rows,
        caption="Agreement with people",
    )


def systems(study: JudgesResult) -> AnswerTable:
    """Return a row per system, the best first: by people, by the judge, and put right.

    Where the judge judged nothing that people did not, the last of these is people alone: it is
    left out.
    """
    adds = study.judged_more
    digits = _places(study.systems)
    number = partial(Column, kind="number", decimals=digits)
    corrected = with_interval(
        "corrected", number("corrected", help="The judge, put right by people")
    )
    bias = Column(
        "judge less people",
        "difference",
        decimals=digits,
        help="Judge minus people, where both judged",
    )
    names = (
        "system system_uid corrected corrected_low corrected_high human human_low human_high judge "
        "bias bias_low bias_high n_human n_judged_only effective_n weight"
    )
    return AnswerTable(
        name="judged_systems",
        noun="system",
        columns={
            "system": Column("system", pinned=True),
            **corrected,
            "corrected": corrected["corrected"].when(adds),
            **with_interval("human", number("people alone" if adds else "people")),
            "judge": number("judge alone" if adds else "judge"),
            **with_interval("bias", bias),
            "n_human": Column("both judged", "count"),
            "n_judged_only": Column("judge only", "count").when(adds),
            "effective_n": Column(
                "worth",
                "number",
                decimals=0,
                help="Human judgments as precise without the judge",
            ).when(adds),
            "weight": Column("weight of the judge", "number", decimals=2).when(False),
        },
        rows=[fields_of(row, names) for row in study.systems],
        caption=f"Systems: {study.unit_in_words}",
    )


def pairs(study: JudgesResult) -> AnswerTable:
    """Return a row per pair; those that are told apart and turned round by the judge first."""
    adds = study.judged_more
    rows = sorted(map(_pair, study.pairs), key=lambda row: not row["misled"])
    difference = partial(Column, kind="difference", decimals=_places(study.pairs))
    return AnswerTable(
        name="judged_pairs",
        noun="pair",
        columns={
            "first": Column("system", pinned=True),
            "second": Column("minus"),
            "better": Column("better", help=f"By the adjusted p, α = {study.alpha:g}"),
            "judge_says": Column("judge alone says"),
            **with_interval("corrected", difference("corrected" if adds else "people")),
            "pvalue_adjusted": Column("adjusted p", "pvalue", help="By Holm, over all pairs"),
            "human": difference("people alone").when(adds),
            "human_pvalue": Column("p of people alone", "pvalue").when(False),
            "judge": difference("judge alone" if adds else "judge"),
        },
        rows=rows,
        caption="Pairs of systems",
        strong="separated",
        stands_out={"corrected": [k for k, row in enumerate(rows) if row["decided"]]},
    )


def _pair(row: JudgedPair) -> dict[str, Any]:
    undecided = {"undecided": "cannot tell", "no comparison": "no comparison"}
    names = {"first": row.first, "second": row.second}
    says = "" if math.isnan(row.judge) else "second" if row.judge < 0 else "first"
    says = "neither" if row.judge == 0 else says
    told = "corrected corrected_low corrected_high pvalue_adjusted human human_pvalue judge"
    return {
        "first": row.first,
        "second": row.second,
        "better": undecided.get(row.better) or names[row.better],
        "judge_says": names.get(says, says),
        "decided": row.better in names,
        "misled": row.better in names and says in names and says != row.better,
        **fields_of(row, told),
    }


def _places(rows: tuple[JudgedSystem, ...] | tuple[JudgedPair, ...]) -> int:
    ends = [row.corrected_low for row in rows], [row.corrected_high for row in rows]
    return max(2, min(4, numbers.decimals_of(*ends)))


def place(study: JudgesResult) -> AnswerTable:
    """Return how often the output shown first is chosen, where the order is known."""
    rows: list[dict[str, Any]] = [
        {
            "who": row.who,
            "n": row.position.first.n,
            "first": row.position.first.value,
            "balanced": row.position.balanced.value,
            "balanced_low": row.position.balanced.interval[0],
            "balanced_high": row.position.balanced.interval[1],
            "pvalue": row.position.balanced.pvalue,
            "swapped": row.position.swapped,
            "consistent": row.position.consistent.value,
        }
        for row in study.biases
        if row.position.first.n
    ]
    both = any(math.isfinite(row["balanced"]) for row in rows)
    balanced = with_interval(
        "balanced",
        Column(
            "orders alike",
            "number",
            help="With both orders of every pair of systems counted alike: 0.5 without bias",
        ),
    )
    return AnswerTable(
        name="place",
        noun="row",
        columns={
            "who": Column("who", pinned=True),
            "n": Column("choices", "count", help="Of which the order is known"),
            "first": Column("first chosen", "number", help="As it is; a tie counts half"),
            **balanced,
            "balanced": balanced["balanced"].when(both),
            "pvalue": Column("p", "pvalue", help="Of 0.5").when(both),
            "swapped": Column("seen in both orders", "count").when(
                any(row["swapped"] for row in rows)
            ),
            "consistent": Column(
                "same answer", "number", help="Of the outputs seen in both orders"
            ).when(any(math.isfinite(row["consistent"]) for row in rows)),
        },
        rows=rows,
        caption="Choices by the place of an output",
    )


def length(study: JudgesResult) -> AnswerTable:
    """Return how often the longer output is chosen, where lengths are known."""
    rows: list[dict[str, Any]] = []
    for row in study.biases:
        found = row.length
        if not found.longer.n:
            continue
        odds = [math.exp(value) for value in (found.per_doubling, *found.per_doubling_interval[:2])]
        rows.append(
            {
                "who": row.who,
                "n": found.longer.n,
                "longer": found.longer.value,
                "longer_low": found.longer.interval[0],
                "longer_high": found.longer.interval[1],
                "odds": odds[0],
                "odds_low": odds[1],
                "odds_high": odds[2],
                "pvalue": found.per_doubling_pvalue,
            }
        )
    fitted = any(math.isfinite(row["odds"]) for row in rows)
    odds_column = with_interval(
        "odds",
        Column(
            "odds × at twice the length",
            "number",
            decimals=2,
            help="At equal systems; 1 without bias",
        ),
    )
    return AnswerTable(
        name="length",
        noun="row",
        columns={
            "who": Column("who", pinned=True),
            "n": Column("choices", "count", help="Between outputs of different lengths"),
            **with_interval(
                "longer", Column("longer chosen", "number", help="As it is; a tie counts half")
            ),
            **odds_column,
            "odds": odds_column["odds"].when(fitted),
            "pvalue": Column("p", "pvalue", help="Of 1").when(fitted),
        },
        rows=rows,
        caption="Choices by the length of an output",
    )
