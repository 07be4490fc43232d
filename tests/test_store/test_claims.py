"""The ledger of claims, its evidence, files of claims, and the dated scores of a dataset."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store import claim_evidence
from store.claim_evidence import (
    add_all_evidence,
    add_evidence,
    list_changed_verdicts,
    list_evidence,
)
from store.claim_records import NewClaim, NewEvidence
from store.claims import add_claim, add_claims, get_claim, list_claims
from store.dated_scores import list_dated_scores
from store.engine import open_store
from store.errors import (
    ConflictError,
    ImportFormatError,
    NotFoundError,
    ReadOnlyError,
    StoreError,
)
from store.history import list_events
from store.import_lists import list_imports
from store.importers.bundle import BundleMetric, BundleReportedScore, Provenance, ReadOptions
from store.importers.claims import read_claims
from store.importers.detect import read_paths
from store.imports import show_import, undo
from store.ingest import ingest
from store.ingest.claims import import_claims
from store.lifecycle import delete, purge, restore
from store.reported import list_reported_scores
from store.runs import list_runs
from store.systems import get_system

DAY = datetime(2024, 5, 1, tzinfo=UTC)
VERDICTS = ("supported", "within-noise", "underpowered", "unverifiable", "contradicted")


@pytest.fixture
def filled(store, bundle):
    """Return a store with systems A and B, dataset qa (version 2) and a bounded metric."""
    metric = BundleMetric("acc", higher_is_better=True, unit="proportion")
    sent = bundle({"A": [1.0, 0.0], "B": [1.0, 1.0]}, version="2", metric=metric)
    ingest(store, sent, actor="t")
    return store


def claim(value: float = 0.75, **more) -> NewClaim:
    said = {"system": "A", "dataset": "qa", "metric": "acc", "claimed_on": DAY, "source": "paper"}
    return NewClaim(**(said | {"value": value} | more))


def test_add_claim_keeps_what_was_said(filled):
    made = add_claim(
        filled,
        claim(quote=" a new state of the art ", source_url="https://x.org", printed="75.0%"),
        actor="ada",
    )
    assert (made.system, made.dataset, made.metric) == ("A", "qa (2)", "acc")
    assert (made.value, made.claimed_on, made.source) == (0.75, DAY, "paper")
    assert (made.quote, made.source_url) == ("a new state of the art", "https://x.org")
    assert (made.tier, made.origin, made.actor) == ("reported", "hand", "ada")
    assert (made.verdict, made.audited_at, made.n_audits) == (None, None, 0)
    assert get_claim(filled, made.uid) == made
    assert json.loads(json.dumps(made.to_dict()))["claimed_on"] == "2024-05-01T00:00:00+00:00"
    event = list_events(filled, target_uid=made.uid)[0]
    assert (event.action, event.target_kind, event.actor) == ("create", "claim", "ada")
    assert event.detail == {"value": 0.75, "claimed_on": DAY.isoformat(), "source": "paper"}


def test_add_claim_twice_is_once(filled, contents):
    first = add_claim(filled, claim(quote="best"), actor="t")
    before = contents(filled)
    assert add_claim(filled, claim(quote="best"), actor="t") == first
    assert add_claim(filled, claim(dataset="qa@2"), actor="t") == first
    assert contents(filled) == before


def test_add_claim_never_rewrites_a_quote(filled, contents):
    add_claim(filled, claim(quote="best"), actor="t")
    before = contents(filled)
    with pytest.raises(ConflictError) as raised:
        add_claim(filled, claim(quote="by far the best"), actor="t")
    assert str(raised.value) == (
        "The ledger holds the claim of 0.75 from 'paper' already, with another quote: 'best'. "
        "Claims are never rewritten: name the source more exactly (page, table, version)."
    )
    assert contents(filled) == before


def test_add_claim_keeps_different_statements_of_one_source(filled):
    for said in (
        *(claim(0.75), claim(0.5), claim(system="B")),
        *(claim(claimed_on=DAY + timedelta(days=1)), claim(source="other")),
    ):
        add_claim(filled, said, actor="t")
    assert len(list_claims(filled)) == 5


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"value": float("nan")}, "`value` must be a finite number, got nan"),
        ({"value": float("inf")}, "`value` must be a finite number, got inf"),
        ({"value": 75.0}, r"`value` of 'acc': 75 is outside 0..1; is it a percentage"),
        ({"value": -0.5}, r"`value` of 'acc': -0.5 is outside 0..1"),
        ({"source": "  "}, "`source` must say in 1 to 1000 characters"),
        ({"source": "x" * 1001}, "`source` must say in 1 to 1000 characters"),
        ({"claimed_on": datetime(2999, 1, 1, tzinfo=UTC)}, "`claimed_on` must not lie in the fut"),
        ({"tier": "proved"}, "`tier` must be one of reported, reproduced, contradicted, got 'pro"),
        ({"origin": "dream"}, "`origin` must be one of hand, file, found, got 'dream'"),
    ],
)
def test_add_claim_refuses_what_cannot_be(filled, contents, more, words):
    before = contents(filled)
    with pytest.raises(StoreError, match=words):
        add_claim(filled, claim(**more), actor="t")
    assert contents(filled) == before


@pytest.mark.parametrize("name", ["system", "dataset", "metric"])
def test_add_claim_makes_no_system_dataset_or_metric(filled, name):
    with pytest.raises(NotFoundError, match=f"There is no {name} 'zzz'"):
        add_claim(filled, claim(**{name: "zzz"}), actor="t")


def test_add_claim_takes_a_day_as_utc(filled):
    assert add_claim(filled, claim(claimed_on=date(2024, 5, 1)), actor="t").claimed_on == DAY


def test_add_claim_about_a_run_needs_a_run_of_the_system(filled):
    runs = {run.system: run.uid for run in list_runs(filled)}
    made = add_claim(filled, claim(run=runs["A"], origin="found"), actor="t")
    assert (made.run_uid, made.origin) == (runs["A"], "found")
    with pytest.raises(StoreError, match=r"`run` '\w+' is not a run of 'A' on 'qa'"):
        add_claim(filled, claim(0.5, run=runs["B"]), actor="t")
    with pytest.raises(NotFoundError, match="There is no run 'zzz'"):
        add_claim(filled, claim(0.5, run="zzz"), actor="t")


def test_add_claims_is_all_or_nothing(filled, contents):
    before = contents(filled)
    with pytest.raises(NotFoundError):
        add_claims(filled, [claim(), claim(system="zzz")], actor="t")
    assert contents(filled) == before


def test_add_claim_needs_a_store_that_can_be_written(filled):
    store = open_store(filled.path, read_only=True)
    with pytest.raises(ReadOnlyError):
        add_claim(store, claim(), actor="t")
    store.close()


def test_list_claims_goes_by_date_and_filters(filled):
    later = claim(claimed_on=DAY + timedelta(days=9))
    earlier = claim(system="B", claimed_on=DAY - timedelta(days=9))
    given = add_claims(filled, [later, claim(), earlier], actor="t")
    assert list_claims(filled) == given[::-1]
    assert list_claims(filled, system_uid=get_system(filled, "B").uid) == [given[2]]
    assert list_claims(filled, dataset_uid=given[0].dataset_uid) == given[::-1]
    assert list_claims(filled, metric_uid="none") == []


def test_claims_of_the_deleted_hide_and_come_back(filled):
    made = add_claim(filled, claim(), actor="t")
    uid = delete(filled, "system", "A", actor="t")
    assert list_claims(filled) == []
    with pytest.raises(NotFoundError, match=f"There is no claim '{made.uid}'"):
        get_claim(filled, made.uid)
    restore(filled, "system", uid, actor="t")
    assert list_claims(filled) == [made]


def test_claim_outlives_its_run_but_not_its_purged_system(filled, contents):
    run = next(run for run in list_runs(filled) if run.system == "A")
    made = add_claim(filled, claim(run=run.uid), actor="t")
    add_evidence(filled, NewEvidence(made.uid, "supported"), actor="t")
    delete(filled, "run", run.uid, actor="t")
    assert get_claim(filled, made.uid).run_uid is None
    purge(filled, "run", run.uid, actor="t")
    assert get_claim(filled, made.uid).verdict == "supported"
    purge(filled, "system", delete(filled, "system", "A", actor="t"), actor="t")
    rows = contents(filled)
    assert (rows["claim"], rows["claim_evidence"]) == ([], [])


def test_add_evidence_gives_the_verdict_and_keeps_those_before(filled, contents):
    uid = add_claim(filled, claim(), actor="t").uid
    figures = {"gain": 0.02, "interval": [0.0, float("nan")], "power": float("inf"), "n": 500}
    first = add_evidence(
        filled,
        NewEvidence(uid, "underpowered", figures, "reproduced", "t|n:2", "f" * 64),
        actor="a",
    )
    assert first.figures == {"gain": 0.02, "interval": [0.0, None], "power": None, "n": 500}
    before = contents(filled)["claim_evidence"]
    second = add_evidence(filled, NewEvidence(uid, "supported"), actor="b")
    assert contents(filled)["claim_evidence"][:1] == before
    assert list_evidence(filled, uid) == [first, second]
    now = get_claim(filled, uid)
    assert (now.verdict, now.n_audits, now.audited_at) == ("supported", 2, second.created_at)
    assert (now.tier, now.fingerprint) == ("reproduced", "")  # the second audit left the tier
    events = [e for e in list_events(filled, target_uid=uid) if e.action == "audit"]
    assert [(e.actor, e.detail) for e in events] == [
        ("b", {"verdict": "supported", "before": "underpowered"}),
        ("a", {"verdict": "underpowered", "before": None}),
    ]


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (
            NewEvidence("", "true"),
            "`verdict` must be one of supported, within-noise, .* got 'true'",
        ),
        (NewEvidence("", "supported", tier="x"), "`tier` must be one of reported, .*, got 'x'"),
        (
            NewEvidence("", "supported", {"gain": object()}),
            "`figures` must hold what JSON can hold",
        ),
    ],
)
def test_add_evidence_refuses_what_cannot_be(filled, contents, evidence, words):
    uid = add_claim(filled, claim(), actor="t").uid
    before = contents(filled)
    bad = NewEvidence(uid, evidence.verdict, evidence.figures, evidence.tier)
    with pytest.raises(StoreError, match=words):
        add_all_evidence(filled, [NewEvidence(uid, "supported"), bad], actor="t")
    assert contents(filled) == before


def test_evidence_of_no_claim_is_not_found(filled):
    words = "There is no claim 'zzz' in the ledger"
    with pytest.raises(NotFoundError, match=words):
        add_evidence(filled, NewEvidence("zzz", "supported"), actor="t")
    with pytest.raises(NotFoundError, match=words):
        list_evidence(filled, "zzz")


def test_list_changed_verdicts_says_what_is_new(filled, monkeypatch):
    uids = [made.uid for made in add_claims(filled, [claim(i / 10) for i in range(4)], actor="t")]
    verdicts = (  # the claims one by one, on days 1 to 4
        ("supported", "supported", "within-noise", "within-noise"),
        ("supported", "within-noise", "supported", "supported"),
        ("underpowered", "supported", "supported", "contradicted"),
        (None, None, None, "supported"),
    )
    for day in range(1, 5):
        monkeypatch.setattr(claim_evidence, "utc_now", lambda day=day: DAY + timedelta(days=day))
        given = [
            NewEvidence(uid, told[day - 1])
            for uid, told in zip(uids, verdicts, strict=True)
            if told[day - 1]
        ]
        add_all_evidence(filled, given, actor="t")

    def changes(day: float):
        found = list_changed_verdicts(filled, DAY + timedelta(days=day))
        return [(uids.index(c.claim.uid), c.before, (c.changed_at - DAY).days) for c in found]

    assert changes(1) == [(2, "underpowered", 4), (0, "supported", 3)]
    assert changes(2.5) == [
        (2, "supported", 4),
        (0, "supported", 3),
        (1, "within-noise", 3),
    ]
    assert changes(0.5) == changes(4) == []
    with pytest.raises(StoreError, match="`since` must have a time zone"):
        list_changed_verdicts(filled, datetime(2024, 5, 1))


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(told=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(VERDICTS)), max_size=12))
def test_evidence_is_a_history_to_which_is_only_added(new_store, bundle, told):
    store = new_store()
    ingest(store, bundle({"A": [1.0]}, metric="acc"), actor="t")
    uids = [made.uid for made in add_claims(store, [claim(i / 4) for i in range(3)], actor="t")]
    for i, verdict in told:
        add_evidence(store, NewEvidence(uids[i], verdict), actor="t")
    for i, record in enumerate(list_claims(store)):
        mine = [verdict for j, verdict in told if j == i]
        assert [e.verdict for e in list_evidence(store, record.uid)] == mine
        assert record.verdict == (mine[-1] if mine else None)
        assert record.n_audits == len(mine)
    store.close()


HEADER = "date,system,dataset,metric,value,source,quote\n"


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file of claims."""

    def make(text: str, name: str = "claims.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return make


def test_import_claims_fills_the_ledger(filled, write):
    path = write(
        HEADER + '2024-05-01,A,qa,acc,.75,"Ada 2024, Table 2","a new ""record"", at last"\n'
        "2024-06-01T12:00:00+02:00,New,qa,acc,0.80,their page,\n"
        "2024-06-02,A,qa,acc,,,\n"  # claims nothing
    )
    report = import_claims(filled, read_claims(path), actor="ada")
    assert (report.claims_added, report.claims_unchanged) == (2, 0)
    assert (report.systems_added, report.datasets_added, report.metrics_added) == (["New"], [], [])
    first, second = list_claims(filled)
    assert (first.system, first.dataset, first.value, first.printed) == ("A", "qa (2)", 0.75, ".75")
    assert (first.source, first.quote) == ("Ada 2024, Table 2", 'a new "record", at last')
    assert (first.origin, first.tier) == ("file", "reported")
    assert second.claimed_on == datetime(2024, 6, 1, 10, tzinfo=UTC)
    assert report.claim_uids == [first.uid, second.uid]
    made = list_imports(filled)[0]
    assert (made.uid, made.format, made.did) == (report.import_uid, "claims", "2 claims added")
    assert made.files == (str(path),)


def test_import_claims_again_changes_nothing(filled, write, contents):
    file = read_claims(write(HEADER + "2024-05-01,A,qa,acc,.75,paper,best\n"))
    import_claims(filled, file, actor="t")
    before = contents(filled)
    report = import_claims(filled, file, actor="t")
    assert (report.claims_added, report.claims_unchanged, report.ingest_uid) == (0, 1, None)
    assert contents(filled) == before


def test_an_import_of_claims_is_undone_with_its_verdicts(filled, write, contents):
    add_claim(filled, claim(0.5), actor="t")
    lines = "2024-05-01,A,qa,acc,.75,paper,\n2024-05-01,New,other,BLEU,27.5,paper,\n"
    before = contents(filled)
    report = import_claims(filled, read_claims(write(HEADER + lines)), actor="t")
    added = show_import(filled, report.import_uid)["n_added"]
    assert added | {"claim": 2, "system": 1, "dataset": 1, "metric": 1} == added
    add_evidence(filled, NewEvidence(report.claim_uids[0], "supported"), actor="t")
    undo(filled, report.import_uid, actor="t")
    after = contents(filled)
    for table in ("system", "dataset", "metric", "claim", "claim_evidence", "ingest"):
        assert after[table] == before[table], table


def test_import_claims_dry_run_leaves_no_trace(filled, write, contents):
    file = read_claims(write(HEADER + "2024-05-01,New,other,BLEU,27.5,paper,\n"))
    before = contents(filled)
    report = import_claims(filled, file, actor="t", dry_run=True)
    assert (report.claims_added, report.systems_added) == (1, ["New"])
    assert (report.datasets_added, report.metrics_added) == (["other"], ["BLEU"])
    assert contents(filled) == before


def test_import_claims_is_all_or_nothing(filled, write, contents):
    lines = "2024-05-01,A,qa,acc,.75,paper,\n2024-05-01,B,qa,acc,75,paper,\n"
    before = contents(filled)
    with pytest.raises(ImportFormatError, match="claim of 'B', 75: `value` of 'acc': 75 is outsi"):
        import_claims(filled, read_claims(write(HEADER + lines)), actor="t")
    assert contents(filled) == before


def test_import_claims_needs_a_direction(filled, write):
    file = read_claims(write(HEADER + "2024-05-01,A,qa,oddness,.75,paper,\n"))
    with pytest.raises(ImportFormatError, match="nobody says whether higher is better"):
        import_claims(filled, file, actor="t")
    report = import_claims(filled, file, actor="t", higher_is_better=False)
    assert report.metrics_added == ["oddness"]


def test_import_claims_asks_which_of_several_versions(filled, bundle, write):
    metric = BundleMetric("acc", higher_is_better=True, unit="proportion")
    ingest(filled, bundle({"A": [1.0]}, version="3", metric=metric), actor="t")
    line = "2024-05-01,A,qa,acc,.75,paper,\n"
    with pytest.raises(ConflictError) as raised:
        import_claims(filled, read_claims(write(HEADER + line)), actor="t")
    assert str(raised.value) == (
        "'qa' may be one of several datasets: 'qa@2', 'qa@3'. Write one of these in the file, or "
        "give --dataset-version."
    )
    import_claims(filled, read_claims(write(HEADER + line.replace("qa", "qa@3"))), actor="t")
    chosen = ReadOptions(dataset_version="2")
    import_claims(filled, read_claims(write(HEADER + line), chosen), actor="t")
    assert {made.dataset for made in list_claims(filled)} == {"qa (2)", "qa (3)"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("soon,A,qa,acc,.7,paper,", r"line 2, field 'date': 'soon' is no date"),
        (",A,qa,acc,.7,paper,", r"line 2, field 'date': is empty; a claim needs a date"),
        ("2024-05-01,A,qa,acc,.7,,", r"line 2, field 'source': is empty; a claim needs a source"),
        ("2024-05-01,A,qa,acc,<.7,paper,", r"line 2, field 'value': '<.7' is a bound"),
        ("2024-05-01,A,qa,acc,best,paper,", r"line 2, field 'value': 'best' is not a number"),
        ("2024-05-01,,qa,acc,.7,paper,", r"line 2, field 'system': the system is not named"),
        ("2024-05-01,A,qa,acc,,paper,", r"the table holds no claim"),
    ],
)
def test_read_claims_says_which_cell_is_wrong(write, line, words):
    with pytest.raises(ImportFormatError, match=words):
        read_claims(write(HEADER + line + "\n"))


