"""Names of SWE-bench's datasets, and what is generally known of them."""

from __future__ import annotations

from collections.abc import Sequence

from store.importers.bundle import BundleMetric, BundleOverlap, OverlapKind

RESOLVED = BundleMetric("resolved", higher_is_better=True, unit="proportion", lower=0.0, upper=1.0)
SIZES = {"test": 2294, "verified": 500, "lite": 300, "bash-only": 500}
"""Instances of the splits that are not extended any more (swebench.com)."""
_SHARED: Sequence[tuple[str, str, OverlapKind]] = (
    ("test", "verified", "contains"),
    ("test", "lite", "contains"),
    ("verified", "bash-only", "shared-items"),
    ("test", "bash-only", "contains"),
    ("verified", "lite", "shared-items"),
    ("lite", "bash-only", "shared-items"),
)


def dataset_name(split: str) -> str:
    """Return the name of a split's dataset, such as ``"SWE-bench Verified"``."""
    known = {"test", "verified", "lite", "multimodal", "multilingual"}
    return "SWE-bench " + (split.capitalize() if split.lower() in known else split)


def overlaps_of(names: Sequence[str]) -> list[BundleOverlap]:
    """Return what is known of the items that datasets of SWE-bench share."""
    return [
        BundleOverlap(dataset_name(a), dataset_name(b), kind, "as SWE-bench defines its splits")
        for a, b, kind in _SHARED
        if {dataset_name(a), dataset_name(b)} <= set(names)
    ]


def repository(instance: str) -> str | None:
    """Return the repository of an instance: ``"django/django"`` for ``django__django-11532``."""
    stem, found, number = instance.rpartition("-")
    return stem.replace("__", "/", 1) if found and number.isdigit() and "__" in stem else None
