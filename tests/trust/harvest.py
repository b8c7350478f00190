"""`python -m tests.trust.harvest RECORDED`: writes harvest.json, facts of works named in recorded PubMed records.

Articles list what they cite, with the DOI that PubMed found for it. A reference is taken only where
its writing leaves no doubt about which part is which; nothing but the facts is kept.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.internet.papers import register

HARVEST = Path(__file__).parent / "harvest.json"
_NAME = r"[^\W\d_][^\d,.:;()]*? [A-Z]{1,3}"
_ONE = re.compile(r"(.+) ([A-Z]{1,3})")
_TAIL = r"(?:\.? ?(?:https?://(?:dx\.)?doi\.org/|doi: ?)?10\.\S+)?\.?$"
_PAGES = r"(?P<pages>[A-Za-z]?\d+(?:[-–][A-Za-z]?\d+)?)"
_ISSUE = r"(?:\((?P<issue>[\w–-]+)\))?"
_VENUE = r"(?P<venue>[A-Z][^.;:\d]+?)"
_AUTHORS = rf"(?P<authors>{_NAME}(?:, {_NAME})*)(?P<others>,? et al)?"
_FORMS = tuple(
    re.compile(form + _TAIL)
    for form in (
        # Vancouver, as the National Library of Medicine prints it.
        rf"{_AUTHORS}\. (?P<title>[^.]+)[.?] {_VENUE}\.? (?P<year>\d{{4}}) ?; ?(?P<volume>\d+){_ISSUE}: ?{_PAGES}",
        # Springer.
        rf"{_AUTHORS} \((?P<year>\d{{4}})\) (?P<title>[^.]+)\. {_VENUE} (?P<volume>\d+){_ISSUE}:{_PAGES}",
        # Physiological societies.
        rf"{_AUTHORS}\. (?P<title>[^.]+)\. {_VENUE} (?P<volume>\d+): {_PAGES}, (?P<year>\d{{4}})",
        # Microbiological societies.
        rf"{_AUTHORS}\. (?P<year>\d{{4}})\. (?P<title>[^.]+)\. {_VENUE} (?P<volume>\d+):{_PAGES}",
    )
)


def main(folder: Path) -> None:
    known = {work.key for work in register().works}
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((folder / "raw" / "pubmed_xml").glob("*.xml")):
        for work in _cited(path):
            if work["doi"].lower() not in known:
                found.setdefault(work["doi"].lower(), work)
    lines = ",\n".join(json.dumps(found[doi], ensure_ascii=False) for doi in sorted(found))
    HARVEST.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def _cited(path: Path) -> Iterator[dict[str, Any]]:
    for reference in ET.parse(path).iter("Reference"):
        text = " ".join("".join(part.itertext()) for part in reference.iter("Citation"))
        ids = {one.get("IdType"): (one.text or "").strip() for one in reference.iter("ArticleId")}
        if "doi" in ids and (work := _read(unicodedata.normalize("NFC", " ".join(text.split())))):
            yield {"doi": ids["doi"], **work, "kind": "article-journal", "ids": _ids(ids)}


def _read(text: str) -> dict[str, Any] | None:
    for form in _FORMS:
        if match := form.fullmatch(text):
            return _facts(match.groupdict())
    return None


def _facts(parts: dict[str, str | None]) -> dict[str, Any] | None:
    people = [_ONE.fullmatch(name) for name in (parts["authors"] or "").split(", ")]
    title = (parts["title"] or "").strip()
    if not all(people) or not 4 <= len(title.split()) <= 30 or title[0].islower():
        return None
    return {
        "title": title,
        "authors": [[". ".join(one[2]) + ".", one[1]] for one in people if one],
        "year": int(parts["year"] or 0),
        "venue": (parts["venue"] or "").strip(),
        **{name: parts[name] for name in ("volume", "issue", "pages") if parts.get(name)},
    }


def _ids(ids: dict[str | None, str]) -> dict[str, str]:
    named = {"pmid": ids.get("pubmed", ""), "pmcid": ids.get("pmc", "")}
    return {scheme: value for scheme, value in named.items() if value}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
