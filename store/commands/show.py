"""`tiebreak show`: everything about one thing in the store."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import typer
from rich.console import Console

from store import tags
from store.claim_evidence import list_evidence
from store.claims import get_claim
from store.console import JsonOption, answer, exits_in_words, opened, table
from store.datasets import get_dataset, list_overlaps
from store.engine import Store
from store.history import list_events
from store.imports import show_import
from store.judgments import list_criteria
from store.metric_cards import metric_card
from store.reported import disputed_figures, list_reported_scores
from store.runs import get_run, list_runs
from store.systems import get_system

app = typer.Typer()


class Shown(StrEnum):
    """What can be shown by itself."""

    system = "system"
    dataset = "dataset"
    run = "run"
    metric = "metric"
    claim = "claim"
    ingest = "ingest"


@app.command("show")
@exits_in_words
def show_command(
    context: typer.Context, what: Shown, name: str, as_json: JsonOption = False
) -> None:
    """Show everything about a run, system, dataset, metric, claim or ingest (by uid or name)."""
    with opened(context, read_only=True) as store:
        result = _shown(store, what, name)
        answer(
            "show",
            result,
            store_revision=store.revision(),
            warnings=_disputed(store, result["uid"]) if what is Shown.run else (),
            as_json=as_json,
            show=lambda console: _show_fields(console, result),
        )


def _disputed(store: Store, run_uid: str) -> list[str]:
    stated = list_reported_scores(store, run_uid=run_uid)
    return [f"{figure}." for figure in disputed_figures(stated, [get_run(store, run_uid)])]


def _shown(store: Store, what: Shown, name: str) -> dict[str, Any]:
    if what is Shown.ingest:
        return show_import(store, name)
    if what is Shown.metric:
        card = metric_card(store, name)
        return card.to_dict() | _history(store, card.metric.uid)
    if what is Shown.claim:
        claim = get_claim(store, name)
        evidence = _dicts("evidence", list_evidence(store, claim.uid))
        return claim.to_dict() | evidence | _history(store, claim.uid)
    if what is Shown.run:
        run = get_run(store, name)
        own = list_reported_scores(store, run_uid=run.uid)
        return run.to_dict() | _attached(store, "run", run.uid) | _dicts("reported", own)
    if what is Shown.system:
        system = get_system(store, name)
        runs = list_runs(store, system_uid=system.uid)
        stated = list_reported_scores(store, system_uid=system.uid)
        described = system.to_dict() | _attached(store, "system", system.uid)
        return described | _dicts("runs", runs) | _dicts("reported", stated)
    dataset = get_dataset(store, name)
    runs = list_runs(store, dataset_uid=dataset.uid)
    stated = list_reported_scores(store, dataset_uid=dataset.uid)
    overlaps = [
        overlap
        for overlap in list_overlaps(store)
        if dataset.uid in (overlap.dataset_a_uid, overlap.dataset_b_uid)
    ]
    described = dataset.to_dict() | _attached(store, "dataset", dataset.uid)
    return (
        described
        | _dicts("criteria", list_criteria(store, dataset.uid))
        | _dicts("runs", runs)
        | _dicts("reported", stated)
        | _dicts("overlaps", overlaps)
    )


def _attached(store: Store, kind: Any, uid: str) -> dict[str, Any]:
    notes = tags.list_notes(store, kind, uid)
    return _dicts("notes", notes) | _history(store, uid)


def _history(store: Store, uid: str) -> dict[str, Any]:
    return _dicts("history", list_events(store, target_uid=uid))


def _dicts(name: str, records: Any) -> dict[str, Any]:
    return {name: [record.to_dict() for record in records]}


_SHOWN_COLUMNS = {
    "evidence": ["created_at", "verdict", "tier", "actor", "signature"],
    "history": ["id", "at", "actor", "action", "target_kind", "target_uid", "via"],
    "criteria": ["name", "kind", "level", "lower", "upper", "n_annotators", "n_judgments"],
}


def _show_fields(console: Console, result: dict[str, Any]) -> None:
    simple = {
        k: v for k, v in result.items() if not isinstance(v, list) or k in ("tags", "aliases")
    }
    known = [(name, value) for name, value in simple.items() if value not in (None, "", [])]
    console.print(table("", ("field", "value"), known))
    for name, rows in result.items():
        if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict):
            continue
        columns = _SHOWN_COLUMNS.get(
            name, [k for k, v in rows[0].items() if not isinstance(v, dict | list)][:8]
        )
        console.print(table(name, columns, [[row.get(c) for c in columns] for row in rows[:50]]))
        if name == "evidence":
            figures = list(rows[-1]["figures"].items())
            console.print(table("figures of the latest audit", ("", ""), figures))
