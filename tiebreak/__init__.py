"""Which differences between systems are real: the public name of everything in an environment."""

from __future__ import annotations

from store.version import VERSION as __version__

__all__ = ["__version__"]
