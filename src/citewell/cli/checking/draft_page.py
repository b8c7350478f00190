"""The draft as one HTML page: every finding marked in the text, its evidence a click away.

The page needs nothing else: no script, no other file. A mark is a link to its finding, and the
style sheet opens the finding that is the target of the address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from pathlib import PurePath

from citewell.cli.checking.checked_draft import (
    CheckedDraft,
    describe_verdict_count,
    find_file_name,
    grade_finding,
    grade_verdict,
    label_finding,
    list_draft_notes,
    list_shown_findings,
    name_place_unit,
)
from citewell.cli.checking.document_blocks import render_document_blocks
from citewell.cli.checking.draft_marks import split_marked_text
from citewell.cli.checking.finding_words import (
    describe_citation,
    describe_draft_size,
    describe_subject,
    shorten_text,
)
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.model.counted_words import pluralize
from citewell.model.draft import DOCUMENT_FORMATS
from citewell.model.draft_findings import (
    DraftFinding,
    DraftVerdict,
    FindingEvidence,
)
from citewell.services.drafts.repeated_findings import FindingGroup, group_repeated_findings
from citewell.services.research.reporting.report_style import load_palette
from citewell.text.drafts.document_markup import iterate_printed_pieces
from citewell.text.web.addresses import is_web_address

_BLOCK_BREAK_PATTERN = re.compile(r"\n[^\S\n]*\n\s*")
_HEADING_PATTERN = re.compile(r"#{1,6}\s|\\(?:sub)*section\*?\{|\\chapter\*?\{")
_SIGNS_BY_GRADE = {"failed": "✗", "warning": "!", "idle": "?", "ok": "✓"}
_MAX_CARD_TEXT_CHARS = 280
_MAX_PLACE_LINKS = 50  # of a finding that the draft has many times


def render_draft_page(checked: CheckedDraft) -> str:
    """The whole page; what is supported is marked as well, only less."""
    name = "Standard input" if checked.name == STDIN_NAME else PurePath(checked.name).name
    shown = group_repeated_findings(list_shown_findings(checked.report))
    cards = {one.id: each.first.id for each in shown for one in each.findings}
    parts = (
        f'<header><p class="kind">Citation check</p><h1>{escape(name)}</h1>',
        f"<p>{escape(describe_draft_size(checked))}.</p>{_render_counts(checked)}</header>",
        '<div class="columns">',
        f'<section class="draft" aria-label="The draft" lang="{escape(checked.draft.language or "und")}">{"".join(_render_draft_text(checked, cards))}</section>',
        f'<section class="findings" aria-label="Findings"><h2>Findings</h2>{_render_cards(checked, shown)}</section>',
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


def _render_counts(checked: CheckedDraft) -> str:
    counts = checked.report.summary.verdicts
    rows = "".join(
        f'<li class="{grade_verdict(verdict)}"><span aria-hidden="true">{_SIGNS_BY_GRADE[grade_verdict(verdict)]}</span> '
        f"<b>{counts[verdict.value]:,}</b> {describe_verdict_count(verdict, counts[verdict.value])}</li>"
        for verdict in DraftVerdict
        if counts.get(verdict.value)
    )
    return f'<ul class="counts">{rows}</ul>' if rows else ""


def _render_draft_text(checked: CheckedDraft, cards: Mapping[str, str]) -> Iterator[str]:
    """The text as it was written, a document as it is printed, with links around what has a finding.

    `cards` has the id of each finding's card: findings that differ only in their place share one.
    """
    here = [one for one in checked.report.findings if one.place is not None]
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
    pieces = [one for one in iterate_printed_pieces(text, start, end) if not one.is_mark]
    last = start
    for marked in split_marked_text(text, findings, start, end):
        first, last = last, last + len(marked.text)
        words = "".join(
            _print_words(text[max(one.start, first) : min(one.end, last)], one.styles)
            for one in pieces
            if one.start < last and one.end > first
        )
        if words:
            yield words, marked.finding


def _print_words(words: str, styles: frozenset[str]) -> str:
    html = escape(words, quote=False)
    for element in sorted(styles):
        html = f"<{element}>{html}</{element}>"
    return html


def _link_words_to_card(
    words: str, finding: DraftFinding | None, named: set[str], cards: Mapping[str, str]
) -> str:
    """The HTML `words` as a link to the card of their finding, if they have one."""
    if finding is None:
        return words
    grade = grade_finding(finding)
    card = escape(cards.get(finding.id, finding.id))
    if finding.id in named:
        return f'<a class="{grade}" href="#{card}" tabindex="-1">{words}</a>'
    named.add(finding.id)
    label = label_finding(finding)
    if grade == "ok":
        return f'<span class="ok" title="{escape(label)}">{words}</span>'
    return (
        f'<a class="{grade}" id="at-{escape(finding.id)}" href="#{card}">{words}'
        f'<span class="unseen"> ({escape(label)})</span></a>'
    )


def _render_cards(checked: CheckedDraft, shown: Sequence[FindingGroup]) -> str:
    if not shown:
        return "<p>Nothing asks for a change.</p>"
    return "".join(_render_card(checked, each) for each in shown)


def _render_card(checked: CheckedDraft, group: FindingGroup) -> str:
    finding = group.first
    grade = grade_finding(finding)
    body = "".join(
        (
            _render_differences(finding),
            "".join(map(_render_evidence, finding.evidence or ())),
            _render_repairs(finding),
        )
    )
    opened = (
        f'<a class="open" href="#{escape(finding.id)}">{_name_card_body(finding)}</a><div class="body">{body}</div>'
        if body
        else ""
    )
    said = escape(shorten_text(describe_subject(finding), _MAX_CARD_TEXT_CHARS), quote=False)
    citation = (
        f' <span class="citation">{escape(describe_citation(finding.citation))}</span>'
        if finding.citation and finding.citation != finding.text
        else ""
    )
    place = "" if group.count > 1 else f" <small>{_render_place(checked, finding)}</small>"
    return (
        f'<article class="card {grade}" id="{escape(finding.id)}" aria-label="{escape(label_finding(finding))}">'
        f'<h3><span aria-hidden="true">{_SIGNS_BY_GRADE[grade]}</span> {label_finding(finding)}{place}</h3>'
        f'<p class="said">{said}{citation}</p><p>{escape(finding.reason, quote=False)}</p>'
        f"{_render_places(checked, group)}{opened}</article>\n"
    )


def _name_card_body(finding: DraftFinding) -> str:
    if not finding.repairs:
        return "Evidence"
    return "Evidence and repair" if finding.evidence or finding.differences else "Repair"


def _render_places(checked: CheckedDraft, group: FindingGroup) -> str:
    """The places of a finding that the draft has several times, each a link."""
    if group.count == 1:
        return ""
    links = ", ".join(_render_place(checked, one) for one in group.findings[:_MAX_PLACE_LINKS])
    left = group.count - _MAX_PLACE_LINKS
    rest = f" and {left:,} more" if left > 0 else ""
    return f'<p class="places">{group.count:,} {pluralize(group.count, "time")}: {links}{rest}</p>'


def _render_place(checked: CheckedDraft, finding: DraftFinding) -> str:
    if finding.place is None:
        return ""
    where = f"{name_place_unit(checked)} {finding.place.line}"
    name = find_file_name(checked, finding)
    file = "" if name == checked.name else f"{escape(name)}, "
    return f'<a href="#at-{escape(finding.id)}">{file}{where}</a>'


def _render_differences(finding: DraftFinding) -> str:
    rows = "".join(
        f"<tr><th scope=row>{escape(one.kind)}</th><td>{escape(one.draft, quote=False)}</td>"
        f"<td>{escape(one.source or 'not given', quote=False)}</td></tr>"
        for one in finding.differences or ()
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
        f"<li>{escape(one.text, quote=False)}"
        f"{_render_evidence(one.evidence) if one.evidence and one.evidence not in shown else ''}</li>"
        for one in finding.repairs or ()
    )
    return f"<h4>Repair</h4><ul>{rows}</ul>" if rows else ""


def _render_check_footer(checked: CheckedDraft) -> str:
    report = checked.report
    lines = list_draft_notes(checked)
    lines.append(f"Checked at {report.checked_at}. Judge: {report.judge}.")
    lines += report.shared
    lines.append(
        "A verdict says what was found in the cited source, with the passage; it does not say what is true."
    )
    rows = "".join(f"<p>{escape(line, quote=False)}</p>" for line in lines)
    return f"<footer>{rows}</footer>"


@cache
def _load_page_stylesheet() -> str:
    return (resources.files("citewell.cli.checking") / "draft_page.css").read_text(encoding="utf-8")
