"""Which tests suit differences of a shape, and the reason in words (NLPStatTest's rule)."""

from typing import Literal, NamedTuple, TypeAlias

SkewnessRule: TypeAlias = Literal["symmetric", "moderate", "strong", "undefined"]
AdviceVerdict: TypeAlias = Literal["recommended", "possible", "not preferred", "inappropriate"]

_GRADED = "For scores of right and wrong only; these are graded."
_SLOWER = "Right here too, but it needs resampling to say what a formula says as well."
_SIGN_IS_WEAK = (
    "Right here too, but it sees only which system is ahead on an item, not by how much."
)
_BY_MEDIAN = "It compares medians, which vary more than means where differences are symmetric."
_TAIL = "It compares means, and the long tail of these differences pulls the mean to its side."


class TestAdvice(NamedTuple):
    """What speaks for or against a test."""

    test: str
    """As `paired_test` names it."""
    verdict: AdviceVerdict
    reason: str


_BINARY = (
    TestAdvice(
        "mcnemar",
        "recommended",
        "All scores are right or wrong: exact on the items that only one system gets right.",
    ),
    TestAdvice(
        "mcnemar-midp",
        "possible",
        "Less cautious than the exact test with few such items; may exceed its level slightly.",
    ),
    TestAdvice(
        "sign", "possible", "On scores of right and wrong it is the exact McNemar test itself."
    ),
    TestAdvice(
        "signflip",
        "possible",
        "On scores of right and wrong it gives the p-value of the exact McNemar test.",
    ),
    TestAdvice(
        "wilcoxon",
        "not preferred",
        "All differing items are tied in rank, so that nothing but their number counts, which "
        "McNemar's test says plainly.",
    ),
    TestAdvice(
        "t",
        "not preferred",
        "Differences of -1, 0 and 1 are not normal; with many items it comes close all the same.",
    ),
    TestAdvice(
        "bootstrap", "not preferred", "Approximate where an exact test needs no resampling."
    ),
    TestAdvice(
        "signflip-median",
        "inappropriate",
        "The median of differences of -1, 0 and 1 is 0 unless one system is ahead on most items.",
    ),
    TestAdvice(
        "bootstrap-median",
        "inappropriate",
        "The median of differences of -1, 0 and 1 is 0 unless one system is ahead on most items.",
    ),
)
_SKEWED = (
    TestAdvice(
        "sign",
        "recommended",
        "The differences are skewed, so that their median says better where they lie than their "
        "mean; this test asks whether the median is 0 and assumes no shape.",
    ),
    TestAdvice(
        "signflip-median",
        "possible",
        "It compares medians, as skewed differences ask for, by resampling.",
    ),
    TestAdvice(
        "bootstrap-median",
        "possible",
        "It compares medians, as skewed differences ask for, by resampling; with few items it is "
        "rough.",
    ),
    TestAdvice("t", "inappropriate", _TAIL + " Nor are skewed differences normal."),
    TestAdvice(
        "wilcoxon",
        "inappropriate",
        "It assumes differences that are symmetric about their median; these are skewed.",
    ),
    TestAdvice(
        "signflip",
        "inappropriate",
        _TAIL + " It keeps its level, and is right if the mean is what you report.",
    ),
    TestAdvice(
        "bootstrap", "inappropriate", _TAIL + " It is right if the mean is what you report."
    ),
    TestAdvice("mcnemar", "inappropriate", _GRADED),
)
_NORMAL = (
    TestAdvice(
        "t",
        "recommended",
        "The differences are roughly symmetric and normality is not rejected: no test finds more.",
    ),
    TestAdvice(
        "wilcoxon",
        "possible",
        "Right for symmetric differences; where they are normal it finds nearly as much as t.",
    ),
    TestAdvice("signflip", "possible", _SLOWER),
    TestAdvice("bootstrap", "not preferred", _SLOWER + " With few items it rejects too often."),
    TestAdvice("sign", "not preferred", _SIGN_IS_WEAK),
    TestAdvice("signflip-median", "not preferred", _BY_MEDIAN),
    TestAdvice("bootstrap-median", "not preferred", _BY_MEDIAN),
    TestAdvice("mcnemar", "inappropriate", _GRADED),
)
_SYMMETRIC = (
    TestAdvice(
        "wilcoxon",
        "recommended",
        "The differences are roughly symmetric but not normal: ranks need no more than symmetry "
        "and are not ruled by outliers.",
    ),
    TestAdvice(
        "signflip",
        "possible",
        "It compares means without assuming a shape, by resampling; outliers cost it power.",
    ),
    TestAdvice(
        "bootstrap",
        "not preferred",
        "It compares means by resampling; with few items it rejects too often.",
    ),
    TestAdvice("sign", "not preferred", _SIGN_IS_WEAK),
    TestAdvice("signflip-median", "not preferred", _BY_MEDIAN),
    TestAdvice("bootstrap-median", "not preferred", _BY_MEDIAN),
    TestAdvice("t", "inappropriate", "It assumes normal differences, and these are not."),
    TestAdvice("mcnemar", "inappropriate", _GRADED),
)
_STEADY = (
    TestAdvice(
        "signflip",
        "recommended",
        "The differences do not vary: exchanging systems item by item needs no spread.",
    ),
    TestAdvice("sign", "possible", "Which system is ahead on each item needs no spread either."),
    TestAdvice("wilcoxon", "possible", "All items are tied in rank: it says what signs say."),
    TestAdvice("signflip-median", "not preferred", "It says what the one by means says."),
    TestAdvice(
        "t", "inappropriate", "Without spread between items there is nothing to measure against."
    ),
    TestAdvice("bootstrap", "inappropriate", "All resamples would be equal."),
    TestAdvice("bootstrap-median", "inappropriate", "All resamples would be equal."),
    TestAdvice("mcnemar", "inappropriate", _GRADED),
)
_UNTESTED = "With so few items normality cannot be tested: "


def advise(rule: SkewnessRule, *, normal: bool | None, binary: bool) -> tuple[TestAdvice, ...]:
    """Return all tests for one score per item with what speaks for or against each.

    Parameters
    ----------
    rule : {"symmetric", "moderate", "strong", "undefined"}
        Skewness of the differences; "undefined" where all are equal.
    normal : bool or None
        Whether normality was not rejected; None where it could not be tested.
    binary : bool
        Whether all scores are 0 or 1.

    Returns
    -------
    tuple of TestAdvice
        The recommended test first, then by verdict.
    """
    if binary:
        return _BINARY
    if rule == "undefined":
        return _STEADY
    if rule != "symmetric":
        return _SKEWED
    if normal is None:
        return tuple(
            advice._replace(reason=_UNTESTED + "t would have to assume it.")
            if advice.test == "t"
            else advice._replace(reason=_UNTESTED + "signed ranks need symmetry only.")
            if advice.test == "wilcoxon"
            else advice
            for advice in _SYMMETRIC
        )
    return _NORMAL if normal else _SYMMETRIC
