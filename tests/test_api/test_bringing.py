"""Results over HTTP: files, records, journals; questions, repeats, refusals, undo."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from dashboard.api import bringing, entry
from dashboard.api.bringing import place_below
from store import repeated_requests
from store.datasets import list_datasets
from store.engine import open_store
from store.errors import ImportFormatError
from store.history import list_events
from store.importers.logged import LoggedRun
from store.journal import Journal
from store.runs import list_runs
from store.tokens import add_token

CSV = b"system,item,accuracy\nmine,q1,1\nmine,q2,0\nyours,q1,0\nyours,q2,1\n"
RECORDS = [{"system": "mine", "item": f"q{i}", "accuracy": i % 2} for i in range(4)]


class Api:
    """A server with a store of its own, and a token to write."""

    def __init__(self, server, store):
        self.address = f"{server}/api/v1"
        self.store = store
        self.token = add_token(store, "pipeline", actor="ann", scope="write")[1]

    def post(self, place="ingest", token=None, headers=(), **what):
        sent = {"Authorization": f"Bearer {token or self.token}", **dict(headers)}
        return requests.post(f"{self.address}/{place}", headers=sent, timeout=60, **what)

    def files(self, *files, **fields):
        parts = [("files", (name, content)) for name, content in files]
        return self.post(files=parts, data=fields)


@pytest.fixture
def api(server, tmp_path, monkeypatch):
    with open_store(tmp_path / "store.db", create=True) as store:
        monkeypatch.setenv("TIEBREAK_STORE", str(store.path))
        yield Api(server, store)


@pytest.mark.parametrize(
    ("files", "asked"),
    [
        ([("results.csv", CSV)], {"name of the dataset": "results"}),
        ([("a/x.csv", CSV)], {}),
        (
            [("metrics.json", b'{"accuracy": 0.5}')],
            {"name of the system": "metrics", "name of the dataset": "metrics"},
        ),
        (
            [("net-a.csv", b"item,accuracy\nq,1"), ("net-b.csv", b"item,accuracy\nq,0")],
            {"name of the dataset": "net-a"},
        ),
    ],
    ids=["table", "folder", "figures", "two"],
)
def test_nothing_is_called_after_the_folder_of_the_server(api, files, asked):
    answer = api.files(*files, dry_run="yes")
    said = answer.json()
    questions = said["result"]["questions"] if answer.status_code == 200 else said["questions"]
    assert {one["about"]: one["guess"] for one in questions} == asked
    assert not any(word in answer.text for word in ("unnamed", "scratch", "tmp"))
    if asked:
        named = {subject: f"my {subject.split()[-1]}" for subject in asked}
        done = api.files(*files, answers=json.dumps(named))
        assert done.status_code == 200, done.text
        assert [one.name for one in list_datasets(api.store)] == ["my dataset"]


def test_files_come_in_and_the_plan_comes_back(api):
    answer = api.files(("scores.csv", CSV), dataset="news")
    assert answer.status_code == 200, answer.text
    said = answer.json()
    assert (said["command"], said["result"]["runs_added"]) == ("ingest", 2)
    assert said["result"]["plan"]["is_whole"]
    assert said["store_revision"] == api.store.revision()
    event = list_events(api.store)[0]
    assert event.actor == "ann"
    assert event.via.startswith("token ")


def test_records_and_journals_come_in(api, tmp_path):
    answer = api.post(json={"records": RECORDS, "dataset": "news", "dry_run": True})
    assert answer.json()["result"]["scores_added"] == 4, answer.text
    assert list_runs(api.store) == []
    assert api.post(json={"records": RECORDS, "dataset": "news"}).status_code == 200
    journal = Journal.begin(tmp_path, LoggedRun("yours", "news"))
    for number in range(4):
        journal.add(f"q{number}", {"accuracy": 1.0})
    journal.finish()
    journal.close()
    kind = {"Content-Type": "application/x-ndjson"}
    answer = api.post(data=journal.path.read_bytes(), headers=kind)
    assert answer.json()["result"]["runs_added"] == 1, answer.text
    assert {run.system for run in list_runs(api.store)} == {"mine", "yours"}


def test_what_nobody_knows_is_asked_and_answered_by_a_second_call(api):
    strange = CSV.replace(b"accuracy", b"glorp")
    asked = api.files(("scores.csv", strange), dataset="news")
    assert asked.status_code == 422
    (question,) = asked.json()["questions"]
    assert question["choices"] == ["higher", "lower"]
    assert list_runs(api.store) == []
    answers = json.dumps({question["about"]: "lower"})
    answer = api.files(("scores.csv", strange), dataset="news", answers=answers)
    assert answer.json()["result"]["runs_added"] == 2
    again = api.files(("more.csv", strange.replace(b"mine", b"third")), dataset="news")
    assert again.status_code == 200, "an answer is remembered"


def test_ids_that_look_alike_are_asked_about_once(api):
    api.files(("scores.csv", CSV), dataset="news")
    other = CSV.replace(b"q", b"Q").replace(b"mine", b"third").replace(b"yours", b"fourth")
    asked = api.files(("more.csv", other), dataset="news")
    assert asked.status_code == 422
    (question,) = asked.json()["questions"]
    assert "if capitals are ignored" in question["because"]
    answers = json.dumps({question["about"]: "same"})
    answer = api.files(("more.csv", other), dataset="news", answers=answers)
    (entry,) = answer.json()["result"]["plan"]["entries"]
    assert {one["n_known"] for one in entry["datasets"]} == {entry["datasets"][0]["n_items"]}
    again = api.files(("most.csv", other.replace(b"third", b"fifth")), dataset="news")
    assert again.status_code == 200, "an answer is remembered"


def test_a_request_that_is_sent_again_gets_the_same_answer(api):
    body = {"records": RECORDS, "dataset": "news"}
    key = {"Idempotency-Key": "run 7"}
    first, second = (api.post(json=body, headers=key) for _ in range(2))
    assert first.json() == second.json()
    assert first.json()["result"]["runs_added"] == 1
    assert api.post(json=body).json()["result"]["runs_unchanged"] == 1
    other = api.post(json=body | {"run": "8"}, headers=key)
    assert (other.status_code, "another body" in other.json()["detail"]) == (409, True)
    repeated_requests._ME, before = "another server", repeated_requests._ME
    try:
        assert api.post(json=body, headers=key).json() == first.json()
    finally:
        repeated_requests._ME = before
    stranger = add_token(api.store, "other", actor="ben", scope="write")[1]
    answer = api.post(json=body | {"run": "8"}, headers=key, token=stranger)
    assert answer.status_code == 200, "a key is that of its token"


def test_a_token_undoes_what_it_brought_and_nothing_else(api):
    uid = api.files(("scores.csv", CSV), dataset="news").json()["result"]["import"]
    stranger = add_token(api.store, "other", actor="ben", scope="write")[1]
    refused = api.post(f"imports/{uid}/undo", token=stranger)
    assert (refused.status_code, "ann" in refused.json()["detail"]) == (403, True)
    assert api.post(f"imports/{uid}/undo").json()["result"]["uid"] == uid
    assert list_runs(api.store) == []
    assert api.post(f"imports/{uid}/undo").status_code == 409
    assert api.post("imports/none/undo").status_code == 404


def test_a_token_to_read_or_for_another_dataset_brings_nothing(api):
    for scope, dataset in (("read", None), ("write", "talks")):
        token = add_token(api.store, "x", actor="ann", scope=scope, dataset=dataset)[1]
        answer = api.post(json={"records": RECORDS, "dataset": "news"}, token=token)
        assert answer.status_code == 403
    assert list_runs(api.store) == []


@pytest.mark.parametrize(
    ("what", "status", "words"),
    [
        ({"json": {"records": RECORDS, "datset": "news"}}, 400, "'dataset'"),
        ({"json": {"records": RECORDS, "yes": "perhaps"}}, 400, "`yes` must be one of"),
        ({"json": [1]}, 400, "records"),
        ({"data": b"{", "headers": {"Content-Type": "application/json"}}, 400, "no JSON"),
        ({"data": b"[" * 10**5, "headers": {"Content-Type": "application/json"}}, 400, "deeply"),
        (
            {"json": {"records": [RECORDS[0] | {"system": "\ud800"}], "dataset": "d"}},
            422,
            "half a character",
        ),
        ({"data": b"x", "headers": {"Content-Type": "text/csv"}}, 415, "multipart/form-data"),
        ({"data": b"x\n", "headers": {"Content-Type": "application/x-ndjson"}}, 422, "no JSON"),
        ({"files": [("files", ("../up.csv", CSV))]}, 422, "below its folder"),
        ({"files": [("files", ("a.csv", CSV)), ("files", ("a.csv", CSV))]}, 422, "twice"),
        ({"files": {"answers": (None, "[]")}}, 400, "no file"),
        ({"files": [("files", ("notes.md", b"# hello\n"))]}, 422, "notes.md"),
        (
            {
                "files": [("files", ("s.csv", CSV.replace(b"q1,1", b"q1,x")))],
                "data": {"dataset": "d"},
            },
            422,
            "line 2",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(api, what, status, words):
    answer = api.post(**what)
    assert (answer.status_code, answer.json()["status"]) == (status, status), answer.text
    assert words in answer.json()["detail"]
    assert list_runs(api.store) == []


@pytest.mark.parametrize(
    "what",
    [
        {"json": {"records": RECORDS}},
        {"data": b"{}\n", "headers": {"Content-Type": "application/x-ndjson"}},
        {"files": [("files", ("s.csv", CSV))]},
    ],
    ids=["records", "journal", "files"],
)
def test_others_are_answered_while_a_body_is_read(api, monkeypatch, what):
    begun, goes_on = threading.Event(), threading.Event()

    def reads(*_, **__):
        begun.set()
        assert goes_on.wait(20)
        raise ImportFormatError("enough.")

    monkeypatch.setattr(bringing, "reader", lambda *_, **__: reads)
    with ThreadPoolExecutor() as others:
        sent = others.submit(api.post, **what)
        assert begun.wait(20)
        assert requests.get(f"{api.address}/health", timeout=5).ok
        goes_on.set()
        assert sent.result().status_code == 422


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({"data": b'{"records":[' + b"{}," * 20_000 + b"{}]}"}, "more than 1 MB"),
        ({"json": {"records": RECORDS, "answers": {"x": "y" * 1_100_000}}}, "up to 1 MB"),
        ({"data": b'{"format":"tiebreak journal 1"}\n', "kind": bringing.JOURNAL}, "no whole"),
        ({"data": b"[" * 10**5 + b"\n", "kind": bringing.JOURNAL}, "no JSON"),
    ],
    ids=["objects", "beside", "head", "depth"],
)
def test_bodies_that_are_too_much_are_refused_in_words(api, monkeypatch, what, words):
    monkeypatch.setattr(bringing, "MOST_MB", 1)
    kind = {"Content-Type": what.pop("kind", "application/json")}
    answer = api.post(**({"headers": kind} | what))
    assert answer.status_code in (400, 422), answer.text
    assert words in answer.json()["detail"]


def test_too_large_a_request_is_refused_while_it_comes(api, monkeypatch):
    monkeypatch.setattr(entry, "MOST_BYTES", 100_000)
    answer = api.files(("scores.csv", CSV * 3_000), dataset="news")
    assert (answer.status_code, "MB" in answer.json()["detail"]) == (413, True)


@pytest.mark.parametrize("name", ["", "/etc/x", "a/../../x", "..\\x", "a\0b"])
def test_a_file_stands_nowhere_but_below_its_folder(name):
    with pytest.raises(ImportFormatError):
        place_below(name)
