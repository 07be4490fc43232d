"""Settings of a store: what holds where nobody says otherwise."""

from __future__ import annotations

import math
from typing import Final

import sqlalchemy as sa

from store.datasets import get_dataset
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.kept_settings import (
    AS_SOURCE,
    FAILURES,
    NAMES,
    OF_DATASET,
    RETENTION,
    WHO,
    settings_in,
)
from store.lookup import did_you_mean
from store.metrics import get_metric, list_metrics
from store.models import AuditEvent
from store.people import require_role
from store.retention import days_of

_WHO_MAY: Final = ("contributor", "admin")


def store_settings(store: Store) -> dict[str, str]:
    """Return the settings that somebody has made: name -> value."""
    with store.read() as connection:
        return settings_in(connection)


def dataset_settings(store: Store) -> dict[str, dict[str, str]]:
    """Return the settings of datasets that somebody has made: uid -> name -> value."""
    with store.read() as connection:
        own = sa.select(AuditEvent.target_uid).where(
            AuditEvent.target_kind == "setting", AuditEvent.target_uid != ""
        )
        found = {uid: settings_in(connection, uid) for uid in connection.scalars(own.distinct())}
    return {uid: told for uid, told in found.items() if told}


def settings_of_dataset(store: Store, dataset_uid: str) -> dict[str, str]:
    """Return the settings of a dataset that somebody has made: name -> value."""
    with store.read() as connection:
        return settings_in(connection, dataset_uid)


def change_setting(
    store: Store, name: str, value: str | None, *, actor: str, dataset: str | None = None
) -> None:
    """Set a setting, or with ``None`` have what comes with the product hold again.

    The value of a default is not checked here: see `analysis.store_defaults`.

    Parameters
    ----------
    name, value
        The setting and its value; a metric by name or uid.
    dataset
        Uid or name of the dataset that it is for, where it is one of a dataset.

    Raises
    ------
    StoreError
        There is no such setting, or it has no such value.
    NotFoundError
        There is no such dataset, or nobody has scores on that metric there.
    ForbiddenError
        Whoever is at work is no admin.
    """
    known = NAMES if dataset is None else tuple(OF_DATASET)
    if name not in known:
        more = " Name its dataset with `dataset`." if name in OF_DATASET else ""
        raise StoreError(
            f"There is no setting '{name}' here.{more or did_you_mean(name, known)} There are "
            f"{', '.join(known)}."
        )
    if name.startswith(WHO) and value not in (None, *_WHO_MAY):
        raise StoreError(f"'{name}' is {' or '.join(_WHO_MAY)}, not '{value}'.")
    if name == RETENTION and value is not None:
        value = value.strip()
        days_of(value)
    require_role("admin", "Changing a setting")
    uid = "" if dataset is None else get_dataset(store, dataset).uid
    if name == "metric" and value is not None:
        value = _metric_on(store, uid, value)
    if name == "difference" and value is not None:
        value = _above_0(value)
    if name == "failures" and value is not None:
        value = _counted_as(value)
    before = settings_of_dataset(store, uid).get(name)
    if before == value:
        return
    with store.write(actor) as change:
        change.record("set", "setting", uid, name=name, value=value, before=before)


def _metric_on(store: Store, dataset_uid: str, given: str) -> str:
    measure = get_metric(store, given)
    there = list_metrics(store, dataset_uid=dataset_uid)
    if measure.uid not in {one.uid for one in there}:
        raise NotFoundError(
            f"Nothing on this dataset has '{measure.label}'. It has "
            f"{', '.join(one.label for one in there) or 'no scores'}."
        )
    return measure.uid


def _counted_as(given: str) -> str | None:
    if given == "bounds":
        raise StoreError(
            "Failures cannot be bounds by themselves: set them to missing, and a leaderboard says "
            "between which bounds each score lies."
        )
    if given not in FAILURES:
        raise StoreError(f"Failures are {', '.join(FAILURES)}, not '{given}'.")
    return None if given == AS_SOURCE else given


def _above_0(given: str) -> str:
    try:
        number = float(given)
    except ValueError:
        number = 0.0
    if not 0 < number < math.inf:
        raise StoreError(f"The difference that matters is a number above 0, not '{given}'.")
    return f"{number:g}"
