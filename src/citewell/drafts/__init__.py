"""Checks a draft against its own citations: whether they exist, stand, and say what they are cited for."""

# What other rooms may import.
API = ("check_jobs",)
