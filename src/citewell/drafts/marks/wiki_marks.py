"""Citations in wikitext: <ref>{{cite web |…}}</ref>, and references that are used again by name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from citewell.citations.references import reference_fields
from citewell.citations.references.author_lists import parse_author_list
from citewell.citations.references.prose_references import parse_prose_reference
from citewell.citations.references.reference_fields import Reference
from citewell.core.values.paper import WorkAuthor
from citewell.drafts.draft import (
    CitationForm,
    CitationMark,
    CitationTarget,
    TargetKind,
    TextSpan,
    blank_spans,
    build_mark,
)
from citewell.text.calendar_dates import extract_year, parse_partial_date
from citewell.text.data_tables import load_table

_REF_PATTERN = re.compile(
    r"<ref(?:\s{1,3}name\s{0,3}=\s{0,3}[\"']?([^\"'<>/]{1,100})[\"']?)?[^<>/]{0,100}(?:/>|>((?:[^<]|<(?!/?ref)){0,4000})</ref>)",
    re.IGNORECASE,
)
_LIST_TAG_PATTERN = re.compile(r"</?references[^<>]{0,100}>", re.IGNORECASE)
_TEMPLATE_PATTERN = re.compile(
    r"\{\{([^{}|]{1,60})((?:[^{}]|\{\{[^{}]{0,300}\}\}){0,3000})\}\}", re.IGNORECASE
)
_NESTED_PATTERN = re.compile(r"\{\{[^{}]{0,300}\}\}")
_LINK_PATTERN = re.compile(r"\[\[(?:[^\[\]|\n]{1,200}\|)?([^\[\]|\n]{1,200})\]\]")
_ADDRESS_LINK_PATTERN = re.compile(r"\[(https?://[^\s\[\]]{3,1000})\s{1,3}([^\[\]\n]{1,400})\]")
_EMPHASIS_PATTERN = re.compile(r"'{2,5}")
_WORK_SIGN_PATTERN = re.compile(r"https?://|\b10\.\d{4,9}/|(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\bISBN\b")
_SHORT_FIELD_PATTERN = re.compile(
    r"(?P<work>\d{0,2})(?P<kind>[ay])\d{0,2}\s{0,3}=(?P<value>.{1,200})"
)
_SHORT_YEAR_PATTERN = re.compile(r"(?:c\. ?)?\d{3,4}[a-z]?|n\. ?d\.|forthcoming", re.IGNORECASE)
_MAX_SHOWN_VALUES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Wikitext:
    """The citations of a wikitext, and which parts of it are markup."""

    marks: tuple[CitationMark, ...]
    hidden: tuple[TextSpan, ...]
    templates: tuple[TextSpan, ...]  # outside of references
    works: tuple[tuple[TextSpan, Reference], ...]  # that templates outside of references hold


def read_wikitext(text: str) -> Wikitext:
    """The references as citations of the works that they hold; a text without any has none."""
    found = list(_REF_PATTERN.finditer(text))
    if not found and not any(map(_list_short_targets, _TEMPLATE_PATTERN.finditer(text))):
        return Wikitext(marks=(), hidden=(), templates=(), works=())
    named: dict[str, tuple[CitationTarget, ...]] = {}
    for match in found:
        if match[2] and match[1]:
            named.setdefault(match[1].strip(), tuple(_iterate_targets(match)))
    refs = [match.span() for match in found]
    marks = []
    for match in found:
        known = named.get((match[1] or "").strip())
        targets = known if known is not None else tuple(_iterate_targets(match))
        if targets:
            marks.append(build_mark(match.span(), CitationForm.NOTE, targets))
    bare = blank_spans(text, refs)
    templates = [match.span() for match in _LIST_TAG_PATTERN.finditer(bare)]
    hidden = [match.span() for match in _EMPHASIS_PATTERN.finditer(bare)]
    works = []
    for match in _TEMPLATE_PATTERN.finditer(bare):
        if short := _list_short_targets(match):
            marks.append(_build_short_mark(match, short))
            hidden.append(match.span())
            continue
        if work := _read_listed_work(match):
            works.append((match.span(), work))
        shown = list(_iterate_shown_values(match))
        edges = [match.start(), *(at for span in shown for at in span), match.end()]
        templates += list(zip(edges[::2], edges[1::2], strict=True))
    for match in _LINK_PATTERN.finditer(bare):
        hidden += [(match.start(), match.start(1)), (match.end(1), match.end())]
    return Wikitext(
        marks=tuple(marks),
        hidden=(*refs, *hidden, *templates),
        templates=tuple(templates),
        works=tuple(works),
    )


def _list_short_targets(match: re.Match[str]) -> tuple[CitationTarget, ...]:
    """The works that {{sfn|Smith|Jones|2019|p=5}} or {{sfnm|1a1=Smith|1y=2019|2a1=…}} names."""
    if match[1].strip().casefold() not in load_table(__package__, "wiki_fields")["short_templates"]:
        return ()
    named: dict[str, tuple[list[str], list[str]]] = {}  # by the number of the work: names, years
    for part in _clean_wikitext(match[2]).split("|")[1:]:
        value = part.strip()
        if field := _SHORT_FIELD_PATTERN.fullmatch(value):
            names, years = named.setdefault(field["work"], ([], []))
            (names if field["kind"] == "a" else years).append(field["value"].strip())
        elif value and "=" not in value:
            names, years = named.setdefault("", ([], []))
            (years if _SHORT_YEAR_PATTERN.fullmatch(value) else names).append(value)
    return tuple(
        CitationTarget(
            kind=TargetKind.NAMES,
            value=f"{', '.join(names)} {years[0]}",
            names=tuple(names),
            year=years[0],
        )
        for names, years in named.values()
        if names and years
    )


def _build_short_mark(match: re.Match[str], targets: tuple[CitationTarget, ...]) -> CitationMark:
    table = load_table(__package__, "wiki_fields")
    is_textual = match[1].strip().casefold() in table["textual_templates"]
    return build_mark(
        match.span(),
        CitationForm.NOTE,
        targets,
        is_textual=is_textual,
        shows_authors=is_textual,
    )


def _read_listed_work(match: re.Match[str]) -> Reference | None:
    """The work of a template for citations outside of references, as lists of sources have them."""
    prefixes = tuple(load_table(__package__, "wiki_fields")["work_prefixes"])
    if not match[1].strip().casefold().startswith(prefixes):
        return None
    fields = _read_template_fields(match[2])
    return _build_reference(fields) if "title" in fields else None


def _iterate_shown_values(match: re.Match[str]) -> Iterator[TextSpan]:
    """The values of a template that a reader sees, as in {{convert|37|km2}}."""
    if match[1].strip().casefold() not in load_table(__package__, "wiki_fields")["shown_templates"]:
        return
    at = match.start(2)
    for value in match[2].split("|")[: _MAX_SHOWN_VALUES + 1]:
        if value and "=" not in value:
            yield at, at + len(value)
        at += len(value) + 1


def _iterate_targets(match: re.Match[str]) -> Iterator[CitationTarget]:
    """The works of a reference; none if it only remarks on something."""
    content = match[2] or ""
    fields = [
        _read_template_fields(template[2]) for template in _TEMPLATE_PATTERN.finditer(content)
    ]
    works = [_build_reference(each) for each in fields if "title" in each or "url" in each]
    for template in _TEMPLATE_PATTERN.finditer(content):
        yield from _list_short_targets(template)
    plain = _clean_wikitext(content)
    if not works and _WORK_SIGN_PATTERN.search(plain):
        works = [parse_prose_reference(plain)]
    for work in works:
        yield CitationTarget(kind=TargetKind.WORK, value=work.raw, work=work, place=match.span(2))


def _clean_wikitext(content: str) -> str:
    plain = _NESTED_PATTERN.sub(" ", _LINK_PATTERN.sub(r"\1", content))
    plain = _ADDRESS_LINK_PATTERN.sub(r"\2 \1", _EMPHASIS_PATTERN.sub("", plain))
    return " ".join(plain.split())


@cache
def _load_field_names() -> dict[str, str]:
    table = load_table(__package__, "wiki_fields")
    return {name: field for field, names in table.items() for name in names}


def _read_template_fields(body: str) -> dict[str, list[str]]:
    """The values of a template by our names of its fields, in the order of the text."""
    fields: dict[str, list[str]] = defaultdict(list)
    for part in _clean_wikitext(body).split("|"):
        name, _, value = part.partition("=")
        field = _load_field_names().get(name.strip().casefold().rstrip("0123456789"))
        if field and value.strip():
            fields[field].append(value.strip())
    return fields


def _build_reference(fields: dict[str, list[str]]) -> Reference:
    first = {name: values[0] for name, values in fields.items()}
    given = [*fields.get("given", ()), *[""] * len(fields.get("family", ()))]
    people = [
        WorkAuthor(name=f"{own} {family}".strip(), family=family, given=own)
        for family, own in zip(fields.get("family", ()), given, strict=False)
    ]
    for written in fields.get("author", ()):
        people += parse_author_list(written).people
    published = parse_partial_date(first.get("date", ""))
    parts = ("author", "family", "date", "title", "venue", "publisher", "url")
    return Reference(
        raw=". ".join(first[name] for name in parts if name in first),
        title=first.get("title", ""),
        authors=tuple(people),
        year=extract_year(published),
        published=published,
        venue=first.get("venue", ""),
        volume=first.get("volume", ""),
        issue=first.get("issue", ""),
        pages=first.get("pages", ""),
        publisher=first.get("publisher", ""),
        url=first.get("url", ""),
        ids=reference_fields.order_paper_ids(
            reference_fields.parse_doi_id(first.get("doi", "")),
            reference_fields.parse_pmid_id(first.get("pmid", "")),
            reference_fields.parse_arxiv_id(first.get("arxiv", "")),
            reference_fields.parse_isbn_id(first.get("isbn", "")),
        ),
    )
