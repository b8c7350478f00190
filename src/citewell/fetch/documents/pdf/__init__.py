"""Reads PDF files in reading order, with headings, lists and tables."""
