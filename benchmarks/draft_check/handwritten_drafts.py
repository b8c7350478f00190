"""The texts that were written by hand, with a mark of what is true of each citation beside it.

A mark is `⟪kind source | words⟫` at the end of the statement: the source is a key of the bank, a DOI or an
address, and the words are those of the reference where it is written otherwise than the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.draft_check.draft_gold import CitationKind, DraftSpecimen, GoldCitation
from benchmarks.draft_check.draft_sources import find_source, load_sources
from benchmarks.draft_check.draft_works import list_works
from benchmarks.draft_check.draft_world import build_old_address

FOLDER = Path(__file__).parent / "drafts"
_MARK_PATTERN = re.compile(r"⟪(\w+) ?([^⟫|]*?)\s*(?:\|\s*([^⟫]*))?⟫")
_BIBLIOGRAPHY_LINE = "=====bib=====\n"
_FRAGMENT_CHARS = 60
# What comes before is another sentence, another mark or the tag of another element.
_BREAK_PATTERN = re.compile(
    r"[.!?:]\s+(?=[A-ZÄÖÜÉÀ*])|[\]>⟧⟫}\n;]|\.\[\^\w+\]|(?:\d|/[\w-]+)\)+(?:, | (?=(?:and|as|et) ))"
)
_KINDS = {
    "ok": CitationKind.SOUND,
    "num": CitationKind.NUMBER_CHANGED,
    "not": CitationKind.NOT_IN_SOURCE,
    "con": CitationKind.CONTRARY,
    "inv": CitationKind.INVENTED,
    "doi": CitationKind.NEIGHBOUR_DOI,
    "aut": CitationKind.WRONG_AUTHOR,
    "yea": CitationKind.WRONG_YEAR,
    "ret": CitationKind.RETRACTED,
    "ded": CitationKind.DEAD,
    "mov": CitationKind.MOVED,
}


@cache
def load_handwritten() -> tuple[DraftSpecimen, ...]:
    return tuple(_read_draft(path) for path in sorted(FOLDER.iterdir()))


def _read_draft(path: Path) -> DraftSpecimen:
    head, _, rest = path.read_text("utf-8").partition("\n\n")
    facts = dict(line.split(": ", 1) for line in head.splitlines())
    marked, _, bibliography = rest.partition(_BIBLIOGRAPHY_LINE)
    return DraftSpecimen(
        id=path.name.partition(".")[0],
        half=facts["half"],
        format=facts["format"],
        language=facts["language"],
        manner=facts["manner"],
        is_handwritten=True,
        body=_MARK_PATTERN.sub("", marked),
        bibliography=bibliography,
        citations=tuple(_list_gold(marked)),
    )


def _list_gold(marked: str) -> Iterator[GoldCitation]:
    for found in _MARK_PATTERN.finditer(marked):
        kind, source, words = _KINDS[found[1]], found[2].strip(), (found[3] or "").strip()
        signatures = _list_signatures(kind, source)
        yield GoldCitation(
            kind=kind,
            source=_name_source(source) or words,
            signatures=(words, *signatures) if words else signatures,
            fragment=_cut_fragment(marked[: found.start()]),
        )


def _cut_fragment(before: str) -> str:
    """The words right before the mark, of the same clause."""
    # Several marks in a row share the words before the first of them.
    before = re.sub(r"(?:⟪[^⟫]*⟫)+$", "", before)
    line = re.sub(r"(?:\]\([^)]*\)|</a>)$", "", before[-300:])
    if address := re.search(r"https?://\S+$", line):
        return address[0].rpartition("/")[2]
    breaks = [found.end() for found in _BREAK_PATTERN.finditer(line)]
    start = next((place for place in reversed(breaks) if len(line) - place >= 12), 0)
    return line[start:].strip("*_ (")[-_FRAGMENT_CHARS:]


def _list_signatures(kind: CitationKind, source: str) -> tuple[str, ...]:
    if kind is CitationKind.NEIGHBOUR_DOI:
        return ()
    if any(one.key == source for one in load_sources()):
        stated = find_source(source)
        address = build_old_address(stated) if kind is CitationKind.MOVED else stated.url
        number = stated.doi.rpartition("arXiv.")[2]
        return tuple(
            filter(None, (stated.title, stated.doi, number, urlsplit(address).path.strip("/")))
        )
    if source.startswith("http"):
        return (urlsplit(source).path.strip("/"),)
    titles = [work.title for work in list_works() if work.key == source.lower()]
    return (source, *titles) if source else ()


def _name_source(source: str) -> str:
    if any(one.key == source for one in load_sources()):
        stated = find_source(source)
        return stated.url or stated.doi.lower()
    return source if source.startswith("http") else source.lower()
