"""Golden bundles: what an import makes of files, as counts and digests that a test compares.

    python -m benchmarks.golden      # record all of them anew, into tests/golden

`counts_and_digests` is the canonical dump of bundles. The folders are those of real files beside
the checkout; their names, counts and digests are kept, never their data. Files of the tests of
each named format are recorded by ``pytest --record-golden``, which this command runs too.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from store.importers.bundle import BundleDataset, BundleMetric, BundleRun, ImportBundle
from store.importers.detect import read_paths
from store.ingest.planned import settle

ROOT: Final = Path(__file__).resolve().parents[1]
DATA: Final = ROOT.parent / "shared" / "data"
KEPT: Final = ROOT / "tests" / "golden"
FOLDERS: Final = KEPT / "folders.json"
FORMATS: Final = KEPT / "formats.json"

Golden = dict[str, dict[str, list[int | str]]]
"""Kind ("system", "dataset", "metric", "items", "criterion") -> name -> count and digest."""
Place = tuple[str, str]
Part = tuple[tuple[Place, ...], int, bytes]
"""Where it counts, how many values, and what is digested."""

OWN_SHAPES: Final = frozenset(
    (
        *("answers", "generic", "html", "judgments", "markdown", "metric_rows", "nested_figures"),
        *("predictions", "pvalue_matrix", "recipe", "reported", "run_metrics", "runs", "search"),
        *("tags", "texts"),
    )
)
"""Formats of tables and JSON of anyone's own making; all others are named formats."""


def counts_and_digests(bundles: Iterable[ImportBundle]) -> Golden:
    """Return counts and digests of all that bundles bring, by system, dataset and metric.

    Neither the order of items, runs or bundles nor the paths of files change anything; every
    name, key, text, score, status, label, date and figure does.
    """
    counts: Counter[tuple[str, str]] = Counter()
    stamps: dict[tuple[str, str], list[bytes]] = defaultdict(list)
    for bundle in bundles:
        for places, count, payload in _parts(bundle):
            stamp = hashlib.sha256(_text(places) + payload).digest()
            for place in places:
                counts[place] += count
                stamps[place].append(stamp)
    found: Golden = {}
    for kind, name in sorted(stamps):
        whole = hashlib.sha256(b"".join(sorted(stamps[kind, name]))).hexdigest()[:12]
        found.setdefault(kind, {})[name] = [counts[kind, name], whole]
    return found


def _parts(bundle: ImportBundle) -> Iterator[Part]:
    yield (("format", bundle.format),), 1, b""
    datasets = [_dataset_name(one) for one in bundle.datasets]
    metrics = [_metric_name(one) for one in bundle.metrics]
    for name, dataset in zip(datasets, bundle.datasets, strict=True):
        items = sorted(map(_text, dataset.items))
        about = [dataset.task, dataset.language, dataset.domain, dataset.n_items_stated]
        yield (("items", name),), len(items), _text([*about, *items])
    for name, metric in zip(metrics, bundle.metrics, strict=True):
        yield (("metric", name),), 0, _text(metric)
    for run in bundle.runs:
        yield from _run_parts(run, bundle.datasets[run.dataset], datasets[run.dataset], metrics)
    for score in bundle.reported_scores:
        places = _places(score.system, datasets[score.dataset], metrics[score.metric])
        yield places, 1, _text(replace(score, dataset=0, metric=0, run=None))
    for pair in bundle.reported_comparisons:
        systems = f"{pair.system_a} : {pair.system_b}"
        places = _places(systems, datasets[pair.dataset], metrics[pair.metric])
        yield places, 1, _text(replace(pair, dataset=0, metric=0))
    for number, criterion in enumerate(bundle.criteria):
        place = ("criterion", f"{datasets[criterion.dataset]}: {criterion.name}")
        yield (place,), 0, _text(replace(criterion, dataset=0))
        items = bundle.datasets[criterion.dataset].items
        for judgment in (*bundle.ratings, *bundle.preferences):
            if judgment.criterion == number:
                said = replace(judgment, criterion=0, item=0, line=None)
                yield (place,), 1, _text([items[judgment.item].key, said])
    names = [bundle.annotators, bundle.identities, bundle.aliases]
    if any(names):
        yield (("names", bundle.format),), sum(map(len, names)), _text(names)


