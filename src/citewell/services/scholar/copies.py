"""Free copies of works, from those who keep track of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from citewell.model.paper import Copy, Paper
from citewell.ports import Offer, OpenCopies
from citewell.services.scholar.panel import Panel

_ENRICHING = "unpaywall"
_AT_ONCE = 10
_PATIENCE = 6.0  # seconds for all of them together
_GRACE = 2.0  # seconds for the last of them, once the others have answered
_VERSIONS = {"publishedVersion": 0, "acceptedVersion": 1, "submittedVersion": 2}


class Copies:
    def __init__(self, panel: Panel, *, patience: float = _PATIENCE) -> None:
        self._panel = panel
        self._patience = patience
        self._gate = asyncio.Semaphore(_AT_ONCE)

    async def enriched(self, papers: Sequence[Paper]) -> tuple[Paper, ...]:
        """The papers, those with a DOI and no PDF with the best free one; never an error."""
        if _ENRICHING not in self._panel.able(Offer.COPIES):
            return tuple(papers)
        lacking = [paper for paper in papers if paper.doi and not paper.pdf_url]
        tasks = {
            paper.doi: asyncio.create_task(self._asked(paper.doi)) for paper in lacking if paper.doi
        }
        try:
            if tasks:
                await asyncio.wait(tasks.values(), timeout=self._patience)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        known = {doi: task.result() for doi, task in tasks.items() if not task.cancelled()}
        return tuple(_with(paper, known.get(paper.doi or "", ())) for paper in papers)

    async def of(self, doi: str) -> tuple[Copy, ...]:
        """Every copy that anybody knows of."""

        async def question(provider: object) -> tuple[Copy, ...] | None:
            if not isinstance(provider, OpenCopies):
                raise TypeError("a provider declares copies and does not offer them")
            return await provider.copies(doi)

        names = self._panel.able(Offer.COPIES)
        answers = await self._panel.together(
            names, question, enough=lambda done: len(done) >= len(names) - 1, grace=_GRACE
        )
        return tuple(dict.fromkeys(copy for one in answers for copy in one.value or ()))

    async def _asked(self, doi: str) -> tuple[Copy, ...]:
        provider = self._panel.provider(_ENRICHING)
        if not isinstance(provider, OpenCopies):
            raise TypeError(f"{_ENRICHING} declares copies and does not offer them")
        async with self._gate:
            answer = await self._panel.ask(_ENRICHING, lambda: provider.copies(doi))
        return answer.value or ()


def best(copies: Sequence[Copy]) -> list[Copy]:
    """The published version first, and of one version the PDF."""
    return sorted(copies, key=lambda copy: (_VERSIONS.get(copy.version or "", 3), not copy.pdf))


def _with(paper: Paper, copies: Sequence[Copy]) -> Paper:
    if not copies:
        return paper
    pdf = next((copy.url for copy in best(copies) if copy.pdf), None)
    provenance = dict(paper.provenance)
    if pdf is not None and paper.pdf_url is None:
        provenance["pdf_url"] = _ENRICHING
    return paper.with_(
        pdf_url=paper.pdf_url or pdf,
        open_access=True,
        copies=tuple(dict.fromkeys((*paper.copies, *copies))),
        provenance=provenance,
    )
