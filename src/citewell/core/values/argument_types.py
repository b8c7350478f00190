"""The types of the arguments that tools, service requests and provider queries share, and their checks.

Each bound and each choice is declared here, or in the one request that has the argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import AliasChoices, BeforeValidator, Field
from pydantic.fields import FieldInfo

from citewell.core.errors import InvalidInput

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentBounds:
    """What a declared type allows; `name` is the argument's published name."""

    name: str
    optional: bool = False
    choices: tuple[str, ...] = ()
    ge: int | None = None
    le: int | None = None
    min_length: int | None = None
    max_length: int | None = None

    def check_value(self, value: Any) -> None:
        """Raises InvalidInput if the value is not allowed; a blank optional text is."""
        if value is None or (self.optional and value == ""):
            return
        if self.choices:
            self._check_choices(value)
        if isinstance(value, int):
            self._check_number(value)
        elif isinstance(value, str | tuple):
            self._check_length(value)

    def _check_choices(self, value: Any) -> None:
        for choice in value if isinstance(value, tuple) else (value,):
            if choice not in self.choices:
                raise InvalidInput(
                    f"{self.name} {choice!r} is not known. It takes: {', '.join(self.choices)}."
                )

    def _check_number(self, value: int) -> None:
        if (self.ge is None or value >= self.ge) and (self.le is None or value <= self.le):
            return
        allowed = f"at least {self.ge}" if self.le is None else f"between {self.ge} and {self.le}"
        raise InvalidInput(f"{self.name} must be {allowed}.")

    def _check_length(self, value: str | tuple[Any, ...]) -> None:
        unit = "characters" if isinstance(value, str) else "entries"
        if len(value) < (self.min_length or 0):
            raise InvalidInput(f"{self.name} is empty. Give it 1 to {self.max_length} {unit}.")
        if self.max_length is not None and len(value) > self.max_length:
            raise InvalidInput(
                f"{self.name} has {len(value)} {unit}; {self.max_length} is the maximum."
            )


def check_declared_bounds(request: Any) -> None:
    """Raises InvalidInput for the first field whose value its declared type does not allow."""
    kind: Any = type(request)
    for name, bounds in read_declared_bounds(kind).items():
        bounds.check_value(getattr(request, name))


@cache
def read_declared_bounds(kind: type[Any]) -> dict[str, ArgumentBounds]:
    """The bounds of each field of a dataclass."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: _read_field_bounds(field.name, hints[field.name]) for field in fields(kind)}


def _read_field_bounds(name: str, declared: Any) -> ArgumentBounds:
    found: dict[str, Any] = {"name": name}
    for part in _walk_declaration(declared):
        if part is type(None):
            found["optional"] = True
        elif get_origin(part) is Literal:
            found["choices"] = found.get("choices", ()) + get_args(part)
        elif isinstance(part, FieldInfo):
            if (alias := part.validation_alias) is not None:
                found["name"] = str(alias.choices[0] if isinstance(alias, AliasChoices) else alias)
            for mark in part.metadata:
                found |= {
                    bound: getattr(mark, bound)
                    for bound in ("ge", "le", "min_length", "max_length")
                    if getattr(mark, bound, None) is not None
                }
    return ArgumentBounds(**found)


def _walk_declaration(declared: Any) -> Iterator[Any]:
    """The parts of a declared type: its marks, and the types it is made of."""
    yield declared
    if get_origin(declared) is Annotated:
        yield from _walk_declaration(declared.__origin__)
        yield from declared.__metadata__
    elif get_origin(declared) is not Literal:
        for part in get_args(declared):
            yield from _walk_declaration(part)
