"""The writes that are tried, each with what must be there before."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.rights.house import FILE_HOLDER, SYSTEM, Work, as_boss, bring
from store import change_weights, gold, lifecycle, naming, tags
from store.backup import keep_backup
from store.claim_evidence import add_all_evidence, add_evidence
from store.claim_records import NewClaim, NewEvidence
from store.claims import add_claim, add_claims
from store.dataset_merging import merge_datasets, separate_datasets
from store.dataset_relations import declare_overlap
from store.engine import Store
from store.history import list_events
from store.import_answers import forget_answer, remember_answers
from store.importers.claims import read_claims
from store.imports import undo
from store.ingest import ingest_all
from store.ingest.claims import import_claims
from store.known_people import remove_person
from store.metric_cards import set_metric
from store.model_base import utc_now
from store.people import Person, acting_as
from store.repeats import set_repeats
from store.retention import remove_old_texts
from store.settings import change_setting
from store.tokens import add_token, revoke_token
from store.views import forget_view, save_view


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
    Row("set a metric", (set_metric,), _simply(set_metric, "accuracy", {"unit": "share"})),
    Row("say what trials are", (set_repeats,), _simply(set_repeats, "talks", "seeds")),
    Row("change a setting", (change_setting,), _simply(change_setting, "alpha", "0.01")),
    Row("remove a person's name", (remove_person,), _simply(remove_person, "cyn@example.org")),
    Row("make an own token", (add_token,), _simply(add_token, "x")),
    Row("make another's token", (add_token,), _simply(add_token, "x", owner="cyn@example.org")),
    Row("revoke an own token", (revoke_token,), _revoke(None), is_own=True),
    Row("revoke another's token", (revoke_token,), _revoke("boss")),
)
