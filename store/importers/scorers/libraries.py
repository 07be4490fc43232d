"""The libraries that score: imported when needed, with how to get one that is missing."""

from __future__ import annotations

from importlib import import_module, metadata
from typing import Any

from store.errors import ImportFormatError

EXTRA = "pip install 'tiebreak[scorers]'"


class MissingLibraryError(ImportFormatError):
    """A metric needs a library that is not installed."""


def scoring_library(module: str, metric: str) -> Any:
    """Return a module of a scoring library, typed loosely as some have no types.

    Raises
    ------
    MissingLibraryError
        The library is not installed; the command that installs it is named.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError:
        package = module.partition(".")[0].replace("_", "-")
        raise MissingLibraryError(
            f"the metric {metric} is computed by {package}, which is not installed. "
            f"Install it ({EXTRA}), or name other metrics with --score."
        ) from None


def version_of(package: str) -> str:
    """Return the version of an installed package."""
    return metadata.version(package)
