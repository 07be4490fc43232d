"""Submissions to SWE-bench: folders of its experiments repository, reports of its harness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import (
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    Guess,
    ImportBundle,
    LeftOut,
    Provenance,
    ReadOptions,
    SourceFile,
    Status,
)
from store.importers.cells import CellError, parse_date
from store.importers.settings import Settings, load_settings
from store.importers.swebench.reports import (
    BESIDE,
    OUTCOMES,
    PATCHES,
    Submission,
    add_file,
    is_by_instance,
    is_report,
    model_of,
    name_and_label,
    root_of,
    split_of,
    submitted,
)
from store.importers.swebench.splits import RESOLVED, SIZES, dataset_name, repository
from store.importers.textfile import data_suffix, peek_json, peek_text

NAME = "swebench"
DESCRIPTION = "results of a SWE-bench submission, or a report of its harness"
_NUMBERS = (
    BundleMetric("cost", higher_is_better=False, lower=0.0),
    BundleMetric("api_calls", higher_is_better=False, lower=0.0),
)


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file holds results of instances, or lies beside such results."""
    if path.name in PATCHES:
        return '"instance_id"' in peek_text(path) and _is_beside_report(path.parent)
    if path.name in BESIDE:
        return _has_results(root_of(path))
    return data_suffix(path) == ".json" and _has_outcomes(path)


def _has_outcomes(path: Path) -> bool:
    try:
        content = peek_json(path)
    except ImportFormatError:
        return False
    return is_report(content) or is_by_instance(content)


def _is_beside_report(folder: Path) -> bool:
    return _has_results(folder) or any(map(_has_outcomes, folder.glob("*.json")))


def _has_results(root: Path) -> bool:
    places = (root / "results" / "results.json", root / "results.json")
    return any(one.is_file() for one in (*places, root / "per_instance_details.json"))


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Join the submissions to one split: what one lists another may have left out."""
    splits: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        root = root_of(path)
        splits.setdefault((root.parent, split_of(root)), []).append(path)
    return list(splits.values())


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the submissions to one split.

    Raises
    ------
    NoResultsError
        There are no results.
    ImportFormatError
        A file is damaged, or its counts contradict its lists.
    """
    results = [path for path in paths if path.name not in BESIDE]
    if not results:
        raise NoResultsError("holds no results of instances.", path=shown[paths[0]])
    settings = load_settings(results[0], shown[results[0]], options)
    submissions: dict[Path, Submission] = {}
    for path in sorted(results):
        root = root_of(path)
        add_file(submissions.setdefault(root, Submission(root)), path, shown[path])
    split = split_of(root_of(results[0]))
    universe, because = _universe(list(submissions.values()), split)
    left = [LeftOut(shown[p], BESIDE[p.name]) for p in paths if p.name in BESIDE]
    kept = []
    for submission in submissions.values():
        reason = _fill(submission, universe)
        if reason is None:
            kept.append(submission)
        else:
            left += [LeftOut(place, reason) for place, _ in submission.files]
    if kept:
        return _bundle(settings, kept, split, left, because)
    left = [LeftOut(shown[p], BESIDE[p.name]) for p in paths if p.name in BESIDE]
    bundle = _bundle(settings, list(submissions.values()), split, left, "")
    return replace(bundle, runs=[replace(run, rest_failed=True) for run in bundle.runs])


def _universe(submissions: Sequence[Submission], split: str) -> tuple[set[str], str]:
    """Return the instances of the split where they are known as a whole, else none, and why."""
    found: set[str] = set()
    for submission in submissions:
        found |= submission.listed | submitted(submission.root)
    totals = {one.counts.get("total_instances") for one in submissions} - {None}
    sizes = totals or ({SIZES[split]} if split in SIZES else set())
    if sizes == {len(found)}:
        return found, f"{len(submissions)} submissions list all {len(found):,} instances together"
    return set(), ""


