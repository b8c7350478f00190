"""A session as a document: a report to read, or the whole of it for a program.

The same session gives the same bytes, but for the stamp that says when it was exported.
"""

from __future__ import annotations

import html as escaping
from collections.abc import Mapping
from datetime import date
from typing import Any

from citewell.model.session import Session, Source, Step
from citewell.services.links import LinkState
from citewell.services.sessions.views import whole_step
from citewell.text import bibliography
from citewell.text.citation import Work, people

FORMATS = ("markdown", "json", "html", "bibtex")
Checked = Mapping[str, LinkState]


def document(
    session: Session, form: str, *, tenant: str, stamp: str, checked: Checked | None = None
) -> Any:
    """The session in one of FORMATS; `checked` adds what became of its links."""
    links = checked or {}
    if form == "json":
        return structured(session, tenant=tenant, stamp=stamp, checked=links)
    if form == "bibtex":
        return bibliography.rendered(works(session), style="bibtex", accessed=date.min)
    text = markdown(session, tenant=tenant, stamp=stamp, checked=links)
    return text if form == "markdown" else page(session.goal, text)


def works(session: Session) -> list[Work]:
    """The session's sources as works to cite."""
    return [
        Work(
            url=source.url,
            title=source.title,
            authors=people(source.author),
            site=source.site or "",
            published=source.date or "",
            doi=source.doi or "",
            kind="article-journal" if source.doi and source.site else "",
        )
        for source in session.sources
    ]


def structured(session: Session, *, tenant: str, stamp: str, checked: Checked) -> dict[str, Any]:
    return {
        "sessionId": session.id,
        "researchGoal": session.goal,
        "summary": session.summary,
        "startedAt": session.started,
        "completedAt": session.completed,
        "steps": [whole_step(session, step) for step in session.steps],
        "gaps": [gap.wire() for gap in session.gaps()],
        "sources": [source.wire() | _link(source, checked) for source in session.sources],
        "provenance": {"exportedAt": stamp, "tenantId": tenant},
    }


def markdown(session: Session, *, tenant: str, stamp: str, checked: Checked) -> str:
    parts = [
        f"# {_line(session.goal)}",
        _facts(session),
        *([f"## Summary\n\n{session.summary.strip()}"] if session.summary else []),
        "## Steps",
        *[_step(session, step) for step in session.steps],
        *_questions(session),
        *_sources(session, checked),
        f"---\n\n*Exported {stamp} for tenant {_line(tenant)}. Titles and addresses come from outside; check them before relying on them.*",
    ]
    return "\n\n".join(parts) + "\n"


def _facts(session: Session) -> str:
    rows = [
        f"- **Session:** {session.id}",
        f"- **Started:** {session.started}",
        f"- **Completed:** {session.completed}"
        if session.completed
        else "- **State:** in progress",
        f"- **Steps:** {len(session.steps)}",
        f"- **Sources:** {len(session.sources)}",
    ]
    return "\n".join(rows)


def _step(session: Session, step: Step) -> str:
    labels = []
    if step.revises:
        labels.append(f"revises step {step.revises}")
    if step.branch_id or step.branch_from:
        origin = f" from step {step.branch_from}" if step.branch_from else ""
        labels.append(f"branch {_line(step.branch_id or 'unnamed')}{origin}")
    if later := session.superseded_by(step.number):
        labels.append(f"superseded by step {later}")
    heading = f"### Step {step.number}" + (f" ({'; '.join(labels)})" if labels else "")
    rows = [
        f"- **Reasoning:** {_line(step.reasoning)}" if step.reasoning else "",
        f"- **Confidence:** {step.confidence}" if step.confidence else "",
        f"- **Rejected:** {'; '.join(map(_line, step.rejected))}" if step.rejected else "",
        f"- **At:** {step.at}",
    ]
    return f"{heading}\n\n{step.text.strip()}\n\n" + "\n".join(row for row in rows if row)


def _questions(session: Session) -> list[str]:
    gaps = session.gaps()
    if not gaps:
        return []
    rows = [
        f"- [{'x' if gap.closed_in else ' '}] {_line(gap.text)} (step {gap.found_in}"
        + (f", closed in step {gap.closed_in})" if gap.closed_in else ")")
        for gap in gaps
    ]
    return ["## Open Questions", "\n".join(rows)]


def _sources(session: Session, checked: Checked) -> list[str]:
    if not session.sources:
        return ["## Sources", "None were recorded."]
    rows = [
        f"{number}. [{_label(source)}](<{source.url}>)" + _state(checked.get(source.url))
        for number, source in enumerate(session.sources, start=1)
    ]
    return ["## Sources", "\n".join(rows)]


def _state(link: LinkState | None) -> str:
    if link is None or link.state == "unchecked":
        return ""
    archived = f", [archived copy](<{link.archived}>)" if link.archived else ""
    return f" — {link.state}{archived}"


def _link(source: Source, checked: Checked) -> dict[str, Any]:
    link = checked.get(source.url)
    if link is None:
        return {}
    return {"linkState": link.state} | ({"archivedUrl": link.archived} if link.archived else {})


def _label(source: Source) -> str:
    return _line(source.title or source.url).replace("[", "\\[").replace("]", "\\]")


def _line(text: str) -> str:
    return " ".join(text.split())


def page(title: str, text: str) -> str:
    """The report as one page that needs nothing else: no script, no address but the sources'."""
    from citewell.text.hypertext import rendered

    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escaping.escape(_line(title))}</title>"
        "<style>body{font:1rem/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;"
        "color:#1a1a1a;background:#fff}h1,h2,h3{line-height:1.25}a{color:#0b57a4;overflow-wrap:anywhere}"
        "@media print{a{color:inherit}}</style></head><body>\n"
        f"{rendered(text)}</body></html>\n"
    )
