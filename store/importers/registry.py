"""All importers. To add one: write a module with `sniff` and `read`, and add one line below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.importers import (
    aider,
    alpaca_eval,
    arena_hard,
    class_reports,
    generic,
    html_tables,
    junit,
    lm_eval,
    markdown_tables,
    metric_rows,
    mlflow,
    model_cards,
    mteb,
    nested_figures,
    nlpstattest,
    paperswithcode,
    pvalue_matrix,
    reported,
    run_metrics,
    run_tables,
    sacrebleu,
    sclite,
    search_tables,
    terminal_bench,
    wandb,
    wandb_folder,
)
from store.importers.bundle import ImportBundle, ReadOptions
from store.importers.conllu import importer as conllu
from store.importers.judgments import importer as judgments
from store.importers.mqm import importer as mqm
from store.importers.mt_metrics_eval import importer as mt_metrics_eval
from store.importers.recipes import battles
from store.importers.recipes import importer as recipes
from store.importers.recipes.recipe import Recipe, shipped
from store.importers.scorers import answer_files, inflection, parallel, prediction_table, tags
from store.importers.swebench import board as swebench_board
from store.importers.swebench import importer as swebench
from store.importers.trec import outputs as trec_outputs
from store.importers.trec import runs as trec_runs
from store.importers.wmt import appraise
from store.importers.wmt import direct_assessment as wmt_da
from store.importers.wmt import metrics_task as wmt_metrics
from store.importers.wmt import news as wmt_news
from store.importers.wmt import published as wmt_scores

Sniff = Callable[[Path, ReadOptions], bool]
Read = Callable[[Sequence[Path], ReadOptions, Mapping[Path, str]], ImportBundle]
Group = Callable[[Sequence[Path]], list[list[Path]]]


def one_by_one(paths: Sequence[Path]) -> list[list[Path]]:
    """Put every file into a group of its own."""
    return [[path] for path in paths]


@dataclass(frozen=True, slots=True)
class Importer:
    """Reads one file format."""

    name: str
    """What ``--format`` takes."""
    description: str
    """One line for a list of formats."""
    sniff: Sniff
    """Whether a file is of this format, judged by its content; never raises."""
    read: Read
    """Turn the files of one group into a bundle; the mapping says how messages show a path."""
    group: Group = one_by_one
    """Put files that belong together into one group."""
    has_options: bool = False
    """Whether ``--option`` chooses anything for it."""


def _by_recipe(recipe: Recipe) -> Importer:
    by = recipes.RecipeImporter(recipe)
    return Importer(recipe.name, recipe.description, by.sniff, by.read, by.group)


IMPORTERS: tuple[Importer, ...] = (
    Importer(
        recipes.USER_FORMAT,
        recipes.USER_DESCRIPTION,
        recipes.sniff_user,
        recipes.read_user,
        recipes.group_user,
    ),
    Importer(appraise.NAME, appraise.DESCRIPTION, appraise.sniff, appraise.read, appraise.group),
    *map(_by_recipe, shipped()),
    Importer(battles.NAME, battles.DESCRIPTION, battles.sniff, battles.read, has_options=True),
    Importer(lm_eval.NAME, lm_eval.DESCRIPTION, lm_eval.sniff, lm_eval.read, lm_eval.group),
    Importer(mteb.NAME, mteb.DESCRIPTION, mteb.sniff, mteb.read, mteb.group),
    Importer(
        model_cards.NAME,
        model_cards.DESCRIPTION,
        model_cards.sniff,
        model_cards.read,
        model_cards.group,
    ),
    Importer(
        markdown_tables.NAME,
        markdown_tables.DESCRIPTION,
        markdown_tables.sniff,
        markdown_tables.read,
    ),
    Importer(html_tables.NAME, html_tables.DESCRIPTION, html_tables.sniff, html_tables.read),
    Importer(
        trec_runs.NAME, trec_runs.DESCRIPTION, trec_runs.sniff, trec_runs.read, trec_runs.group
    ),
    Importer(trec_outputs.NAME, trec_outputs.DESCRIPTION, trec_outputs.sniff, trec_outputs.read),
    Importer(junit.NAME, junit.DESCRIPTION, junit.sniff, junit.read),
    Importer(mlflow.NAME, mlflow.DESCRIPTION, mlflow.sniff, mlflow.read, mlflow.group),
    Importer(wandb.NAME, wandb.DESCRIPTION, wandb.sniff, wandb.read, wandb_folder.grouped),
    Importer(
        terminal_bench.NAME,
        terminal_bench.DESCRIPTION,
        terminal_bench.sniff,
        terminal_bench.read,
        terminal_bench.group,
    ),
    Importer(
        class_reports.NAME, class_reports.DESCRIPTION, class_reports.sniff, class_reports.read
    ),
    Importer(run_metrics.NAME, run_metrics.DESCRIPTION, run_metrics.sniff, run_metrics.read),
    Importer(
        nested_figures.NAME, nested_figures.DESCRIPTION, nested_figures.sniff, nested_figures.read
    ),
    Importer(metric_rows.NAME, metric_rows.DESCRIPTION, metric_rows.sniff, metric_rows.read),
    Importer(
        search_tables.NAME, search_tables.DESCRIPTION, search_tables.sniff, search_tables.read
    ),
    Importer(run_tables.NAME, run_tables.DESCRIPTION, run_tables.sniff, run_tables.read),
    Importer(
        pvalue_matrix.NAME, pvalue_matrix.DESCRIPTION, pvalue_matrix.sniff, pvalue_matrix.read
    ),
    Importer(sclite.NAME, sclite.DESCRIPTION, sclite.sniff, sclite.read, sclite.group),
    Importer(sacrebleu.NAME, sacrebleu.DESCRIPTION, sacrebleu.sniff, sacrebleu.read),
    Importer(
        paperswithcode.NAME,
        paperswithcode.DESCRIPTION,
        paperswithcode.sniff,
        paperswithcode.read,
    ),
    Importer(aider.NAME, aider.DESCRIPTION, aider.sniff, aider.read),
    Importer(swebench.NAME, swebench.DESCRIPTION, swebench.sniff, swebench.read, swebench.group),
    Importer(
        swebench_board.NAME, swebench_board.DESCRIPTION, swebench_board.sniff, swebench_board.read
    ),
    Importer(
        mt_metrics_eval.NAME,
        mt_metrics_eval.DESCRIPTION,
        mt_metrics_eval.sniff,
        mt_metrics_eval.read,
        mt_metrics_eval.group,
        has_options=True,
    ),
    Importer(mqm.NAME, mqm.DESCRIPTION, mqm.sniff, mqm.read, mqm.group, has_options=True),
    Importer(wmt_news.NAME, wmt_news.DESCRIPTION, wmt_news.sniff, wmt_news.read, wmt_news.group),
    Importer(wmt_scores.NAME, wmt_scores.DESCRIPTION, wmt_scores.sniff, wmt_scores.read),
    Importer(wmt_da.NAME, wmt_da.DESCRIPTION, wmt_da.sniff, wmt_da.read, wmt_da.group),
    Importer(
        wmt_metrics.NAME,
        wmt_metrics.DESCRIPTION,
        wmt_metrics.sniff,
        wmt_metrics.read,
        wmt_metrics.group,
        has_options=True,
    ),
    Importer(
        conllu.NAME, conllu.DESCRIPTION, conllu.sniff, conllu.read, conllu.group, has_options=True
    ),
    Importer(
        alpaca_eval.NAME,
        alpaca_eval.DESCRIPTION,
        alpaca_eval.sniff,
        alpaca_eval.read,
        has_options=True,
    ),
    Importer(
        arena_hard.NAME,
        arena_hard.DESCRIPTION,
        arena_hard.sniff,
        arena_hard.read,
        arena_hard.group,
    ),
    Importer(
        judgments.NAME,
        judgments.DESCRIPTION,
        judgments.sniff,
        judgments.read,
        judgments.group,
        has_options=True,
    ),
    Importer(
        answer_files.NAME,
        answer_files.DESCRIPTION,
        answer_files.sniff,
        answer_files.read,
        answer_files.group,
    ),
    Importer(tags.NAME, tags.DESCRIPTION, tags.sniff, tags.read, tags.group),
    Importer(
        prediction_table.NAME,
        prediction_table.DESCRIPTION,
        prediction_table.sniff,
        prediction_table.read,
        prediction_table.group,
    ),
    Importer(
        inflection.NAME,
        inflection.DESCRIPTION,
        inflection.sniff,
        inflection.read,
        inflection.group,
    ),
    Importer(parallel.NAME, parallel.DESCRIPTION, parallel.sniff, parallel.read, parallel.group),
    Importer(reported.NAME, reported.DESCRIPTION, reported.sniff, reported.read),
    Importer(nlpstattest.NAME, nlpstattest.DESCRIPTION, nlpstattest.sniff, nlpstattest.read),
    Importer(generic.NAME, generic.DESCRIPTION, generic.sniff, generic.read),
)
"""In the order in which they are asked; the first that recognises a file reads it."""


NAMED_BY_PATHS = (generic.NAME, prediction_table.NAME)
"""Names of the importers whose files may be called after their paths alone."""

FIGURES_NAMED_BY_PATHS = (run_metrics.NAME, nested_figures.NAME, reported.NAME)
"""Names of the importers of figures whose files may be called after their paths alone."""

NAMED_BY_FOLDERS = (run_metrics.NAME, class_reports.NAME, sacrebleu.NAME)
"""Names of the importers whose files libraries write into the folder of each run."""

SCORING = frozenset(
    {
        answer_files.NAME,
        inflection.NAME,
        parallel.NAME,
        prediction_table.NAME,
        tags.NAME,
        wmt_news.NAME,
    }
)
"""Names of the importers that score outputs, for ``--gold`` and ``--score``."""


def importer_named(name: str) -> Importer | None:
    """Return the importer with that name."""
    return next((importer for importer in IMPORTERS if importer.name == name), None)
