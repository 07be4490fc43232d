"""Opening a store, and what can go wrong with it."""

from __future__ import annotations

from store.engine import Store, open_store
from store.errors import ImportFormatError, NotFoundError, StoreError

__all__ = ["ImportFormatError", "NotFoundError", "Store", "StoreError", "open_store"]
