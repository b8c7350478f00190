"""Research sessions that span many calls: steps, sources, gaps, and an export at the end."""
