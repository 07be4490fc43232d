"""Which settings a store can have, and what they are: a setting is its last change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

import sqlalchemy as sa

from store.models import AuditEvent

DEFAULTS: Final[Mapping[str, str]] = {
    "alpha": "bound on the probability of a false claim, for every question",
    "correction": "for testing many pairs at once",
}
"""Settings of questions that a store may have a default for -> what each is."""
OF_DATASET: Final[Mapping[str, str]] = {
    "metric": "shown where nobody chooses another",
    "difference": "that matters on that metric: margin, effect and gain begin with it",
    "failures": "what attempts that failed count as: missing or wrong, else as the source does",
}
"""Settings of one dataset -> what each is."""
AS_SOURCE: Final = "source"
Failures = Literal["source", "missing", "wrong"]
FAILURES: Final[tuple[Failures, ...]] = get_args(Failures)
"""What attempts that failed count as, whatever the source does."""
OF_DIFFERENCE: Final = ("margin", "effect", "gain")
"""Settings of questions that begin with the difference that matters on a dataset."""
LEFT_OPEN: Final = (*DEFAULTS, *OF_DIFFERENCE)
"""Settings of questions that a store may have a default for."""
WRITES: Final[Mapping[str, tuple[str, ...]]] = {
    "imports": ("ingest", "import", "undo", "answer", "forget"),
    "names": ("rename", "alias", "unalias", "merge", "separate"),
    "notes": ("tag", "untag", "note", "edit note", "remove note"),
    "views": ("save view", "forget view"),
    "claims": ("audit", "create claim"),
    "deletion": ("delete", "restore"),
    "sealing": ("seal", "overlap"),
    "tokens": ("add token", "revoke token"),
}
"""Kind of write -> actions that an admin may keep for admins, some on one kind of thing only."""
WHO: Final = "who may write "
RETENTION: Final = "days that texts are kept"
FOREVER: Final = "forever"
NAMES: Final = (*DEFAULTS, RETENTION, *(f"{WHO}{kind}" for kind in WRITES))
"""All settings there are."""


def settings_in(connection: sa.Connection, dataset_uid: str = "") -> dict[str, str]:
    """Return the settings that somebody has made, of the store or of a dataset: name -> value."""
    query = (
        sa.select(AuditEvent.detail)
        .where(AuditEvent.target_kind == "setting", AuditEvent.target_uid == dataset_uid)
        .order_by(AuditEvent.id)
    )
    told = {detail["name"]: detail["value"] for detail in connection.scalars(query)}
    return {name: value for name, value in told.items() if value is not None}


def only_for_admins(connection: sa.Connection) -> frozenset[str]:
    """Return the recorded actions that a store keeps for its admins."""
    told = settings_in(connection)
    kinds = [kind for kind in WRITES if told.get(f"{WHO}{kind}") == "admin"]
    return frozenset(action for kind in kinds for action in WRITES[kind])
