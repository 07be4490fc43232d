"""Every store that was ever written can be brought to the newest revision, and nothing is lost."""

from __future__ import annotations

import difflib
import importlib.util
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from store import schema
from store.arrays import load_matrix
from store.backup import check, upgrade_store
from store.claim_evidence import list_evidence
from store.claims import list_claims
from store.datasets import get_dataset, list_items, list_overlaps
from store.engine import make_engines, open_store
from store.errors import SchemaVersionError, StoreError
from store.history import list_events
from store.importers.bundle import COMPONENTS
from store.judgments import (
    list_annotators,
    list_criteria,
    load_item_judgments,
    load_preferences,
    load_ratings,
)
from store.lifecycle import restore
from store.metrics import list_metrics
from store.models import Base
from store.reported import list_reported_comparisons, list_reported_scores
from store.results_cache import load_result
from store.systems import get_system, list_systems
from store.tags import list_notes
from store.text_checksum import checksum

HERE = Path(__file__).resolve().parent
ASSETS = sorted((HERE / "assets").glob("*.db"))


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_asset = _load("make_asset")


def config() -> Config:
    made = Config()
    made.set_main_option("script_location", str(schema.MIGRATIONS).replace("%", "%%"))
    return made


def move(engine: sa.Engine, direction: Any, revision: str) -> None:
    """Upgrade or downgrade as Alembic does it, foreign keys off."""
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        driver.execute("PRAGMA foreign_keys=OFF")
        with connection.begin():
            told = config()
            told.attributes["connection"] = connection
            direction(told, revision)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[sa.Engine]:
    engine, reader = make_engines(str(tmp_path / "store.db"))
    yield engine
    reader.dispose()
    engine.dispose()


@pytest.fixture
def asset(tmp_path: Path) -> Path:
    """Return a copy of the newest committed store."""
    return Path(shutil.copy(ASSETS[-1], tmp_path / "store.db"))


def test_migrations_have_one_head_and_count_up():
    scripts = ScriptDirectory.from_config(config())
    assert len(scripts.get_heads()) == 1
    assert scripts.get_current_head() == schema.head_revision()
    revisions = [script.revision for script in scripts.walk_revisions()][::-1]
    assert revisions == [f"{i:04d}" for i in range(1, len(revisions) + 1)]


def test_migrations_say_what_a_user_gains():
    for script in ScriptDirectory.from_config(config()).walk_revisions():
        assert re.search(r"^What a user gains: \w", script.module.__doc__, re.MULTILINE)
        assert re.search(r"^Rewrites data: \w", script.module.__doc__, re.MULTILINE)


def test_migrations_import_nothing_of_ours():
    for path in (schema.MIGRATIONS / "versions").glob("*.py"):
        assert not re.search(
            r"^\s*(from|import) (store|analysis|dashboard)", path.read_text(), re.M
        )


def test_upgrade_from_nothing_makes_the_tables_of_the_models(writer):
    schema.create(writer)
    with writer.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        difference = compare_metadata(context, Base.metadata)
    assert difference == [], "models and migrations differ: write a migration"


def test_downgrade_to_nothing_and_up_again(writer, tmp_path):
    schema.create(writer)
    before = make_asset.schema_sql(tmp_path / "store.db")
    move(writer, command.downgrade, "base")
    with writer.connect() as connection:
        assert sa.inspect(connection).get_table_names() == ["alembic_version"]
    move(writer, command.upgrade, "head")
    assert make_asset.schema_sql(tmp_path / "store.db") == before


def test_schema_is_the_committed_one(writer, tmp_path):
    schema.create(writer)
    found = make_asset.schema_sql(tmp_path / "store.db")
    committed = (HERE / "schema.sql").read_text(encoding="utf-8")
    if found != committed:
        lines = difflib.unified_diff(
            committed.splitlines(), found.splitlines(), "schema.sql", "migrations", lineterm=""
        )
        pytest.fail(
            "\n".join(lines) + "\n\nThe tables changed. If that is meant, run "
            "`.venv/bin/python tests/test_migrations/make_asset.py` and commit what it writes.",
            pytrace=False,
        )


def test_names_are_short_enough_for_postgresql():
    named = re.findall(r"(?:CONSTRAINT|INDEX) (\w+)", (HERE / "schema.sql").read_text("utf-8"))
    assert "uq_reported_comparison_identity" in named
    assert [name for name in named if len(name) > 63] == []


def test_assets_exist_for_every_revision_and_stand_alone():
    revisions = [s.revision for s in ScriptDirectory.from_config(config()).walk_revisions()]
    assert [path.stem for path in ASSETS] == sorted(revisions)
    assert {p.suffix for p in (HERE / "assets").iterdir()} == {".db", ".json"}


