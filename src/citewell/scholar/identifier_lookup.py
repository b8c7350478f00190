"""Looks up a work by its identifier: whom to ask, in which order, and which registry decides."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.core.values.paper import IdentifierScheme, Paper, PaperId
from citewell.routing.ports import Offer, PaperLookup
from citewell.routing.provider_panel import (
    ABSENT,
    FOUND,
    ProviderAnswer,
    ProviderOutcome,
    ProviderPanel,
)
from citewell.scholar import record_merging
from citewell.scholar.lookup_batches import LookupBatcher

if TYPE_CHECKING:
    from citewell.providers.doi import Provider as DoiRegistry

NOT_REGISTERED, UNCHECKED = "not_registered", "unchecked"
_FIRST_ASKED_COUNT = 2  # providers asked before any other
# Which registry decides whether an identifier exists; for a DOI it is the handle registry.
_SCHEME_AUTHORITIES = {
    IdentifierScheme.ARXIV: "arxiv",
    IdentifierScheme.PMID: "pubmed",
    IdentifierScheme.S2: "semanticscholar",
    IdentifierScheme.OPENALEX: "openalex",
    IdentifierScheme.RFC: "rfceditor",
}  # none for an ISBN: no registry lists every book
_SCHEME_PROVIDER_ORDER = {
    IdentifierScheme.DOI: ("crossref", "openalex", "datacite", "doi", "europepmc", "pubmed"),
    IdentifierScheme.ARXIV: ("arxiv", "openalex", "semanticscholar", "datacite"),
    IdentifierScheme.PMID: ("pubmed", "europepmc", "openalex"),
    IdentifierScheme.PMCID: ("europepmc", "pubmed", "openalex"),
    IdentifierScheme.ISBN: ("openlibrary", "crossref"),
    IdentifierScheme.RFC: ("rfceditor",),
}
# Prefixes of archives that register with DataCite, which alone knows what a preprint became.
_DATACITE_PREFIXES = ("10.48550/", "10.5281/", "10.5061/", "10.6084/", "10.17605/", "10.7910/")
_DOI_AGENCIES = ("datacite", "doi")  # asked together with the handle registry


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRecord:
    """The result of looking up one identifier.

    `found` without a paper means that the identifier is registered but no provider describes it.
    `unchecked` means that the deciding registry could not be asked, so nothing is known.
    """

    paper: Paper | None
    state: str  # found, not_registered or unchecked
    asked: tuple[ProviderOutcome, ...] = ()


class IdentifierLookup:
    def __init__(self, panel: ProviderPanel, bundles: LookupBatcher, *, grace: float) -> None:
        """`grace` is how long others are waited for, in seconds, once one registry has answered."""
        self._panel = panel
        self._bundles = bundles
        self._known: dict[
            IdentifierScheme, tuple[str, ...]
        ] = {}  # providers by scheme; never changes
        self._grace = grace

    async def find_work_record(self, paper_id: PaperId) -> WorkRecord:
        """The merged record of the work; failures of providers are in `asked`, not raised."""
        names = self._list_id_providers(paper_id)
        first, later = names[:_FIRST_ASKED_COUNT], names[_FIRST_ASKED_COUNT:]
        answers = await self._ask_for_descriptions(first, paper_id)
        if _collect_found_papers(answers) or paper_id.scheme is not IdentifierScheme.DOI:
            return await self._resolve_without_registry(paper_id, answers, later)
        return await self._resolve_by_registry(paper_id, answers, later)

    async def _resolve_without_registry(
        self, paper_id: PaperId, answers: tuple[ProviderAnswer[Paper], ...], later: tuple[str, ...]
    ) -> WorkRecord:
        """The record if no handle registry is needed: the scheme's own registry decides."""
        if not _collect_found_papers(answers) and not _is_denied_by_authority(paper_id, answers):
            answers += await self._ask_for_descriptions(later, paper_id)
        if found := _collect_found_papers(answers):
            return _build_work_record(FOUND, answers, paper=record_merging.merge_records(found))
        return _build_work_record(
            NOT_REGISTERED if _is_denied_by_authority(paper_id, answers) else UNCHECKED, answers
        )

    async def _resolve_by_registry(
        self, doi: PaperId, answers: tuple[ProviderAnswer[Paper], ...], later: tuple[str, ...]
    ) -> WorkRecord:
        """The record of a DOI that the first providers lack; the handle registry decides."""
        agencies = [name for name in later if name in _DOI_AGENCIES]
        registry, more = await self._ask_registry_and_agencies(doi, agencies)
        answers += more
        if not _collect_found_papers(answers) and not _is_unregistered(registry):
            rest = [name for name in later if name not in _DOI_AGENCIES]
            answers += await self._ask_for_descriptions(rest, doi)
        asked = tuple(answer.outcome_summary for answer in registry)
        if found := _collect_found_papers(answers):
            return _build_work_record(
                FOUND, answers, paper=record_merging.merge_records(found), also=asked
            )
        known = any(answer.value for answer in registry)
        state = FOUND if known else NOT_REGISTERED if _is_unregistered(registry) else UNCHECKED
        return _build_work_record(state, answers, also=asked)

    async def _ask_registry_and_agencies(
        self, doi: PaperId, agencies: Sequence[str]
    ) -> tuple[tuple[ProviderAnswer[bool], ...], tuple[ProviderAnswer[Paper], ...]]:
        """Ask the registry and the agencies at once; skip the agencies if the DOI is not registered."""
        described = asyncio.create_task(self._ask_for_descriptions(agencies, doi))
        try:
            registry = await self._ask_doi_registry(doi)
            return registry, () if _is_unregistered(registry) else await described
        finally:
            described.cancel()
            await asyncio.gather(described, return_exceptions=True)

    async def _ask_for_descriptions(
        self, names: Iterable[str], paper_id: PaperId
    ) -> tuple[ProviderAnswer[Paper], ...]:
        async def question(provider: PaperLookup) -> Paper | None:
            return _keep_exact_work(
                await self._bundles.look_up_in_batch(provider, paper_id), paper_id
            )

        return await self._panel.ask_together(
            names, question, enough=_has_found_paper, grace_seconds=self._grace
        )

    async def _ask_doi_registry(self, doi: PaperId) -> tuple[ProviderAnswer[bool], ...]:
        async def question(provider: DoiRegistry) -> bool:
            return await provider.is_registered(doi.value)

        return await self._panel.ask_together(
            self._panel.list_able_providers(Offer.REGISTRY), question
        )

    def _list_id_providers(self, paper_id: PaperId) -> tuple[str, ...]:
        names = self._list_scheme_providers(paper_id.scheme)
        if paper_id.scheme is IdentifierScheme.DOI and paper_id.value.startswith(
            _DATACITE_PREFIXES
        ):
            first = [name for name in ("datacite", "openalex") if name in names]
            return (*first, *(name for name in names if name not in first))
        return names

    def _list_scheme_providers(self, scheme: IdentifierScheme) -> tuple[str, ...]:
        if scheme not in self._known:
            names = self._panel.list_able_providers(
                Offer.LOOKUP, _SCHEME_PROVIDER_ORDER.get(scheme, ())
            )
            able = (
                name
                for name in names
                if scheme in _list_provider_schemes(self._panel.load_provider(name))
            )
            self._known[scheme] = tuple(able)
        return self._known[scheme]


