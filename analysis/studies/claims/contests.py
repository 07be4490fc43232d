"""Which scores and claims say to be the best, and better than whom: what is tested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from analysis.studies.claims.history import TimeLine, moment_of
from analysis.studies.claims.settings import Order
from analysis.studies.claims.verdicts import restates
from store.claim_records import ClaimRecord
from store.reported import rounding

_Key = tuple[int, int]


class Contest(NamedTuple):
    """A look that is said to be better than the best before."""

    at: int
    """Its place in the time line."""
    before: int
    """Place of the best when it was said."""
    number: int
    """Of all looks, and of claims made after their look, in order of time: from 1."""


class Contests(NamedTuple):
    """All contests in order of time."""

    all: tuple[Contest, ...]
    of_look: Mapping[int, int]
    """Place of a record -> its contest."""
    of_claim: Mapping[str, int]
    """Uid of a claim -> its contest; claims that only state a value have none."""


def find_contests(line: TimeLine, order: Order) -> Contests:
    """Return what is tested against what.

    A record is a contest on the day of its look. A claim is one where its value passes the best
    of all days before the claim and all other scores of its day; made later than the look, it is
    a contest of that later day, so that nothing that was asked of earlier claims changes. One that
    repeats a contest shares its test.
    """
    records, found = line.records, dict[_Key, np.datetime64]()
    places = [int(at) for at in np.flatnonzero(records.is_record & (records.previous >= 0))]
    for at in places:
        found[at, int(records.previous[at])] = line.times[at]
    of_claim: dict[str, _Key] = {}
    for at, entry in enumerate(line.entries):
        for claim in entry.claims if records.looks[at] else ():
            when = moment_of(claim.claimed_on, order)
            key = _said(line, at, claim, when)
            if key is not None:
                of_claim[claim.uid] = key
                found[key] = min(found.get(key, when), when)
    numbers = _numbers(line, found)
    ordered = sorted(found, key=numbers.__getitem__)
    place = {key: k for k, key in enumerate(ordered)}
    return Contests(
        all=tuple(Contest(*key, numbers[key]) for key in ordered),
        of_look={at: place[at, int(records.previous[at])] for at in places},
        of_claim={uid: place[key] for uid, key in of_claim.items()},
    )


def _said(line: TimeLine, at: int, claim: ClaimRecord, when: np.datetime64) -> _Key | None:
    """Return the contest that a claim enters; ``None`` where it only states a value."""
    records = line.records
    best = np.flatnonzero(records.is_record & (line.times < when))
    if not best.size:
        return None
    before = int(best[-1])
    if before == at:  # it was the best already, and is tested as that
        before = int(records.previous[at])
        return None if before < 0 else (at, before)
    own = records.is_record[at] and before == int(records.previous[at])
    if own and restates(line, line.entries[at], claim):
        return at, before
    slack = rounding(claim.printed.strip().rstrip("% "), claim.value)
    value = line.metric.sign * claim.value - slack  # a tie that is printed is no claim to be better
    same_day = np.flatnonzero((line.times == when) & (records.looks > 0))
    beaten = [records.values[before], *(records.values[k] for k in same_day if k != at)]
    return (at, before) if value > max(beaten) else None


def _numbers(line: TimeLine, found: Mapping[_Key, np.datetime64]) -> dict[_Key, int]:
    """Return the number of each contest among all looks and all later claims."""
    looks = [(line.times[at], 0, int(n), None) for at, n in enumerate(line.records.looks) if n]
    later = [
        (when, 1, int(line.records.looks[key[0]]), key)
        for key, when in found.items()
        if when > line.times[key[0]]
    ]
    numbers: dict[_Key, int] = {}
    of_look: dict[int, int] = {}
    for number, (_, _, look, late) in enumerate(
        sorted([*looks, *later], key=lambda one: one[:3]), start=1
    ):
        if late is None:
            of_look[look] = number
        else:
            numbers[late] = number
    return {key: numbers.get(key, of_look[int(line.records.looks[key[0]])]) for key in found}
