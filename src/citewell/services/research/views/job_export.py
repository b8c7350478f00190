"""Exports a finished job: the report as markdown or HTML, all data as JSON, or sources as BibTeX."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from citewell.errors import InvalidInput
from citewell.model.argument_types import EXPORT_FORMATS
from citewell.model.credit_ledger import round_up_cents
from citewell.model.durable_job import JobView
from citewell.model.research import ResearchFindings, ResearchSource
from citewell.model.wire_values import UNTRUSTED_LABEL
from citewell.services.research.collecting.source_addresses import find_source_link
from citewell.services.research.planning.assignments import parse_assignment
from citewell.services.research.reporting import html_report
from citewell.services.research.views import job_views
from citewell.services.research.views.account_views import format_dollars, format_timestamp
from citewell.text.citations import bibliographies
from citewell.text.citations.citable_works import CitableWork

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
        return html_report.render_html_report(findings, facts=collect_report_facts(view, findings))
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
    rows = {
        "Question": work.query if len(work.query) <= 300 else work.query[:299] + "…",
        "Done": _format_to_minute(format_timestamp(view.finished)),
        "Providers": ", ".join(work.providers),
        "Tier": f"{work.tier}, {work.mode}",
        "Took": f"{lasted} s",
        "Cost": format_dollars(round_up_cents(view.spent)),
        "Sources": f"{read} read of {len(findings.sources)}",
        "Claims": str(len(findings.claims)),
        "Written by": findings.synthesis_by,
    }
    return {name: value for name, value in rows.items() if value}


def _format_to_minute(stamped: str | None) -> str:
    """A timestamp to the minute, for people."""
    return f"{stamped[:10]} {stamped[11:16]} UTC" if stamped else ""


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