def _fill(submission: Submission, universe: set[str]) -> str | None:
    """Add the instances that a report leaves out; return why that cannot be done.

    Of a short one they are unresolved. Where a report has an outcome for each instance, those that
    only the predictions beside it have were never evaluated.
    """
    ran = submitted(submission.root)
    if submission.root.is_file() and not ran >= submission.listed:
        ran = set()  # of another report in the folder
    if not submission.is_short:
        for key in ran - submission.listed:
            submission.outcomes[key] = OUTCOMES["incomplete"]
        submission.model = model_of(submission.root) if ran and submission.root.is_file() else ""
        return None
    ran = ran or universe
    if not ran:
        return (
            "lists only what was resolved, and nothing says which instances were run. Import it "
            "with the predictions or logs of the submission, or with submissions to the split that "
            "list all instances."
        )
    for key in ran - submission.listed:
        submission.outcomes[key] = (0.0, Status.OK)
    return None


def _bundle(
    settings: Settings,
    submissions: Sequence[Submission],
    split: str,
    left: Sequence[LeftOut],
    because: str,
) -> ImportBundle:
    keys = sorted(set().union(*(submission.listed for submission in submissions)))
    index = {key: i for i, key in enumerate(keys)}
    totals = {one.counts.get("total_instances") for one in submissions}
    total = totals.pop() if len(totals) == 1 else None
    name, guesses = _dataset(settings, split, total or len(keys))
    items = tuple(BundleItem(key, repository(key)) for key in keys)
    runs, metrics = [], [RESOLVED, *_NUMBERS]
    n_short = sum(submission.is_short for submission in submissions)
    for submission in submissions:
        system, label, date = name_and_label(submission.root)
        values, status = np.full(len(keys), np.nan), np.full(len(keys), Status.NOT_ATTEMPTED, "u1")
        for key, (score, what) in submission.outcomes.items():
            values[index[key]] = np.nan if score is None else score
            status[index[key]] = what
        scores = [BundleScores(0, values[:, None])]
        for number, metric in enumerate(_NUMBERS, 1):
            known = submission.numbers.get(metric.name)
            if known:
                of_all = np.array([[known.get(key, np.nan)] for key in keys])
                scores.append(BundleScores(number, of_all))
        label = settings.run_label or label
        named = settings.canonical(settings.system or submission.model or system)
        provenance = _provenance(settings, date)
        runs.append(BundleRun(named, 0, label, scores, {0: status}, provenance=provenance))
    told = [f"{len(runs)} submissions on {len(keys):,} instances; resolved is 1, not resolved 0."]
    if n_short:
        told.append(
            f"{n_short} of them list only what was resolved; the rest of what was run, or of the "
            f"split, counts as unresolved{f': {because}' if because else ''}."
        )
    files = [SourceFile(*file) for submission in submissions for file in submission.files]
    mapping = settings.mapping
    return ImportBundle(
        NAME,
        [*files, *([mapping.source_file] if mapping.source_file else [])],
        datasets=[settings.dataset_of(name, items, n_items_stated=total)],
        metrics=metrics[: 1 + max((s.metric for run in runs for s in run.scores), default=0)],
        runs=runs,
        overlaps=mapping.overlaps,
        aliases=mapping.aliases,
        understood=told,
        guesses=guesses,
        left_out=left,
    )


def _dataset(settings: Settings, split: str, n_instances: int) -> tuple[str, list[Guess]]:
    if settings.dataset:
        return settings.dataset, []
    if split:
        return dataset_name(split), []
    known = {size: name for name, size in SIZES.items() if name != "bash-only"}
    name = dataset_name(known[n_instances]) if n_instances in known else "SWE-bench"
    return name, [Guess("dataset", name, f"{n_instances:,} instances; no folder names the split")]


def _provenance(settings: Settings, date: str) -> Provenance:
    stated = replace(settings.provenance, harness="swebench")
    if stated.evaluated_on is not None or not date:
        return stated
    try:
        moment, assumed = parse_date(date)
    except CellError:
        return stated
    return replace(stated, evaluated_on=moment, tz_assumed=assumed)
