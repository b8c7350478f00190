"""The data of a work or page that is to be cited: from a reference, a paper, or an item of a tool's answer.

The answers of the search tools name the same things differently. A list of their items can be
given as it is to the tools that format and check sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from citewell.citations.author_names import AuthorName, is_joint_name
from citewell.citations.references.reference_fields import Reference
from citewell.core.values.paper import IdentifierScheme, Paper, WorkAuthor
from citewell.core.values.paper_results import MORE_AUTHORS_PATTERN
from citewell.text import addresses
from citewell.text.data_tables import load_table, load_words
from citewell.text.safety.text_cleaning import clean_markup

PERIODICAL_KINDS = frozenset({"article-journal", "article-magazine", "article-newspaper", "review"})
CONTAINED_KINDS = frozenset(
    {"chapter", "paper-conference", "entry-encyclopedia", "entry-dictionary"}
)
PREPRINT_KIND = "article"
_PREPRINT_SERVERS = frozenset({"arXiv"})  # servers that registries name as publisher
WEB_PAGE_KINDS = frozenset({"", "webpage", "post-weblog", "post"})
_BRACED_NAME_PATTERN = re.compile(r"[,;\s]{0,9}\{([^{}]{1,300})\}[,;\s]{0,9}")
_AUTHOR_SEPARATOR_PATTERN = re.compile(r"(?<!\s)\s*+(?:;\s*|(?<=\s)and\s+|(?<=\s)&\s+)")
_JOINING_WORDS = frozenset({"and", "&", "und", "et"})
_PARTIAL_DATE_PATTERN = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")


def convert_reference(reference: Reference) -> CitableWork:
    """The work as the reference states it; nothing is looked up."""
    doi = reference.doi or ""
    return CitableWork(
        url=reference.url or _build_identifier_address(reference),
        title=reference.title or (reference.raw if not reference.authors else ""),
        authors=tuple(map(_convert_author_name, reference.authors)),
        site=reference.venue,
        published=reference.published or (str(reference.year) if reference.year else ""),
        doi=doi,
        kind=reference.kind or ("article-journal" if reference.venue and (doi or reference.volume) else ""),
        volume=reference.volume,
        issue=reference.issue,
        pages=reference.pages,
        publisher=reference.publisher,
    )  # fmt: skip


def _build_identifier_address(reference: Reference) -> str:
    addresses = {
        IdentifierScheme.DOI: "https://doi.org/{}",
        IdentifierScheme.ARXIV: "https://arxiv.org/abs/{}",
        IdentifierScheme.PMID: "https://pubmed.ncbi.nlm.nih.gov/{}/",
        IdentifierScheme.PMCID: "https://pmc.ncbi.nlm.nih.gov/articles/{}/",
    }
    found = (
        addresses[paper_id.scheme].format(paper_id.value)
        for paper_id in reference.ids
        if paper_id.scheme in addresses
    )
    return next(found, "")


def _convert_author_name(person: WorkAuthor) -> AuthorName:
    if person.organisation or not person.family:
        return AuthorName(name=person.name, organisation=person.organisation)
    return AuthorName.from_parts(family=person.family, given=person.given, suffix=person.suffix)


# The data of a work or page that is to be cited.


@dataclass(frozen=True, slots=True, kw_only=True)
class CitableWork:
    """`published` is ISO 8601, possibly only year or month; `kind` is a CSL type, empty for a page."""

    url: str
    title: str = ""
    authors: tuple[AuthorName, ...] = ()
    site: str = ""  # the container: a site, a journal, the book of a chapter
    published: str = ""
    doi: str = ""
    kind: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    place: str = ""
    edition: str = ""
    editors: tuple[AuthorName, ...] = ()
    number: str = ""  # of a patent, docket, trial or report, or a neutral citation
    authority: str = ""  # the court or patent office, as written in citations
    language: str = ""  # of the title; only titles known to be English are capitalised

    @property
    def is_web_page(self) -> bool:
        return self.kind in WEB_PAGE_KINDS

    @property
    def container_title(self) -> str:
        """The title of the site, journal or book; for a page without one, its host."""
        return self.site or (addresses.format_host_name(self.url) if self.is_web_page else "")

    @property
    def link(self) -> str:
        """The address of the DOI if there is one and this is no web page, else the URL."""
        return f"https://doi.org/{self.doi}" if self.doi and not self.is_web_page else self.url

    @property
    def date_parts(self) -> tuple[str, int, int]:
        """Year as text, month and day as numbers; empty or 0 if unknown."""
        match = _PARTIAL_DATE_PATTERN.match(self.published)
        if match is None:
            return "", 0, 0
        month = int(match[2] or 0)
        return match[1], month if month <= 12 else 0, int(match[3] or 0)


def parse_author_line(text: str | None) -> tuple[AuthorName, ...]:
    """Authors from one line, separated by semicolons, "and", or commas between full names.

    A name in braces is taken as it is and split no further.
    """
    names: list[AuthorName] = []
    for number, part in enumerate(_BRACED_NAME_PATTERN.split((text or "").strip())):
        if number % 2:
            names.append(AuthorName(name=part, organisation=True))
        else:
            names.extend(AuthorName(name=name) for name in _split_author_line(part))
    return tuple(names)


def _split_author_line(text: str) -> Iterator[str]:
    for part in split_joined_names(text, _AUTHOR_SEPARATOR_PATTERN):
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        several = len(pieces) > 1 and all(" " in piece for piece in pieces)
        bare = part.strip(" ,")
        yield from pieces if several else [bare] if bare else []


def split_joined_names(text: str, separator: re.Pattern[str]) -> list[str]:
    """The parts between separators; an organisation with "and" in its name stays whole."""
    parts = [""]
    last = 0
    for found in separator.finditer(text):
        part = text[last : found.start()]
        following = separator.search(text, found.end())
        rest = text[found.end() : following.start() if following else len(text)]
        is_word = found[0].strip(" ").lower() in _JOINING_WORDS
        if is_word and is_joint_name((parts[-1] + part).strip(), rest.strip()):
            parts[-1] += text[last : found.end()]
        else:
            parts[-1] += part
            parts.append("")
        last = found.end()
    parts[-1] += text[last:]
    return parts


def find_literal_names(people: Iterable[AuthorName]) -> tuple[str, ...]:
    """The names of organisations and accounts that `parse_author_line` would take for people's."""
    return tuple(
        person.name for person in people if person.organisation and not _is_plainly_literal(person)
    )