def test_read_claims_names_the_columns_that_are_missing(write):
    with pytest.raises(ImportFormatError, match=r"do not say their date and source\. Columns fou"):
        read_claims(write("system,dataset,metric,value\nA,qa,acc,.7\n"))


def test_read_claims_skips_bad_lines_when_lenient(write):
    path = write(HEADER + "soon,A,qa,acc,.7,paper,\n2024-05-01,A,qa,acc,.7,paper,\n")
    file = read_claims(path, ReadOptions(lenient=True))
    assert len(file.bundle.reported_scores) == len(file.quotes) == 1
    assert [(row.line, row.field) for row in file.bundle.skipped] == [(2, "date")]


def test_read_claims_takes_other_columns_and_what_the_flags_say(write):
    options = ReadOptions(
        dataset="qa", metric="acc", date=DAY, columns={"quote": "words", "score": "reached"}
    )
    path = write("model,reached,words,paper\nA,90.5%,wow,P1\nB,91%,,P2\n")
    file = read_claims(path, options)
    assert [score.value for score in file.bundle.reported_scores] == [90.5, 91.0]
    assert [score.reported_on for score in file.bundle.reported_scores] == [DAY, DAY]
    assert (file.quotes, file.bundle.metrics[0].unit) == (("wow", ""), "percent")
    with pytest.raises(ImportFormatError, match="there is no column 'zzz' for the quote"):
        read_claims(path, ReadOptions(dataset="qa", metric="acc", columns={"quote": "zzz"}))


