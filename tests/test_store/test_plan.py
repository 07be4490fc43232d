"""The plan of an import: what goes in, what is asked, what is left out, and the exit code."""

import errno
import json

import pytest
import yaml
from typer.testing import CliRunner

from dashboard.cli import app
from store.commands import ingest as ingest_command
from store.engine import open_for_trial
from store.importers.detect import read_paths
from store.ingest import ingest_all
from store.progress import listening

LONG = "system,dataset,item,metric,score\nA,d,1,acc,1\nB,d,1,acc,0\n"
UNKNOWN = "system,dataset,item,metric,score\nA,d,1,zork,1\nA,d,1,acc,1\n"


@pytest.fixture
def ingest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words, code=0, stdin=None):
        words = ["--store", "s.db", "ingest", *map(str, words)]
        outcome = CliRunner().invoke(app, words, input=stdin)
        assert outcome.exit_code == code, outcome.output
        return outcome

    return run


def states(outcome):
    entries = json.loads(outcome.stdout)["result"]["plan"]["entries"]
    return {name: entry["state"] for entry in entries for name in entry["files"]}


def test_a_folder_goes_in_but_for_what_is_damaged(ingest, tmp_path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "a.csv").write_text(LONG)
    (folder / "README.md").write_text("# Notes")
    found = states(ingest("r", "--json"))
    assert found == {"r/a.csv": "certain", "r/README.md": "left out"}
    (folder / "b.csv").write_text(LONG.replace("d,1", "e,1").replace("acc,0", "acc,zero"))
    ingest(folder / "b.csv", code=2)
    outcome = ingest(folder, code=3)
    assert "line 3" in outcome.stdout
    assert "zero" in outcome.stdout


def test_an_empty_file_becomes_the_store(ingest, tmp_path) -> None:
    (tmp_path / "s.db").touch()
    (tmp_path / "a.csv").write_text(LONG)
    assert states(ingest("a.csv", "--json")) == {"a.csv": "certain"}


def test_a_dataset_with_figures_only_is_shown_without_a_count(ingest, tmp_path) -> None:
    (tmp_path / "eval_results.json").write_text('{"accuracy": 0.5, "f1": 0.25}')
    shown = ingest("eval_results.json").stdout
    assert "datasets:" in shown
    assert "items)" not in shown


def test_files_that_say_the_same_are_one_entry(ingest, tmp_path) -> None:
    (tmp_path / "r").mkdir()
    for number in range(12):
        (tmp_path / "r" / f"{number:02}.csv").write_text(
            LONG.replace("A,d", f"A{number},d{number % 2}")
        )
    (tmp_path / "r" / "other.csv").write_text("system,dataset,item,f1\nA,e,1,0.5\n")
    shown = " ".join(ingest("r").stdout.split())
    assert "r/00.csv, r/01.csv, r/02.csv and 9 more as generic" in shown
    assert "systems: A0, B, A1, A2 and 9 more; datasets: d0, d, d1 (3 items)" in shown
    assert "acc ↑ 0 to 1" in shown
    assert "r/other.csv as generic" in shown
    assert len(states(ingest("r", "--json"))) == 13


def test_files_that_differ_in_their_names_alone_are_one_entry(ingest, tmp_path) -> None:
    for number in range(12):
        path = tmp_path / "r" / f"model-{number}" / "squad.csv"
        path.parent.mkdir(parents=True)
        path.write_text(f"item,acc\nq1,{number % 2}\n")
    told = ingest("r").stdout
    assert told.count("as generic (guessed)") == 1
    assert "squad.csv and 9 more as generic" in told.replace("\n", " ")
    assert "The whole file is of system" not in told
    assert told.count("guessed: system is model-0, model-1, model-10, model-11 and 8 more") == 1


def test_names_are_printed_as_they_are(ingest, tmp_path) -> None:
    (tmp_path / "a\nb.csv").write_text(LONG.replace("A,", "gpt:x:1,"))
    told = ingest(tmp_path / "a\nb.csv").stdout
    assert "a␊b.csv as generic" in told
    assert "gpt:x:1" in told


