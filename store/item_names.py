"""What the names of items tell: whether one identifies its item, or only counts it."""

from __future__ import annotations

import re
from collections.abc import Sequence

_COUNTED = re.compile(
    "(?:"
    "case|data|dev|devel|dialog|dialogue|doc|document|entry|eval|ex|example|fold|heldout|id|idx|"
    "image|img|index|input|inst|instance|item|key|line|no|nr|num|number|obs|observation|page|"
    "paragraph|part|point|pos|position|prob|problem|prompt|query|question|record|row|sample|"
    "seg|segment|sent|sentence|set|split|task|test|text|train|training|turn|unit|utt|utterance|"
    "val|valid|validation"
    r")+s?|[a-z]"
)
"""Words that say what is counted, not which one it is; and single letters, as in "q17"."""

_WORD = re.compile(r"[^\W\d_]+")
_DIGEST = re.compile(r"(?=\d*[a-f])[\da-f]{8,}")
_COUNT = re.compile(r"(\D*)(\d+)")
_LONG_NUMBER = re.compile(r"(?<!\d)[1-9]\d{8,}")


def is_telling(key: str) -> bool:
    """Return whether a name identifies its item, so that an equal name means the same item.

    A bare number, or a number after a word that only says what is counted ("17", "item_17",
    "test-17", "row 3", "q1"), stands in many datasets for different items. A name is telling when
    it holds any other word, a run of hexadecimal digits as long as a fingerprint's, or a number
    too long to be a position.

    >>> [is_telling(key) for key in ("17", "test-17", "q1", "django-11099", "5726472bdd62a8")]
    [False, False, False, True, True]
    """
    folded = key.casefold()
    return (
        any(_COUNTED.fullmatch(word) is None for word in _WORD.findall(folded))
        or _DIGEST.search(folded) is not None
        or _LONG_NUMBER.search(folded) is not None
    )


def only_count(keys: Sequence[str]) -> bool:
    """Return whether names do nothing but count the rows of a dataset, in order.

    >>> only_count(["item 3", "item 4", "item 5"]), only_count(["item 3", "item 40"])
    (True, False)
    """
    found = [_COUNT.fullmatch(key) for key in keys]
    first = next(iter(found), None)
    return first is not None and all(
        match is not None
        and match[1] == first[1]
        and len(match[2]) < 10
        and int(match[2]) == int(first[2]) + i
        for i, match in enumerate(found)
    )
