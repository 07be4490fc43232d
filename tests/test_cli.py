"""The command line is a contract: exit codes, one JSON object, messages that say what to do."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import pearsonr
from typer.testing import CliRunner

from dashboard.cli import app
from store import console

ROOT = Path(__file__).resolve().parents[1]
TABLE = """system,dataset,item,metric,score
A,news,q1,accuracy,1
A,news,q2,accuracy,1
A,news,q3,accuracy,0
B,news,q1,accuracy,0
B,news,q2,accuracy,1
B,news,q3,accuracy,0
"""

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs a command on a store of its own."""

    def call(*words: str | Path, code: int = 0) -> Any:
        outcome = CliRunner().invoke(app, ["--store", str(tmp_path / "s.db"), *map(str, words)])
        if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
            raise outcome.exception
        assert outcome.exit_code == code, outcome.output
        return outcome

    return call


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Return a small file of results."""
    path = tmp_path / "results.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def answer(outcome: Any) -> dict[str, Any]:
    """Return the one JSON object on standard output."""
    parsed = json.loads(outcome.stdout)
    assert set(parsed) == {"command", "signature", "store_revision", "warnings", "result"}
    return parsed


def test_ingest_reports_what_it_did(run: Run, results: Path) -> None:
    parsed = answer(run("ingest", results, "--json"))
    result = parsed["result"]
    expected = {
        *("files", "format", "runs_added", "runs_unchanged", "runs_replaced", "scores_added"),
        *("items_added", "judgments_added", "reported_added", "skipped", "differences"),
    }
    assert expected <= set(result)
    assert (result["format"], result["runs_added"], result["items_added"]) == ("generic", 2, 3)
    assert result["scores_added"] == 6
    again = answer(run("ingest", results, "--json"))
    assert (again["result"]["runs_added"], again["result"]["runs_unchanged"]) == (0, 2)
    assert again["store_revision"] == parsed["store_revision"]


def test_one_id_of_an_import_is_printed_listed_shown_and_undone(run: Run, results: Path) -> None:
    uid = answer(run("ingest", results, "--json"))["result"]["import_uid"]
    [row] = answer(run("ls", "ingests", "--json"))["result"]["rows"]
    assert (row["uid"], row["files"], row["format"]) == (uid, [str(results)], "generic")
    assert answer(run("show", "ingest", uid, "--json"))["result"]["uid"] == uid
    assert "Taken back" in run("undo", uid).stdout
    assert "undone" in run("ls", "ingests").stdout


def test_dry_run_writes_nothing_not_even_a_store(run: Run, results: Path, tmp_path: Path) -> None:
    result = answer(run("ingest", results, "--dry-run", "--json"))["result"]
    assert result["runs_added"] == 2
    assert not (tmp_path / "s.db").exists()
    run("ingest", results)
    before = answer(run("db", "info", "--json"))["result"]
    results.write_text(TABLE.replace("A,", "C,"), encoding="utf-8")
    run("ingest", results, "--dry-run")
    assert answer(run("db", "info", "--json"))["result"]["rows"] == before["rows"]


def test_other_scores_need_replace(run: Run, results: Path) -> None:
    run("ingest", results)
    results.write_text(TABLE.replace("A,news,q3,accuracy,0", "A,news,q3,accuracy,1"))
    outcome = run("ingest", results, code=2)
    assert "repeat with --replace" in outcome.stderr
    assert "'A' on 'news'" in outcome.stderr
    uid = answer(run("ls", "runs", "--json"))["result"]["rows"][-1]["uid"]
    run("tag", "run", uid, "baseline")
    assert answer(run("ingest", results, "--replace", "--json"))["result"]["runs_replaced"] == 1
    tagged = [r for r in answer(run("ls", "runs", "--json"))["result"]["rows"] if r["tags"]]
    assert [(r["system"], r["tags"]) for r in tagged] == [("A", ["baseline"])]
    assert tagged[0]["uid"] != uid
    deleted = answer(run("ls", "runs", "--deleted", "--json"))["result"]["rows"]
    assert [r["uid"] for r in deleted] == [uid]
    board = answer(run("leaderboard", "news", "--json"))["result"]
    assert board["rows"][0]["score"] == 1.0


def test_bad_cell_is_named_and_lenient_skips_it_with_exit_code_3(run: Run, results: Path) -> None:
    results.write_text(TABLE.replace("B,news,q2,accuracy,1", "B,news,q2,accuracy,good"))
    outcome = run("ingest", results, code=2)
    assert "line 6" in outcome.stderr
    assert "'score'" in outcome.stderr
    assert "good" in outcome.stderr
    outcome = run("ingest", results, "--lenient", "--json", code=3)
    (skipped,) = answer(outcome)["result"]["skipped"]
    assert (skipped["line"], skipped["field"]) == (6, "score")


def test_unknown_direction_is_asked_for(
    run: Run, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    results.write_text(TABLE.replace("accuracy", "zorkness"))
    outcome = run("ingest", results, code=2)
    assert "--higher-is-better" in outcome.stderr
    run("ingest", results, "--higher-is-better")


def test_errors_are_one_message_and_no_traceback(run: Run) -> None:
    outcome = run("ls", "systems", code=2)
    assert "There is no store at" in outcome.stderr
    assert "Traceback" not in outcome.output
    assert run("ingest", "missing.csv", code=2).stderr.count("\n") <= 3


def test_names_get_suggestions(run: Run, results: Path) -> None:
    run("ingest", results)
    assert "Did you mean 'news'" in run("leaderboard", "newz", code=2).stderr


@pytest.mark.parametrize("what", ["systems", "datasets", "metrics", "runs", "ingests"])
def test_ls_lists_with_uids(run: Run, results: Path, what: str) -> None:
    run("ingest", results)
    rows = answer(run("ls", what, "--json"))["result"]["rows"]
    assert rows
    assert all(row["uid"] for row in rows)
    assert run("ls", what).stdout.strip()


def test_show_holds_everything(run: Run, results: Path) -> None:
    run("ingest", results)
    uid = answer(run("ls", "runs", "--json"))["result"]["rows"][0]["uid"]
    shown = answer(run("show", "run", uid, "--json"))["result"]
    assert shown["vectors"][0]["n_scored"] == 3
    assert shown["history"][0]["action"] == "create"
    assert answer(run("show", "dataset", "news", "--json"))["result"]["n_items"] == 3
    assert answer(run("show", "system", "A", "--json"))["result"]["n_runs"] == 1
    assert "news" in run("show", "dataset", "news").stdout


def test_exported_scores_can_be_ingested_again(run: Run, results: Path, tmp_path: Path) -> None:
    run("ingest", results)
    for kind in ("csv", "jsonl", "parquet"):
        out = tmp_path / f"{kind}-scores.{kind}"
        run("export", "scores", "--format", kind, "--out", out)
        other = tmp_path / f"{kind}.db"
        again = CliRunner().invoke(app, ["--store", str(other), "ingest", str(out), "--json"])
        assert again.exit_code == 0, again.output
        result = json.loads(again.stdout)["result"]
        assert (result["runs_added"], result["scores_added"]) == (2, 6)
    assert "exists already" in run("export", "scores", "--out", out, code=2).stderr


def test_a_mapping_that_says_something_else_stops_an_export_before_it_writes(
    run: Run, results: Path, tmp_path: Path
) -> None:
    run("ingest", results)
    run("export", "scores", "--out", tmp_path / "x.csv")
    run("export", "scores", "--out", tmp_path / "x.parquet")  # of the same scores: beside both
    (tmp_path / "x.tiebreak.yaml").write_text("format: generic\n")
    run("export", "scores", "--out", tmp_path / "x.jsonl", code=2)
    assert not (tmp_path / "x.jsonl").exists()


def test_export_tables_are_csv_on_standard_output(run: Run, results: Path) -> None:
    run("ingest", results)
    rows = list(csv.DictReader(io.StringIO(run("export", "leaderboard", "news").stdout)))
    assert [row["system"] for row in rows] == ["A", "B"]
    rows = list(csv.DictReader(io.StringIO(run("export", "runs").stdout)))
    assert {row["system"] for row in rows} == {"A", "B"}


def test_delete_restore_purge(run: Run, results: Path) -> None:
    run("ingest", results)
    uid = answer(run("delete", "system", "A", "--json"))["result"]["changed"]
    assert len(answer(run("ls", "systems", "--json"))["result"]["rows"]) == 1
    run("restore", "system", uid)
    assert "is not deleted" in run("purge", "system", uid, code=2).stderr
    run("delete", "system", "A")
    run("purge", "system", uid)
    assert "There is no deleted system" in run("restore", "system", uid, code=2).stderr
    assert run("ls", "systems", "--deleted", "--json").exit_code == 0


def test_tag_and_note(run: Run, results: Path) -> None:
    run("ingest", results)
    run("tag", "system", "A", "baseline")
    run("note", "system", "A", "trained **twice**")
    shown = answer(run("show", "system", "A", "--json"))["result"]
    assert shown["tags"] == ["baseline"]
    assert shown["notes"][0]["text"] == "trained **twice**"
    run("tag", "system", "A", "baseline", "--remove")
    assert "has no tag" in run("tag", "system", "A", "baseline", "--remove", code=2).stderr


def test_sealed_dataset_takes_no_new_item(run: Run, results: Path) -> None:
    run("ingest", results)
    run("seal", "news")
    assert answer(run("show", "dataset", "news", "--json"))["result"]["sealed"] is True
    results.write_text(TABLE + "A,news,q4,accuracy,1\n")
    outcome = run("ingest", results, "--run", "second", code=2)
    assert "the dataset 'news' is sealed with 3 items" in outcome.stderr


def test_db_commands(run: Run, results: Path, tmp_path: Path) -> None:
    run("ingest", results)
    assert answer(run("db", "check", "--json"))["result"] == {"sound": True, "problems": []}
    run("db", "backup", tmp_path / "copy.db")
    assert "exists already" in run("db", "backup", tmp_path / "copy.db", code=2).stderr
    assert answer(run("db", "upgrade", "--json"))["result"]["backup"] is None
    assert answer(run("db", "info", "--json"))["result"]["rows"]["run"] == 2


def test_replicability_holds_what_the_contract_says(example_copy: Callable[[], Any]) -> None:
    outcome = CliRunner().invoke(
        app,
        [
            "--store",
            str(example_copy().path),
            "replicability",
            "Mate",
            "Redshift",
            "--reported",
            "--json",
        ],
    )
    assert outcome.exit_code == 0, outcome.output
    result = answer(outcome)["result"]
    for direction in ("undirected", "a_over_b", "b_over_a"):
        counts = result[direction]
        for name in ("count", "bonferroni", "fisher", "simes", "stouffer"):
            assert isinstance(counts[f"k_{name}"], int)
        methods = {"bonferroni", "holm", "hochberg", "hommel", "bh", "by"}
        assert methods <= set(counts["identified"])
        assert {"bonferroni", "fisher", "simes", "stouffer"} <= set(counts["partial_conjunction"])
    assert result["undirected"]["k_fisher"] == 5
    assert set(result["recommended"]) >= {"estimator", "k", "because"}
    assert {"dataset", "pvalue", "favours", "difference"} <= set(result["datasets"][0])


def test_replicability_reads_as_a_sentence(example_copy: Callable[[], Any]) -> None:
    outcome = CliRunner().invoke(
        app, ["--store", str(example_copy().path), "replicability", "W2V", "GloVe", "--reported"]
    )
    assert "W2V is better than GloVe on at least 5 of 12 datasets" in outcome.stdout
    assert "WS353" in outcome.stdout


def test_simulation_answers_as_json(tmp_path: Path) -> None:
    words = ["simulate", "replicability", "independent", "--repetitions", "2000", "--json"]
    outcome = CliRunner().invoke(app, words)
    assert outcome.exit_code == 0, outcome.output
    assert answer(outcome)["command"] == "simulate replicability"


def test_demo_leaves_a_store_with_content_alone(run: Run, results: Path) -> None:
    run("ingest", results)
    assert "left alone" in run("demo", "--if-empty").stderr


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """Return what a server would be started with; the working folder is a user's."""
    seen: dict[str, Any] = {}

    def start(program: str, words: list[str], environment: dict[str, str]) -> None:
        seen.update(words=words, store=environment["TIEBREAK_STORE"], folder=Path.cwd())
        seen.update(environment=environment)

    monkeypatch.setattr(os, "execve", start)
    monkeypatch.delenv("TIEBREAK_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    return seen


@pytest.mark.parametrize("words", [[], ["--store", "tiebreak.db"]])
def test_serve_shows_the_store_of_the_folder_it_was_called_in(
    words: list[str], served: dict[str, Any], tmp_path: Path
) -> None:
    outcome = CliRunner().invoke(app, [*words, "serve"])
    assert outcome.exit_code == 0, outcome.output
    assert served["folder"] == ROOT
    assert served["store"] == str(tmp_path / "tiebreak.db")
    assert str(tmp_path / "tiebreak.db") in outcome.stderr
    assert "--server.fileWatcherType=none" in served["words"]


def test_serve_takes_the_next_free_port_where_none_is_named(
    served: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("localhost", 0)) as other:
        port = other.getsockname()[1]
        monkeypatch.setattr("dashboard.commands.serve.FIRST_PORT", port)
        outcome = CliRunner().invoke(app, ["serve"])
        assert outcome.exit_code == 0, outcome.output
        [taken] = [word for word in served["words"] if word.startswith("--server.port=")]
        assert int(taken.partition("=")[2]) > port
        assert taken.partition("=")[2] in outcome.stderr
        refused = CliRunner().invoke(app, ["serve", "--port", str(port)])
    assert refused.exit_code == 2
    assert re.search(rf"listens on port {port}.*--port", refused.stderr)


def test_serve_listens_elsewhere_only_where_people_sign_in(
    served: dict[str, Any], tmp_path: Path
) -> None:
    elsewhere = ["serve", "--host", "0.0.0.0"]
    refused = CliRunner().invoke(app, elsewhere)
    assert (refused.exit_code, served) == (2, {})
    assert "--read-only" in refused.stderr
    assert CliRunner().invoke(app, [*elsewhere, "--read-only"]).exit_code == 0
    header = ["--sign-in-header", "X-Forwarded-Email"]
    assert CliRunner().invoke(app, [*elsewhere, *header]).exit_code == 2
    (tmp_path / "roles.toml").write_text('admin = ["ann@example.org"]')
    roles = ["--roles", str(tmp_path / "roles.toml")]
    outcome = CliRunner().invoke(app, [*elsewhere, *header, *roles])
    assert outcome.exit_code == 0, outcome.output
    assert served["environment"]["TIEBREAK_ROLES"] == str(tmp_path / "roles.toml")
    assert served["environment"]["FORWARDED_ALLOW_IPS"] == ""
    assert "TIEBREAK_SECRETS" not in served["environment"]
    assert CliRunner().invoke(app, [*elsewhere, *roles]).exit_code == 2, "roles of nobody"


def test_serve_signs_in_by_the_provider_that_the_folder_names(
    served: dict[str, Any], tmp_path: Path
) -> None:
    secrets = tmp_path / ".streamlit" / "secrets.toml"
    secrets.parent.mkdir()
    names = ["client_id", "client_secret", "server_metadata_url"]
    uri = 'redirect_uri = "http://localhost:{port}/oauth2callback"'
    told = ["[auth]", uri, f'cookie_secret = "{"x" * 32}"', *(f'{name} = "x"' for name in names)]
    secrets.write_text("\n".join(told))
    assert "--roles" in CliRunner().invoke(app, ["serve"]).stderr
    (tmp_path / "roles.toml").write_text('admin = ["*"]')
    outcome = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0", "--roles", "roles.toml"])
    assert outcome.exit_code == 0, outcome.output
    assert served["environment"]["TIEBREAK_SECRETS"] == str(secrets)
    assert f"--secrets.files={secrets}" in served["words"]


def test_serve_prints_no_password(served: dict[str, Any]) -> None:
    address = "postgresql+psycopg://ada:secret@host/results"
    outcome = CliRunner().invoke(app, ["--store", address, "serve"])
    assert served["store"] == address
    assert "ada:***@host/results" in outcome.stderr
    assert "secret" not in outcome.output


@pytest.mark.parametrize("joined", [True, False])
def test_json_repeats_the_command_without_a_password(
    joined: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--store", "postgresql://ada:secret@host/results"]
    typed = ["tiebreak", *(["=".join(words)] if joined else words), "ls", "systems"]
    monkeypatch.setattr(sys, "argv", typed)
    console.answer("ls", {}, store_revision=0, as_json=True, show=lambda _: None)
    signature = json.loads(capsys.readouterr().out)["signature"]
    assert "secret" not in signature
    assert shlex.split(signature)[-2:] == ["ls", "systems"]
    assert "ada:***@host/results" in signature


def test_module_is_the_same_command(tmp_path: Path, results: Path) -> None:
    environment = os.environ | {"TIEBREAK_STORE": str(tmp_path / "m.db")}
    words = [sys.executable, "-m", "tiebreak", "ingest", str(results), "--json"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["runs_added"] == 2


def test_export_and_ingest_keep_direction_aggregation_and_bounds(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(
        "system,dataset,item,zork,fit.prediction,fit.gold\n"
        + "".join(f"A,d,q{k},{k / 10},{k * k},{k}\n" for k in range(5))
    )
    (tmp_path / "table.tiebreak.yaml").write_text(
        "metrics:\n"
        "  zork: {higher_is_better: false, unit: proportion}\n"
        "  fit: {higher_is_better: true, aggregation: pearson}\n"
    )
    run("ingest", table)
    run("export", "scores", "--out", tmp_path / "out.csv")
    other = ["--store", str(tmp_path / "other.db")]
    again = CliRunner().invoke(app, [*other, "ingest", str(tmp_path / "out.csv")])
    assert again.exit_code == 0, again.output
    listed = [
        run("ls", "metrics", "--json"),
        CliRunner().invoke(app, [*other, "ls", "metrics", "--json"]),
    ]
    first, second = ([row | {"uid": ""} for row in answer(o)["result"]["rows"]] for o in listed)
    assert first == second
    boards = [
        run("leaderboard", "d", "--metric", "fit", "--json"),
        CliRunner().invoke(app, [*other, "leaderboard", "d", "--metric", "fit", "--json"]),
    ]
    scores = [answer(board)["result"]["rows"][0]["score"] for board in boards]
    assert scores[0] == scores[1]


def test_two_scales_of_one_share_are_refused(run: Run, results: Path, tmp_path: Path) -> None:
    run("ingest", results)
    percent = tmp_path / "percent.csv"
    percent.write_text(TABLE.replace(",1\n", ",100\n").replace("A,", "C,").replace("B,", "D,"))
    outcome = run("ingest", percent, code=2)
    assert "goes up to 1 for 'A' and up to 100 for 'C'" in outcome.stderr


def test_metric_called_pearson_is_pearson(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "p.csv"
    points = [(1, 2), (2, 1), (10, 30), (3, 1)]
    table.write_text(
        "system,dataset,item,pearson.prediction,pearson.gold\n"
        + "".join(f"A,d,q{k},{x},{y}\n" for k, (x, y) in enumerate(points))
    )
    run("ingest", table)
    assert answer(run("ls", "metrics", "--json"))["result"]["rows"][0]["aggregation"] == "pearson"
    score = answer(run("leaderboard", "d", "--json"))["result"]["rows"][0]["score"]
    assert score == pytest.approx(pearsonr(*zip(*points, strict=True)).statistic)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("deep.jsonl", "[" * 100_000, "nested too deeply"),
        ("half.jsonl", '{"system": "\\ud800", "item": "a", "accuracy": 1}\n', "half a character"),
        ("p.csv", TABLE, "64 bits"),
    ],
)
def test_odd_files_get_a_message(run: Run, tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    if name == "p.csv":
        (tmp_path / "p.tiebreak.yaml").write_text(f"run: {{seed: {10**30}}}\n")
    outcome = run("ingest", tmp_path / name, "--dataset", "d", "--format", "generic", code=2)
    assert said in outcome.stderr


@pytest.mark.parametrize("name", ["deep.json", "deep.jsonl"])
def test_deep_objects_are_refused_also_while_the_format_is_looked_for(
    run: Run, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text('{"a":' * 100_000 + "1" + "}" * 100_000)
    assert "nested too deeply" in run("ingest", tmp_path / name, code=2).stderr


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "replicability", "independent", "--repetitions", "0"],
        ["replicability", "A", "B", "--seed", "-1"],
        ["replicability", "A", "B", "--n-resamples", "0"],
        ["replicability", "A", "B", "--alpha", "2"],
        ["serve", "--port", "99999"],
    ],
)
def test_wrong_arguments_are_errors(run: Run, results: Path, words: list[str]) -> None:
    run("ingest", results)
    assert run(*words, code=2).stderr


def test_a_role_can_be_switched_off(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "trials.csv"
    path.write_text("system,item,run,acc\nA,1,x,1\nA,1,y,0\n", encoding="utf-8")
    words = ("ingest", path, "--dataset", "d", "--column", "trial=run", "--column", "run=")
    report = json.loads(run(*words, "--json").stdout)["result"]
    assert (report["runs_added"], report["scores_added"]) == (1, 2)
    assert "or as ROLE= where" in run("ingest", path, "--column", "run", code=2).output
