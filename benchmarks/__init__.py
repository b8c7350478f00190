"""Citewell beside its peers and beside the least that could do the same work, in one run."""
