"""The types of the arguments that tools, service requests and provider queries share.

Each bound and each choice is declared here, or in the one request that has the argument.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field

MAX_QUERY_CHARS = 500  # characters, not bytes
MAX_TERMS_CHARS = 200
MAX_CLAIM_CHARS = 2000
MAX_SITES = 10

# An optional argument that is "" or only white space counts as not given.
BLANK_IS_ABSENT = BeforeValidator(
    lambda value: None if isinstance(value, str) and not value.strip() else value
)

QueryText = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS)]
ClaimText = Annotated[str | None, Field(max_length=MAX_CLAIM_CHARS), BLANK_IS_ABSENT]
OptionalName = Annotated[str | None, BLANK_IS_ABSENT]  # a provider, lens, language or the like
OptionalQuery = Annotated[str | None, Field(max_length=MAX_QUERY_CHARS), BLANK_IS_ABSENT]

SearchTerms = Annotated[str | None, Field(max_length=MAX_TERMS_CHARS), BLANK_IS_ABSENT]
SiteList = Annotated[tuple[str, ...], Field(max_length=MAX_SITES)]
TimeRange = Literal["day", "week", "month", "year"]
NewsTimeRange = Literal["hour", TimeRange]  # providers of news can also search the last hour
SafeLevel = Literal["off", "medium", "high"]
SearchCategory = Literal[
    "general", "images", "videos", "news", "map", "music", "it", "science", "files"
]
DEFAULT_SAFE_LEVEL: SafeLevel = "medium"
DEFAULT_CATEGORY: SearchCategory = "general"
NewsSort = Literal["relevance", "date"]
DEFAULT_NEWS_SORT: NewsSort = "relevance"

PaperSource = Literal["all", "arxiv", "pubmed", "ieee", "nature", "springer"]
PaperSort = Literal["relevance", "date"]
PaperYear = Annotated[int | None, Field(ge=1900, le=2030)]

MAX_QUESTION_CHARS = 10_000
QuestionText = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]
BudgetTier = Literal["XXS", "XS", "S", "M", "L", "XL"]
ResearchMode = Literal["fast", "methodical"]
RESEARCH_MODES: tuple[ResearchMode, ...] = get_args(ResearchMode)
ResearchScope = Literal["web", "library", "both"]
RESEARCH_SCOPES: tuple[ResearchScope, ...] = get_args(ResearchScope)

ExportFormat = Literal["markdown", "json", "html", "bibtex"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
BibliographyFormat = Literal[
    "csl-json", "ris", "bibtex", "prose", "wos", "enw", "endnote-xml", "nbib",
    "pubmed-xml", "mods", "zotero-rdf", "word-xml", "csv", "latex",
]  # fmt: skip
BIBLIOGRAPHY_FORMATS: tuple[BibliographyFormat, ...] = get_args(BibliographyFormat)
BibliographyStyle = Literal[
    "apa", "mla", "chicago", "harvard", "vancouver", "ieee", "bibtex", "ris", "csl-json"
]
BIBLIOGRAPHY_STYLES: tuple[BibliographyStyle, ...] = get_args(BibliographyStyle)
