"""A finished job as a document: a report to read, a page, the whole of it as data, or its sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from citewell.errors import InvalidInput
from citewell.model.base import UNTRUSTED
from citewell.model.job import JobView
from citewell.model.research import Findings, Source
from citewell.services.research import page, shown
from citewell.services.research.accounts import cents, stamp
from citewell.services.research.asking import assignment
from citewell.text import bibliography
from citewell.text.citation import Work

FORMATS = ("markdown", "html", "json", "bibtex")
_SHORT = {"md": "markdown", "htm": "html", "bib": "bibtex"}


def named(form: str) -> str:
    """The full name of a format; an error that lists them for any other word."""
    known = _SHORT.get(form, form)
    if known not in FORMATS:
        raise InvalidInput(f"format is one of {', '.join((*FORMATS, 'md'))}.")
    return known


def document(
    view: JobView, findings: Findings, form: str, *, reports: Mapping[str, str] | None = None
) -> str:
    """The same job gives the same bytes."""
    form = named(form)
    if form == "html":
        return page.html(findings, facts=facts(view, findings))
    if form == "json":
        return json.dumps(whole(view, findings, reports or {}), ensure_ascii=False, indent=2)
    if form == "bibtex":
        return bibliography.rendered(
            map(_work, findings.sources), style="bibtex", accessed=date.min
        )
    return findings.synthesis.rstrip() + "\n"


def told(
    view: JobView, findings: Findings, form: str, *, document: str, exported_at: str | None
) -> dict[str, Any]:
    """A document as the answer of an export, with the keys that an exported session has."""
    return {
        "jobId": view.job.id,
        "threadId": view.job.thread,
        "format": form,
        "researchGoal": findings.query,
        "claimCount": len(findings.claims),
        "sourceCount": len(findings.sources),
        "startedAt": stamp(view.job.created),
        "exportedAt": exported_at,
        "document": json.loads(document) if form == "json" else document,
        "trust": UNTRUSTED,
    }


def facts(view: JobView, findings: Findings) -> dict[str, str]:
    """What stands under the title."""
    work = assignment(view.job.args)
    lasted = round((view.finished or view.job.created) - view.job.created)
    read = sum(1 for source in findings.sources if source.state == "read")
    rows = {
        "Question": work.query if len(work.query) <= 300 else work.query[:299] + "…",
        "Done": _when(stamp(view.finished)),
        "Providers": ", ".join(work.providers),
        "Tier": f"{work.tier}, {work.mode}",
        "Took": f"{lasted} s",
        "Cost": f"${cents(view.spent) / 100:.2f}",
        "Sources": f"{read} read of {len(findings.sources)}",
        "Claims": str(len(findings.claims)),
        "Written by": findings.synthesis_by,
    }
    return {name: value for name, value in rows.items() if value}


def _when(stamped: str | None) -> str:
    """To the minute, as people write it."""
    return f"{stamped[:10]} {stamped[11:16]} UTC" if stamped else ""


def whole(view: JobView, findings: Findings, reports: Mapping[str, str]) -> dict[str, Any]:
    answer = shown.results(view, findings)
    return {
        **answer,
        "query": findings.query,
        "claims": shown.claims(findings),
        "evidence": [item.wire() for item in findings.evidence],
        "providerReports": dict(reports),
    }


def _work(source: Source) -> Work:
    return Work(
        url=source.url,
        title=source.title,
        site=source.domain,
        published=(source.published or "")[:10],
        doi=source.doi or "",
    )