def test_reported_figures_are_no_claims(filled, write):
    """The other importer takes such a file too, but knows neither quotes nor two dates."""
    lines = "2024-05-01,A,qa,acc,.7,board,\n2024-06-01,A,qa,acc,.8,board,\n"
    path = write(HEADER + lines)
    with pytest.raises(ImportFormatError, match="line 2 states the same figure"):
        read_paths(path, format="reported")
    assert len(read_claims(path).bundle.reported_scores) == 2
    import_claims(filled, read_claims(path), actor="t")
    assert list_reported_scores(filled) == []


def dated(day: int | None) -> Provenance:
    return Provenance(evaluated_on=None if day is None else DAY + timedelta(days=day))


def test_list_dated_scores_joins_runs_and_reported_scores(store, bundle, run):
    runs = [
        run("A", {(0, 0): [1.0, 0.0], (0, 1): [1.0, 1.0]}, label="late", provenance=dated(5)),
        run("B", [1.0, float("nan")], provenance=dated(2), complete=False),
        run("C", [0.0, 0.0], provenance=dated(None)),
        run("D", (), provenance=dated(4)),
    ]
    scores = [
        BundleReportedScore("E", 0, 0, 0.6, 0.1, 500, DAY + timedelta(days=2), "board"),
        BundleReportedScore("A", 0, 0, 0.75, source="own file", run=0),  # the run itself
        BundleReportedScore("D", 0, 0, 0.4, source="own file", run=3),  # without items
        BundleReportedScore("F", 0, 0, 0.5, source="undated"),
    ]
    ingest(store, bundle(runs, keys=["i", "j"], reported_scores=scores), actor="t")
    found = list_dated_scores(store, "qa", "score")
    days = [None if r.dated_on is None else (r.dated_on - DAY).days for r in found]
    assert [(r.system, r.kind, r.value, day) for r, day in zip(found, days, strict=True)] == [
        ("B", "run", 1.0, 2),
        ("E", "reported", 0.6, 2),
        ("D", "reported", 0.4, 4),
        ("A", "run", 0.75, 5),
        ("C", "run", 0.0, None),
        ("F", "reported", 0.5, None),
    ]
    b, e, d, a = found[:4]
    assert (b.n_items, b.is_complete, b.source, b.reported_uid) == (1, False, "", None)
    assert (e.n_items, e.stderr, e.source, e.run_uid) == (500, 0.1, "board", None)
    assert (d.is_complete, d.source, d.run_uid is not None) == (True, "own file", True)
    assert (a.label, a.n_items) == ("late", 2)


