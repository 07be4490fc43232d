"""Judgments on the command line: in, listed, weighed, out and in again."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.studies.humans.gold.study import RULES_IN_WORDS
from dashboard.cli import app
from store.arrays import load_matrix
from store.engine import open_store
from store.importers.bundle import (
    BundleCriterion,
    BundleDataset,
    BundleErrorSpan,
    BundleItem,
    BundlePreference,
    BundleRating,
    ImportBundle,
    SourceFile,
)
from store.ingest import ingest
from store.judgments import list_criteria, load_item_judgments, load_ratings
from store.stale_golds import RULES

NAN = float("nan")


def judged() -> ImportBundle:
    spans = [BundleErrorSpan("Major", "Acc", 1, 2, "ü", note='a "note"'), BundleErrorSpan("Minor")]
    return ImportBundle(
        format="test",
        files=[SourceFile("judged.csv", "0" * 64)],
        datasets=[BundleDataset("d", items=[BundleItem(f"i{k}", f"g{k // 2}") for k in range(4)])],
        criteria=[
            BundleCriterion("fluency", 0, level="ordinal", lower=1, upper=5),
            BundleCriterion("mqm", 0, "error-spans", weights={"Major": 5, "Minor": 0.5}),
            BundleCriterion("topic", 0, level="nominal", labels=["b", "a"]),
            BundleCriterion("better", 0, "preference"),
            BundleCriterion("grade", 0, level="ordinal", labels=["poor", "fair"]),
        ],
        annotators={"judge": "model"},
        ratings=[
            BundleRating(0, "x", 0, "A", 3),
            BundleRating(0, "judge", 0, "B", 4.5, replicate=1),
            BundleRating(1, "x", 0, "A", NAN, spans=spans),
            BundleRating(1, "x", 0, "B", NAN),
            BundleRating(2, "x", 0, None, 1.0),
            BundleRating(2, "x", 1, None, 0.0),
            BundleRating(4, "x", 1, "A", 1.0),
        ],
        preferences=[
            BundlePreference(3, "x", 1, "A", "B", "second", 0.75, True, 10, 20),
            BundlePreference(3, "judge", 2, "B", "A", "tie", order_known=True),
        ],
    )


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Return a function that runs a command on a store with judgments of every kind."""
    path = tmp_path / "s.db"
    store = open_store(path, create=True)
    ingest(store, judged(), actor="t")
    store.close()

    def call(*words: str | Path, code: int = 0, store: Path = path) -> Any:
        outcome = CliRunner().invoke(app, ["--store", str(store), *map(str, words)])
        assert outcome.exit_code == code, outcome.output
        return outcome

    return call


def result(outcome: Any) -> Any:
    return json.loads(outcome.stdout)["result"]


def test_criteria_and_annotators_are_listed(run):
    found = result(run("ls", "criteria", "--json"))["rows"]
    assert [row["name"] for row in found] == ["fluency", "mqm", "topic", "better", "grade"]
    found = result(run("ls", "annotators", "--json"))["rows"]
    assert [(row["name"], row["kind"]) for row in found] == [("judge", "model"), ("x", "human")]
    assert "error-spans" in run("ls", "criteria").stdout
    assert "judge" in run("ls", "annotators").stdout
    assert "cannot be deleted" in run("ls", "criteria", "--deleted", code=2).stderr


def test_metrics_say_who_gives_their_scores(run):
    found = result(run("ls", "metrics", "--json"))["rows"]
    assert {(row["name"], row["source"]) for row in found} == {
        *(("fluency", "human"), ("fluency", "model"), ("mqm", "human"), ("grade", "human")),
        *(("better", "human"), ("better", "model")),
    }


def test_dataset_shows_its_criteria(run):
    found = result(run("show", "dataset", "d", "--json"))["criteria"]
    assert [row["name"] for row in found] == ["fluency", "mqm", "topic", "better", "grade"]
    assert "error-spans" in run("show", "dataset", "d").stdout


def test_weights_are_changed_and_told(run, tmp_path):
    said = run("weights", "d", "mqm", "Major=10", "Minor Fluency=0.1", "Minor=1").stdout
    assert said == (
        "'mqm' on 'd': Major 10, Minor 1, Minor Fluency 0.1 (before: Major 5, Minor 0.5). "
        "2 ratings and their means over annotators follow.\n"
    )
    store = open_store(tmp_path / "s.db")
    assert load_ratings(store, "d", "mqm").value.tolist() == [11, 0]
    store.close()
    words = ["weights", "d", "mqm", "Major=10", "Minor Fluency=0.1", "Minor=1"]
    assert "these weights already: nothing changed" in run(*words).stdout
    found = result(run("weights", "d", "mqm", "Major=1", "Minor=1", "--json"))
    assert found["before"] == {"Major": 10, "Minor Fluency": 0.1, "Minor": 1}
    assert found["criterion"]["weights"] == {"Major": 1, "Minor": 1, "Minor Fluency": 0.1}


