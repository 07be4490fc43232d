"""The words of the page; every figure on it is counted."""

from __future__ import annotations

TOP = """\
# Calibration of k̂

"A is better than B on at least k̂ of N datasets" promises that k̂ is above the true number k in at
most 5 of 100 such analyses, at α = .05. This page says where each estimator of Dror et al. (2017),
and the joint one, kept that in simulation, where not, and what each found. The command
`python -m benchmarks.calibration.replicability --out docs` computes and writes it, the picture,
and all counts ([calibration_replicability.json](calibration_replicability.json)). How the tests
themselves behave: [calibration.md](calibration.md).

![Heat grid: how often k̂ is too large, by dependence](calibration_replicability.svg)"""

FOLLOWS = """\
## What follows

"Exceeds α" names the datasets for which an estimator was above the truth more often than 5 times
in 100 in some cell, with its highest rate there over all p-values, effects, numbers of datasets and
both sides; "keeps α" those where it never was, but for chance. For the joint estimate that says
less: it has 500 repetitions with 10 datasets and 150 with 60, where an excess of a few points would
not stand out."""

FOUND = """\
**What they find.** Mean of k̂ for "A better than B" where A is truly better on half of the
datasets, by 2.5 standard errors each: N = 10 (k = 5) / N = 60 (k = 30). In brackets: an estimator
that exceeds α for such datasets, so that the larger number is not to be had."""

SMALL = """\
**Small test sets.** p-values of few items are coarse, which keeps k̂ below the truth and can cost
everything: the sign test of 10 items has no p-value below 1/1024, and 60 times that is more than α.
Where A wins on every item of 30 among 60 independent datasets, the mean of k̂ is {means}."""

SIMULATED = """\
## What was simulated

Each item gives a difference d between A and B, normal with variance 1; each dataset is tested by
itself. On items that datasets share, a part of d is the same."""

EFFECTS = """\
**Effects.** k = 0: none. k = 1 and k = N/2: A is better on so many datasets, by 2.5 standard
errors ("moderate") or by 15 ("strong": the p-values there are as small as the test allows, and
what remains is the combination of the others, the least favourable case); for k = N/2 also strong
with B better by 2.5 on the others. One-sided: A is better than B. Two-sided: they differ, as in
the paper, whatever the direction, so that opposed metrics are as dependent as others; not looked
at where B is better somewhere."""

READING = """\
## How to read the tables

How often in 100 k̂ was above the true k at α = .05, for N = 10 / N = 60; the highest over the
effects. **▲** more often than stated; ▽ less often, with every effect. A mark means that the count
lies outside the central 99.9 % of the binomial distribution that the stated rate gives; bold where
it lies above at .05 or at .01. "One dataset N times" allows only k = 0. The joint estimate needs
item scores, so there is none for p-values as stated; two-sided it was computed for 10 datasets."""

COUNTED = (
    "{judged:,} figures were judged, at .05 and at .01: {many} have ▲ ({without} of them not of "
    "the plain count), {few} have ▽; if all estimators met the rates exactly, some {chance:.0f} "
    "would have a mark by chance."
)

SIDES = {"one-sided": "A better than B (one-sided)", "two-sided": "A and B differ (two-sided)"}

HOW = """\
## How it was computed

{repetitions:,} repetitions of each scenario; of the joint estimate, which takes longest, {joint},
each with {n_resamples} joint exchanges (from `joint_replicability` up to 10 datasets, above from
`joint_counts`, which gives the same number at one level). Blocks of 250 repetitions have a
PCG64DXSM stream each, keyed by seed {seed}, dependence, items, N and block, so that a scenario
gives the same counts alone (`--only TEXT`) and in any number of processes. Estimators, effects and
both sides see the same draws, so their figures go up and down together. p-values come from closed
forms that equal `paired_test`, the other estimates from `partial_conjunction`.

A run of all scenarios took {minutes:.0f} minutes of processor time. Versions: {versions}."""
