"""Web, news and image search: lenses, ranking, hints, and reading the results."""

# What other rooms may import.
API = (
    "domain_search",
    "lenses",
    "ranked_results",
    "result_filters",
    "search_cache",
    "search_hints",
    "search_request",
    "search_service",
    "settings",
)
