"""Each write function tried by each role and token, and requests that are forged.

``python -m benchmarks.rights`` writes what came of it into ``docs/reliability.md``.
"""

from __future__ import annotations

import ast
import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from unittest import mock

import httpx
import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session
from starlette.applications import Starlette
from starlette.middleware import Middleware

from dashboard import data, people, sign_in
from dashboard.api import PREFIX, routes
from dashboard.api.entry import Entry
from dashboard.server import Guard
from store import change_weights, gold, lifecycle, naming, tags
from store.backup import keep_backup
from store.claim_evidence import add_all_evidence, add_evidence
from store.claim_records import NewClaim, NewEvidence
from store.claims import add_claim, add_claims
from store.dataset_merging import merge_datasets, separate_datasets
from store.dataset_relations import declare_overlap
from store.engine import Store, open_store
from store.errors import ForbiddenError
from store.history import list_events
from store.import_answers import forget_answer, remember_answers
from store.importers.bundle import (
    BundleCriterion,
    BundleDataset,
    BundleErrorSpan,
    BundleItem,
    BundleRating,
    ImportBundle,
    SourceFile,
)
from store.importers.claims import read_claims
from store.importers.logged import LoggedRun
from store.imports import undo
from store.ingest import ingest, ingest_all
from store.ingest.claims import import_claims
from store.known_people import remove_person
from store.model_base import utc_now
from store.people import Person, acting_as, resolve_by
from store.retention import remove_old_texts
from store.settings import change_setting
from store.token_models import Token
from store.tokens import add_token, person_of, revoke_token
from store.views import forget_view, save_view

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- rights -->", "<!-- end of rights -->"

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

Work = Callable[[], object]


@dataclass(frozen=True)
class Trier:
    """Who will try a write."""

    who: str
    brings: Person
    """Who brought what is that person's own; the holder of the file for those who cannot."""


@dataclass(frozen=True)
class Row:
    """A write that is tried."""

    what: str
    of: tuple[Callable[..., Any], ...]
    """The functions of the store that it goes through."""
    prepare: Callable[[Store, Trier], Work]
    is_own: bool = False
    """Whether it is about what whoever tries has brought: others get the same to try."""


def bring(store: Store, system: str = "mine", dataset: str = "news") -> str:
    """Import a run; return the import's uid."""
    scores = {"accuracy": {"q1": 1.0, "q2": 0.0}}
    bundle = LoggedRun(system, dataset, "", "", 0, scores).bundle(None)
    return ingest(store, bundle, actor="").import_uid or ""


def as_boss(work: Work) -> Any:
    """Do something as the holder of the store's file."""
    with acting_as(FILE_HOLDER):
        return work()


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


def _fill(path: Path) -> dict[str, str]:
    """Make the store that everything is tried on; return the secrets of its tokens."""
    with acting_as(FILE_HOLDER), open_store(path, create=True) as store:
        bring(store, "there")
        bring(store, "third")
        bring(store, "there", "talks")
        with acting_as(Person("cyn@example.org", "contributor", "page")):
            tags.add_note(store, *SYSTEM, "hm", actor="")
        ingest(store, _judged(), actor="")
        return {who: _token(store, who) for who in TOKENS if who != "no token"}


CLAIM: Final = NewClaim("there", "news", "accuracy", 0.5, utc_now(), "a paper")


def _claims_file(store: Store, _: Trier) -> Work:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "claims.csv"
        path.write_text(
            "system,dataset,metric,score,date,source,quote\n"
            "there,news,accuracy,0.5,2024-01-01,a paper,so it is\n"
        )
        file = read_claims(path)
    return lambda: import_claims(store, file, actor="")


def _undo_own(store: Store, me: Trier) -> Work:
    with acting_as(me.brings):
        uid = bring(store, f"of {me.who}", me.brings.dataset or "news")
    return lambda: undo(store, uid, actor="")


def _undo_others(store: Store, me: Trier) -> Work:
    uid = as_boss(lambda: bring(store, f"for {me.who}"))
    return lambda: undo(store, uid, actor="")


def _forget_answer(store: Store, _: Trier) -> Work:
    as_boss(lambda: remember_answers(store, {"what": "this"}, actor=""))
    return lambda: forget_answer(store, "what", actor="")


def _untag(store: Store, _: Trier) -> Work:
    as_boss(lambda: tags.add_tag(store, "system", "there", "x", actor=""))
    return lambda: tags.remove_tag(store, "system", "there", "x", actor="")


