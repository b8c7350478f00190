"""Builds the answer of a search for patents from what the providers found."""

from __future__ import annotations

from urllib.parse import urlencode

from citewell.model.answers.patent_results import PatentResult, PatentsAnswer
from citewell.model.domains.patent import PatentRecord
from citewell.model.search_results import EmptySearchHints
from citewell.services.domains.patents.patent_harvest import PatentHarvest
from citewell.services.domains.patents.patent_merging import count_assignees, spread_assignees
from citewell.services.domains.patents.patent_request import PatentSearchRequest
from citewell.services.web import result_filters
from citewell.services.web.search_hints import build_domain_hints
from citewell.text.patents.kind_codes import explain_kind_code
from citewell.text.patents.party_names import strip_company_form
from citewell.text.patents.patent_numbers import PatentNumber

_SEARCH_PAGE = "https://patents.google.com/"
_MAX_LISTED_CLUSTERS = 10
_FILING_NOTE = "a filing that is not published"


def build_patents_answer(
    ask: PatentSearchRequest,
    harvest: PatentHarvest,
    *,
    source: str,
    number: PatentNumber | None,
    others: tuple[str, ...],
) -> PatentsAnswer:
    """`others` are the healthy providers that were not asked."""
    found = harvest.list_patents()
    clusters = None
    if ask.search_type == "landscape" and found:
        clusters = dict(list(count_assignees(found).items())[:_MAX_LISTED_CLUSTERS])
        found = spread_assignees(found)
    shown = tuple(map(build_patent_result, found[: ask.count]))
    reports = result_filters.merge_filter_reports(reply.reports for reply in harvest.replies)
    return PatentsAnswer(
        patents=shown,
        query=ask.describe_request(),
        search_type=ask.search_type,
        result_count=len(shown),
        source=source,
        search_url=build_search_address(ask, number),
        assignee_clusters=clusters,
        hints=None if shown else _explain_no_patents(ask, harvest, others),
        filters=reports or None,
        notes=_list_answer_notes(harvest) or None if shown else None,
    )


def _list_answer_notes(harvest: PatentHarvest) -> tuple[str, ...]:
    failed = [f"{', '.join(harvest.failures)} could not answer."] if harvest.failures else []
    return tuple(dict.fromkeys([*failed, *harvest.notes]))


def build_patent_result(record: PatentRecord) -> PatentResult:
    kind = explain_kind_code(record.office, record.kind_code)
    return PatentResult(
        title=record.title,
        number=record.number,
        url=record.url,
        abstract=record.abstract,
        assignee="; ".join(record.assignees) or None,
        inventor=record.inventors[0] if record.inventors else None,
        filed=record.filed,
        granted=record.granted,
        pdf=record.pdf,
        status=record.status,
        office=record.office,
        kind_code=record.kind_code,
        kind=_FILING_NOTE if "/" in record.number else kind,
        family_id=record.family_id,
        also_published_as=record.also_published_as or None,
    )


def build_search_address(ask: PatentSearchRequest, number: PatentNumber | None) -> str:
    """The same search on the page of Google Patents, for a person."""
    words = number.normalized if number is not None else ask.query
    if ask.cpc_code:
        words = f"{words or ''} CPC={ask.cpc_code}".strip()
    given = {
        "q": words,
        "assignee": strip_company_form(ask.assignee) if ask.assignee else None,
        "inventor": ask.inventor,
        "country": ask.office,
        "after": f"filing:{ask.year_from}0101" if ask.year_from else None,
        "before": f"filing:{ask.year_to}1231" if ask.year_to else None,
        "num": "10",
        "oq": ask.query,
    }
    return _SEARCH_PAGE + "?" + urlencode({name: text for name, text in given.items() if text})


def _explain_no_patents(
    ask: PatentSearchRequest, harvest: PatentHarvest, others: tuple[str, ...]
) -> EmptySearchHints:
    dropped = [
        f"{reply.provider}: our own filters removed {reply.dropped_count} of its results."
        for reply in harvest.replies
        if reply.dropped_count
    ]
    return build_domain_hints(
        filters=tuple(str(name) for name in ask.list_constraints()),
        attempted=harvest.list_asked_databases(),
        failures=tuple(harvest.failures.values()),
        others=others,
        details=(*dropped, *harvest.notes),
    )
