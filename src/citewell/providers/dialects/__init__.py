"""Formats of statistical data: SDMX, JSON-stat, catalogues of series, and the ids of series."""