def _own_note(change: Callable[..., None], *given: str) -> Callable[[Store, Trier], Work]:
    def prepare(store: Store, me: Trier) -> Work:
        with acting_as(replace(me.brings, dataset=None)):
            tags.add_note(store, *SYSTEM, f"of {me.who}", actor="")
        note = tags.list_notes(store, *SYSTEM)[-1].id
        return lambda: change(store, note, *given, actor="")

    return prepare


def _others_note(change: Callable[..., None], *given: str) -> Callable[[Store, Trier], Work]:
    prepare = _own_note(change, *given)
    return lambda store, _: prepare(store, Trier("", FILE_HOLDER))


def _forget_view(store: Store, me: Trier) -> Work:
    with acting_as(replace(me.brings, dataset=None)):
        uid = save_view(store, "v", place="board", query="", answer="", actor="").uid
    return lambda: forget_view(store, uid, actor="")


def _forget_others_view(store: Store, _: Trier) -> Work:
    return _forget_view(store, Trier("", FILE_HOLDER))


def _unalias(store: Store, _: Trier) -> Work:
    as_boss(lambda: naming.add_alias(store, "there", "here", actor=""))
    return lambda: naming.remove_alias(store, "there", "here", actor="")


def _merge(store: Store, me: Trier) -> Work:
    as_boss(lambda: bring(store, f"twin of {me.who}", f"for {me.who}"))
    return lambda: naming.merge_systems(store, f"twin of {me.who}", "there", actor="")


def _separate(store: Store, me: Trier) -> Work:
    as_boss(_merge(store, me))
    merged = list_events(store)[0].detail["merged"]
    return lambda: naming.separate(store, "there", merged, actor="")


def _merge_datasets(store: Store, me: Trier) -> Work:
    as_boss(lambda: bring(store, f"for {me.who}", f"twin of {me.who}"))
    return lambda: merge_datasets(store, f"twin of {me.who}", "news", actor="")


def _separate_datasets(store: Store, me: Trier) -> Work:
    as_boss(_merge_datasets(store, me))
    merged = list_events(store)[0].detail["merged"]
    return lambda: separate_datasets(store, "news", merged, actor="")


def _evidence(store: Store, _: Trier) -> Work:
    uid = as_boss(lambda: add_claim(store, CLAIM, actor="")).uid
    return lambda: add_evidence(store, NewEvidence(uid, "within-noise"), actor="")


def _deleted(store: Store, me: Trier) -> str:
    as_boss(lambda: bring(store, f"for {me.who}"))
    return str(as_boss(lambda: lifecycle.delete(store, "system", f"for {me.who}", actor="")))


def _restore(store: Store, me: Trier) -> Work:
    uid = _deleted(store, me)
    return lambda: lifecycle.restore(store, "system", uid, actor="")


def _purge(store: Store, me: Trier) -> Work:
    uid = _deleted(store, me)
    return lambda: lifecycle.purge(store, "system", uid, actor="")


def _revoke(owner: str | None) -> Callable[[Store, Trier], Work]:
    def prepare(store: Store, me: Trier) -> Work:
        whose = owner or me.brings.name
        uid = as_boss(lambda: add_token(store, "x", actor="", owner=whose))[0].uid
        return lambda: revoke_token(store, uid, actor="")

    return prepare


def _put_gold(store: Store, _: Trier) -> Work:
    values = np.array([[5.0, float("nan"), float("nan"), float("nan")]])
    said: dict[str, Any] = {"source": "human", "systems": ["A"], "values": values}
    return lambda: gold.put_gold(store, "qa", "mqm", rule="of somebody", actor="", **said)


def _weights(store: Store, _: Trier) -> Work:
    wanted = {"Major": 10.0, "Minor": 1.0}
    return lambda: change_weights.change_weights(store, "qa", "mqm", wanted, actor="")


def _view(store: Store, _: Trier) -> Work:
    return lambda: save_view(store, "v", place="board", query="", answer="", actor="")


def _overlap(store: Store, me: Trier) -> Work:
    as_boss(lambda: bring(store, f"for {me.who}", f"twin of {me.who}"))
    return lambda: declare_overlap(store, "news", f"twin of {me.who}", "shared-items", actor="")


def _simply(do: Callable[..., object], *given: object, **more: object) -> Callable[..., Work]:
    return lambda store, _: lambda: do(store, *given, actor="", **more)


