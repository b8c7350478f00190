"""Combines all notices about a work into one status: the most severe one still in effect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citewell.core.values.paper import IntegrityNotice, NoticeKind
from citewell.core.values.scrape_results import NoticeResult, RetractionStatus
from citewell.trust.retraction_table import OFFLINE_TABLE_SOURCE as TABLE

BARE_FLAG_SOURCE = (
    "openalex"  # marks works as retracted without source or date, and is sometimes wrong
)
UNCONFIRMED_RETRACTION = "unconfirmed_retraction"
_NOTICE_SEVERITY = {
    NoticeKind.RETRACTION: 3,
    NoticeKind.CONCERN: 2,
    NoticeKind.CORRECTION: 1,
    NoticeKind.REINSTATEMENT: 0,
}
_RETRACTION_WATCH = "retraction-watch"
_SOURCE_ORDER = (
    _RETRACTION_WATCH,
    "publisher",
    "pubmed",
    "europepmc",
    TABLE,
    BARE_FLAG_SOURCE,
)  # the best first
_PARTIAL_LABEL = "partial"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighingContext:
    """What the result depends on besides the notices."""

    table_date: str | None = None
    table_alone: bool = False  # only the table could answer
    contradicted_by_registry: bool = (
        False  # a registry that lists notices has the work and no notice
    )


def weigh_notices(
    events: Iterable[IntegrityNotice], setting: WeighingContext | None = None
) -> RetractionStatus | None:
    """The combined status; None if no notice is in effect."""
    setting = setting or WeighingContext()
    every = _drop_repeated_notices(events)
    settled, note = _drop_superseded_twin(every)
    standing = _keep_standing_notices(settled)
    flags = [event for event in standing if is_bare_flag(event)]
    firm = [event for event in standing if not is_bare_flag(event)]
    worst = max((_NOTICE_SEVERITY[event.kind] for event in firm), default=-1)
    if flags and worst < _NOTICE_SEVERITY[NoticeKind.CONCERN]:
        return _build_unconfirmed_status(every, flags[0], setting)
    if not firm:
        return None
    return _build_retraction_status(
        every, [event for event in firm if _NOTICE_SEVERITY[event.kind] == worst], note, setting
    )


def is_bare_flag(event: IntegrityNotice) -> bool:
    """Whether it is OpenAlex's bare mark, without a notice or a source."""
    return (
        event.source == BARE_FLAG_SOURCE
        and event.kind is NoticeKind.RETRACTION
        and not event.notice_doi
    )


def _drop_repeated_notices(events: Iterable[IntegrityNotice]) -> list[IntegrityNotice]:
    """Each notice once, from its best source, the oldest first."""
    ranked = sorted(events, key=lambda event: (event.date or "", _rank_notice_source(event)))
    return list(
        {
            (event.kind, event.date, event.notice_doi, event.source): event
            for event in reversed(ranked)
        }.values()
    )[::-1]


def _rank_notice_source(event: IntegrityNotice) -> int:
    return (
        _SOURCE_ORDER.index(event.source) if event.source in _SOURCE_ORDER else len(_SOURCE_ORDER)
    )


def _drop_superseded_twin(
    events: Sequence[IntegrityNotice],
) -> tuple[list[IntegrityNotice], str | None]:
    """The notices without an outdated duplicate, and a note about it.

    If the kind of a Retraction Watch record changes, Crossref adds it again and keeps the old one,
    with the same date and notice. The offline table has the current kind; without it both stay.
    """
    for event in events:
        records = (other for other in events if _is_same_record(event, other))
        twin = next((other for other in records if other.kind is not event.kind), None)
        if twin is None:
            continue
        kinds = f"as {event.kind} and as {twin.kind}"
        table_kinds = {
            row.kind for row in events if row.source == TABLE and _is_same_day(row, event)
        }
        if len(table_kinds) == 1 and table_kinds <= {event.kind, twin.kind}:
            (kind,) = table_kinds
            kept = [
                known_event
                for known_event in events
                if known_event.kind is kind or not _is_same_record(known_event, event)
            ]
            note = f"Crossref repeats one record {kinds}; the offline table has it as {kind}."
            return kept, note
        return list(events), f"Crossref repeats one record {kinds}; read the notice."
    return list(events), None


def _is_same_record(event: IntegrityNotice, other: IntegrityNotice) -> bool:
    ours = event.source == other.source == _RETRACTION_WATCH
    return ours and _is_same_day(event, other) and event.notice_doi == other.notice_doi


