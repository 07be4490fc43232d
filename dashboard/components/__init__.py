"""Pictures that Altair cannot draw quickly enough: matrices on a canvas."""

from dashboard.components.correlations import Standing, correlation_heatmap
from dashboard.components.counts import count_heatmap
from dashboard.components.grid import PickedItems, item_grid
from dashboard.components.heatmap import Picked, significance_heatmap
from dashboard.components.last_visit import Visit, last_visit
from dashboard.components.marks import Mark
from dashboard.components.reading import Marked, Side, Text, show_texts, show_trees
from dashboard.components.shares import share_heatmap
from dashboard.components.trees import Tree

__all__ = [
    "Mark",
    "Marked",
    "Picked",
    "PickedItems",
    "Side",
    "Standing",
    "Text",
    "Tree",
    "Visit",
    "correlation_heatmap",
    "count_heatmap",
    "item_grid",
    "last_visit",
    "share_heatmap",
    "show_texts",
    "show_trees",
    "significance_heatmap",
]
