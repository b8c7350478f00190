"""Exports a session as a document to read (markdown, HTML) or as data (JSON, BibTeX).

The same session gives the same bytes, except for the time of export.
"""

from __future__ import annotations

import html as escaping
import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from citewell.citations import bibliographies
from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork, parse_author_line
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research_session import (
    SOURCE_STAGES,
    ResearchSession,
    SessionSource,
    SessionStep,
    SourceStage,
)
from citewell.links.link_checks import LinkState
from citewell.sessions.session_views import build_step_view

CheckedLinks = Mapping[str, LinkState]
# Where a line would begin a heading or a block of code: after the marks of lists and quotations.
_BLOCK_MARK_PATTERN = re.compile(
    r"(?m)^((?:[ \t>*+-]|\d{1,9}[.)])*+)(#{1,6}(?=\s|$)|`{3}|~{3})|^([ \t>]*+)([=-]++)(?=[ \t]*$)"
)
_TAG_START_PATTERN = re.compile(r"<(?=[A-Za-z/!?])")
_NOTHING_READ = "No source of this session was read yet"


def render_session(
    session: ResearchSession,
    form: str,
    *,
    tenant: str,
    stamp: str,
    checked: CheckedLinks | None = None,
) -> Any:
    """The session in one of EXPORT_FORMATS; `checked` adds the state of its links."""
    links = checked or {}
    if form == "json":
        return build_session_json(session, tenant=tenant, stamp=stamp, checked=links)
    if form == "bibtex":
        works = convert_sources(select_sources(session, "read"))
        entries = bibliographies.render_bibliography(works, style="bibtex", accessed=date.min)
        return entries if works else f"% {_NOTHING_READ}.\n"
    text = render_session_markdown(session, tenant=tenant, stamp=stamp, checked=links)
    return text if form == "markdown" else render_session_page(session.goal, text)


def select_sources(session: ResearchSession, stage: SourceStage) -> tuple[SessionSource, ...]:
    """The session's sources that reached this stage."""
    reached = SOURCE_STAGES[SOURCE_STAGES.index(stage) :]
    return tuple(source for source in session.sources if source.stage in reached)


def describe_left_out(session: ResearchSession, stage: SourceStage) -> str | None:
    """Which sources a bibliography from this stage on leaves out, and what to do; None if none."""
    total = len(session.sources)
    left_out = total - len(select_sources(session, stage))
    if not session.sources:
        return (
            "The session has no sources yet: pass its sessionId to the tools that search and read."
        )
    if not left_out:
        return None
    counted = (
        f"{left_out} of {total} {pluralize(total, 'source')} did not reach the stage {stage} and"
    )
    advice = "Read the ones you rely on with scrape_page and this sessionId, or give stage listed."
    if any(source.was_read for source in session.sources):
        return f"{counted} are left out. stage listed includes them."
    return f"{_NOTHING_READ}; {len(session.sources)} are only listed. {advice}"


def convert_sources(sources: Iterable[SessionSource]) -> list[CitableWork]:
    """The sources as works to cite."""
    return [
        CitableWork(
            url=source.url,
            title=source.title,
            authors=tuple(
                AuthorName(name=name, organisation=True)
                for name in (source.author or "").split("; ")
                if name
            )
            if source.organisation
            else parse_author_line(source.author),
            site=source.site or "",
            published=source.date or "",
            doi=source.doi or "",
            kind="article-journal"
            if source.doi and (source.site or source.basis == "page")
            else "",
        )
        for source in sources
    ]


def build_session_json(
    session: ResearchSession, *, tenant: str, stamp: str, checked: CheckedLinks
) -> dict[str, Any]:
    return {
        "sessionId": session.id,
        "researchGoal": session.goal,
        "summary": session.summary,
        "startedAt": session.started,
        "completedAt": session.completed_at,
        "steps": [build_step_view(session, step) for step in session.steps],
        "gaps": [gap.to_wire() for gap in session.list_gaps()],
        "sources": [
            source.to_wire()
            | ({"linkState": link.state} if (link := checked.get(source.url)) else {})
            | ({"archivedUrl": link.archived} if link and link.archived else {})
            for source in session.sources
        ],
        "provenance": {"exportedAt": stamp, "tenantId": tenant},
    }


