"""The one glossary: what the words of pages, commands and documents mean.

`docs/glossary.md` is made from it, and a page says `help("possible ranks")` where the word stands.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Term(NamedTuple):
    """A word with its meaning, in one sentence."""

    name: str
    meaning: str
    page: str = ""
    """The document that has more, in `docs`."""
    also: tuple[str, ...] = ()
    """Other names of it, as titles of columns."""


_PAIRS, _ACROSS, _CLAIMS = "comparisons.md", "across_datasets.md", "claims.md"
_POWER, _HUMANS, _ANNOTATORS = "power.md", "metrics_and_humans.md", "annotators.md"
_IMPORT = "importing.md"

SECTIONS: Final[dict[str, tuple[Term, ...]]] = {
    "Results": (
        Term("system", "What is evaluated: a model with its configuration."),
        Term(
            "dataset",
            "An ordered list of items with a name and version; elsewhere a benchmark or test set.",
        ),
        Term("item", "One unit of evaluation; elsewhere an instance, sample, doc or segment."),
        Term(
            "group",
            "Items that belong together, as the sentences of a document; they are drawn and "
            "exchanged as a whole.",
            _PAIRS,
        ),
        Term(
            "metric",
            "What is measured: name, signature, direction, aggregation and range. Two BLEUs with "
            "different signatures are different metrics.",
        ),
        Term("run", "One execution of a system on a dataset, with its provenance."),
        Term("trial", "A repeat within a run, as an epoch or a replica."),
        Term("score", "One value for an item, a metric and a trial."),
        Term(
            "score vector", "All scores of a run on a metric and trial, in the order of the items."
        ),
        Term(
            "status",
            "The outcome of an attempt at an item: answered, never ran, crashed, timed out, judge "
            "failed, unscored, or wrong by rule.",
        ),
        Term(
            "component",
            "A count behind a score, from which a corpus metric is computed again: numerator and "
            "denominator, true and false positives.",
        ),
        Term("cell", "A dataset and a metric on which systems have scores."),
        Term("reported score", "A figure that a file or a paper states; nothing was recomputed."),
        Term(
            "reported comparison",
            "A p-value that a file or a paper states for one system against another.",
        ),
        Term("signature", "One line from which a number can be computed again."),
    ),
    "Comparisons": (
        Term(
            "verdict",
            "Better, worse, equivalent, or cannot tell; the scores choose the test, never the "
            "result.",
            _PAIRS,
        ),
        Term(
            "cannot tell",
            "The data support neither a difference nor equivalence; this is not the same as equal.",
            _PAIRS,
        ),
        Term(
            "equivalent",
            "The difference was shown to lie within the margin that you named, by two one-sided "
            "tests.",
            _PAIRS,
        ),
        Term(
            "margin",
            "The largest difference that you would accept as the same; needed for the verdict "
            "'equivalent'.",
            _PAIRS,
            ("margin of equivalence",),
        ),
        Term(
            "α",
            "How often a test may find a difference where there is none, at most.",
            _PAIRS,
            ("alpha", "significance level"),
        ),
        Term(
            "p-value",
            "How often data at least this extreme would come up if the systems did not differ.",
            _PAIRS,
            ("p", "pvalue"),
        ),
        Term(
            "adjusted p",
            "The p-value after the correction for the number of comparisons; hold it against α.",
            _PAIRS,
            ("p adjusted", "pvalue adjusted"),
        ),
        Term(
            "correction",
            "Testing many pairs finds differences by chance; a correction bounds how often.",
            _PAIRS,
        ),
        Term("family", "The tests that are counted and corrected together.", _PAIRS),
        Term(
            "interval",
            "The range in which the true value lies with the stated confidence; by itself, unless "
            "it is called simultaneous.",
            _PAIRS,
            ("confidence interval",),
        ),
        Term(
            "simultaneous interval",
            "One of several intervals that all hold at once with the stated confidence.",
            _PAIRS,
        ),
        Term(
            "max-T",
            "A correction by the largest statistic of all pairs, drawn as the pairs depend on each "
            "other.",
            _PAIRS,
        ),
        Term(
            "Tukey's HSD",
            "A correction by the range of all means; pairs that scatter unlike go by their own "
            "standard error, too.",
            _PAIRS,
        ),
        Term(
            "possible ranks",
            "The ranks that the comparison of all pairs leaves open for a system, for all systems "
            "at once.",
            _PAIRS,
            ("ranks possible", "ranks"),
        ),
        Term(
            "group letters",
            "Systems that share a letter cannot be separated by the data; systems that share none "
            "differ.",
            _PAIRS,
            ("letters", "groups of systems"),
        ),
        Term(
            "comparable score",
            "What a leaderboard orders by where systems were scored on different items: on shared "
            "items, or by effects of items.",
            _PAIRS,
        ),
        Term(
            "bounds", "Where a score lies, whatever the missing items would have brought.", _PAIRS
        ),
        Term(
            "guard",
            "What is done to the p-value and interval of a default test where it would err too "
            "often.",
            _PAIRS,
        ),
        Term(
            "jackknife",
            "The spread of a metric when one item, or group, after the other is left out.",
            _PAIRS,
        ),
        Term(
            "Cohen's d_z",
            "The mean difference in standard deviations of the differences per item.",
            _PAIRS,
        ),
        Term("Hedges' g", "Cohen's d_z, corrected for small numbers of items.", _PAIRS),
        Term(
            "agreement of two systems",
            "The share of items that two systems both get right or both wrong.",
            _POWER,
        ),
    ),
    "Across datasets": (
        Term(
            "replicability",
            "On how many datasets, and on which, one system is better than another.",
            _ACROSS,
        ),
        Term(
            "k̂",
            "The replicability count: 'better on at least k̂ datasets' is wrong with probability at "
            "most α.",
            _ACROSS,
            ("replicability count", "k-hat"),
        ),
        Term(
            "partial conjunction",
            "The test of 'fewer than u of the N datasets show a difference'; k̂ is the largest u "
            "that it refutes.",
            _ACROSS,
            ("partial conjunction p-value",),
        ),
        Term(
            "overlap",
            "Two datasets that are not independent: shared items, one within the other, a "
            "transform, or another version.",
            _ACROSS,
        ),
        Term(
            "joint resampling",
            "Two systems are exchanged on all copies of an item at once, so that shared items "
            "count as what they are.",
            _ACROSS,
        ),
        Term(
            "macro mean", "The mean of the datasets' scores; each dataset weighs the same.", _ACROSS
        ),
        Term(
            "micro mean",
            "The mean over all items pooled: a large dataset weighs more than a small one.",
            _ACROSS,
        ),
        Term(
            "IQM",
            "Interquartile mean: the mean of the middle half of a system's scores over datasets.",
            _ACROSS,
            ("interquartile mean",),
        ),
        Term(
            "optimality gap",
            "The mean shortfall from a target; a score above the target is no shortfall.",
            _ACROSS,
        ),
        Term(
            "performance profile",
            "The share of datasets with a score above a threshold, for all thresholds.",
            _ACROSS,
        ),
        Term(
            "probability of improvement",
            "The share of datasets on which one system scores higher; ties count half.",
            _ACROSS,
            ("improvement",),
        ),
        Term("mean rank", "A system's rank on each dataset, averaged over datasets.", _ACROSS),
        Term(
            "critical difference",
            "How far two mean ranks must lie apart for Nemenyi's test to find a difference.",
            _ACROSS,
        ),
        Term(
            "stepwise mean ranks",
            "A test of all pairs by mean ranks that holds whoever else is ranked.",
            _ACROSS,
        ),
    ),
    "Claims over time": (
        Term(
            "claim",
            "A dated statement of what a system reaches; every record claims to be the best.",
            _CLAIMS,
        ),
        Term("record", "A score that passed the best of all earlier days.", _CLAIMS),
        Term("look", "One score on a test set, with its day.", _CLAIMS),
        Term("ledger", "All claims with what audits found; nothing is ever removed.", _CLAIMS),
        Term(
            "level",
            "What the p-value of a claim has to reach, so that all claims together err as rarely "
            "as asked.",
            _CLAIMS,
        ),
        Term(
            "alpha spending",
            "Each claim gets a share of α, so that the chance of any false claim stays at α.",
            _CLAIMS,
        ),
        Term(
            "online FDR",
            "A rule that bounds the share of false claims rather than the chance of any.",
            _CLAIMS,
        ),
        Term(
            "honest frontier",
            "The best score that was shown to be one; it moves when its holder is significantly "
            "beaten.",
            _CLAIMS,
        ),
        Term(
            "within noise",
            "The gain was not shown, although the test set would probably have shown one that "
            "matters.",
            _CLAIMS,
        ),
        Term(
            "underpowered",
            "The gain was not shown, and the test set is too small to show one that matters.",
            _CLAIMS,
        ),
        Term(
            "Ladder",
            "A leaderboard that moves only for a gain of more than one standard error.",
            _CLAIMS,
        ),
    ),
    "Power": (
        Term(
            "power",
            "How often a true difference of a stated size is found, in the right direction.",
            _POWER,
        ),
        Term(
            "smallest difference found",
            "The smallest true difference that is found with the power asked for; elsewhere the "
            "minimum detectable effect, MDE.",
            _POWER,
            ("mde", "finds"),
        ),
        Term(
            "resolves",
            "A test set resolves a gap if a true gap of that size is found with the power asked "
            "for.",
            _POWER,
        ),
        Term(
            "Type M",
            "How many times too large a difference looks, on average, where it is found.",
            _POWER,
        ),
        Term("Type S", "How often a difference that is found points the wrong way.", _POWER),
    ),
    "People": (
        Term(
            "judgment",
            "What one annotator stated about an output, a pair of outputs or an item: a rating, "
            "errors, a preference or a label.",
            _ANNOTATORS,
        ),
        Term(
            "annotator",
            "Who judged on a dataset, a person or a model; elsewhere a worker, rater or judge.",
            _ANNOTATORS,
        ),
        Term(
            "criterion",
            "What was judged on a dataset, and on which scale; elsewhere an aspect or dimension.",
            _ANNOTATORS,
        ),
        Term(
            "gold",
            "The human side that metrics are compared with, made of judgments by a stated rule.",
            _HUMANS,
        ),
        Term(
            "unit (of judgments)",
            "What is judged at once: an output, a pair of outputs, or an item.",
            _ANNOTATORS,
        ),
        Term(
            "consensus",
            "What the annotators of a unit amount to: mean, majority, or most likely label.",
            _ANNOTATORS,
        ),
        Term(
            "competence",
            "How often an annotator knows the label rather than guesses it, under the model MACE.",
            _ANNOTATORS,
        ),
        Term(
            "agreement by chance",
            "What two annotators would agree on if each kept to the own shares of answers without "
            "looking.",
            _ANNOTATORS,
        ),
        Term(
            "disagreement",
            "A unit that annotators judge differently; the spread is the share of pairs that "
            "differ, of ratings the standard deviation.",
            _ANNOTATORS,
        ),
        Term(
            "human line",
            "How well one annotator follows the others, in the coefficient that metrics are "
            "measured by.",
            _HUMANS,
        ),
        Term(
            "corrected value",
            "A judge's mean, put right by what people gave where both judged (prediction-powered "
            "inference).",
            _ANNOTATORS,
        ),
    ),
    "Parsing": (
        Term(
            "UAS, LAS, LA",
            "The share of tokens with the right head; with the right head and label; with the "
            "right label.",
            "parsing_metrics.md",
        ),
        Term(
            "NED",
            "Neutral edge direction: as UAS, but an edge that is turned round is right too.",
            "parsing_metrics.md",
        ),
        Term(
            "TED",
            "Tree edit distance; as a score, the share of both trees' nodes that a cheapest edit "
            "keeps.",
            "parsing_metrics.md",
        ),
        Term(
            "UCP, LCP",
            "The share of verbs whose dependents are those of the gold tree; with their labels.",
            "parsing_metrics.md",
        ),
    ),
    "Store": (
        Term(
            "plan (of an import)",
            "What each file was read as, and what was guessed, asked or left out.",
            _IMPORT,
        ),
        Term("recipe", "Some lines of YAML that describe a format to the importer.", _IMPORT),
        Term(
            "journal",
            "What a script has logged of a run, line by line in a file beside the store, until the "
            "run is in it.",
            "library.md",
        ),
        Term("store revision", "The number of the last recorded change."),
    ),
}
"""Heading -> its terms."""

_BY_NAME: Final = {
    name.casefold(): term
    for terms in SECTIONS.values()
    for term in terms
    for name in (term.name, *term.also)
}


def help(term: str) -> str:
    """Return what a term means, in one sentence.

    Raises
    ------
    KeyError
        The glossary has no such term.
    """
    return _BY_NAME[term.casefold()].meaning


def find(title: str) -> str | None:
    """Return what the title of a column means, if it is a term."""
    term = _BY_NAME.get(title.casefold())
    return None if term is None else term.meaning
