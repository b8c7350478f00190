"""Builds the answer of a search for patents from what the providers found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from urllib.parse import urlencode

from citewell.core.errors import CitewellError
from citewell.core.values.search_results import EmptySearchHints, FilterReport
from citewell.domains.patents.patent_numbers import PatentNumber, parse_patent_number
from citewell.domains.patents.patent_records import (
    PatentArguments,
    PatentRecord,
    PatentResult,
    PatentsAnswer,
    strip_company_form,
)
from citewell.search import result_filters
from citewell.search.search_hints import build_domain_hints
from citewell.text.data_tables import load_table

WEB_DISCOVERY = "web_discovery"
_UNKNOWN_ASSIGNEE = "not stated"

_GRANT_LETTERS: dict[str, str] = {"US": "BESP", "EP": "B", "JP": "B", "CN": "BCUYSD", "KR": "BYS"}
_US_GRANTS = frozenset({"A", "B1", "B2", "E", "E1", "S", "S1", "P", "P2", "P3"})

_SEARCH_PAGE = "https://patents.google.com/"
_MAX_LISTED_CLUSTERS = 10
_FILING_NOTE = "a filing that is not published"


def build_patents_answer(
    request: PatentArguments,
    harvest: PatentHarvest,
    *,
    source: str,
    number: PatentNumber | None,
    others: tuple[str, ...],
) -> PatentsAnswer:
    """`others` are the healthy providers that were not asked."""
    found = harvest.list_patents()
    clusters = None
    if request.search_type == "landscape" and found:
        clusters = dict(list(count_assignees(found).items())[:_MAX_LISTED_CLUSTERS])
        found = spread_assignees(found)
    shown = tuple(map(build_patent_result, found[: request.count]))
    failed = [f"{', '.join(harvest.failures)} could not answer."] if harvest.failures else []
    reports = result_filters.merge_filter_reports(reply.reports for reply in harvest.replies)
    return PatentsAnswer(
        patents=shown,
        query=request.describe_request(),
        search_type=request.search_type,
        result_count=len(shown),
        source=source,
        search_url=build_search_address(request, number),
        assignee_clusters=clusters,
        hints=None if shown else _explain_no_patents(request, harvest, others),
        filters=reports or None,
        notes=(tuple(dict.fromkeys([*failed, *harvest.notes])) or None) if shown else None,
    )


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


def build_search_address(request: PatentArguments, number: PatentNumber | None) -> str:
    """The same search on the page of Google Patents, for a person."""
    words = number.normalized if number is not None else request.query
    if request.cpc_code:
        words = f"{words or ''} CPC={request.cpc_code}".strip()
    given = {
        "q": words,
        "assignee": strip_company_form(request.assignee) if request.assignee else None,
        "inventor": request.inventor,
        "country": request.office,
        "after": f"filing:{request.year_from}0101" if request.year_from else None,
        "before": f"filing:{request.year_to}1231" if request.year_to else None,
        "num": "10",
        "oq": request.query,
    }
    return _SEARCH_PAGE + "?" + urlencode({name: text for name, text in given.items() if text})


def _explain_no_patents(
    request: PatentArguments, harvest: PatentHarvest, others: tuple[str, ...]
) -> EmptySearchHints:
    dropped = [
        f"{reply.provider}: our own filters removed {reply.dropped_count} of its results."
        for reply in harvest.replies
        if reply.dropped_count
    ]
    return build_domain_hints(
        filters=tuple(str(name) for name in request.list_constraints()),
        attempted=harvest.list_asked_databases(),
        failures=tuple(harvest.failures.values()),
        others=others,
        details=(*dropped, *harvest.notes),
    )


# Says in words what the kind code of a patent number means at each office.


def explain_kind_code(office: str, kind: str | None) -> str | None:
    """What the code means at this office; None if there is no code or it is unknown."""
    if not kind:
        return None
    # What WIPO's standard ST.16 and the offices say; a letter alone stands for all its digits.
    table = load_table(__package__, "kind_codes")
    known: Mapping[str, str] = table["offices"].get(office, table["other_offices"])
    return known.get(kind) or known.get(kind[:1])


def is_granted_kind(office: str, kind: str | None) -> bool:
    """Whether a publication of this kind is a granted right."""
    if not kind:
        return False
    if office == "US":
        return kind in _US_GRANTS
    return kind[:1] in _GRANT_LETTERS.get(office, "BC") and kind not in {"B8", "B9"}


# What the providers of patents answered in one search, with one record for each publication or family.


def merge_patent_records(records: Iterable[PatentRecord]) -> tuple[PatentRecord, ...]:
    """Each publication once, in the order of the first record of each.

    Publications of one family are merged only if a source says that they belong together: it lists
    one as another publication of the other, or gives both the same family.
    """
    merged: list[PatentRecord] = []
    for record in records:
        for place, known in enumerate(merged):
            if _is_same_publication(known, record):
                merged[place] = _fill_from_other(known, record)
                break
            if _is_same_family(known, record):
                merged[place] = _add_family_member(known, record)
                break
        else:
            merged.append(record)
    return tuple(merged)


def count_assignees(records: Iterable[PatentRecord]) -> dict[str, int]:
    """How many records each assignee has, the most frequent first; legal forms do not count."""
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for record in records:
        name = strip_company_form(record.assignees[0]) if record.assignees else _UNKNOWN_ASSIGNEE
        key = name.casefold()
        names.setdefault(key, name)
        counts[key] += 1
    return {names[key]: count for key, count in counts.most_common()}


def spread_assignees(records: Sequence[PatentRecord]) -> tuple[PatentRecord, ...]:
    """The records with the first of every assignee first, then the second of each, and so on."""
    seen: Counter[str] = Counter()
    turns: list[tuple[int, int, PatentRecord]] = []
    for place, record in enumerate(records):
        key = strip_company_form(record.assignees[0]).casefold() if record.assignees else ""
        turns.append((seen[key], place, record))
        seen[key] += 1
    return tuple(record for _turn, _place, record in sorted(turns, key=lambda item: item[:2]))


def _is_same_publication(this: PatentRecord, other: PatentRecord) -> bool:
    if this.number == other.number:
        return True
    if this.kind_code and other.kind_code:
        return False
    first, second = parse_patent_number(this.number), parse_patent_number(other.number)
    if first is None or second is None or first.is_filing or second.is_filing:
        return False
    return first.base == second.base  # one source left the kind out


def _is_same_family(this: PatentRecord, other: PatentRecord) -> bool:
    if other.number in this.also_published_as or this.number in other.also_published_as:
        return True
    same_source = this.source == other.source and this.family_id is not None
    return same_source and this.family_id == other.family_id


def _fill_from_other(record: PatentRecord, other: PatentRecord) -> PatentRecord:
    """The record with the number that has a kind, and blanks filled from the other."""
    number = record if record.kind_code or not other.kind_code else other
    missing = {
        declared.name: getattr(other, declared.name)
        for declared in fields(record)
        if not getattr(record, declared.name) and getattr(other, declared.name)
    }
    if record.title == record.number and other.title != other.number:
        missing["title"] = other.title
    filled = replace(record, **missing)
    return replace(filled, number=number.number, kind_code=number.kind_code)


def _add_family_member(record: PatentRecord, other: PatentRecord) -> PatentRecord:
    listed = (*record.also_published_as, other.number, *other.also_published_as)
    others = dict.fromkeys(number for number in listed if number != record.number)
    return replace(
        record,
        also_published_as=tuple(others),
        family_id=record.family_id or other.family_id,
        abstract=record.abstract or other.abstract,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PatentReply:
    """One provider's patents after our own filters, and who applied which filter."""

    provider: str
    patents: tuple[PatentRecord, ...]
    reports: tuple[FilterReport, ...] = ()
    dropped_count: int = 0


@dataclass(slots=True)
class PatentHarvest:
    """The replies and failures of all providers that were asked."""

    replies: list[PatentReply] = field(default_factory=list)
    failures: dict[str, CitewellError] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def list_patents(self) -> tuple[PatentRecord, ...]:
        """The patents of all replies, each publication once."""
        return merge_patent_records(patent for reply in self.replies for patent in reply.patents)

    def list_asked_databases(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(reply.provider for reply in self.replies), *self.failures]))

    def find_source(self) -> str:
        """The provider that found something, else the first that answered."""
        able = [reply for reply in self.replies if reply.patents] or self.replies
        return able[0].provider if able else WEB_DISCOVERY