def _is_plainly_literal(author: AuthorName) -> bool:
    parsed = parse_author_line(author.name)
    return len(parsed) == 1 and parsed[0].is_indivisible


def mark_literal_names(line: str, literals: Iterable[str]) -> str:
    """The line of authors with these names in braces, as `parse_author_line` reads them."""
    for name in literals:
        line = line.replace(name, f"{{{name}}}", 1)
    return line


def convert_paper(paper: Paper) -> CitableWork:
    """A work from a registry's paper record."""
    doi = paper.doi or ""
    venue = clean_markup(paper.venue)
    publisher = clean_markup(paper.publisher)
    kind = paper.kind or ("article-journal" if paper.venue else "article")
    # A range from a page to itself is that page.
    first_page, _, last_page = (paper.pages or "").partition("-")
    if kind == PREPRINT_KIND:
        # Its server publishes it; a journal that took it later is another work.
        venue, publisher = "", publisher if publisher in _PREPRINT_SERVERS else venue or publisher
    return CitableWork(
        url=f"https://doi.org/{doi}" if doi else paper.url,
        title=clean_markup(paper.title),
        authors=tuple(map(_convert_author_name, paper.authors)),
        site=venue,
        published=paper.published or (str(paper.year) if paper.year else ""),
        doi=doi,
        kind=kind,
        volume=paper.volume or "",
        issue=paper.issue or "",
        pages=first_page if first_page == last_page else paper.pages or "",
        publisher="" if publisher.casefold() == venue.casefold() else publisher,
        language=paper.language or "",
    )


# Turns an item of a tool's answer, such as a paper or a case, into the fields of a cited source.

SOURCE_FIELDS = (
    *("url", "title", "author", "site", "date", "doi", "kind", "volume", "issue", "pages"),
    *("publisher", "place", "edition", "editor", "language", "number", "authority"),
)


