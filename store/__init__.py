"""Everything that touches the database: models, migrations, importers, ingest, queries."""
