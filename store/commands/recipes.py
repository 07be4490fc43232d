"""`tiebreak recipes`: the formats that are described in YAML, and a try of one on a file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from store.console import JsonOption, answer, exits_in_words, table
from store.errors import StoreError
from store.importers.bundle import ReadOptions
from store.importers.recipes.importer import user_recipes
from store.importers.recipes.recipe import Recipe, is_recipe_file, load_recipe, shipped
from store.importers.recipes.trial import Trial, try_recipe
from store.importers.yaml_nodes import nearest

app = typer.Typer()


@app.command("recipes")
@exits_in_words
def recipes_command(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(help="A recipe: its name, or the YAML file of your own.")
    ] = None,
    on: Annotated[
        Path | None, typer.Option("--on", help="A file: read it by the recipe, store nothing.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List recipes; with a name show its YAML; with --on FILE say what it makes of the file."""
    if name is None:
        if on is not None:
            raise StoreError("--on needs a recipe: `tiebreak recipes NAME --on FILE`.")
        found = _all()
        result: dict[str, Any] = {"rows": [_about(recipe) for recipe in found]}
        answer(
            "recipes",
            result,
            store_revision=0,
            as_json=as_json,
            show=lambda console: _show_list(console, found),
        )
        return
    recipe = _named(name)
    if on is None:
        answer(
            "recipes",
            {**_about(recipe), "text": recipe.text},
            store_revision=0,
            as_json=as_json,
            show=lambda console: console.print(recipe.text, markup=False),
        )
        return
    if not on.is_file():
        raise StoreError(f"--on '{on}': there is no such file.")
    trial = try_recipe(recipe, on)
    answer(
        "recipes",
        {**_about(recipe), **asdict(trial)},
        store_revision=0,
        as_json=as_json,
        show=lambda console: _show_trial(console, trial),
    )
    if trial.problem:
        raise typer.Exit(2)


def _all() -> list[Recipe]:
    own = [load_recipe(path, path.as_posix()) for path in user_recipes(Path("x"), ReadOptions())]
    return [*own, *shipped()]


def _named(name: str) -> Recipe:
    path = Path(name)
    if path.is_file() and (is_recipe_file(path) or path.suffix in (".yaml", ".yml")):
        return load_recipe(path, path.as_posix())
    known = _all()
    found = next((recipe for recipe in known if recipe.name == name), None)
    if found is None:
        hint = nearest(name, [recipe.name for recipe in known])
        raise StoreError(f"there is no recipe '{name}'.{hint}")
    return found


def _about(recipe: Recipe) -> dict[str, Any]:
    return {"name": recipe.name, "description": recipe.description, "file": recipe.shown}


def _show_list(console: Console, found: list[Recipe]) -> None:
    rows = [(recipe.name, recipe.description) for recipe in found]
    console.print(table("", ("recipe", "reads"), rows))


def _show_trial(console: Console, trial: Trial) -> None:
    if trial.is_recognised:
        console.print("The file is recognised.")
    else:
        console.print("The file is not recognised; an import would pass it over.")
        for one in trial.misses:
            console.print(f"  {one}", markup=False)
    if trial.problem:
        console.print(trial.problem, markup=False)
    for sentence in trial.understood:
        console.print(f"  {sentence}", markup=False)
    if trial.scores:
        columns = ("system", "dataset", "metric", "=trial", "=items", "=missing", "=mean")
        rows = [
            (
                one.system,
                one.dataset,
                one.metric,
                one.trial,
                f"{one.n_items:,}",
                f"{one.n_missing:,}",
                "–" if one.mean is None else f"{one.mean:.4g}",
            )
            for one in trial.scores
        ]
        console.print(table("", columns, rows))
    for figure in trial.figures:
        console.print(
            f"  stated: {figure.system} on {figure.dataset}: {figure.metric} = {figure.value:g}",
            markup=False,
        )
