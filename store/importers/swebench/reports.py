"""What the files of one SWE-bench submission say of each instance.

Three layouts exist: the report of the harness (lists of ids for every outcome, ``schema_version``
in newer ones), the short report of the board's repository (only what was resolved is listed), and
results by instance. A short report leaves out what was not resolved: that is the rest of the
instances that were run, and it is known only where something lists them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError
from store.importers.bundle import Status
from store.importers.cells import LARGEST
from store.importers.textfile import read_json, read_text
from store.importers.yaml_nodes import parse_yaml

Outcome = tuple[float | None, Status]
OUTCOMES: Mapping[str, Outcome] = {
    "incomplete": (None, Status.NOT_ATTEMPTED),
    "error": (None, Status.ERROR),
    "infra_failure": (None, Status.ERROR),
    "no_logs": (None, Status.ERROR),
    "no_generation": (0.0, Status.SCORED_BY_RULE),
    "empty_patch": (0.0, Status.OK),
    "unresolved": (0.0, Status.OK),
    "resolved": (1.0, Status.OK),
}
"""Lists of a report, the weakest first: an id on several counts as on the last."""
BESIDE: dict[str, str] = {
    "metadata.yaml": "describes the submission; read with its results",
    "metadata.yml": "describes the submission; read with its results",
    "all_preds.jsonl": "patches; only the instances that it lists are used",
    "run_instance.log": "a log; the results name its instance",
}
"""What lies beside results, and what becomes of it."""
PATCHES = ("preds.jsonl", "predictions.jsonl")
"""Predictions under names that other tools use too."""
BESIDE |= dict.fromkeys(PATCHES, BESIDE["all_preds.jsonl"])
_OF_FOLDER = {"results.json", "report.json", "per_instance_details.json", *BESIDE} - {*PATCHES}
_INSTANCE = re.compile(r"[^/]+__[^/]+-\d+")
_DATED = re.compile(r"(\d{4})(\d{2})(\d{2})[_-](.+)")
_OF_CLIENT = re.compile(r"(?:Subset\.)?swe[-_]?bench[-_](.+?)__(dev|test)__(.+)", re.IGNORECASE)
"""How the command-line client calls a report: SUBSET__SPLIT__RUN."""
_MODEL_AND_RUN = re.compile(r"(.+)(?:(?<!\d)\.|\.(?!\d))(.+)")
"""A point between two digits is of a version, not between the model and its run."""


@dataclass(slots=True)
class Submission:
    """One system's results on one split."""

    root: Path
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    numbers: dict[str, dict[str, float]] = field(default_factory=dict)
    """Metric -> instance -> value, such as cost."""
    is_short: bool = False
    """Only resolved instances and failures of the harness are listed."""
    model: str = ""
    """As the predictions beside a lone report name it."""
    counts: dict[str, int] = field(default_factory=dict)
    files: list[tuple[str, str]] = field(default_factory=list)
    """Path as shown and digest of what was read."""

    @property
    def listed(self) -> set[str]:
        """Instances of which the files say something."""
        return set(self.outcomes)


def is_report(content: Any) -> bool:
    """Return whether JSON is the report of a harness: lists of instances by their outcome."""
    if not isinstance(content, dict):
        return False
    lists = {name: ids for name in OUTCOMES if (ids := _listed(content, name)) is not None}
    known = [one for ids in lists.values() for one in ids]
    return "resolved" in lists and len(lists) > 1 and all("__" in one for one in known)


def is_by_instance(content: Any) -> bool:
    """Return whether JSON holds an outcome for each instance."""
    if not isinstance(content, dict) or not content:
        return False
    return all(
        isinstance(key, str) and "__" in key and isinstance(value, dict) and "resolved" in value
        for key, value in content.items()
    )


def add_file(submission: Submission, path: Path, shown: str) -> None:
    """Add what a results file says.

    Raises
    ------
    ImportFormatError
        A value is not what it must be, or another file says otherwise.
    """
    content, sha256 = read_json(path, shown)
    found: dict[str, Outcome] = {}
    if is_by_instance(content):
        for key, value in content.items():
            found[key] = _outcome(value["resolved"], key, shown)
            for name in ("cost", "api_calls"):
                number = value.get(name)
                is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
                if is_number and abs(number) <= LARGEST:
                    submission.numbers.setdefault(name, {})[key] = float(number)
    else:
        submission.is_short |= _listed(content, "unresolved") is None
        for name, outcome in OUTCOMES.items():
            found |= dict.fromkeys(_listed(content, name) or (), outcome)
        submission.counts |= {
            name: value for name, value in content.items() if isinstance(value, int) and value >= 0
        }
        _require_count(submission.counts, found, shown)
    for key, outcome in found.items():
        before = submission.outcomes.setdefault(key, outcome)
        if before[0] is None:
            submission.outcomes[key] = outcome
        elif outcome[0] is not None and outcome[0] != before[0]:
            others = ", ".join(place for place, _ in submission.files[:3])
            reason = f"says otherwise than {others} whether it is resolved. Leave one of them out."
            raise ImportFormatError(reason, path=shown, field=key)
    submission.files.append((shown, sha256))


