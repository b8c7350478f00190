"""Exports a finished job: the report as markdown or HTML, all data as JSON, or sources as BibTeX."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from html import escape
from typing import Any

from citewell.citations import bibliographies
from citewell.citations.citable_works import CitableWork
from citewell.core.errors import InvalidInput
from citewell.core.values.argument_types import EXPORT_FORMATS
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import (
    ClaimEvidence,
    ResearchClaim,
    ResearchFindings,
    ResearchSource,
    ValueTable,
)
from citewell.core.values.wire_values import UNTRUSTED_LABEL
from citewell.jobs.durable_job import JobView
from citewell.jobs.step_values import parse_assignment
from citewell.jobs.store.ledger_rows import round_up_cents
from citewell.research import job_views
from citewell.research.claims.source_kinds import find_source_link, format_source_address
from citewell.research.history_views import format_dollars
from citewell.research.job_views import format_timestamp
from citewell.research.reporting.model_synthesis import strip_source_section
from citewell.text.markdown_html import load_report_stylesheet, render_markdown_html

_FORMAT_ALIASES = {"md": "markdown", "htm": "html", "bib": "bibtex"}


def resolve_export_format(form: str) -> str:
    """The full name of a format; raises InvalidInput for an unknown one."""
    known = _FORMAT_ALIASES.get(form, form)
    if known not in EXPORT_FORMATS:
        raise InvalidInput(f"format must be one of {', '.join((*EXPORT_FORMATS, 'md'))}.")
    return known


def render_export(
    view: JobView,
    findings: ResearchFindings,
    form: str,
    *,
    reports: Mapping[str, str] | None = None,
) -> str:
    """The job as a document in this format; the same job always gives the same text."""
    form = resolve_export_format(form)
    if form == "html":
        return render_html_report(findings, facts=collect_report_facts(view, findings))
    if form == "json":
        return json.dumps(
            build_full_export(view, findings, reports or {}), ensure_ascii=False, indent=2
        )
    if form == "bibtex":
        return bibliographies.render_bibliography(
            map(_build_cited_work, findings.sources), style="bibtex", accessed=date.min
        )
    return findings.synthesis.rstrip() + "\n"


def build_export_answer(
    view: JobView, findings: ResearchFindings, form: str, *, document: str, exported_at: str | None
) -> dict[str, Any]:
    """The answer of an export tool, with the same keys as for an exported session."""
    return {
        "jobId": view.job.id,
        "threadId": view.job.thread,
        "format": form,
        "researchGoal": findings.query,
        "claimCount": len(findings.claims),
        "sourceCount": len(findings.sources),
        "startedAt": format_timestamp(view.job.created),
        "exportedAt": exported_at,
        "document": json.loads(document) if form == "json" else document,
        "trust": UNTRUSTED_LABEL,
    }


def collect_report_facts(view: JobView, findings: ResearchFindings) -> dict[str, str]:
    """The lines below the title of an HTML report."""
    work = parse_assignment(view.job.args)
    lasted = round((view.finished or view.job.created) - view.job.created)
    read = sum(1 for source in findings.sources if source.state == "read")
    ended = format_timestamp(view.finished)
    rows = {
        "Question": work.query if len(work.query) <= 300 else work.query[:299] + "…",
        "Done": f"{ended[:10]} {ended[11:16]} UTC" if ended else "",
        "Providers": ", ".join(work.providers),
        "Tier": f"{work.tier}, {work.mode}",
        "Took": f"{lasted} s",
        "Cost": format_dollars(round_up_cents(view.spent)),
        "Sources": f"{read} read of {len(findings.sources)}",
        "Claims": str(len(findings.claims)),
        "Written by": findings.synthesis_by,
    }
    return {name: value for name, value in rows.items() if value}


def build_full_export(
    view: JobView, findings: ResearchFindings, reports: Mapping[str, str]
) -> dict[str, Any]:
    """Everything about the job: results, claims, evidence and the providers' reports."""
    answer = job_views.build_results_view(view, findings)
    return {
        **answer,
        "query": findings.query,
        "claims": job_views.build_claim_views(findings),
        "evidence": [item.to_wire() for item in findings.evidence],
        "providerReports": dict(reports),
    }


