"""The defaults that a store has for settings of questions, in place of the product's."""

from __future__ import annotations

from typing import Any, Final

from analysis.setting import Field, fields_of
from analysis.studies.pairs_words import PairsSettings
from store.engine import Store
from store.errors import StoreError
from store.kept_settings import DEFAULTS
from store.settings import change_setting, store_settings

FIELDS: Final[dict[str, Field]] = {
    each.name: each for each in fields_of(PairsSettings) if each.name in DEFAULTS
}
"""Name of a setting with a default of the store -> its facts."""


def defaults_of(store: Store, question: type[Any]) -> dict[str, Any]:
    """Return what a store says about settings of a question: name -> value.

    What a question does not take, as a correction that only others have, is left out.
    """
    if not getattr(question, "needs_store", True):
        return {}
    told = store_settings(store)
    found = {}
    for each in fields_of(question):
        if each.name in DEFAULTS and each.name in told:
            try:
                found[each.name] = each.read(told[each.name])
            except StoreError:
                continue
    return found


def set_setting(store: Store, name: str, value: str | None, *, actor: str) -> None:
    """Set a setting of a store, or with ``None`` have what comes with the product hold again.

    Raises
    ------
    StoreError
        There is no such setting, or it has no such value.
    """
    if value is not None and name in FIELDS:
        value = FIELDS[name].write(FIELDS[name].read(value))
    change_setting(store, name, value, actor=actor)


def usual(name: str) -> str:
    """Return what holds where a store says nothing."""
    return FIELDS[name].write(FIELDS[name].default) if name in FIELDS else "contributor"
