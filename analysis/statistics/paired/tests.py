"""Is system a different from system b on the same items?"""

from typing import Any

import numpy.typing as npt

from analysis.statistics._typing import Alternative, Groups, Seed
from analysis.statistics.aggregate import as_aggregation
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.paired.result import PairedTest, as_delta
from analysis.statistics.paired.single import single_test
from analysis.statistics.registry import TESTS as _TESTS
from analysis.statistics.validation import as_choice

TESTS = ("auto", *_TESTS)


def paired_test(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    test: str = "auto",
    aggregation: str = "mean",
    alternative: Alternative = "two-sided",
    delta: float = 0.0,
    groups: Groups = None,
    n_resamples: int = 9_999,
    rng: Seed = 0,
    zeros: str | None = None,
    method: str | None = None,
    continuity: bool | None = None,
) -> PairedTest:
    """Test two systems on the same items, by the test that suits the scores or the one named.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, n_components)
        Scores, higher is better; or what a corpus metric is computed from. NaN in any component
        of either leaves the item out.
    test : str
        One of `TESTS`. "auto" chooses as `pairwise` does.
    aggregation : str
        One of `AGGREGATIONS`.
    alternative : {"two-sided", "greater", "less"}
        "greater": a above b by more than `delta`.
    delta : float
        Difference a - b under the null hypothesis.
    groups : sequence, shape (n_items,), optional
        A label per item; items with equal labels may depend on each other, None is a group of its
        own. "t", sign-flip and bootstrap take whole groups; the others refuse.
    n_resamples : int
        Of the sign-flip and bootstrap tests, where no exact way is short enough.
    rng : int, Generator or None
        Their seed; 0 is a seed. A Generator gives one draw, None fresh entropy; either way the
        signature tells the seed.
    zeros, method, continuity
        Of the Wilcoxon test, as for `wilcoxon`.

    Returns
    -------
    PairedTest
        `why` says which rule chose the test.

    Raises
    ------
    TypeError, ValueError
        As the tests do; and if a test is asked for an aggregation, a `delta` or an option that it
        does not know.

    Examples
    --------
    >>> paired_test([1, 0, 1] * 5, [0, 0, 1] * 5).test
    'score'
    """
    as_choice(test, "test", TESTS)
    as_aggregation(aggregation)
    given = {"zeros": zeros, "method": method, "continuity": continuity}
    options = {name: value for name, value in given.items() if value is not None}
    if options and test != "wilcoxon":
        raise ValueError(f"`{next(iter(options))}` is for `test` 'wilcoxon', got '{test}'.")
    shared: dict[str, Any] = {"alternative": alternative, "groups": groups}
    resampling: dict[str, Any] = {"n_resamples": n_resamples, "rng": rng}
    shift = as_delta(delta)
    if options or (test != "auto" and not _TESTS[test].together):
        return single_test(
            test,
            a,
            b,
            aggregation=aggregation,
            delta=shift,
            shared=shared,
            resampling=resampling,
            of_wilcoxon=options,
        )
    return infer_pair(
        a,
        b,
        test=test,
        aggregation=aggregation,
        delta=shift,
        interval="none",
        **shared,
        **resampling,
    ).test