def render_session_markdown(
    session: ResearchSession, *, tenant: str, stamp: str, checked: CheckedLinks
) -> str:
    parts = [
        f"# {_escape_line(session.goal)}",
        _render_session_facts(session),
        *([f"## Summary\n\n{_escape_blocks(session.summary)}"] if session.summary else []),
        "## Steps",
        *[_render_session_step(session, step) for step in session.steps],
        *_render_open_questions(session),
        *_render_session_sources(session, checked),
        f"---\n\n*Exported {stamp} for tenant {_escape_line(tenant)}. Titles and addresses come from outside; check them before relying on them.*",
    ]
    return "\n\n".join(parts) + "\n"


def _render_session_facts(session: ResearchSession) -> str:
    rows = [
        f"- **Session:** {session.id}",
        f"- **Started:** {session.started}",
        f"- **Completed:** {session.completed_at}"
        if session.completed_at
        else "- **State:** in progress",
        f"- **Steps:** {len(session.steps)}",
        f"- **Sources:** {len(session.sources)}",
    ]
    return "\n".join(rows)


def _render_session_step(session: ResearchSession, step: SessionStep) -> str:
    labels = []
    if step.revises:
        labels.append(f"revises step {step.revises}")
    if step.branch_id or step.branch_from:
        origin = f" from step {step.branch_from}" if step.branch_from else ""
        labels.append(f"branch {_escape_line(step.branch_id or 'unnamed')}{origin}")
    if later := session.find_superseding_step(step.number):
        labels.append(f"superseded by step {later}")
    heading = f"### Step {step.number}" + (f" ({'; '.join(labels)})" if labels else "")
    rows = [
        f"- **Reasoning:** {_escape_line(step.reasoning)}" if step.reasoning else "",
        f"- **Confidence:** {step.confidence}" if step.confidence else "",
        f"- **Rejected:** {'; '.join(map(_escape_line, step.rejected))}" if step.rejected else "",
        f"- **At:** {step.at}",
    ]
    return f"{heading}\n\n{_escape_blocks(step.text)}\n\n" + "\n".join(row for row in rows if row)


def _render_open_questions(session: ResearchSession) -> list[str]:
    gaps = session.list_gaps()
    if not gaps:
        return []
    rows = [
        f"- [{'x' if gap.closed_in else ' '}] {_escape_line(gap.text)} (step {gap.found_in}"
        + (f", closed in step {gap.closed_in})" if gap.closed_in else ")")
        for gap in gaps
    ]
    return ["## Open Questions", "\n".join(rows)]


def _render_session_sources(session: ResearchSession, checked: CheckedLinks) -> list[str]:
    if not session.sources:
        return ["## Sources", "None were recorded."]
    rows = []
    for number, source in enumerate(session.sources, start=1):
        label = _escape_line(source.title or source.url).replace("[", "\\[").replace("]", "\\]")
        row = f"{number}. [{label}](<{source.url}>) ({source.stage})"
        link = checked.get(source.url)
        if link is not None and link.state != "unchecked":
            archived = f", [archived copy](<{link.archived}>)" if link.archived else ""
            row += f" — {link.state}{archived}"
        rows.append(row)
    return ["## Sources", "\n".join(rows)]


def _join_lines(text: str) -> str:
    return " ".join(text.split())


def _escape_line(text: str) -> str:
    return _TAG_START_PATTERN.sub(r"\<", _join_lines(text))


def _escape_blocks(text: str) -> str:
    """A text of several lines that cannot begin a heading, a block of code or HTML of the document."""
    lines = "\n".join(text.strip().splitlines())  # also those that end in other ways
    escaped = _BLOCK_MARK_PATTERN.sub(
        lambda mark: f"{mark[1]}\\{mark[2]}" if mark[2] else f"{mark[3]}\\{mark[4]}", lines
    )
    return _TAG_START_PATTERN.sub(r"\<", escaped)


def render_session_page(title: str, text: str) -> str:
    """The report as a self-contained HTML page, without scripts or external resources."""
    from citewell.text.markdown_html import render_markdown_html

    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escaping.escape(_join_lines(title))}</title>"
        "<style>body{font:1rem/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;"
        "color:#1a1a1a;background:#fff}h1,h2,h3{line-height:1.25}a{color:#0b57a4;overflow-wrap:anywhere}"
        "@media print{a{color:inherit}}</style></head><body>\n"
        f"{render_markdown_html(text)}</body></html>\n"
    )
