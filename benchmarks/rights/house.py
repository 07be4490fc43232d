"""The store that everything is tried on, and who comes to it: people and tokens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from unittest import mock

import sqlalchemy as sa

from dashboard import sign_in
from store import tags
from store.engine import Store, open_store
from store.importers.bundle import (
    BundleCriterion,
    BundleDataset,
    BundleErrorSpan,
    BundleItem,
    BundleRating,
    ImportBundle,
    SourceFile,
)
from store.importers.logged import LoggedRun
from store.ingest import ingest
from store.model_base import utc_now
from store.people import Person, acting_as
from store.token_models import Token
from store.tokens import add_token, revoke_token

HEADER: Final = "X-Forwarded-Email"
ROLES: Final = """
admin = ["ann@example.org"]
contributor = ["ben@example.org"]
viewer = ["eye@example.org"]
"""
PEOPLE: Final = {
    "stranger": None,
    "viewer": "eye@example.org",
    "contributor": "ben@example.org",
    "admin": "ann@example.org",
}
"""Who comes to a page -> what the proxy says."""
TOKENS: Final = {
    "no token": {},
    "to read": {"scope": "read"},
    "to write": {"scope": "write"},
    "of an admin": {"scope": "write", "owner": "ann@example.org"},
    "its dataset": {"scope": "write", "dataset": "news"},
    "another dataset": {"scope": "write", "dataset": "talks"},
    "expired": {"scope": "write"},
    "revoked": {"scope": "write"},
    "its owner left": {"scope": "write", "owner": "gone@example.org"},
    "its owner looks": {"scope": "write", "owner": "eye@example.org"},
}
"""Who comes over HTTP -> the token that is shown."""
WHO: Final = (*PEOPLE, *TOKENS)
FILE_HOLDER: Final = Person("boss", "admin", "command")

SYSTEM: Final = ("system", "there")

Work = Callable[[], object]


def bring(store: Store, system: str = "mine", dataset: str = "news", trial: int = 0) -> str:
    """Import a trial of a run; return the import's uid."""
    scores = {"accuracy": {"q1": 1.0, "q2": 0.0}}
    bundle = LoggedRun(system, dataset, "", "", trial, scores).bundle(None)
    return ingest(store, bundle, actor="").import_uid or ""


def as_boss(work: Work) -> Any:
    """Do something as the holder of the store's file."""
    with acting_as(FILE_HOLDER):
        return work()


@contextmanager
def house(folder: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Turn sign-in on; yield a store that nothing was tried on yet, and the secrets of tokens."""
    roles = folder / "roles.toml"
    roles.write_text(ROLES)
    template = folder / "template.db"
    secrets = _fill(template)
    told = {sign_in.HEADER: HEADER, sign_in.ROLES_FILE: str(roles), sign_in.PROXY: ""}
    with mock.patch.dict(os.environ, told):
        yield template, secrets


def _fill(path: Path) -> dict[str, str]:
    """Make the store that everything is tried on; return the secrets of its tokens."""
    with acting_as(FILE_HOLDER), open_store(path, create=True) as store:
        bring(store, "there")
        bring(store, "third")
        bring(store, "there", "talks")
        bring(store, "there", "talks", trial=1)
        with acting_as(Person("cyn@example.org", "contributor", "page")):
            tags.add_note(store, *SYSTEM, "hm", actor="")
        ingest(store, _judged(), actor="")
        return {who: _token(store, who) for who in TOKENS if who != "no token"}


def _judged() -> ImportBundle:
    span = BundleErrorSpan("Major")
    weights = {"Major": 5.0, "Minor": 1.0}
    return ImportBundle(
        format="test",
        files=[SourceFile("judged.csv", "0" * 64)],
        datasets=[BundleDataset("qa", items=[BundleItem(f"i{i}") for i in range(4)])],
        criteria=[BundleCriterion(dataset=0, name="mqm", kind="error-spans", weights=weights)],
        annotators={},
        ratings=[BundleRating(0, "x", 0, "A", float("nan"), spans=[span])],
    )


def _token(store: Store, who: str) -> str:
    """Make a token of this kind; return its secret."""
    given: dict[str, Any] = {"owner": "ben@example.org", **TOKENS[who]}
    token, secret = add_token(store, who, actor="", **given)
    if who == "revoked":
        revoke_token(store, token.uid, actor="")
    if who == "expired":
        with store.write_cache() as connection:
            past = utc_now() - timedelta(days=1)
            this = Token.uid == token.uid
            connection.execute(sa.update(Token).where(this).values(expires_at=past))
    return secret
