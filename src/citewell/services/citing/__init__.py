"""Bibliographies in any CSL style, made by pandoc or citeproc-py."""
