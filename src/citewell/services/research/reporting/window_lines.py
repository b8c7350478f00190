"""A window as lines of a report: sentences as they are, lists as lists, rows as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewell.services.research.analysis.page_analysis import PageAnalysis
from citewell.text.passages import sentence_openings
from citewell.text.passages.answer_windows import AnswerWindow
from citewell.text.passages.markdown_blocks import BlockKind
from citewell.text.passages.page_units import PageUnit, join_unit_texts, list_passage_terms

_MAX_SUBJECT_WORDS = 10  # of a heading that names the subject in brackets
_MAX_LEADING_WORDS = 40  # of the sentence before, to be taken along
_MAX_TABLE_CELLS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedWindow:
    """What is printed of a window: its units, with our subject before them if they lack theirs."""

    units: tuple[PageUnit, ...]
    subject: str = ""


def complete_window(found: PageAnalysis, window: AnswerWindow) -> QuotedWindow:
    """The window with its subject: the sentence before, or else its heading in brackets."""
    page = found.index.pages[window.page]
    units = found.list_window_units(window)
    subject = _choose_subject(page.title, units[0])
    if sentence_openings.needs_previous_sentence(units[0].text):
        before = page.units[window.first - 1] if window.first else None
        if before is not None and _can_lead(before, units[0]):
            return QuotedWindow(units=(before, *units))
        return QuotedWindow(units=units, subject=subject)
    is_list = units[0].kind is not BlockKind.PARAGRAPH
    lacks = is_list or _lacks_asked_words(found, units, subject)
    return QuotedWindow(units=units, subject=subject if lacks else "")


def _can_lead(before: PageUnit, unit: PageUnit) -> bool:
    return (
        before.kind is BlockKind.PARAGRAPH
        and before.headings == unit.headings
        and before.words <= _MAX_LEADING_WORDS
        and not sentence_openings.needs_previous_sentence(before.text)
    )


def _choose_subject(title: str, unit: PageUnit) -> str:
    """The nearest heading above a unit, or the title of its page."""
    for heading in (*reversed(unit.headings), title):
        plain = " ".join(heading.split()).strip("[]")
        if plain and len(plain.split()) <= _MAX_SUBJECT_WORDS:
            return plain
    return " ".join(title.split()[:_MAX_SUBJECT_WORDS]).strip("[]")


def _lacks_asked_words(found: PageAnalysis, units: Sequence[PageUnit], subject: str) -> bool:
    """Whether the heading holds a word of the question that the window itself does not."""
    asked = set(list_passage_terms(found.plan.query, language=found.plan.language))
    held = {stem for unit in units for stem in unit.stems}
    above = set(list_passage_terms(subject, language=found.plan.language))
    return bool((above & asked) - held)


def render_window_lines(shown: QuotedWindow, *, mark: str, remark: str) -> str:
    """The lines of one window; `mark` cites its source, `remark` says what else is known of it."""
    units = shown.units
    tail = f"{mark}{f' *({remark})*' if remark else ''}"
    lead = f"[{shown.subject}] " if shown.subject else ""
    if units[-1].kind is BlockKind.ROW:
        return _render_rows(shown, mark=mark, tail=tail)
    if units[-1].kind is not BlockKind.ITEM or len(units) == 1:
        return f"- {lead}{join_unit_texts(units)} {tail}"
    sentences = [unit for unit in units if unit.kind is not BlockKind.ITEM]
    items = [unit for unit in units if unit.kind is BlockKind.ITEM]
    opening = lead + join_unit_texts(sentences)
    if all(unit.is_ordered for unit in items):
        steps = [f"  {number}. {unit.text}" for number, unit in enumerate(items, start=1)]
        return "\n".join([f"- {opening.strip() or 'Steps:'}", *steps]) + f" {tail}"
    lines = [f"  - {unit.text} {mark}" for unit in items]
    return "\n".join([f"- {opening.strip()} {tail}", *lines] if opening.strip() else lines)


def _render_rows(shown: QuotedWindow, *, mark: str, tail: str) -> str:
    rows = [unit for unit in shown.units if unit.kind is BlockKind.ROW]
    before = join_unit_texts(unit for unit in shown.units if unit.kind is not BlockKind.ROW)
    header = rows[0].table_header
    opening = " ".join(filter(None, [f"[{shown.subject}]" if shown.subject else "", before]))
    width = len(header)
    if not width or width > _MAX_TABLE_CELLS or any(len(row.cells) != width for row in rows):
        said = "; ".join(_join_cells(row) for row in rows)
        return f"- {opening} {said} {tail}" if opening else f"- {said} {tail}"
    lines = [_format_row(header), "|" + "---|" * width]
    lines += [_format_row([*row.cells[:-1], f"{row.cells[-1] or '–'} {mark}"]) for row in rows]
    return "\n".join([f"- {opening} {tail}", "", *lines] if opening else ["", *lines])


def _join_cells(row: PageUnit) -> str:
    if len(row.table_header) != len(row.cells):
        return row.text
    pairs = zip(row.table_header, row.cells, strict=True)
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _format_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") or "–" for cell in cells) + " |"