def test_what_contradicts_the_store_is_left_out_of_a_folder(ingest, tmp_path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "a.csv").write_text(LONG)
    ingest("r")
    (tmp_path / "r" / "a.csv").write_text(LONG.replace("acc,0", "acc,0.5"))
    (tmp_path / "r" / "b.csv").write_text(LONG.replace("A,", "C,").replace("B,", "D,"))
    outcome = ingest("r", "--json", code=3)
    assert [state for _, state in sorted(states(outcome).items())] == ["left out", "certain"]
    assert json.loads(outcome.stdout)["result"]["systems_added"] == ["C", "D"]
    ingest("r/a.csv", code=2)


@pytest.mark.parametrize("flags", [(), ("--replace",)])
def test_files_of_a_folder_that_contradict_each_other_are_told_of_both(ingest, tmp_path, flags):
    folder = tmp_path / "r"
    folder.mkdir()
    rows = ("A,d,1,acc,1\nA,d,2,acc,1", "A,d,2,acc,0\nA,d,3,acc,1", "A,d,4,acc,1", "A,d,1,acc,0")
    for number, text in enumerate(rows):
        (folder / f"part{number}.csv").write_text(f"system,dataset,item,metric,score\n{text}\n")
    outcome = ingest(folder, *flags, "--json", code=3)
    assert list(states(outcome).values()) == ["certain", "left out", "certain", "left out"]
    reasons = [one["reason"] for one in json.loads(outcome.stdout)["result"]["plan"]["entries"]]
    assert reasons[1].startswith("field 'acc': item '2' of 'A' on 'd' has a score for 'acc' here")
    assert "and in " in reasons[3]
    assert "r/part0.csv" in reasons[3]


def test_a_dry_run_shows_the_same_plan_and_writes_nothing(ingest, tmp_path) -> None:
    (tmp_path / "a.csv").write_text(UNKNOWN)
    dry = ingest("a.csv", "--dry-run", "--json", code=3)
    assert not (tmp_path / "s.db").exists()
    assert not (tmp_path / "tiebreak-questions.yaml").exists()
    wet = ingest("a.csv", "--json", code=3)
    plans = [json.loads(one.stdout)["result"]["plan"] for one in (dry, wet)]
    assert plans[0] == plans[1]


def test_a_dry_run_shows_the_plan_also_where_all_is_asked(ingest, tmp_path) -> None:
    for name in ("a/x", "a/y", "b/x", "b/y"):
        path = tmp_path / "r" / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"item,acc\n{name},1\nq2,0\n")
    outcome = ingest("r", "--dry-run", "--json", code=2)
    assert set(states(outcome).values()) == {"asks"}
    assert "asks:" in ingest("r", "--dry-run", code=2).stdout
    assert not (tmp_path / "tiebreak-questions.yaml").exists()
    outcome = ingest("r", code=2)
    assert outcome.stderr.count("both vary") == 1
    assert "Error: r/a/x.csv, r/a/y.csv, r/b/x.csv and 1 more: tables with" in outcome.stderr


def test_what_is_asked_waits_for_its_answer(ingest, tmp_path) -> None:
    (tmp_path / "a.csv").write_text(UNKNOWN)
    ingest("a.csv", "--strict", code=2)
    first = ingest("a.csv", "--json", code=3)
    assert json.loads(first.stdout)["result"]["metrics_added"] == ["acc"]
    path = tmp_path / "tiebreak-questions.yaml"
    (question,) = yaml.safe_load(path.read_text())
    assert (question["ask"], question["answer"]) == ("metric zork: direction", "higher")
    path.write_text(path.read_text().replace("answer: higher", "answer: lower"))
    second = json.loads(ingest("a.csv", "--answers", path, "--json").stdout)["result"]
    assert second["metrics_added"] == ["zork"]
    (metric,) = [m for m in second["plan"]["entries"][0]["metrics"] if m["name"] == "zork"]
    assert metric["higher_is_better"] is False
    uid = json.loads(ingest("a.csv", "--replace", "--json").stdout)["result"]["import_uid"]
    assert uid is None, "nothing new"
    path.write_text(path.read_text().replace("answer: lower", "answer: sideways"))
    ingest("a.csv", "--answers", path, code=2)


