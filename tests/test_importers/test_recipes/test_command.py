"""`tiebreak recipes`: a list, the YAML, and a try on a file."""

import json
from importlib import resources

import pytest
from typer.testing import CliRunner

from dashboard.cli import app
from store.importers.recipes.recipe import parse_recipe, shipped
from store.importers.yaml_nodes import parse_yaml

YAML = """
name: ours
match: {kind: json, has: [rows]}
records: rows.*
fields: {system: who, dataset: =d, item: id}
metrics: {acc: {value: score, higher_is_better: true}}
"""


@pytest.fixture
def ask():
    """Return a function that runs the command and returns its answer, or its messages."""

    def run(*arguments, code=0):
        done = CliRunner().invoke(app, ["recipes", *map(str, arguments), "--json"])
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)["result"] if done.stdout else done.stderr

    return run


def test_the_list_and_the_yaml_of_one(ask):
    names = [row["name"] for row in ask()["rows"]]
    assert {"inspect", "helm", "promptfoo"} <= set(names)
    text = ask("inspect")["text"]
    assert parse_recipe(text, "x").name == "inspect"
    assert "Did you mean 'inspect'?" in ask("inspct", code=2)


def test_a_try_on_a_file_says_what_comes_of_it_or_what_is_lacking(ask, put):
    yaml = put(YAML, "ours.yaml")
    rows = [{"who": "a", "id": 1, "score": 0.5}, {"who": "a", "id": 2}]
    fits = ask(yaml, "--on", put({"rows": rows}, "run.json"))
    assert fits["is_recognised"]
    assert fits["scores"] == [{"system": "a", "dataset": "d", "metric": "acc", "trial": 0,
                               "n_items": 1, "n_missing": 1, "mean": 0.5}]  # fmt: skip
    other = ask(yaml, "--on", put({"lines": rows}, "other.json"), code=2)
    assert not other["is_recognised"]
    assert other["misses"] == ["match 1: `has: rows` does not hold."]
    assert "holds no scores" in other["problem"]


def test_shipped_recipes_say_the_same_to_both_readers_of_yaml():
    folder = resources.files("store.importers.recipes") / "shipped"
    for file in folder.iterdir():
        if file.name.endswith(".yaml"):
            text = file.read_text("utf-8")
            roots = [parse_yaml(text, file.name, is_own=is_own) for is_own in (True, False)]
            assert roots[0].plain() == roots[1].plain()
            assert roots[0].lines() == roots[1].lines()


@pytest.mark.parametrize("recipe", shipped(), ids=lambda recipe: recipe.name)
def test_a_shipped_recipe_is_short_and_names_one_format(recipe):
    assert len(recipe.text.splitlines()) <= 60
    assert [other.name for other in shipped()].count(recipe.name) == 1