def _list_provider_schemes(provider: object) -> frozenset[IdentifierScheme]:
    return provider.schemes if isinstance(provider, PaperLookup) else frozenset()


def _is_denied_by_authority(paper_id: PaperId, answers: Sequence[ProviderAnswer[Paper]]) -> bool:
    authority = _SCHEME_AUTHORITIES.get(paper_id.scheme)
    return any(
        answer.provider == authority and answer.outcome_summary.outcome == ABSENT
        for answer in answers
    )


def _is_unregistered(registry: Sequence[ProviderAnswer[bool]]) -> bool:
    """Whether a registry answered and none has the DOI."""
    heard = [answer for answer in registry if answer.error is None]
    return bool(heard) and not any(answer.value for answer in heard)


def _keep_exact_work(paper: Paper | None, paper_id: PaperId) -> Paper | None:
    """The paper, or None if it has another identifier than the one asked for.

    A record of the DOI system is always kept: it may name the DOI that this one is an alias of.
    """
    if paper is None or paper.source == "doi":
        return paper
    registered = paper.ids.get(paper_id.scheme)
    return paper if registered is None or registered.lower() == paper_id.value.lower() else None


def _collect_found_papers(answers: Iterable[ProviderAnswer[Paper]]) -> list[Paper]:
    return [answer.value for answer in answers if answer.value is not None]


def _has_found_paper(answers: Sequence[ProviderAnswer[Paper]]) -> bool:
    return any(answer.value is not None for answer in answers)


def _build_work_record(
    state: str,
    answers: Iterable[ProviderAnswer[Paper]],
    *,
    paper: Paper | None = None,
    also: tuple[ProviderOutcome, ...] = (),
) -> WorkRecord:
    return WorkRecord(
        paper=paper, state=state, asked=(*(answer.outcome_summary for answer in answers), *also)
    )
