"""Research that spans many calls: steps, sources, gaps, and a report at the end."""
