"""CSL-JSON as Zotero, Crossref and hand-made files have it; damage in one record spares the others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from citewell.model.paper import PaperId, Person
from citewell.model.reference import Document, Malformed, Reference
from citewell.text.references import dates, ids, persons
from citewell.text.references.lines import Lines
from citewell.text.references.tidy import MOST, UNREAD, excerpt, tidy

_HOLDERS = ("items", "references", "message")  # objects that only hold the list
_TELLING = frozenset({"type", "title", "id", "DOI", "issued", "container-title", "URL", "author"})
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
_MOST_DAMAGE = 500  # each costs a look through the whole document, to say where it is
_HOPELESS = f"After {_MOST_DAMAGE} damaged places the rest is not read."
_SPACE = " \t\n\r"
Piece = Reference | Malformed


def read(text: str) -> Document:
    lines = Lines(text)
    pieces = list(_pieces(text, lines))
    return Document(
        format="csl-json",
        references=tuple(piece for piece in pieces if isinstance(piece, Reference)),
        malformed=tuple(piece for piece in pieces if isinstance(piece, Malformed)),
    )


def _pieces(text: str, lines: Lines) -> Iterator[Piece]:
    """Record after record; after damage, the next object that looks like one."""
    at, damaged, count = _entered(text), 0, 0
    while (at := _skipped(text, at)) < len(text):
        count += 1
        if damaged >= _MOST_DAMAGE or count > MOST:
            yield Malformed(line=lines.at(at), reason=_HOPELESS if count <= MOST else UNREAD)
            return
        try:
            value, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            reason = f"This is not JSON: {error.msg} in line {error.lineno}."
            yield Malformed(line=lines.at(at), reason=reason, excerpt=excerpt(text[at : at + 500]))
            at, damaged = _resumed(text, max(error.pos, at + 1)), damaged + 1
            continue
        except RecursionError:
            yield Malformed(line=lines.at(at), reason="This is nested too deeply.")
            return
        yield from _taken(value, text[at:end], lines.at(at))
        at = end


def _entered(text: str) -> int:
    """Where the records begin: past the bracket of the list, and of the object that holds it."""
    start = _skipped(text, 0, also="")
    if not text.startswith("{", start):
        return start + 1 if text.startswith("[", start) else start
    held = [text.find(f'"{holder}"', start) for holder in _HOLDERS]
    first = text.find('"', start)
    if first not in held:
        return start
    opening = text.find("[", first)
    return opening + 1 if opening >= 0 else start


def _skipped(text: str, at: int, *, also: str = ",]}") -> int:
    skip = _SPACE + also
    while at < len(text) and text[at] in skip:
        at += 1
    return at


def _resumed(text: str, at: int) -> int:
    found = text.find("{", at)
    return found if found >= 0 else len(text)


def _taken(value: Any, raw: str, line: int) -> Iterator[Piece]:
    if isinstance(value, list):
        for each in value:
            yield from _taken(each, json.dumps(each, ensure_ascii=False), line)
    elif not isinstance(value, dict):
        yield Malformed(line=line, reason="A record must be an object.", excerpt=excerpt(raw))
    elif value and not _TELLING & value.keys():
        reason = "This object has none of a reference's fields."
        yield Malformed(line=line, reason=reason, excerpt=excerpt(raw))
    else:
        yield _reference(value, raw, line)


def _reference(item: Mapping[str, Any], raw: str, line: int) -> Reference:
    published = _date(item.get("issued")) or dates.iso(_text(item.get("year")))
    url = _text(item.get("URL"))
    people = [_person(one) for one in _list(item.get("author") or item.get("editor"))]
    return Reference(
        raw=raw,
        title=_text(item.get("title")),
        authors=tuple(one for one in people if one.name and one.name.lower() not in persons.OTHERS),
        year=dates.year_of(published),
        published=published,
        venue=_text(item.get("container-title") or item.get("event-title")),
        volume=_text(item.get("volume")),
        issue=_text(item.get("issue")),
        pages=_text(item.get("page")).replace("–", "-"),
        publisher=_text(item.get("publisher")),
        url=url,
        ids=_ids(item, url),
        kind=_text(item.get("type")),
        key=_text(item.get("id") or item.get("citation-key")),
        line=line,
        and_others=any(one.name.lower() in persons.OTHERS for one in people),
    )


def _ids(item: Mapping[str, Any], url: str) -> tuple[PaperId, ...]:
    note = _text(item.get("note"))
    number = _text(item.get("number"))
    return ids.ordered(
        ids.doi(_text(item.get("DOI"))),
        ids.pmid(_text(item.get("PMID"))),
        ids.pmcid(_text(item.get("PMCID"))),
        ids.isbn(_text(item.get("ISBN"))),
        *ids.of_addresses([url]),
        ids.arxiv(number) if "arxiv" in number.lower() else None,
        *((ids.doi(note), ids.arxiv(note), ids.pmid(note)) if ":" in note else ()),
    )


def _person(value: Any) -> Person:
    if not isinstance(value, Mapping):
        return persons.whole(_text(value))
    given = {name: _text(part) for name, part in value.items() if isinstance(name, str)}
    literal = given.get("literal") or given.get("name", "")
    if literal and not given.get("family"):
        return persons.whole(literal)
    particles = (given.get("dropping-particle", ""), given.get("non-dropping-particle", ""))
    family = " ".join(part for part in (*particles, given.get("family", "")) if part)
    if not given.get("given"):
        return persons.whole(family) if " " in family else persons.person(family=family)
    return persons.person(family=family, given=given["given"], suffix=given.get("suffix", ""))


def _date(value: Any) -> str:
    if not isinstance(value, Mapping):
        return dates.iso(_text(value))
    parts = next(iter(_list(value.get("date-parts"))), None)
    numbers = [_number(part) for part in _list(parts)][:3]
    if numbers and 0 < numbers[0] < 3000:
        return dates.joined(*numbers)
    return dates.iso(_text(value.get("raw") or value.get("literal") or value.get("year")))


def _number(value: Any) -> int:
    text = str(value).strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0


def _list(value: Any) -> Iterable[Any]:
    if isinstance(value, list):
        return value
    return () if value is None else (value,)


def _text(value: Any) -> str:
    """The first of a list, numbers as they stand; an object says nothing here."""
    if isinstance(value, list):
        value = value[0] if value else ""
    return tidy(value) if isinstance(value, str) else ""
