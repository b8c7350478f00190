"""Judges of claims: whether a source supports or contradicts a claim, with the words that show it."""
