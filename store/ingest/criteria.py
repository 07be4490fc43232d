"""Criteria and annotators of a bundle: found in the store, or made."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from store.change_weights import reweigh
from store.engine import Change
from store.error_weights import checked_weights, parted, weight_of
from store.errors import ConflictError, ImportFormatError, StoreError, describe_place
from store.importers.bundle import AnnotatorKind, BundleCriterion, ImportBundle
from store.ingest.items import AlignedDataset
from store.ingest.reconcile import Policy, reconcile
from store.ingest.report import IngestReport
from store.models import Annotator, Criterion, Rating
from store.spelling import BySpelling, composed

_BOUNDS = ("lower", "upper")
_WORDS = {"lower": "lower bound", "upper": "upper bound", "labels": "list of labels"}


class ResolvedCriterion(NamedTuple):
    """A criterion of the bundle in the store."""

    row: Criterion
    labels: tuple[int, ...]
    """Nominal: the stored value of each of the bundle's labels."""
    is_changed: bool
    """Whether what its judgments amount to may be something else now."""


def resolve_criteria(
    change: Change,
    bundle: ImportBundle,
    datasets: Sequence[AlignedDataset],
    *,
    replace: bool,
    report: IngestReport,
) -> list[ResolvedCriterion]:
    """Return the stored criterion for each of the bundle, in order; make those that are new.

    Raises
    ------
    ConflictError
        The store knows the criterion with another kind, level, direction or scale.
    """
    path = bundle.files[0].path if bundle.files else ""
    resolved = []
    for number, wanted in enumerate(bundle.criteria):
        dataset = datasets[wanted.dataset].row
        query = sa.select(Criterion).where(Criterion.dataset_id == dataset.id)
        known = BySpelling({row.name: row for row in change.session.scalars(query)})
        row = known.get(wanted.name)
        if row is None:
            row = _make(change, wanted, dataset.id, path)
            report.criteria_added.append(row.name)
            is_changed = True
        else:
            try:
                is_changed = _fill_in(change, row, wanted, dataset.name, report)
            except ConflictError as error:
                raise ConflictError(f"{describe_place(path, None, None)}{error}") from None
            if wanted.weights is not None:
                errors = _errors_of(bundle, number)
                is_changed |= _use_weights(change, row, wanted.weights, errors, replace, report)
        labels = _labels(change, row, wanted, report)
        resolved.append(ResolvedCriterion(row, labels, is_changed))
    return resolved


def resolve_annotators(
    change: Change,
    bundle: ImportBundle,
    criteria: Sequence[ResolvedCriterion],
    *,
    replace: bool,
    report: IngestReport,
) -> tuple[list[dict[str, int]], set[int]]:
    """Return for each criterion of the bundle name -> annotator; make those that are new.

    Also the datasets on which an annotator turned out to be of another kind: what all of its
    judgments amount to changes with it.

    Raises
    ------
    ConflictError
        An annotator is human in the store and a model in the bundle, or the reverse.
    """
    wanted: dict[int, dict[str, None]] = {}
    for rating in bundle.ratings:
        wanted.setdefault(criteria[rating.criterion].row.dataset_id, {})[rating.annotator] = None
    for preference in bundle.preferences:
        dataset_id = criteria[preference.criterion].row.dataset_id
        wanted.setdefault(dataset_id, {})[preference.annotator] = None
    found, turned = {}, set()
    kinds = BySpelling(bundle.annotators)
    for dataset_id, names in wanted.items():
        query = sa.select(Annotator).where(Annotator.dataset_id == dataset_id)
        known = BySpelling({row.name: row for row in change.session.scalars(query)})
        rows, new = {}, []
        for name in names:
            kind = kinds.get(name)
            row = known.get(name)
            if row is None:
                row = Annotator(dataset_id=dataset_id, name=composed(name), kind=kind or "human")
                known.add(row.name, row)
                new.append(row)
            elif _turn(change, row, kind, replace):
                report.add("detail", "filled in")
                turned.add(dataset_id)
            rows[name] = row
        change.session.add_all(new)
        change.session.flush()
        report.add("annotator", "added", len(new))
        found[dataset_id] = {name: row.id for name, row in rows.items()}
    return [found.get(criterion.row.dataset_id, {}) for criterion in criteria], turned


def _turn(change: Change, row: Annotator, kind: AnnotatorKind | None, replace: bool) -> bool:
    """Take another kind of an annotator; return whether it has one."""

    def refuse(_: str, old: str, new: str) -> ConflictError:
        return ConflictError(
            f"The store holds the annotator '{row.name}' as {old}, this import has it as {new}. "
            "Nothing was written. If that is right, repeat with --replace; if it is somebody else, "
            "use another name."
        )

    met = reconcile({"kind": row.kind}, {"kind": kind}, ("kind",), Policy(refuse, replace))
    if kind is None or met.what != "replaced":
        return False
    change.record("replace", "annotator", row.uid, old=row.kind, new=kind)
    row.kind = kind
    return True


