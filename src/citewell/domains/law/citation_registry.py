"""Asks the registries of law for citations and for cases by name; what failed says nothing about a citation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from citewell.core.errors import CitewellError, InternalError, RateLimited
from citewell.core.values.court_case import CaseQuery, CitationMatch, CourtCase, LegalCitation
from citewell.domains.law.citation_forms import list_celex_readings
from citewell.domains.law.name_matching import list_party_words
from citewell.routing.ports import CaseSearch, CitationLookup, Offer
from citewell.routing.provider_panel import ProviderPanel

_MAX_PARTY_WORDS = 2  # words of a party that are searched for: registries abbreviate the others
_MAX_QUERY_CHARS = 120

MAX_CONCURRENT_LOOKUPS = 4  # registries are paced; more would wait so long that they time out
_MAX_PAUSE_SECONDS = 5.0  # a registry that asks for a longer pause is not asked again
_NAME_CANDIDATES = 20  # cases of a name search that are compared


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryAnswer:
    """What the registries said of one citation; `is_answered` if at least one could be asked."""

    cases: tuple[CourtCase, ...] = ()
    is_answered: bool = False
    is_reporter_known: bool = True
    is_covered: bool = True  # False if no configured registry has this kind of citation
    provenance: tuple[str, ...] = ()
    registry: str = ""  # the title of the one that answered


class CitationRegistry:
    def __init__(
        self,
        panel: ProviderPanel,
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._panel = panel
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_LOOKUPS)  # for searches
        self._lookup_slots: dict[str, asyncio.Semaphore] = {}
        self._pause = pause

    async def look_up_anywhere(self, citation: LegalCitation) -> RegistryAnswer:
        """The cases at this citation, from the first registry that has any; a failure does not raise."""
        names = self._list_registries(citation.kind)
        if not names:
            return RegistryAnswer(is_covered=False)
        asked = [
            _strip_private_parts(citation, reading) for reading in list_celex_readings(citation)
        ]
        provenance: list[str] = []
        answered: list[tuple[str, CitationMatch]] = []
        for name in names:
            title = self._panel.find_provider_spec(name).title
            for reporter in asked:
                match = await self._ask_registry(name, reporter)
                if isinstance(match, CitewellError):
                    provenance.append(f"{title}: could not be asked ({match.kind})")
                    answered = [entry for entry in answered if entry[0] != title]
                    break
                answered.append((title, match))
                if match.cases:
                    provenance.append(f"{title}: {reporter.normalized} found")
                    return RegistryAnswer(
                        cases=match.cases,
                        is_answered=True,
                        provenance=tuple(provenance),
                        registry=title,
                    )
            else:
                provenance.append(f"{title}: {citation.normalized} not found")
        return RegistryAnswer(
            is_answered=bool(answered),
            is_reporter_known=any(match.is_reporter_known for _, match in answered),
            provenance=tuple(provenance),
            registry=answered[0][0] if answered else "",
        )

    async def search_named_cases(
        self, name: str, kind: str
    ) -> tuple[tuple[CourtCase, ...], str] | None:
        """Cases with a name like this and the registry's title; None if nobody could be asked."""
        wanted = build_name_query(name)
        if not wanted:
            return None
        query = CaseQuery(text=wanted, count=_NAME_CANDIDATES)
        for provider in self._list_registries(kind):
            searcher = self._panel.load_provider(provider)
            if not isinstance(searcher, CaseSearch):
                continue
            async with self._slots:
                answer = await self._panel.ask_provider(
                    provider, partial(searcher.search_cases, query)
                )
            if answer.value is not None:
                title = self._panel.find_provider_spec(provider).title
                return answer.value.cases, title
        return None

    async def complete_courts(
        self, citation: LegalCitation, cases: tuple[CourtCase, ...]
    ) -> tuple[CourtCase, ...]:
        """The cases with their courts, which an exact lookup does not state; unchanged if nobody says."""
        query = CaseQuery(text=citation.normalized, count=5)
        for provider in self._list_registries(citation.kind):
            searcher = self._panel.load_provider(provider)
            if not isinstance(searcher, CaseSearch):
                continue
            async with self._slots:
                answer = await self._panel.ask_provider(
                    provider, partial(searcher.search_cases, query)
                )
            known = {case.url: case for case in (answer.value.cases if answer.value else ())}
            return tuple(_add_court(case, known.get(case.url)) for case in cases)
        return cases

    def _list_registries(self, kind: str) -> tuple[str, ...]:
        return tuple(
            name
            for name in self._panel.list_able_providers(Offer.CITATIONS)
            if kind in getattr(self._panel.load_provider(name), "citation_kinds", ())
        )

    async def _ask_registry(
        self, name: str, citation: LegalCitation
    ) -> CitationMatch | CitewellError:
        provider = self._panel.load_provider(name)
        if not isinstance(provider, CitationLookup):
            return InternalError(f"{name} declares citations but cannot look them up.")
        error = await self._ask_once(name, provider, citation)
        if isinstance(error, RateLimited) and 0 < (error.retry_after or 0) <= _MAX_PAUSE_SECONDS:
            await self._pause(error.retry_after or 0)
            return await self._ask_once(name, provider, citation)
        return error

    def _find_slots(self, name: str, provider: CitationLookup) -> asyncio.Semaphore:
        """The slots for lookups; a provider that sends them together says how many it takes."""
        if name not in self._lookup_slots:
            at_once = getattr(provider, "lookups_at_once", MAX_CONCURRENT_LOOKUPS)
            self._lookup_slots[name] = asyncio.Semaphore(at_once)
        return self._lookup_slots[name]

    async def _ask_once(
        self, name: str, provider: CitationLookup, citation: LegalCitation
    ) -> CitationMatch | CitewellError:
        async with self._find_slots(name, provider):
            answer = await self._panel.ask_provider(
                name, lambda: provider.look_up_citation(citation)
            )
        if answer.error is not None:
            return answer.error
        return answer.value or CitationMatch(provider=name)


def _add_court(case: CourtCase, other: CourtCase | None) -> CourtCase:
    if other is None:
        return case
    return replace(case, court=other.court, court_id=other.court_id, court_label=other.court_label)


def _strip_private_parts(citation: LegalCitation, normalized: str) -> LegalCitation:
    """The citation alone: nothing else of a draft may leave the machine with a lookup."""
    return replace(
        citation,
        normalized=normalized,
        text="",
        pin_cite=None,
        start=None,
        end=None,
        case_name=None,
    )


# Builds the query that finds a case by its name.


def build_name_query(name: str) -> str:
    """The most telling words of each party, as "Brown v. Board"; empty if there are none.

    Only words of the name itself go into it, never other words of the text.
    """
    parties = [words for words in list_party_words(name) if words]
    if len(parties) == 2:
        # Registries write agencies in full, so an acronym would find nothing.
        parties = [words for words in parties if not words[0].isupper()] or parties
    chosen = [" ".join(words[:_MAX_PARTY_WORDS]) for words in parties]
    return " v. ".join(chosen)[:_MAX_QUERY_CHARS]
