"""Europe PMC's records: articles, preprints, books, with their free copies and notices."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from citewell.model.paper import Copy, Event, Notice, Paper, Person, Scheme
from citewell.net import csl
from citewell.net.answer import Answer, Items, Link, Maybe, Part
from citewell.text import dois, fields, notices
from citewell.text.markup import clean

_KINDS = {"PPR": "article", "PAT": "patent", "ETH": "thesis"}
_FREE = {"OA", "F"}  # open access, and free to read; S needs a subscription
_HOSTS = {"europe_pmc": "repository", "pubmedcentral": "repository", "doi": "publisher"}
_HEADING = re.compile(r"<h\d>\s*([^<>]*?)[\s:.]*</h\d>", re.IGNORECASE)
_INITIALS = re.compile(r"(.+) ([A-Z]{1,4})")
_PREPRINT_GONE = {
    "preprint-withdrawal": "withdrawal",
    "preprint-removal": "removal",
}


class _Camel(Part):
    model_config = ConfigDict(alias_generator=to_camel)


class _Author(_Camel):
    full_name: Maybe[str] = None
    first_name: Maybe[str] = None
    last_name: Maybe[str] = None
    initials: Maybe[str] = None
    collective_name: Maybe[str] = None


class _Authors(_Camel):
    author: Items[_Author] = ()


class _Journal(_Camel):
    title: Maybe[str] = None


class _Issue(_Camel):
    issue: Maybe[str] = None
    volume: Maybe[str] = None
    date_of_publication: Maybe[str] = None
    journal: Maybe[_Journal] = None


class _Book(_Camel):
    publisher: Maybe[str] = None
    comprising_title: Maybe[str] = None


class _Types(_Camel):
    pub_type: Items[str] = ()


class _Text(_Camel):
    url: Link
    availability_code: Maybe[str] = None
    document_style: Maybe[str] = None
    site: Maybe[str] = None


class _Texts(_Camel):
    full_text_url: Items[_Text] = ()


class _Correction(_Camel):
    type: Maybe[str] = None
    reference: Maybe[str] = None
    note: Maybe[str] = None


class _Corrections(_Camel):
    comment_correction: Items[_Correction] = ()


class Work(_Camel):
    id: Maybe[str] = None
    source: Maybe[str] = None
    pmid: Maybe[str] = None
    pmcid: Maybe[str] = None
    doi: Maybe[str] = None
    title: str
    author_string: Maybe[str] = None
    author_list: Maybe[_Authors] = None
    journal_info: Maybe[_Issue] = None
    book_or_report_details: Maybe[_Book] = None
    pub_year: Maybe[str] = None
    first_publication_date: Maybe[str] = None
    page_info: Maybe[str] = None
    abstract_text: Maybe[str] = None
    language: Maybe[str] = None
    license: Maybe[str] = None
    pub_type_list: Maybe[_Types] = None
    full_text_url_list: Maybe[_Texts] = None
    comment_correction_list: Maybe[_Corrections] = None
    is_open_access: Maybe[str] = None
    cited_by_count: Maybe[int] = None

    @property
    def preprint(self) -> bool:
        return self.source == "PPR" or "preprint" in self.types

    @property
    def types(self) -> tuple[str, ...]:
        given = self.pub_type_list.pub_type if self.pub_type_list else ()
        return tuple(clean(one).lower() for one in given)

    @property
    def corrections(self) -> tuple[_Correction, ...]:
        return self.comment_correction_list.comment_correction if self.comment_correction_list else ()  # fmt: skip


class _Results(_Camel):
    result: Items[Work]


class Found(Answer):
    model_config = ConfigDict(alias_generator=to_camel)

    err_msg: Any = None
    hit_count: Maybe[int] = None
    result_list: _Results | None = None  # absent beside an error


def read_work(work: Work, *, source: str) -> Paper:
    ids, published = _ids(work), _published(work)
    issue, book = work.journal_info or _Issue(), work.book_or_report_details or _Book()
    copies = _copies(work, source)
    return Paper(
        title=fields.title(work.title) or _url(work, ids),
        source=source,
        url=_url(work, ids),
        ids=ids,
        authors=_authors(work),
        kind=_kind(work),
        year=fields.year(published),
        published=published,
        venue=_venue(work),
        volume=clean(issue.volume) or None,
        issue=clean(issue.issue) or None,
        pages=fields.pages(work.page_info),
        publisher=clean(book.publisher) or None,
        abstract=clean(_HEADING.sub(r" \1: ", work.abstract_text or "")) or None,
        language=fields.language(work.language),
        citation_count=work.cited_by_count if (work.cited_by_count or 0) >= 0 else None,
        open_access=True if clean(work.is_open_access).upper() == "Y" else None,
        pdf_url=next((copy.url for copy in copies if copy.pdf), None),
        copies=copies,
        events=_events(work, source),
        preprint_of=_published_as(work),
    )


def _ids(work: Work) -> dict[Scheme, str]:
    number = work.pmid or (work.id if work.source == "MED" else None)
    found = {
        Scheme.DOI: fields.doi(work.doi),
        Scheme.PMID: fields.pmid(number),
        Scheme.PMCID: fields.pmcid(work.pmcid),
    }
    return {scheme: value for scheme, value in found.items() if value}


def _url(work: Work, ids: dict[Scheme, str]) -> str:
    if Scheme.DOI in ids:
        return csl.address(ids[Scheme.DOI])
    source, number = clean(work.source), clean(work.id)
    known = source.isalnum() and number.isalnum()
    return f"https://europepmc.org/article/{source}/{number}" if known else "https://europepmc.org/"


def _kind(work: Work) -> str:
    if work.preprint:
        return "article"
    if work.book_or_report_details and not work.journal_info:
        part = work.book_or_report_details.comprising_title
        return _KINDS.get(work.source or "") or ("chapter" if part else "book")
    return _KINDS.get(work.source or "", "article-journal")


def _venue(work: Work) -> str | None:
    issue, book = work.journal_info, work.book_or_report_details
    if issue and issue.journal and clean(issue.journal.title):
        return fields.journal(issue.journal.title)
    if book is None:
        return None
    return clean(book.comprising_title) or (clean(book.publisher) if work.preprint else "") or None


def _published(work: Work) -> str | None:
    """The issue's date as printed; a book's year is that of its first edition, so not that one."""
    first = fields.issued(work.first_publication_date)
    printed = fields.issued(work.journal_info.date_of_publication) if work.journal_info else None
    stated = printed or (first if work.book_or_report_details else None)
    stated = stated or fields.issued(work.pub_year) or first
    exact = first is not None and stated is not None and first.startswith(stated)
    return first if exact and len(stated or "") == 4 else stated


def _authors(work: Work) -> tuple[Person, ...]:
    listed = work.author_list.author if work.author_list else ()
    people = [_person(author) for author in listed]
    if not any(people):
        names = clean(work.author_string).rstrip(".").split(", ")
        people = [_turned(name) for name in names]
    return tuple(person for person in people if person is not None)


def _person(author: _Author) -> Person | None:
    if body := clean(author.collective_name):
        return Person(name=body, organisation=True)
    family = clean(author.last_name)
    given = clean(author.first_name) or " ".join(clean(author.initials))
    if not family:
        return _turned(clean(author.full_name))
    return Person(name=f"{given} {family}".strip(), family=family, given=given)


def _turned(name: str) -> Person | None:
    """A name as indexes print it: Wakefield AJ."""
    if match := _INITIALS.fullmatch(name):
        family, given = match[1], " ".join(match[2])
        return Person(name=f"{given} {family}", family=family, given=given)
    return Person(name=name) if name else None


def _copies(work: Work, source: str) -> tuple[Copy, ...]:
    texts = work.full_text_url_list.full_text_url if work.full_text_url_list else ()
    return tuple(_copy(text, work, source) for text in texts if text.availability_code in _FREE)


def _copy(text: _Text, work: Work, source: str) -> Copy:
    return Copy(
        url=text.url,
        pdf=clean(text.document_style).lower() == "pdf",
        version="submittedVersion" if work.preprint else None,
        license=clean(work.license) or None,
        host=_HOSTS.get(clean(text.site).lower()),
        source=source,
    )


def _events(work: Work, source: str) -> tuple[Event, ...]:
    found = (
        notices.event(one.type or "", one.reference or "", source=source, note=one.note or "")
        for one in work.corrections
    )
    told = notices.flagged(tuple(event for event in found if event), work.types, source=source)
    gone = next((label for word, label in _PREPRINT_GONE.items() if word in work.types), None)
    if gone is None or any(event.kind is Notice.RETRACTION for event in told):
        return told
    return (*told, Event(kind=Notice.RETRACTION, source=source, label=gone))


def _published_as(work: Work) -> str | None:
    """The DOI of the article that a preprint became."""
    links = (one for one in work.corrections if clean(one.type).lower() == "preprint of")
    return next((doi for one in links if (doi := dois.find(one.reference or ""))), None)
