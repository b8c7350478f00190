"""Web search through many providers."""
