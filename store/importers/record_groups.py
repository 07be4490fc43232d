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
_IDS = words_of("id item_id sample_id task_id question_id example_id instance_id doc_id")
_FEWEST = 2
"""Lists that make names of what they stand under."""


def records_by_name(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the records with the name that their list stands under, as system or as dataset.

    The lists are all values of the mapping, or of the one mapping in it. Names are of datasets
    where the records say their system, where all names are like those of datasets, and where the
    records name their items and no two lists share any.
    """
    below = [part for part in (content, *content.values()) if _are_lists(part)]
    if len(below) != 1:
        return []
    (groups,) = below
    names = {normal_metric(key) for records in groups.values() for key in records[0]}
    says_system = not names.isdisjoint(_SAID["system"])
    are_datasets = says_system or all(map(is_like_dataset, groups)) or _are_apart(groups)
    role = "dataset" if are_datasets else "system"
    if not names.isdisjoint(_SAID[role]):
        return []
    return [{role: name, **record} for name, records in groups.items() for record in records]


def are_metrics(content: Mapping[str, Any]) -> bool:
    """Return whether the keys of mappings are metrics: ``{"MAP": {"score": 0.5}, …}``."""
    known = [key for key in content if lookup(str(key)) is not None]
    return 2 * len(known) > len(content)


def _are_apart(groups: Mapping[str, list[dict[str, Any]]]) -> bool:
    """Return whether the records have ids, and each list has its own."""
    keys = [key for key in next(iter(groups.values()))[0] if normal_metric(key) in _IDS]
    if not keys:
        return False
    seen: set[str] = set()
    for records in groups.values():
        own = {str(record.get(keys[0])) for record in records}
        if not seen.isdisjoint(own) or len(own) < len(records):
            return False
        seen |= own
    return True


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
