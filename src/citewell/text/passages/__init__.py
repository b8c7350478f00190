"""Splits the markdown of a page into sentences, list items and table rows, and groups these into passages."""
