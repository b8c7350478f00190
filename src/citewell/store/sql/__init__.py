"""The SQL engines (SQLite, PostgreSQL), their files, migrations and the salvage of damaged files."""
