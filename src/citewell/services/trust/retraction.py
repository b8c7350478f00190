"""Whether a work still stands: what registries and the offline table say of it, weighed together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from citewell.errors import CitewellError, NetworkFailed, Unavailable
from citewell.model.paper import Event, Paper, PaperId, Scheme
from citewell.model.scrape import RetractionStatus
from citewell.ports import Integrity, Offer, PaperLookupMany
from citewell.services.catalogue import Catalogue
from citewell.services.scholar.bundles import Bundles
from citewell.services.trust.weighing import FLAG, Setting, weigh
from citewell.store.retractions import Edition, RetractionTable

logger = logging.getLogger(__name__)

TABLE = "offline table"
PATIENCE = 8.0  # seconds for one registry: whoever reads a page must not wait longer for its record
_RECORDS = ("crossref", "europepmc", "pubmed", FLAG)  # whose records hold their notices
_ORDER = ("crossref", "europepmc", "pubmed")  # by how much of the record they see; others follow


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was found, and who was asked; `status` is None for a clean record."""

    status: RetractionStatus | None
    answered: tuple[str, ...] = ()  # who knows the work, or is the offline table
    failed: tuple[str, ...] = ()  # who could not be asked
    as_of: str | None = None  # the table's date, where nobody else could say


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """One source's answer: None for a work it does not know, an error where it gave none."""

    name: str
    events: tuple[Event, ...] | None = None
    error: CitewellError | None = None

    @property
    def knows(self) -> bool:
        """Names its notices and knows the work: what it does not have is not there."""
        return self.events is not None and self.name != FLAG


class Retractions:
    def __init__(
        self,
        catalogue: Catalogue,
        table: RetractionTable | None = None,
        *,
        patience: float = PATIENCE,
    ) -> None:
        """Without a table, or before one is imported, the registries alone are asked."""
        self._catalogue = catalogue
        self._table = table
        self._patience = patience
        self._bundles = Bundles()

    async def status(self, doi: str, *, paper: Paper | None = None) -> RetractionStatus | None:
        """None for a work with a clean record; an error when nobody could see its record."""
        return (await self.look(doi, paper=paper)).status

    async def look(
        self,
        doi: str,
        *,
        paper: Paper | None = None,
        thorough: bool = False,
        unknown: Collection[str] = (),
    ) -> Checked:
        """The record with who gave it; `thorough` asks everybody, not just until one knows the work.

        Who is `unknown` has said already that it does not know the work, and is not asked again.
        Raises Unavailable when neither a registry nor the table could say anything.
        """
        wanted = {Scheme.DOI: doi.lower(), **(_pmid(paper))}
        (edition, rows), said = await asyncio.gather(
            self._looked_up(wanted),
            self._asked(wanted, paper, thorough=thorough, unknown=unknown),
        )
        heard = [one for one in said if one.events is not None]
        failed = tuple(one.name for one in said if one.error is not None)
        if not heard and edition is None and (failed or not said):
            raise _nobody(said)
        alone = not heard and bool(failed or not said)
        setting = Setting(
            table_date=edition.dated if edition else None,
            table_alone=alone,
            doubted=any(one.knows for one in said),
        )
        events = [*rows, *(event for one in heard for event in one.events or ())]
        return Checked(
            status=weigh(events, setting),
            answered=(*(one.name for one in heard), *([TABLE] if edition else [])),
            failed=failed,
            as_of=setting.table_date if alone else None,
        )

    async def _looked_up(
        self, wanted: dict[Scheme, str]
    ) -> tuple[Edition | None, tuple[Event, ...]]:
        """What the table has; a store that cannot be read counts as no table."""
        if self._table is None:
            return None, ()
        try:
            edition = await self._table.edition()
            if edition is None:
                return None, ()
            pmid = wanted.get(Scheme.PMID, "")
            return edition, await self._table.events(doi=wanted[Scheme.DOI], pmid=pmid)
        except CitewellError as error:
            logger.warning("The offline table of retractions cannot be read. %s", error.message)
            return None, ()

    async def _asked(
        self,
        wanted: dict[Scheme, str],
        paper: Paper | None,
        *,
        thorough: bool,
        unknown: Collection[str],
    ) -> tuple[_Said, ...]:
        """Known answers first, then the best registry, then the others where they are needed."""
        said = [*_told(paper), *(_Said(name=name) for name in unknown if not thorough)]
        heard = {one.name for one in said}
        names = [name for name in self._names() if name not in heard]
        for group in (names,) if thorough else (names[:1], names[1:]):
            if not thorough and any(one.knows for one in said):
                break
            said += await asyncio.gather(*(self._ask(name, wanted) for name in group))
        return tuple(said)

    def _names(self) -> tuple[str, ...]:
        able = self._catalogue.offering(Offer.INTEGRITY)
        best = [name for name in _ORDER if name in able]
        return (*best, *(name for name in able if name not in best))

    async def _ask(self, name: str, wanted: dict[Scheme, str]) -> _Said:
        scheme = Scheme.PMID if name == "pubmed" and Scheme.PMID in wanted else Scheme.DOI
        try:
            async with asyncio.timeout(self._patience):
                events = await self._events(name, PaperId(scheme=scheme, value=wanted[scheme]))
        except TimeoutError:
            slow = NetworkFailed("The registry took too long.", provider=name)
            return _Said(name=name, error=slow)
        except CitewellError as error:
            return _Said(name=name, error=error)
        return _Said(name=name, events=events)

    async def _events(self, name: str, paper_id: PaperId) -> tuple[Event, ...] | None:
        """From its record where that holds them, for records can be had by the dozen."""
        provider = self._catalogue.provider(name)
        if name != FLAG and name in _RECORDS and isinstance(provider, PaperLookupMany):
            paper = await self._bundles.paper(provider, paper_id)
            return None if paper is None else paper.events
        return await provider.events(paper_id) if isinstance(provider, Integrity) else None


def _pmid(paper: Paper | None) -> dict[Scheme, str]:
    found = paper.ids.get(Scheme.PMID) if paper is not None else None
    return {Scheme.PMID: found} if found else {}


def _told(paper: Paper | None) -> Iterator[_Said]:
    """What the record in hand says of itself already: the registries it came from need no asking."""
    if paper is None:
        return
    sources = {paper.source, *paper.provenance.values()}
    for name in _RECORDS:
        events = tuple(event for event in paper.events if _teller(event) == name)
        if events or name in sources:
            yield _Said(name=name, events=events)


def _teller(event: Event) -> str:
    """Crossref passes on what publishers and Retraction Watch say, and names these."""
    return event.source if event.source in _RECORDS else "crossref"


def _nobody(said: Iterable[_Said]) -> CitewellError:
    first = next((one.error for one in said if one.error is not None), None)
    return Unavailable(
        "Nobody could say whether the work was retracted; `citewell data update` brings a table"
        " that can be asked without a network.",
        provider=first.provider if first else None,
        retry_after=first.retry_after if first else None,
    )
