"""What a quotation of a page must look like: the page's own words at its offsets, without markup."""

from __future__ import annotations

import re

from citewell.text.passages.markdown_blocks import render_plain_text
from citewell.text.passages.page_units import split_table_cells

_CITATION_PATTERN = re.compile(r"(?: \[src_\d+\])+(?: \*\([^)]*\)\*)?$")
_SUBJECT_PATTERN = re.compile(r"^\[[^\]]*\] ?")


def is_own_text(page: str, start: int, end: int, snippet: str) -> bool:
    """Whether the snippet is `page[start:end]` as a reader sees it.

    A row of a table is its cells in order, each under the name of its column.
    """
    raw = page[start:end]
    if not raw.startswith("|"):
        return bool(snippet) and render_plain_text(raw) == snippet
    cells, names = split_table_cells(raw), _read_column_names(page, start)
    if len(names) != len(cells):
        return snippet == "; ".join(filter(None, cells))
    pairs = zip(names, cells, strict=True)
    return snippet == "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _read_column_names(page: str, start: int) -> tuple[str, ...]:
    """The header of the table that the row at `start` belongs to; empty if it has none."""
    above: list[str] = []
    for line in reversed(page[:start].split("\n")[:-1]):
        if not line.lstrip().startswith("|"):
            break
        above.append(line)
    if len(above) < 2 or set(above[-2]) - set("|:- \t"):
        return ()
    return split_table_cells(above[-1])


def list_quoted_lines(report: str) -> list[tuple[str, list[str]]]:
    """The lines of a report that cite a source: their words, and the sources that they name.

    Our own words are left out: a subject in brackets, and the remark on the sources.
    """
    body = report.partition("\n## Sources\n")[0]
    found = []
    for line in body.splitlines():
        match = _CITATION_PATTERN.search(line)
        if match and line.lstrip().startswith(("- ", *(f"{number}. " for number in range(1, 20)))):
            words = line[: match.start()].lstrip().split(" ", 1)[1]
            refs = re.findall(r"src_\d+", match[0])
            found.append((_SUBJECT_PATTERN.sub("", words), refs))
    return found
