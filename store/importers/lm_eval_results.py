"""The results file of lm-evaluation-harness: aggregates, provenance, versions, shots.

Two layouts: since 0.4 a metric is keyed ``"exact_match,strict-match"`` (metric, filter); before
that it is keyed ``"acc"``, and the model stands in ``config.model_args`` only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from store.errors import ImportFormatError
from store.importers.bundle import Provenance
from store.importers.cells import LARGEST
from store.importers.identity import Identity, of_arguments
from store.importers.textfile import data_stem, read_json

HARNESS = "lm-evaluation-harness"
TIMESTAMP = re.compile(r"_(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?)\.jsonl?(?:\.gz)?$")
_NO_VERSIONS = (None, "N/A", "Yaml")
"""What stands where a task states no version."""
_NOT_METRICS = frozenset({"alias", "name", "sample_len", "sample_count", " ", ""})
_SECRET = re.compile(r"(?i)\b([\w-]*(?:api[_-]?key|secret|password|auth[_-]?token))=[^,]*")
_CONFIG_KEYS = (
    "model", "model_args", "model_revision", "model_sha", "model_dtype", "batch_size", "limit",
    "gen_kwargs", "samples", "random_seed", "numpy_seed", "torch_seed", "fewshot_seed",
)  # fmt: skip
_RUN_KEYS = ("fewshot_as_multiturn", "chat_template_sha", "system_instruction_sha", "max_length")


class MetricKey(NamedTuple):
    """A metric of the harness: its name and the filter of the answers."""

    name: str
    filter: str = "none"

    @property
    def signature(self) -> str:
        """The filter as part of the metric's identity; the usual one leaves no trace."""
        return "" if self.filter in ("none", "None", "") else f"filter:{self.filter}"


class Stated(NamedTuple):
    """An aggregate as the results file states it."""

    value: float
    stderr: float | None


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What the results file says about one task."""

    name: str
    version: str
    n_shot: int | None
    n_original: int | None
    n_effective: int | None
    stated: Mapping[MetricKey, Stated]
    higher_is_better: Mapping[str, bool]
    aggregations: Mapping[str, str]
    """Metric -> name of its aggregation, where the configuration says so."""
    config: Mapping[str, Any]
    filters: Sequence[str] = ()
    """The filters of the answers, in the order in which the harness applies them."""


@dataclass(frozen=True, slots=True)
class Results:
    """The content of a results file."""

    shown: str
    sha256: str
    system: str | None
    identity: Identity | None
    """The system taken apart: its revision, adapter, precision, back-end and prompt, if stated."""
    timestamp: str
    provenance: Provenance
    tasks: Mapping[str, TaskResult]
    groups: tuple[str, ...]
    """Rows that sum up several tasks; they are not read."""
    unread: list[str] = field(default_factory=list)
    """Aggregates that are no numbers."""
    is_named_by_file: bool = False
    """Whether nothing in the file states the model."""


_LIBRARIES = frozenset(
    """neox megatron_lm nemo_lm hf hf-auto hf-causal hf-causal-experimental hf-seq2seq vllm sglang
    gguf ggml deepsparse openvino mamba_ssm local-completions local-chat-completions
    openai-completions openai-chat-completions""".split()  # noqa: SIM905
)
"""What `config.model` says where it names the library and no model."""
_OF_RUN = re.compile(
    r"[-_.]?\beval[-_]results?(?![a-z]).*|_eval_results.*|[-_.]?\bresults?$|[-_]\d+-?shots?(?=[-_.]|$)"
    r"|[-_.]?(?:global[-_]?)?step\d+",
    re.IGNORECASE,
)
"""What a file's name says of the evaluation and the step, not of the model."""


def is_results(content: Any) -> bool:
    """Return whether parsed JSON looks like a results file of either layout."""
    return (
        isinstance(content, dict)
        and isinstance(content.get("results"), dict)
        and isinstance(content.get("versions"), dict)
        and isinstance(content.get("config"), dict)
        and all(isinstance(row, dict) for row in content["results"].values())
    )


def read_results(path: Path, shown: str) -> Results:
    """Read a results file.

    Raises
    ------
    ImportFormatError
        Not JSON, or not the layout of the harness.
    """
    content, sha256 = read_json(path, shown)
    if not is_results(content):
        raise ImportFormatError(
            "no results file of lm-evaluation-harness: it needs the objects 'results', 'versions' "
            "and 'config'.",
            path=shown,
        )
    rows: dict[str, dict[str, Any]] = content["results"]
    has_filters = any("," in key for row in rows.values() for key in row)
    parts = content.get("group_subtasks") or {}
    groups = {name for name, tasks in parts.items() if tasks} | set(content.get("groups") or {})
    unread: list[str] = []
    tasks = {
        name: _task(content, name, row, has_filters, unread)
        for name, row in rows.items()
        if name not in groups
    }
    moment = _moment(content.get("date"))
    match = TIMESTAMP.search(path.name)
    timestamp = f"{moment:%Y-%m-%dT%H:%M:%SZ}" if moment else (match[1] if match else "")
    skipped = tuple(name for name in rows if name in groups)
    provenance = _provenance(content, moment)
    system = _system(content, path)
    identity = _identity(content, system) if system else None
    is_named_by_file = _stated_system(content) in _LIBRARIES
    return Results(
        *(shown, sha256, system, identity, timestamp, provenance, tasks, skipped, unread),
        is_named_by_file,
    )


def filename_moment(timestamp: str) -> datetime:
    """Return the moment that stands in a file name, taken as UTC."""
    day, _, clock = timestamp.partition("T")
    return datetime.fromisoformat(f"{day}T{clock.replace('-', ':')}").replace(tzinfo=UTC)