@pytest.mark.parametrize("committed", ASSETS, ids=lambda path: path.stem)
def test_upgrade_of_a_committed_store_keeps_every_bit(committed, tmp_path):
    path = Path(shutil.copy(committed, tmp_path / "store.db"))
    done = upgrade_store(str(path))
    assert (done.before, done.after) == (committed.stem, schema.head_revision())
    store = open_store(path)
    expected = json.loads(committed.with_suffix(".json").read_text(encoding="utf-8"))
    assert make_asset.scores_of(store) == expected
    assert check(store) == []
    store.close()


@pytest.mark.parametrize("committed", ASSETS, ids=lambda path: path.stem)
def test_upgrade_of_a_committed_store_keeps_everything_else(committed, tmp_path):
    path = Path(shutil.copy(committed, tmp_path / "store.db"))
    upgrade_store(str(path))
    store = open_store(path)
    assert [s.name for s in list_systems(store)] == ["B", "ünï"]
    assert get_system(store, "system b").tags == ("baseline",)
    assert [item.group for item in list_items(store, "qa")] == [f"doc {i // 2}" for i in range(5)]
    assert get_dataset(store, "qa").task == "answering"
    assert [n.text for n in list_notes(store, "dataset", "qa")] == ["a *note*"]
    assert [s.value for s in list_reported_scores(store)] == [81.3]
    assert [c.pvalue for c in list_reported_comparisons(store)] == [0.03]
    assert [o.kind for o in list_overlaps(store)] == ["contains"]
    [gone] = list_systems(store, deleted=True)
    restore(store, "system", gone.uid, actor="t")
    assert list_events(store)[0].action == "restore"
    store.close()


def raw_rows(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return every row of every table as another program would read it."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    named = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'seal'"  # of the others
    )
    tables = [name for (name,) in connection.execute(named)]
    found = {
        name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"')]
        for name in tables
    }
    connection.close()
    return found


@pytest.mark.parametrize("committed", ASSETS[:-1], ids=lambda path: path.stem)
def test_upgrade_leaves_every_value_of_an_earlier_store_alone(committed, tmp_path):
    path = Path(shutil.copy(committed, tmp_path / "store.db"))
    before = raw_rows(path)
    assert all(before[table] for table in ("metric", "score_vector", "item", "audit_event"))
    upgrade_store(str(path))
    after = raw_rows(path)
    if committed.stem < "0004":
        assert {row["source"] for row in after["metric"]} == {"automatic"}
    if committed.stem < "0007":
        assert {row["via"] for row in after["audit_event"]} == {None}
    assert {row["repeats"] for row in after["run"]} == {"samples"}
    for row in after["output"]:
        assert row["checksum"] == checksum(row["text"])
    for row in after["item_text"]:
        assert row["checksum"] == checksum(row["input_text"], row["reference_text"])
    assert after.pop("alembic_version") == [{"version_num": schema.head_revision()}]
    del before["alembic_version"]
    given = {row["name"]: row["seq"] for row in before.pop("sqlite_sequence")}
    given.pop("seal", None)  # written anew
    assert given.items() <= {row["name"]: row["seq"] for row in after["sqlite_sequence"]}.items()
    for table, rows in before.items():
        kept = [
            {name: new[name] for name in old} for old, new in zip(rows, after[table], strict=False)
        ]
        assert (len(after[table]), kept) == (len(rows), rows)
    added = after.keys() - before.keys() - {"sqlite_sequence"}
    assert [table for table in added if after[table]] == []


def test_upgraded_store_is_made_like_a_new_one(tmp_path, writer):
    schema.create(writer)
    expected = make_asset.schema_sql(tmp_path / "store.db")
    for committed in ASSETS:
        path = Path(shutil.copy(committed, tmp_path / f"{committed.stem}.db"))
        upgrade_store(str(path))
        assert make_asset.schema_sql(path) == expected


@pytest.mark.parametrize("committed", ASSETS, ids=lambda path: path.stem)
def test_upgraded_store_takes_the_aggregations_of_today_and_no_others(committed, tmp_path):
    path = Path(shutil.copy(committed, tmp_path / "store.db"))
    upgrade_store(str(path))
    connection = sqlite3.connect(path)
    add = (
        "INSERT INTO metric (uid, name, signature, higher_is_better, aggregation, unit) "
        "VALUES (?, ?, '', 1, ?, '')"
    )
    for aggregation in COMPONENTS:
        connection.execute(add, (f"u {aggregation}", f"new {aggregation}", aggregation))
    with pytest.raises(sqlite3.IntegrityError, match="aggregation_known"):
        connection.execute(add, ("u", "new", "mode"))
    connection.execute(add.replace("'')", "'miles')"), ("u miles", "distance", "mean"))
    with pytest.raises(sqlite3.IntegrityError, match=r"metric\.name"):
        connection.execute(add, ("u", "acc", "mean"))
    connection.close()


