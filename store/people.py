"""Who is at work, and what that person may do. Every write asks here, whoever calls it.

Whoever holds the file of a store may do everything: commands and the library ask nobody. A server
says who is at work with `acting_as`, or for all that is not said with `resolve_by`.
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, get_args

from store.errors import ForbiddenError

Role = Literal["viewer", "contributor", "admin"]
"""Viewers look; contributors bring results and describe them; admins look after the store."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Person:
    """A person at work, or a pipeline that works for one."""

    name: str
    role: Role
    via: str
    """Through what: ``page``, ``command``, ``library``, ``token UID``."""
    token: str = ""
    """Uid of the token that was shown."""
    dataset: str | None = None
    """The only dataset that the token is for, as name or name@version."""
    groups: tuple[str, ...] = ()
    """That the provider of a sign-in says the person is in."""

    def may(self, role: Role) -> bool:
        """Return whether this person may do what takes `role`."""
        return ROLES.index(self.role) >= ROLES.index(role)


NEEDED: Final[dict[str, Role]] = {
    **dict.fromkeys(
        (
            *("ingest", "import", "undo", "answer", "forget", "create", "replace", "extend"),
            *("describe", "describe items", "add items", "add texts", "alias", "overlap"),
            *("judge", "weights", "gold", "audit", "delete", "restore", "tag", "untag", "note"),
            *("edit note", "remove note"),
            *("seal", "add token", "revoke token", "rename", "unalias", "merge", "separate"),
            *("save view", "forget view"),
        ),
        "contributor",
    ),
    **dict.fromkeys(("purge", "remove texts", "backup"), "admin"),
    "remove name": "admin",
    "set": "admin",
}
"""Recorded action -> the least role that may do it; what is not here takes an admin."""

through: Final[ContextVar[str]] = ContextVar("through", default="library")
"""Through what the holder of the file works."""

_acting: Final[ContextVar[Person | None]] = ContextVar("acting", default=None)


@contextmanager
def acting_as(person: Person) -> Iterator[None]:
    """Have everything inside be done by this person."""
    before = _acting.set(person)
    try:
        yield
    finally:
        _acting.reset(before)


def resolve_by(find: Callable[[], Person | None]) -> None:
    """Have `find` say who is at work where `acting_as` does not; None: the holder of the file."""
    global _resolver
    _resolver = find


def named_person() -> Person | None:
    """Return who is at work, where a server says so."""
    return _acting.get() or _resolver()


def current_person() -> Person:
    """Return who is at work: the holder of the file, where no server says another."""
    return named_person() or Person(holder(), "admin", through.get())


def require_role(role: Role, what: str) -> Person:
    """Return who is at work.

    Raises
    ------
    ForbiddenError
        That takes another role.
    """
    person = current_person()
    if not person.may(role):
        raise ForbiddenError(
            f"{what} takes the role {role}; {person.name} is a {person.role}. Ask an admin."
        )
    return person


def require_action(action: str, *, is_kept: bool = False) -> None:
    """Raise `ForbiddenError` unless who is at work may do what is recorded as `action`.

    What `is_kept` takes an admin, whatever is usual.
    """
    role = "admin" if is_kept else NEEDED.get(action, "admin")
    require_role(role, f"'{action}'")


def require_datasets(known: Iterable[tuple[str, str]] | None) -> None:
    """Raise `ForbiddenError` where a token is for another dataset than these names and versions.

    None: it is about the whole store, so for no such token.
    """
    own = current_person().dataset
    if own is not None and known is None:
        raise ForbiddenError(f"This token brings results to the dataset '{own}', and nothing else.")
    for name, version in known or ():
        if own is not None and own not in (name, f"{name}@{version}"):
            raise ForbiddenError(f"This token is for the dataset '{own}' alone, not for '{name}'.")


def _nobody() -> None:
    return None


_resolver: Callable[[], Person | None] = _nobody


@cache
def _login() -> str:
    return getpass.getuser()


def holder() -> str:
    """Return who runs this process."""
    try:
        return os.environ.get("TIEBREAK_ACTOR") or _login()
    except (KeyError, OSError):  # a user id without a name, as in some containers
        return "unknown"
