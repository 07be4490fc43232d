"""Pictures that Altair cannot draw quickly enough: matrices on a canvas."""

from dashboard.components.counts import count_heatmap
from dashboard.components.grid import PickedItems, item_grid
from dashboard.components.heatmap import Mark, Picked, significance_heatmap
from dashboard.components.last_visit import Visit, last_visit
from dashboard.components.shares import share_heatmap

__all__ = [
    "Mark",
    "Picked",
    "PickedItems",
    "Visit",
    "count_heatmap",
    "item_grid",
    "last_visit",
    "share_heatmap",
    "significance_heatmap",
]
