"""All network access; the guard checks every connection."""
