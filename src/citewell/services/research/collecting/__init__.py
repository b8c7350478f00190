"""Searching for pages and reading them, and what kind of source each page is."""
