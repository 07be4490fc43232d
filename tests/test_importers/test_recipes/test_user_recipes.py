"""A person's own recipe, and what the parts of a recipe mean."""

import json
import tempfile
from pathlib import Path

import pytest

from store.errors import ImportFormatError
from store.importers.bundle import Status
from store.importers.detect import read_paths
from store.importers.recipes.recipe import parse_recipe

from .conftest import figures_of, scores_of, zipped

GUIDE = Path(__file__).parents[3] / "docs" / "importing.md"
RECIPE = next(
    block for block in GUIDE.read_text().split("```") if block.strip().startswith("name: our-tool")
)


def answer(key, verdict="right", state="done", topic="birds", **more):
    question = {"id": key, "text": f"What of {key}?", "topic": topic}
    return {"question": question, "verdict": verdict, "state": state, **more}


def results(*answers, **more):
    return {"model_name": "net", "answers": list(answers), **more}


def test_the_example_of_the_guide(put, read):
    put(RECIPE, "tiebreak-recipe.yaml")
    told = {"summary": {"accuracy": 0.75}, "spread": 0.2, "finished": 1767225600}
    answers = [answer("q1", took=2), answer("q2", "half", took=1), answer("q3", state="crashed")]
    put(results(*answers, **told), "quiz/run.json")
    (bundle,) = read().bundles
    assert scores_of([bundle]) == {
        ("net", "quiz", "accuracy", 0): {"q1": 1, "q2": 0.5, "q3": None},
        ("net", "quiz", "seconds", 0): {"q1": 2, "q2": 1, "q3": None},
    }
    assert figures_of([bundle]) == {("net", "quiz", "accuracy"): [0.75]}
    (run,), (stated,) = bundle.runs, bundle.reported_scores
    assert run.statuses[0].tolist() == [Status.OK, Status.OK, Status.ERROR]
    assert (stated.run, stated.stderr, run.provenance.evaluated_on.year) == (0, 0.2, 2026)
    assert [metric.higher_is_better for metric in bundle.metrics] == [True, False]
    assert bundle.datasets[0].items[0].metadata == {"topic": "birds"}


def test_a_recipe_beside_the_store_holds_for_every_file(put, read, tmp_path):
    put(RECIPE, "kept/ours.recipe.yaml")
    put(results(answer("q1")), "deep/a/b/c/d/run.json")
    assert read("deep").bundles == []
    (bundle,) = read("deep", recipes=tmp_path / "kept").bundles
    assert bundle.format == "our-tool"


@pytest.fixture
def stray(put, tmp_path):
    """Return a folder two below a recipe that somebody else put there, with a file for it."""
    put(RECIPE, "tiebreak-recipe.yaml")
    put(results(answer("q1")), "mine/quiz/run.json")
    return tmp_path / "mine" / "quiz"


def formats(path):
    return [bundle.format for bundle in read_paths([path]).bundles]


def test_a_recipe_above_what_was_named_is_nobodys(stray, tmp_path, monkeypatch):
    assert formats(tmp_path) == ["our-tool"]
    assert formats(stray) == []
    monkeypatch.chdir(tmp_path / "mine")
    assert formats(Path("quiz")) == []
    monkeypatch.chdir(tmp_path)
    assert formats(Path("mine/quiz/run.json")) == ["our-tool"]
    (tmp_path / "mine").chmod(0o1777)
    assert formats(Path("mine")) == []


def test_a_recipe_above_where_archives_are_unpacked_is_nobodys(put, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    put(RECIPE, "tiebreak-recipe.yaml")
    run = json.dumps(results(answer("q1"))).encode()
    assert formats(put(zipped([("a/run.json", run)], 0), "in/x.zip")) == []
    own = {"tiebreak-recipe.yaml": RECIPE.encode(), "a/run.json": run}
    assert formats(put(zipped(own.items(), 0), "in/y.zip")) == ["our-tool"]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("match: {}", "recognised"),
        ("match: {files: x}\nstatus: {value: s, values: {x: perhaps}}", "perhaps"),
        ("match: {files: x}\nfields: {systems: a}", "systems"),
        ("match: {files: x}\nreported: {metric: a, value: b}", "needs `from`"),
    ],
)
def test_a_recipe_that_is_wrong_names_its_line(wrong, told):
    with pytest.raises(ImportFormatError, match=told) as raised:
        parse_recipe("name: x\nmetrics: {a: b}\n" + wrong, "x.recipe.yaml")
    assert raised.value.line is not None


def test_a_broken_recipe_is_told_with_the_data_beside_it(put, read):
    put("name: x\nmatch: {}\nmetrics: {a: b}", "x.recipe.yaml")
    put(results(answer("q1")), "run.json")
    with pytest.raises(ImportFormatError, match="recognised"):
        read()


