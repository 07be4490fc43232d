"""A confidence interval."""

from typing import NamedTuple


class Interval(NamedTuple):
    """An interval with the method that made it.

    Examples
    --------
    >>> Interval(-0.5, 1.5, "t", 0.95).contains(0)
    True
    """

    low: float
    """NaN, with `high`, where there is no interval."""
    high: float
    method: str
    confidence_level: float

    def contains(self, value: float) -> bool:
        """Return whether `value` lies in the interval, its ends included."""
        return self.low <= value <= self.high
