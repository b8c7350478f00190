"""Writes a report without a model: every statement is a quotation with its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from citewell.model.research import (
    ClaimEvidence,
    ClaimRelation,
    ResearchClaim,
    ResearchSource,
    ValueTable,
)
from citewell.services.research.claims.claim_building import ClaimSet
from citewell.services.research.collecting.source_addresses import (
    format_source_address,
    format_source_facts,
)
from citewell.services.research.planning.assignments import trim_title
from citewell.services.research.reporting.source_section import SOURCES_HEADING
from citewell.services.research.step_values import ResearchPlan
from citewell.text.evidence import similarity
from citewell.text.evidence.ranking import RankedSentence, SentenceCorpus, choose_diverse
from citewell.text.evidence.sentence_features import SentenceFeatures, build_sentence_features

_ANSWER_CLAIMS, _SECTION_CLAIMS, _SINGLE_SOURCE_CLAIMS, _MAX_DISPUTES, _MAX_TABLES = 5, 6, 6, 6, 5
_MAX_CITATIONS = 4  # citations after one sentence
_FLAG_LABELS = {
    "contradicted": "disputed",
    "values_differ": "values differ",
    "number_not_found": "number not found in the source",
}
_METHOD_TEXT = (
    "This report was made without a language model. {sentences} sentences of {pages} were"
    " ranked by how much of the question they address; sentences of different sources with the same meaning"
    " became one claim. Every quoted sentence is word for word in its source, at the offsets given in"
    " the claim's evidence. Confidence grows with the number and kind of independent sources;"
    " it does not mean that a claim is true."
)


class _ClaimPrinter:
    """Formats claims with their quotations, and remembers what has been printed."""

    def __init__(self, built: ClaimSet) -> None:
        self.claims = built.claims
        self._evidence: dict[str, list[ClaimEvidence]] = {}
        for one in built.evidence:
            self._evidence.setdefault(one.claim_id, []).append(one)
        self._bags = {claim.id: build_sentence_features(claim.content) for claim in built.claims}
        self._weigh = SentenceCorpus(list(self._bags.values())).weigh_term
        self.printed: set[str] = set()
        self._quoted: set[str] = set()

    def format_claim_line(self, claim: ResearchClaim) -> str:
        """The claim in the words of its best source, with the marks of all sources that support it."""
        self.printed.add(claim.id)
        backing = self._list_backing(claim)
        quoted = self._quote_claim(claim)
        if quoted.removesuffix(claim.content).strip() in self._quoted:
            quoted = claim.content  # the preceding sentence is printed already
        self._quoted |= {quoted, claim.content}
        refs = list(dict.fromkeys(one.source for one in backing)) or list(claim.sources)
        marks = [f"{claim.confidence_level} confidence"]
        marks += [said for flag, said in _FLAG_LABELS.items() if flag in claim.flags]
        marks += [] if backing else ["no source is quoted"]
        return f"- {quoted} {format_citation_marks(refs)} *({', '.join(marks)})*"

    def format_best_claims(self, claims: Sequence[ResearchClaim], count: int) -> list[str]:
        """Lines for the best of these claims that have a quotation and are not printed yet."""
        made: list[str] = []
        quotable = [claim for claim in claims if self._list_backing(claim)]
        for claim in self._choose_diverse_claims(quotable, 2 * count):
            if len(made) < count and not self._is_printed(claim):
                made.append(self.format_claim_line(claim))
        return made

    def _list_backing(self, claim: ResearchClaim) -> list[ClaimEvidence]:
        """Supporting evidence: snippets that contain the claim word for word first, then by score."""
        rows = self._evidence.get(claim.id, ())
        found = [one for one in rows if one.relation is ClaimRelation.SUPPORTS]
        return sorted(
            found,
            key=lambda one: (
                claim.content not in _collapse_whitespace(one.snippet),
                -one.relevance_score,
            ),
        )

    def _quote_claim(self, claim: ResearchClaim) -> str:
        return next(
            (_collapse_whitespace(one.snippet) for one in self._list_backing(claim)), claim.content
        )

    def _choose_diverse_claims(
        self, claims: Sequence[ResearchClaim], count: int
    ) -> list[ResearchClaim]:
        """The best of these claims that are not printed yet and do not repeat one another."""
        fresh = [claim for claim in claims if not self._is_printed(claim)]
        ranking = [
            RankedSentence(index=place, score=(1 + claim.confidence) / (1 + place / 8))
            for place, claim in enumerate(fresh)
        ]

        def alike(first: int, second: int) -> float:
            return similarity.measure_similarity(
                self._look_up_bag(fresh[first]), self._look_up_bag(fresh[second]), self._weigh
            )

        order = sorted(ranking, key=lambda one: (-one.score, one.index))[: 4 * count]
        return [fresh[one.index] for one in choose_diverse(order, alike, count=count)]

    def _is_printed(self, claim: ResearchClaim) -> bool:
        """Whether the claim is printed already, alone or in the quotation of another claim."""
        said = {claim.content, self._quote_claim(claim)}
        return claim.id in self.printed or any(each in one for each in said for one in self._quoted)

    def _look_up_bag(self, claim: ResearchClaim) -> SentenceFeatures:
        return self._bags[claim.id]


def render_extractive_report(
    plan: ResearchPlan,
    built: ClaimSet,
    sources: Sequence[ResearchSource],
    *,
    not_found: Sequence[str],
    pages: int,
    sentences: int,
) -> str:
    """The report as markdown: answer, sides, disagreements, single sources, gaps, sources, method."""
    shown = _ClaimPrinter(built)
    parts = [
        f"# {trim_title(_collapse_whitespace(plan.query))}",
        *_render_answer_section(shown, built),
    ]
    for place, side in enumerate(plan.sides):
        parts += _render_section(
            side.title if place else "More findings", _format_side_claims(shown, side.title)
        )
    parts += _render_disagreements(shown, built)
    parts += _render_single_source_section(shown)
    if not_found:
        parts += [
            "## Not found",
            "\n".join(f"- Nothing was found on: {_collapse_whitespace(one)}" for one in not_found),
        ]
    parts += _render_source_section(built, sources)
    parts += [
        "## Method",
        _METHOD_TEXT.format(sentences=sentences, pages=_format_page_count(pages)),
    ]
    return "\n\n".join(parts) + "\n"


def _render_answer_section(shown: _ClaimPrinter, built: ClaimSet) -> list[str]:
    first = shown.format_best_claims(_drop_denied_claims(built), _ANSWER_CLAIMS)
    return ["## Answer", "\n".join(first) or "No page was found that answers this question."]


def _drop_denied_claims(built: ClaimSet) -> list[ResearchClaim]:
    """The claims without those that a claim of higher confidence contradicts."""
    sure = {claim.id: claim.confidence for claim in built.claims}
    beaten = {min(pair, key=lambda each: (sure[each], each)) for pair in built.conflicts}
    return [claim for claim in built.claims if claim.id not in beaten]


def _format_side_claims(shown: _ClaimPrinter, title: str) -> list[str]:
    own = [claim for claim in shown.claims if claim.facet == title and len(claim.sources) > 0]
    return shown.format_best_claims(own, _SECTION_CLAIMS)


def _render_section(title: str, lines: list[str]) -> list[str]:
    return [f"## {_collapse_whitespace(title)}", "\n".join(lines)] if lines else []


def _render_disagreements(shown: _ClaimPrinter, built: ClaimSet) -> list[str]:
    by_id = {claim.id: claim for claim in built.claims}
    pairs = [
        f"{shown.format_claim_line(by_id[one])}\n  against:\n  {shown.format_claim_line(by_id[other])}"
        for one, other in built.conflicts[:_MAX_DISPUTES]
    ]
    tables = [_render_markdown_table(table) for table in built.tables[:_MAX_TABLES]]
    if not pairs and not tables:
        return []
    return ["## Where sources disagree", *(["\n".join(pairs)] if pairs else []), *tables]


def _render_markdown_table(table: ValueTable) -> str:
    rows = "\n".join(
        f"| {_escape_table_cell(row.value)} | {(row.date or '')[:10]} | {_escape_table_cell(row.snippet)} | {format_citation_marks([row.source])} |"
        for row in table.rows
    )
    return f"**{_collapse_whitespace(table.subject)}**\n\n| value | date | as stated | source |\n|---|---|---|---|\n{rows}"


def _render_single_source_section(shown: _ClaimPrinter) -> list[str]:
    single = [claim for claim in shown.claims if "single_source" in claim.flags]
    return _render_section(
        "Only one source says", shown.format_best_claims(single, _SINGLE_SOURCE_CLAIMS)
    )


def _render_source_section(built: ClaimSet, sources: Sequence[ResearchSource]) -> list[str]:
    used = {ref for claim in built.claims for ref in claim.sources}
    used |= {one.source for one in built.evidence}
    quoted = [one for one in sources if one.ref in used]
    others = len(sources) - len(quoted)
    parts = [SOURCES_HEADING, "\n".join(_format_source_lines(quoted)) or "None."]
    were = "was" if others == 1 else "were"
    told = f"{_format_page_count(others, 'further ')} {were} read and not quoted."
    return [*parts, told] if others else parts


def _format_source_lines(sources: Iterable[ResearchSource]) -> Iterator[str]:
    for one in sources:
        told = [format_source_facts(one)]
        told += [f"repeats {one.copy_of}" if one.copy_of else ""]
        told += [f"archived: {one.archived_url}" if one.archived_url else ""]
        yield f"- [{one.ref}] {_collapse_whitespace(one.title) or one.url} ({', '.join(filter(None, told))}): {format_source_address(one)}"


def format_citation_marks(refs: Sequence[str]) -> str:
    return " ".join(f"[{ref}]" for ref in refs[:_MAX_CITATIONS])


def _format_page_count(count: int, kind: str = "") -> str:
    return f"{count} {kind}page{'' if count == 1 else 's'}"


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _escape_table_cell(text: str) -> str:
    return _collapse_whitespace(text).replace("|", "\\|")
