"""Scholarly works: search, lookup, merging of records, citation graph and full text."""
