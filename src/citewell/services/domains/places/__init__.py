"""Search for places."""
