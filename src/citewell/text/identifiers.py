"""What a citation is: a DOI, another identifier, an address, a legal citation, or a reference in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from citewell.model.paper import PaperId, Scheme
from citewell.text import dois, isbns, legal
from citewell.text.markup import clean

_ARCHIVES = (
    "acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas"
    " cond-mat cs dg-ga econ eess funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th"
    " nlin nucl-ex nucl-th patt-sol physics plasm-ph q-alg q-bio q-fin quant-ph solv-int stat"
    " supr-con"
)
_NEW = r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}"
_OLD = rf"(?:{'|'.join(_ARCHIVES.split())})(?:\.[a-z]{{2}})?/\d{{2}}(?:0[1-9]|1[0-2])\d{{3}}"
_VERSION = r"(?:v\d{1,3})?"
_ARXIV = re.compile(
    rf"(?:\barxiv(?:\.org)?\s*[:/.]?\s*(?:(?:abs|pdf|html|format|src|e-print)/)?({_NEW}|{_OLD})){_VERSION}(?!\d)",
    re.IGNORECASE,
)
_ARXIV_ALONE = re.compile(rf"({_NEW}|{_OLD}){_VERSION}(?:\s*\[[\w.-]+\])?", re.IGNORECASE)
_PMID = re.compile(
    r"(?:\bpmid\s*[:#]?\s*|pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed/|europepmc\.org/(?:article|abstract)/med/)(\d{1,8})(?!\d)",
    re.IGNORECASE,
)
_PMCID = re.compile(r"(?:\bpmcid\s*[:#]?\s*|\b)(pmc\d{4,9})(?!\d)", re.IGNORECASE)
_S2 = re.compile(
    r"semanticscholar\.org/(?:paper|reader)/(?:[^/\s]+/)?([0-9a-f]{40})|^\s*([0-9a-f]{40})\s*$",
    re.IGNORECASE,
)
_OPENALEX = re.compile(r"openalex\.org/(?:works/)?(w\d{4,12})\b|^\s*(w\d{6,12})\s*$", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s<>\"“”]+", re.IGNORECASE)
_HOSTED = re.compile(r"(?:www\.)?(?:[a-z0-9-]+\.)+[a-z]{2,24}(?:/\S*)", re.IGNORECASE)
_RESIDUE = re.compile(
    r"https?://(?:dx\.|www\.)?doi\.org/|\bdoi\s*:|\bdoi\b(?=\W*$)|\bavailable (?:at|from)\b:?\s*$",
    re.IGNORECASE,
)
_ISBN_MARK = re.compile(r"\bisbn(?:[- ]?1[03])?\s*[:#]?\s*$", re.IGNORECASE)
_SUBJECT = re.compile(r"\.[a-z]{2}(?=/)")  # of an old arXiv id, which is the same without it
_ANGLED = re.compile(r"<[^<>\s]+>")  # an address as mail writes it
_WRAPPING = " \t\r\n\"'“”‘’"


class Kind(StrEnum):
    DOI = "doi"
    ARXIV = "arxiv"
    PMID = "pmid"
    PMCID = "pmcid"
    ISBN = "isbn"
    LEGAL = "legal"
    URL = "url"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identified:
    """A citation string by its kind, and everything that it says besides its identifier."""

    kind: Kind
    value: str  # the identifier bare, the address, or the text
    ids: tuple[PaperId, ...] = ()  # the one of `kind` first
    readings: tuple[PaperId, ...] = ()  # other DOIs that the same characters may mean
    rest: str = ""  # what stands beside the identifier
    url: str = ""  # the address, or one within the text
    legal_form: str = ""
    fault: str = ""  # why it cannot be right, such as a wrong check digit


def identify(citation: str) -> Identified:
    """Never an error: what is nothing else is a reference in words."""
    text = citation.strip(_WRAPPING)
    text = text[1:-1] if _ANGLED.fullmatch(text) else text
    if (url := _whole_address(text)) and not dois.resolver(url):
        return Identified(kind=Kind.URL, value=url, ids=ids(url), url=url)
    found = dois.locate(text)
    if found is not None:
        made = _made(Kind.DOI, found.bare.lower(), text, rest=_rest(found.rest))
        return replace(made, readings=_readings(text))
    return _other(text)


def _other(text: str) -> Identified:
    for kind, pattern in ((Kind.ARXIV, _ARXIV), (Kind.PMID, _PMID), (Kind.PMCID, _PMCID)):
        match = pattern.search(text) or (kind is Kind.ARXIV and _ARXIV_ALONE.fullmatch(text))
        value = _READERS[Scheme(kind.value)](text)
        if match and value:
            rest = f"{text[: match.start()]} {text[match.end() :]}"
            return _made(kind, value, text, rest=_rest(rest))
    if (case := legal.find(text)) is not None:
        return Identified(
            kind=Kind.LEGAL, value=case.text, rest=text, legal_form=case.form, url=_address(text)
        )
    return _book_or_words(text)


def _book_or_words(text: str) -> Identified:
    isbn = isbns.find(text)
    if isbn is None:
        known = ids(text)
        return Identified(kind=Kind.REFERENCE, value=text, ids=known, rest=text, url=_address(text))
    before, _, after = text.partition(isbn.written)
    rest = _rest(f"{_ISBN_MARK.sub('', before)} {after}")
    if isbn.valid:
        return _made(Kind.ISBN, isbn.value, text, rest=rest)
    fault = f"The check digit of ISBN {isbn.written} is wrong, so no book can have this number."
    return Identified(kind=Kind.ISBN, value=isbn.value, rest=rest, fault=fault)


def _made(kind: Kind, value: str, text: str, *, rest: str) -> Identified:
    first = PaperId(scheme=Scheme(kind.value), value=value)
    known = (first, *(found for found in ids(text) if found != first))
    return Identified(kind=kind, value=first.value, ids=known, rest=rest, url=_address(rest))


def _readings(text: str) -> tuple[PaperId, ...]:
    return tuple(PaperId(scheme=Scheme.DOI, value=one) for one in dois.readings(text)[1:])


def ids(text: str) -> tuple[PaperId, ...]:
    """Every identifier of a work in a text, each scheme's first, the DOI before all."""
    found = dict.fromkeys(_ids(text))
    return tuple(found)


