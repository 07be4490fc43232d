"""The storage contract (`store.backends`), line by line, on SQLite and on PostgreSQL."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import numpy as np
import pytest
import sqlalchemy as sa

from store.arrays import load_matrix
from store.backup import check
from store.claims import NewClaim, add_claim, list_claims
from store.engine import Store, open_store
from store.errors import ConflictError, ReadOnlyError
from store.importers.bundle import BundleItem, BundleMetric, BundleRun, BundleScores
from store.imports import undo
from store.ingest import ingest
from store.lifecycle import delete, purge, restore
from store.metrics import list_metrics
from store.models import AnalysisResult, AuditEvent, ItemText, Metric, Run, ScoreVector, System
from store.naming import merge_systems, rename
from store.results_cache import load_result, save_result
from store.runs import list_runs
from store.systems import list_systems
from store.tags import add_note, add_tag, list_notes
from store.texts import load_texts
from store.tokens import add_token, list_tokens, person_of
from store.views import list_views, save_view


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def location(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], str]:
    """Return a function that makes another place for a store with nothing in it."""
    if request.param == "postgresql":
        return request.getfixturevalue("new_address")

    def make() -> str:
        path = tmp_path_factory.mktemp("contract") / "s.db"
        open_store(path, create=True).close()
        return str(path)

    return make


@pytest.fixture
def store(location: Callable[[], str]) -> Iterator[Store]:
    with open_store(location()) as opened:
        yield opened


def _column(store: Store, column: sa.orm.InstrumentedAttribute) -> list:
    with store.read() as connection:
        return list(connection.scalars(sa.select(column).order_by(column.class_.id)))


def test_text_of_any_length_and_character_comes_back_and_sorts_by_code_point(store):
    names = ["a", "B", "ä", "Z", "é", "e\u0301", "数据", "🙂", "b" * 900, "10", "9", "_", " x"]
    texts = ["nul \0 in it", "\ue000", "\ue0000", "\0\ue000\0", "a\r\nb\u2028", "x" * 100_000, ""]
    with store.write("t") as change:
        change.session.add_all([System(name=name) for name in names])
        change.session.flush()
        change.session.execute(
            sa.insert(AuditEvent),
            [{"actor": t, "action": "note", "target_kind": "x", "detail": {t: t}} for t in texts],
        )
    with store.read() as connection:
        by_name = connection.scalars(sa.select(System.name).order_by(System.name)).all()
        lower = connection.scalar(sa.select(sa.func.lower(sa.literal("ÄAZ"))))
        largest = connection.scalar(sa.select(sa.func.max(System.name)))
        found = connection.scalars(sa.select(AuditEvent.actor).where(AuditEvent.actor == texts[0]))
        assert found.all() == texts[:1]
    assert by_name == sorted(names)
    assert (lower, largest) == ("Äaz", max(names))
    assert _column(store, AuditEvent.actor) == texts
    assert _column(store, AuditEvent.detail) == [{text: text} for text in texts]


def test_names_that_differ_in_capitals_only_keep_one_order(store, bundle):
    metrics = [BundleMetric("F1", str(n), higher_is_better=True) for n in (2, 0, 1)]
    metrics += [BundleMetric("f1", higher_is_better=True)]
    made = BundleRun("b", 0, scores=[BundleScores(n, np.ones((1, 1))) for n in range(4)])
    ingest(store, bundle([made], metric=metrics, keys=["i"]), actor="t")
    with store.write("t") as change:  # a row that is changed moves to the end on PostgreSQL
        change.session.execute(sa.update(Metric).where(Metric.id == 1).values(lower=0.0))
        change.session.add_all([System(name=name) for name in ("B", "a", "A")])
        change.session.flush()
        change.session.execute(sa.update(System).where(System.name == "b").values(name="B\u0301"))
    assert [m.signature for m in list_metrics(store)] == ["2", "0", "1", ""]
    assert [s.name for s in list_systems(store)] == ["A", "a", "B", "B\u0301"]


def test_half_a_character_is_refused_and_nothing_written(store):
    with pytest.raises(UnicodeEncodeError), store.write("t") as change:
        change.session.add(AuditEvent(actor="\ud800", action="n", target_kind="x", detail={}))
    assert store.last_change() == 0


def test_numbers_come_back_bit_for_bit(store, bundle):
    floats = [0.1, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, 1 / 3, 1e-5, 2.0**53 + 1]
    payload = struct.pack("<QQdd", 0x7FF8000000000BAD, 0x8000000000000000, math.inf, -5e-324)
    ingest(store, bundle({"A": [1.0, 0.0]}), actor="t")
    whole = [2**63 - 1, -(2**63), 0, 2**31]
    with store.write("t") as change:
        session = change.session
        one = session.scalars(sa.select(ScoreVector)).one()
        shared = {"run_id": one.run_id, "metric_id": one.metric_id, "chain_hash": "", "digest": ""}
        sizes = {"n_items": 10**12, "n_components": 1, "n_scored": 0, "data": payload}
        for trial, value in enumerate([*floats, math.nan, -0.0, None], start=1):
            session.add(ScoreVector(**shared, **sizes, trial=trial, value=value))
        run = session.scalars(sa.select(Run)).one()
        for number, seed in enumerate(whole):
            session.add(
                Run(
                    system_id=run.system_id,
                    dataset_id=run.dataset_id,
                    ingest_id=run.ingest_id,
                    label=str(number),
                    seed=seed,
                )
            )
    values = _column(store, ScoreVector.value)[1:]
    assert values[: len(floats)] == floats
    assert values[-3] is None
    assert math.copysign(1.0, values[-2]) == 1.0
    assert values[-1] is None
    assert _column(store, ScoreVector.data)[1:] == [payload] * 11
    assert _column(store, ScoreVector.n_items)[1:] == [10**12] * 11
    assert _column(store, Run.seed)[1:] == whole


def test_json_is_the_text_that_was_written(store):
    detail = {
        "z": 1,
        "a": [0.1, 1e300, 2**70, None, True],
        "": {"\0\ud800": "é🙂"},
        "inf": math.inf,
    }
    with store.write("t") as change:
        change.record("note", "x", **{"": detail})
    [found] = _column(store, AuditEvent.detail)
    assert found == {"": detail}
    assert list(found[""]) == list(detail)


def test_a_change_is_whole_or_not_at_all_and_readers_see_one_state(store, bundle):
    count = sa.select(sa.func.count()).select_from(System)
    with pytest.raises(RuntimeError), store.write("t") as change:  # noqa: PT012
        change.session.add(System(name="A"))
        change.session.flush()
        raise RuntimeError
    with store.write("t", dry_run=True) as change:
        change.session.add(System(name="B"))
        change.record("note", "x")
    assert (list_systems(store), store.last_change()) == ([], 0)
    with store.read() as connection:
        assert connection.scalar(count) == 0
        ingest(store, bundle({"A": [1.0]}), actor="t")
        assert connection.scalar(count) == 0
    with store.read() as connection:
        assert connection.scalar(count) == 1
    with pytest.raises(ReadOnlyError), store.read() as connection:
        connection.execute(sa.insert(System).values(name="C", uid="x"))


def test_ids_are_given_once_and_children_go_with_their_parents(store, bundle):
    ingest(store, bundle({"A": [1.0, 0.0], "B": [1.0, 1.0]}), actor="t")
    with store.write("t") as change:
        last = change.session.scalar(sa.select(sa.func.max(System.id)))
        change.session.execute(sa.delete(System).where(System.id == last))
        added = System(name="C")
        change.session.add(added)
        change.session.flush()
        assert added.id > last
    assert len(_column(store, ScoreVector.id)) == len(_column(store, Run.id)) == 1
    with pytest.raises(sa.exc.IntegrityError), store.write("t") as change:
        change.session.execute(sa.insert(ItemText).values(item_id=999_999))


def test_writers_wait_for_one_another_and_lose_nothing(store, bundle):
    n_writers, n_each = 4, 4

    def bring(writer: int) -> None:
        for number in range(n_each):
            name = f"{writer}-{number}"
            ingest(store, bundle({name: [1.0, 0.0]}, path=f"{name}.csv"), actor="t")
            list_runs(store)

    with ThreadPoolExecutor(n_writers) as pool:
        list(pool.map(bring, range(n_writers)))
    assert len(list_runs(store)) == n_writers * n_each
    assert len({run.uid for run in list_runs(store)}) == n_writers * n_each
    assert check(store) == []


def test_what_can_be_computed_again_waits_for_nobody(store):
    with store.write("t") as change:
        change.session.add(System(name="A"))
        change.session.flush()
        assert not save_result(store, "k", b"1", question="q")
    assert save_result(store, "k", b"\0\xff", question="q", arguments={"x": math.nan})
    assert load_result(store, "k") == b"\0\xff"
    assert len(_column(store, AnalysisResult.id)) == 1


def test_everything_that_is_kept_can_be_changed_and_taken_back(store, bundle, run, rated, compared):
    items = [BundleItem("i0", input_text="2+2?"), BundleItem("i1", group="g")]
    runs = [run(n, s, outputs={0: ["4", None]}) for n, s in {"A": [1, 0], "B": [0, 1]}.items()]
    for one in (bundle(runs, items=items), rated(("ann", 0, "A", 3.0)), compared()):
        ingest(store, one, actor="t")
    ingest(store, compared(("ann", 1, "A", "B", "first"), annotators={"ann": "human"}), actor="t")
    add_claim(store, NewClaim("A", "qa", "score", 0.5, date(2024, 5, 1), "paper"), actor="t")
    add_tag(store, "system", "A", "mine", actor="t")
    add_note(store, "system", "A", "look\nhere", actor="t")
    save_view(store, "v", place="leaderboard", query="dataset=qa", answer="A leads.", actor="t")
    _, secret = add_token(store, "robot", actor="t")

    def facts() -> tuple:
        return (
            [(s.name, s.tags) for s in list_systems(store)],
            [(r.system, r.dataset, r.label) for r in list_runs(store)],
            load_matrix(store, "qa", "score").scores[:, :2].tolist(),
            [(c.system, c.value) for c in list_claims(store)],
            [n.text for n in list_notes(store, "system", list_systems(store)[0].uid)],
            [v.name for v in list_views(store)],
        )

    before = facts()
    text = load_texts(store, "qa", [0], max_characters=2)[0]
    assert (text.input_text, text.is_cut) == ("2+", True)
    assert person_of(store, secret) is not None
    assert list_tokens(store)[0].last_used_at is not None
    again = bundle({"A": [0.0, 0.25], "D": [0.5, 1.0]}, keys=["i0", "i1"], path="2.csv")
    replaced = ingest(store, again, actor="t", replace=True)
    assert [s.name for s in list_systems(store)] == ["A", "B", "D"]
    assert load_matrix(store, "qa", "score").scores[:, :2].tolist() == [
        [[0.0], [0.25]],
        [[0.0], [1.0]],
        [[0.5], [1.0]],
    ]
    undo(store, replaced.import_uid, actor="t")
    assert facts() == before
    hidden = delete(store, "system", "A", actor="t")
    assert [s.name for s in list_systems(store)] == ["B"]
    restore(store, "system", hidden, actor="t")
    assert facts() == before
    rename(store, "system", "B", "B2", actor="t")
    ingest(store, bundle({"C": [1.0, 1.0]}, dataset="other"), actor="t")
    merge_systems(store, "C", "B2", actor="t")
    assert [r.system for r in list_runs(store)].count("B2") >= 2
    delete(store, "system", "A", actor="t")
    purge(store, "system", hidden, actor="t")
    assert [s.name for s in list_systems(store)] == ["B2"]
    with pytest.raises(ConflictError):
        ingest(store, bundle({"B2": [0.5, 0.5]}, keys=["i0", "i1"]), actor="t")
    assert check(store) == []
