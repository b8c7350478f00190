"""Answers that are too large to send whole: which texts may be cut, and how they are cut."""
