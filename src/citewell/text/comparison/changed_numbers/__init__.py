"""Tells by the places of a source's numbers whether a statement has one of them changed."""
