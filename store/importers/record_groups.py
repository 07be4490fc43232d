"""Lists of records under names: ``{"results": {"bm25": [{…}, …], "dense": [{…}, …]}}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from store.importers.known_metrics import lookup, normal_metric
from store.importers.known_names import is_like_dataset
from store.importers.metric_registry import words_of

_SAID = {
    "system": words_of("system system_name model model_name model_id agent method"),
    "dataset": words_of("dataset dataset_name benchmark task task_name corpus"),
}
"""What a record calls its system or its dataset."""
_FEWEST = 2
"""Lists that make names of what they stand under."""


def records_by_name(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the records with the name that their list stands under, as system or as dataset.

    The lists are all values of the mapping, or of the one mapping in it. Names are of datasets
    where the records say their system or all names are like those of datasets.
    """
    below = [part for part in (content, *content.values()) if _are_lists(part)]
    if len(below) != 1:
        return []
    (groups,) = below
    names = {normal_metric(key) for records in groups.values() for key in records[0]}
    says_system = not names.isdisjoint(_SAID["system"])
    role = "dataset" if says_system or all(map(is_like_dataset, groups)) else "system"
    if not names.isdisjoint(_SAID[role]):
        return []
    return [{role: name, **record} for name, records in groups.items() for record in records]


def are_metrics(content: Mapping[str, Any]) -> bool:
    """Return whether the keys of mappings are metrics: ``{"MAP": {"score": 0.5}, …}``."""
    known = [key for key in content if lookup(str(key)) is not None]
    return 2 * len(known) > len(content)


def _are_lists(part: Any) -> bool:
    """Return whether a mapping has nothing but lists of records that are alike."""
    if not isinstance(part, dict) or len(part) < _FEWEST:
        return False
    lists = list(part.values())
    are_records = all(
        isinstance(one, list) and one and all(isinstance(record, dict) for record in one)
        for one in lists
    )
    if not are_records:
        return False
    first = lists[0][0].keys()
    return all(2 * len(first & one[0].keys()) > len(first | one[0].keys()) for one in lists)