def _build_cited_work(source: ResearchSource) -> CitableWork:
    return CitableWork(
        url=find_source_link(source) or source.url,
        title=source.title,
        site=source.domain,
        published=(source.published or "")[:10],
        doi=source.doi or "",
    )


# A job's report as one self-contained HTML page: no script, and links only to its sources.


_CITATION_MARK_PATTERN = re.compile(r"\[src_(\d+)\]")
_TITLE_PATTERN = re.compile(r"^#\s+(.+)$", re.MULTILINE)
_DISPUTE_REMARK_PATTERN = re.compile(r"\*\(([^()*]*(?:disputed|values differ)[^()*]*)\)\*")
_METHOD_PATTERN = re.compile(r"^## Method\s*$(.*)\Z", re.MULTILINE | re.DOTALL)
_BRACKETS_TEXT = "words in square brackets"  # the markdown's form of a label
_HEADING_MARK_PATTERN = re.compile(r"\A\[(?!src_)([^\[\]]{1,200})\](?=\s|\Z)\s*")
_MAX_OPEN_CLAIMS, _MAX_SHOWN_CLAIMS = 12, 60
_MIN_FOLDED_SOURCES = 4  # that the report does not cite
_MAX_PLACES = 3  # of a source: the headings under which it is quoted
_STATE_LABELS = {
    "unreachable": "could not be read",
    "refused": "address refused",
    "probably_never_existed": "probably never existed",
    "dead": "no page at this address",
    "gone": "the page is gone",
    "unchecked": "not checked",
}
_DISPUTE_FLAGS = {"contradicted": "disputed", "values_differ": "values differ"}
_SERIOUS_FLAGS = frozenset(("unsupported", "probably_never_existed", "dead", "number_not_found"))
_TOLD_FLAGS = frozenset(("single_source",))  # said by the basis already
_PLAIN_JUDGES = frozenset({"", "lexical"})  # not named: words are compared everywhere
_RELATION_LABELS = {
    "supports": "supports",
    "contradicts": "contradicts",
    "mentions": "mentions",
    "qualifies": "gives another value",
}


def render_html_report(findings: ResearchFindings, *, facts: Mapping[str, str]) -> str:
    """The whole page; `facts` are the lines below the title, such as date, providers and cost."""
    known = {source.ref: source for source in findings.sources}
    found = _TITLE_PATTERN.search(findings.synthesis)
    title = " ".join((found[1] if found else findings.query).split())[:200]
    # Title, sources and method are printed elsewhere.
    text = strip_source_section(_TITLE_PATTERN.sub("", findings.synthesis, count=1))
    body = render_markdown_html(_METHOD_PATTERN.sub("", text), render_marks=_link_citation_marks)
    parts = (
        f"<h1>{escape(title, quote=False)}</h1>",
        _render_facts({name: value for name, value in facts.items() if value != title}),
        *_render_notes(findings),
        f'<section class="report">{body}</section>',
        *_render_value_tables(findings, known),
        *_render_sources(findings),
        *_render_follow_ons(findings),
        *_render_claims(findings, known),
        _render_footer(findings),
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{load_report_stylesheet()}</style></head>\n<body><main>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def _link_citation_marks(text: str) -> str:
    """Numbers as links to the sources, and the heading before a quotation as a label."""
    if heading := _HEADING_MARK_PATTERN.match(text):
        rest = text[heading.end() :]
        alone = "" if _CITATION_MARK_PATTERN.sub("", rest).strip() else " alone"
        text = f'<span class="heading{alone}">{heading[1]}</span> {rest}'
    text = _DISPUTE_REMARK_PATTERN.sub(r'<em class="dispute">(\1)</em>', text)
    return _CITATION_MARK_PATTERN.sub(r'<a class="mark" href="#src_\1">\1</a>', text)


def _render_facts(facts: Mapping[str, str]) -> str:
    rows = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in facts.items()
    )
    return f'<dl class="facts">{rows}</dl>'


def _render_notes(findings: ResearchFindings) -> Iterator[str]:
    notes = [note for note in findings.notes if note not in findings.synthesis]
    if notes:
        rows = "".join(f"<li>{escape(note, quote=False)}</li>" for note in notes)
        yield f'<aside class="notes"><ul>{rows}</ul></aside>'


