"""One reader for each format in which reference managers, databases and manuscripts hold references."""
