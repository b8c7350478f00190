"""Identifies a citation: DOI, other identifier, address, legal citation, standard, or words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from citewell.citations import dois, official_citations
from citewell.core.lazy_patterns import compile_on_use
from citewell.core.values.paper import IdentifierScheme, PaperId
from citewell.text.safety.text_cleaning import clean_markup

_SPACE_REGEX = r"[\s\u00ad\u2010-\u2015\u2212-]?"
_DIGIT_REGEX = rf"{_SPACE_REGEX}\d"
_ISBN13_REGEX = rf"97[89](?:{_DIGIT_REGEX}){{10}}"
_ISBN10_REGEX = rf"\d(?:{_DIGIT_REGEX}){{8}}{_SPACE_REGEX}[\dx]"
_ODD_ISBN_REGEX = rf"\d(?:{_DIGIT_REGEX}){{8,11}}{_SPACE_REGEX}[\dx]"  # to tell that it is wrong
_LABEL_REGEX = r"\be?-?isbns?(?:[- ]?1[03])?\s*+(?:\([^()]{1,24}\)\s*+)?[\"']?[:#=]?\s*+[\"'{]{0,2}"
_ISBN_END_REGEX = r"(?![\d\u2010-\u2015-])"
_LABELLED_ISBN_PATTERN = compile_on_use(
    rf"{_LABEL_REGEX}(?:({_ISBN13_REGEX}){_ISBN_END_REGEX}|({_ISBN10_REGEX}){_ISBN_END_REGEX}|({_ODD_ISBN_REGEX}){_ISBN_END_REGEX})",
    re.IGNORECASE,
)
_BARE_ISBN_PATTERN = compile_on_use(
    rf"\s*+({_ISBN13_REGEX}|{_ISBN10_REGEX})\s*+\.?\s*+", re.IGNORECASE
)
_SEPARATOR_PATTERN = compile_on_use(r"[^0-9xX]")

_OLD_ARXIV_ARCHIVES = (
    "acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas"
    " cond-mat cs dg-ga econ eess funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th"
    " nlin nucl-ex nucl-th patt-sol physics plasm-ph q-alg q-bio q-fin quant-ph solv-int stat"
    " supr-con"
)
_NEW_ARXIV_REGEX = r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}"
_OLD_ARXIV_REGEX = (
    rf"(?:{'|'.join(_OLD_ARXIV_ARCHIVES.split())})(?:\.[a-z]{{2}})?/\d{{2}}(?:0[1-9]|1[0-2])\d{{3}}"
)
_ARXIV_VERSION_REGEX = r"(?:v\d{1,3})?"
_MARKED_ARXIV_PATTERN = compile_on_use(
    rf"(?:\barxiv(?:\.org)?\s*+[:/.]?\s*+(?:(?:abs|pdf|html|format|src|e-print)/)?({_NEW_ARXIV_REGEX}|{_OLD_ARXIV_REGEX})){_ARXIV_VERSION_REGEX}(?!\d)",
    re.IGNORECASE,
)
_BARE_ARXIV_PATTERN = compile_on_use(
    rf"({_NEW_ARXIV_REGEX}|{_OLD_ARXIV_REGEX}){_ARXIV_VERSION_REGEX}(?:\s*\[[\w.-]+\])?",
    re.IGNORECASE,
)
_MARKED_PMID_PATTERN = compile_on_use(
    r"(?:\bpmid\s*+[:#]?\s*+|pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed/|europepmc\.org/(?:article|abstract)/med/)(\d{1,8})(?!\d)",
    re.IGNORECASE,
)
_PMCID_PATTERN = compile_on_use(r"(?:\bpmcid\s*+[:#]?\s*+|\b)(pmc\d{4,9})(?!\d)", re.IGNORECASE)
_SEMANTIC_SCHOLAR_PATTERN = compile_on_use(
    r"semanticscholar\.org/(?:paper|reader)/(?:[^/\s]+/)?([0-9a-f]{40})|^\s*([0-9a-f]{40})\s*$",
    re.IGNORECASE,
)
_OPENALEX_WORK_PATTERN = compile_on_use(
    r"openalex\.org/(?:works/)?(w\d{4,12})\b|^\s*(w\d{6,12})\s*$", re.IGNORECASE
)
_WEB_ADDRESS_PATTERN = compile_on_use(r"https?://[^\s<>\"“”]+", re.IGNORECASE)
_SCHEMELESS_ADDRESS_PATTERN = compile_on_use(
    r"(?:www\.)?(?:[a-z0-9-]+\.)+[a-z]{2,24}(?:/\S*)", re.IGNORECASE
)
_IDENTIFIER_RESIDUE_PATTERN = compile_on_use(
    r"https?://(?:dx\.|www\.)?doi\.org/|\bdoi\s*:|\bdoi\b(?=\W*$)|\bavailable (?:at|from)\b:?\s*$",
    re.IGNORECASE,
)
_RFC_NAME_PATTERN = compile_on_use(
    r"\(?(?<![/\w])(?:RFC|Requests? for Comments:?)[ -]?\d{1,5}\)?:?", re.IGNORECASE
)
# The subject class of an old arXiv id, which means the same without it.
_ARXIV_SUBJECT_PATTERN = compile_on_use(r"\.[a-z]{2}(?=/)")
_ANGLE_BRACKETED_PATTERN = compile_on_use(
    r"<[^<>\s]+>"
)  # an address in angle brackets, as in emails
_WRAPPING_CHARS = " \t\r\n\"'“”‘’"


class CitationKind(StrEnum):
    DOI = "doi"
    ARXIV = "arxiv"
    PMID = "pmid"
    PMCID = "pmcid"
    ISBN = "isbn"
    RFC = "rfc"
    STANDARD = "standard"
    LEGAL = "legal"
    URL = "url"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifiedCitation:
    """A citation string with its kind, its identifiers and the text around them."""

    kind: CitationKind
    value: str  # the identifier, the address, or the whole text
    ids: tuple[PaperId, ...] = ()  # the one that gave `kind` first
    alternative_dois: tuple[PaperId, ...] = ()  # other possible readings of the DOI
    surrounding_text: str = ""  # the text without the identifier
    url: str = ""  # the citation itself, or the first address in it
    legal_form: str = ""
    fault: str = ""  # why the identifier is invalid, such as a wrong check digit
    note: str = ""  # why the identifier could not be looked up anywhere


def identify_citation(citation: str) -> IdentifiedCitation:
    """The kind and identifiers of any citation; never raises: the fallback is REFERENCE."""
    text = citation.strip(_WRAPPING_CHARS)
    text = text[1:-1] if _ANGLE_BRACKETED_PATTERN.fullmatch(text) else text
    if (url := _parse_whole_address(text)) and not dois.is_doi_resolver(url):
        return IdentifiedCitation(
            kind=CitationKind.URL, value=url, ids=find_identifiers(url), url=url
        )
    found = dois.locate_doi(text)
    if found is not None:
        made = _build_identified_citation(
            CitationKind.DOI,
            found.bare.lower(),
            text,
            rest=_strip_identifiers(found.surrounding_text),
        )
        return replace(
            made,
            alternative_dois=tuple(
                PaperId(scheme=IdentifierScheme.DOI, value=reading)
                for reading in dois.list_doi_readings(text)[1:]
            ),
        )
    return _identify_without_doi(text)


def _identify_without_doi(text: str) -> IdentifiedCitation:
    for kind, pattern in (
        (CitationKind.ARXIV, _MARKED_ARXIV_PATTERN),
        (CitationKind.PMID, _MARKED_PMID_PATTERN),
        (CitationKind.PMCID, _PMCID_PATTERN),
    ):
        match = pattern.search(text) or (
            kind is CitationKind.ARXIV and _BARE_ARXIV_PATTERN.fullmatch(text)
        )
        value = _IDENTIFIER_FINDERS[IdentifierScheme(kind.value)](text)
        if match and value:
            rest = f"{text[: match.start()]} {text[match.end() :]}"
            return _build_identified_citation(kind, value, text, rest=_strip_identifiers(rest))
    if (number := official_citations.find_rfc_number(text)) is not None:
        rest = _strip_identifiers(_RFC_NAME_PATTERN.sub(" ", text))
        return _build_identified_citation(CitationKind.RFC, number, text, rest=rest)
    if (case := official_citations.find_legal_citation(text)) is not None:
        return IdentifiedCitation(
            kind=CitationKind.LEGAL,
            value=case.text,
            surrounding_text=text,
            legal_form=case.form,
            url=_find_web_address(text),
        )
    return _identify_isbn_or_words(text)


def _identify_isbn_or_words(text: str) -> IdentifiedCitation:
    isbn = find_isbn(text)
    if isbn is None and (standard := official_citations.find_standard(text)) is not None:
        return IdentifiedCitation(
            kind=CitationKind.STANDARD,
            value=standard.designation,
            surrounding_text=_strip_identifiers(text.replace(standard.written, " ", 1)),
            url=_find_web_address(text),
            note=official_citations.describe_standard(standard),
        )
    if isbn is None:
        known = find_identifiers(text)
        return IdentifiedCitation(
            kind=CitationKind.REFERENCE,
            value=text,
            ids=known,
            surrounding_text=text,
            url=_find_web_address(text),
        )
    rest = _strip_identifiers(_LABELLED_ISBN_PATTERN.sub(" ", text).replace(isbn.written, " "))
    if isbn.is_valid:
        return _build_identified_citation(CitationKind.ISBN, isbn.value, text, rest=rest)
    fault = f"The check digit of ISBN {isbn.written} is wrong, so no book can have this number."
    return IdentifiedCitation(
        kind=CitationKind.ISBN, value=isbn.value, surrounding_text=rest, fault=fault
    )


def _build_identified_citation(
    kind: CitationKind, value: str, text: str, *, rest: str
) -> IdentifiedCitation:
    first = PaperId(scheme=IdentifierScheme(kind.value), value=value)
    known = (first, *(found for found in find_identifiers(text) if found != first))
    return IdentifiedCitation(
        kind=kind, value=first.value, ids=known, surrounding_text=rest, url=_find_web_address(rest)
    )


def find_identifiers(text: str) -> tuple[PaperId, ...]:
    """The first identifier of each scheme in a text, the DOI first."""
    found = dict.fromkeys(_collect_identifiers(text))
    return tuple(found)


def _collect_identifiers(text: str) -> Iterator[PaperId]:
    address = _parse_whole_address(text.strip(_WRAPPING_CHARS))
    doi = dois.find_doi_in_address(address) if address else dois.find_doi(text)
    if doi:
        yield PaperId(scheme=IdentifierScheme.DOI, value=doi)
    for scheme, read in _IDENTIFIER_FINDERS.items():
        if value := read(text):
            yield PaperId(scheme=scheme, value=value)


def find_arxiv_id(text: str) -> str | None:
    """An arXiv id without its version: labelled, in an address, or the whole text."""
    match = _MARKED_ARXIV_PATTERN.search(text) or _BARE_ARXIV_PATTERN.fullmatch(text.strip())
    return _ARXIV_SUBJECT_PATTERN.sub("", match[1].lower()) if match else None


def find_pmid(text: str) -> str | None:
    match = _MARKED_PMID_PATTERN.search(text)
    return match[1].lstrip("0") or None if match else None


def find_pmcid(text: str) -> str | None:
    """A PubMed Central id with its prefix: PMC1234567."""
    match = _PMCID_PATTERN.search(text)
    return match[1].upper() if match else None


def find_valid_isbn(text: str) -> str | None:
    """A labelled or whole-text ISBN as 13 digits; None if its check digit is wrong."""
    found = find_isbn(text)
    return found.value if found and found.is_valid else None


def _find_semantic_scholar_id(text: str) -> str | None:
    match = _SEMANTIC_SCHOLAR_PATTERN.search(text)
    return (match[1] or match[2]).lower() if match else None


def _find_openalex_id(text: str) -> str | None:
    match = _OPENALEX_WORK_PATTERN.search(text)
    return (match[1] or match[2]).upper() if match else None


_IDENTIFIER_FINDERS = {
    IdentifierScheme.ARXIV: find_arxiv_id,
    IdentifierScheme.PMID: find_pmid,
    IdentifierScheme.PMCID: find_pmcid,
    IdentifierScheme.S2: _find_semantic_scholar_id,
    IdentifierScheme.OPENALEX: _find_openalex_id,
    IdentifierScheme.ISBN: find_valid_isbn,
    IdentifierScheme.RFC: official_citations.find_rfc_number,
}


def _parse_whole_address(text: str) -> str:
    """The text as an address if it is one and nothing else; otherwise empty."""
    if _WEB_ADDRESS_PATTERN.fullmatch(text):
        return text
    return f"https://{text}" if _SCHEMELESS_ADDRESS_PATTERN.fullmatch(text) else ""


def _find_web_address(text: str) -> str:
    match = _WEB_ADDRESS_PATTERN.search(text)
    return match[0].rstrip(".,;:)]}'’") if match else ""


def _strip_identifiers(text: str) -> str:
    """The reference without its identifiers and the labels around them."""
    while (again := dois.locate_doi(text)) is not None:
        text = again.surrounding_text
    left = _IDENTIFIER_RESIDUE_PATTERN.sub(" ", clean_markup(text))
    return re.sub(r"(?:[.,;] )(?=[.,;])", "", " ".join(left.split())).strip(" .,;:()[]<>|-\"'/")


# Finds ISBNs in text, checks their check digit, and converts them to 13 digits.


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedIsbn:
    """`value` has 13 digits if the check digit is right, else the digits as written."""

    value: str
    is_valid: bool
    written: str


def find_isbn(text: str) -> ParsedIsbn | None:
    """A labelled ISBN, or the whole text as one; an unlabelled 10-digit one must pass its check.

    Of several labelled ones the first with a right check digit, because one is often mistyped.
    """
    marked = [
        parse_isbn(match[match.lastindex or 0]) for match in _LABELLED_ISBN_PATTERN.finditer(text)
    ]
    if marked:
        return next((isbn for isbn in marked if isbn.is_valid), marked[0])
    alone = _BARE_ISBN_PATTERN.fullmatch(text)
    if alone is None:
        return None
    found = parse_isbn(alone[1])
    return found if found.is_valid or len(found.value) == 13 else None


def parse_isbn(written: str) -> ParsedIsbn:
    digits = _SEPARATOR_PATTERN.sub("", written).upper()
    if _has_valid_check_digit(digits):
        if len(digits) == 10:
            body = "978" + digits[:9]
            digits = body + str(-_sum_isbn13_digits(body) % 10)
        return ParsedIsbn(value=digits, is_valid=True, written=written.strip())
    return ParsedIsbn(value=digits, is_valid=False, written=written.strip())


def _has_valid_check_digit(digits: str) -> bool:
    if re.fullmatch(r"\d{9}[\dX]", digits):
        values = [10 if digit == "X" else int(digit) for digit in digits]
        return sum(weight * value for weight, value in zip(range(10, 0, -1), values, strict=True)) % 11 == 0  # fmt: skip
    if re.fullmatch(r"97[89]\d{10}", digits):
        return _sum_isbn13_digits(digits) % 10 == 0
    return False


def _sum_isbn13_digits(digits: str) -> int:
    return sum(int(digit) * (1 if place % 2 == 0 else 3) for place, digit in enumerate(digits))
