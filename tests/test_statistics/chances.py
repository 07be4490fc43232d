"""How often a procedure may reject in a simulation and still keep what it promises."""

from scipy import stats

FULL = 5_000


def fewest_and_most(repetitions, level):
    """Return the bounds within which a count lies, but for one simulation in a thousand.

    In a full calibration, which counts ever anew, it is one in a million.
    """
    chance = 1e-6 if repetitions >= FULL else 1e-3
    return stats.binom.ppf([chance, 1 - chance], repetitions, level)


def at_most(count, repetitions, level):
    """Return whether a count is not above what chance makes of a level."""
    return count <= fewest_and_most(repetitions, level)[1]


def at_least(count, repetitions, level):
    """Return whether a count is not below what chance makes of a level."""
    return count >= fewest_and_most(repetitions, level)[0]
