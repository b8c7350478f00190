"""Scholarship: works found, looked up, merged, followed along their citations, and read."""
