"""What is kept in an object store: large artifacts, and backups."""
