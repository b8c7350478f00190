"""Research sessions and their steps."""