def test_what_is_said_of_columns_holds_for_tables_with_the_same(ingest, tmp_path) -> None:
    table = "model,qno,right,acc\nA,q1,x,0.5\nA,q2,y,1\n"
    (tmp_path / "a.csv").write_text(table)
    (tmp_path / "b.csv").write_text(table.replace("A,", "B,"))
    (tmp_path / "c.csv").write_text(table.replace("qno", "number"))
    subject = "column for item in tables with model, qno, right, acc"
    said = ("--dataset", "d", "--json")

    def entry(name, *words):
        return json.loads(ingest(name, *said, *words).stdout)["result"]["plan"]["entries"][0]

    assert entry("b.csv", "--dry-run")["read_as"] == "reported"
    assert entry("a.csv", "--column", "item=qno", "--dry-run")["said"] == {subject: "qno"}
    assert entry("b.csv", "--dry-run")["read_as"] == "reported", "a dry run is not remembered"
    entry("a.csv", "--column", "item=qno")
    known = entry("b.csv", "--dry-run")
    assert (known["read_as"], known["answered"]) == ("generic", {subject: "qno"})
    assert entry("c.csv", "--dry-run")["read_as"] == "reported"
    outcome = CliRunner().invoke(app, ["--store", "s.db", "answers", "--forget", subject])
    assert outcome.exit_code == 0, outcome.output
    assert entry("b.csv", "--dry-run")["read_as"] == "reported"


def test_a_yaml_goes_before_what_is_remembered_of_columns(ingest, tmp_path) -> None:
    table = "model,qno,other,acc\nA,q1,x,0.5\nA,q2,y,1\n"
    (tmp_path / "a.csv").write_text(table)
    (tmp_path / "b.csv").write_text(table.replace("A,", "B,"))
    (tmp_path / "b.tiebreak.yaml").write_text("columns: {item: other}\n")
    ingest("a.csv", "--column", "item=qno", "--dataset", "d")
    (entry,) = json.loads(ingest("b.csv", "--dataset", "e", "--json").stdout)["result"]["plan"][
        "entries"
    ]
    assert "item = 'other'" in " ".join(entry["understood"])


@pytest.mark.parametrize(
    ("rows", "told", "criteria"),
    [
        (
            ["g,model,q1,A,B,a", "h,model,q1,A,B,b"],
            "2 judges: each is a metric of its own",
            ["preference by g", "preference by h"],
        ),
        (
            [f"g,model,q1,{one},{base},a" for base in "XY" for one in "ABC"],
            "2 baselines: each is a metric of its own",
            ["preference against X", "preference against Y"],
        ),
    ],
)
def test_judges_and_baselines_of_a_file_are_apart_in_the_plan(
    ingest, tmp_path, rows, told, criteria
) -> None:
    head = "annotator,annotator_kind,item,system_a,system_b,winner"
    (tmp_path / "pairs.csv").write_text("\n".join([head, *rows, ""]))
    result = json.loads(ingest("pairs.csv", "--dataset", "d", "--json").stdout)["result"]
    assert result["criteria_added"] == criteria
    (entry,) = result["plan"]["entries"]
    assert any(told in sentence for sentence in entry["understood"])


def test_an_answer_is_asked_for_once(ingest, tmp_path) -> None:
    (tmp_path / "a.csv").write_text(UNKNOWN)
    answers = tmp_path / "said.yaml"
    answers.write_text("- {ask: 'metric zork: direction', answer: lower}\n")
    uid = json.loads(ingest("a.csv", "--answers", answers, "--json").stdout)["result"]["import_uid"]

    def call(*words):
        outcome = CliRunner().invoke(app, ["--store", "s.db", *words])
        assert outcome.exit_code == 0, outcome.output
        return outcome.stdout

    call("undo", uid)
    assert "zork" in call("answers")
    (entry,) = json.loads(ingest("a.csv", "--dry-run", "--json").stdout)["result"]["plan"][
        "entries"
    ]
    assert entry["answered"] == {"metric zork: direction": "lower"}
    assert "zork" not in call("answers", "--forget", "metric zork: direction")
    ingest("a.csv", "--dry-run", code=3)