def _run_parts(
    run: BundleRun, dataset: BundleDataset, name: str, metrics: Sequence[str]
) -> Iterator[Part]:
    """Yield the scores of each metric and trial, and what is said of a run, by item key."""
    keys = np.array([item.key for item in dataset.items], dtype=str)
    order = np.argsort(keys, kind="stable")
    system = ("system", run.system)
    stated = (run.label, run.complete, run.rest_failed, run.provenance)
    yield (system,), 0, _text(stated)
    told = "\x1f".join(keys[order].tolist()).encode("utf-8", "surrogatepass")
    for one in run.scores:
        values = np.atleast_2d(np.asarray(one.values, dtype=np.float64).T).T[order] + 0.0
        places = _places(run.system, name, metrics[one.metric])
        count = int(np.isfinite(values).all(axis=1).sum())
        values[np.isnan(values)] = np.nan
        yield places, count, _text((run.label, one.trial)) + told + values.tobytes()
    for trial, statuses in run.statuses.items():
        payload = _text((run.label, trial)) + told + np.asarray(statuses)[order].tobytes()
        yield (system, ("status", name)), len(keys), payload
    for trial, outputs in run.outputs.items():
        texts = [outputs[at] for at in order]
        n = sum(text is not None for text in texts)
        yield (system, ("output", name)), n, _text((run.label, trial, texts))


def _places(system: str, dataset: str, metric: str) -> tuple[Place, ...]:
    return (("system", system), ("dataset", dataset), ("metric", metric))


def _dataset_name(dataset: BundleDataset) -> str:
    return f"{dataset.name}@{dataset.version}" if dataset.version else dataset.name


def _metric_name(metric: BundleMetric) -> str:
    return f"{metric.name} [{metric.signature}]" if metric.signature else metric.name


def _text(told: Any) -> bytes:
    """Return bytes that stand for records, mappings in any order, texts and numbers."""
    return repr(_plain(told)).encode("utf-8", "surrogatepass")


def _plain(told: Any) -> Any:
    if is_dataclass(told) and not isinstance(told, type):
        # What is as by default is left out, so that a new field changes no digest.
        return [
            (field.name, _plain(value))
            for field in fields(told)
            if (value := getattr(told, field.name)) != field.default
        ]
    if isinstance(told, Mapping):
        return sorted((str(key), repr(_plain(value))) for key, value in told.items())
    if isinstance(told, np.generic):
        return told.item()
    if isinstance(told, str) or not isinstance(told, Iterable):
        return str(told) if isinstance(told, datetime) else told
    return [_plain(one) for one in told]


def of_folder(folder: Path) -> Golden:
    """Return what one plain import of a folder brings: what waits for an answer is not in it."""
    settled = settle(None, read_paths([folder], root=folder.parent).readings, {})
    return counts_and_digests(one.bundle for one in settled if one.goes_in)


def nameless(name: str) -> str:
    """Return what stands for a name of somebody else's file: such names are not kept."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def without_names(golden: Golden) -> Golden:
    """Return counts and digests under what stands for the names."""
    return {
        kind: dict(sorted((nameless(name), told) for name, told in named.items()))
        for kind, named in golden.items()
    }


def differences(before: Golden, after: Golden, key: Callable[[str], str] = str) -> list[str]:
    """Return a line for each system, dataset or metric that is not as it was.

    Parameters
    ----------
    before
        What was recorded, under `key` of the names.
    after
        What is made now, under names.
    key
        `nameless`, where the record has no names.
    """
    told = []
    for kind in sorted({*before, *after}):
        old = before.get(kind, {})
        new = {key(name): (name, found) for name, found in after.get(kind, {}).items()}
        for one in sorted({*old, *new}):
            name, now = new.get(one, (one, None))
            if old.get(one) != now:
                told.append(f"{kind} {name}: {old.get(one)} before, {now} now")
    return told


def read_golden(path: Path) -> dict[str, Golden]:
    """Return what was recorded."""
    found: dict[str, Golden] = json.loads(path.read_text(encoding="utf-8"))
    return found


def write_golden(path: Path, recorded: Mapping[str, Golden]) -> None:
    """Record, with one line for each name, so that a difference can be read."""
    path.parent.mkdir(exist_ok=True)
    lines = [
        f"{json.dumps(name)}: {{\n"
        + ",\n".join(
            f" {json.dumps(kind)}: {{\n"
            + ",\n".join(f"  {json.dumps(one)}: {json.dumps(told)}" for one, told in kept.items())
            + "\n }"
            for kind, kept in golden.items()
        )
        + "\n}"
        for name, golden in sorted(recorded.items())
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> int:
    """Record all golden bundles; say what is not as it was."""
    recorded = {folder.name: of_folder(folder) for folder in folders()}
    if recorded:
        before = read_golden(FOLDERS) if FOLDERS.exists() else {}
        for name, golden in recorded.items():
            for line in differences(before.get(name, {}), golden, nameless):
                print(f"{name}: {line}")
        kept = {name: without_names(golden) for name, golden in recorded.items()}
        write_golden(FOLDERS, kept)
    FORMATS.unlink(missing_ok=True)
    tests = [sys.executable, "-m", "pytest", "-q", "tests/test_importers", "--record-golden"]
    return subprocess.run(tests, cwd=ROOT, check=False).returncode


def folders() -> list[Path]:
    """Return the folders of real files; none where they are not beside the checkout."""
    return sorted(path for path in DATA.glob("*") if path.is_dir())


if __name__ == "__main__":
    sys.exit(main())
