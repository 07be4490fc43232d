"""What a cell of a matrix of pairs says."""

from enum import IntEnum


class Mark(IntEnum):
    """What is known of a pair; the words are those of the row against the column."""

    NOT_COMPARABLE = 0
    UNDECIDED = 1
    BETTER = 2
    WORSE = 3
    EQUIVALENT = 4