def _render_claims(
    findings: ResearchFindings, known: Mapping[str, ResearchSource]
) -> Iterator[str]:
    if not findings.claims:
        return
    held: dict[str, list[ClaimEvidence]] = {}
    for item in findings.evidence:
        held.setdefault(item.claim_id, []).append(item)
    made = [
        _render_claim(claim, held.get(claim.id, ()), known)
        for claim in findings.claims[:_MAX_SHOWN_CLAIMS]
    ]
    first, rest = "".join(made[:_MAX_OPEN_CLAIMS]), "".join(made[_MAX_OPEN_CLAIMS:])
    count = len(made) - _MAX_OPEN_CLAIMS
    folded = f'<details class="rest"><summary>{count} more claims</summary>{rest}</details>'
    left = len(findings.claims) - len(made)
    more = f"<p>{left} more claims are in the JSON export.</p>" if left > 0 else ""
    yield (
        '<section class="claims"><h2>Claims and their evidence</h2>'
        f"{first}{folded if rest else ''}{more}</section>"
    )


def _render_claim(
    claim: ResearchClaim, evidence: Iterable[ClaimEvidence], known: Mapping[str, ResearchSource]
) -> str:
    disputes = [label for flag, label in _DISPUTE_FLAGS.items() if flag in claim.flags]
    basis = ", ".join(part for part in claim.basis.split(", ") if part not in disputes)
    level = f"{claim.confidence_level} confidence"
    label = f"{level}: {basis}" if basis else level
    flags = "".join(f'<span class="flag dispute">{label}</span>' for label in disputes)
    flags += "".join(
        f'<span class="flag{" serious" if flag in _SERIOUS_FLAGS else " plain"}">'
        f"{escape(flag.replace('_', ' '))}</span>"
        for flag in claim.flags
        if flag not in _DISPUTE_FLAGS and not (claim.basis and flag in _TOLD_FLAGS)
    )
    quotes = "".join(
        _render_quotation(rows, known.get(rows[0].source))
        for rows in _group_same_passages(evidence)
    )
    return (
        f'<details class="claim{" disputed" if disputes else ""}"><summary>'
        f'<span class="said">{escape(claim.content, quote=False)}</span>'
        f'<span class="basis"><span title="confidence {claim.confidence:.2f}">{escape(label)}</span>'
        f"{flags}</span></summary>"
        f"{quotes or '<p>No source was found that says this.</p>'}</details>\n"
    )


def _group_same_passages(evidence: Iterable[ClaimEvidence]) -> Iterable[list[ClaimEvidence]]:
    """Evidence grouped by place in a source, so that each place is quoted once."""
    places: dict[tuple[str, int, int, str], list[ClaimEvidence]] = {}
    for item in evidence:
        key = (item.source, item.start, item.end, item.relation.value)
        places.setdefault(key, []).append(item)
    return places.values()


def _render_quotation(found: list[ClaimEvidence], source: ResearchSource | None) -> str:
    item = found[0]
    relation = _RELATION_LABELS.get(item.relation.value, item.relation.value)
    where = _render_source_link(source) if source is not None else escape(item.source)
    names = ", ".join(dict.fromkeys(match.discovered_by_provider for match in found))
    place = f" · under “{escape(item.place, quote=False)}”" if item.place else ""
    judge = f" · judged by {escape(item.judge)}" if item.judge not in _PLAIN_JUDGES else ""
    return (
        f'<figure class="{item.relation.value}"><blockquote>{escape(item.snippet, quote=False)}</blockquote>'
        f"<figcaption>{relation} · score {item.relevance_score:.2f}{judge} · {where}{place}"
        f" · characters {item.start}–{item.end} · found by {escape(names)}</figcaption></figure>"
    )


def _render_source_link(source: ResearchSource) -> str:
    label = escape(source.title or source.url, quote=False)
    link = find_source_link(source)
    if link is None:
        return label
    return f'<a href="{escape(link)}" rel="noopener noreferrer nofollow">{label}</a>'


def _render_value_tables(
    findings: ResearchFindings, known: Mapping[str, ResearchSource]
) -> Iterator[str]:
    """The tables that the synthesis does not contain already."""
    made = [
        _render_value_table(table, known)
        for table in findings.value_tables
        if f"**{' '.join(table.subject.split())}**" not in findings.synthesis
    ]
    if made:
        yield f'<section class="values"><h2>Where values differ</h2>{"".join(made)}</section>'


