"""Each write tried by each role at a page, and by each token over HTTP."""

from __future__ import annotations

import ast
import asyncio
import shutil
from pathlib import Path
from typing import Any, Final
from unittest import mock

from sqlalchemy.orm import Session

from benchmarks.rights.house import FILE_HOLDER, HEADER, PEOPLE, WHO, Work, house
from benchmarks.rights.writes import ROWS, Trier
from dashboard import data, people, sign_in
from dashboard.api.entry import Entry
from store.engine import Store, open_store
from store.errors import ForbiddenError
from store.people import Person, resolve_by
from store.tokens import person_of

ROOT: Final = Path(__file__).resolve().parents[2]


def write_functions() -> set[str]:
    """Return every function that opens a writing transaction, as module.name."""
    found = set()
    for folder in ("store", "analysis", "dashboard", "tiebreak"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and any(map(_opens_one, ast.walk(node))):
                    parts = path.relative_to(ROOT).with_suffix("").parts
                    found.add(".".join([*(p for p in parts if p != "__init__"), node.name]))
    return found


def _opens_one(node: ast.AST) -> bool:
    """Return whether this is ``with …write(actor)``."""
    return (
        isinstance(node, ast.withitem)
        and isinstance(node.context_expr, ast.Call)
        and isinstance(node.context_expr.func, ast.Attribute)
        and node.context_expr.func.attr == "write"
    )


def try_all(folder: Path) -> dict[tuple[str, str], str]:
    """Return (what, who) -> "yes" or "no"; what is let in is taken back, for the next to try."""
    found = {}
    with house(folder) as (template, secrets):
        for number, row in enumerate(ROWS):
            path = shutil.copy(template, folder / f"{number}.db")
            with (
                open_store(path) as store,
                mock.patch.object(data, "current_store", return_value=store),
            ):
                work = row.prepare(store, Trier("anybody", FILE_HOLDER))
                for who in WHO:
                    token = secrets.get(who)
                    if row.is_own:
                        work = row.prepare(store, Trier(who, _bringer(store, who, token)))
                    found[row.what, who] = "yes" if _is_let_in(who, token, work) else "no"
    return found


def _is_let_in(who: str, token: str | None, work: Work) -> bool:
    """Return whether somebody may do the work; it is taken back in the end."""
    n_commits = 0

    def roll_back(session: Session) -> None:
        nonlocal n_commits
        n_commits += 1
        session.rollback()

    with mock.patch.object(Session, "commit", roll_back):
        is_done = _at_page(PEOPLE[who], work) if who in PEOPLE else _over_http(token, work)
    if is_done != bool(n_commits):
        raise AssertionError(f"{who}: allowed {is_done}, written {n_commits} times")
    return is_done


def _bringer(store: Store, who: str, token: str | None) -> Person:
    if token is not None:
        shown = person_of(store, token)
        person = None if shown is None else sign_in.capped(shown)
    else:
        name = PEOPLE.get(who)
        found = sign_in.signed_in(name) if name else None
        person = found if isinstance(found, Person) else None
    return person if person and person.may("contributor") else FILE_HOLDER


def _at_page(name: str | None, work: Work) -> bool:
    """Have a page do the work, as if it had forgotten to ask for the role."""
    headers = [] if name is None else [(HEADER, name)]
    with (
        mock.patch.object(people, "get_script_run_ctx", return_value=object()),
        mock.patch.object(people, "seen", return_value=sign_in.who("localhost", headers)),
    ):
        resolve_by(people.person_at_page)
        try:
            work()
        except ForbiddenError:
            return False
        finally:
            resolve_by(lambda: None)
    return True


def _over_http(token: str | None, work: Work) -> bool:
    """Have a place of the API do the work, as if it had forgotten to ask for the role."""
    done = False

    async def place(scope: Any, receive: Any, send: Any) -> None:
        nonlocal done
        try:
            work()
        except ForbiddenError:
            return
        done = True

    headers = [] if token is None else [(b"authorization", f"Bearer {token}".encode())]
    scope = {
        "type": "http", "method": "POST", "path": "/try", "query_string": b"", "scheme": "http",
        "headers": [(b"host", b"localhost"), *headers], "client": ("127.0.0.1", 9),
        "server": ("localhost", 80),
    }  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(_message: Any) -> None:
        return None

    asyncio.run(Entry(place)(scope, receive, send))
    return done
