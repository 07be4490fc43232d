"""`tiebreak claims`, `ls claims`, `show claim`, `export claims`: the ledger on the command line."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chi2
from typer.testing import CliRunner

from dashboard.cli import app

Run = Callable[..., Any]
RIGHT = {"first": 100, "second": 150, "third": 152, "slow": 90}
"""How many of 200 items each system gets right: the better one those of the worse one and more."""
DAYS = {"first": "2021-03-01", "second": "2022-04-01", "third": "2023-05-01", "slow": "2023-06-01"}
CLAIM = {
    "--system": "second",
    "--dataset": "news",
    "--metric": "accuracy",
    "--value": "75.0%",
    "--date": "2022-04-01",
    "--source": "Paper, table 2",
}


def call(folder: Path, *words: str | Path, code: int = 0, store: str = "s.db") -> Any:
    """Run a command on a store in a folder."""
    outcome = CliRunner().invoke(app, ["--store", str(folder / store), *map(str, words)])
    if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
    assert outcome.exit_code == code, outcome.output
    return outcome


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store of four dated runs, to be copied."""
    folder = tmp_path_factory.mktemp("claims")
    write_results(folder / "results.csv", RIGHT)
    call(folder, "ingest", folder / "results.csv")
    return folder


@pytest.fixture
def run(filled: Path, tmp_path: Path) -> Run:
    """Return a function that runs a command on a store with four dated runs."""
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    return partial(call, tmp_path)


def write_results(path: Path, right: dict[str, int]) -> None:
    """Write the scores of systems as a file with its mapping file."""
    rows = [
        f"{system},news,q{item},accuracy,{int(item < n)},{DAYS[system]}"
        for system, n in right.items()
        for item in range(200)
    ]
    head = "system,dataset,item,metric,score,date"
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    note = "format: generic\nmetrics:\n  accuracy: {unit: proportion, lower: 0, upper: 1}\n"
    path.with_name("results.tiebreak.yaml").write_text(note, encoding="utf-8")


def add(run: Run, *more: str, code: int = 0, **changed: str) -> Any:
    """Run `claims add` with other values for some options."""
    said = CLAIM | {f"--{name}": value for name, value in changed.items()}
    return run("claims", "add", *(word for pair in said.items() for word in pair), *more, code=code)


def result(outcome: Any) -> dict[str, Any]:
    """Return the result in the one JSON object on standard output."""
    parsed = json.loads(outcome.stdout)
    assert set(parsed) == {"command", "signature", "store_revision", "warnings", "result"}
    found: dict[str, Any] = parsed["result"]
    return found


def test_claims_says_which_hold(run: Run) -> None:
    found = result(run("claims", "news", "--json"))
    expected = {
        *("date", "system", "score", "gain", "ci", "pvalue", "pvalue_sequential", "mde", "power"),
        *("type_m", "verdict", "look"),
    }
    assert all(expected <= set(row) for row in found["rows"])
    assert [(row["system"], row["look"]) for row in found["rows"]] == [
        ("first", 1), ("second", 2), ("third", 3),
    ]  # fmt: skip
    assert [row["verdict"] for row in found["rows"]][:2] == ["unverifiable", "supported"]
    assert found["rows"][2]["verdict"] in ("within-noise", "underpowered")
    assert found["rows"][0]["pvalue"] is None
    assert found["rows"][1]["pvalue"] == pytest.approx(chi2.sf(50, 1), rel=1e-9)
    assert found["rows"][2]["pvalue"] == pytest.approx(chi2.sf(2, 1))
    assert found["rows"][1]["gain"] == pytest.approx(0.25)
    assert found["rows"][1]["date"] == "2022-04-01T00:00:00+00:00"


def test_claims_prints_the_answer_then_a_line_per_claim(run: Run) -> None:
    lines = run("claims", "news").stdout.splitlines()
    assert lines[0].startswith("1 of 2 claims to be the best on news holds")
    assert any("2022-04-01" in line and "second" in line and "+0.250" in line for line in lines)
    assert any(line.strip().startswith("alpha spending (used)") for line in lines)
    assert "first: The first score" not in run("claims", "news").stdout
    assert "2021-03-01 first: The first score" in run("claims", "news", "--why").stdout


def test_options_change_the_audit(run: Run) -> None:
    settings = result(
        run(
            *("claims", "--metric", "accuracy", "news", "--alpha", "0.2", "--rule", "lord++"),
            *("--gain", "0.01", "--power", "0.9", "--counting", "looks", "--seed", "4", "--json"),
        )
    )["settings"]
    assert settings == {
        "alpha": 0.2, "rule": "lord++", "counting": "looks", "power": 0.9, "gain": 0.01,
        "order": "days", "n_resamples": 9999, "seed": 4, "failures": None,
    }  # fmt: skip
    usual, strict = (
        result(run("claims", "news", "--alpha", alpha, "--json"))["rows"][1]["level"]
        for alpha in ("0.05", "0.01")
    )
    assert strict == pytest.approx(usual / 5)
    assert "`gain` must" in run("claims", "news", "--gain", "-1", code=2).stderr
    assert "one of" in run("claims", "news", "--rule", "hope", code=2).stderr


