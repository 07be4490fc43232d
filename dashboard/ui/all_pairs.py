"""What the page of all pairs lets a reader choose, and in which order it shows the systems."""

from __future__ import annotations

from analysis.studies.pairs import PairsStudy

ORDERS = ("score", "name", "likeness")


def ordered(study: PairsStudy, order: str) -> list[int]:
    """Return the positions of the systems in the order asked for."""
    if order == "name":
        return list(study.order_by_name)
    if order == "likeness":
        return list(study.order_by_cluster)
    return list(range(len(study.systems)))