def test_an_upgrade_says_which_answers_may_differ(tmp_path, asset):
    done = upgrade_store(str(Path(shutil.copy(ASSETS[1], tmp_path / "old.db"))))
    assert done.kept == {"": 1}
    assert "1 of an unknown one" in done.told
    first = upgrade_store(str(Path(shutil.copy(ASSETS[0], tmp_path / "first.db"))))
    assert "No earlier answer is kept" in first.told
    assert "Already at revision" in upgrade_store(str(asset)).told


def test_kept_results_outlive_upgrades(tmp_path):
    for committed in ASSETS[1:]:  # there were none before 0002
        path = Path(shutil.copy(committed, tmp_path / f"{committed.stem}.db"))
        upgrade_store(str(path))
        store = open_store(path)
        assert load_result(store, "a key") == make_asset.KEPT_RESULT
        store.close()


def test_ledger_outlives_upgrades(tmp_path):
    for committed in ASSETS[2:]:  # there was none before 0003
        path = Path(shutil.copy(committed, tmp_path / f"{committed.stem}.db"))
        upgrade_store(str(path))
        store = open_store(path)
        [claim] = list_claims(store)
        assert (claim.system, claim.value, claim.quote) == ("ünï", 0.5, "we “win”")
        found = [(e.verdict, e.figures["gain"]) for e in list_evidence(store, claim.uid)]
        assert found == [("underpowered", None), ("within-noise", 0.25)]
        store.close()


def test_judgments_outlive_upgrades(tmp_path):
    for committed in ASSETS[3:]:  # there were none before 0004
        path = Path(shutil.copy(committed, tmp_path / f"{committed.stem}.db"))
        upgrade_store(str(path))
        store = open_store(path)
        kinds = {(a.name, a.kind, a.n_ratings, a.n_preferences) for a in list_annotators(store)}
        assert kinds == {("ünï rater", "human", 5, 1), ("judge", "model", 1, 1)}
        found = {record.name: record for record in list_criteria(store, "qa")}
        assert list(found) == ["fluency", "topic", "mqm", "better"]
        assert (found["fluency"].question, found["fluency"].upper) == ("How “fluent”?", 1.0)
        assert found["topic"].labels == ("news", "spört")
        assert found["mqm"].weights == {"Major": 5.0, "Minor": 0.1}
        fluency = load_ratings(store, "qa", "fluency")
        np.testing.assert_array_equal(fluency.value, [0.1 + 0.2, 0.5, np.nan])
        [first, _] = load_item_judgments(store, "qa", "item 0").ratings
        assert (first.replicate, first.judged_at) == (0, datetime(2024, 6, 1, 8, 30, tzinfo=UTC))
        [marked] = load_item_judgments(store, "qa", "item 1").ratings
        assert marked.value == 5.1
        assert [(s.severity, s.text, s.in_source, s.note) for s in marked.spans] == [
            ("Major", "text", False, "“why”"),
            ("Minor", "", True, ""),
        ]
        better = load_preferences(store, "qa", "better")
        assert better.choice.tolist() == [0, -1]
        assert better.order_known.tolist() == [False, True]
        np.testing.assert_array_equal(better.strength, [np.nan, 0.75])
        gold = load_matrix(store, "qa", "mqm")
        assert gold.metric.source == "human"
        np.testing.assert_array_equal(gold.scores[0, :, 0], [np.nan, 5.1, np.nan, 0, np.nan])
        store.close()


def test_upgraded_metrics_have_a_known_source(tmp_path):
    path = Path(shutil.copy(ASSETS[0], tmp_path / "store.db"))
    upgrade_store(str(path))
    store = open_store(path)
    assert {metric.source for metric in list_metrics(store)} == {"automatic"}
    store.close()
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="source_known"):
        connection.execute("UPDATE metric SET source = 'oracle'")
    connection.close()


SECOND = '''"""A column on systems and a rule on runs.

What a user gains: nothing, this is a test.
Rewrites data: no.
"""

import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"


def upgrade() -> None:
    never_reuse_ids = {{"sqlite_autoincrement": True}}
    with op.batch_alter_table(
        "system", recreate="always", table_kwargs=never_reuse_ids
    ) as batch:
        batch.add_column(sa.Column("licence", sa.String(100), nullable=True))
    with op.batch_alter_table(
        "dataset", recreate="always", table_kwargs=never_reuse_ids
    ) as batch:
        batch.alter_column("task", type_=sa.Text())
    {then}


def downgrade() -> None:
    pass
'''