SYSTEM: Final = ("system", "there")
ROWS: Final = (
    Row("import results", (ingest_all,), lambda s, _: lambda: bring(s)),
    Row("import claims", (import_claims,), _claims_file),
    Row("undo an own import", (undo,), _undo_own, is_own=True),
    Row("undo another's import", (undo,), _undo_others),
    Row("keep an answer", (remember_answers,), _simply(remember_answers, {"what": "this"})),
    Row("forget an answer", (forget_answer,), _forget_answer),
    Row("tag or pin", (tags.add_tag,), _simply(tags.add_tag, *SYSTEM, "x")),
    Row("take a tag away", (tags.remove_tag,), _untag),
    Row("note", (tags.add_note,), _simply(tags.add_note, *SYSTEM, "hm")),
    Row("edit an own note", (tags.edit_note,), _own_note(tags.edit_note, "x"), is_own=True),
    Row("edit another's note", (tags.edit_note,), _others_note(tags.edit_note, "x")),
    Row("remove an own note", (tags.remove_note,), _own_note(tags.remove_note), is_own=True),
    Row("remove another's note", (tags.remove_note,), _others_note(tags.remove_note)),
    Row("save a view", (save_view,), _view),
    Row("forget an own view", (forget_view,), _forget_view, is_own=True),
    Row("forget another's view", (forget_view,), _forget_others_view),
    Row("rename", (naming.rename,), _simply(naming.rename, *SYSTEM, "here")),
    Row("give another name", (naming.add_alias,), _simply(naming.add_alias, "there", "here")),
    Row("take a name away", (naming.remove_alias,), _unalias),
    Row("merge two systems", (naming.merge_systems,), _merge),
    Row("separate them again", (naming.separate,), _separate),
    Row("merge two datasets", (merge_datasets,), _merge_datasets),
    Row("separate datasets again", (separate_datasets,), _separate_datasets),
    Row("state a claim", (add_claims,), _simply(add_claim, CLAIM)),
    Row("judge a claim", (add_all_evidence,), _evidence),
    Row("weigh errors otherwise", (change_weights.change_weights,), _weights),
    Row("write a gold", (gold.put_gold,), _put_gold),
    Row("seal a dataset", (lifecycle.seal_dataset,), _simply(lifecycle.seal_dataset, "news")),
    Row("declare an overlap", (declare_overlap,), _overlap),
    Row("delete", (lifecycle.delete,), _simply(lifecycle.delete, *SYSTEM)),
    Row("restore", (lifecycle.restore,), _restore),
    Row("purge", (lifecycle.purge,), _purge),
    Row("remove old texts", (remove_old_texts,), _simply(remove_old_texts, days=1)),
    Row("make a backup", (keep_backup,), _simply(keep_backup)),
    Row("change a setting", (change_setting,), _simply(change_setting, "alpha", "0.01")),
    Row("remove a person's name", (remove_person,), _simply(remove_person, "cyn@example.org")),
    Row("make an own token", (add_token,), _simply(add_token, "x")),
    Row("make another's token", (add_token,), _simply(add_token, "x", owner="cyn@example.org")),
    Row("revoke an own token", (revoke_token,), _revoke(None), is_own=True),
    Row("revoke another's token", (revoke_token,), _revoke("boss")),
)


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


UPLOAD: Final = ("PUT", "/_stcore/upload_file/session/file")
BODY: Final = {
    "dataset": "news",
    "records": [{"system": "mine", "item": f"q{i}", "accuracy": i - 1} for i in (1, 2)],
}
COOKIE: Final = "_streamlit_user=2|1:0|10:1|a; tiebreak_back=/"
FOREIGN: Final = {"Origin": "https://evil.example"}
SIGNED_IN: Final = {HEADER: "ann@example.org", "Cookie": COOKIE}


def _bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


