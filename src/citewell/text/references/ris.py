"""RIS as databases export it: tags in a row, records from TY to ER, and much that strays from that."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from citewell.model.paper import PaperId
from citewell.model.reference import Document, Malformed, Reference
from citewell.text.references import dates, ids, persons
from citewell.text.references.tidy import MOST, UNREAD, excerpt, tidy

_TAG = re.compile(r"[ \t]{0,8}([A-Z][A-Z0-9])[ \t]{0,3}[-–](?:[ \t]|$)(.*)")
_LINKS = re.compile(r"https?://[^\s;]+")
_KINDS = {
    "JOUR": "article-journal", "EJOU": "article-journal", "JFULL": "article-journal",
    "ABST": "article-journal", "INPR": "article-journal", "MGZN": "article-magazine",
    "NEWS": "article-newspaper", "BOOK": "book", "EBOOK": "book", "EDBOOK": "book",
    "WHOLE": "book", "CHAP": "chapter", "ECHAP": "chapter", "CONF": "paper-conference",
    "CPAPER": "paper-conference", "THES": "thesis", "RPRT": "report", "GOVDOC": "report",
    "ELEC": "webpage", "WEB": "webpage", "BLOG": "post-weblog", "DATA": "dataset",
    "COMP": "software", "PAT": "patent", "CASE": "legal_case", "STAT": "legislation",
    "UNPB": "manuscript", "STAND": "standard", "VIDEO": "motion_picture",
}  # fmt: skip
_AUTHORS = ("AU", "A1", "A2", "A3", "ED")  # the first of these that a record has
_VENUES = ("JF", "JO", "T2", "BT", "J2", "JA", "J1")


@dataclass(slots=True)
class _Record:
    line: int
    typed: bool = False
    lines: list[str] = field(default_factory=list)
    values: dict[str, list[list[str]]] = field(default_factory=lambda: defaultdict(list))
    last: list[str] = field(default_factory=list)  # the value that a next line would go on with

    def add(self, tag: str, value: str) -> None:
        self.last = [value]
        self.values[tag].append(self.last)

    def all(self, *tags: str) -> list[str]:
        """What the first of these tags that says anything says, once for each time it stands."""
        for tag in tags:
            found = [tidy("\n".join(pieces)) for pieces in self.values.get(tag, ())]
            if any(found):
                return [value for value in found if value]
        return []

    def first(self, *tags: str) -> str:
        return next(iter(self.all(*tags)), "")


class _Reader:
    """Takes line after line; what belongs to no record is damage."""

    def __init__(self) -> None:
        self.references: list[Reference] = []
        self.malformed: list[Malformed] = []
        self._record: _Record | None = None
        self._stray: list[str] = []
        self._stray_line = 0

    def take(self, number: int, line: str) -> None:
        match = _TAG.match(line)
        if match is None:
            self._untagged(number, line)
            return
        self._settle()
        if match[1] == "ER":
            self._ended(number)
            return
        if match[1] == "TY" and self._record is not None:
            self._close(damage="This record has no ER line.")
        if self._record is None:
            self._record = _Record(line=number, typed=match[1] == "TY")
        self._record.lines.append(line)
        self._record.add(match[1], match[2])

    def finish(self) -> None:
        self._settle()
        if self._record is not None:
            self._close(damage="This record has no ER line.")

    def _untagged(self, number: int, line: str) -> None:
        if not line.strip():
            return
        if self._record is not None:
            self._record.lines.append(line)
            self._record.last.append(line)
            return
        self._stray_line = self._stray_line or number
        self._stray.append(line)

    def _settle(self) -> None:
        """Lines before a record that are no part of one."""
        if self._stray:
            self._damage(self._stray_line, "This is not part of any record.", self._stray)
        self._stray, self._stray_line = [], 0

    def _ended(self, number: int) -> None:
        if self._record is None:
            self._damage(number, "ER ends a record that never began.", [])
        else:
            self._close()

    def _close(self, *, damage: str = "") -> None:
        record, self._record = self._record, None
        if record is None:
            return
        if not record.typed:
            damage = "This record has no TY line."
        if damage:
            self._damage(record.line, damage, record.lines)
        self.references.append(_reference(record))

    def _damage(self, line: int, reason: str, lines: list[str]) -> None:
        shown = excerpt(" ".join(lines[:20]))
        self.malformed.append(Malformed(line=line, reason=reason, excerpt=shown))


def read(text: str) -> Document:
    reader = _Reader()
    for number, line in enumerate(text.split("\n"), start=1):
        reader.take(number, line)
        if len(reader.references) + len(reader.malformed) >= MOST:
            reader.malformed.append(Malformed(line=number, reason=UNREAD))
            break
    reader.finish()
    return Document(
        format="ris", references=tuple(reader.references), malformed=tuple(reader.malformed)
    )


def _reference(record: _Record) -> Reference:
    published = dates.iso(record.first("DA", "PY", "Y1"))
    year = dates.iso(record.first("PY", "Y1", "DA"))
    urls = [link for value in record.all("UR", "L2", "L1", "LK") for link in _LINKS.findall(value)]
    names = record.all(*_AUTHORS)
    people = [persons.whole(name) for name in names if name.lower() not in persons.OTHERS]
    return Reference(
        raw="\n".join(record.lines),
        title=record.first("TI", "T1", "CT", "BT", "ST"),
        authors=tuple(people),
        year=dates.year_of(year),
        published=published if published[:4] == year[:4] else year,
        venue=record.first(*_VENUES),
        volume=record.first("VL"),
        issue=record.first("IS", "CP"),
        pages=_pages(record),
        publisher=record.first("PB"),
        url=urls[0] if urls else "",
        ids=_ids(record, urls),
        kind=_KINDS.get(record.first("TY").upper(), ""),
        key=record.first("ID", "LB"),
        line=record.line,
        and_others=len(people) < len(names),
    )


def _pages(record: _Record) -> str:
    first, last = record.first("SP"), record.first("EP")
    if first and last and "-" not in first and first != last:
        return f"{first}-{last}"
    return (first or last).replace("–", "-")


def _ids(record: _Record, urls: list[str]) -> tuple[PaperId, ...]:
    notes = " ".join(record.all("N1") + record.all("M3") + record.all("C7"))
    return ids.ordered(
        ids.doi(record.first("DO", "DI")),
        *ids.of_addresses(urls),
        ids.doi(notes),
        ids.arxiv(notes) if "arxiv" in notes.lower() else None,
        ids.pmid(record.first("AN")) if "pubmed" in record.first("DB").lower() else None,
        ids.pmcid(record.first("C2")),
        ids.isbn(record.first("SN", "BN")),
    )
