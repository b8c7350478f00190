"""A report that the caller's own model wrote from our evidence, checked like any other."""

from __future__ import annotations

from citewell.model.research import ProviderReport, ResearchFindings
from citewell.services.research.reporting.model_synthesis import apply_model_report
from citewell.text.evidence.claim_support import SourceText

CLIENT_WRITER = "client"
UNWRITTEN_NOTE = (
    "The client did not write a report: it has no sampling, or refused. Write one from evidencePack"
    " and send it as draft to have it checked."
)


def apply_client_draft(findings: ResearchFindings, draft: str) -> ResearchFindings:
    """The findings with what stands of the draft; if too little does, with their own report and a note.

    It is compared with the passages and quotations that are stored with the job.
    """
    said: dict[str, dict[str, None]] = {}
    for passage in findings.passages:
        said.setdefault(passage.ref, {})[passage.text] = None
    for one in findings.evidence:
        said.setdefault(one.source, {})[one.snippet] = None
    texts = {ref: SourceText(text="\n\n".join(parts)) for ref, parts in said.items()}
    report = ProviderReport(provider=CLIENT_WRITER, text=draft)
    return apply_model_report(findings, report, texts)
