"""Works in the dialect that Crossref and the DOI resolver share: CSL-JSON, and Crossref's form of it."""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import AliasChoices, BeforeValidator, Field

from citewell.model.paper import Paper, Person, Scheme
from citewell.net.answer import Answer, Items, Link, Maybe, Part
from citewell.text import fields, jats
from citewell.text.markup import clean

# Crossref's words for kinds, where CSL has another.
_KINDS = {
    "book-part": "chapter",
    "book-section": "chapter",
    "book-series": "book",
    "book-set": "book",
    "book-chapter": "chapter",
    "book-track": "chapter",
    "component": "document",
    "database": "dataset",
    "dissertation": "thesis",
    "edited-book": "book",
    "journal": "periodical",
    "journal-article": "article-journal",
    "journal-issue": "periodical",
    "journal-volume": "periodical",
    "monograph": "book",
    "other": "document",
    "peer-review": "review",
    "posted-content": "article",
    "proceedings": "book",
    "proceedings-article": "paper-conference",
    "proceedings-series": "book",
    "reference-book": "book",
    "reference-entry": "entry-encyclopedia",
    "report-component": "report",
    "report-series": "report",
}
_WORD = re.compile(r"[a-z]+(?:[-_][a-z]+)*")
_YEARS = range(1000, 2200)
_INSIDE = frozenset({"chapter", "paper-conference"})  # their series is named before their book


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value


Texts = Annotated[Items[str], BeforeValidator(_listed)]  # Crossref's lists are CSL's strings
Number = Annotated[int, BeforeValidator(_number)]
Text = Annotated[str, BeforeValidator(lambda value: str(value) if type(value) is int else value)]


class Name(Part):
    given: Maybe[str] = None
    family: Maybe[str] = None
    suffix: Maybe[str] = None
    particle: Maybe[str] = Field(default=None, alias="non-dropping-particle")
    dropping: Maybe[str] = Field(default=None, alias="dropping-particle")
    whole: Maybe[str] = Field(default=None, validation_alias=AliasChoices("name", "literal"))


class When(Part):
    parts: Maybe[list[list[Any]]] = Field(default=None, alias="date-parts")
    stamp: Maybe[str] = Field(default=None, validation_alias=AliasChoices("date-time", "raw"))


class Institution(Part):
    name: Maybe[str] = None


class Work(Answer):
    """What both say of a work; every part of it may be missing."""

    DOI: Maybe[str] = None
    URL: Maybe[Link] = None
    type: Maybe[str] = None
    title: Texts = ()
    subtitle: Texts = ()
    author: Items[Name] = ()
    editor: Items[Name] = ()
    container: Texts = Field(default=(), alias="container-title")
    institution: Items[Institution] = ()
    group: Maybe[str] = Field(default=None, alias="group-title")
    volume: Maybe[Text] = None
    issue: Maybe[Text] = None
    page: Maybe[Text] = None
    article_number: Maybe[Text] = Field(default=None, alias="article-number")
    publisher: Maybe[str] = None
    abstract: Maybe[str] = None
    language: Maybe[str] = None
    ISBN: Texts = ()
    published: Maybe[When] = None
    issued: Maybe[When] = None
    printed: Maybe[When] = Field(default=None, alias="published-print")
    online: Maybe[When] = Field(default=None, alias="published-online")
    posted: Maybe[When] = None


def paper(work: Work, *, source: str, doi: str | None = None) -> Paper:
    """The work as a value; `doi` is the one it was asked for by, where its record names none."""
    same = doi is not None and bare_doi(work.DOI) == doi
    known, sort = doi if same else fields.doi(work.DOI) or doi, kind(work.type)
    published = _published(work)
    return Paper(
        title=_title(work),
        source=source,
        url=address(known) if known else work.URL or "",
        ids=_ids(work, known, sort),
        authors=people(work.author) or people(work.editor),
        kind=sort,
        year=fields.year(published),
        published=published,
        venue=_venue(work, sort),
        volume=clean(work.volume) or None,
        issue=clean(work.issue) or None,
        pages=fields.pages(work.page) or clean(work.article_number) or None,
        publisher=jats.line(work.publisher) or None,
        abstract=jats.abstract(work.abstract),
        language=clean(work.language) or None,
    )


def bare_doi(text: str | None) -> str:
    """Bare and in lower case, to compare: in an old DOI <R1::AID-X> is no markup."""
    return (text or "").strip().lower().removeprefix("https://doi.org/")


def address(doi: str) -> str:
    """Where the resolver finds a DOI."""
    return f"https://doi.org/{quote(doi.encode('utf-8', 'replace'), safe='/:;()')}"


def segment(doi: str) -> str:
    """A DOI as one part of an API's path: no slash, dot segment or query of its own is left."""
    return quote(doi.encode("utf-8", "replace"), safe="")


def people(names: tuple[Name, ...]) -> tuple[Person, ...]:
    return tuple(found for found in map(_person, names) if found is not None)


def kind(word: str | None) -> str | None:
    """CSL's word for what the work is."""
    bare = clean(word).lower()
    return _KINDS.get(bare) or (bare if _WORD.fullmatch(bare) else None)


def iso(when: When | None) -> str | None:
    """As exact as it is stated; parts may be null, words, or no date at all."""
    if when is None:
        return None
    first = when.parts[0] if when.parts else []
    numbers = [part for part in map(_number, first) if type(part) is int][:3]
    if numbers and numbers[0] in _YEARS:
        return fields.day(numbers[0], *(part for part in numbers[1:] if 0 < part < 32))
    return fields.issued(when.stamp) if when.stamp else None


def _published(work: Work) -> str | None:
    said = (work.published, work.issued, work.printed, work.online, work.posted)
    return next(filter(None, map(iso, said)), None)


def _title(work: Work) -> str:
    title = _first(work.title)
    subtitle = _first(work.subtitle)
    if not subtitle or subtitle.casefold() in title.casefold():
        return fields.title(title)
    return fields.title(f"{title}{'' if title.endswith((':', '?', '!')) else ':'} {subtitle}")


def _first(texts: tuple[str, ...]) -> str:
    return next(filter(None, map(jats.line, texts)), "")


def _venue(work: Work, sort: str | None) -> str | None:
    names = work.container[::-1] if sort in _INSIDE else work.container
    institution = tuple(one.name for one in work.institution if one.name)
    return _first((*names, *institution, work.group or "")) or None


def _ids(work: Work, doi: str | None, sort: str | None) -> dict[Scheme, str]:
    ids = {Scheme.DOI: doi} if doi else {}
    digits = (re.sub(r"[^0-9X]", "", clean(isbn).rpartition("/")[2].upper()) for isbn in work.ISBN)
    isbn = next((found for found in digits if len(found) in {10, 13}), None)
    if sort == "book" and isbn:  # a chapter's ISBN is its book's
        ids[Scheme.ISBN] = isbn
    return ids


def _person(name: Name) -> Person | None:
    if whole := jats.line(name.whole):
        return Person(name=whole, organisation=True)
    given, suffix = jats.line(name.given), jats.line(name.suffix)
    parts = (name.dropping, name.particle, name.family)
    family = " ".join(filter(None, map(jats.line, parts)))
    if not family:
        return Person(name=given) if given else None
    spoken = " ".join(filter(None, (given, family, suffix)))
    return Person(name=spoken, family=family, given=given, suffix=suffix)