def test_yes_takes_every_guess(ingest, tmp_path) -> None:
    (tmp_path / "a.csv").write_text(UNKNOWN)
    result = json.loads(ingest("a.csv", "--yes", "--json").stdout)["result"]
    (guess,) = result["plan"]["entries"][0]["guesses"]
    assert (guess["subject"], guess["value"]) == ("metric zork: direction", "higher")


def test_standard_input_is_read(ingest) -> None:
    assert states(ingest("-", "--json", stdin=LONG)) == {"standard input": "certain"}


def test_score_and_gold_are_for_outputs(ingest, tmp_path) -> None:
    (tmp_path / "a.csv").write_text(LONG)
    assert "nothing was scored" in ingest("a.csv", "--score", "bleu", code=2).output
    assert "no such file" in ingest("a.csv", "--gold", "nope.txt", code=2).output
    (tmp_path / "m.csv").write_text("id,prediction\nx,1\ny,2\n")
    (tmp_path / "right.csv").write_text("id,answer\nx,1\ny,3\n")
    told = ingest("m.csv", "--gold", "right.csv", "--score", "em,token_f1").stdout
    assert "exact_match" in told
    assert "4 scores added" in told


def test_names_that_differ_in_capitals_are_asked_about(ingest, tmp_path) -> None:
    (tmp_path / "a.csv").write_text(LONG)
    ingest("a.csv")
    lower = LONG.replace("A,", "a,").replace("B,", "b,")
    (tmp_path / "b.csv").write_text(lower.replace("acc", "f1"))
    (tmp_path / "c.csv").write_text(lower.replace("acc", "em"))
    ingest("b.csv", "c.csv", code=2)
    path = tmp_path / "tiebreak-questions.yaml"
    asked = yaml.safe_load(path.read_text())
    assert {one["answer"] for one in asked} == {"two"}
    path.write_text(path.read_text().replace("answer: two", "answer: one", 1))
    outcome = ingest("b.csv", "c.csv", "--answers", path.name, "--json")
    assert json.loads(outcome.stdout)["result"]["systems_added"] == ["b"]  # a is A


def test_capitals_of_one_file_stay_apart_where_nobody_is_asked(ingest, tmp_path) -> None:
    (tmp_path / "a.csv").write_text(LONG.replace("B,", "a,"))
    outcome = ingest("a.csv", "--yes", "--json")
    assert json.loads(outcome.stdout)["result"]["systems_added"] == ["A", "a"]
    (tmp_path / "b.csv").write_text(LONG.replace("d,", "D,").replace("B,", "a,"))
    ingest("b.csv", "--case-matters")


@pytest.mark.parametrize(
    ("text", "told"),
    [("- ask: metric zork: direction\n", ", line 1"), ("ask: a\n", "no list"), ("- {ask: a}", "1")],
)
def test_a_file_of_answers_that_is_none_is_named(ingest, tmp_path, text, told) -> None:
    (tmp_path / "a.csv").write_text(UNKNOWN)
    (tmp_path / "said.yaml").write_text(text)
    outcome = ingest("a.csv", "--answers", "said.yaml", code=2)
    assert "said.yaml" in outcome.output
    assert told in outcome.output
    assert "answer: WORD" in outcome.output


@pytest.mark.parametrize("stops_in", ["read_paths", "ingest_settled"])
@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_ctrl_c_ends_in_words_and_leaves_the_store(
    ingest, tmp_path, monkeypatch, stops_in, more
) -> None:
    (tmp_path / "a.csv").write_text(LONG)
    ingest("a.csv")
    before = (tmp_path / "s.db").read_bytes()
    (tmp_path / "b.csv").write_text(LONG.replace("A,", "C,"))
    work = getattr(ingest_command, stops_in)

    def stop(*given, **named):
        work(*given, **named | {"dry_run": True} if stops_in == "ingest_settled" else named)
        raise KeyboardInterrupt

    monkeypatch.setattr(ingest_command, stops_in, stop)
    outcome = ingest("b.csv", *more, code=130)
    assert "Nothing was written" in outcome.stderr
    assert (tmp_path / "s.db").read_bytes() == before


