"""Cited works: identifiers, references, matching, styles and file formats."""

# What other rooms may import.
API = (
    "author_matching",
    "author_names",
    "bibliographies",
    "citable_works",
    "cited_kinds",
    "csl_rendering",
    "dois",
    "identifiers",
    "official_citations",
    "official_records",
    "record_fields",
    "references",
    "references.author_lists",
    "references.format_detection",
    "references.formats.latex_documents",
    "references.formats.latex_text",
    "references.prose_references",
    "references.reference_fields",
    "references.reference_splitting",
    "title_differences",
    "title_matching",
)
