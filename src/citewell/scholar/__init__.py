"""Scholarly works: search, lookup, merging of records, citation graph and full text."""

# What other rooms may import.
API = (
    "free_copies",
    "identifier_lookup",
    "literature_search",
    "paper_search_ladder",
    "reference_matching",
    "registry_records",
    "work_resolution",
)
