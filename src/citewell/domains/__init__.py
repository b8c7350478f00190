"""Records of the registries as pages to read, for deep research and the connector."""

# What other rooms may import.
API = (
    "brands.stated_design",
    "filings",
    "law.bluebook",
    "law.case_names",
    "law.citation_forms",
    "law.citation_service",
    "patents.patent_answers",
    "patents.patent_numbers",
    "patents.patent_records",
    "place_records",
    "record_finders",
    "series",
    "series_ids",
    "trials",
)
