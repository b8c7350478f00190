"""Patents: queries to patent databases, and the publications they return."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class PatentFilter(StrEnum):
    """A condition on patents, which a provider applies itself or we apply afterwards."""

    ASSIGNEE = "assignee"
    INVENTOR = "inventor"
    CPC = "cpc_code"
    OFFICE = "patent_office"
    YEAR_FROM = "year_from"
    YEAR_TO = "year_to"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatentQuery:
    """One query to one patent database, already validated.

    With `numbers` these publications are looked up, and nothing else is searched.
    """

    text: str | None = None
    numbers: tuple[str, ...] = ()  # in the form of PatentNumber.normalized
    assignees: tuple[str, ...] = ()  # ways to write one company's name, the base name first
    inventor: str | None = None
    office: str | None = None  # US, EP, WO, JP, CN or KR
    cpc_code: str | None = None
    year_from: int | None = None  # of filing
    year_to: int | None = None
    is_phrase: bool = False  # the text is a title or an exact phrase
    count: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PatentRecord:
    """A publication, or a filing that is not published yet, as a database describes it."""

    number: str
    title: str
    url: str
    source: str  # the provider's name
    office: str
    kind_code: str | None = None
    abstract: str | None = None
    assignees: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()
    filed: str | None = None  # YYYY-MM-DD
    granted: str | None = None
    pdf: str | None = None
    status: str | None = None
    family_id: str | None = None
    also_published_as: tuple[str, ...] = ()  # other publications of the same filing or family
    cpc_codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PatentHits:
    patents: tuple[PatentRecord, ...] = ()
    total: int | None = None
    applied: frozenset[PatentFilter] = field(default_factory=frozenset)  # by the provider itself
    notes: tuple[str, ...] = ()
