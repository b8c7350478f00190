"""Points on the map and the distances between them."""
