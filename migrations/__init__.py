"""Alembic migrations. `store.schema` runs them; version files import nothing of ours."""
