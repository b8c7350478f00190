"""Finds tables that have no ruled lines, by rows whose cells keep to the same columns."""

from __future__ import annotations

from statistics import median

from citewell.reading.documents.pdf.page_tables import PageBox, PdfTable
from citewell.reading.documents.pdf.text_lines import (
    DOT_LEADER_PATTERN,
    DOTS_PATTERN,
    LIST_MARKER_PATTERN,
    PdfWord,
    Strips,
    TextLine,
    build_text_line,
    find_covered_strips,
    group_text_rows,
    is_running_text,
)

_MIN_TABLE_ROWS = 3
_MIN_FIGURE_ROWS = 4  # rows from which figures in line are columns though they stand close
_MAX_SHORTER_RUNS = 4
_MAX_LONE_ROWS = 2  # rows of one cell between rows of several
_PROSE_LENGTH = 30  # characters; columns of such lines are running text
_MAX_CELL_LENGTH = 60  # characters; the usual cell of all columns but one is shorter


def replace_aligned_tables(lines: list[TextLine]) -> list[TextLine | PdfTable]:
    """The region's lines, with each run of rows in the same columns replaced by a table."""
    rows = group_text_rows(lines)
    result: list[TextLine | PdfTable] = []
    place = 0
    while place < len(rows):
        found, end = _read_longest_run(rows, place)
        if found is None:
            result += _join_spaced_pieces(rows[place])
            place += 1
        else:
            result += found
            place = end
    return result


def _read_longest_run(
    rows: list[list[TextLine]], start: int
) -> tuple[list[TextLine | PdfTable] | None, int]:
    """The table or columns that begin at this row, and where they end; shorter runs are tried too."""
    last = _find_table_end(rows, start)
    lone = [place for place in range(start + 1, last) if len(rows[place]) == 1]
    for end in (last, *lone[::-1][:_MAX_SHORTER_RUNS]):
        if end - start >= _MIN_TABLE_ROWS:
            found = _read_aligned_rows(rows[start:end])
            if found is not None:
                return found, end
    return None, start


def _join_spaced_pieces(row: list[TextLine]) -> list[TextLine]:
    """The row, with pieces joined that only wide spaces separate, as in justified text."""
    rtl = any(line.rtl for line in row)
    row = row[::-1] if rtl else row
    # Many short pieces on one line are a row of figures, which is read across.
    across = len(row) > 2 and all(len(line.text) < _PROSE_LENGTH for line in row[1:])
    across = across or _is_contents_row(row)
    kept = [row[0]]
    for line in row[1:]:
        gap = kept[-1].x0 - line.x1 if rtl else line.x0 - kept[-1].x1
        if (across or gap < 2.5 * line.size) and not line.words[0].style.mono:
            kept[-1] = build_text_line([*kept[-1].words, *line.words])
        else:
            kept.append(line)
    return kept


def _is_contents_row(row: list[TextLine]) -> bool:
    """Whether the row is an entry of a table of contents: dots that lead to one page number."""
    ordered = sorted(row, key=lambda line: -line.x1) if any(line.rtl for line in row) else row
    return bool(DOT_LEADER_PATTERN.search(" ".join(line.text for line in ordered)))


def _find_table_end(rows: list[list[TextLine]], start: int) -> int:
    """The end of the run of rows of two or more pieces; a few lone pieces may stand among them."""
    end = place = start
    while place < len(rows):
        row = rows[place]
        if place > start and row[0].y - rows[place - 1][0].y > 3 * row[0].size:
            break
        if _is_contents_row(row):
            break
        if len(row) >= 2:
            end = place + 1
        elif (
            place == start
            or place - end >= _MAX_LONE_ROWS
            or abs(row[0].size - rows[start][0].size) > 0.15 * row[0].size
        ):
            break
        place += 1
    return end


def _read_aligned_rows(rows: list[list[TextLine]]) -> list[TextLine | PdfTable] | None:
    """The rows as a table, or column by column if they are running text; None if neither."""
    full = [row for row in rows if len(row) >= 2]
    mono = all(word.style.mono for row in rows for line in row for word in line.words)
    columns = [] if mono or len(full) < _MIN_TABLE_ROWS else _find_columns(full)
    if len(columns) < 2 or not _is_aligned(full, columns):
        return None
    crossed = [
        sum(row[0].x0 < right and left < row[0].x1 for left, right in columns)
        for row in rows
        if len(row) == 1
    ]
    # Many lines across columns are paragraphs whose first lines begin with a number.
    if sum(count > 1 for count in crossed) > 0.2 * len(rows):
        return None
    if _is_running_text(full, columns):
        return _read_by_column(rows, columns) if len(full) >= 0.7 * len(rows) else None
    cells = [_assign_cells(row, columns) for row in rows]
    if not _is_table_like(cells):
        return None
    box = PageBox(columns[0][0], rows[0][0].y, columns[-1][1], rows[-1][0].y)
    return [PdfTable(box, tuple(cells))]


