"""Systems, metrics and overlaps of a bundle: found in the store, or made."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from store.engine import Change
from store.errors import ConflictError, ImportFormatError
from store.importers.bundle import ONE_SCORE, BundleMetric, BundleOverlap, ImportBundle
from store.importers.known_metrics import lookup
from store.importers.plan import systems_of
from store.ingest.known import KnownSystems, known_metrics, known_systems, label_of
from store.ingest.reconcile import Policy, reconcile
from store.ingest.report import IngestReport
from store.metric_cards import KNOWN_METRICS
from store.model_base import utc_now
from store.models import Dataset, DatasetOverlap, Metric, ScoreVector, System, SystemAlias, Tag
from store.spelling import BySpelling, composed, require_one_spelling


def resolve_systems(
    change: Change, bundle: ImportBundle, report: IngestReport, *, case_matters: bool = False
) -> dict[str, int]:
    """Return name -> id for every system that the bundle names; make those that are new.

    Raises
    ------
    ConflictError
        A name differs from a known one in nothing but its case, and `case_matters` is False.
    """
    systems, names = known_systems(change), systems_of(bundle)
    made: dict[str, System] = {}
    by_case: dict[str, str] = {}
    for name in names:
        plain = composed(name)
        if systems.ids.get(name) is not None or plain in made:
            continue
        case = plain.casefold()
        other = by_case.get(case) or systems.by_case.get(case, name)
        if other != name and not case_matters:
            raise ConflictError(_differs_in_case(name, other, bundle))
        made[plain] = System(name=plain)
        by_case[case] = plain
    change.session.add_all(made.values())
    change.session.flush()
    for system in made.values():
        change.record("create", "system", system.uid, name=system.name)
        report.systems_added.append(system.name)
        systems.add(system.name, system.id)
    ids = {name: known for name in names if (known := systems.ids.get(name)) is not None}
    path = bundle.files[0].path if bundle.files else ""
    require_one_spelling("system", ids.items(), path)
    _add_aliases(change, bundle, ids, systems, report)
    _add_identities(change, bundle, ids, report)
    return ids


def _differs_in_case(name: str, other: str, bundle: ImportBundle) -> str:
    path = f"{bundle.files[0].path}: " if bundle.files else ""
    return (
        f"{path}the systems '{name}' and '{other}' differ in nothing but capitals. If they are one "
        f"system, write one name, or say so in the YAML file: aliases: {{'{other}': ['{name}']}}. "
        "If they are two, repeat with --case-matters."
    )


def _add_identities(
    change: Change, bundle: ImportBundle, ids: dict[str, int], report: IngestReport
) -> None:
    """Tag systems with what the source states of them, as ``revision: step1000``."""
    wanted = {
        (ids[name], f"{role}: {value}".replace(",", ";")[:100])
        for name, stated in bundle.identities.items()
        if name in ids
        for role, value in stated.items()
    }
    if not wanted:
        return
    known = change.session.execute(
        sa.select(Tag.target_id, Tag.name).where(
            Tag.target_kind == "system", Tag.target_id.in_({system_id for system_id, _ in wanted})
        )
    )
    stated_before = {(row.target_id, row.name) for row in known}
    path = f"{bundle.files[0].path}: " if bundle.files else ""
    for system_id, tag in sorted(wanted - stated_before):
        role = tag.partition(": ")[0] + ": "
        before = next((t for i, t in stated_before if i == system_id and t.startswith(role)), None)
        if before is not None:
            name = next(name for name, id_ in ids.items() if id_ == system_id)
            raise ConflictError(
                f"{path}the store holds '{name}' with {before}, this import has {tag}. These are "
                "two systems: give this one another name with --system, as "
                f"'{name}@{tag[len(role) :]}'. If they are one, take the tag off: `tiebreak tag "
                "system NAME TAG --remove`."
            )
        change.session.add(Tag(target_kind="system", target_id=system_id, name=tag))
        uid = change.session.get_one(System, system_id).uid
        change.record("tag", "system", uid, tag=tag)
        report.add("detail", "filled in")


def _add_aliases(
    change: Change,
    bundle: ImportBundle,
    ids: dict[str, int],
    taken: KnownSystems,
    report: IngestReport,
) -> None:
    named = BySpelling(ids)
    for name, spellings in bundle.aliases.items():
        system_id = named.get(name)
        if system_id is None:
            continue
        for alias in spellings:
            owner = taken.ids.get(alias)
            if owner is None:
                kept = composed(alias)
                _put_alias(change, kept, system_id)
                taken.add(kept, system_id)
                report.add("detail", "filled in")
                change.record("alias", "system", alias=kept, name=composed(name))
            elif owner != system_id:
                raise ConflictError(
                    f"'{alias}' cannot be an alias of '{name}': another system has that name."
                )


def _put_alias(change: Change, alias: str, system_id: int) -> None:
    """Add an alias; a deleted system that has it gives it up."""
    row = change.session.scalar(sa.select(SystemAlias).where(SystemAlias.alias == alias))
    if row is None:
        change.session.add(SystemAlias(system_id=system_id, alias=alias))
    else:
        row.system_id = system_id


def resolve_metrics(
    change: Change, bundle: ImportBundle, higher_is_better: bool | None, report: IngestReport
) -> list[Metric]:
    """Return the stored metric for each metric of the bundle, in order; make those that are new.

    Raises
    ------
    ImportFormatError
        Nobody says whether higher is better.
    ConflictError
        The store knows the metric with another direction, aggregation or unit.
    """
    known = known_metrics(change)
    directions = [_direction(wanted, higher_is_better, report) for wanted in bundle.metrics]
    _require_directions(bundle, directions, known)
    resolved = []
    for wanted, direction in zip(bundle.metrics, directions, strict=True):
        metric = known.get(label_of(wanted))
        if metric is None:
            metric = _make_metric(change, wanted, direction, bundle.format)
            known.add(label_of(metric), metric)
            report.metrics_added.append(metric.name)
        else:
            missing = _reconciled_metric(metric, wanted, direction)
            if "unit" in missing:
                _declare_unit(change, metric, wanted)
            if "source" in missing:
                metric.source = wanted.source
                change.record("describe", "metric", metric.uid, source=wanted.source)
        resolved.append(metric)
    found = zip((m.name for m in bundle.metrics), (row.id for row in resolved), strict=True)
    require_one_spelling("metric", found, bundle.files[0].path if bundle.files else "")
    return resolved


def _direction(wanted: BundleMetric, flag: bool | None, report: IngestReport) -> bool | None:
    """Whether higher is better: as the source says, as everybody knows, as the flag says.

    The flag comes last: it is given once for all metrics of an import, and must not turn
    perplexity around because another metric needed it.
    """
    if wanted.higher_is_better is not None:
        return wanted.higher_is_better
    usual = lookup(wanted.name)
    if usual is None:
        return flag
    if flag is not None and flag != usual.higher_is_better:
        word = "higher" if usual.higher_is_better else "lower"
        report.warnings.append(
            f"'{wanted.name}': {word} is better, as usual; the flag is for metrics that are not "
            "known. To turn it around, state its direction in the YAML file."
        )
    return usual.higher_is_better


def _require_directions(
    bundle: ImportBundle, directions: Sequence[bool | None], known: BySpelling[Metric]
) -> None:
    """Raise one error that names every new metric whose direction nobody knows."""
    unknown = [
        f"'{wanted.name}'"
        for wanted, direction in zip(bundle.metrics, directions, strict=True)
        if direction is None and known.get(label_of(wanted)) is None
    ]
    if not unknown:
        return
    ways = "--higher-is-better or --lower-is-better"
    names = f" {unknown[0]}"
    if len(unknown) > 1:
        names = f"s {', '.join(unknown[:-1])} and {unknown[-1]}"
        one = shlex.quote(f"{unknown[0][1:-1]}=lower")
        ways = f"--direction {one} (or =higher) for each, or {ways} for all of them"
    raise ImportFormatError(
        f"nobody says whether higher is better for the metric{names}. Add {ways}, or state it in "
        "the YAML file.",
        path=bundle.files[0].path if bundle.files else "",
    )


def _make_metric(
    change: Change, wanted: BundleMetric, direction: bool | None, format_name: str
) -> Metric:
    lower, upper = _bounds(wanted)
    metric = Metric(
        name=composed(wanted.name),
        signature=composed(wanted.signature),
        higher_is_better=direction,
        aggregation=wanted.aggregation,
        unit=wanted.unit,
        lower=lower,
        upper=upper,
        source=wanted.source,
        sources=_sources(change, wanted, format_name),
    )
    change.session.add(metric)
    change.session.flush()
    change.record("create", "metric", metric.uid, name=metric.name, higher_is_better=direction)
    return metric


def _sources(change: Change, wanted: BundleMetric, format_name: str) -> dict[str, Any]:
    """Return who states which fact of a new metric, and when."""
    stated = {
        "unit": wanted.unit or None,
        "lower": wanted.lower,
        "upper": wanted.upper,
        "higher_is_better": wanted.higher_is_better,
        "aggregation": None if wanted.aggregation == "mean" else wanted.aggregation,
    }
    by = {name: format_name for name, value in stated.items() if value is not None}
    if "higher_is_better" not in by:
        by["higher_is_better"] = KNOWN_METRICS if lookup(wanted.name) else change.actor
    at = utc_now().isoformat(timespec="seconds")
    return {name: {"by": who, "at": at} for name, who in by.items()}


def _reconciled_metric(
    metric: Metric, wanted: BundleMetric, direction: bool | None
) -> Mapping[str, Any]:
    """Return what the store does not say of a metric and the import does.

    Raises
    ------
    ConflictError
        They say otherwise.
    """

    sources = metric.sources or {}
    for end, word in (("lower", "lowest"), ("upper", "highest")):
        held, here = getattr(metric, end), getattr(wanted, end)
        if here is not None and end in sources and held != here:
            told = "no end" if held is None else f"{held:g}"
            by = sources[end]["by"]
            raise ConflictError(
                f"The card of '{metric.name}' says {word} {told} ({by}); this import states "
                f"{here:g}. Change the card with `tiebreak set metric`, or give the metric "
                "another name or signature."
            )

    def refuse(name: str, known: Any, stated: Any) -> ConflictError:
        name_ = f"The store holds the metric '{metric.name}'"
        if name == "direction":
            word = "higher" if known else "lower"
            return ConflictError(
                f"{name_} with {word} is better; this import says the opposite. Correct the flag "
                "or the YAML file, or give the metric another name."
            )
        if name == "aggregation":
            return ConflictError(
                f"{name_} with aggregation '{known}', this import has '{stated}'. Give one of them "
                "another name or signature."
            )
        if name == "unit":
            return ConflictError(
                f"{name_} in unit '{known}', this import has '{stated}'. Convert the scores, or "
                "give the metric another name or signature."
            )
        return ConflictError(
            f"{name_} as given by a {known}, this import has it as given by a {stated}. Give one "
            "of them another name or signature."
        )

    known, stated = (
        {
            "direction": higher,
            "aggregation": one.aggregation,
            "unit": one.unit or None,
            "source": None if one.source == "automatic" else one.source,
        }
        for one, higher in ((metric, metric.higher_is_better), (wanted, direction))
    )
    return reconcile(known, stated, tuple(known), Policy(refuse)).missing


def _declare_unit(change: Change, metric: Metric, wanted: BundleMetric) -> None:
    """Give a stored metric the unit that a source states, if its scores allow it."""
    lower, upper = _bounds(wanted)
    largest = change.session.scalar(
        sa.select(sa.func.max(ScoreVector.max)).where(ScoreVector.metric_id == metric.id)
    )
    if largest is not None and (
        (upper is not None and largest > upper) or (wanted.unit == "percent" and 0 < largest <= 1)
    ):
        raise ConflictError(
            f"This import has '{metric.name}' in unit '{wanted.unit}', the store holds scores of "
            f"it up to {largest:g}. Convert one of them, or give the metric another name."
        )
    metric.unit, metric.lower, metric.upper = wanted.unit, lower, upper
    change.record("describe", "metric", metric.uid, unit=wanted.unit)


def _bounds(wanted: BundleMetric) -> tuple[float | None, float | None]:
    """Return the bounds of a metric's item scores: as stated, else those of its unit."""
    if wanted.aggregation not in ONE_SCORE:  # the bounds are of the metric, not of its components
        return wanted.lower, wanted.upper
    usual = {"proportion": (0.0, 1.0), "percent": (0.0, 100.0)}.get(wanted.unit, (None, None))
    return (
        usual[0] if wanted.lower is None else wanted.lower,
        usual[1] if wanted.upper is None else wanted.upper,
    )


