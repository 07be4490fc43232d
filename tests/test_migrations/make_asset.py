"""Make the small store that tests keep for the newest revision: `assets/NNNN.db`, `NNNN.json`.

How to: after a new migration, and before it is released, run once

    .venv/bin/python tests/test_migrations/make_asset.py

and commit the two files and `schema.sql`, which it renews too. Never make the files of an older
revision again: they are what real stores of that revision look like.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from store import schema
from store.claim_evidence import add_evidence
from store.claim_records import NewClaim, NewEvidence
from store.claims import add_claim
from store.engine import Store, open_store
from store.import_lists import list_imports
from store.importers.bundle import (
    BundleCriterion,
    BundleDataset,
    BundleErrorSpan,
    BundleItem,
    BundleMetric,
    BundleOverlap,
    BundlePreference,
    BundleRating,
    BundleReportedComparison,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    ImportBundle,
    Provenance,
    SourceFile,
)
from store.ingest import ingest
from store.lifecycle import delete
from store.results_cache import save_result
from store.run_scores import load_run_scores
from store.runs import list_runs
from store.tags import add_note, add_tag

HERE = Path(__file__).resolve().parent
ASSETS = HERE / "assets"

ODD_NAN = struct.unpack("<d", struct.pack("<Q", 0x7FF8_0000_DEAD_BEEF))[0]
EXTREMES = [0.1 + 0.2, -0.0, 5e-324, 1e100, ODD_NAN]
KEPT_RESULT = bytes(range(256))


def fill(store: Store) -> None:
    """Put something of every kind into a store."""
    items = [
        BundleItem(f"item {i}", f"doc {i // 2}", f"{i:064x}", f"text {i}", metadata={"n": i})
        for i in range(5)
    ]
    provenance = Provenance(
        evaluated_on=datetime(2024, 3, 9, 12, tzinfo=UTC), seed=7, harness="lm-eval",
        git_commit="abc", packages={"numpy": "2"}, config={"temperature": 0.5},
    )  # fmt: skip
    counts = np.arange(10.0).reshape(5, 2)
    bundle = ImportBundle(
        format="asset",
        files=[SourceFile("scores.csv", "0" * 64)],
        datasets=[
            BundleDataset("qa", "1", items, task="answering"), BundleDataset("paper only"),
            BundleDataset("another paper"),
        ],
        metrics=[
            BundleMetric("acc", higher_is_better=True),
            BundleMetric("las", "v2", higher_is_better=True, aggregation="ratio"),
            BundleMetric("bleu", higher_is_better=True, aggregation="bleu"),
            BundleMetric("latency", higher_is_better=False, aggregation="median"),
        ],
        runs=[
            BundleRun(
                "ünï", 0, "seed 7", [BundleScores(0, np.array(EXTREMES)[:, None])],
                outputs={0: ["a", None, "c", None, "e"]}, provenance=provenance,
            ),
            BundleRun(
                "B", 0,
                scores=[
                    BundleScores(1, counts), BundleScores(1, counts / 3, trial=1),
                    BundleScores(2, np.arange(50.0).reshape(5, 10)),
                    BundleScores(3, counts[:, :1]),
                ],
                statuses={0: np.array([0, 1, 2, 3, 0], np.uint8)},
            ),
        ],
        reported_scores=[BundleReportedScore("B", 1, 0, 81.3, source="Table 3", printed="81.3")],
        reported_comparisons=[BundleReportedComparison("ünï", "B", 1, 0, 0.03, source="Table 3")],
        overlaps=[
            BundleOverlap("qa", "paper only", "contains"),
            BundleOverlap("qa", "another paper", "independent", "other texts"),
        ],
        aliases={"B": ["system b"]},
    )  # fmt: skip
    ingest(store, bundle, actor="asset")
    add_tag(store, "system", "B", "baseline", actor="asset")
    add_note(store, "dataset", "qa", "a *note*", actor="asset")
    add_tag(store, "item", "qa@1/item 1", "unclear", actor="asset")
    add_note(store, "item", "qa@1/item 1", "two *answers*", actor="asset")
    add_note(store, "import", list_imports(store)[0].uid, "from the paper", actor="asset")
    ingest(store, bundle_of_deleted_system(), actor="asset")
    delete(store, "system", "gone", actor="asset")
    claim = add_claim(
        store,
        NewClaim("ünï", "qa", "acc", 0.5, datetime(2024, 5, 1, tzinfo=UTC), "a paper", "we “win”"),
        actor="asset",
    )
    for verdict, gain in (("underpowered", float("nan")), ("within-noise", 0.25)):
        add_evidence(store, NewEvidence(claim.uid, verdict, {"gain": gain}), actor="asset")
    save_result(store, "a key", KEPT_RESULT, question="asset", arguments={"alpha": 0.05})
    ingest(store, bundle_of_judgments(), actor="asset")


def bundle_of_deleted_system() -> ImportBundle:
    """Return a run of a system that is deleted afterwards."""
    return ImportBundle(
        format="asset",
        datasets=[BundleDataset("qa", "1", [BundleItem("item 0")])],
        metrics=[BundleMetric("acc", higher_is_better=True)],
        runs=[BundleRun("gone", 0, scores=[BundleScores(0, np.zeros((1, 1)))])],
    )


def bundle_of_judgments() -> ImportBundle:
    """Return judgments of every kind on the dataset and systems that are there."""
    judged_at = datetime(2024, 6, 1, 8, 30, tzinfo=UTC)
    spans = [BundleErrorSpan("Major", "Accuracy/Addition", 0, 4, "text", note="“why”")]
    minor = BundleErrorSpan("Minor", in_source=True)
    nan = float("nan")
    return ImportBundle(
        format="asset",
        datasets=[BundleDataset("qa", "1", [BundleItem(f"item {i}") for i in range(5)])],
        criteria=[
            BundleCriterion("fluency", 0, lower=0, upper=1, question="How “fluent”?"),
            BundleCriterion("topic", 0, level="nominal", labels=["news", "spört"]),
            BundleCriterion("mqm", 0, "error-spans", weights={"Major": 5.0, "Minor": 0.1}),
            BundleCriterion("better", 0, "preference"),
        ],
        annotators={"judge": "model", "ünï rater": "human"},
        ratings=[
            BundleRating(0, "ünï rater", 0, "B", 0.1 + 0.2, judged_at=judged_at),
            BundleRating(0, "ünï rater", 0, "B", 0.5, replicate=1),
            BundleRating(0, "judge", 4, "ünï", nan),
            BundleRating(1, "ünï rater", 2, None, 1.0),
            BundleRating(2, "ünï rater", 1, "B", nan, spans=[*spans, minor]),
            BundleRating(2, "ünï rater", 3, "B", nan),
        ],
        preferences=[
            BundlePreference(3, "judge", 3, "ünï", "B", "second", 0.75, True, 7, 9),
            BundlePreference(3, "ünï rater", 3, "B", "ünï", "tie", judged_at=judged_at),
        ],
    )


def scores_of(store: Store) -> dict[str, str]:
    """Return "system metric-number trial" -> bytes of the scores, in hex."""
    found = {}
    for run in reversed(list_runs(store)):
        names = {vector.metric_uid: vector.metric for vector in run.vectors}
        for vector in load_run_scores(store, run.uid):
            place = f"{run.system} | {names[vector.metric_uid]} | {vector.trial}"
            found[place] = vector.scores.astype("<f8").tobytes().hex()
    return found


def schema_sql(path: Path) -> str:
    """Return the statements that make the tables of a SQLite file, in alphabetical order."""
    connection = sqlite3.connect(path)
    statements = connection.execute(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
        "ORDER BY tbl_name, type DESC, name"
    ).fetchall()
    connection.close()
    return "".join(f"{sql};\n\n" for (sql,) in statements)


def main() -> None:
    """Write the asset of the newest revision, its scores, and the schema."""
    revision = schema.head_revision()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        store = open_store(path, create=True)
        fill(store)
        scores = scores_of(store)
        store.close()
        connection = sqlite3.connect(path)
        connection.executescript(  # one small file, with no write-ahead log beside it
            "PRAGMA journal_mode=DELETE; PRAGMA page_size=1024; VACUUM;"
        )
        connection.close()
        (HERE / "schema.sql").write_text(schema_sql(path), encoding="utf-8")
        (ASSETS / f"{revision}.db").write_bytes(path.read_bytes())
    listing = json.dumps(scores, indent=1, ensure_ascii=False)
    (ASSETS / f"{revision}.json").write_text(listing + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
