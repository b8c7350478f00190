"""Reads a PDF's text back into the order and the structure it has on the page."""