def test_list_dated_scores_hides_what_was_deleted(store, bundle, run):
    scores = [BundleReportedScore("A", 0, 0, 0.5, source="x", run=0)]
    sent = bundle([run("A", [1.0]), run("B", [0.0])], reported_scores=scores)
    ingest(store, sent, actor="t")
    delete(store, "run", next(r.uid for r in list_runs(store) if r.system == "A"), actor="t")
    assert [r.system for r in list_dated_scores(store, "qa", "score")] == ["B"]
    delete(store, "system", "B", actor="t")
    assert list_dated_scores(store, "qa", "score") == []
    with pytest.raises(NotFoundError, match="There is no dataset 'zzz'"):
        list_dated_scores(store, "zzz", "score")


def test_many_claims_are_looked_up_together(store, bundle, run):
    """An audit of a long history must not ask for its claims and runs one by one."""
    ingest(store, bundle([run("A", [0.5], label=str(i)) for i in range(100)]), actor="t")
    said = [
        claim(metric="score", claimed_on=DAY - timedelta(days=i), run=made.uid)
        for i, made in enumerate(list_runs(store))
    ]
    asked = []

    def count(_connection, _cursor, statement, *_rest) -> None:
        asked.extend([statement] if statement.startswith("SELECT") else [])

    for engine in (store._writer, store._reader):
        sa.event.listen(engine, "before_cursor_execute", count)
    made = add_claims(store, said, actor="t")
    assert add_claims(store, said, actor="t") == made
    add_all_evidence(store, [NewEvidence(c.uid, "supported") for c in made], actor="t")
    listed = list_claims(store)
    assert len(asked) < 40  # of 100 claims
    assert [c.uid for c in listed] == [c.uid for c in made[::-1]]
    assert [c.run_uid for c in listed] == [c.run for c in said[::-1]]
    assert {(c.verdict, c.n_audits) for c in listed} == {("supported", 1)}


