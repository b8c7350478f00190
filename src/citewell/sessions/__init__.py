"""Research sessions that span many calls: steps, sources, gaps, and an export at the end."""

# What other rooms may import.
API = (
    "session_export",
    "session_rows",
    "session_store",
    "session_tracking",
    "session_views",
    "settings",
)
