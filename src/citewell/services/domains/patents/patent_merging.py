"""Makes one record of several that describe the same publication, or publications of one family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

from citewell.model.domains.patent import PatentRecord
from citewell.text.patents.party_names import strip_company_form
from citewell.text.patents.patent_numbers import parse_patent_number

_UNKNOWN_ASSIGNEE = "not stated"


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
    return tuple(record for _turn, _place, record in sorted(turns, key=lambda one: one[:2]))


def _is_same_publication(one: PatentRecord, other: PatentRecord) -> bool:
    if one.number == other.number:
        return True
    if one.kind_code and other.kind_code:
        return False
    first, second = parse_patent_number(one.number), parse_patent_number(other.number)
    if first is None or second is None or first.is_filing or second.is_filing:
        return False
    return first.base == second.base  # one source left the kind out


def _is_same_family(one: PatentRecord, other: PatentRecord) -> bool:
    if other.number in one.also_published_as or one.number in other.also_published_as:
        return True
    same_source = one.source == other.source and one.family_id is not None
    return same_source and one.family_id == other.family_id


def _fill_from_other(record: PatentRecord, other: PatentRecord) -> PatentRecord:
    """The record with the number that has a kind, and blanks filled from the other."""
    number = record if record.kind_code or not other.kind_code else other
    missing = {
        field.name: getattr(other, field.name)
        for field in fields(record)
        if not getattr(record, field.name) and getattr(other, field.name)
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
