"""Finds where a source says the opposite of a claim."""
