"""Files of one import whose items are called alike and have other texts: versions of a dataset.

Scores on changed items are never compared. The first files keep the dataset as it is called; files
whose texts contradict theirs are on another version of it, called after the fingerprint of these.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from store.importers.bundle import BundleDataset, Guess, ImportBundle
from store.importers.named_items import told_of
from store.spelling import composed

_BECAUSE = "items called alike have other texts in files before"
_DIGITS = 8


def with_versions_apart(bundles: Sequence[ImportBundle]) -> list[ImportBundle]:
    """Return the bundles, those with contradicting texts on versions of their own."""
    users: dict[tuple[str, str], list[int]] = {}
    for number, bundle in enumerate(bundles):
        for dataset in bundle.datasets:
            if any(item.content_hash for item in told_of(dataset.items)):
                users.setdefault(_name(dataset), []).append(number)
    shared = {name for name, numbers in users.items() if len(numbers) > 1}
    known: dict[tuple[str, str], list[tuple[str, dict[str, str]]]] = {}
    found = list(bundles)
    for number, bundle in enumerate(bundles):
        datasets, guesses = list(bundle.datasets), []
        for place, dataset in enumerate(datasets):
            if _name(dataset) not in shared:
                continue
            version = _version(dataset, known.setdefault(_name(dataset), []))
            if version != dataset.version:
                datasets[place] = replace(dataset, version=version)
                guesses.append(Guess(f"version of {dataset.name}", version, _BECAUSE))
        if guesses:
            found[number] = replace(bundle, datasets=datasets, guesses=[*bundle.guesses, *guesses])
    return found


def _name(dataset: BundleDataset) -> tuple[str, str]:
    return composed(dataset.name), composed(dataset.version)


def _version(dataset: BundleDataset, known: list[tuple[str, dict[str, str]]]) -> str:
    """Return the version whose texts a dataset does not contradict; it brings more of them."""
    texts = {item.key: item.content_hash for item in told_of(dataset.items) if item.content_hash}
    for version, held in known:
        if all(held.get(key, digest) == digest for key, digest in texts.items()):
            held |= texts
            return version
    version = dataset.version
    if known:
        version = " ".join(filter(None, (version, _fingerprint(texts))))
    known.append((version, texts))
    return version


def _fingerprint(texts: Mapping[str, str]) -> str:
    digest = hashlib.sha256("\0".join(f"{key}\0{texts[key]}" for key in sorted(texts)).encode())
    return digest.hexdigest()[:_DIGITS]
