"""What of a draft is checked: each distinct reference once, and the statements that cite it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from citewell.model.draft import Draft, DraftReference, DraftStatement
from citewell.model.reference import Reference
from citewell.services.trust.references import audited_references


class CheckFocus(StrEnum):
    EXISTENCE = "existence"
    SUPPORT = "support"
    LINKS = "links"
    ALL = "all"

    @property
    def asks_support(self) -> bool:
        return self in {CheckFocus.SUPPORT, CheckFocus.ALL}


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSource:
    """A reference that is looked up and read once, with all places of the draft that mean it."""

    reference: Reference  # what may be told to registries
    is_structured: bool  # its fields were given, not guessed from text
    reference_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlan:
    sources: tuple[CitedSource, ...]
    source_by_reference: Mapping[str, int]  # the place in `sources`
    statements: tuple[DraftStatement, ...]  # that cite something, by themselves or together
    citations_by_id: Mapping[str, tuple[str, ...]]  # the references that each citation means
    skipped_count: int = 0

    def list_own_sources(self, statement: DraftStatement) -> tuple[int, ...]:
        """The places of the sources that the statement itself cites, each once."""
        return self._list_planned_sources(statement.citation_ids)

    def list_shared_sources(self, statement: DraftStatement) -> tuple[int, ...]:
        """Those of the citations that stand for a run of sentences."""
        return self._list_planned_sources(statement.shared_citation_ids)

    def _list_planned_sources(self, citation_ids: Sequence[str]) -> tuple[int, ...]:
        references = (one for each in citation_ids for one in self.citations_by_id.get(each, ()))
        found = (self.source_by_reference.get(one) for one in references)
        return tuple(dict.fromkeys(one for one in found if one is not None))


def build_check_plan(draft: Draft, *, max_statements: int) -> CheckPlan:
    """The plan; statements beyond `max_statements` are counted as skipped."""
    sources: dict[Reference, CitedSource] = {}
    for one in draft.references:
        reference = prepare_reference(one)
        structured = bool(reference.kind) or (not one.is_listed and bool(reference.authors))
        key = audited_references.build_lookup_key(reference, structured=structured)
        known = sources.get(key)
        ids = (*(known.reference_ids if known else ()), one.id)
        sources[key] = CitedSource(
            reference=known.reference if known else reference,
            is_structured=structured,
            reference_ids=ids,
        )
    listed = tuple(sources.values())
    cited = [one for one in draft.statements if one.citation_ids or one.shared_citation_ids]
    return CheckPlan(
        sources=listed,
        source_by_reference={
            each: place for place, one in enumerate(listed) for each in one.reference_ids
        },
        statements=tuple(cited[:max_statements]),
        skipped_count=max(0, len(cited) - max_statements),
        citations_by_id={one.id: one.reference_ids for one in draft.citations},
    )


def prepare_reference(one: DraftReference) -> Reference:
    """The reference as it may be looked up.

    The text of a link is a part of the draft, so a reference that is made of a link or of an
    identifier in the text is looked up by these alone; the authors and the year beside it are
    compared here.
    """
    reference = audited_references.add_address_identifiers(one.reference)
    if one.is_listed or not (reference.ids or reference.url):
        return reference
    return Reference(
        raw=reference.url or " ".join(each.value for each in reference.ids),
        url=reference.url,
        ids=reference.ids,
        kind=reference.kind,
        authors=reference.authors if reference.ids else (),
        year=reference.year if reference.ids else None,
        and_others=reference.and_others,
    )


def list_statement_pairs(plan: CheckPlan) -> Iterator[tuple[int, DraftStatement]]:
    """Each source with each statement that it is to be compared with."""
    for statement in plan.statements:
        own = plan.list_own_sources(statement)
        for place in dict.fromkeys((*own, *plan.list_shared_sources(statement))):
            yield place, statement