@pytest.fixture
def next_migration(tmp_path, monkeypatch):
    """Return a function that adds a migration to a copy of the folder, as if it were released."""
    head = schema.head_revision()
    after = f"{int(head) + 1:04d}"
    folder = Path(shutil.copytree(schema.MIGRATIONS, tmp_path / "100% migrations"))

    def write(then: str = "pass") -> tuple[str, str]:
        text = SECOND.format(revision=after, before=head, then=then)
        (folder / "versions" / f"{after}_test.py").write_text(text)
        monkeypatch.setattr(schema, "MIGRATIONS", folder)
        return head, after

    return write


def rows_of(path: Path) -> dict[str, int]:
    connection = sqlite3.connect(path)
    named = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'seal'"  # of the others
    )
    tables = connection.execute(named).fetchall()
    counts = {
        name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
        for (name,) in tables
    }
    connection.close()
    return counts


def test_open_store_never_migrates_by_itself(asset, next_migration):
    head, after = next_migration()
    before = asset.read_bytes()
    with pytest.raises(SchemaVersionError) as raised:
        open_store(asset, create=True)
    assert str(raised.value) == (
        f"{asset} is at revision {head}, this version of Tiebreak needs {after}. Run `tiebreak db "
        "upgrade` (a backup is written beside the file first)."
    )
    assert asset.read_bytes() == before


def test_upgrade_keeps_the_children_of_tables_that_it_rebuilds(asset, next_migration):
    before = rows_of(asset)
    assert before["run"] == 5  # two of them hold what judgments amount to
    assert before["item"] == 5
    next_migration()
    upgrade_store(str(asset))
    assert rows_of(asset) == before
    store = open_store(asset)
    assert check(store) == []
    with store.read() as connection:
        columns = {c["name"] for c in sa.inspect(connection).get_columns("system")}
    assert "licence" in columns
    store.close()


@pytest.mark.parametrize("which", ["WHERE name = 'gone'", ""])
def test_upgrade_never_lets_an_id_be_used_again(asset, next_migration, which):
    """SQLite counts a rebuilt table from its largest id, which may be smaller than its last."""
    connection = sqlite3.connect(asset, isolation_level=None)
    connection.execute("PRAGMA foreign_keys=ON")
    [(last,)] = connection.execute("SELECT max(id) FROM system")
    connection.execute(f"DELETE FROM system {which}")
    connection.close()
    next_migration()
    upgrade_store(str(asset))
    connection = sqlite3.connect(asset)
    made = connection.execute("INSERT INTO system (uid, name, created_at) VALUES ('x', 'new', '')")
    assert made.lastrowid == last + 1
    connection.close()


def test_tables_never_use_an_id_again_after_all_migrations(writer, tmp_path):
    """A batch that rebuilds a table forgets this unless `table_kwargs` says it again."""
    schema.create(writer)
    for statement in make_asset.schema_sql(tmp_path / "store.db").split(";\n\n"):
        if statement.startswith("CREATE TABLE") and "\tid " in statement:
            assert "AUTOINCREMENT" in statement, statement


def test_upgrade_writes_a_backup_first(asset, next_migration):
    head, after = next_migration()
    expected = rows_of(asset)
    done = upgrade_store(str(asset))
    assert (done.before, done.after) == (head, after)
    assert done.backup == f"{asset}.{head}.bak"
    assert rows_of(Path(done.backup)) == expected
    connection = sqlite3.connect(done.backup)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (head,)
    connection.close()


def test_upgrade_never_overwrites_a_backup(asset, next_migration):
    head, _ = next_migration()
    first = asset.with_name(f"{asset.name}.{head}.bak")
    first.write_text("mine")
    done = upgrade_store(str(asset))
    assert done.backup == f"{asset}.{head}.2.bak"
    assert first.read_text() == "mine"


@pytest.mark.parametrize(
    ("then", "error"),
    [
        ("raise RuntimeError('half way')", RuntimeError),
        ("op.execute('DELETE FROM run')", StoreError),  # its vectors dangle
    ],
)
def test_upgrade_that_fails_leaves_the_store_as_it_was(asset, next_migration, then, error):
    head, _ = next_migration(then)
    before, tables = rows_of(asset), make_asset.schema_sql(asset)
    with pytest.raises(error, match=r"half way|Migration left \d+ dangling references"):
        upgrade_store(str(asset))
    assert rows_of(asset) == before
    assert make_asset.schema_sql(asset) == tables
    writer, reader = make_engines(str(asset))
    assert schema.current_revision(writer) == head
    writer.dispose()
    reader.dispose()


def test_upgrade_leaves_foreign_keys_on_for_whoever_writes_next(asset, next_migration):
    next_migration()
    upgrade_store(str(asset))
    store = open_store(asset)
    with store.write("t", dry_run=True) as change:
        connection = change.session.connection()
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    store.close()
