"""`python -m tests.trust.harvest RECORDED`: writes facts of works that recorded PubMed records name.

Articles list what they cite, with the DOI that PubMed found for it. A reference is taken only where
its writing leaves no doubt about which part is which; nothing but the facts is kept. The works of
harvest.json are cited in one group of styles, those of later.json in another.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.internet.papers import register

HERE = Path(__file__).parent
_NAME = r"[^\W\d_][^\d,.:;()]*? [A-Z]{1,3}"
_ONE = re.compile(r"(?:and )?(?P<family>[^,]+?),? (?P<given>[A-Z]{1,3}|(?:[A-Z]\.-?){1,3})")
_STOPPED = r"[^\W\d_][^\d,.:;()]*? (?:[A-Z]\.-?){1,3}"
_TURNED = r"[^\W\d_][^\d,.:;()]*?, (?:[A-Z]\.-?){1,3}"
_SHORT = r"(?P<venue>[A-Z][^;:\d]+?)"
_TAIL = r"(?:\.? ?(?:https?://(?:dx\.)?doi\.org/|doi: ?)?10\.\S+)?\.?$"
_PAGES = r"(?P<pages>[A-Za-z]?\d+(?:[-–][A-Za-z]?\d+)?)"
_ISSUE = r"(?:\((?P<issue>[\w–-]+)\))?"
_VENUE = r"(?P<venue>[A-Z][^.;:\d]+?)"
_AUTHORS = rf"(?P<authors>{_NAME}(?:, {_NAME})*)(?P<others>,? et al)?"
FORMS = {
    "harvest.json": (
        # Vancouver, as the National Library of Medicine prints it.
        rf"{_AUTHORS}\. (?P<title>[^.]+)[.?] {_VENUE}\.? (?P<year>\d{{4}}) ?; ?(?P<volume>\d+){_ISSUE}: ?{_PAGES}",
        # Springer.
        rf"{_AUTHORS} \((?P<year>\d{{4}})\) (?P<title>[^.]+)\. {_VENUE} (?P<volume>\d+){_ISSUE}:{_PAGES}",
        # Physiological societies.
        rf"{_AUTHORS}\. (?P<title>[^.]+)\. {_VENUE} (?P<volume>\d+): {_PAGES}, (?P<year>\d{{4}})",
        # Microbiological societies.
        rf"{_AUTHORS}\. (?P<year>\d{{4}})\. (?P<title>[^.]+)\. {_VENUE} (?P<volume>\d+):{_PAGES}",
    ),
    "later.json": (
        # Open-access publishers, initials with stops.
        rf"(?P<authors>{_STOPPED}(?:, {_STOPPED})*)(?P<others>,? et al\.?)? (?P<title>[^.]+)\. {_SHORT}\.? (?P<year>\d{{4}});(?P<volume>\d+){_ISSUE}:{_PAGES}",
        # Biochemical societies.
        rf"(?P<authors>{_TURNED}(?:, {_TURNED})*(?: and {_TURNED})?)(?P<others>,? ?et al\.?)? \((?P<year>\d{{4}})\) (?P<title>[^.]+)\. {_SHORT} (?P<volume>\d+){_ISSUE}, {_PAGES}",
    ),
}


def main(folder: Path) -> None:
    known = {work.key for work in register().works}
    for name, forms in FORMS.items():
        found: dict[str, dict[str, Any]] = {}
        for path in sorted((folder / "raw" / "pubmed_xml").glob("*.xml")):
            for work in _cited(path, [re.compile(form + _TAIL) for form in forms]):
                if work["doi"].lower() not in known:
                    found.setdefault(work["doi"].lower(), work)
        known |= set(found)
        lines = ",\n".join(json.dumps(found[doi], ensure_ascii=False) for doi in sorted(found))
        (HERE / name).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def _cited(path: Path, forms: Sequence[re.Pattern[str]]) -> Iterator[dict[str, Any]]:
    for reference in ET.parse(path).iter("Reference"):
        text = " ".join("".join(part.itertext()) for part in reference.iter("Citation"))
        ids = {
            element.get("IdType"): (element.text or "").strip()
            for element in reference.iter("ArticleId")
        }
        match = _match(unicodedata.normalize("NFC", " ".join(text.split())), forms)
        if "doi" in ids and match and (work := _facts(match.groupdict())):
            yield {"doi": ids["doi"], **work, "kind": "article-journal", "ids": _ids(ids)}


def _match(text: str, forms: Sequence[re.Pattern[str]]) -> re.Match[str] | None:
    return next((match for form in forms if (match := form.fullmatch(text))), None)


def _facts(parts: dict[str, str | None]) -> dict[str, Any] | None:
    names = re.split(r"(?<=[A-Z.]), | and ", parts["authors"] or "")
    people = [_ONE.fullmatch(name) for name in names]
    title = (parts["title"] or "").strip()
    if not all(people) or not 4 <= len(title.split()) <= 30 or title[0].islower():
        return None
    return {
        "title": title,
        "authors": [[_initials(person["given"]), person["family"]] for person in people if person],
        "year": int(parts["year"] or 0),
        "venue": (parts["venue"] or "").strip(),
        **{name: parts[name] for name in ("volume", "issue", "pages") if parts.get(name)},
    }


def _initials(given: str) -> str:
    return " ".join(f"{letter}." for letter in re.findall(r"[A-Z]", given))


def _ids(ids: dict[str | None, str]) -> dict[str, str]:
    named = {"pmid": ids.get("pubmed", ""), "pmcid": ids.get("pmc", "")}
    return {scheme: value for scheme, value in named.items() if value}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
