"""Results of EvalPlus, BigCodeBench and HumanEval: programs that pass their tests or do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from store.errors import ImportFormatError
from store.importers.recipes.documents import Document
from store.importers.textfile import data_stem

_PASS: Final = "pass"
_EVALPLUS: Final = re.compile(
    r"(.+?)(?:_([a-z][a-z0-9-]*))?_temp_([\d.]*\d)(?:-([a-z][a-z0-9-]*))?(?:[._-].*)?"
)
"""``ORG--MODEL_vllm_temp_1.0-perf-instruct_eval_results``: back-end and prompt may lack."""
_BIGCODEBENCH: Final = re.compile(r"(.+)--bigcodebench-(hard-)?(complete|instruct)--(.+)")
"""``ORG--MODEL--main--bigcodebench-hard-complete--vllm-0-1-sanitized_calibrated_eval_results``."""
_OF_FILE: Final = re.compile(
    r"(?i)(^|[._-]+)(samples?|sanitized|calibrated|eval|results?|jsonl|outputs?|human_?eval|mbpp)(?=$|[._-])"
)
"""What the name of a file says of its kind: ``MODEL_samples_eval_results``."""
_ENDING: Final = re.compile(r"-?sanitized|[._](calibrated|eval_results)")


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{rows, …}``: one row for each task and program; of BigCodeBench's shares those."""
    content = document.content
    if document.kind == "lines":
        lines = list(content)
        models = {line.get("model") for line in lines}
        (model,) = models if len(models) == 1 else (None,)
        rows = list(_lines(lines))
        if isinstance(model, str) and model.strip():
            return {"rows": rows, "system": _model(model.strip()), "run": _bare(path) or None}
        return {"rows": rows, "system": _bare(path) or None}
    if not {"eval", "model"} & content.keys():
        return {"board": content, "subset": "hard" if "hard" in path.name.lower() else "full"}
    if "eval" not in content:
        return {**content, "system": _model(str(content["model"]))}
    if "dps" in content.get("summary", {}):
        return {**content, **(_of_evalplus(path) or {"system": None})}
    tasks = content["eval"]
    if not isinstance(tasks, dict):
        raise ImportFormatError("`eval` must hold a list of programs by task.", path=document.shown)
    stem = data_stem(path.name)
    dataset, about = None, _of_evalplus(path) or {"system": _bare(path) or None}
    if named := _BIGCODEBENCH.fullmatch(stem):
        about = {"system": _model(named[1]), "run": _ENDING.sub("", named[4])}
        dataset = f"BigCodeBench {named[3]} {'hard' if named[2] else 'full'}"
    rows = [row for task, programs in tasks.items() for row in _rows(task, programs, dataset)]
    return {"rows": rows, "date": content.get("date"), **about}


def _of_evalplus(path: Path) -> dict[str, Any] | None:
    """Return system, prompt and run of EvalPlus's file, or of its folder ``MODEL_temp_0.0``."""
    name = data_stem(path.name) if _bare(path) else path.resolve().parent.name
    named = _EVALPLUS.fullmatch(name)
    if named is None:
        return None
    _, backend, temperature, variant = named.groups()
    is_of_run = variant is None or _ENDING.fullmatch(variant)
    told = [backend, f"temp {temperature}", variant if is_of_run else None]
    return {
        "system": _model(named[1]),
        "prompt": None if is_of_run else variant,
        "run": " ".join(filter(None, told)),
    }


def _model(written: str) -> str:
    """Return a model as ``ORG/MODEL``; a revision stays unless it is ``main``."""
    return written.removesuffix("--main").replace("--", "/")


def _bare(path: Path) -> str:
    """Return what the name of a file says but that it holds results; nothing: ask the folder."""
    return _OF_FILE.sub("", data_stem(path.name)).strip("._- ")


def _lines(content: Any) -> Iterator[dict[str, Any]]:
    """Yield the programs of HumanEval's own results; those of one task are its trials, in order."""
    n_of_task: Counter[str] = Counter()
    for line in content:
        task = str(line["task_id"])
        yield {
            "task": task,
            "dataset": task.partition("/")[0],
            "trial": n_of_task[task],
            "output": line.get("completion"),
            "only": line["passed"],
        }
        n_of_task[task] += 1


def _rows(task: str, programs: Any, dataset: str | None) -> Iterator[dict[str, Any]]:
    for trial, program in enumerate(_programs(programs)):
        base, plus, only = (
            _passed(program.get(key)) for key in ("base_status", "plus_status", "status")
        )
        yield {
            "task": task,
            "dataset": dataset or task.partition("/")[0],
            "trial": trial,
            "output": program.get("solution"),
            "base": base,
            "plus": None if plus is None else bool(base) and plus,
            "only": only,
        }


def _programs(programs: Any) -> list[Mapping[str, Any]]:
    """Return the programs of a task; the first layout keeps a list for each set of tests."""
    if isinstance(programs, list):
        return [one for one in programs if isinstance(one, dict)]
    base, plus = programs.get("base") or [], programs.get("plus") or []
    return [
        {
            "base_status": status[0],
            "plus_status": plus[n][0] if n < len(plus) else None,
        }
        for n, status in enumerate(base)
    ]


def _passed(status: Any) -> bool | None:
    """Return whether the tests passed; a program that takes too long did not."""
    return None if status in (None, "") else str(status).lower() in (_PASS, "success")
