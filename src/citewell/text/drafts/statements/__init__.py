"""Finds the statements of a draft, the citations that stand for each, and what they carry."""
