"""What metrics can be held against: the human side of each dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from analysis.columns import Column
from analysis.report import Cell, Report, Table
from analysis.statistics.signature import build_signature
from analysis.studies.study import Study, count
from store.datasets import get_dataset, list_datasets
from store.engine import Store
from store.judgments import list_criteria
from store.metrics import list_metrics
from store.records import DatasetRecord

_Kind: TypeAlias = Literal["preference", "rating", "error-spans", "scores"]


@dataclass(frozen=True, slots=True)
class GoldChoice:
    """A criterion with preferences, or a metric that people made."""

    dataset: str
    dataset_uid: str
    name: str
    uid: str
    """Of the criterion, or of the metric."""
    kind: _Kind
    """"scores": figures of people, without the single judgments."""
    source: str
    """"human" or "model"."""
    n_metrics: int
    """Automatic metrics on the dataset."""
    n_systems: int
    n_items: int
    language: str | None
    domain: str | None


@dataclass(frozen=True, slots=True, eq=False)
class GoldsStudy(Study):
    """Everything that metrics can be held against."""

    golds: tuple[GoldChoice, ...]

    def report(self) -> Report:
        """Return the list as a table."""
        columns: tuple[str | Column, ...] = (
            "dataset", "gold", "kind", "metrics", "systems", "items",
        )  # fmt: skip
        rows: list[list[Cell]] = [
            [g.dataset, g.name, g.kind, g.n_metrics, g.n_systems, g.n_items] for g in self.golds
        ]
        return Report(
            title="What metrics can be held against",
            sentences=(self.sentence,),
            tables=(Table(columns, rows),),
            signature=self.signature,
        )


def study_golds(store: Store, dataset: str | None = None) -> GoldsStudy:
    """Say what people judged, in the whole store or on one dataset.

    Raises
    ------
    NotFoundError
        There is no such dataset.
    """
    golds = list_golds(store, dataset)
    where = "" if dataset is None else f" on {get_dataset(store, dataset).label}"
    n_datasets = len({gold.dataset_uid for gold in golds})
    if not golds:
        text = (
            f"Nobody's judgments are in the store{where} yet: `tiebreak ingest` reads ratings, "
            "preferences and marked errors."
        )
        uid = None if dataset is None else get_dataset(store, dataset).uid
        if list_criteria(store, uid):
            text = (
                f"What was judged{where} are items, not outputs of systems: there is nothing to "
                "hold a metric against. `tiebreak agreement` shows the judgments."
            )
    else:
        text = f"{count(len(golds), 'gold')} on {count(n_datasets, 'dataset')}{where}."
        with_metrics = sum(gold.n_metrics > 0 for gold in golds)
        if with_metrics < len(golds):
            text += f" {with_metrics} with metrics to hold against."
    return GoldsStudy(
        sentence=text,
        signature=build_signature("golds", dataset=dataset or "all"),
        warnings=(),
        store_revision=store.revision(),
        golds=golds,
    )


def list_golds(store: Store, dataset: str | None = None) -> tuple[GoldChoice, ...]:
    """Return what metrics can be held against, people's judgments before those of models.

    A criterion whose judgments give a score per system stands for its metric; golds by other
    rules, and figures that files state as made by people, stand for themselves.
    """
    records = list_datasets(store) if dataset is None else [get_dataset(store, dataset)]
    found = [gold for record in records for gold in _of_dataset(store, record)]
    return tuple(sorted(found, key=lambda g: (g.source != "human", g.dataset.casefold(), g.name)))


def _of_dataset(store: Store, dataset: DatasetRecord) -> list[GoldChoice]:
    metrics = list_metrics(store, dataset_uid=dataset.uid)
    n_automatic = sum(m.source == "automatic" for m in metrics)
    made = [m for m in metrics if m.source != "automatic"]
    criteria = list_criteria(store, dataset.uid)

    def choice(name: str, uid: str, kind: _Kind, source: str, n: tuple[int, int]) -> GoldChoice:
        return GoldChoice(
            dataset=dataset.label,
            dataset_uid=dataset.uid,
            name=name,
            uid=uid,
            kind=kind,
            source=source,
            n_metrics=n_automatic,
            n_systems=n[0],
            n_items=n[1],
            language=dataset.language,
            domain=dataset.domain,
        )

    golds = []
    standing = set()
    for criterion in criteria:
        own = [m for m in made if m.name == criterion.name and _is_usual(m.signature)]
        standing |= {m.uid for m in own}
        if criterion.n_systems and (own or criterion.kind == "preference"):
            source = "human" if any(m.source == "human" for m in own) else "model"
            n = (criterion.n_systems, criterion.n_items)
            golds.append(choice(criterion.name, criterion.uid, criterion.kind, source, n))
    for metric in made:
        if metric.uid not in standing:
            n = (dataset.n_systems, dataset.n_items)
            golds.append(choice(metric.label, metric.uid, "scores", metric.source, n))
    return golds


def _is_usual(signature: str) -> bool:
    """Whether a gold is the one that the store makes of a criterion's judgments by itself."""
    return any(rule in signature for rule in (": mean of annotators", ": share of comparisons won"))
