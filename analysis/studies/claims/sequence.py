"""Error control over the claims on a test set: levels, rules side by side, the honest frontier.

Levels go by claim: only systems that passed the best are tested, with two-sided p-values. A system
that is no better than the best before it passes it by luck that is as likely to go either way, so
each p-value is valid given all that came before, and the levels add up to alpha. Counting every
look instead, with one-sided p-values, needs not even that, and finds fewer of the true gains
(`docs/calibration_claims.md`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.results import read_only
from analysis.statistics.sequences.alpha_spending import alpha_spending
from analysis.statistics.sequences.ladder import ladder
from analysis.statistics.sequences.online_fdr import online_fdr
from analysis.statistics.sequences.records import find_records
from analysis.statistics.sequences.result import ClaimSequence
from analysis.studies.claims.gains import Gain, compare_looks
from analysis.studies.claims.history import TimeLine, moment_of
from analysis.studies.claims.records import RuleOutcome, Step
from analysis.studies.claims.settings import RULES, ClaimSettings, Counting, Order, Rule

_LADDER_SHARE: Final = 0.5
_FEWEST: Final = 2


class Levels(NamedTuple):
    """What a rule asks of each claim; p-values and levels are two-sided."""

    sequence: ClaimSequence
    levels: FloatArray
    sequential: FloatArray
    holds: tuple[bool | None, ...]


def put_to_rule(
    gains: Sequence[Gain | None], looks: Sequence[int], settings: ClaimSettings, rule: Rule
) -> Levels:
    """Put claims to a rule, in order of time.

    Parameters
    ----------
    gains
        What each was tested with; ``None`` where there was nothing before.
    looks
        The number of the look that each was.
    settings
        Alpha, and what is counted.
    rule
        Which one.
    """
    pvalues = np.array([math.nan if gain is None else _of_claim(gain) for gain in gains])
    by_look = settings.counting == "looks"
    given = pvalues / 2 if by_look else pvalues  # one-sided with looks: see above
    sequence = run_rule(rule, given, settings.alpha, looks=looks if by_look else None)
    return Levels(
        sequence=sequence,
        levels=read_only(sequence.levels * (2 if by_look else 1)),
        sequential=sequence.pvalues_sequential,
        holds=tuple(
            None if math.isnan(p) else bool(held)
            for p, held in zip(pvalues, sequence.rejected, strict=True)
        ),
    )


def run_rule(
    rule: Rule, pvalues: FloatArray, alpha: float, *, looks: Sequence[int] | None = None
) -> ClaimSequence:
    """Return the levels of a rule by its name."""
    if rule == "alpha-spending":
        return alpha_spending(pvalues, alpha=alpha, recycle=True, looks=looks)
    return online_fdr(pvalues, rule, alpha=alpha, looks=looks)


def _of_claim(gain: Gain) -> float:
    """Return the p-value of a claim to be better: a loss is no evidence for it."""
    return gain.pvalue if gain.gain > 0 or math.isnan(gain.pvalue) else 1.0


def all_rules(
    gains: Sequence[Gain | None], looks: Sequence[int], settings: ClaimSettings
) -> tuple[RuleOutcome, ...]:
    """Return what every rule makes of the claims."""
    outcomes = []
    for rule in RULES:
        found = put_to_rule(gains, looks, settings, rule)
        outcomes.append(
            RuleOutcome(
                rule=rule,
                controls=found.sequence.controls,
                assumes=_assumes(found.sequence.assumes, settings.counting),
                n_held=sum(held is True for held in found.holds),
                holds=found.holds,
                levels=tuple(found.levels.tolist()),
            )
        )
    return tuple(outcomes)


def _assumes(of_rule: str, counting: Counting) -> str:
    """Return what a rule assumes, with what counting claims takes for granted."""
    if counting == "looks":
        return of_rule
    luck = (
        "A system that is no better than the best before it passes it by luck that could go "
        "either way, whatever happened before."
    )
    return luck if of_rule.startswith("No assumption") else f"{luck} {of_rule}"


def raw_frontier(line: TimeLine, order: Order) -> tuple[Step, ...]:
    """Return the best value so far as it is stated, which is what boards show."""
    said = sorted(
        (
            (moment_of(date, order), at, date, value)
            for at, entry in enumerate(line.entries)
            if line.records.looks[at]
            for date, value in entry.values
        ),
        key=lambda one: one[:2],
    )
    if not said:
        return ()
    moments = np.array([one[0] for one in said])
    values = [line.metric.sign * one[3] for one in said]
    return tuple(
        replace(_step(line, said[k][1], math.nan, math.nan), date=said[k][2], score=said[k][3])
        for k in np.flatnonzero(find_records(values, times=moments).is_record)
    )


def honest_frontier(
    line: TimeLine, settings: ClaimSettings, held: Collection[int]
) -> tuple[Step, ...]:
    """Return the best score that is shown to be one.

    It moves when a system is significantly better than the one that holds it, at the level of its
    look, however many looks lie between them: small true gains add up. That takes systems that
    were not built by trying them out on this test set, nor from the best of its board.

    Parameters
    ----------
    line, settings
        The looks, and alpha.
    held
        Looks that are claims which hold against the best before: steps that stand by themselves.
    """
    batches = line.batches()
    if not batches:
        return ()
    holder = max(batches[0], key=lambda at: line.records.values[at])
    steps = [_step(line, holder, math.nan, math.nan)]
    pvalues = np.ones(line.records.n_looks)
    levels = run_rule("alpha-spending", pvalues, settings.alpha).levels
    for batch in batches[1:]:
        for at in sorted(batch, key=lambda at: -line.records.values[at]):
            if line.gain(line.entries[at].score, line.entries[holder].score) <= 0:
                break
            number = int(line.records.looks[at]) - 1
            best = line.entries[holder]
            gain = compare_looks(line, line.entries[at], best, settings, interval="none")
            one_sided = _of_claim(gain) / 2
            if one_sided <= levels[number]:
                pvalues[number] = one_sided
                step = _step(line, at, gain.pvalue, 2 * float(levels[number]))
                steps.append(replace(step, by_itself=at in held))
                holder = at
                levels = run_rule("alpha-spending", pvalues, settings.alpha).levels
                break
    return tuple(steps)


def ladder_frontier(line: TimeLine) -> tuple[tuple[Step, ...], str]:
    """Return what a Ladder leaderboard would show, and why not where it cannot be said."""
    with_items = [
        at
        for at, entry in enumerate(line.entries)
        if entry.scores is not None and at not in line.partial
    ]
    if line.metric.aggregation != "mean" or len(with_items) < _FEWEST:
        return (), "The Ladder needs the item scores of means."
    found = [line.entries[at].scores for at in with_items]
    scores = np.stack([values for values in found if values is not None])[:, :, 0]
    shared = ~np.isnan(scores).any(axis=0)
    if shared.sum() < max(_FEWEST, _LADDER_SHARE * scores.shape[1]):
        return (), (
            f"The Ladder needs items that all looks share: these share {int(shared.sum()):,} of "
            f"{scores.shape[1]:,}."
        )
    shown = ladder(line.metric.sign * scores[:, shared])
    steps = [
        replace(
            _step(line, with_items[k], math.nan, math.nan),
            score=line.metric.sign * float(shown.released[k]),
        )
        for k in np.flatnonzero(shown.climbed)
    ]
    return tuple(steps), ""


def _step(line: TimeLine, at: int, pvalue: float, level: float) -> Step:
    entry = line.entries[at]
    return Step(
        date=entry.date,
        system=entry.system,
        system_uid=entry.system_uid,
        run_uid=entry.run_uid,
        score=entry.score,
        look=int(line.records.looks[at]),
        pvalue=pvalue,
        level=level,
        by_itself=True,
    )
