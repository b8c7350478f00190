"""Search for news."""
