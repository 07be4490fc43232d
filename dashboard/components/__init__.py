"""Pictures that Altair cannot draw quickly enough: matrices on a canvas."""

from dashboard.components.grid import PickedItems, item_grid
from dashboard.components.heatmap import Mark, Picked, significance_heatmap

__all__ = ["Mark", "Picked", "PickedItems", "item_grid", "significance_heatmap"]