def _make(change: Change, wanted: BundleCriterion, dataset_id: int, path: str) -> Criterion:
    weights = None
    if wanted.weights is not None:
        try:
            weights = checked_weights(wanted.weights)
        except StoreError as error:
            raise ImportFormatError(str(error), path=path, field=wanted.name) from error
    row = Criterion(
        dataset_id=dataset_id,
        name=composed(wanted.name),
        kind=wanted.kind,
        level=wanted.level,
        higher_is_better=_direction(wanted),
        lower=0.0 if wanted.kind == "error-spans" else wanted.lower,
        upper=wanted.upper,
        labels=list(wanted.labels),
        weights=weights,
        question=wanted.question,
    )
    change.session.add(row)
    change.session.flush()
    change.record("create", "criterion", row.uid, name=row.name, kind=row.kind)
    return row


def _direction(wanted: BundleCriterion) -> bool:
    return wanted.kind != "error-spans" and wanted.higher_is_better  # weights are penalties


def _fill_in(
    change: Change, row: Criterion, wanted: BundleCriterion, dataset: str, report: IngestReport
) -> bool:
    """Add the bounds, labels and question that the store does not have; return whether any.

    Raises
    ------
    ConflictError
        The store holds the criterion on another scale.
    """

    def refuse(name: str, old: Any, new: Any) -> ConflictError:
        return ConflictError(
            f"The store holds the criterion '{row.name}' on '{dataset}' with another "
            f"{_WORDS.get(name, name)}: {old}; this import says {new}. Nothing was written. "
            "Correct the import, or give the criterion another name."
        )

    is_penalty, is_nominal = wanted.kind == "error-spans", wanted.level == "nominal"
    stored = {
        "kind": row.kind,
        "level": row.level,
        "direction": "higher" if row.higher_is_better else "lower",
        "lower": row.lower,
        "upper": row.upper,
        "labels": row.labels or None,
        "question": row.question or None,
    }
    stated = {
        "kind": wanted.kind,
        "level": wanted.level,
        "direction": "higher" if _direction(wanted) else "lower",
        "lower": None if is_penalty else wanted.lower,
        "upper": wanted.upper,
        "labels": (list(wanted.labels) or None) if not is_nominal else None,
        "question": wanted.question or None,
    }
    decides = [name for name in stored if name != "question"]
    missing = dict(reconcile(stored, stated, decides, Policy(refuse)).missing)
    if wanted.kind != "rating":
        missing = {name: value for name, value in missing.items() if name not in _BOUNDS}
    if not missing:
        return False
    _require_stored_inside(change, row, missing)
    for name, value in missing.items():
        setattr(row, name, value)
    change.record("describe", "criterion", row.uid, **missing)
    report.add("detail", "filled in", len(missing))
    return True


def _require_stored_inside(change: Change, row: Criterion, bounds: dict[str, Any]) -> None:
    """Refuse bounds that ratings in the store break."""
    least, most = change.session.execute(
        sa.select(sa.func.min(Rating.value), sa.func.max(Rating.value)).where(
            Rating.criterion_id == row.id
        )
    ).one()
    for name, value, breaks in (
        ("lower", least, least is not None and least < bounds.get("lower", least)),
        ("upper", most, most is not None and most > bounds.get("upper", most)),
    ):
        if breaks:
            raise ConflictError(
                f"This import says that '{row.name}' has the {name} bound {bounds[name]:g}; the "
                f"store holds a rating of {value:g}. Convert one of them, or give the criterion "
                "another name."
            )


def _errors_of(bundle: ImportBundle, number: int) -> set[tuple[str, str]]:
    """Return severity and category of the errors that were marked for a criterion."""
    return {
        (span.severity, span.category)
        for rating in bundle.ratings
        if rating.criterion == number
        for span in rating.spans
    }


def _use_weights(
    change: Change,
    row: Criterion,
    weights: Mapping[str, float],
    errors: Collection[tuple[str, str]],
    replace: bool,
    report: IngestReport,
) -> bool:
    """Take the weights of those errors that the store has none for; return if ratings may change.

    Weights that a person changed stay, unless the import is to replace what is there.
    """
    stored, stated = row.weights or {}, checked_weights(weights)
    if replace and stated != stored:
        reweigh(change, row, stated)
        report.add("detail", "filled in")
        return True
    unknown = [error for error in errors if weight_of(stored, *error) is None]
    new = {
        name: weight
        for name, weight in stated.items()
        if weight_of(stored, *parted(name)) is None
        and any(weight_of({name: weight}, *error) is not None for error in unknown)
    }
    if new:
        row.weights = stored | new
        change.record("weights", "criterion", row.uid, old=stored, new=row.weights, n_changed=0)
        report.add("detail", "filled in", len(new))
    if any(weight_of(stated, *parted(n)) not in (None, w) for n, w in stored.items()) or any(
        weight_of(stored, *parted(n)) not in (None, w) for n, w in stated.items()
    ):
        told = ", ".join(f"{name} {weight:g}" for name, weight in stored.items())
        report.warnings.append(
            f"The store weighs the errors of '{row.name}' otherwise than this import: {told}. The "
            "store's weights stay and hold for the new ratings; `tiebreak weights` changes them."
        )
    return False


def _labels(
    change: Change, row: Criterion, wanted: BundleCriterion, report: IngestReport
) -> tuple[int, ...]:
    """Return the stored value of each label of a nominal scale; add those that are new."""
    if wanted.level != "nominal":
        return ()
    new = [label for label in wanted.labels if label not in row.labels]
    if new:
        row.labels = [*row.labels, *new]
        change.record("describe", "criterion", row.uid, labels=row.labels)
        report.add("detail", "filled in", len(new))
    return tuple(row.labels.index(label) for label in wanted.labels)
