"""Settings of a store: what holds where nobody says otherwise."""

from __future__ import annotations

from typing import Final

from store.engine import Store
from store.errors import StoreError
from store.kept_settings import NAMES, WHO, settings_in
from store.lookup import did_you_mean
from store.people import require_role

_WHO_MAY: Final = ("contributor", "admin")


def store_settings(store: Store) -> dict[str, str]:
    """Return the settings that somebody has made: name -> value."""
    with store.read() as connection:
        return settings_in(connection)


def change_setting(store: Store, name: str, value: str | None, *, actor: str) -> None:
    """Set a setting, or with ``None`` have what comes with the product hold again.

    The value of a default is not checked here: see `analysis.store_defaults`.

    Raises
    ------
    StoreError
        There is no such setting, or it has no such value.
    ForbiddenError
        Whoever is at work is no admin.
    """
    if name not in NAMES:
        raise StoreError(
            f"There is no setting '{name}'.{did_you_mean(name, NAMES)} There are "
            f"{', '.join(NAMES)}."
        )
    if name.startswith(WHO) and value not in (None, *_WHO_MAY):
        raise StoreError(f"'{name}' is {' or '.join(_WHO_MAY)}, not '{value}'.")
    require_role("admin", "Changing a setting")
    before = store_settings(store).get(name)
    if before == value:
        return
    with store.write(actor) as change:
        change.record("set", "setting", name=name, value=value, before=before)
