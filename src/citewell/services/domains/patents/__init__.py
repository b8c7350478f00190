"""Search for patents."""
