"""Parses CSS values: lengths, colours, transforms, shapes and variables."""
