"""Tables whose header has two rows: names of groups over the names of columns, as merged cells.

A row above the header with one filled cell is the title of the table and no group.
"""

from __future__ import annotations

from collections.abc import Sequence

from store.importers.cells import is_missing, looks_numeric

JOINT = " | "
"""Between a group and a column in the name that stands for both."""


def joined_header(rows: Sequence[Sequence[str]]) -> tuple[list[str], int] | None:
    """Return one header for two rows or three, and how many; ``None``: the second one is none.

    The first row names a group once, or again over each of its columns; the second one has words
    below at least two columns of a group, and numbers begin in the third. pandas writes the names
    of the index into a row of their own, below.

    >>> joined_header([["", "dev", "", "test", ""], ["Model", "F1", "EM", "F1", "EM"],
    ...                ["A", "1", "2", "3", "4"]])
    (['Model', 'dev | F1', 'dev | EM', 'test | F1', 'test | EM'], 2)
    """
    if (n_above := _caption_rows(rows)) > 0:
        return [cell.strip() for cell in rows[n_above]], n_above + 1
    n_header = 2
    if len(rows) > 3 and _names_index(rows[:3]):
        index = rows[2]
        upper = [name or own for name, own in zip(index, rows[0], strict=True)]
        rows, n_header = [upper, rows[1], *rows[3:]], 3
    if len(rows) < 3 or len(rows[0]) != len(rows[1]) or len(rows[0]) != len(rows[2]):
        return None
    first, second, third = ([cell.strip() for cell in row] for row in rows[:3])
    below = [cell for cell in second if cell]
    is_named = len(below) > 1 and not any(looks_numeric([cell]) for cell in below)
    has_numbers = any(looks_numeric([cell]) for cell in third if cell and not is_missing(cell))
    if not is_named or not has_numbers or any(looks_numeric([c]) for c in first if c):
        return None
    groups: list[str] = []
    for own, lower in zip(first, second, strict=True):
        groups.append(own or (groups[-1] if groups and lower else ""))
    named = [group for group, lower in zip(groups, second, strict=True) if group and lower]
    if not named or max(map(named.count, named)) < 2:
        return None
    header = [
        lower if not group else f"{group}{JOINT}{lower}" if lower else group
        for group, lower in zip(groups, second, strict=True)
    ]
    filled = [name for name in header if name]
    return (header, n_header) if len(set(filled)) == len(filled) else None


def _caption_rows(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows above a header hold one cell or none: the title of a table.

    The header has words only, most of its cells are filled, and numbers stand below it.
    """
    for n_above in range(1, len(rows) - 1):
        if sum(bool(cell.strip()) for cell in rows[n_above - 1]) > 1:
            return 0
        header = [cell.strip() for cell in rows[n_above]]
        words = [cell for cell in header if cell]
        is_header = len(words) > 1 and 2 * len(words) > len(header)
        if not is_header:
            continue
        below = [cell for cell in rows[n_above + 1] if not is_missing(cell)]
        is_whole = len(set(words)) == len(words) and not any(looks_numeric([w]) for w in words)
        return n_above if is_whole and any(looks_numeric([cell]) for cell in below) else 0
    return 0


def _names_index(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the third row has names exactly where the first two have none."""
    if len({len(row) for row in rows}) > 1:
        return False
    columns = list(zip(*rows, strict=True))
    return any(third for _, _, third in columns) and all(
        bool(third) != bool(first or second) for first, second, third in columns
    )