@pytest.mark.parametrize("style", ["text", "markdown", "latex"])
def test_claims_as_a_report(run: Run, style: str) -> None:
    written = run("claims", "news", "--format", style).stdout
    assert "1 of 2 claims to be the best on news holds" in written
    assert "supported" in written


def test_claims_without_a_dataset_lists_what_there_is(run: Run) -> None:
    (row,) = result(run("claims", "--json"))["rows"]
    assert (row["dataset"], row["metric"], row["n_scores"]) == ("news", "accuracy", 4)
    shown = run("claims").stdout
    assert "news" in shown
    assert "2021-03-01" in shown
    assert "go with a dataset" in run("claims", "--format", "latex", code=2).stderr
    plain = CliRunner().invoke(app, ["claims", "--help"])
    assert "DATASET" in plain.stdout
    assert "--counting" in run("claims", "news", "--help").stdout


def test_claims_of_a_store_without_history(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "undated.csv"
    path.write_text("system,dataset,item,metric,score\nA,x,q1,accuracy,1\n", encoding="utf-8")
    run("ingest", path, store="other.db")
    assert "No dataset has a history of claims" in run("claims", store="other.db").stdout
    told = run("claims", "x", code=2, store="other.db").stderr
    assert "Nothing on 'x' has a date" in told
    assert (
        "There is no history of claims" in run("claims", "audit", code=2, store="other.db").stderr
    )
    assert "Did you mean 'news'" in run("claims", "newz", code=2).stderr


def test_a_dataset_that_is_called_like_a_command(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "add.csv"
    rows = [f"{s},add,q{i},accuracy,{int(i < n)},2021-01-0{n}" for s, n in (("A", 1), ("B", 2))
            for i in range(3)]  # fmt: skip
    path.write_text("\n".join(["system,dataset,item,metric,score,date", *rows]), encoding="utf-8")
    run("ingest", path)
    assert result(run("claims", "--json", "--", "add"))["dataset"]["name"] == "add"
    assert run("claims", "--", "add").stdout == run("claims", "--seed", "0", "add").stdout


def test_claims_add_writes_once(run: Run) -> None:
    made = result(add(run, "--json", quote="the best so far", url="https://x.org/a"))
    assert made["added"] is True
    assert (made["value"], made["printed"], made["origin"]) == (0.75, "75.0%", "hand")
    assert (made["quote"], made["source_url"]) == ("the best so far", "https://x.org/a")
    again = result(add(run, "--json", quote="the best so far"))
    assert (again["added"], again["uid"]) == (False, made["uid"])
    assert add(run, value="0.76").stdout.startswith("Added the claim of 0.76 by 'second' on 'news'")
    assert "holds the claim of 0.76" in add(run, value="0.76").stdout
    row = next(r for r in result(run("claims", "news", "--json"))["rows"] if r["quote"])
    assert (row["claim_uid"], row["claimed"], row["verdict"]) == (made["uid"], 0.75, "supported")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"value": "75"}, "75 is outside 0..1"),
        ({"value": "best"}, "`--value` 'best'"),
        ({"value": "-"}, "`--value` '-': holds no number"),
        ({"value": "< 0.8"}, "is a bound, not a value"),
        ({"date": "soon"}, "--date 'soon' is no date"),
        ({"date": "2999-01-01"}, "must not lie in the future"),
        ({"system": "secund"}, "Did you mean 'second'"),
        ({"metric": "acuracy"}, "Did you mean 'accuracy'"),
        ({"source": " "}, "`source` must say"),
    ],
)
def test_claims_add_refuses_what_cannot_be(run: Run, changed: dict[str, str], words: str) -> None:
    assert words in add(run, code=2, **changed).stderr
    assert result(run("ls", "claims", "--json"))["rows"] == []


def test_claims_add_about_a_run_needs_its_system(run: Run) -> None:
    runs = {row["system"]: row["uid"] for row in result(run("ls", "runs", "--json"))["rows"]}
    assert "There is no run 'zzz'" in add(run, "--run", "zzz", code=2).stderr
    assert "is not a run of 'second'" in add(run, "--run", runs["first"], code=2).stderr
    made = result(add(run, "--run", runs["second"], "--json"))
    assert made["run_uid"] == runs["second"]


