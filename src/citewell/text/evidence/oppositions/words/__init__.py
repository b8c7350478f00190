"""The words by which one sentence opposes another: one module for each language."""
