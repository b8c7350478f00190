"""Which providers are configured, in which order they are asked, and what is reported when they fail."""