def _outcome(resolved: object, key: str, shown: str) -> Outcome:
    if resolved is None:
        return None, Status.OK
    if not isinstance(resolved, bool):
        raise ImportFormatError(f"{resolved!r} must be true or false.", path=shown, field=key)
    return OUTCOMES["resolved" if resolved else "unresolved"]


def _require_count(counts: Mapping[str, int], found: Mapping[str, Outcome], shown: str) -> None:
    stated = counts.get("resolved_instances")
    n_resolved = sum(score == 1 for score, _ in found.values())
    if stated is not None and stated != n_resolved:
        reason = f"states {stated} resolved instances and lists {n_resolved}. Is the file whole?"
        raise ImportFormatError(reason, path=shown, field="resolved_instances")


def _listed(content: Mapping[str, Any], name: str) -> list[str] | None:
    for key in (f"{name}_ids", name):
        value = content.get(key)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return value
    return None


_SAYS_NOTHING = frozenset({"eval", "evals", "evaluation", "evaluations", "report", "reports",
                           "result", "results", "logs"})  # fmt: skip


def root_of(path: Path) -> Path:
    """Return the folder of the submission that a file belongs to; a lone report is its own."""
    folder = path.parent
    if _INSTANCE.fullmatch(folder.name):
        folder = folder.parent
    elif path.name not in _OF_FOLDER:
        return path
    return folder.parent if folder.name in ("results", "logs") else folder


def submitted(root: Path) -> set[str]:
    """Return the instances that a submission lists beside its results: predictions, and logs."""
    found = set(re.findall(r'"instance_id":\s*"([^"]+)"', _predictions(root)))
    logs = root / "logs"
    if logs.is_dir():
        found |= {one.name for one in logs.iterdir() if one.is_dir() and "__" in one.name}
    return found


def _predictions(root: Path) -> str:
    """Return the predictions beside the results of a submission, or beside a lone report."""
    folder = root.parent if root.is_file() else root
    names = ("all_preds.jsonl", *PATCHES)
    return "\n".join(read_text(folder / n, n)[0] for n in names if (folder / n).is_file())


def model_of(root: Path) -> str:
    """Return the model that all predictions beside results name; empty where they do not."""
    named = set(re.findall(r'"model_name_or_path":\s*"([^"]+)"', _predictions(root)))
    return named.pop() if len(named) == 1 else ""


def name_and_label(root: Path) -> tuple[str, str, str]:
    """Return the system, its run and the date: from metadata.yaml, else from the folder or file.

    The harness calls a report ``MODEL.RUN.json``; where RUN says nothing, the folder around tells.
    The client names no model: its run is the system.
    """
    if root.is_file():
        return (*_of_report(root), "")
    match = _DATED.fullmatch(root.name)
    date = "-".join(match.groups()[:3]) if match else ""
    label = root.name if match else ""
    for name in ("metadata.yaml", "metadata.yml"):
        if (root / name).is_file():
            node = parse_yaml(read_text(root / name, name)[0], name)
            entries = node.entries() if node is not None and node.is_mapping else {}
            info = entries.get("info")
            stated = info.entries() if info is not None and info.is_mapping else entries
            if "name" in stated and stated["name"].text_or_empty():
                return stated["name"].text(), label, date
    return (match[4] if match else root.name), label, date


def _of_report(path: Path) -> tuple[str, str]:
    stem = path.name.removesuffix(".json")
    by_client = _OF_CLIENT.fullmatch(stem)
    if by_client:
        return by_client[3], ""
    found = _MODEL_AND_RUN.fullmatch(stem)
    model, _, run = stem.rpartition(".") if found is None else (found[1], ".", found[2])
    if model and run in _SAYS_NOTHING:
        run = next((one.name for one in path.parents if one.name not in _SAYS_NOTHING), run)
    return (model, run) if model else (run, "")


def split_of(root: Path) -> str:
    """Return the split: of the folders below ``evaluation``, or as the client names its report."""
    by_client = _OF_CLIENT.fullmatch(root.name.removesuffix(".json"))
    if by_client:
        subset = "multimodal" if by_client[1] == "m" else by_client[1]
        return f"{subset} dev" if by_client[2] == "dev" else subset
    parts: Sequence[str] = root.resolve().parts
    if "evaluation" not in parts:
        return ""
    at = len(parts) - 1 - parts[::-1].index("evaluation")
    return "/".join(parts[at + 1 : -1])
