"""The Retraction Watch file in its real shape, with content of our own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

HEADING = (
    "Record ID,Title,Subject,Institution,Journal,Publisher,Country,Author,URLS,ArticleType,"
    "RetractionDate,RetractionDOI,RetractionPubMedID,OriginalPaperDate,OriginalPaperDOI,"
    "OriginalPaperPubMedID,RetractionNature,Reason,Paywalled,Notes,"
)
RETRACTED = "10.5555/retracted.one"
REINSTATED = "10.5555/back.again"
DOUBTED = "10.5555/doubted"
CORRECTED = "10.5555/corrected"
BY_NUMBER = "31415926"


def row(
    record: int | str,
    doi: str = RETRACTED,
    nature: str = "Retraction",
    date: str = "1/15/2024 0:00",
    *,
    notice: str = "10.5555/notice",
    pmid: str = "0",
    reason: str = "Unreliable Results and/or Conclusions;",
    title: str = "A study of something",
    notes: str = "",
) -> str:
    """One line as the file writes it: 21 columns, the last one empty."""
    cells = [
        *(str(record), title, "(BLS) Biology - General;", "An Institute, Somewhere;"),
        *("Journal of Examples", "Example Press", "Nowhere;", "A. Author;B. Author"),
        *("https://example.org/post", "Research Article;", date, notice, "0"),
        *("5/6/2020 0:00", doi, pmid, nature, reason, "No", notes, ""),
    ]
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()


def document(rows: Iterable[str]) -> bytes:
    return (HEADING + "\r\n" + "".join(rows)).encode()


def sample() -> bytes:
    """Every oddity of the real file once."""
    good = document(
        [
            row(10, RETRACTED.upper(), reason="+Falsification/Fabrication of Data;+Misconduct;"),
            row(11, REINSTATED, date="2/1/2019 0:00"),
            row(12, REINSTATED, "Reinstatement", "3/1/2021 0:00", notice="10.5555/sorry"),
            row(13, f"{DOUBTED}concern", "Expression of concern", notice=f"{DOUBTED}concern"),
            row(14, f"https://doi.org/{CORRECTED} ", "Correction", "12/31/2023 0:00"),
            row(15, "unavailable", pmid=BY_NUMBER, notice="Unavailable"),
            row(16, "Unavailable"),
            row(17, "10.5555/two lines", title="Quoted,\nand broken", notes='said "so"'),
            row(18, "10.5555/later", date="1/1/2109 0:00"),
        ]
    )
    damaged = row(19, "10.5555/latin", title="Einfl\xfcsse").encode("latin-1")
    return b"\xef\xbb\xbf" + good + damaged


def many(count: int) -> Iterator[str]:
    for number in range(count):
        nature = "Expression of concern" if number % 20 == 0 else "Retraction"
        date = f"{number % 12 + 1}/{number % 28 + 1}/{2000 + number % 24} 0:00"
        yield row(
            number + 1,
            f"10.5555/work.{number}",
            nature,
            date,
            title="A study of something " * 8,
            notes="See also: https://example.org/discussion " * 5,
            reason="Concerns/Issues About Data;Investigation by Journal/Publisher;",
        )
