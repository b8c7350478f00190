"""What all notices about a work amount to: the worst that still stands, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citewell.model.paper import Event, Notice
from citewell.model.scrape import IntegrityEvent, RetractionStatus
from citewell.store.retractions import SOURCE as TABLE

FLAG = "openalex"  # who marks works retracted without saying by whom or when; not always rightly
UNCONFIRMED = "unconfirmed_retraction"
_SEVERITY = {
    Notice.RETRACTION: 3,
    Notice.CONCERN: 2,
    Notice.CORRECTION: 1,
    Notice.REINSTATEMENT: 0,
}
_WATCH = "retraction-watch"
_SOURCES = (_WATCH, "publisher", "pubmed", "europepmc", TABLE, FLAG)  # the best first
_PARTIAL = "partial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the weighing must know besides the notices."""

    table_date: str | None = None
    table_alone: bool = False  # nobody but the table could say anything
    doubted: bool = False  # a source that names its notices knows the work and has none


def weigh(events: Iterable[Event], setting: Setting | None = None) -> RetractionStatus | None:
    """The status that all of them make together; None for a clean record."""
    setting = setting or Setting()
    every = _unique(events)
    settled, note = _settled(every)
    standing = _standing(settled)
    flags = [event for event in standing if is_flag(event)]
    firm = [event for event in standing if not is_flag(event)]
    worst = max((_SEVERITY[event.kind] for event in firm), default=-1)
    if flags and worst < _SEVERITY[Notice.CONCERN]:
        return _unconfirmed(every, flags[0], setting)
    if not firm:
        return None
    return _status(
        every, [event for event in firm if _SEVERITY[event.kind] == worst], note, setting
    )


def is_flag(event: Event) -> bool:
    """A bare mark: no date, no notice, nobody who says so."""
    return event.source == FLAG and event.kind is Notice.RETRACTION and not event.notice_doi


def _unique(events: Iterable[Event]) -> list[Event]:
    """Each notice once, as its best source tells it, the oldest first."""
    ranked = sorted(events, key=lambda event: (event.date or "", _rank(event)))
    return list({_facts(event): event for event in reversed(ranked)}.values())[::-1]


def _facts(event: Event) -> tuple[object, ...]:
    return (event.kind, event.date, event.notice_doi, event.source)


def _rank(event: Event) -> int:
    return _SOURCES.index(event.source) if event.source in _SOURCES else len(_SOURCES)


def _settled(events: Sequence[Event]) -> tuple[list[Event], str | None]:
    """Without the leftover half of a record that changed its kind.

    Crossref adds a record of Retraction Watch anew when its kind changes and keeps the old one, with
    the same date and notice. The table has the current one; without it the worst is reported.
    """
    for event in events:
        twin = next((other for other in events if _twins(event, other)), None)
        if twin is None:
            continue
        kinds = f"as {event.kind} and as {twin.kind}"
        told = {row.kind for row in events if row.source == TABLE and _same_day(row, event)}
        if len(told) == 1 and told <= {event.kind, twin.kind}:
            (kind,) = told
            kept = [one for one in events if one.kind is kind or not _same_record(one, event)]
            note = f"Crossref repeats one record {kinds}; the offline table has it as {kind}."
            return kept, note
        return list(events), f"Crossref repeats one record {kinds}; read the notice."
    return list(events), None


def _twins(event: Event, other: Event) -> bool:
    return other.kind is not event.kind and _same_record(event, other)


def _same_record(event: Event, other: Event) -> bool:
    ours = event.source == other.source == _WATCH
    return ours and _same_day(event, other) and event.notice_doi == other.notice_doi


def _same_day(event: Event, other: Event) -> bool:
    return event.date is not None and event.date == other.date


def _standing(events: Sequence[Event]) -> list[Event]:
    """What a reinstatement left standing: itself, and whatever was published after it."""
    back = [event for event in events if event.kind is Notice.REINSTATEMENT]
    if not back:
        return list(events)
    last = max(back, key=lambda event: event.date or "")
    return [last, *(event for event in events if event is not last and _later(event, last))]


def _later(event: Event, other: Event) -> bool:
    """Surely after it: as far as both dates go, and never where one is missing."""
    if not event.date or not other.date:
        return False
    exact = min(len(event.date), len(other.date))
    return event.date[:exact] > other.date[:exact]


def _status(
    every: Sequence[Event], worst: Sequence[Event], note: str | None, setting: Setting
) -> RetractionStatus:
    kind = worst[0].kind
    first = kind is Notice.RETRACTION  # a work is retracted once; doubts and corrections come anew
    dated = sorted((event for event in worst if event.date), key=lambda event: event.date or "")
    chosen = (dated[0] if first else dated[-1]) if dated else min(worst, key=_rank)
    notes = [note] if note else []
    if kind is Notice.RETRACTION and all(_PARTIAL in event.label for event in worst):
        notes.append("Only a part of the work was retracted.")
    if kind is Notice.REINSTATEMENT:
        notes.append("The work was retracted and reinstated later.")
    return RetractionStatus(
        retracted=kind is Notice.RETRACTION,
        kind=kind.value,
        date=chosen.date,
        notice_doi=chosen.notice_doi or next(filter(None, (one.notice_doi for one in worst)), None),
        source=_named(min((e for e in worst if e.date == chosen.date), key=_rank), setting),
        severity=_SEVERITY[kind],
        reasons=next(filter(None, (event.reasons for event in worst)), None),
        note=" ".join([*notes, *_age(setting)]) or None,
        as_of=setting.table_date if setting.table_alone else None,
        events=_listed(every, setting),
    )


def _unconfirmed(every: Sequence[Event], flag: Event, setting: Setting) -> RetractionStatus:
    """OpenAlex has marked sound works before, so its word alone condemns none."""
    more = "; registries that name their notices know the work and have none"
    note = f"OpenAlex alone marks the work as retracted{more if setting.doubted else ''}."
    return RetractionStatus(
        retracted=False,
        kind=UNCONFIRMED,
        date=flag.date,
        source=FLAG,
        severity=_SEVERITY[Notice.CONCERN],
        note=f"{note} Look at the publisher's page.",
        events=_listed(every, setting),
    )


def _age(setting: Setting) -> list[str]:
    if not setting.table_alone:
        return []
    return [f"From the offline table of {setting.table_date}; no registry could be asked."]


def _listed(every: Sequence[Event], setting: Setting) -> tuple[IntegrityEvent, ...] | None:
    if len(every) < 2:
        return None
    return tuple(
        IntegrityEvent(
            kind=event.kind.value,
            label=event.label or None,
            date=event.date,
            notice_doi=event.notice_doi,
            source=_named(event, setting),
        )
        for event in every
    )


def _named(event: Event, setting: Setting) -> str:
    if event.source == TABLE and setting.table_date:
        return f"offline table of {setting.table_date}"
    return event.source
