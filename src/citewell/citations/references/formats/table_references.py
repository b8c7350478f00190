"""Parses tables of works (CSV, tab-separated): exports of Zotero, Scopus, PubMed and Web of Science."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence

from citewell.citations.reference import BibliographyDocument, MalformedEntry, Reference
from citewell.citations.references import reference_fields
from citewell.citations.references.formats import tagged_records
from citewell.citations.references.reference_fields import (
    MAX_RECORDS,
    MAX_VALUE_CHARS,
    RECORDS_LIMIT_REASON,
    clean_reference_value,
)
from citewell.text.calendar_dates import extract_year, parse_partial_date
from citewell.text.data_tables import load_table

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
        elif len(references) >= MAX_RECORDS:
            malformed.append(MalformedEntry(line=line, reason=RECORDS_LIMIT_REASON))
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
            clean_reference_value(row[at][: 4 * MAX_VALUE_CHARS])
            for at in columns.get(name, ())
            if at < len(row)
        )
        return next(filter(None, cells), "")

    people, and_others = tagged_records.parse_record_people(
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
        pages=tagged_records.clean_page_range(pages)
        or tagged_records.join_page_numbers(read_field("first_page"), read_field("last_page"))
        or read_field("article"),
        publisher=read_field("publisher"),
        url=url if url.startswith(("http://", "https://")) else "",
        ids=reference_fields.order_paper_ids(
            *tagged_records.collect_field_ids(
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
    person = tagged_records.parse_initials_name(name)
    return f"{person.family}, {person.given}" if person.family and person.given else name
