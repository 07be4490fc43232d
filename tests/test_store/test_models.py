"""The tables' types and rules."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import TypeDecorator

from store.model_base import new_uids
from store.models import Base, System, UTCDateTime, new_uid

VERSIONS = Path(__file__).parents[2] / "migrations" / "versions"
TABLES = list(Base.metadata.tables.values())


def test_tables_can_be_made_on_postgresql():
    dialect = postgresql.dialect()
    for table in TABLES:
        made = str(sa.schema.CreateTable(table).compile(dialect=dialect))
        assert f"CREATE TABLE {table.name}" in made


@pytest.mark.parametrize("path", sorted(VERSIONS.glob("*.py")), ids=lambda path: path.stem)
def test_migrations_tell_postgresql_of_each_condition_of_an_index(path):
    for call in ast.walk(ast.parse(path.read_text())):
        if isinstance(call, ast.Call):
            given = {word.arg: ast.dump(word.value) for word in call.keywords}
            assert given.get("sqlite_where") == given.get("postgresql_where"), call.lineno


def test_tables_use_no_type_of_one_database_only():
    for column in (column for table in TABLES for column in table.columns):
        type_ = column.type.impl if isinstance(column.type, TypeDecorator) else column.type
        assert not type(type_).__module__.startswith("sqlalchemy.dialects"), column


def test_tables_name_every_constraint():
    for table in TABLES:
        for constraint in table.constraints:
            assert constraint.name, f"{constraint!r} of {table.name} could never be dropped"


def test_tables_never_use_an_id_again():
    for table in TABLES:
        if "id" in table.columns:
            assert table.dialect_options["sqlite"]["autoincrement"], table.name


def test_tables_index_every_reference_to_a_parent():
    """Else deleting a parent reads the whole child table."""
    for table in TABLES:
        leading = {next(iter(index.columns)).name for index in table.indexes}
        leading |= {next(iter(table.primary_key.columns)).name}
        leading |= {
            next(iter(c.columns)).name
            for c in table.constraints
            if isinstance(c, sa.UniqueConstraint)
        }
        for key in table.foreign_keys:
            assert key.parent.name in leading, f"{table.name}.{key.parent.name}"


def test_new_uid_is_short_plain_and_different_every_time():
    uids = {new_uid() for _ in range(1000)}
    assert len(uids) == 1000
    assert all(re.fullmatch("[0-9a-hjkmnp-tv-z]{12}", uid) for uid in uids)


def test_utc_datetime_stores_sortable_text_in_utc():
    bind = UTCDateTime().process_bind_param
    east = datetime(2024, 3, 9, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert bind(east, None) == "2024-03-08T23:30:00.000000+00:00"
    later = east + timedelta(microseconds=1)
    assert bind(east, None) < bind(later, None)
    assert UTCDateTime().process_result_value(bind(later, None), None) == later
    assert bind(None, None) is None


def test_utc_datetime_refuses_a_time_without_a_zone(store):
    with pytest.raises(ValueError, match="naive datetime"):
        UTCDateTime().process_bind_param(datetime(2024, 3, 9), None)
    with pytest.raises(sa.exc.StatementError, match="naive datetime"), store.write("t") as change:
        change.session.add(System(name="A", created_at=datetime(2024, 3, 9)))


def test_utc_datetime_hands_out_times_in_utc(store):
    with store.write("t") as change:
        change.session.add(System(name="A"))
    with store.read() as connection:
        made = connection.scalar(sa.select(System.created_at))
    assert made.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - made) < timedelta(minutes=1)


def test_uids_are_drawn_together_as_they_are_one_by_one() -> None:
    drawn = list(islice(new_uids(), 250))
    assert len(set(drawn)) == 250
    assert all(re.fullmatch("[0-9a-hjkmnp-tv-z]{12}", uid) for uid in (*drawn, new_uid()))
