"""Alembic environment: runs on the connection that `store.schema` hands over."""

from alembic import context

from store.models import Base

connection = context.config.attributes.get("connection")
if connection is None:  # the `alembic` command itself, to write a new migration
    from store.engine import make_engines
    from store.location import resolve_location

    connection = make_engines(resolve_location())[0].connect()

context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_server_default=True,
    user_module_prefix="sa.",
)
with context.begin_transaction():
    context.run_migrations()
