"""Each role tries each write function; docs/people_and_machines.md holds what came of it."""

from pathlib import Path

import pytest

from store import naming, tags
from store.claim_records import NewClaim
from store.claims import add_claim
from store.engine import open_store
from store.errors import ForbiddenError
from store.import_answers import forget_answer, remember_answers
from store.importers.logged import LoggedRun
from store.imports import undo
from store.ingest import ingest
from store.lifecycle import delete, purge, restore, seal_dataset
from store.model_base import utc_now
from store.people import ROLES, Person, acting_as
from store.settings import change_setting
from store.tokens import add_token, person_of, revoke_token
from store.views import forget_view, save_view

DOCUMENT = Path(__file__).parents[2] / "docs" / "people_and_machines.md"
FILE_HOLDER = Person("boss", "admin", "command")


def brought(store, who, system="mine"):
    scores = {"accuracy": {"q1": 1.0, "q2": 0.0}}
    with acting_as(who):
        bundle = LoggedRun(system, "news", "", "", 0, scores).bundle(None)
        return ingest(store, bundle, actor="").import_uid


def as_boss(store, work):
    with acting_as(FILE_HOLDER):
        return work(store)


def deleted(store):
    return as_boss(store, lambda s: delete(s, "system", "there", actor=""))


CLAIM = NewClaim("there", "news", "accuracy", 0.5, utc_now(), "a paper")
WAYS = {
    "import results": lambda s, me: lambda: brought(s, me),
    "undo an own import": lambda s, me: (
        lambda uid: lambda: undo(s, uid, actor="")
    )(brought(s, FILE_HOLDER if me.role == "viewer" else me)),
    "undo another's import": lambda s, me: (
        lambda uid: lambda: undo(s, uid, actor="")
    )(brought(s, FILE_HOLDER)),
    "keep or forget an answer": lambda s, me: lambda: (
        remember_answers(s, {"what": "this"}, actor=""),
        forget_answer(s, "what", actor=""),
    ),
    "tag, pin, note": lambda s, me: lambda: (
        tags.add_tag(s, "system", "there", "x", actor=""),
        tags.remove_tag(s, "system", "there", "x", actor=""),
        tags.add_note(s, "system", "there", "hm", actor=""),
    ),
    "save and forget an own view": lambda s, me: lambda: forget_view(
        s, save_view(s, "v", place="board", query="", answer="", actor="").uid, actor=""
    ),
    "rename": lambda s, me: lambda: naming.rename(s, "system", "there", "here", actor=""),
    "state a claim": lambda s, me: lambda: add_claim(s, CLAIM, actor=""),
    "seal a dataset": lambda s, me: lambda: seal_dataset(s, "news", actor=""),
    "delete": lambda s, me: lambda: delete(s, "system", "there", actor=""),
    "restore": lambda s, me: (
        lambda uid: lambda: restore(s, "system", uid, actor="")
    )(deleted(s)),
    "purge": lambda s, me: (lambda uid: lambda: purge(s, "system", uid, actor=""))(deleted(s)),
    "change a setting": lambda s, me: lambda: change_setting(s, "alpha", "0.01", actor=""),
    "make an own token": lambda s, me: lambda: add_token(s, "x", actor=""),
    "make another's token": lambda s, me: lambda: add_token(s, "x", actor="", owner="ann"),
    "revoke another's token": lambda s, me: (
        lambda uid: lambda: revoke_token(s, uid, actor="")
    )(as_boss(s, lambda s: add_token(s, "x", actor=""))[0].uid),
}  # fmt: skip


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """Return (what, who) -> yes or no, each tried on a store of its own."""
    found = {}
    for number, (what, prepare) in enumerate(WAYS.items()):
        for who in (*ROLES, "token to read", "token to write"):
            path = tmp_path_factory.mktemp("rights") / f"{number}.db"
            with open_store(path, create=True) as store:
                brought(store, FILE_HOLDER, "there")
                person = Person("me", who, "page") if who in ROLES else a_token(store, who)
                work = prepare(store, person)
                before = store.last_change()
                with acting_as(person):
                    try:
                        work()
                    except ForbiddenError:
                        found[what, who] = "no"
                        assert store.last_change() == before, "refused, and yet written"
                    else:
                        found[what, who] = "yes"
    return found


def a_token(store, who):
    scope = who.rpartition(" ")[2]
    secret = as_boss(store, lambda s: add_token(s, "x", actor="", scope=scope, owner="me"))[1]
    return person_of(store, secret)


def test_the_table_of_rights_is_what_came_of_trying(tried):
    heads = (*ROLES, "token to read", "token to write")
    table = [f"| | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    table += [f"| {what} | {' | '.join(tried[what, who] for who in heads)} |" for what in WAYS]
    said = "\n".join(table)
    assert said in DOCUMENT.read_text(encoding="utf-8"), f"write this into it:\n\n{said}"


def test_a_viewer_and_a_token_to_read_change_nothing(tried):
    assert {tried[what, who] for what in WAYS for who in ("viewer", "token to read")} == {"no"}
    assert {tried[what, "admin"] for what in WAYS} == {"yes"}
