"""Web search over many providers."""