def test_weights_say_which_golds_are_made_anew_and_how(run, tmp_path):
    run("gold", "d", "mqm", "--rule", "median")
    command = "tiebreak gold d mqm --rule median"
    outcome = run("weights", "d", "mqm", "Major=10")
    assert (
        "'mqm [human: median of annotators]' was computed before the weights changed: compute it "
        f"again with `{command}`." in outcome.stderr
    )
    answer = json.loads(run("weights", "d", "mqm", "Major=20", "--json").stdout)
    [stale] = answer["result"]["stale"]
    assert (stale["metric"], stale["command"]) == ("mqm [human: median of annotators]", command)
    assert len(answer["warnings"]) == 1
    run(*command.split()[1:])
    store = open_store(tmp_path / "s.db")
    assert np.nanmax(load_matrix(store, "d", stale["uid"]).scores) == 20.5
    store.close()


def test_commands_of_golds_are_those_that_gold_takes():
    assert {words: rule for rule, words in RULES_IN_WORDS.items()} == RULES


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mqm", "Major"], "'Major': write it as SEVERITY=WEIGHT, as Major=5."),
        (["mqm", "Major=x"], "'Major=x': write it as"),
        (["mqm", "Major=-1"], "The weight of 'Major' is a penalty"),
        (["fluency", "Major=1"], "holds values as given"),
        (["Mqm", "Major=1"], "Did you mean 'mqm'?"),
    ],
)
def test_wrong_weights_are_refused_in_words(run, words, said):
    assert said in run("weights", "d", *words, code=2).stderr


def test_exported_judgments_come_in_again_as_they_were(run, tmp_path):
    tables = (["fluency", "mqm", "topic"], ["grade"], ["better"])
    other = tmp_path / "other.db"
    for number, names in enumerate(tables):
        chosen = [word for name in names for word in ("--criterion", name)]
        out = tmp_path / f"{number}.csv"
        run("export", "judgments", "d", *chosen, "--out", out)
        again = result(run("ingest", out, "--json"))
        assert (again["judgments_added"], again["judgments_replaced"]) == (0, 0)
        assert again["judgments_unchanged"] > 0
        run("ingest", out, store=other)
    first, second = open_store(tmp_path / "s.db"), open_store(other)
    for store in (first, second):
        assert sum(record.n_judgments for record in list_criteria(store)) == 9
    kept = ("kind", "level", "lower", "upper", "higher_is_better")
    scales = [
        {record.name: [getattr(record, name) for name in kept] for record in list_criteria(store)}
        for store in (first, second)
    ]
    assert scales[0] == scales[1]
    for key in ("i0", "i1", "i2"):
        found = []
        for store in (first, second):
            judged = load_item_judgments(store, "d", key)
            rows = [row.to_dict() for row in (*judged.ratings, *judged.preferences)]
            for row in rows:
                if row.get("label"):
                    row["value"] = None  # the order of labels may differ, their names do not
            found.append(sorted(rows, key=lambda row: json.dumps(row, sort_keys=True)))
        assert found[0] == found[1]
    first.close()
    second.close()


def test_exported_preferences_are_a_table(run):
    rows = list(csv.DictReader(io.StringIO(
        run("export", "judgments", "d", "--criterion", "better").stdout
    )))  # fmt: skip
    assert rows[0] == {
        "dataset": "d", "annotator": "x", "annotator_kind": "human", "item": "i1", "group": "g0",
        "first": "A", "second": "B", "criterion": "better", "choice": "second",
        "strength": "0.75", "order_known": "True", "first_length": "10", "second_length": "20",
        "replicate": "0",
    }  # fmt: skip
    lines = run("export", "judgments", "d", "--criterion", "topic", "--format", "jsonl").stdout
    assert [json.loads(line)["rating"] for line in lines.splitlines()] == ["a", "b"]


def test_what_does_not_fit_in_one_table_is_said(run, tmp_path):
    said = run("export", "judgments", "d", code=2).stderr
    assert "ratings: --criterion 'fluency' --criterion 'mqm' --criterion 'topic'" in said
    assert "preferences: --criterion 'better'" in said
    assert "ratings as poor, fair: --criterion 'grade'" in said
    assert "There is no criterion 'x' on 'd'" in run(
        "export", "judgments", "d", "--criterion", "x", code=2
    ).stderr  # fmt: skip
    out = tmp_path / "o.parquet"
    run("export", "judgments", "d", "--criterion", "fluency", "--format", "parquet", "--out", out)
    assert "2 judgments unchanged" in run("ingest", out).stdout


def test_dataset_without_judgments_has_none_to_export(run, tmp_path):
    plain = tmp_path / "scores.csv"
    plain.write_text("system,item,score\nA,1,0.5\nA,2,1\n")
    run("ingest", plain, "--dataset", "plain", "--metric", "acc", "--higher-is-better")
    said = run("export", "judgments", "plain", code=2).stderr
    assert "Nothing was judged on 'plain' yet." in said


def test_conflict_and_replace_on_the_command_line(run, tmp_path):
    table = tmp_path / "new.csv"
    table.write_text("dataset,annotator,item,system,criterion,rating\nd,x,i0,A,fluency,2\n")
    words = ["ingest", table, "--option", "level=ordinal"]
    said = run(*words, code=2).stderr
    assert "by 'x' on item 'i0' of dataset 'd' for 'fluency' as 3, the file says 2" in said
    found = result(run(*words, "--replace", "--json"))
    assert (found["judgments_replaced"], found["judgments_added"]) == (1, 0)
