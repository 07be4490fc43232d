"""Which column of a table plays which role: as stated, else by its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from store.errors import ImportFormatError
from store.importers.cells import CellError, as_text
from store.importers.columnar import Coded, combined
from store.importers.spelled_columns import in_english, words_apart
from store.importers.tables import Table
from store.importers.textfile import data_stem
from store.importers.yaml_nodes import nearest

ROLE_NAMES: dict[str, tuple[str, ...]] = {
    "system": (
        "system", "system_name", "system_id", "model", "model_name", "model_id", "model_label",
        "llm", "llm_name", "llm_model", "submission",
        "agent", "agent_name", "summarizer", "summarizer_id", "parser", "tagger", "method",
        "approach", "algorithm", "classifier", "extractor", "retriever", "models", "systems",
        "methods", "approaches", "algorithms", "classifiers", "detector", "team", "team_name",
        "participant", "asr_model", "asr_system", "recognizer", "recogniser", "mt_system",
        "translator", "backend_id",
    ),
    "dataset": (
        "dataset", "dataset_name", "test_set", "testset", "corpus", "benchmark", "bench",
        "benchmark_name", "language_pair", "eval_name", "eval_dataset", "eval_set", "test_dataset",
        "task", "task_name", "treebank",
    ),
    "dataset_version": (
        "dataset_version", "release", "benchmark_version", "benchmark_release", "test_set_version",
        "release_version", "question_release",
    ),
    "item": (
        "item", "item_id", "item_key", "example_id", "question_id", "instance_id", "sample_id",
        "problem_id", "task_id", "doc_id", "segment_id", "seg_id", "sentence_id", "sent_id", "qid",
        "segment", "example", "instance", "id", "exercise", "exercise_name", "test_case",
        "testcase",
    ),
    "metric": ("metric", "metric_name", "measure"),
    "score": ("score", "value", "metric_value"),
    "trial": ("trial", "trial_index", "epoch", "repeat", "repetition", "replica"),
    "run": ("run", "run_id", "run_name", "run_label"),
    "seed": ("seed", "random_seed"),
    "group": ("group", "group_id", "group_key", "cluster", "cluster_id"),
    "status": ("status",),
    "date": ("date", "evaluated_on", "run_date"),
    "input": ("input", "inputs", "input_text", "prompt", "question"),
    "reference": ("reference", "reference_text", "target", "expected", "expected_output"),
    "output": (
        "output", "output_text", "response", "hypothesis", "prediction", "predicted_answer",
        "predicted_text", "model_output", "model_response", "model_answer", "generated_text",
        "generated_answer", "completion",
    ),
    "revision": ("revision", "model_revision", "model_version", "checkpoint", "training_step"),
    "adapter": ("adapter", "peft", "lora"),
    "precision": (
        "precision", "model_dtype", "dtype", "quantization", "quantisation", "quant",
    ),
    "backend": ("backend", "back_end", "inference_engine", "engine"),
    "prompt_variant": (
        "prompt_variant", "prompt_template", "prompt_id", "prompt_name", "prompt_label",
        "prompt_style", "prompt_version",
    ),
    "system_a": ("system_a", "systema", "a", "system_1", "model_a"),
    "system_b": ("system_b", "systemb", "b", "system_2", "model_b", "baseline"),
    "pvalue": ("pvalue", "p_value", "p", "pval", "p_val"),
    "n_items": ("n_items", "n", "size", "n_examples", "test_size"),
    "stderr": ("stderr", "std_err", "standard_error", "se"),
    "source": ("source", "citation", "paper"),
    "source_url": ("source_url", "url", "paper_url"),
    "test": ("test", "test_name"),
    "sidedness": ("sidedness", "alternative"),
    "annotator": (
        "annotator", "annotator_id", "annotator_name", "annotatorid", "worker", "worker_id",
        "worker_name", "workerid", "rater", "rater_id", "rater_name", "raterid", "judge",
        "judge_id", "judge_name",
    ),
    "annotator_kind": ("annotator_kind", "annotator_type"),
    "criterion": ("criterion", "aspect", "dimension", "quality_dimension", "metric"),
    "rating": ("rating", "value", "label", "score", "annotation", "judgment", "judgement"),
    "scale_level": ("scale_level",),
    "errors": ("errors", "error_spans"),
    "replicate": ("replicate", "repeat", "repetition"),
    "judged_at": ("judged_at", "annotated_at", "timestamp", "tstamp", "submitted_at"),
    "first": ("first", "system_a", "model_a", "system_1", "model_1", "generator_1", "output_1"),
    "second": ("second", "system_b", "model_b", "system_2", "model_2", "generator_2", "output_2"),
    "choice": ("choice", "winner", "preferred", "preference"),
    "strength": ("strength", "second_probability"),
    "order_known": ("order_known",),
    "first_length": ("first_length", "length_a", "len_a", "length_1", "len_1"),
    "second_length": ("second_length", "length_b", "len_b", "length_2", "len_2"),
}  # fmt: skip
"""The usual column names of each role, the surest first."""

ROLES = tuple(ROLE_NAMES)
GENERIC_ROLES = ROLES[: ROLES.index("system_a")]
JUDGMENT_ROLES = (
    "dataset", "item", "system", *ROLES[ROLES.index("annotator") :], "group", "input", "reference",
    "output",
)  # fmt: skip
LINE_NUMBER = "@line"
"""Stands for a column that counts the rows: items aligned by their place in the file."""
FILE_NAME = "@file"
"""Stands for a column that holds the name of the file, without folder and extensions."""
_NOT_IN_FILE = (LINE_NUMBER, FILE_NAME)

_TASKS = ("task", "task_name")
_ATTEMPTS = frozenset(("trial", "trial_index", "trial_id", "attempt", "repetition", "rep", "epoch"))
_OUTCOMES = frozenset(
    ("solved", "passed", "success", "resolved", "correct", "completed", "reward", "is_correct")
)
"""What an attempt at one item came to, beside which a share over a dataset has other names."""
_BESIDE_NAMES = ("date", "seed")
"""Roles that a column keeps when it also stands in a name."""
_FIELD = re.compile(r"\{([^{}]+)\}")


def normal_name(name: str) -> str:
    """Return a column name in lower case with underscores: ``"Question ID"`` -> ``question_id``."""
    return re.sub(r"[^0-9a-z]+", "_", in_english(name).lower()).strip("_")


def find_roles(
    columns: Sequence[str], stated: Mapping[str, str], wanted: Collection[str], shown: str
) -> dict[str, str]:
    """Return role -> column for the `wanted` roles.

    Parameters
    ----------
    columns
        The columns of the file.
    stated
        Role -> column, template such as ``"{task}/{split}"`` or ``""`` (no column), from the flags
        and the YAML; goes before the names.

    Raises
    ------
    ImportFormatError
        A stated role or column does not exist.
    """
    roles: dict[str, str] = {}
    taken: set[str] = set()
    in_names: set[str] = set()
    """Columns that stand in a name such as ``"board of {date}"``: still the date of their row."""
    for role, column in stated.items():
        if role not in ROLE_NAMES:
            raise ImportFormatError(
                f"unknown column role '{role}'.{nearest(role, ROLES)}", path=shown, field=role
            )
        if not column or role not in wanted:
            continue
        used = fields_of(column, columns)
        for name in used:
            if name not in columns and name not in _NOT_IN_FILE:
                raise ImportFormatError(
                    f"there is no column '{name}' for the {role}. Columns of the file: "
                    f"{', '.join(columns)}.",
                    path=shown,
                    field=role,
                )
        roles[role] = column
        if column in columns:
            taken.add(column)
        elif len(used) == 1:
            in_names.update(used)
    by_name = {normal_name(words_apart(column)): column for column in reversed(columns)}
    by_name |= {normal_name(column): column for column in reversed(columns)}
    for role in wanted:
        if role in stated:
            continue
        for name in ROLE_NAMES[role]:
            column = by_name.get(name, "")
            if column in in_names and role not in _BESIDE_NAMES:
                continue
            if column and column not in taken:
                roles[role] = column
                taken.add(column)
                break
    if "item" in wanted and not {"item", "dataset"} & stated.keys() and _are_of_attempts(columns):
        _let_tasks_be_items(roles)
    return roles


def _are_of_attempts(columns: Collection[str]) -> bool:
    """Return whether each row is an attempt at something: it is counted, and was solved or not."""
    names = set(map(normal_name, columns))
    return not _ATTEMPTS.isdisjoint(names) and not _OUTCOMES.isdisjoint(names)


def _let_tasks_be_items(roles: dict[str, str]) -> None:
    """Let a column of tasks name the items where no other does; else it names datasets."""
    if "item" not in roles and normal_name(roles.get("dataset", "")) in _TASKS:
        roles["item"] = roles.pop("dataset")


def free_metric_column(
    roles: dict[str, str], columns: Sequence[str], stated: Mapping[str, str], metric: str | None
) -> str | None:
    """Return the column that is called as the metric that was asked for; no role keeps it.

    A named column goes before every other one: `roles` loses what was only recognised by its name
    and would be read instead of it. With ``--column score=NAME`` that one is named.
    """
    if not metric or stated.get("score"):
        return None
    alike = [column for column in columns if normal_name(column) == normal_name(metric)]
    column = metric if metric in columns else alike[0] if len(alike) == 1 else None
    if column is None or column in (*stated.values(), roles.get("score")):
        return None
    for role in [role for role, taken in roles.items() if taken == column]:
        del roles[role]
    for role in {"score", "metric"} - stated.keys():
        roles.pop(role, None)
    return column


def fields_of(column: str, columns: Sequence[str]) -> list[str]:
    """Return the columns that a column name or template stands for."""
    if column in columns:
        return [column]
    return _FIELD.findall(column) or [column]


def role_cells(table: Table, column: str) -> Sequence[Any]:
    """Return the cells of a column, of ``@line`` or ``@file``, or of a template over these."""
    if column in table.columns:
        return table.cells[column]
    if column == LINE_NUMBER:
        return [str(i) for i in range(1, len(table) + 1)]
    if column == FILE_NAME:
        return Coded.constant(data_stem(table.shown), len(table))
    parts = [role_cells(table, name) for name in _FIELD.findall(column)]
    pattern = _FIELD.sub("{}", column)
    if not parts:  # a column without a name, or a text that names none
        return Coded.constant(pattern, len(table))
    if all(isinstance(part, Coded) for part in parts):
        coded = [part for part in parts if isinstance(part, Coded)]
        return combined(coded).map(lambda row: pattern.format(*map(as_text, row)))
    joined = []
    for line, row in zip(table.lines, zip(*parts, strict=True), strict=True):
        try:
            joined.append(pattern.format(*map(as_text, row)))
        except CellError as error:
            raise ImportFormatError(
                f"{error}.", path=table.shown, line=line, field=column
            ) from None
    return joined


def describe_roles(
    roles: Mapping[str, str], columns: Sequence[str], stated: Mapping[str, str]
) -> str:
    """Return a sentence that says which column was taken for what, and what was not used."""
    named = [
        f"{role} = '{column}'" if column in columns else f"{role} = {column}"
        for role, column in roles.items()
    ]
    told = f"Columns: {', '.join(named)}." if named else "No column was recognised by its name."
    unused = [role for role, column in stated.items() if column and role not in roles]
    return f"{told} Stated but of no use in this form: {', '.join(unused)}." if unused else told
