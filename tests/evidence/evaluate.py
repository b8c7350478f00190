"""What the citation check says of statements whose truth is known, in every form that providers cite in."""

from __future__ import annotations

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from citewell.core import config
from citewell.core.values.research import (
    RESEARCH_TIERS,
    ProviderReport,
    ReportCitation,
    ResearchFindings,
)
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.research import combined_findings
from citewell.research.claims import citation_check
from citewell.research.combined_findings import GatheredMaterial
from citewell.research.pages import research_rounds
from citewell.research.pages.page_finders import OwnedPageReader
from citewell.research.pages.research_rounds import ResearchPorts
from citewell.research.planning.research_plan import build_research_plan
from citewell.server.app import App
from tests.evidence.cases import LOST, Case

FORMS = ("inline links", "numbers", "spans")
PART = 40  # statements of one report
QUESTION = "What do these pages say?"
DOUBTS = frozenset(("unsupported", "number_not_found", "values_differ", "contradicted"))
# The statements that a flag is there to find.
MEANT = {
    "unsupported": ("number", "negated", "entity", "elsewhere", "subject", "general"),
    "contradicted": ("negated",),
    "number_not_found or values_differ": ("number",),
    "dead": tuple(kind for kind, flag in LOST.items() if flag == "dead"),
    "unreachable": tuple(kind for kind, flag in LOST.items() if flag == "unreachable"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    case: Case
    flags: frozenset[str]
    support: float  # of the best evidence

    @property
    def doubted(self) -> bool:
        return bool(self.flags & DOUBTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    flagged: int
    right: int
    meant: int

    @property
    def precision(self) -> float:
        return self.right / self.flagged if self.flagged else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.meant if self.meant else 1.0


def parts(cases: Iterable[Case]) -> list[list[Case]]:
    """Reports of a few statements each, in none of which one sentence stands twice."""
    made: list[list[Case]] = []
    for case in cases:
        fits = (
            part
            for part in made
            if len(part) < PART and all(other.text != case.text for other in part)
        )
        part = next(fits, None)
        if part is None:
            made.append([case])
        else:
            part.append(case)
    return made


def report(cases: Sequence[Case], form: str, *, provider: str = "openai") -> ProviderReport:
    """The statements as a provider that cites in this form would write them."""
    text, cited = "# Report\n\n", []
    for number, case in enumerate(cases, 1):
        start = len(text)
        text += case.text
        place = {"start": start, "end": len(text)} if form == "spans" else {}
        cited.append(ReportCitation(url=case.url, title=f"Page {number}", **place))
        text += {"inline links": f" ([Page {number}]({case.url}))", "numbers": f" [{number}]"}.get(
            form, ""
        )
        text += "\n\n" if number % 3 else " "
    listed = () if form == "inline links" else tuple(cited)
    return ProviderReport(provider=provider, text=text.strip(), citations=listed)


async def judge(cases: Sequence[Case], environ: Mapping[str, str]) -> list[Judged]:
    """Each statement after its page was read by the server's own reader."""
    app = App(config.load_settings(environ))
    ports = ResearchPorts(
        finders=(),
        reader=OwnedPageReader(
            app.require_service(CachedPageReader), owner="default", tenant="default"
        ),
    )
    try:
        found: list[Judged] = []
        for number, part in enumerate(parts(cases)):
            written = report(part, FORMS[number % len(FORMS)])
            leads = citation_check.list_cited_pages([written])
            pages = (await research_rounds.fetch_round(leads, ports)).pages
            gathered = GatheredMaterial(
                plan=build_research_plan(QUESTION, RESEARCH_TIERS["M"], year=2026),
                cited_readings=tuple(
                    (lead.url, page) for lead, page in zip(leads, pages, strict=True)
                ),
                reports=(written,),
            )
            findings = await asyncio.to_thread(
                combined_findings.combine_findings, gathered, salt=str(number)
            )
            found += judged(part, findings)
        return found
    finally:
        await app.aclose()


def judged(cases: Iterable[Case], findings: ResearchFindings) -> list[Judged]:
    claims = {_letters(claim.content): claim for claim in findings.claims}
    held: defaultdict[str, list[float]] = defaultdict(list)
    for row in findings.evidence:
        held[row.claim_id].append(row.relevance_score)
    return [
        Judged(
            case=case,
            flags=frozenset(claim.flags),
            support=max(held[claim.id], default=0.0),
        )
        for case in cases
        for claim in [claims[_letters(case.text)]]
    ]


def score(found: Sequence[Judged], flag: str) -> Score:
    """How a flag fares on statements whose pages exist, or on all where it is about pages."""
    names = frozenset(flag.split(" or "))
    meant = MEANT[flag]
    flagged = [row for row in found if row.flags & names]
    return Score(
        flagged=len(flagged),
        right=sum(1 for row in flagged if row.case.kind in meant),
        meant=sum(1 for row in found if row.case.kind in meant),
    )


def kinds(found: Iterable[Judged]) -> dict[str, Counter[str]]:
    """By kind of statement: how many, and how many of them got each flag or any doubt."""
    rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in found:
        rows[row.case.kind].update(("count", *row.flags, *(["doubted"] if row.doubted else [])))
    return dict(rows)


def _letters(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()
