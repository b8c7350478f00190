"""Finds free copies of works through the providers that list them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from citewell.model.paper import OpenCopy, Paper
from citewell.ports import Offer, OpenCopies
from citewell.services.routing.provider_panel import ProviderPanel

_ENRICHING_PROVIDER = "unpaywall"
_MAX_CONCURRENT_LOOKUPS = 10
_ENRICH_TIMEOUT_SECONDS = 6.0  # seconds for all papers together
_LAST_ANSWER_GRACE_SECONDS = 2.0  # seconds for the last provider, once the others have answered
_VERSION_RANKS = {"publishedVersion": 0, "acceptedVersion": 1, "submittedVersion": 2}


class OpenCopyFinder:
    def __init__(
        self, panel: ProviderPanel, *, timeout_seconds: float = _ENRICH_TIMEOUT_SECONDS
    ) -> None:
        self._panel = panel
        self._patience = timeout_seconds
        self._lookup_slots = asyncio.Semaphore(_MAX_CONCURRENT_LOOKUPS)

    async def add_open_copies(self, papers: Sequence[Paper]) -> tuple[Paper, ...]:
        """The papers, with the best free PDF where one was missing; failures are ignored."""
        if _ENRICHING_PROVIDER not in self._panel.list_able_providers(Offer.COPIES):
            return tuple(papers)
        lacking = [paper for paper in papers if paper.doi and not paper.pdf_url]
        tasks = {
            paper.doi: asyncio.create_task(self._ask_enriching_provider(paper.doi))
            for paper in lacking
            if paper.doi
        }
        try:
            if tasks:
                await asyncio.wait(tasks.values(), timeout=self._patience)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        known = {doi: task.result() for doi, task in tasks.items() if not task.cancelled()}
        return tuple(_merge_paper_copies(paper, known.get(paper.doi or "", ())) for paper in papers)

    async def list_known_copies(self, doi: str) -> tuple[OpenCopy, ...]:
        """All copies of the work that any provider lists."""

        async def question(provider: object) -> tuple[OpenCopy, ...] | None:
            if not isinstance(provider, OpenCopies):
                raise TypeError("a provider declares copies but does not implement them")
            return await provider.list_open_copies(doi)

        names = self._panel.list_able_providers(Offer.COPIES)
        answers = await self._panel.ask_together(
            names,
            question,
            enough=lambda done: len(done) >= len(names) - 1,
            grace_seconds=_LAST_ANSWER_GRACE_SECONDS,
        )
        return tuple(dict.fromkeys(copy for one in answers for copy in one.value or ()))

    async def _ask_enriching_provider(self, doi: str) -> tuple[OpenCopy, ...]:
        provider = self._panel.load_provider(_ENRICHING_PROVIDER)
        if not isinstance(provider, OpenCopies):
            raise TypeError(f"{_ENRICHING_PROVIDER} declares copies but does not implement them")
        async with self._lookup_slots:
            answer = await self._panel.ask_provider(
                _ENRICHING_PROVIDER, lambda: provider.list_open_copies(doi)
            )
        return answer.value or ()


def rank_by_version(copies: Sequence[OpenCopy]) -> list[OpenCopy]:
    """The copies by version, published first; within a version, PDFs first."""
    return sorted(
        copies, key=lambda copy: (_VERSION_RANKS.get(copy.version or "", 3), not copy.pdf)
    )


def _merge_paper_copies(paper: Paper, copies: Sequence[OpenCopy]) -> Paper:
    if not copies:
        return paper
    pdf = next((copy.url for copy in rank_by_version(copies) if copy.pdf), None)
    provenance = dict(paper.provenance)
    if pdf is not None and paper.pdf_url is None:
        provenance["pdf_url"] = _ENRICHING_PROVIDER
    return paper.with_changes(
        pdf_url=paper.pdf_url or pdf,
        open_access=True,
        copies=tuple(dict.fromkeys((*paper.copies, *copies))),
        provenance=provenance,
    )
