"""A reference as it was written, and its fields: values, people, identifiers in order of preference, lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from citewell.citations import dois, identifiers
from citewell.citations.author_names import AuthorName
from citewell.core.values.paper import IdentifierScheme, PaperId, WorkAuthor
from citewell.text.safety.text_cleaning import clean_markup

_SCHEME_ORDER = (
    IdentifierScheme.DOI,
    IdentifierScheme.ARXIV,
    IdentifierScheme.PMID,
    IdentifierScheme.PMCID,
    IdentifierScheme.ISBN,
    IdentifierScheme.RFC,
)
_MAX_IDENTIFIER_SEARCH_CHARS = 2000  # characters searched for one identifier


MAX_VALUE_CHARS = 8000  # characters; longer than any title, and short enough to clean fast
MAX_RECORDS = 50_000  # records of one document; a damage report says that the rest is not read
RECORDS_LIMIT_REASON = f"Only the first {MAX_RECORDS} records of a document are read."
MAX_PROSE_REFERENCES = 5_000  # fewer, because parsing prose takes a hundred times as long
PROSE_LIMIT_REASON = (
    f"Only the first {MAX_PROSE_REFERENCES} references of a list in prose are read."
)
_DAMAGE_EXCERPT_CHARS = 120

_PERSON_SUFFIX_PATTERN = re.compile(r"(?:jr|sr|[js]nr|ii|iii|iv|2nd|3rd)\.?", re.IGNORECASE)
_MAX_GIVEN_WORDS = 5  # more after a comma are the name of an organisation
AND_OTHERS_NAMES = frozenset({"others", "et al", "et al.", "and others", "...", "…"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a reference states about its work; nothing here has been verified."""

    raw: str  # as written
    title: str = ""
    authors: tuple[WorkAuthor, ...] = ()
    year: int | None = None
    published: str = ""  # ISO 8601, as precise as the reference
    venue: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    url: str = ""
    ids: tuple[PaperId, ...] = ()  # DOI first
    kind: str = ""  # a CSL type, if the format states it
    key: str = ""  # cite key, id or number in the list
    line: int | None = None  # 1-based, in the document it came from
    claim: str = ""
    and_others: bool = False  # the list of authors ends in "et al."

    @property
    def doi(self) -> str | None:
        return next((found.value for found in self.ids if found.scheme == "doi"), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MalformedEntry:
    """An entry that could not be parsed: its line and the reason."""

    line: int
    reason: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BibliographyDocument:
    """A parsed bibliography; entries that could not be parsed are in `malformed`."""

    format: str  # one of BIBLIOGRAPHY_FORMATS
    references: tuple[Reference, ...]
    malformed: tuple[MalformedEntry, ...] = field(default=())
    is_guessed: bool = False  # the fields were guessed from text, as in every list in prose
    notes: tuple[str, ...] = ()  # what a reader should know of how the document was read


def build_person(*, family: str = "", given: str = "", suffix: str = "") -> WorkAuthor:
    """A person from separate name parts."""
    given, family, suffix = map(clean_reference_value, (given, family, suffix))
    name = " ".join(part for part in (given, family, suffix) if part)
    return WorkAuthor(name=name, family=family, given=given, suffix=suffix)


def build_organisation(name: str) -> WorkAuthor:
    return WorkAuthor(name=clean_reference_value(name), organisation=True)


def parse_whole_name(name: str) -> WorkAuthor:
    """A person or organisation from one string; it is split into parts only at commas."""
    name = clean_reference_value(name).rstrip(",;")
    family, comma, rest = name.partition(",")
    if not comma:
        return WorkAuthor(name=name, organisation=AuthorName(name=name).is_organisation)
    if len(rest.split()) > _MAX_GIVEN_WORDS:
        return WorkAuthor(name=name, organisation=True)
    pieces = [piece.strip() for piece in rest.split(",") if piece.strip()]
    suffix = next((piece for piece in pieces if _PERSON_SUFFIX_PATTERN.fullmatch(piece)), "")
    given = [piece for piece in pieces if piece != suffix]
    if len(given) > 1 or (not given and not suffix):
        return WorkAuthor(name=name, organisation=True)
    return build_person(family=family, given=" ".join(given), suffix=suffix)


# Cleans single values of a reference to one line of plain text of limited length.


def clean_reference_value(text: str) -> str:
    """The value without tags, with entities decoded and single spaces, cut at MAX_VALUE_CHARS."""
    if len(text) > MAX_VALUE_CHARS:
        text = text[:MAX_VALUE_CHARS]
    if text.isascii() and "<" not in text and "&" not in text:
        return " ".join(text.split()) if text.isprintable() else clean_markup(text)
    return clean_markup("".join(_drop_html_comments(text)))


def extract_damage_excerpt(text: str) -> str:
    """The beginning of a damaged record, to show in its report."""
    line = " ".join(text[: 4 * _DAMAGE_EXCERPT_CHARS].split())
    return line if len(line) <= _DAMAGE_EXCERPT_CHARS else f"{line[: _DAMAGE_EXCERPT_CHARS - 1]}…"


def _drop_html_comments(text: str) -> Iterator[str]:
    """The text between HTML comments, in one pass; a regular expression could take far longer."""
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        yield text[at:start]
        at = end + 3
    yield text[at:].replace("<!--", "")


# Line numbers of offsets in a document.


class LineIndex:
    def __init__(self, text: str) -> None:
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def find_line_number(self, offset: int) -> int:
        """The line of an offset, counted from 1."""
        return bisect_right(self._starts, offset)


# The identifiers of a reference, normalized and in order of preference.


def parse_doi_id(text: str) -> PaperId | None:
    return _parse_paper_id(IdentifierScheme.DOI, dois.find_doi, text) if "10" in text else None


def parse_arxiv_id(text: str) -> PaperId | None:
    return _parse_paper_id(IdentifierScheme.ARXIV, identifiers.find_arxiv_id, text)


def parse_pmid_id(text: str) -> PaperId | None:
    """A PMID from a field with only the number, or from text that labels it."""
    number = text.strip()
    alone = number.isascii() and number.isdigit()
    return _parse_paper_id(
        IdentifierScheme.PMID, identifiers.find_pmid, f"PMID: {number}" if alone else text
    )


def parse_pmcid_id(text: str) -> PaperId | None:
    return _parse_paper_id(IdentifierScheme.PMCID, identifiers.find_pmcid, text)


def parse_isbn_id(text: str) -> PaperId | None:
    """An ISBN from its field; other text in the field, such as the binding, is ignored."""
    return _parse_paper_id(
        IdentifierScheme.ISBN, identifiers.find_valid_isbn, f"ISBN {text}" if text else ""
    )


def _parse_paper_id(
    scheme: IdentifierScheme, reader: Callable[[str], str | None], text: str
) -> PaperId | None:
    found = reader(text[:_MAX_IDENTIFIER_SEARCH_CHARS]) if text else None
    return PaperId(scheme=scheme, value=found) if found else None


def order_paper_ids(*found: PaperId | None) -> tuple[PaperId, ...]:
    """The first identifier of each scheme, the DOI first."""
    first: dict[IdentifierScheme, PaperId] = {}
    for each in found:
        if each is not None:
            first.setdefault(each.scheme, each)
    return tuple(first[scheme] for scheme in _SCHEME_ORDER if scheme in first)


def find_ids_in_addresses(addresses: Iterable[str]) -> tuple[PaperId, ...]:
    """Identifiers in addresses: a DOI resolver, an arXiv page, a PubMed record."""
    return tuple(
        found
        for address in addresses
        if address
        for found in identifiers.find_identifiers(address[:_MAX_IDENTIFIER_SEARCH_CHARS])
    )


def find_ids_in_text(text: str) -> tuple[PaperId, ...]:
    """The first identifier of each scheme in running text, the DOI first."""
    found = identifiers.find_identifiers(text[:_MAX_IDENTIFIER_SEARCH_CHARS]) if text else ()
    return order_paper_ids(*found)
