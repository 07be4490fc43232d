"""A checksum beside each text of an item and each output; digests of large tables, in parts.

What a user gains: a flipped byte in a text that is shown is seen; items of any number are verified.
Rewrites data: yes, the checksums of all texts are computed (digests at the end of the upgrade).
"""

import zlib

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

_AT_ONCE = 1_000
_TABLES = {"output": ("id", "text"), "item_text": ("item_id", "input_text", "reference_text")}


def upgrade() -> None:
    for table, names in _TABLES.items():
        op.add_column(table, sa.Column("checksum", sa.BigInteger(), nullable=True))
        _fill(table, *names)
    op.drop_table("seal")
    op.create_table(
        "seal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("table_name", sa.String(length=64), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_seal"),
        sa.UniqueConstraint("table_name", "part", name="uq_seal_table_name_part"),
        sqlite_autoincrement=True,
    )


def _fill(name: str, key: str, *texts: str) -> None:
    """Compute the checksums, some rows at a time: texts may be large."""
    connection = op.get_bind()
    columns = [sa.column(one) for one in (key, *texts, "checksum")]
    table = sa.table(name, *columns)
    own = table.c[key]
    # As bytes where a file may hold a text that is none.
    is_file = connection.dialect.name == "sqlite"
    read = [sa.cast(table.c[one], sa.LargeBinary) if is_file else table.c[one] for one in texts]
    write = sa.update(table).where(own == sa.bindparam("row")).values(checksum=sa.bindparam("sum"))
    last = 0
    while True:
        query = sa.select(own, *read).where(own > last).order_by(own).limit(_AT_ONCE)
        rows = connection.execute(query).all()
        if not rows:
            return
        connection.execute(write, [{"row": row[0], "sum": _checksum(row[1:])} for row in rows])
        last = rows[-1][0]


def _checksum(texts: tuple[str | bytes | None, ...]) -> int:
    total = 0
    for text in texts:
        told = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        total = zlib.crc32(b"\xfe" if told is None else told + b"\xff", total)
    return total


def downgrade() -> None:
    op.drop_table("seal")
    op.create_table(
        "seal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("table_name", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_seal"),
        sa.UniqueConstraint("table_name", name="uq_seal_table_name"),
        sqlite_autoincrement=True,
    )
    for table in _TABLES:
        op.drop_column(table, "checksum")
