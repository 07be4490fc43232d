"""What is generally known of a metric by its name: its direction, unit, bounds, aggregation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from store.importers.metric_registry import GROUPS, HEADS, Group, Measured, Over, words_of
from store.importers.spelled_columns import in_english

_RANGES: dict[str, tuple[float | None, float | None]] = {
    "share": (0.0, None),  # printed as 0.74 here and as 74.4 there
    "coefficient": (-1.0, 1.0),
    "from zero": (0.0, None),
    "any": (None, None),
}


class KnownMetric(NamedTuple):
    """What is generally agreed about a metric."""

    name: str
    """What the registry calls it."""
    higher_is_better: bool
    lower: float | None
    upper: float | None
    measured: Measured
    over: Over
    """Whether it is the mean of its item scores, or arises over the whole corpus."""


def _entry(group: Group, name: str) -> KnownMetric:
    return KnownMetric(
        name,
        group.higher_is_better,
        *_RANGES[group.range],
        group.measured,
        group.over,
    )


KNOWN: dict[str, KnownMetric] = {
    spelling: _entry(group, name)
    for group in GROUPS
    for name, others in group.names.items()
    for spelling in (name, *others.split())
}
"""Normalised spelling -> what is known. Whether a share is printed as 0.74 or as 74.4 differs from
file to file, so that no unit is claimed for it."""

_BEFORE = words_of(
    """eval evaluation predict val valid validation dev devel test train training final best last
    avg mean average overall total micro macro weighted metric metrics score scores result results
    corpus
    sentence item per reported recomputed expected human expert turker crowd judge llm
    metrics share frac fraction ratio pct percent percentage"""
)
_AFTER = words_of(
    """pct percent percentage score scores mean avg average value overall all micro macro weighted
    final best last rate ms s sec secs seconds usd perc raw refa refb refc refd ref
    recomputed mm leaderboard reported stated median p50 p75 p90 p95 p99"""
)
"""Words around a name that do not change what it is."""
_A_SECOND = re.compile(
    r"_(tok|tokens|chars|characters|words|sentences|queries|requests|pages|docs|documents|images|frames|samples)"
    r"_per_(s|sec|second)$"
)
"""How much was done in a second, whatever words stand before."""
_COUNTED = words_of("n num number nb")
_GOOD = words_of("correct right good valid solved resolved passed accepted matched successful")
"""Words that make a count one of what is good."""
_CASES = words_of(
    "cases attempts questions tasks problems prompts queries trials items samples examples "
    "instances episodes records"
)
"""What a count is of, where it ends a name: ``correct_cases`` is no share."""
_NOT_SHARED = _CASES | _COUNTED | words_of("tests count total plies tokens words")
"""Words of a count of what is right."""
_CLOCK = words_of("s ms us ns sec secs seconds min mins minutes")
_TAKEN = ("seconds", "money", "bytes", "grams")
_COUNTED_COSTS = words_of("cost tokens calls steps interventions energy flops")
_SPREAD = words_of(
    "std stderr sem stdev stddev variance var ci lower upper low high min max pvalue n count"
)
"""Last words of what is said about a metric, and is none."""
_TURNED = words_of("non no not neg negative inv inverse inverted minus anti free without")
"""Words that may turn a metric around."""
_OF_CLASSES = words_of("f1 f1_score fscore precision recall")
"""Metrics of one class, of which nobody states the opposite."""
_LOW = words_of("gap drop penalty distance dist difference diff delay degradation lag rank rmsd")
"""Words of what is likely better low."""
_ABBREVIATED = re.compile(r"([^()]+?)\s*\(([^()]+)\)")
_AT = re.compile(r"(pass|recall|precision|ndcg|map|mrr|hits?|hit_rate|accuracy|acc|f1)_(at_)?\d+")

_AT_END = re.compile(rf"_({_AT.pattern})$")
_PER_ITEM = re.compile(r"_per_(sample|item|example|question|query|instance|prompt)$")
_SHORT_AT = {"p": "precision", "r": "recall"}
"""What letters mean before a rank, as in ``"P@5"``."""


def normal_metric(name: str) -> str:
    """Return a metric's name in lower case with underscores: ``"Pass@1"`` -> ``pass_at_1``."""
    spelled = (
        in_english(name).lower().replace("@", "_at_").replace("%", "_pct").replace("++", "_pp")
    )
    spelled = spelled.replace("n-gram", "ngram")
    return re.sub(r"[^0-9a-z]+", "_", spelled).strip("_")


def lookup(name: str) -> KnownMetric | None:
    """Return what is known about a metric; case and punctuation do not matter.

    Parts of a name that do not change it are passed over: ``"eval/loss"``, ``"val_acc"``,
    ``"Pass@1"``, ``"ROUGE-L.f1"``, ``"recall (TPR)"`` and ``"n_errors"`` are found. A made-up name
    is not, nor the spread of a metric (``"acc_std"``), nor what may be its opposite (``"1-WER"``).
    """
    for key in _spellings(name):
        if key in KNOWN:
            return KNOWN[key]
        words = key.split("_")
        if words[-1] in _SPREAD or (len(words) > 2 and words[-2:] == ["p", "value"]):
            return None
        found = next((KNOWN[one] for one in _candidates(words) if one in KNOWN), None)
        if found is not None:
            return found
    return None