def _find_columns(rows: list[list[TextLine]]) -> Strips:
    """The strips that hold text; columns of figures may stand closer than other cells."""
    columns = find_covered_strips([[(line.x0, line.x1) for line in row] for row in rows])
    refined: Strips = []
    for left, right in columns:
        words = [
            [word for line in row for word in line.words if left <= word.x0 and word.x1 <= right]
            for row in rows
        ]
        spans = [[(word.x0, word.x1) for word in row] for row in words if row]
        figures = [any(map(str.isdigit, word.text)) for row in words for word in row]
        tight = len(spans) >= _MIN_FIGURE_ROWS and sum(figures) >= 0.8 * len(figures)
        refined += find_covered_strips(spans) if tight else [(left, right)]
    return refined


def _is_aligned(rows: list[list[TextLine]], columns: Strips) -> bool:
    """Whether most rows have each of their pieces in a column of its own."""
    good = 0
    for row in rows:
        places = [_find_nearest_column(line.x0, line.x1, columns) for line in row]
        good += len(set(places)) == len(places)
    return good >= 0.7 * len(rows)


def _is_running_text(rows: list[list[TextLine]], columns: Strips) -> bool:
    """Whether two or more columns are filled by long lines, as in a page of several columns."""
    prose = 0
    for lines in _group_by_column(rows, columns):
        lengths = [len(line.text) for line in lines]
        long = sum(length for length in lengths if length >= _PROSE_LENGTH)
        prose += is_running_text(lines) and long >= 0.6 * sum(lengths)
    return prose >= 2


def _group_by_column(rows: list[list[TextLine]], columns: Strips) -> list[list[TextLine]]:
    groups: list[list[TextLine]] = [[] for _ in columns]
    for row in rows:
        for line in row:
            groups[_find_nearest_column(line.x0, line.x1, columns)].append(line)
    return groups


def _read_by_column(rows: list[list[TextLine]], columns: Strips) -> list[TextLine | PdfTable]:
    groups = _group_by_column(rows, columns)
    if any(line.rtl for row in rows for line in row):
        groups.reverse()
    return [line for column in groups for line in column]


def _is_table_like(cells: list[tuple[tuple[TextLine, ...], ...]]) -> bool:
    """Whether the cells are short and many enough for a table, and the first column no bullets."""
    texts = [[" ".join(line.text for line in cell) for cell in row] for row in cells]
    columns = [[text for text in column if text] for column in zip(*texts, strict=True)]
    full = [row for row in texts if sum(map(bool, row)) >= 2]
    long = sum(median(map(len, column)) > _MAX_CELL_LENGTH for column in columns if column)
    marks = all(LIST_MARKER_PATTERN.fullmatch(text) for text in columns[0])
    filled = sum(bool(text) for row in full for text in row)
    return (
        len(full) >= _MIN_TABLE_ROWS
        and long <= 1
        and not marks
        and filled >= (0.5 if len(columns) == 2 else 0.6) * len(full) * len(columns)
    )


def _assign_cells(row: list[TextLine], columns: Strips) -> tuple[tuple[TextLine, ...], ...]:
    cells: list[list[PdfWord]] = [[] for _ in columns]
    for line in row:
        place = _find_nearest_column(line.x0, line.x1, columns)
        inside = line.x0 >= columns[place][0] - 1 and line.x1 <= columns[place][1] + 1
        if len(row) == 1 and not inside:  # a label or note across columns stays whole
            place, inside = _find_nearest_column(line.x0, line.x0 + 1, columns), True
        for word in line.words:
            cells[place if inside else _find_nearest_column(word.x0, word.x1, columns)].append(word)
    return tuple((build_text_line(_strip_dots(words)),) if words else () for words in cells)


def _strip_dots(words: list[PdfWord]) -> list[PdfWord]:
    """The words without the dots that lead from a name to its figures."""
    dots = [word for word in words if not word.text.strip(".…")]
    if len(dots) == len(words):
        return words
    kept = [word for word in words if word.text.strip(".…")] if len(dots) > 2 else words
    last = kept[-1]
    bare = last.text.rstrip(".…") if DOTS_PATTERN.search(last.text) or len(dots) > 2 else last.text
    return [*kept[:-1], last._replace(text=bare or last.text)]


def _find_nearest_column(x0: float, x1: float, columns: Strips) -> int:
    def distance(place: int) -> tuple[float, float]:
        left, right = columns[place]
        shared = min(x1, right) - max(x0, left)
        return -shared, abs((left + right) / 2 - (x0 + x1) / 2)

    return min(range(len(columns)), key=distance)
