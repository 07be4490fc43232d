"""A pipeline on another machine: only an address and a token, by command, library and curl."""

import json
import warnings
from contextlib import closing
from socket import socket

import pytest
from typer.testing import CliRunner

import tiebreak
from dashboard.cli import app
from store import remote
from store.engine import open_store
from store.errors import ConflictError, ForbiddenError, StoreError
from store.runs import list_runs
from store.tokens import add_token

SCORES = {f"q{i}": float(i % 3 == 0) for i in range(9)}


def run(*line, code=0):
    said = CliRunner().invoke(app, list(line))
    assert said.exit_code == code, said.output
    return said


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Return what the server has; the script works in an empty folder with a token."""
    for name in ("server", "script"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "script")
    with open_store(tmp_path / "server" / "store.db", create=True) as opened:
        monkeypatch.setenv("TIEBREAK_STORE", str(opened.path))
        secret = add_token(opened, "pipeline", actor="ann", scope="write")[1]
        monkeypatch.setenv("TIEBREAK_TOKEN", secret)
        yield opened


@pytest.fixture
def nobody(monkeypatch):
    """Return an address where nothing answers."""
    monkeypatch.setattr(remote, "TRIES", 0)
    with closing(socket()) as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def log(address, **more):
    told = {"system": "mine", "dataset": "news", "metric": "accuracy", "scores": SCORES} | more
    return tiebreak.log_run(**told, store=address)


def waiting(tmp_path):
    return list((tmp_path / "script").rglob("*.jsonl"))


def test_a_script_logs_runs_to_a_server(store, server, tmp_path):
    report = log(server, texts={"q1": "Who?"}, seed=7, config={"t": 0})
    assert (report.n("run", "added"), report.n("score", "added")) == (1, 9)
    assert log(server, texts={"q1": "Who?"}, seed=7).n("run", "unchanged") == 1
    (one,) = list_runs(store)
    assert (one.system, one.seed, one.complete) == ("mine", 7, True)
    with tiebreak.start_run(
        system="yours", dataset="news", metric="accuracy", store=server
    ) as logged:
        for item, score in SCORES.items():
            logged.log(item, 1 - score)
    assert logged.report.n("run", "added") == 1
    assert waiting(tmp_path) == []


def test_what_cannot_be_sent_waits_and_is_pushed(store, server, nobody, tmp_path):
    with pytest.warns(UserWarning, match="push"):
        report = log(nobody)
    assert "waits in" in report.refused
    (journal,) = waiting(tmp_path)
    place = remote.Remote(server).folder
    place.mkdir(parents=True)
    journal.rename(place / journal.name)  # the same server, back at another port
    said = json.loads(run("--store", server, "push", "--json").stdout)
    assert said["result"]["runs"][0]["runs_added"] == 1
    assert waiting(tmp_path) == []
    assert [one.system for one in list_runs(store)] == ["mine"]


def test_what_is_refused_stays_and_says_where(store, server, tmp_path, monkeypatch):
    log(server)
    other = dict.fromkeys(SCORES, 0.5)
    with pytest.raises(ConflictError) as refused:
        log(server, scores=other)
    (journal,) = waiting(tmp_path)
    assert any(journal.name in note for note in refused.value.__notes__)
    journal.unlink()
    assert log(server, scores=other, replace=True).n("run", "replaced") == 1
    monkeypatch.delenv("TIEBREAK_TOKEN")
    with pytest.raises(ForbiddenError, match="TIEBREAK_TOKEN"):
        log(server, system="third")
    with pytest.raises(StoreError, match="higher is better"):
        log(server, metric="glorp")


def test_commands_ask_a_server_as_they_ask_a_file(store, server):
    log(server)
    log(server, system="yours, tuned", scores=dict.fromkeys(SCORES, 1.0))
    names = '"yours, tuned",mine'
    for line in (["leaderboard", "news"], ["pairs", "news", "--systems", names]):
        here = run("--store", str(store.path), *line, "--json").stdout
        assert json.loads(run("--store", server, *line, "--json").stdout) == json.loads(here)
    assert "yours, tuned" in run("--store", server, "leaderboard", "news").stdout
    assert "| " in run("--store", server, "leaderboard", "news", "--format", "markdown").stdout
    missing = run("--store", server, "leaderboard", "newz", code=2)
    assert "'news'" in missing.stderr
    assert "is a server" in run("--store", server, "ls", "systems", code=2).stderr


def test_files_go_to_a_server_and_come_back_out(store, server, tmp_path):
    folder = tmp_path / "script" / "results"
    folder.mkdir()
    (folder / "a.csv").write_text("system,item,glorp\nmine,q1,1\nmine,q2,0\n")
    line = ("--store", server, "ingest", "results", "--dataset", "news")
    assert "glorp" in run(*line, code=2).stderr
    said = json.loads(run(*line, "--direction", "glorp=lower", "--json").stdout)
    assert said["result"]["runs_added"] == 1
    assert run("--store", server, "undo", said["result"]["import"]).exit_code == 0
    assert list_runs(store) == []
    assert "--gold" in run(*line, "--gold", "results/a.csv", code=2).stderr


def test_a_link_out_of_a_folder_is_told_and_not_sent(store, server, tmp_path):
    folder = tmp_path / "script" / "res"
    folder.mkdir()
    secret = tmp_path / "passwd.csv"
    secret.write_text("system,item,accuracy\nroot,q1,1\n")
    (folder / "notes.csv").symlink_to(secret)
    line = ("--store", server, "ingest", "res", "--dataset", "news")
    assert "leads out" in run(*line, code=2).stderr
    (folder / "a.csv").write_text("system,item,accuracy\nmine,q1,1\nmine,q2,0\n")
    assert "Not sent" in run(*line, code=3).stderr
    assert [one.system for one in list_runs(store)] == ["mine"]
    place = remote.Remote(server).folder
    place.mkdir(parents=True)
    (place / "x.jsonl").symlink_to(secret)
    assert "no JSON" in run("--store", server, "push", code=2).stderr
    assert (place / "x.jsonl").is_symlink()


def test_an_address_that_is_none_is_told(nobody):
    assert "does not answer" in run("--store", nobody, "leaderboard", "x", code=2).stderr
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(StoreError, match="TIEBREAK_TOKEN"):
            log("http://ann:secret@localhost:1")
