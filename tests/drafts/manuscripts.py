"""Drafts made by hand: numbered statements, a list of references, and everybody that a check asks."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from citewell.citations import references
from citewell.citations.references.reference_fields import Reference
from citewell.core.values.paper import IdentifierScheme, PaperId
from citewell.drafts.draft import (
    CitationForm,
    Draft,
    DraftCitation,
    DraftPlace,
    DraftReference,
    DraftStatement,
    StatementSign,
)
from citewell.drafts.draft_check import DraftCheck, ReferenceExaminer
from citewell.drafts.draft_findings import DraftFinding, DraftReport, DraftVerdict
from citewell.drafts.source_reading import SourceReader
from citewell.trust.reference_lookup import ReferenceLookup
from citewell.trust.work_lookup import WorkLookup
from tests.fake_services import use_fake
from tests.trust.desk import Desk

OWNER = "default/anonymous"
PAGE = "https://reports.example.org/battery"
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
_MARK = re.compile(r"\[([\d, ]+)\]")


def manuscript(text: str, cited: Mapping[str, str], *, listed: bool = True) -> Draft:
    """One statement a line, cited by number; `cited` has each number's entry of the list."""
    whole = text + "\n\n" + "\n".join(f"[{key}] {raw}" for key, raw in cited.items())
    refs = {key: _reference(whole, key, raw, listed) for key, raw in cited.items()}
    citations: list[DraftCitation] = []
    statements: list[DraftStatement] = []
    at = 0
    for number, line in enumerate(text.split("\n"), start=1):
        own = []
        for match in _MARK.finditer(line):
            keys = [key.strip() for key in match[1].split(",")]
            citation = DraftCitation(
                id=f"c{len(citations) + 1}",
                form=CitationForm.NUMBER,
                text=match[0],
                place=_place(at + match.start(), at + match.end(), number, match.start() + 1),
                reference_ids=tuple(refs[key].id for key in keys if key in refs),
                missing=tuple(key for key in keys if key not in refs),
            )
            citations.append(citation)
            own.append(citation.id)
        words = _MARK.sub("", line).replace(" .", ".").strip()
        if words:
            signs = (StatementSign.NUMBER,) if any(map(str.isdigit, words)) else ()
            statements.append(
                DraftStatement(
                    id=f"s{len(statements) + 1}",
                    text=words,
                    place=_place(at, at + len(line), number, 1),
                    citation_ids=tuple(own),
                    signs=signs,
                )
            )
        at += len(line) + 1
    used = {each for citation in citations for each in citation.reference_ids}
    return Draft(
        text=whole,
        format="plain",
        language="en",
        statements=tuple(statements),
        citations=tuple(citations),
        references=tuple(refs.values()),
        uncited_reference_ids=tuple(cited.id for cited in refs.values() if cited.id not in used),
    )


def _place(start: int, end: int, line: int, column: int) -> DraftPlace:
    return DraftPlace(start=start, end=end, line=line, column=column)


def _reference(whole: str, key: str, raw: str, listed: bool) -> DraftReference:
    start = whole.index(f"[{key}] {raw}") + len(f"[{key}] ")
    if raw.startswith("http"):
        found = Reference(raw=raw, url=raw)
    elif raw.startswith("10."):
        found = Reference(raw=raw, ids=(PaperId(scheme=IdentifierScheme.DOI, value=raw),))
    else:
        [found] = references.parse_bibliography(raw, format="prose").references
    line = whole.count("\n", 0, start) + 1
    return DraftReference(
        id=f"r{key}",
        reference=found,
        place=_place(start, start + len(raw), line, len(f"[{key}] ") + 1),
        is_listed=listed,
    )


def checker(desk: Desk, **more: Any) -> DraftCheck:
    fake = use_fake(desk)
    lookup = ReferenceLookup(WorkLookup(fake, fake))
    return DraftCheck(
        examiner=ReferenceExaminer(lookup, fake),
        reader=SourceReader(fake),
        now=lambda: NOON,
        **more,
    )


def check(draft: Draft, desk: Desk, **options: Any) -> DraftReport:
    return asyncio.run(checker(desk).check_draft(draft, owner=OWNER, **options))


def find(report: DraftReport, subject: str = "statement") -> DraftFinding:
    [found] = [finding for finding in report.findings if finding.subject == subject]
    return found


def verdicts(report: DraftReport, subject: str = "statement") -> list[DraftVerdict]:
    return [finding.verdict for finding in report.findings if finding.subject == subject]
