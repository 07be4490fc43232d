"""Names beside marks, where they touch neither each other nor another mark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

Side = Literal["before", "after", "above", ""]

_CHARACTER: Final = 6.7
_LINE: Final = 14.0
_MARK: Final = 7.0
_RING: Final = 10.0


class Spot(NamedTuple):
    """A mark on the unit square: time to the right, better is up."""

    x: float
    y: float
    low: float
    high: float
    """Ends of its interval; NaN where it has none."""
    has_ring: bool = False


class Wall(NamedTuple):
    """Where a line goes straight up, on the unit square."""

    x: float
    bottom: float
    top: float


class Floor(NamedTuple):
    """Where a line goes level, on the unit square."""

    left: float
    right: float
    y: float


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def touches(self, other: _Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )


def place_labels(
    spots: Sequence[Spot],
    texts: Sequence[str],
    order: Sequence[int],
    *,
    walls: Sequence[Wall] = (),
    floors: Sequence[Floor] = (),
    width: int,
    height: int,
) -> list[Side]:
    """Choose for each mark on which side of it its name stands; nowhere if there is no room.

    A frontier only rises, so there is room before a mark above its height, and after it below.

    Parameters
    ----------
    spots, texts
        The marks and their names.
    order
        Which get a name, the most important first.
    walls, floors
        Lines that a name should not cross.
    width, height
        Of the picture, in px.
    """
    taken = [
        _Box(wall.x * width - 2, wall.bottom * height, wall.x * width + 2, wall.top * height)
        for wall in walls
    ]
    taken += [
        _Box(floor.left * width, floor.y * height - 2, floor.right * width, floor.y * height + 2)
        for floor in floors
    ]
    for spot in spots:
        x, y = spot.x * width, spot.y * height
        half = _RING if spot.has_ring else _MARK
        taken.append(_Box(x - half, y - half, x + half, y + half))
        if math.isfinite(spot.low) and math.isfinite(spot.high):
            ends = sorted((spot.low * height, spot.high * height))
            taken.append(_Box(x - 2, ends[0], x + 2, ends[1]))
    sides: list[Side] = [""] * len(spots)
    for k in order:
        x, y = spots[k].x * width, spots[k].y * height
        long = _CHARACTER * len(texts[k])
        candidates: tuple[tuple[Side, _Box], ...] = (
            ("before", _Box(x - 10 - long, y + 3, x - 10, y + 3 + _LINE)),
            ("after", _Box(x + 10, y - 5 - _LINE, x + 10 + long, y - 5)),
            ("above", _Box(x + 10, y + 3, x + 10 + long, y + 3 + _LINE)),
        )
        for side, box in candidates:
            is_inside = box.left >= 0 and box.right <= width and 0 <= box.bottom < height - _LINE
            if is_inside and not any(box.touches(other) for other in taken):
                sides[k] = side
                taken.append(box)
                break
    return sides
