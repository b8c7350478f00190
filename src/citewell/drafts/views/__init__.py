"""How each format shows a draft: one module for each, which gives its blocks, notes and marks."""