def likely_direction(name: str) -> bool:
    """Return whether higher is likely better for a metric that is not known, by words in its name.

    A guess to begin from: ``error_of_pose`` is likely better low, most others are better high.
    """
    words = normal_metric(name).split("_")
    if words[0] == "1" or not _TURNED.isdisjoint(words):
        return True
    known = [KNOWN[word].higher_is_better for word in words if word in KNOWN]
    return any(known) if known else _LOW.isdisjoint(words)


def _spellings(name: str) -> Iterator[str]:
    """Yield a name as it is, without an abbreviation of it, and with capitals as new words."""
    yield normal_metric(name)
    spelled_out = _ABBREVIATED.fullmatch(name)
    if spelled_out and (
        lookup(spelled_out[1]) == lookup(spelled_out[2]) or _are_initials(*spelled_out.groups())
    ):
        yield normal_metric(spelled_out[1])
    yield normal_metric(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name))
    last = re.split(r"[./:]", name)[-1]
    if last != name and _TURNED.isdisjoint(normal_metric(name).split("_")):
        yield normal_metric(last)


def _are_initials(name: str, short: str) -> bool:
    """Return whether a word has the first letters of the words of a name."""
    return "".join(word[0] for word in normal_metric(name).split("_") if word) == short.lower()


def _candidates(words: list[str]) -> Iterator[str]:
    """Yield what a name may be called in the registry, the surest first."""
    key = "_".join(words)
    yield key
    if (of_all := _PER_ITEM.sub("", key)) != key:
        yield from _candidates(of_all.split("_"))
        return
    if _AT.fullmatch(key):
        yield re.sub(r"_(at_)?\d+$", "", key)
    if words[0] in _SHORT_AT and words[1:2] == ["at"] and words[-1].isdigit():
        yield _SHORT_AT[words[0]]
    if words[0] in _COUNTED and len(words) > 1:
        counted = KNOWN.get("_".join(words[1:])) or KNOWN.get(words[1]) or KNOWN.get(words[-1])
        counted = counted if _GOOD.isdisjoint(words) else None
        if counted is not None and counted.measured == "count":
            yield counted.name
        return
    is_clocked = len(words) > 2 and words[-2] == "time" and words[-1] in _CLOCK
    if is_clocked or (len(words) > 1 and words[-1] == "ms"):
        yield "duration"
    if key.endswith("_tps") or _A_SECOND.search(key):
        yield "throughput"
    is_sum = words[0] in ("total", "sum") and len(words) > 1 and _GOOD.issuperset(words[1:])
    if is_sum or (len(words) > 1 and words[-1] in _CASES and not _GOOD.isdisjoint(words)):
        return
    if words[0] == "correct" and len(words) > 1:
        yield "correct"
    if words[0] == "1" or not _TURNED.isdisjoint(words):
        yield from _of_a_class(words)
        return
    if words[0] in ("positive", "pos") and "_".join(words[1:]) in _OF_CLASSES:
        yield "_".join(words[1:])
    if words[-1] in ("correct", "solved") and _NOT_SHARED.isdisjoint(words):
        yield words[-1]  # part1_correct
    rest = list(words)
    while len(rest) > 1 and rest[0] in _BEFORE:
        rest = rest[1:]
        yield "_".join(rest)
    while len(rest) > 1 and rest[-1] in _AFTER:
        rest = rest[:-1]
        yield "_".join(rest)
    if _AT.fullmatch("_".join(rest)):
        yield re.sub(r"_(at_)?\d+$", "", "_".join(rest))
    if at_end := _AT_END.search(key):
        yield at_end[1]
        yield at_end[2]
    if words[-1].isdigit() and is_cost("_".join(words[:-1])):  # of the first try, of the second
        yield "_".join(words[:-1])
    for n_words in (2, 1):
        for ends in (rest, words):
            head = "_".join(ends[-n_words:])
            if len(ends) > n_words and head in HEADS:
                yield head


def _of_a_class(words: list[str]) -> Iterator[str]:
    """Yield the metric of a class called "negative" or "non-…"; such a metric is never turned."""
    turned = _TURNED.intersection(words)
    of_class = "_".join(words[1:]) if words[0] in turned else "_".join(words[:-1])
    is_negative = turned <= {"neg", "negative"} and of_class in _OF_CLASSES
    is_other = turned <= {"non", "not"} and len(words) > 2 and words[-1] in _OF_CLASSES
    if is_negative or is_other:
        yield of_class if is_negative else words[-1]


def is_qualifier(word: str) -> bool:
    """Whether a word stands beside the names of metrics, as in ``val_acc`` and ``acc_std``."""
    return word in _BEFORE | _AFTER | _SPREAD | _TURNED | _COUNTED


@cache
def is_cost(name: str) -> bool:
    """Whether a metric says what an output took: time, money, tokens, memory."""
    known = lookup(name)
    return known is not None and (known.measured in _TAKEN or known.name in _COUNTED_COSTS)


def is_loss(name: str) -> bool:
    """Whether a metric is a loss or a perplexity."""
    known = lookup(name)
    return known is not None and known.measured == "nats or bits"


def is_quality(name: str) -> bool:
    """Whether a metric says how good an output is, and not how long it took or what it cost."""
    known = lookup(name)
    return known is not None and known.measured in ("share", "points")


def is_share(name: str) -> bool:
    """Whether a metric is a share of what is right, printed as 0.74 or as 74.4."""
    known = lookup(name)
    return known is not None and known.measured == "share" and known.higher_is_better
