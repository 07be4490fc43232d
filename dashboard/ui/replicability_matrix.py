"""What the replicability matrix lets a reader choose, and its table."""

from __future__ import annotations

from typing import Final

from analysis.studies.replicability_matrix import ReplicabilityMatrixStudy

ORDERS: Final = ("wins", "name")


def ordered(study: ReplicabilityMatrixStudy, order: str) -> list[int]:
    """Return the positions of the systems in the order asked for."""
    positions = range(len(study.systems))
    if order == "name":
        return sorted(positions, key=lambda i: study.systems[i].casefold())
    return list(positions)