def _task(
    content: Mapping[str, Any],
    name: str,
    row: Mapping[str, Any],
    has_filters: bool,
    unread: list[str],
) -> TaskResult:
    config = _dict(_dict(content, "configs"), name)
    sizes = _dict(_dict(content, "n-samples"), name)
    n_shot = _dict(content, "n-shot").get(name)
    if n_shot is None:
        n_shot = config.get("num_fewshot", content["config"].get("num_fewshot"))
    version = content["versions"].get(name)
    metric_list = config.get("metric_list") or []
    stated = _stated(name, row, has_filters, unread)
    return TaskResult(
        name,
        "" if version in _NO_VERSIONS else str(version),
        n_shot if isinstance(n_shot, int) else None,
        _count(sizes.get("original")),
        _count(sizes.get("effective")),
        stated,
        {
            metric: better
            for metric, better in _dict(_dict(content, "higher_is_better"), name).items()
            if isinstance(better, bool)
        },
        {
            str(entry["metric"]): str(entry["aggregation"])
            for entry in metric_list
            if isinstance(entry, dict) and "metric" in entry and "aggregation" in entry
        },
        {"n_shot": n_shot, "task_hash": _dict(content, "task_hashes").get(name)},
        _filters(stated, config.get("filter_list")),
    )


def _filters(stated: Mapping[MetricKey, Stated], listed: Any) -> list[str]:
    """Return the filters of the aggregates in the order of the task's configuration."""
    entries = listed if isinstance(listed, list) else []
    names = [one.get("name") for one in entries if isinstance(one, dict)]
    found = dict.fromkeys(key.filter for key in stated)
    return sorted(found, key=lambda one: names.index(one) if one in names else len(names))


def _stated(
    task: str, row: Mapping[str, Any], has_filters: bool, unread: list[str]
) -> dict[MetricKey, Stated]:
    """Return the aggregates of a row; ``"N/A"`` as a standard error means that there is none."""
    found: dict[MetricKey, Stated] = {}
    for key, value in row.items():
        name, comma, filter_name = key.partition(",")
        if name in _NOT_METRICS or name.endswith("_stderr") or (has_filters and not comma):
            continue
        number = _number(value)
        if number is None:
            unread.append(f"'{key}' of '{task}' is {value!r}")
            continue
        stderr = _number(row.get(f"{name}_stderr{comma}{filter_name}"))
        found[MetricKey(name, filter_name or "none")] = Stated(number, stderr)
    return found


def _arguments(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with which the model was loaded; a step is a revision."""
    arguments = content["config"].get("model_args")
    if isinstance(arguments, dict) and isinstance(step := arguments.get("iteration"), int):
        arguments = {"revision": f"step{step}", **arguments}
    if isinstance(arguments, str):
        pairs = dict(part.partition("=")[::2] for part in arguments.split(","))
        return {key.strip(): value.strip() for key, value in pairs.items()}
    return arguments if isinstance(arguments, dict) else {}


def _identity(content: Mapping[str, Any], model: str) -> Identity:
    """Return the system taken apart. A chat template is a variant of the prompt."""
    backend = content["config"].get("model")
    is_backend = isinstance(backend, str) and backend != model
    found = of_arguments(model, _arguments(content), backend if is_backend else "")
    prompts = [
        word + (f" {sha[:8]}" if isinstance(sha, str) and sha else "")
        for key, word in (
            ("system_instruction", "system prompt"),
            ("chat_template", "chat template"),
        )
        if content.get(key)
        for sha in (content.get(f"{key}_sha"),)
    ]
    return replace(found, prompt_variant=", ".join(prompts)) if prompts else found


def _system(content: Mapping[str, Any], path: Path) -> str | None:
    """Return the model's name; of a file that states only the library, what it is called after."""
    stated = _stated_system(content)
    if stated not in _LIBRARIES:
        return stated
    return _OF_RUN.sub("", data_stem(path.name)) or path.absolute().parent.name


def _stated_system(content: Mapping[str, Any]) -> str | None:
    """Return the model's name: stated since 0.4, before that the checkpoint in the arguments."""
    name = content.get("model_name")
    if isinstance(name, str) and name:
        return name
    arguments = _arguments(content)
    for key in ("pretrained", "model", "engine"):
        if arguments.get(key):
            return str(arguments[key])
    model = content["config"].get("model")
    return model if isinstance(model, str) and model else None


def _provenance(content: Mapping[str, Any], moment: datetime | None) -> Provenance:
    config = content["config"]
    kept = {key: config[key] for key in _CONFIG_KEYS if config.get(key) is not None}
    kept |= {key: content[key] for key in _RUN_KEYS if content.get(key) is not None}
    seed = config.get("random_seed")
    packages = {
        name: str(content[key])
        for name, key in (("lm_eval", "lm_eval_version"), ("transformers", "transformers_version"))
        if content.get(key)
    }
    version = content.get("lm_eval_version")
    return Provenance(
        evaluated_on=moment,
        seed=seed if isinstance(seed, int) else None,
        harness=HARNESS,
        harness_version=str(version) if version else None,
        git_commit=content.get("git_hash") or None,
        packages=packages or None,
        config={key: _without_secrets(value) for key, value in kept.items()},
    )


def _without_secrets(value: Any) -> Any:
    """Return model arguments with the values of keys and passwords left out."""
    if isinstance(value, str):
        return _SECRET.sub(r"\1=…", value)
    if isinstance(value, dict):
        return {
            key: "…" if _SECRET.match(f"{key}=") else _without_secrets(below)
            for key, below in value.items()
        }
    return value


def _moment(value: Any) -> datetime | None:
    return datetime.fromtimestamp(value, UTC) if isinstance(value, (int, float)) else None


def _number(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) <= LARGEST else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _dict(content: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = content.get(key)
    return value if isinstance(value, dict) else {}