def _is_same_day(event: IntegrityNotice, other: IntegrityNotice) -> bool:
    return event.date is not None and event.date == other.date


def _keep_standing_notices(events: Sequence[IntegrityNotice]) -> list[IntegrityNotice]:
    """The notices in effect: after a reinstatement only that one and what came later."""
    back = [event for event in events if event.kind is NoticeKind.REINSTATEMENT]
    if not back:
        return list(events)
    last = max(back, key=lambda event: event.date or "")
    return [
        last,
        *(event for event in events if event is not last and _is_later_notice(event, last)),
    ]


def _is_later_notice(event: IntegrityNotice, other: IntegrityNotice) -> bool:
    """Whether the event is certainly later, at the precision of both dates; False if one is missing."""
    if not event.date or not other.date:
        return False
    exact = min(len(event.date), len(other.date))
    return event.date[:exact] > other.date[:exact]


def _build_retraction_status(
    every: Sequence[IntegrityNotice],
    worst: Sequence[IntegrityNotice],
    note: str | None,
    setting: WeighingContext,
) -> RetractionStatus:
    kind = worst[0].kind
    whole = [event for event in worst if _PARTIAL_LABEL not in event.label]
    worst = whole or worst  # a retraction of the whole work outweighs an earlier partial one
    first = (
        kind is NoticeKind.RETRACTION
    )  # the first retraction counts, but the latest concern or correction
    dated = sorted((event for event in worst if event.date), key=lambda event: event.date or "")
    end = (dated[0] if first else dated[-1]) if dated else None
    # A registry may know only the year: the best source among those of the same time speaks.
    peers = [
        notice
        for notice in dated
        if end and not _is_later_notice(notice, end) and not _is_later_notice(end, notice)
    ] or worst
    chosen = min(peers, key=_rank_notice_source)
    notes = [note] if note else []
    if kind is NoticeKind.RETRACTION and all(_PARTIAL_LABEL in event.label for event in worst):
        notes.append("Only part of the work was retracted.")
    if kind is NoticeKind.REINSTATEMENT:
        notes.append("The work was retracted and later reinstated.")
    if setting.table_alone:
        notes.append(f"From the offline table of {setting.table_date}; no registry could be asked.")
    return RetractionStatus(
        retracted=kind is NoticeKind.RETRACTION,
        kind=kind.value,
        date=chosen.date,
        notice_doi=chosen.notice_doi
        or next(filter(None, (event.notice_doi for event in worst)), None),
        source=_format_notice_source(
            min((e for e in worst if e.date == chosen.date), key=_rank_notice_source), setting
        ),
        severity=_NOTICE_SEVERITY[kind],
        reasons=next(filter(None, (event.reasons for event in worst)), None),
        note=" ".join(notes) or None,
        as_of=setting.table_date if setting.table_alone else None,
        events=_list_integrity_events(every, setting),
    )


def _build_unconfirmed_status(
    every: Sequence[IntegrityNotice], flag: IntegrityNotice, setting: WeighingContext
) -> RetractionStatus:
    """The status for OpenAlex's mark alone, which is not reported as a retraction.

    `retracted` is false only if a registry that lists notices has the work and none about it.
    """
    more = "; registries that list notices have the work and no notice about it"
    note = f"OpenAlex alone marks the work as retracted{more if setting.contradicted_by_registry else ''}."
    return RetractionStatus(
        retracted=False if setting.contradicted_by_registry else None,
        kind=UNCONFIRMED_RETRACTION,
        date=flag.date,
        source=BARE_FLAG_SOURCE,
        severity=_NOTICE_SEVERITY[NoticeKind.CONCERN],
        note=f"{note} Look at the publisher's page.",
        events=_list_integrity_events(every, setting),
    )


def _list_integrity_events(
    every: Sequence[IntegrityNotice], setting: WeighingContext
) -> tuple[NoticeResult, ...] | None:
    if len(every) < 2:
        return None
    return tuple(
        NoticeResult(
            kind=event.kind.value,
            label=event.label or None,
            date=event.date,
            notice_doi=event.notice_doi,
            source=_format_notice_source(event, setting),
        )
        for event in every
    )


def _format_notice_source(event: IntegrityNotice, setting: WeighingContext) -> str:
    if event.source == TABLE and setting.table_date:
        return f"offline table of {setting.table_date}"
    return event.source
