"""One store, two dialects: SQLite and PostgreSQL."""