def _living_dataset(change: Change, name: str) -> Dataset | None:
    """Return the newest dataset of that name that was not deleted."""
    living = sa.select(Dataset.name, Dataset.id).where(Dataset.deleted_at.is_(None))
    rows = change.session.execute(living.order_by(Dataset.id)).all()
    found = BySpelling({row.name: row.id for row in rows}).get(name)
    return None if found is None else change.session.get_one(Dataset, found)


def add_overlaps(change: Change, overlaps: tuple[BundleOverlap, ...] | list[BundleOverlap]) -> None:
    """Store the overlaps between datasets that are in the store; a known pair stays as it is."""
    session = change.session
    for overlap in overlaps:
        pair = []
        for name in (overlap.dataset_a, overlap.dataset_b):
            pair.append(_living_dataset(change, name))
        first, second = pair
        if first is None or second is None or first.id == second.id:
            continue  # declared for a dataset that comes with another file
        if first.id > second.id:
            first, second = second, first
        is_known = session.scalar(
            sa.select(DatasetOverlap.id).where(
                DatasetOverlap.dataset_a_id == first.id, DatasetOverlap.dataset_b_id == second.id
            )
        )
        if is_known is None:
            session.add(
                DatasetOverlap(
                    dataset_a_id=first.id,
                    dataset_b_id=second.id,
                    kind=overlap.kind,
                    note=overlap.note,
                )
            )
            change.record("overlap", "dataset", first.uid, other=second.uid, kind=overlap.kind)
