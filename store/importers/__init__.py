"""One module for each file format: files in, `ImportBundle` out."""

from store.importers.bundle import ImportBundle, ReadOptions
from store.importers.detect import IgnoredFile, ReadResult, read_paths
from store.importers.registry import IMPORTERS, Importer

__all__ = [
    "IMPORTERS",
    "IgnoredFile",
    "ImportBundle",
    "Importer",
    "ReadOptions",
    "ReadResult",
    "read_paths",
]
