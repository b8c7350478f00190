"""Search for clinical trials."""
