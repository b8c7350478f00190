"""The draft as one HTML page: every finding marked in the text, its evidence a click away.

The page needs nothing else: no script, no other file. A mark is a link to its finding, and the
style sheet opens the finding that is the target of the address.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from itertools import pairwise
from pathlib import PurePath

from citewell.cli.command_app import STDIN_NAME
from citewell.core.report_style import load_palette
from citewell.core.values.counted_words import pluralize
from citewell.drafts.commands.checking import checked_draft
from citewell.drafts.draft import (
    DOCUMENT_FORMATS,
    Draft,
    DraftBlock,
    DraftBlockKind,
    iterate_printed_pieces,
)
from citewell.drafts.draft_findings import (
    DraftFinding,
    DraftVerdict,
    FindingGroup,
    group_repeated_findings,
)
from citewell.drafts.draft_reading import build_draft_view
from citewell.evidence.judging.source_opinions import FindingEvidence
from citewell.text.addresses import is_web_address

_BLOCK_BREAK_PATTERN = re.compile(r"\n[^\S\n]*\n\s*")
_HEADING_PATTERN = re.compile(r"#{1,6}\s|\\(?:sub)*section\*?\{|\\chapter\*?\{")
_SIGNS_BY_GRADE = {"failed": "✗", "warning": "!", "idle": "?", "ok": "✓"}
_MAX_CARD_TEXT_CHARS = 280
_MAX_PLACE_LINKS = 50  # of a finding that the draft has many times
RenderSpan = Callable[[int, int], str]  # the HTML of a part of the draft's text
_HEADING_MARK_PATTERN = re.compile(r" {0,3}#{1,6}[ \t]++")
_CELL_EDGE_PATTERN = re.compile(r"(?<!\\)\||\Z")
_FENCES = ("```", "~~~")
_RULE_CHARS = (
    "|:-+=> \t"  # of lines that have no words: below the head of a table, within a quotation
)
_LOWEST_HEADING = 6


def render_draft_page(checked: checked_draft.CheckedDraft) -> str:
    """The whole page; what is supported is marked as well, only less."""
    name = "Standard input" if checked.name == STDIN_NAME else PurePath(checked.name).name
    shown = group_repeated_findings(checked_draft.list_shown_findings(checked.report))
    cards = {finding.id: each.first.id for each in shown for finding in each.findings}
    cards_html = "".join(_render_card(checked, each) for each in shown)
    parts = (
        f'<header><p class="kind">Citation check</p><h1>{escape(name)}</h1>',
        f"<p>{escape(checked_draft.describe_draft_size(checked))}.</p>{_render_counts(checked)}</header>",
        '<div class="columns">',
        f'<section class="draft" aria-label="The draft" lang="{escape(checked.draft.language or "und")}">{"".join(_render_draft_text(checked, cards))}</section>',
        f'<section class="findings" aria-label="Findings"><h2>Findings</h2>{cards_html or "<p>Nothing asks for a change.</p>"}</section>',
        "</div>",
        _render_check_footer(checked),
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="referrer" content="no-referrer">'
        f"<title>Citation check: {escape(name)}</title><style>{load_palette()}{_load_page_stylesheet()}</style></head>\n"
        "<body><main>\n" + "\n".join(parts) + "\n</main></body></html>\n"
    )


def _render_counts(checked: checked_draft.CheckedDraft) -> str:
    counts = checked.report.summary.verdicts
    rows = "".join(
        f'<li class="{checked_draft.grade_verdict(verdict)}"><span aria-hidden="true">{_SIGNS_BY_GRADE[checked_draft.grade_verdict(verdict)]}</span> '
        f"<b>{counts[verdict.value]:,}</b> {checked_draft.describe_verdict_count(verdict, counts[verdict.value])}</li>"
        for verdict in DraftVerdict
        if counts.get(verdict.value)
    )
    return f'<ul class="counts">{rows}</ul>' if rows else ""


def _render_draft_text(
    checked: checked_draft.CheckedDraft, cards: Mapping[str, str]
) -> Iterator[str]:
    """The text as it was written, a document as it is printed, with links around what has a finding.

    `cards` has the id of each finding's card: findings that differ only in their place share one.
    """
    here = [finding for finding in checked.report.findings if finding.place is not None]
    text = checked.draft.text
    named: set[str] = set()  # findings whose first piece has been written
    if checked.draft.format in DOCUMENT_FORMATS:

        def render_span(start: int, end: int) -> str:
            return "".join(
                _link_words_to_card(words, finding, named, cards)
                for words, finding in _print_marked_words(text, here, start, end)
            )

        yield from render_document_blocks(checked.draft, render_span)
        return
    for start, end in _split_blocks(text):
        pieces = "".join(
            _link_words_to_card(escape(piece.text, quote=False), piece.finding, named, cards)
            for piece in split_marked_text(text, here, start, end)
        )
        kind = ' class="heading"' if _HEADING_PATTERN.match(text, start, end) else ""
        yield f"<p{kind}>{pieces}</p>\n"


def _split_blocks(text: str) -> Iterator[tuple[int, int]]:
    start = len(text) - len(text.lstrip())
    for found in _BLOCK_BREAK_PATTERN.finditer(text, start):
        if found.start() > start:
            yield start, found.start()
        start = found.end()
    end = len(text.rstrip())
    if end > start:
        yield start, end


def _print_marked_words(
    text: str, findings: Sequence[DraftFinding], start: int, end: int
) -> Iterator[tuple[str, DraftFinding | None]]:
    """The words of a part of a document in their styles, as HTML, each with its finding."""
    pieces = [piece for piece in iterate_printed_pieces(text, start, end) if not piece.is_mark]
    last = start
    for marked in split_marked_text(text, findings, start, end):
        first, last = last, last + len(marked.text)
        words = "".join(
            functools.reduce(
                lambda html, element: f"<{element}>{html}</{element}>",
                sorted(piece.styles),
                escape(text[max(piece.start, first) : min(piece.end, last)], quote=False),
            )
            for piece in pieces
            if piece.start < last and piece.end > first
        )
        if words:
            yield words, marked.finding


def _link_words_to_card(
    words: str, finding: DraftFinding | None, named: set[str], cards: Mapping[str, str]
) -> str:
    """The HTML `words` as a link to the card of their finding, if they have one."""
    if finding is None:
        return words
    grade = checked_draft.grade_finding(finding)
    card = escape(cards.get(finding.id, finding.id))
    if finding.id in named:
        return f'<a class="{grade}" href="#{card}" tabindex="-1">{words}</a>'
    named.add(finding.id)
    label = checked_draft.label_finding(finding)
    if grade == "ok":
        return f'<span class="ok" title="{escape(label)}">{words}</span>'
    return (
        f'<a class="{grade}" id="at-{escape(finding.id)}" href="#{card}">{words}'
        f'<span class="unseen"> ({escape(label)})</span></a>'
    )


def _render_card(checked: checked_draft.CheckedDraft, group: FindingGroup) -> str:
    finding = group.first
    grade = checked_draft.grade_finding(finding)
    body = "".join(
        (
            _render_differences(finding),
            "".join(map(_render_evidence, finding.evidence or ())),
            _render_repairs(finding),
        )
    )
    title = "Evidence"
    if finding.repairs:
        title = "Evidence and repair" if finding.evidence or finding.differences else "Repair"
    opened = (
        f'<a class="open" href="#{escape(finding.id)}">{title}</a><div class="body">{body}</div>'
        if body
        else ""
    )
    subject = escape(
        checked_draft.shorten_text(checked_draft.describe_subject(finding), _MAX_CARD_TEXT_CHARS),
        quote=False,
    )
    citation = (
        f' <span class="citation">{escape(checked_draft.describe_citation(finding.citation))}</span>'
        if finding.citation and finding.citation != finding.text
        else ""
    )
    place = "" if group.count > 1 else f" <small>{_render_place(checked, finding)}</small>"
    return (
        f'<article class="card {grade}" id="{escape(finding.id)}" aria-label="{escape(checked_draft.label_finding(finding))}">'
        f'<h3><span aria-hidden="true">{_SIGNS_BY_GRADE[grade]}</span> {checked_draft.label_finding(finding)}{place}</h3>'
        f'<p class="said">{subject}{citation}</p><p>{escape(finding.reason, quote=False)}</p>'
        f"{_render_places(checked, group)}{opened}</article>\n"
    )


def _render_places(checked: checked_draft.CheckedDraft, group: FindingGroup) -> str:
    """The places of a finding that the draft has several times, each a link."""
    if group.count == 1:
        return ""
    links = ", ".join(
        _render_place(checked, finding) for finding in group.findings[:_MAX_PLACE_LINKS]
    )
    left = group.count - _MAX_PLACE_LINKS
    rest = f" and {left:,} more" if left > 0 else ""
    return f'<p class="places">{group.count:,} {pluralize(group.count, "time")}: {links}{rest}</p>'


def _render_place(checked: checked_draft.CheckedDraft, finding: DraftFinding) -> str:
    if finding.place is None:
        return ""
    where = f"{checked_draft.name_place_unit(checked)} {finding.place.line}"
    name = checked_draft.locate_draft_file(checked, finding.place)
    file = "" if name == checked.name else f"{escape(name)}, "
    return f'<a href="#at-{escape(finding.id)}">{file}{where}</a>'


def _render_differences(finding: DraftFinding) -> str:
    rows = "".join(
        f"<tr><th scope=row>{escape(difference.kind)}</th><td>{escape(difference.draft, quote=False)}</td>"
        f"<td>{escape(difference.source or 'not given', quote=False)}</td></tr>"
        for difference in finding.differences or ()
    )
    if not rows:
        return ""
    head = "<thead><tr><td></td><th scope=col>Draft</th><th scope=col>Source</th></tr></thead>"
    return f"<table>{head}<tbody>{rows}</tbody></table>"


def _render_evidence(evidence: FindingEvidence) -> str:
    label = escape(evidence.title or evidence.url or "the source", quote=False)
    link = evidence.url or ""
    where = (
        f'<a href="{escape(link)}" rel="noopener noreferrer nofollow">{label}</a>'
        if is_web_address(link)
        else label
    )
    details = [
        evidence.relation or "",
        f"characters {evidence.start}–{evidence.end}" if evidence.end else "",
        f"judged by {evidence.judge}" if evidence.judge not in {None, "lexical"} else "",
    ]
    about = "".join(f" · {escape(part)}" for part in details if part)
    return (
        f"<figure><blockquote>{escape(evidence.passage, quote=False)}</blockquote>"
        f"<figcaption>{where}{about}</figcaption></figure>"
    )


def _render_repairs(finding: DraftFinding) -> str:
    shown = finding.evidence or ()  # stands above, and is not repeated
    rows = "".join(
        f"<li>{escape(repair.text, quote=False)}"
        f"{_render_evidence(repair.evidence) if repair.evidence and repair.evidence not in shown else ''}</li>"
        for repair in finding.repairs or ()
    )
    return f"<h4>Repair</h4><ul>{rows}</ul>" if rows else ""


def _render_check_footer(checked: checked_draft.CheckedDraft) -> str:
    report = checked.report
    lines = checked_draft.list_draft_notes(checked)
    lines.append(f"Checked at {report.checked_at}. Judge: {report.judge}.")
    lines += report.shared
    lines.append(
        "A verdict says what was found in the cited source, with the passage; it does not say what is true."
    )
    rows = "".join(f"<p>{escape(line, quote=False)}</p>" for line in lines)
    return f"<footer>{rows}</footer>"


@functools.cache
def _load_page_stylesheet() -> str:
    return (resources.files("citewell.drafts.commands.checking") / "draft_page.css").read_text(
        encoding="utf-8"
    )


# Splits the text of a draft where findings begin and end.


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPiece:
    """A piece of text and the worst finding that it belongs to, if any."""

    text: str
    finding: DraftFinding | None = None


def split_marked_text(
    text: str, findings: Sequence[DraftFinding], start: int, end: int
) -> Iterator[MarkedPiece]:
    """The pieces of `text[start:end]`; of several findings at one place the first in `findings` counts."""
    spans = [
        (max(finding.place.start, start), min(finding.place.end, end), finding)
        for finding in findings
        if finding.place is not None and finding.place.start < end and finding.place.end > start
    ]
    edges = sorted({start, end, *(edge for first, last, _ in spans for edge in (first, last))})
    held: DraftFinding | None = None
    since = start
    for left in edges[:-1]:
        found = next((finding for first, last, finding in spans if first <= left < last), None)
        if found is not held:
            if left > since:
                yield MarkedPiece(text=text[since:left], finding=held)
            held, since = found, left
    if end > since:
        yield MarkedPiece(text=text[since:end], finding=held)


# Lays out a Word, OpenDocument or PDF draft as HTML: headings, paragraphs, lists, tables and notes.


def render_document_blocks(draft: Draft, render_span: RenderSpan) -> Iterator[str]:
    """The blocks of the draft in order; `render_span` escapes and renders the words of each."""
    view = build_draft_view(draft.text, draft.format)
    levels = {heading.start: heading.level for heading in view.headings}
    done = 0
    for group in _group_blocks(draft.text, view.blocks):
        if group[0].start < done:
            continue  # a note within the paragraph that has been rendered
        yield from _render_code(draft.text, done, group[0].start)
        if group[0].kind is DraftBlockKind.ROW:
            yield _render_table(draft.text, group, render_span)
        elif group[0].kind is DraftBlockKind.ITEM:
            yield _render_list(draft.text, group, render_span)
        else:
            yield _render_text_block(draft.text, group[0], levels, render_span)
        done = group[-1].end
    yield from _render_code(draft.text, done, len(draft.text))


def _group_blocks(text: str, blocks: Sequence[DraftBlock]) -> Iterator[list[DraftBlock]]:
    """The rows of a table together, and the items of a list; every other block alone."""
    group: list[DraftBlock] = []
    for block in blocks:
        if group and not _continues_group(text, group[-1], block):
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _continues_group(text: str, before: DraftBlock, block: DraftBlock) -> bool:
    if block.kind is not before.kind:
        return False
    if block.kind is DraftBlockKind.ROW:
        return "\n\n" not in text[before.end : block.start]
    is_item = block.kind is DraftBlockKind.ITEM
    return is_item and not _list_code_lines(text, before.end, block.start)


def _list_code_lines(text: str, start: int, end: int) -> list[str]:
    """The lines between two blocks that have words, which are code; not the mark before the second."""
    lines = text[start:end].split("\n")
    if end < len(text):
        lines.pop()
    return [line for line in lines if line.strip(_RULE_CHARS) and not line.startswith(_FENCES)]


def _render_code(text: str, start: int, end: int) -> Iterator[str]:
    if lines := _list_code_lines(text, start, end):
        yield f"<pre>{escape(chr(10).join(lines), quote=False)}</pre>\n"


def _render_text_block(
    text: str, block: DraftBlock, levels: Mapping[int, int], render_span: RenderSpan
) -> str:
    start = block.start
    if block.kind is DraftBlockKind.HEADING:
        if mark := _HEADING_MARK_PATTERN.match(text, start, block.end):
            start = mark.end()
        # The name of the file is the heading above them.
        level = min(levels.get(block.start, 1) + 1, _LOWEST_HEADING)
        return f"<h{level}>{render_span(start, block.end)}</h{level}>\n"
    words = render_span(start, block.end)
    if block.kind is DraftBlockKind.QUOTE:
        return f"<blockquote><p>{words}</p></blockquote>\n"
    if block.kind is DraftBlockKind.NOTE:
        return f'<p class="note"><sup>{escape(block.number)}</sup> {words}</p>\n'
    return f"<p>{words}</p>\n"


def _render_list(text: str, items: Sequence[DraftBlock], render_span: RenderSpan) -> str:
    parts: list[str] = []
    opened: list[tuple[int, str]] = []  # indent and element of the lists around an item
    for item in items:
        line = text[text.rfind("\n", 0, item.start) + 1 : item.start]
        here = (len(line) - len(line.lstrip()), "ol" if item.number else "ul")
        while opened and opened[-1] != here and opened[-1][0] >= here[0]:
            parts.append(f"</li></{opened.pop()[1]}>")
        if opened and opened[-1] == here:
            parts.append("</li>")
        else:
            opened.append(here)
            parts.append(f"<{here[1]}>")
        value = f' value="{escape(item.number)}"' if item.number else ""
        parts.append(f"<li{value}>{render_span(item.start, item.end)}")
    parts += [f"</li></{element}>" for _, element in reversed(opened)]
    return "".join(parts) + "\n"


def _render_table(text: str, rows: Sequence[DraftBlock], render_span: RenderSpan) -> str:
    """The rows; the first is the head of the table if a rule is below it."""
    has_head = len(rows) > 1 and "-" in text[rows[0].end : rows[1].start]
    parts = ["<table>"]
    for number, row in enumerate(rows):
        element = "th" if has_head and not number else "td"
        cells = "".join(
            f"<{element}>{render_span(start, end)}</{element}>"
            for start, end in _iterate_cells(text, row)
        )
        parts.append(f"<tr>{cells}</tr>")
    return "".join(parts) + "</table>\n"


def _iterate_cells(text: str, row: DraftBlock) -> Iterator[tuple[int, int]]:
    """Where the words of each cell are; a row begins and ends with a bar."""
    edges = [match.start() for match in _CELL_EDGE_PATTERN.finditer(text, row.start, row.end)]
    for before, end in pairwise(edges):
        cell = text[before + 1 : end]
        if cell.strip() or end < row.end:
            start = before + 1 + len(cell) - len(cell.lstrip())
            yield start, start + len(cell.strip())