def convert_result_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a source, and whatever else the mapping holds that no tool returns.

    A key that a tool returns and a citation does not need is left out. An unknown key stays, so
    that the caller can name it.
    """
    kept = {
        name: value
        for name, value in item.items()
        if (name in SOURCE_FIELDS or name not in load_result_keys())
        and name not in ("name", "authors")
    }
    read = next((read for holds, read in _ITEM_READERS if holds(item)), _read_plain_item)
    source = kept | {name: value for name, value in read(item).items() if value not in (None, "")}
    for field in ("author", "editor"):
        if isinstance(source.get(field), list | tuple):
            names = (_name_person(person) for person in source[field])
            source[field] = [
                name for name in names if name and not MORE_AUTHORS_PATTERN.fullmatch(name)
            ]
    # Whether it has a key that only tools write; callers write authors, journal and year too.
    marks = load_result_keys() - {*SOURCE_FIELDS, "authors", "journal", "year"}
    is_tool_item = not marks.isdisjoint(item)
    if is_tool_item and source.get("kind") not in load_csl_kinds():
        source.pop("kind", None)  # a registry's own word, or the kind of a patent
    return source


def _read_plain_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """A paper, page, place or hit: each field from the first key that has it."""
    return _read_first_keys(item, load_table(__package__, "result_items")["plain_item"])


def _read_first_keys(
    item: Mapping[str, Any], fields: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Each field from the first of its keys that has a value."""
    return {
        field: next((item[key] for key in keys if item.get(key)), None)
        for field, keys in fields.items()
    }


def _name_person(person: Any) -> str:
    """The name, family name first where it is known, and in braces where it is literal."""
    if isinstance(person, Mapping):
        if literal := str(person.get("literal") or "").strip("{} "):
            return f"{{{literal}}}"
        parts = ", ".join(str(part) for key in ("family", "given") if (part := person.get(key)))
        person = person.get("name") or parts
    return str(person or "").strip()


def _read_page_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """A page that was read: its `citation` has the facts."""
    facts = item["citation"].get("metadata")
    found = _read_plain_item(facts if isinstance(facts, Mapping) else {})
    if isinstance(facts, Mapping) and isinstance(names := facts.get("literalAuthors"), list):
        found["author"] = mark_literal_names(str(found["author"] or ""), map(str, names))
    return _read_plain_item(item) | {name: value for name, value in found.items() if value}


def _read_case_item(item: Mapping[str, Any]) -> dict[str, Any]:
    cited = item.get("citation")
    return {
        "title": cited if isinstance(cited, str) and cited else item.get("caseName"),
        "kind": "legal_case",
        "date": item.get("dateFiled"),
        "authority": None if cited else item.get("court"),  # a citation names the court itself
    }


def _read_record_item(item: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """A record of a registry, as the table says: from keys, else in words, with what is always true."""
    row = load_table(__package__, "result_items")["records"][kind]
    source: dict[str, Any] = _read_first_keys(item, row["keys"]) | row.get("values", {})
    for field, templates in row.get("texts", {}).items():
        known = {key: value for key, value in item.items() if value}
        for template in templates:
            with suppress(KeyError):
                source[field] = source.get(field) or template.format_map(known)
    return source


def _read_image_item(item: Mapping[str, Any]) -> dict[str, Any]:
    plain = _read_plain_item(item)
    return plain | {"url": plain["url"] or item.get("contextLink") or item.get("link")}


def _has_value(item: Mapping[str, Any], key: str) -> bool:
    return bool(item.get(key))


_ITEM_READERS: tuple[
    tuple[Callable[[Mapping[str, Any]], bool], Callable[[Mapping[str, Any]], dict[str, Any]]], ...
] = (
    (lambda item: bool(item.get("caseName")), _read_case_item),
    *(
        (partial(_has_value, key=kind), partial(_read_record_item, kind=kind))
        for kind in ("nctId", "formType", "seriesId")
    ),
    (
        lambda item: not load_words(__package__, "result_items", "patent_keys").isdisjoint(item),
        partial(_read_record_item, kind="patent"),
    ),
    (lambda item: isinstance(item.get("citation"), Mapping), _read_page_item),
    (lambda item: "contextLink" in item or "link" in item, _read_image_item),
    (
        lambda item: "snippet" in item and "source" in item,
        lambda item: _read_plain_item(item) | {"site": item.get("site") or item.get("source")},
    ),
)


@cache
def load_csl_kinds() -> frozenset[str]:
    return frozenset(load_table(__package__, "result_items")["csl_kinds"])


@cache
def load_result_keys() -> frozenset[str]:
    """Every key of the items that tools return as sources; a test compares it with their declarations."""
    return frozenset(load_table(__package__, "result_items")["result_keys"])