def test_what_changes_for_an_item_is_no_property_and_another_input_is_refused(put, read):
    put(RECIPE, "tiebreak-recipe.yaml")
    put(results(answer("q1", attempt=1), answer("q1", attempt=2, topic="bees")), "run.json")
    (bundle,) = read().bundles
    assert bundle.datasets[0].items[0].metadata is None
    other = answer("q1", attempt=2)
    other["question"]["text"] = "Another?"
    put(results(answer("q1", attempt=1), other), "run.json")
    with pytest.raises(ImportFormatError, match="another input"):
        read()


ONE_OBJECT = """
name: board
match: {kind: json, has: [results]}
records: results.*
fields: {system: $.model, dataset: $.dataset, item: id}
metrics: {ok: {value: ok, higher_is_better: true}}
"""


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n", "\n \n"])
@pytest.mark.parametrize("name", ["a.json", "a.txt", "a"])
def test_one_line_of_json_is_json_whatever_follows(put, read, name, end):
    put(ONE_OBJECT, "board.recipe.yaml")
    board = {"model": "m", "dataset": "d", "results": [{"id": "q", "ok": 1}]}
    put(json.dumps(board) + end, name)
    assert scores_of(read().bundles) == {("m", "d", "ok", 0): {"q": 1}}


def test_a_recipe_that_fits_nothing_beside_it_is_told_and_why(put, tmp_path):
    put("name: x\nmatch: {kind: json, has: [runs]}\nmetrics: {a: b}\n", "lab/x.recipe.yaml")
    put(RECIPE, "lab/tiebreak-recipe.yaml")
    put(results(answer("q1")), "lab/quiz/run.json")
    put("system,item,acc\nA,1,1\n", "other/scores.csv")
    put(results(answer("q1")), "lab/run.json")
    found = read_paths([tmp_path], root=tmp_path)
    assert len(found.bundles) == 3
    (told,) = found.faults
    assert (told.path, "`has: runs` does not hold" in told.reason) == ("lab/x.recipe.yaml", True)


def test_a_recipe_above_the_files_of_a_named_folder_is_told(put, tmp_path, monkeypatch):
    put("name: x\nmatch: {kind: json, has: [runs]}\nmetrics: {a: b}\n", "lab/x.recipe.yaml")
    put("system,item,acc\nA,1,1\n", "lab/quiz/scores.csv")
    monkeypatch.chdir(tmp_path)
    (told,) = read_paths([Path("lab")]).faults
    assert (told.path, "`kind: json` does not hold" in told.reason) == ("lab/x.recipe.yaml", True)
    assert not read_paths([Path("lab/quiz")]).faults


LINES = """
name: rows
match: {kind: %s}
fields: {system: who, dataset: =d, item: id}
metrics: {m: {value: score, higher_is_better: true}}
"""


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("lines", "log.txt", '{"who": "a", "id": 1, "score": 0}\n{"who": "a", "id": 2}\n'),
        ("table", "t.csv", "who,id,score\na,1,0\na,2,\n"),
        ("json", "list.json", '[{"who": "a", "id": 1, "score": 0}, {"who": "a", "id": 2}]'),
        ("json", "a.json", '{"x": {"who": "a", "id": 1, "score": 0},\n"y": {"who": "a", "id": 2}}'),
    ],
)  # fmt: skip
def test_records_of_any_kind_of_file(put, read, kind, name, text):
    put(LINES % kind, "tiebreak-recipe.yaml")
    put(text, name)
    assert scores_of(read().bundles) == {("a", "d", "m", 0): {"1": 0, "2": None}}


def test_a_repeat_is_an_error_with_its_line_or_a_trial(put, read):
    text = '{"who": "a", "id": 1, "score": 0}\n{"who": "a", "id": 1, "score": 1}\n'
    put(LINES % "lines", "tiebreak-recipe.yaml")
    put(text, "log.jsonl")
    with pytest.raises(ImportFormatError, match="twice") as raised:
        read()
    assert raised.value.line == 2
    put(LINES % "lines" + "repeats: trials\n", "tiebreak-recipe.yaml")
    assert len(scores_of(read().bundles)) == 2


def test_a_guess_is_told(put, read):
    put(RECIPE + "guesses: {dataset: name of the folder}\n", "tiebreak-recipe.yaml")
    put(results(answer("q1")), "quiz/run.json")
    (guess,) = read().bundles[0].guesses
    assert (guess.subject, guess.value) == ("dataset", "quiz")


def test_members_of_a_zip_file_stand_below_their_names(put, read):
    yaml = (LINES % "archive").replace("kind: archive", "members: out/rows.json")
    put(yaml + "records: '\"out/rows.json\".all.*'\n", "tiebreak-recipe.yaml")
    rows = {"all": [{"who": "a", "id": 1, "score": 0.5}]}
    put(zipped([("out/rows.json", rows), ("notes.txt", b"x")]), "run.bin")
    assert scores_of(read().bundles) == {("a", "d", "m", 0): {"1": 0.5}}
