"""Parses CSL JSON, and tables of works: CSV files and the tab-delimited exports of Web of Science."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from citewell.citations.references import reference_fields
from citewell.citations.references.formats import file_records
from citewell.citations.references.reference_fields import (
    BibliographyDocument,
    MalformedEntry,
    Reference,
)
from citewell.core.values.paper import PaperId, WorkAuthor
from citewell.text.calendar_dates import build_partial_date, extract_year, parse_partial_date
from citewell.text.data_tables import load_table

# Keys of objects that contain the list of records.
_LIST_HOLDER_KEYS = ("items", "references", "message")
_REFERENCE_FIELD_NAMES = frozenset(
    {"type", "title", "id", "DOI", "issued", "container-title", "URL", "author"}
)
_LENIENT_JSON_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
_MAX_DAMAGED_PLACES = 500  # each costs a scan of the document for its line number
_TOO_DAMAGED_REASON = (
    f"The rest of the document is not read after {_MAX_DAMAGED_PLACES} damaged places."
)
_JSON_WHITESPACE = " \t\n\r"
CslPiece = Reference | MalformedEntry


def parse_csl_document(text: str) -> BibliographyDocument:
    lines = reference_fields.LineIndex(text)
    pieces = list(_parse_csl_pieces(text, lines))
    return BibliographyDocument(
        format="csl-json",
        references=tuple(piece for piece in pieces if isinstance(piece, Reference)),
        malformed=tuple(piece for piece in pieces if isinstance(piece, MalformedEntry)),
    )


def _parse_csl_pieces(text: str, lines: reference_fields.LineIndex) -> Iterator[CslPiece]:
    """References and damage reports in order; after damage, parsing resumes at the next object."""
    at, damaged, count = _find_first_record(text), 0, 0
    while (at := _skip_separators(text, at)) < len(text):
        count += 1
        if damaged >= _MAX_DAMAGED_PLACES or count > reference_fields.MAX_RECORDS:
            yield MalformedEntry(
                line=lines.find_line_number(at),
                reason=_TOO_DAMAGED_REASON
                if count <= reference_fields.MAX_RECORDS
                else reference_fields.RECORDS_LIMIT_REASON,
            )
            return
        try:
            value, end = _LENIENT_JSON_DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            reason = f"This is not JSON: {error.msg} in line {error.lineno}."
            yield MalformedEntry(
                line=lines.find_line_number(at),
                reason=reason,
                excerpt=reference_fields.extract_damage_excerpt(text[at : at + 500]),
            )
            found = text.find("{", max(error.pos, at + 1))
            next_object = found if found >= 0 else len(text)
            at, damaged = next_object, damaged + 1
            continue
        except RecursionError:
            yield MalformedEntry(
                line=lines.find_line_number(at), reason="This is nested too deeply."
            )
            return
        yield from _convert_csl_value(value, text[at:end], lines.find_line_number(at))
        at = end


def _find_first_record(text: str) -> int:
    """The offset of the first record, inside the list and the object that contains the list."""
    start = _skip_separators(text, 0, also="")
    if not text.startswith("{", start):
        return start + 1 if text.startswith("[", start) else start
    held = [text.find(f'"{holder}"', start) for holder in _LIST_HOLDER_KEYS]
    first = text.find('"', start)
    if first not in held:
        return start
    opening = text.find("[", first)
    return opening + 1 if opening >= 0 else start


def _skip_separators(text: str, at: int, *, also: str = ",]}") -> int:
    skip = _JSON_WHITESPACE + also
    while at < len(text) and text[at] in skip:
        at += 1
    return at


def _convert_csl_value(value: Any, raw: str, line: int) -> Iterator[CslPiece]:
    if isinstance(value, list):
        for each in value:
            yield from _convert_csl_value(each, json.dumps(each, ensure_ascii=False), line)
    elif not isinstance(value, dict):
        yield MalformedEntry(
            line=line,
            reason="A record must be an object.",
            excerpt=reference_fields.extract_damage_excerpt(raw),
        )
    elif value and not _REFERENCE_FIELD_NAMES & value.keys():
        reason = "This object has no field of a reference."
        yield MalformedEntry(
            line=line, reason=reason, excerpt=reference_fields.extract_damage_excerpt(raw)
        )
    else:
        yield _build_csl_reference(value, raw, line)


def _build_csl_reference(item: Mapping[str, Any], raw: str, line: int) -> Reference:
    published = _parse_csl_date(item.get("issued")) or parse_partial_date(
        _read_csl_text(item.get("year"))
    )
    url = _read_csl_text(item.get("URL"))
    people = [
        _parse_csl_person(person)
        for person in _wrap_as_list(item.get("author") or item.get("editor"))
    ]
    return Reference(
        raw=raw,
        title=_read_csl_text(item.get("title")),
        authors=tuple(
            person
            for person in people
            if person.name and person.name.lower() not in reference_fields.AND_OTHERS_NAMES
        ),
        year=extract_year(published),
        published=published,
        venue=_read_csl_text(item.get("container-title") or item.get("event-title")),
        volume=_read_csl_text(item.get("volume")),
        issue=_read_csl_text(item.get("issue")),
        pages=_read_csl_text(item.get("page")).replace("–", "-"),
        publisher=_read_csl_text(item.get("publisher")),
        url=url,
        ids=_collect_csl_ids(item, url),
        kind=_read_csl_text(item.get("type")),
        key=_read_csl_text(item.get("id") or item.get("citation-key")),
        line=line,
        and_others=any(
            author.name.lower() in reference_fields.AND_OTHERS_NAMES for author in people
        ),
    )


def _collect_csl_ids(item: Mapping[str, Any], url: str) -> tuple[PaperId, ...]:
    note = _read_csl_text(item.get("note"))
    number = _read_csl_text(item.get("number"))
    return reference_fields.order_paper_ids(
        reference_fields.parse_doi_id(_read_csl_text(item.get("DOI"))),
        reference_fields.parse_pmid_id(_read_csl_text(item.get("PMID"))),
        reference_fields.parse_pmcid_id(_read_csl_text(item.get("PMCID"))),
        reference_fields.parse_isbn_id(_read_csl_text(item.get("ISBN"))),
        *reference_fields.find_ids_in_addresses([url]),
        reference_fields.parse_arxiv_id(number) if "arxiv" in number.lower() else None,
        *(
            (
                reference_fields.parse_doi_id(note),
                reference_fields.parse_arxiv_id(note),
                reference_fields.parse_pmid_id(note),
            )
            if ":" in note
            else ()
        ),
    )


def _parse_csl_person(value: Any) -> WorkAuthor:
    if not isinstance(value, Mapping):
        return reference_fields.parse_whole_name(_read_csl_text(value))
    given = {name: _read_csl_text(part) for name, part in value.items() if isinstance(name, str)}
    literal = given.get("literal") or given.get("name", "")
    if literal and not given.get("family"):
        return reference_fields.parse_whole_name(literal)
    particles = (given.get("dropping-particle", ""), given.get("non-dropping-particle", ""))
    family = " ".join(part for part in (*particles, given.get("family", "")) if part)
    if not given.get("given"):
        return (
            reference_fields.parse_whole_name(family)
            if " " in family
            else reference_fields.build_person(family=family)
        )
    return reference_fields.build_person(
        family=family, given=given["given"], suffix=given.get("suffix", "")
    )


def _parse_csl_date(value: Any) -> str:
    if not isinstance(value, Mapping):
        return parse_partial_date(_read_csl_text(value))
    parts = next(iter(_wrap_as_list(value.get("date-parts"))), None)
    numbers = [_parse_date_part(part) for part in _wrap_as_list(parts)][:3]
    if numbers and 0 < numbers[0] < 3000:
        return build_partial_date(*numbers)
    return parse_partial_date(
        _read_csl_text(value.get("raw") or value.get("literal") or value.get("year"))
    )


def _parse_date_part(value: Any) -> int:
    text = str(value).strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0


def _wrap_as_list(value: Any) -> Iterable[Any]:
    if isinstance(value, list):
        return value
    return () if value is None else (value,)


def _read_csl_text(value: Any) -> str:
    """A string or number as cleaned text; of a list, its first item; empty for an object."""
    if isinstance(value, list):
        value = value[0] if value else ""
    return reference_fields.clean_reference_value(value) if isinstance(value, str) else ""


# Parses tables of works.

_MAX_HEADER_CHARS = 20_000
_COLUMN_NOISE_PATTERN = re.compile(r"[\W_]+")
_SCOPUS_ID_PATTERN = re.compile(r"\s?\(\d{6,15}\)")
_INITIALS_ENDING_PATTERN = re.compile(r"(?:[^\W\d_]\.?[ -]?){1,4}")


def find_table_delimiter(text: str) -> str:
    """The delimiter of a table whose first line titles a column for titles and one more; else empty."""
    header = text.lstrip("\n")[:_MAX_HEADER_CHARS].partition("\n")[0]
    for delimiter in ("\t", ",", ";"):
        if delimiter in header and _map_columns(
            next(csv.reader([header], delimiter=delimiter), [])
        ):
            return delimiter
    return ""


def parse_table_document(text: str, *, form: str = "csv") -> BibliographyDocument:
    delimiter = find_table_delimiter(text)
    if not delimiter:
        reason = "The first line names no column for titles; a table needs one and another, as for authors or a DOI."
        return BibliographyDocument(
            format=form, references=(), malformed=(MalformedEntry(line=1, reason=reason),)
        )
    references: list[Reference] = []
    malformed: list[MalformedEntry] = []
    columns: dict[str, list[int]] = {}
    for line, row in _iterate_table_rows(text, delimiter, malformed):
        if not columns:
            columns = _map_columns(row)
        elif len(references) >= reference_fields.MAX_RECORDS:
            malformed.append(
                MalformedEntry(line=line, reason=reference_fields.RECORDS_LIMIT_REASON)
            )
            break
        elif any(cell.strip() for cell in row):
            references.append(_build_row_reference(row, columns, delimiter, line))
    return BibliographyDocument(
        format=form, references=tuple(references), malformed=tuple(malformed)
    )


def _map_columns(header: Sequence[str]) -> dict[str, list[int]]:
    """The columns of each field; empty if this is no header of a table of works.

    Titles are listed in lower case and without punctuation. The first column that is filled counts, so
    the better one of two comes first.
    """
    titles = [_COLUMN_NOISE_PATTERN.sub(" ", title).strip().lower() for title in header]
    found = {
        field: places
        for field, names in load_table(__package__, "table_columns")["fields"].items()
        if (places := [titles.index(name) for name in names if name in titles])
    }
    others = {"authors", "year", "date", "doi", "venue", "pmid"} & found.keys()
    return found if "title" in found and others else {}


def _iterate_table_rows(
    text: str, delimiter: str, malformed: list[MalformedEntry]
) -> Iterator[tuple[int, list[str]]]:
    """The rows with the number of their first line. Tab-delimited exports have no quotation."""
    lines = text.split("\n")
    if delimiter == "\t":
        for number, line in enumerate(lines, start=1):
            yield number, [cell.strip().strip('"') for cell in line.split("\t")]
        return
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter)
    before = 0
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            malformed.append(
                MalformedEntry(line=before + 1, reason=f"The table is damaged here: {error}.")
            )
            if reader.line_num == before:
                return
            row = []
        yield before + 1, row
        before = reader.line_num


def _build_row_reference(
    row: Sequence[str], columns: Mapping[str, Sequence[int]], delimiter: str, line: int
) -> Reference:
    def read_field(name: str) -> str:
        cells = (
            reference_fields.clean_reference_value(row[at][: 4 * reference_fields.MAX_VALUE_CHARS])
            for at in columns.get(name, ())
            if at < len(row)
        )
        return next(filter(None, cells), "")

    people, and_others = file_records.parse_record_people(
        _split_name_cell(read_field("authors") or read_field("editors"))
    )
    year, date = parse_partial_date(read_field("year")), read_field("date")
    exact = parse_partial_date(date) or parse_partial_date(f"{date} {year}")
    published = exact if exact[:4] == year[:4] or not year else year
    url = read_field("url")
    pages = read_field("pages")
    return Reference(
        raw=delimiter.join(row),
        title=read_field("title").rstrip("."),
        authors=people,
        year=extract_year(published),
        published=published,
        venue=read_field("venue"),
        volume=read_field("volume"),
        issue=read_field("issue"),
        pages=file_records.clean_page_range(pages)
        or file_records.join_page_numbers(read_field("first_page"), read_field("last_page"))
        or read_field("article"),
        publisher=read_field("publisher"),
        url=url if url.startswith(("http://", "https://")) else "",
        ids=reference_fields.order_paper_ids(
            *file_records.collect_field_ids(
                doi=read_field("doi"),
                pmid=read_field("pmid"),
                pmcid=read_field("pmcid"),
                isbn=read_field("isbn"),
                urls=[url],
            )
        ),
        kind=load_table(__package__, "table_columns")["kinds"].get(read_field("kind").lower(), ""),
        key=read_field("key"),
        line=line,
        and_others=and_others,
    )


def _split_name_cell(cell: str) -> list[str]:
    """Names separated by semicolons or "and", or by commas between names with initials: Smith J, Doe A."""
    cell = _SCOPUS_ID_PATTERN.sub("", cell)
    if ";" in cell:
        return [name.strip() for name in cell.split(";")]
    if " and " in cell:
        return [name.strip() for name in cell.split(" and ")]
    pieces = [piece.strip(" .") for piece in cell.split(",") if piece.strip()]
    if len(pieces) > 1 and all(" " in piece for piece in pieces):
        return [_turn_initials_last(piece) for piece in pieces]
    if len(pieces) > 3 and all(map(_INITIALS_ENDING_PATTERN.fullmatch, pieces[1::2])):
        return [
            f"{family}, {given}" for family, given in zip(pieces[::2], pieces[1::2], strict=False)
        ]
    return [cell] if len(pieces) != 1 else [_turn_initials_last(pieces[0])]


def _turn_initials_last(name: str) -> str:
    """Smith JA as Smith, J A; any other name as it is."""
    person = file_records.parse_initials_name(name)
    return f"{person.family}, {person.given}" if person.family and person.given else name
