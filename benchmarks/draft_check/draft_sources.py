"""The sources that the evaluation's texts cite, with statements that they bear out and others that they do not.

The texts of pages of the United States government and of laws are in the public domain or free to use;
abstracts on arXiv are under CC0; the other pages are those of the loopback web.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.draft_check.draft_gold import CitationKind
from tests.internet.papers import Author, Work
from tests.internet.world import Page, corpus

HERE = Path(__file__).parent
BANKS = (
    "statements_pages.txt",
    "statements_works.txt",
    "statements_law.txt",
    "statements_more_pages.txt",
    "statements_more_works.txt",
    "statements_more_law.txt",
    "unseen_pages.txt",
    "unseen_law.txt",
)
_ROW_PATTERN = re.compile(r"([=#!-])(de|fr|es)? (.+)")
_KINDS_BY_SIGN = {
    "=": CitationKind.SOUND,
    "#": CitationKind.NUMBER_CHANGED,
    "-": CitationKind.NOT_IN_SOURCE,
    "!": CitationKind.CONTRARY,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatement:
    kind: CitationKind
    language: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedSource:
    """A page or a work whose text is known, and statements about it."""

    key: str
    part: str  # of the evaluation, by which texts that were read are kept apart from those that were not
    title: str
    text: str
    language: str = "en"
    url: str = ""  # of a page, as it is written in a draft
    site: str = ""  # who publishes the page
    doi: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    statements: tuple[SourceStatement, ...] = field(default=())

    @property
    def place(self) -> tuple[str, str]:
        """Host and path of a page, as the loopback web knows it."""
        parts = urlsplit(self.url)
        return parts.netloc, parts.path.strip("/")


@dataclass(frozen=True, kw_only=True)
class StatedWork(Work):
    """A work that has the abstract given here, or none, and is open if it has one."""

    stated_abstract: str = ""

    @property
    def abstract(self) -> str | None:
        return self.stated_abstract or None

    @property
    def open(self) -> str:
        return "green" if self.stated_abstract else "closed"


@cache
def load_sources() -> tuple[StatedSource, ...]:
    return tuple(source for name in BANKS for source in _read_bank(HERE / name))


def find_source(key: str) -> StatedSource:
    return next(source for source in load_sources() if source.key == key)


def convert_work(work: Work, abstract: str = "") -> StatedWork:
    """The same facts, without the placeholder texts of the loopback web."""
    fields = {name: getattr(work, name) for name in Work.__dataclass_fields__}
    return StatedWork(**fields, stated_abstract=abstract)


def build_work(source: StatedSource) -> StatedWork:
    return StatedWork(
        doi=source.doi,
        title=source.title,
        authors=tuple(map(_split_name, source.authors)),
        year=source.year,
        venue="arXiv",
        kind="article",
        publisher="arXiv",
        agency="datacite",
        ids={"arxiv": source.doi.rpartition("arXiv.")[2]},
        stated_abstract=source.text,
    )


def _split_name(name: str) -> Author:
    given, _, family = name.rpartition(" ")
    return name if "Collaboration" in name else (given, family)


def _read_bank(path: Path) -> Iterator[StatedSource]:
    for entry in path.read_text("utf-8").split("%% ")[1:]:
        key, *lines = entry.strip().splitlines()
        yield _read_entry(key.strip(), lines)


def _read_entry(key: str, lines: list[str]) -> StatedSource:
    fields: dict[str, Any] = {}
    rows: list[tuple[str, str, str]] = []
    for line in filter(None, lines):
        if line.startswith("+ "):
            fields["text"] += f"\n\n{line[2:]}"
        elif found := _ROW_PATTERN.fullmatch(line):
            rows.append((found[1], found[2] or "", found[3]))
        else:
            name, _, value = line.partition(": ")
            fields[name] = value
    facts = fields | _find_text(fields)
    language = facts.get("language", "en")
    return StatedSource(
        key=key,
        part=facts["part"],
        title=facts["title"],
        text=facts["text"],
        language=language,
        url=facts.get("url", ""),
        site=facts.get("site", ""),
        doi=facts.get("doi", ""),
        authors=tuple(filter(None, facts.get("authors", "").split("; "))),
        year=int(facts["year"]) if "year" in facts else None,
        statements=tuple(
            SourceStatement(kind=_KINDS_BY_SIGN[sign], language=code or language, text=text)
            for sign, code, text in rows
        ),
    )


def _find_text(fields: dict[str, Any]) -> dict[str, Any]:
    """Title, text and address, wherever they are kept."""
    if "file" in fields:
        head, _, text = (HERE / "pages" / fields["file"]).read_text("utf-8").partition("\n\n")
        return {**dict(line.split(": ", 1) for line in head.splitlines()), "text": text.strip()}
    if "page" in fields:
        page = _list_pages()[fields["page"]]
        return {
            "title": page.title,
            "text": page.markdown,
            "language": page.language,
            "url": f"https://{page.host}/{page.path}",
            "site": page.site,
        }
    if "path" in fields:
        host = urlsplit(fields["url"]).netloc
        return {"url": f"https://{host}/{fields['path']}"}
    return {}


@cache
def _list_pages() -> dict[str, Page]:
    return {f"{page.host}/{page.path}": page for page in corpus()}
