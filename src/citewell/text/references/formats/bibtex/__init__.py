"""Reads BibTeX and BibLaTeX: blocks, entries, names, and the .bbl file that LaTeX makes of them."""