FORGED: Final[Mapping[str, Callable[[Mapping[str, str]], dict[str, Any]]]] = {
    "from this machine, without a token": lambda _: {},
    "by an admin's browser, with its cookies": lambda _: {"headers": SIGNED_IN},
    "by a page of another site, with an admin's cookies": lambda _: {
        "headers": SIGNED_IN | FOREIGN
    },
    "by a page of another site, with a good token": lambda t: {
        "headers": _bearer(t["to write"]) | FOREIGN
    },
    "a good token in the address": lambda t: {"params": {"token": t["to write"]}},
    "a good token in a cookie": lambda t: {"headers": {"Cookie": f"token={t['to write']}"}},
    "a guessed token": lambda _: {"headers": _bearer("tb_guessed")},
    "a password": lambda _: {"headers": {"Authorization": "Basic YW5uOmI="}},
    "a token to read": lambda t: {"headers": _bearer(t["to read"])},
    "a token for another dataset": lambda t: {"headers": _bearer(t["another dataset"])},
    "an expired token": lambda t: {"headers": _bearer(t["expired"])},
    "a revoked token": lambda t: {"headers": _bearer(t["revoked"])},
    "a token whose owner has no role any more": lambda t: {"headers": _bearer(t["its owner left"])},
    "a token whose owner may only look": lambda t: {"headers": _bearer(t["its owner looks"])},
    "a good key of another's request, with a token to read": lambda t: {
        "headers": _bearer(t["to read"]) | {"Idempotency-Key": "used"}
    },
    "an own key again, with a revoked token": lambda t: {
        "headers": _bearer(t["revoked"]) | {"Idempotency-Key": "used"}
    },
    "an own key again, with another body": lambda t: {
        "headers": _bearer(t["of an admin"]) | {"Idempotency-Key": "used"},
        "json": BODY | {"run": "other"},
    },
    "as somebody else, in the body": lambda t: {
        "headers": _bearer(t["to write"]),
        "json": BODY | {"actor": "ann@example.org"},
        "params": {"actor": "ann@example.org"},
    },
}
"""Request that must come to nothing -> tokens -> what is sent."""
OWN: Final = {
    ("by an admin's browser, with its cookies", " ".join(UPLOAD)),
    ("an own key again, with another body", "POST /imports/{uid}/undo"),
}
"""What is nothing forged: an admin's own upload; an own import, where keys count for nothing."""


def forged_places() -> list[tuple[str, str]]:
    """Return method and path of every place of the API, each with methods that could write."""
    from dashboard.api.app import make

    paths = [route.path for route in make().routes]  # type: ignore[attr-defined]
    return [(method, path) for path in paths for method in ("POST", "DELETE")]


def try_forged(folder: Path) -> dict[tuple[str, str], int]:
    """Return (how it was forged, place) -> status; an `AssertionError` where something changed."""
    with (
        house(folder) as (template, secrets),
        open_store(template) as store,
        mock.patch.dict(os.environ, {"TIEBREAK_STORE": str(template)}),
    ):
        return asyncio.run(_forged(store, secrets))


async def _forged(store: Store, tokens: Mapping[str, str]) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    app = Starlette(routes=routes(), middleware=[Middleware(Guard)])
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 9))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        used = _bearer(tokens["of an admin"]) | {"Idempotency-Key": "used"}
        first = await client.post(f"{PREFIX}/ingest", json=BODY, headers=used)
        first.raise_for_status()  # so an honest request goes in
        uid = first.json()["result"]["import"]
        before = store.last_change()
        for how, make in FORGED.items():
            for method, path in [*forged_places(), UPLOAD]:
                place = f"{method} {path}"
                if (how, place) not in OWN:
                    sent: dict[str, Any] = {"json": BODY} | make(tokens)
                    at = path.replace("{uid}", uid).replace("{question:path}", "rename")
                    at = at if (method, path) == UPLOAD else PREFIX + at
                    answer = await client.request(method, at, **sent)
                    found[how, place] = answer.status_code
            if store.last_change() != before:
                raise AssertionError(f"{how}: something was written")
    return found


def table(tried: Mapping[tuple[str, str], str]) -> str:
    """Return what came of the write functions, as a table."""
    return _table(
        ("", *WHO),
        [(row.what, *(tried[row.what, who] for who in WHO)) for row in ROWS],
    )


def forged_table(found: Mapping[tuple[str, str], int]) -> str:
    """Return what came of the forged requests, as a table."""
    writes = ("POST /ingest", "POST /imports/{uid}/undo", " ".join(UPLOAD))
    rows = []
    for how in FORGED:
        cells = [str(found.get((how, place), "")) for place in writes]
        rest = {n for (one, place), n in found.items() if one == how and place not in writes}
        rows.append((how, *cells, ", ".join(map(str, sorted(rest)))))
    return _table(("", "ingest", "undo", "a page's upload", "all else"), rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def told(tried: Mapping[tuple[str, str], str], found: Mapping[tuple[str, str], int]) -> str:
    """Return the section of the page."""
    return f"""{BEGIN}
## Who may write what

Made by `make rights`: each write function is called for each person by a page, and for each token
by the API, as if both had forgotten to ask for the role. What is refused leaves the store as it
was. A write function or a place of the API that is not tried fails a test.

{table(tried)}

People come to pages, tokens over HTTP. The tokens are those of a contributor, where nothing else
is stated. Whoever holds the store's file may do everything.

Requests that are forged get these statuses, wherever they go. None changes anything.

{forged_table(found)}
{END}"""


def main() -> None:
    """Try everything; write what came of it into the page."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        section = told(try_all(Path(one)), try_forged(Path(two)))
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    PAGE.write_text(head.rstrip() + "\n\n" + section + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