def test_ctrl_c_after_the_writing_says_where_to_look(ingest, tmp_path, monkeypatch) -> None:
    (tmp_path / "a.csv").write_text(LONG)

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(ingest_command, "show_plan", stop)
    assert "tiebreak ls ingests" in ingest("a.csv", code=130).stderr


def test_progress_tells_files_rows_and_scores(tmp_path, monkeypatch) -> None:
    (tmp_path / "r").mkdir()
    for name in "ab":
        (tmp_path / "r" / f"{name}.csv").write_text(LONG.replace(",d,", f",{name},"))
    steps = []
    with (
        listening(lambda step: steps.append(str(step))),
        open_for_trial(tmp_path / "s.db") as store,
    ):
        read = read_paths(tmp_path / "r")
        ingest_all(store, read.bundles, actor="t")
    assert any(step.startswith("Looking at files: 1 of 2") for step in steps)
    assert "Reading files: 1 of 2, 4 rows" in steps
    assert steps[-1] == "Writing files: 0 of 2, 4 scores"  # both at once


def test_a_name_written_as_folders_write_it_is_joined_with_the_full_one(ingest, tmp_path) -> None:
    (tmp_path / "r").mkdir()
    text = "model,revision,dataset,item,acc\norg{}net,7,{},1,1\na__b,7,{},1,0\n"
    (tmp_path / "r" / "a.csv").write_text(text.format("__", "d", "d"))
    (tmp_path / "r" / "b.csv").write_text(text.format("/", "e", "e"))
    result = json.loads(ingest("r", "--json").stdout)["result"]
    assert sorted(result["systems_added"]) == ["a__b@7", "org/net@7"]
    [guess] = [g for e in result["plan"]["entries"] for g in e["guesses"] if "net" in g["value"]]
    assert (guess["value"], "org__net" in guess["because"]) == ("org/net@7", True)
    (tmp_path / "c.csv").write_text(text.format("__", "f", "f"))
    assert json.loads(ingest("c.csv", "--json").stdout)["result"]["systems_added"] == []


def test_a_judge_that_failed_gave_no_zero(ingest, tmp_path) -> None:
    rows = [{"prompt": f"q{n}", "reference": "r", "prediction": "p", "coherence": n and 0.5,
             "rationale": "so" if n else "judge error: '…'"} for n in range(3)]  # fmt: skip
    (tmp_path / "net").mkdir()
    path = tmp_path / "net" / "judgments.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    outcome = ingest("net", "--yes")
    assert "2 scores added" in outcome.stdout
    assert "judge failed" in outcome.stdout
    path.write_text(json.dumps(rows[0]) + "\n" + json.dumps({**rows[0], "prompt": "q9"}))
    told = ingest("net", "--yes").stdout
    assert "judge failed" in told
    assert "scores added" not in told


def test_questions_that_cannot_be_kept_are_no_crash(ingest, tmp_path) -> None:
    (tmp_path / "tiebreak-questions.yaml").mkdir()
    (tmp_path / "a.csv").write_text(UNKNOWN)
    outcome = ingest("a.csv", code=3)
    assert "cannot be kept in tiebreak-questions.yaml here (Is a directory)" in outcome.stderr


def test_an_answer_that_a_full_disk_cannot_take_is_told(ingest, tmp_path, monkeypatch) -> None:
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ingest_command, "show_plan", full)
    (tmp_path / "a.csv").write_text(LONG)
    outcome = CliRunner().invoke(app, ["--store", "s.db", "ingest", "a.csv"])
    assert outcome.exit_code == 2
    assert "the answer cannot be written, for the disk is full" in outcome.stderr
