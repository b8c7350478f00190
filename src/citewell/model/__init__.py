"""Frozen values that cross layers; no I/O."""