def test_a_percentage_needs_a_metric_with_a_unit(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    path.write_text("system,dataset,item,metric,score\nA,x,q1,plain,1\n", encoding="utf-8")
    run("ingest", path, "--higher-is-better")
    told = add(run, code=2, system="A", dataset="x", metric="plain").stderr
    assert "'75.0%' is a percentage, and the unit of 'plain' is not stated" in told


def claims_file(path: Path, *lines: str) -> Path:
    """Write a file of claims."""
    head = "date,system,dataset,metric,value,source,quote"
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


def test_claims_import_reads_a_file_once(run: Run, tmp_path: Path) -> None:
    path = claims_file(
        tmp_path / "claims.csv",
        '2022-04-01,second,news,accuracy,0.75,"Paper, table 2",a new best',
        "2024-01-01,other,news,accuracy,0.9,Blog,",
    )
    dry = result(run("claims", "import", path, "--dry-run", "--json"))
    assert (dry["claims_added"], dry["dry_run"]) == (2, True)
    assert result(run("ls", "claims", "--json"))["rows"] == []
    done = result(run("claims", "import", path, "--json"))
    assert (done["claims_added"], done["systems_added"], done["skipped"]) == (2, ["other"], [])
    shown = run("claims", "import", path).stdout
    assert "0 claims added, 2 known already." in shown
    assert "New systems: second, other" in run("claims", "import", path, store="new.db").stdout


def test_claims_import_names_the_line_and_lenient_skips_it(run: Run, tmp_path: Path) -> None:
    path = claims_file(
        tmp_path / "claims.csv",
        "2022-04-01,second,news,accuracy,0.75,Paper,",
        "someday,third,news,accuracy,0.76,Paper,",
    )
    failed = run("claims", "import", path, code=2).stderr
    assert "line 3" in failed
    assert "someday" in failed
    partly = result(run("claims", "import", path, "--lenient", "--json", code=3))
    assert partly["claims_added"] == 1
    assert [(row["line"], row["field"]) for row in partly["skipped"]] == [(3, "date")]


def test_claims_import_takes_from_options_what_the_file_lacks(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "short.csv"
    path.write_text("who,value,source\nsecond,0.75,Paper\n", encoding="utf-8")
    words = ("--dataset", "news", "--metric", "accuracy", "--date", "2022-04-01")
    run("claims", "import", path, *words, "--column", "system=who")
    (row,) = result(run("ls", "claims", "--json"))["rows"]
    assert (row["system"], row["dataset"], row["value"]) == ("second", "news", 0.75)
    assert row["claimed_on"].startswith("2022-04-01")
    told = run("claims", "import", path, "--system", "A", code=2).stderr
    assert "do not say their dataset and metric and date" in told
    assert "--dataset" in told


def test_audit_finds_records_and_writes_only_what_is_new(run: Run) -> None:
    first = result(run("claims", "audit", "--json"))
    assert (first["n_found"], first["n_evidence_added"]) == (2, 2)  # the first beats nobody
    assert [(c["before"], c["after"]) for c in first["changes"]][:1] == [(None, "supported")]
    revision = json.loads(run("claims", "--json").stdout)["store_revision"]
    again = run("claims", "audit", "news", "--metric", "accuracy")
    assert "nothing was written" in again.stdout
    assert json.loads(run("claims", "--json").stdout)["store_revision"] == revision
    rows = result(run("ls", "claims", "--json"))["rows"]
    assert [(r["system"], r["origin"], r["n_audits"]) for r in rows] == [
        ("second", "found", 1), ("third", "found", 1),
    ]  # fmt: skip
    assert "supported" in run("ls", "claims").stdout


def test_a_verdict_changes_with_the_data_and_the_old_one_stays(run: Run, tmp_path: Path) -> None:
    assert "new" in run("claims", "audit").stdout
    uid = result(run("ls", "claims", "--json"))["rows"][0]["uid"]
    before = result(run("show", "claim", uid, "--json"))
    then = before["audited_at"]
    write_results(tmp_path / "results.csv", RIGHT | {"first": 149})
    run("ingest", tmp_path / "results.csv", "--replace")
    told = run("claims", "audit").stdout
    assert "second on news: supported, now" in told
    changed = result(run("claims", "changed", "--since", then, "--json"))
    (change,) = (c for c in changed["changes"] if c["claim"]["uid"] == uid)
    assert change["before"] == "supported"
    shown = run("claims", "changed", "--since", then).stdout
    assert uid in shown
    assert "supported" in shown
    assert result(run("claims", "changed", "--since", "2020-01-01", "--json"))["changes"] == []
    after = result(run("show", "claim", uid, "--json"))
    assert after["evidence"][:1] == before["evidence"]
    assert [e["verdict"] for e in after["evidence"]] == ["supported", change["claim"]["verdict"]]
    assert (
        "--since 'never' is no date" in run("claims", "changed", "--since", "never", code=2).stderr
    )


def test_show_claim_has_all_evidence(run: Run) -> None:
    uid = result(add(run, "--json", quote="the best so far"))["uid"]
    bare = run("show", "claim", uid).stdout
    assert "the best so far" in bare
    assert "figures of the latest audit" not in bare
    run("claims", "audit")
    found = result(run("show", "claim", uid, "--json"))
    assert (found["verdict"], found["n_audits"]) == ("supported", 1)
    (evidence,) = found["evidence"]
    assert evidence["figures"]["pvalue"] == pytest.approx(chi2.sf(50, 1), rel=1e-9)
    assert {event["action"] for event in found["history"]} == {"create", "audit"}
    shown = run("show", "claim", uid).stdout
    assert "figures of the latest audit" in shown
    assert f"{chi2.sf(50, 1):.4g}" in shown
    assert "There is no claim 'zzz'" in run("show", "claim", "zzz", code=2).stderr


def test_ls_claims_of_an_empty_ledger(run: Run) -> None:
    assert run("ls", "claims").stdout.strip() == "No claims yet."
    assert "claims cannot be deleted" in run("ls", "claims", "--deleted", code=2).stderr
    assert run("export", "claims").stdout.strip() == ""
    assert "0 claims." in run("export", "claims", "--format", "markdown").stderr


def test_export_holds_verdicts_and_figures(run: Run) -> None:
    add(run)
    add(run, system="first", value="0.5", date="2021-03-01")
    run("claims", "audit")
    first, second, third = csv.DictReader(io.StringIO(run("export", "claims").stdout))
    assert [row["verdict"] for row in (first, second)] == ["unverifiable", "supported"]
    assert (second["printed"], second["origin"], third["origin"]) == ("75.0%", "hand", "found")
    assert float(second["pvalue"]) == pytest.approx(chi2.sf(50, 1), rel=1e-9)
    assert float(second["ci_low"]) < float(second["gain"]) < float(second["ci_high"])
    assert (first["ci_low"], first["pvalue"]) == ("", "")
    assert "ci" not in first
    lines = run("export", "claims", "--format", "jsonl", "--dataset", "news").stdout.splitlines()
    assert [json.loads(line)["system"] for line in lines] == ["first", "second", "third"]
    assert "There is no metric" in run("export", "claims", "--metric", "zzz", code=2).stderr


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_exported_claims_can_be_imported_again(run: Run, tmp_path: Path, kind: str) -> None:
    add(run, quote='"best", they said', url="https://x.org")
    run("claims", "audit")
    out = tmp_path / f"claims.{kind}"
    run("export", "claims", "--format", kind, "--out", out)
    again = result(run("claims", "import", out, "--json"))
    assert (again["claims_added"], again["claims_unchanged"]) == (0, 2)
    run("ingest", tmp_path / "results.csv", store="other.db")
    fresh = result(run("claims", "import", out, "--json", store="other.db"))
    assert (fresh["claims_added"], fresh["systems_added"]) == (2, [])
    told = ("system", "value", "claimed_on", "source", "source_url", "quote")
    here, there = (
        [
            [row[name] for name in told]
            for row in result(run("ls", "claims", "--json", store=s))["rows"]
        ]
        for s in ("s.db", "other.db")
    )
    assert here == there


def test_export_as_a_table_to_print(run: Run, tmp_path: Path) -> None:
    add(run)
    run("claims", "audit")
    markdown = run("export", "claims", "--format", "markdown").stdout
    assert "| 2022-04-01 | second | news | accuracy | 75.0% | +0.25 |" in markdown
    assert "75.0\\%" in run("export", "claims", "--format", "latex").stdout
    out = tmp_path / "claims.tex"
    run("export", "claims", "--format", "latex", "--out", out)
    assert (
        "exists already"
        in run("export", "claims", "--format", "latex", "--out", out, code=2).stderr
    )
    assert "Parquet needs a file" in run("export", "claims", "--format", "parquet", code=2).stderr


def test_a_claim_says_what_its_subjects_were_called_then(run: Run) -> None:
    add(run)
    said = json.loads(run("claims", "news", "--json").stdout)["result"]
    assert {row["formerly"] for row in said["rows"]} == {""}
    assert "formerly" not in run("claims", "news", "--format", "markdown").stdout
    run("rename", "system", "second", "second 2.0")
    run("rename", "dataset", "news", "headlines")
    said = json.loads(run("claims", "headlines", "--json").stdout)["result"]
    told = {row["system"]: row["formerly"] for row in said["rows"] if row["claim_uid"]}
    assert told == {"second 2.0": "system second, dataset news"}
    report = run("claims", "headlines", "--format", "markdown").stdout
    assert "formerly" in report
    assert "system second, dataset news" in report
