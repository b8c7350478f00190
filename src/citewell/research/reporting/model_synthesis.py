"""Reports by models, ours or the caller's: their citations in one form, and every sentence checked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping

from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import ProviderReport, ResearchFindings
from citewell.evidence.judging.claim_judge import LEXICAL_NAME, ClaimPair, Judgement
from citewell.evidence.judging.claim_judging import ClaimJudging, JudgeContext, list_judging_notes
from citewell.evidence.signs.claim_support import SourceText
from citewell.jobs.step_values import trim_title
from citewell.research.claims.cited_statements import (
    LOST_REF,
    REF_MARK_PATTERN,
    CitationMarks,
    extract_statements,
)
from citewell.research.claims.sentence_verdicts import SentenceJudge
from citewell.research.claims.source_kinds import format_source_address
from citewell.research.reporting.checked_synthesis import CheckCounts, SynthesisCheck
from citewell.research.reporting.evidence_pack import format_source_line
from citewell.text import addresses
from citewell.text.research_prompts import strip_thinking
from citewell.text.safety.text_cleaning import clean_markup

CLIENT_WRITER = "client"
UNWRITTEN_NOTE = (
    "The client did not write a report: it has no sampling, or refused. Write one from evidencePack"
    " and send it as draft to have it checked."
)

# Stored reports are searched for this line: a changed heading needs the old one in the pattern too.
SOURCES_HEADING = "## Sources"
_SOURCE_SECTION_PATTERN = re.compile(
    rf"^{re.escape(SOURCES_HEADING)}\s*$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL
)

# If fewer of the sentences stand, by share and by number, the report of quotations is better.
_MIN_STANDING_SHARE, _MIN_STANDING = 0.5, 3
_MAX_CUT_REASONS = 4  # that a note gives
_OWN_MARK_PATTERN = re.compile(r"\[src_[^\[\]]*\]|【[^【】]*】|\[\d{1,3}\](?!\()")
_SOURCES_TAIL_PATTERN = re.compile(
    r"^(?:#{1,4}+[^\S\n]{0,4}+|\*\*)(?:sources?|references|works cited|bibliography|citations|quellen|fuentes"
    r"|referencias|références|bibliographie|fonti|fontes|referências|bronnen|источники|参考文献|来源|出典)"
    r"[^\S\n]{0,4}+:?(?:\*\*:?)?[^\S\n]{0,4}+$.*?(?=^#{1,2}+\s|\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_HTML_TAG_PATTERN = re.compile(r"<(?:!doctype|html|body|div|head)\b", re.IGNORECASE)


def build_sentence_judge(
    findings: ResearchFindings,
    texts: Mapping[str, SourceText],
    judged: Mapping[tuple[str, str], Judgement] | None = None,
    *,
    are_whole: bool = True,
) -> SentenceJudge:
    """The judge of a report's sentences; `texts` maps src_N to the text of its page, or a part of it."""
    titles = {source.ref: source.title for source in findings.sources}
    return SentenceJudge(
        texts, titles=titles, question=findings.query, judged=judged, are_whole=are_whole
    )


def apply_model_report(
    findings: ResearchFindings, report: ProviderReport, judge: SentenceJudge
) -> ResearchFindings:
    """The findings with what remains of a model's report after the check, and its sources listed.

    The extractive report stays, and a note says why, if
    the model's cites nothing, is HTML, or hardly anything of it is left.
    """
    marks = CitationMarks(findings.sources, lost_mark=f"[{LOST_REF}]")
    text = strip_thinking(report.text)
    text = marks.rewrite_marks(_SOURCES_TAIL_PATTERN.sub("", text).strip())
    if not REF_MARK_PATTERN.search(text) or _HTML_TAG_PATTERN.search(text[:2000]):
        note = (
            f"{report.provider} wrote no report with citations, so this one consists of quotations."
        )
        return _add_notes(findings, note)
    check = SynthesisCheck(judge=judge)
    text = check.check_text(text)
    used = list(dict.fromkeys(REF_MARK_PATTERN.findall(text)))
    is_short = check.counts.standing < _MIN_STANDING
    if not used or (is_short and check.counts.share < _MIN_STANDING_SHARE):
        return _add_notes(findings, *_describe_refused_report(report, check.counts))
    notes = list(_describe_check(check.counts))
    if marks.dangling:
        notes.insert(
            0,
            f"{marks.dangling} {pluralize(marks.dangling, 'citation of the synthesis names', 'citations of the synthesis name')} no source; removed.",
        )
    return _add_notes(findings, *notes).model_copy(
        update={
            "synthesis": f"{text}\n\n{_list_used_sources(findings, used)}",
            "synthesis_by": f"{report.provider}: {report.model}"
            if report.model
            else report.provider,
        }
    )


def _add_notes(findings: ResearchFindings, *notes: str) -> ResearchFindings:
    return findings.model_copy(update={"notes": (*findings.notes, *notes)})


def _list_used_sources(findings: ResearchFindings, used: Iterable[str]) -> str:
    known = {source.ref: source for source in findings.sources}
    listed = "\n".join(
        f"- {format_source_line(known[ref])}: {format_source_address(known[ref])}"
        for ref in used
        if ref in known
    )
    return f"{SOURCES_HEADING}\n\n{listed}\n"


def _describe_refused_report(report: ProviderReport, counts: CheckCounts) -> Iterable[str]:
    yield from _list_cut_reasons(counts)
    yield (
        f"Only {counts.standing} of {counts.statements} {pluralize(counts.statements, 'sentence')} of the report by {report.provider}"
        " could be left beside the sources, so this one consists of quotations."
    )


