"""Frozen values that are passed between layers; no I/O."""