@pytest.mark.shared
def test_history_of_squad_has_the_records_that_card_et_al_marked(store, shared_folder):
    """25 of 144 dated models beat all before them on the hidden test set."""
    path = shared_folder / "data" / "card2020" / "SQuAD2" / "models.tsv"
    columns = {"system": "description", "score": "test_em", "source": "@file"}
    options = ReadOptions(dataset="SQuAD 2.0", metric="EM", columns=columns)
    file = read_claims(path, options)
    report = import_claims(store, file, actor="t", higher_is_better=True)
    assert report.claims_added == 144
    scores = file.bundle.reported_scores
    told = [replace(score, source=f"line {i}") for i, score in enumerate(scores)]
    ingest(store, replace(file.bundle, reported_scores=told), actor="t", higher_is_better=True)
    lines = path.read_text("utf-8").splitlines()[1:]
    marked = sorted(line.split("\t")[1] for line in lines if line.split("\t")[4] == "1")
    claimed = [(c.claimed_on, c.value) for c in list_claims(store)]
    dated_scores = [(r.dated_on, r.value) for r in list_dated_scores(store, "SQuAD 2.0", "EM")]
    for history in (claimed, dated_scores):
        best, records = -1.0, []
        for day, value in history:
            if value > best:
                best = value
                records.append(f"{day:%Y-%m-%d %H:%M:%S}")
        assert records == marked
        assert len(records) == 25