def _render_value_table(table: ValueTable, known: Mapping[str, ResearchSource]) -> str:
    unit = f" ({escape(table.unit)})" if table.unit else ""
    rows = "".join(
        "<tr>"
        f'<td data-label="Value"><strong>{escape(row.value)}</strong></td>'
        f'<td data-label="Source">{_render_source_link(known[row.source]) if row.source in known else escape(row.source)}</td>'
        f'<td data-label="Date">{escape((row.date or "")[:10])}</td>'
        f'<td data-label="What it says">{escape(row.snippet, quote=False)}</td></tr>'
        for row in table.rows
    )
    return (
        f'<div class="wide"><table><caption>{escape(table.subject, quote=False)}{unit}</caption>'
        "<thead><tr><th>Value</th><th>Source</th><th>Date</th><th>What it says</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _render_sources(findings: ResearchFindings) -> Iterator[str]:
    used = {ref for claim in findings.claims for ref in claim.sources}
    used |= {item.source for item in findings.evidence}
    places: dict[str, dict[str, None]] = {}
    for item in findings.evidence:
        if item.place:
            places.setdefault(item.source, {})[item.place] = None
    cited = set(_CITATION_MARK_PATTERN.findall(strip_source_section(findings.synthesis)))
    shown: dict[bool, list[str]] = {True: [], False: []}
    for source in findings.sources:
        row = _render_source_item(
            source, used=source.ref in used, places=list(places.get(source.ref, ()))
        )
        shown[source.ref.removeprefix("src_") in cited or not cited].append(row)
    if len(shown[False]) < _MIN_FOLDED_SOURCES:
        shown = {True: shown[True] + shown[False], False: []}
    first = f"<ol>{''.join(shown[True])}</ol>"
    rest = f"<ol>{''.join(shown[False])}</ol>"
    label = f"{len(shown[False])} {pluralize(len(shown[False]), 'more page was', 'more pages were')} read and not quoted in the report"
    folded = f'<details class="rest"><summary>{label}</summary>{rest}</details>'
    if findings.sources:
        yield (
            '<section class="sources"><h2>Sources</h2>'
            f"{first}{folded if shown[False] else ''}</section>"
        )


def _render_source_item(source: ResearchSource, *, used: bool, places: Sequence[str]) -> str:
    number = source.ref.removeprefix("src_")
    details = [
        "" if find_source_link(source) else format_source_address(source),
        source.type,
        (source.published or "")[:10],
        source.domain,
        f"quoted under {'; '.join(f'“{place}”' for place in places[:_MAX_PLACES])}"
        if places
        else "",
        f"{source.reputation} reputation" if source.reputation else "",
        _STATE_LABELS.get(source.state, "") or ("" if used else "read, not quoted"),
        f"a copy of {source.copy_of}" if source.copy_of else "",
    ]
    line = " · ".join(escape(part) for part in details if part)
    archived = ""
    if source.archived_url:
        archived = f' · <a href="{escape(source.archived_url)}" rel="noopener noreferrer nofollow">archived copy</a>'
    return (
        f'<li id="{escape(source.ref)}" value="{escape(number)}">{_render_source_link(source)}'
        f'<div class="about">{line}{archived}</div></li>'
    )


def _render_follow_ons(findings: ResearchFindings) -> Iterator[str]:
    if findings.follow_ons:
        rows = "".join(
            f"<li>{escape(item.topic, quote=False)}"
            f'<div class="about">{escape(item.rationale, quote=False)}</div></li>'
            for item in findings.follow_ons
        )
        yield f'<section class="next"><h2>What to ask next</h2><ul>{rows}</ul></section>'


def _render_footer(findings: ResearchFindings) -> str:
    by = (
        "The report consists of quotations, each word for word from its source."
        if findings.synthesis_by == "extractive"
        else f"The report was written by {findings.synthesis_by}; its citations were checked by Citewell."
    )
    notice = (
        f"{by} The statements are those of the cited pages; check them before you rely on them."
    )
    method = _METHOD_PATTERN.search(findings.synthesis)
    source = (
        method[1].replace(_BRACKETS_TEXT + " are", "the small line above it is") if method else ""
    )
    how = f"<h2>Method</h2>{render_markdown_html(source)}" if source else ""
    return f"<footer>{how}<p>{escape(notice, quote=False)}</p></footer>"
