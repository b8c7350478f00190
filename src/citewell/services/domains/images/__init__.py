"""Search for images."""
