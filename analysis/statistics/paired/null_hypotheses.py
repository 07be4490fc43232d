"""What each paired test tests, in words."""

_SCALE = {
    "mean": "the mean difference per item",
    "median": "the difference of the two systems' medians",
    "ratio": "the difference of the two systems' ratios",
    "f1": "the difference of the two systems' F1",
    "bleu": "the difference of the two systems' corpus BLEU",
    "chrf": "the difference of the two systems' corpus chrF",
    "pearson": "the difference of the two systems' Pearson correlations with gold",
    "spearman": "the difference of the two systems' Spearman correlations with gold",
}
_BEYOND = {"two-sided": "", "greater": " or below", "less": " or above"}
_AS_LIKELY = {"two-sided": "as", "greater": "at most as", "less": "at least as"}
_ONLY = {
    "two-sided": "",
    "greater": "; only a larger {} of a counts against it",
    "less": "; only a smaller {} of a counts against it",
}


def null_hypothesis(
    test: str,
    alternative: str,
    *,
    aggregation: str = "mean",
    delta: float = 0.0,
    grouped: bool = False,
) -> str:
    """Return the null hypothesis of a test as a sentence.

    Parameters
    ----------
    test : str
        One of `paired_tests.TESTS` but not "auto".
    alternative : {"two-sided", "greater", "less"}
    aggregation : str
    delta : float
        The difference that the null hypothesis states.
    grouped : bool
        Whether whole groups of items are exchanged, drawn or summed.

    Examples
    --------
    >>> null_hypothesis("t", "greater", delta=0.5)
    'Null hypothesis: the mean difference per item is 0.5 or below.'
    """
    value = "zero" if delta == 0 else f"{delta:g}"
    if test.startswith("mcnemar"):
        sentence = (
            "an item that only one system gets right is "
            f"{_AS_LIKELY[alternative]} likely to be a's as b's"
        )
    elif test == "score":
        sentence = (
            f"the difference of the two systems' shares of right answers is {value}"
            f"{_BEYOND[alternative]}"
        )
    elif test in ("steiger", "williams") or (test == "jackknife" and not delta):
        sentence = (
            f"a's scores have {_correlation(alternative)} {aggregation.capitalize()} correlation "
            "with gold"
        )
    elif test == "wilcoxon":
        beyond = {"two-sided": "", "greater": " or a smaller value", "less": " or a larger value"}
        sentence = f"the differences of items lie symmetrically about {value}{beyond[alternative]}"
    elif test == "sign":
        sentence = (
            f"an item's difference, where it is not {value}, is {_AS_LIKELY[alternative]} likely "
            f"to lie above {value} as below"
        )
    elif test.startswith("signflip"):
        sentence = _exchange(test, alternative, value, grouped)
    elif test == "bootstrap-median":
        sentence = f"the median difference of items is {value}{_BEYOND[alternative]}"
    else:
        sentence = f"{_SCALE[aggregation]} is {value}{_BEYOND[alternative]}"
    if grouped and not test.startswith("signflip"):
        sentence += "; items of one group may depend on each other"
    return f"Null hypothesis: {sentence}."


def _correlation(alternative: str) -> str:
    if alternative == "two-sided":
        return "the same as b's"
    return "no higher" if alternative == "greater" else "no lower"


def _exchange(test: str, alternative: str, value: str, grouped: bool) -> str:
    shifted = "" if value == "zero" else f" once {value} is taken off a's"
    units = "in every group of items" if grouped else "on every item"
    measured = "median difference" if test == "signflip-median" else "metric"
    only = _ONLY[alternative].format(measured)
    if test == "signflip-median":
        measure = ", measured by the median difference" if not only else ""
        return f"{units} the two systems' scores could be exchanged{shifted}{measure}{only}"
    return f"{units} the two systems' scores could be exchanged{shifted}{only}"
