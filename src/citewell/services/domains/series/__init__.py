"""Search for statistical series, and their observations."""