def _list_cut_reasons(counts: CheckCounts) -> Iterable[str]:
    reasons = [reason for reason in counts.cut_reasons if reason]
    if reasons:
        rest = len(reasons) - _MAX_CUT_REASONS
        more = f" And {rest} more." if rest > 0 else ""
        yield f"Why sentences were cut: {' '.join(reasons[:_MAX_CUT_REASONS])}{more}"


def _describe_check(counts: CheckCounts) -> Iterable[str]:
    """Notes with the figures of the check; none if every sentence stands as it was written."""
    whole = f"of {counts.statements} {pluralize(counts.statements, 'sentence')}"
    if counts.cut:
        was = "was" if counts.cut == 1 else "were"
        their = "its" if counts.cut == 1 else "their"
        yield f"{counts.cut} {whole} {was} not supported by {their} sources and {was} cut."
    yield from _list_cut_reasons(counts)
    if counts.marked:
        is_are = "is" if counts.marked == 1 else "are"
        yield f"{counts.marked} {whole} {is_are} marked: the sources do not confirm what is said."
    if counts.recited:
        was = "was" if counts.recited == 1 else "were"
        yield f"{counts.recited} {whole} {was} cited by us to the source that supports what is said."
    if counts.uncompared:
        yield (
            f"{counts.uncompared} {whole}: their sources are in another language, so only numbers"
            " were compared."
        )


def apply_unchecked_reports(
    findings: ResearchFindings, reports: Iterable[ProviderReport]
) -> ResearchFindings:
    """The findings with the providers' reports as they are, labelled as unchecked."""
    parts = [f"# {trim_title(findings.query)}", "None of the statements below could be checked."]
    names = []
    for report in reports:
        text = (
            clean_markup(report.text)
            if _HTML_TAG_PATTERN.search(report.text[:2000])
            else report.text.strip()
        )
        text = _OWN_MARK_PATTERN.sub("", text)  # they would point to no source, or to a wrong one
        parts += [f"## {report.provider}", text]
        names.append(f"{report.provider}: {report.model}" if report.model else report.provider)
    return findings.model_copy(
        update={"synthesis": "\n\n".join(parts) + "\n", "synthesis_by": ", ".join(names)}
    )


def apply_provider_report(
    findings: ResearchFindings,
    report: ProviderReport,
    refs_by_key: Mapping[str, str],
    judge: SentenceJudge,
) -> ResearchFindings:
    """The findings with a provider's own report; what its sources do not confirm is marked.

    `refs_by_key` gives src_N by normalized address.
    """
    marks = CitationMarks(findings.sources)
    body = marks.rewrite_marks(cite_provider_text(report, refs_by_key))
    check = SynthesisCheck(judge=judge, marks_only=True)
    body = check.check_text(body)
    used = dict.fromkeys(REF_MARK_PATTERN.findall(body))
    return _add_notes(findings, *_describe_check(check.counts)).model_copy(
        update={
            "synthesis": f"{body.strip()}\n\n{_list_used_sources(findings, used)}",
            "synthesis_by": f"{report.provider}: {report.model}"
            if report.model
            else report.provider,
        }
    )


def cite_provider_text(report: ProviderReport, refs_by_key: Mapping[str, str]) -> str:
    """The text of a report with its citations as [src_N]; its own marks would point to other sources."""
    text, at = "", 0
    for statement in extract_statements(report):
        refs = [
            refs_by_key[addresses.build_page_key(url)]
            for url in statement.urls
            if addresses.build_page_key(url) in refs_by_key
        ]
        if refs:
            text += _OWN_MARK_PATTERN.sub("", report.text[at : statement.end])
            text += "".join(f" [{ref}]" for ref in dict.fromkeys(refs))
            at = statement.end
    return text + _OWN_MARK_PATTERN.sub("", report.text[at:])


# The section of a report that lists its sources: its heading, and how it is taken out.


def strip_source_section(report: str) -> str:
    """The markdown of a report without its list of sources."""
    return _SOURCE_SECTION_PATTERN.sub("", report)


# A report that the caller's own model wrote from our evidence, checked like any other.


async def apply_client_draft(
    findings: ResearchFindings, draft: str, judging: ClaimJudging, *, owner: str
) -> ResearchFindings:
    """The findings with what remains of the draft; if too little does, with their own report and a note.

    It is compared with the passages and quotations that are stored with the job. A judge outside this
    machine never sees it: drafts are private.
    """
    quoted: dict[str, dict[str, None]] = {}
    for passage in findings.passages:
        quoted.setdefault(passage.ref, {})[passage.text] = None
    for item in findings.evidence:
        quoted.setdefault(item.source, {})[item.snippet] = None
    texts = {ref: SourceText(text="\n\n".join(parts)) for ref, parts in quoted.items()}
    report = ProviderReport(provider=CLIENT_WRITER, text=draft)
    judge = build_sentence_judge(findings, texts, are_whole=False)
    checked = await asyncio.to_thread(apply_model_report, findings, report, judge)
    if judging.is_lexical or not judge.compared:
        return checked
    pairs = {
        key: ClaimPair(claim=key[0], source=source, is_private=True)
        for key, source in judge.compared.items()
    }
    opinions = await judging.judge_claims(tuple(pairs.values()), JudgeContext(owner=owner))
    judged = {
        key: opinion
        for key, opinion in zip(pairs, opinions, strict=True)
        if isinstance(opinion, Judgement) and opinion.judge != LEXICAL_NAME
    }
    judge = build_sentence_judge(findings, texts, judged, are_whole=False)
    checked = await asyncio.to_thread(apply_model_report, findings, report, judge)
    return checked.model_copy(update={"notes": (*checked.notes, *list_judging_notes(opinions))})