def _ids(text: str) -> Iterator[PaperId]:
    address = _whole_address(text.strip(_WRAPPING))
    doi = dois.from_address(address) if address else dois.find(text)
    if doi:
        yield PaperId(scheme=Scheme.DOI, value=doi)
    for scheme, read in _READERS.items():
        if value := read(text):
            yield PaperId(scheme=scheme, value=value)


def doi(text: str) -> str | None:
    """The first DOI in a text or an address, bare and in lower case."""
    return dois.find(text)


def arxiv(text: str) -> str | None:
    """An arXiv id without its version: marked as such, in an address, or the whole text."""
    match = _ARXIV.search(text) or _ARXIV_ALONE.fullmatch(text.strip())
    return _SUBJECT.sub("", match[1].lower()) if match else None


def pmid(text: str) -> str | None:
    match = _PMID.search(text)
    return match[1].lstrip("0") or None if match else None


def pmcid(text: str) -> str | None:
    """With its letters: PMC1234567."""
    match = _PMCID.search(text)
    return match[1].upper() if match else None


def isbn(text: str) -> str | None:
    """As 13 digits, when the check digit is right."""
    found = isbns.find(text)
    return found.value if found and found.valid else None


def _s2(text: str) -> str | None:
    match = _S2.search(text)
    return (match[1] or match[2]).lower() if match else None


def _openalex(text: str) -> str | None:
    match = _OPENALEX.search(text)
    return (match[1] or match[2]).upper() if match else None


_READERS = {
    Scheme.ARXIV: arxiv,
    Scheme.PMID: pmid,
    Scheme.PMCID: pmcid,
    Scheme.S2: _s2,
    Scheme.OPENALEX: _openalex,
    Scheme.ISBN: isbn,
}


def _whole_address(text: str) -> str:
    """The text as an address, when it is nothing else."""
    if _URL.fullmatch(text):
        return text
    return f"https://{text}" if _HOSTED.fullmatch(text) else ""


def _address(text: str) -> str:
    match = _URL.search(text)
    return match[0].rstrip(".,;:)]}'’") if match else ""


def _rest(text: str) -> str:
    """What is left of a reference once its identifiers are taken out."""
    while (again := dois.locate(text)) is not None:
        text = again.rest
    left = _RESIDUE.sub(" ", clean(text))
    return " ".join(left.split()).strip(" .,;:()[]<>|-\"'/")
