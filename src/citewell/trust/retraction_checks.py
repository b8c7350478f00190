"""Checks whether a work was retracted, from registries (whose notices are cached) and the offline table."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Self

from pydantic import TypeAdapter

from citewell.core.errors import CitewellError, FailureReason, NetworkFailed, UpstreamUnavailable
from citewell.core.service_kit import ServiceKit
from citewell.core.values.paper import IdentifierScheme, IntegrityNotice, Paper, PaperId, WorkAuthor
from citewell.core.values.scrape_results import RetractionStatus
from citewell.routing.ports import IntegrityNotices, Offer, PaperLookupMany
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.scholar.identifier_lookup import LookupBatcher
from citewell.store.cache.answer_sharing import AnswerSharing
from citewell.store.cache.tiered_cache import ResultCache
from citewell.trust.notice_weighing import BARE_FLAG_SOURCE, WeighingContext, weigh_notices
from citewell.trust.retraction_table import RetractionEdition, SqlRetractionTable

NOTICES_TTL_SECONDS = 3600.0  # as long as the record of a work, which has notices too
_NOTICES_VERSION = 2  # raised when NoticedWork changes its shape


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticedWork:
    """A registry's notices about a work; title and authors only if they came in the same answer."""

    events: tuple[IntegrityNotice, ...]
    title: str = ""
    authors: tuple[WorkAuthor, ...] = ()


Notices = NoticedWork | None  # None if the registry does not have the work


class CachedNotices:
    def __init__(self, cached: ResultCache, sharing: AnswerSharing) -> None:
        self._cache = cached
        self._sharing = sharing

    async def load_notices(
        self,
        registry: str,
        paper_id: PaperId,
        fetch: Callable[[], Awaitable[Notices]],
        *,
        tenant: str | None,
    ) -> Notices:
        """The cached answer, or that of `fetch`; what `fetch` raises is raised and not cached."""
        owner = self._sharing.find_cache_owner(tenant, is_public=True)
        if owner is None:
            return await fetch()
        question = ["notices", _NOTICES_VERSION, registry, paper_id.scheme.value, paper_id.value]
        key = hashlib.sha256(json.dumps(question).encode()).hexdigest()
        entry = await self._cache.look_up_entry(owner, key)
        if entry is not None:
            return _build_notices_adapter().validate_json(entry.value)
        found = await fetch()
        data = json.dumps(
            _build_notices_adapter().dump_python(found, mode="json"), ensure_ascii=False
        )
        # Registries may send lone surrogates, which UTF-8 does not have.
        value = data.encode("utf-8", "replace")
        await self._cache.store_entry(owner, key, value, ttl=NOTICES_TTL_SECONDS)
        return found


@cache
def _build_notices_adapter() -> TypeAdapter[Notices]:
    return TypeAdapter(Notices)


logger = logging.getLogger(__name__)

OFFLINE_TABLE_LABEL = "offline table"
REGISTRY_SECONDS = 8.0  # per registry; reading a page waits for this check
_NOTICE_HOLDERS = (
    "crossref",
    "europepmc",
    "pubmed",
    BARE_FLAG_SOURCE,
)  # registries whose paper records contain the notices
_REGISTRY_ORDER = ("crossref", "europepmc", "pubmed")  # the most complete first; others follow
_MAX_KEPT_AUTHORS = 50  # of a record; enough to tell works apart
_PMID_REGISTRIES = ("europepmc", "pubmed")  # know works by their PubMed id


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractionCheck:
    """The status and who answered; `status` is None if there is no notice."""

    status: RetractionStatus | None
    answered: tuple[str, ...] = ()  # registries that have the work, and the offline table
    failed: tuple[str, ...] = ()  # registries that gave no answer
    as_of: str | None = None  # the table's date, if only the table answered
    work: NoticedWork | None = None  # the record of a registry that sent title and authors too


@dataclass(frozen=True, slots=True, kw_only=True)
class _CheckScope:
    """Which registries are asked about a work, and how long."""

    thorough: bool = False  # all of them
    best_only: bool = False  # none but the best one
    unaware: Collection[str] = ()  # registries known not to have the work
    asks_best: bool = False  # the best one even if the record has the notices of another
    skips_bare_flags: bool = False  # not OpenAlex, whose mark alone confirms nothing
    deadline: float | None = None  # on the loop's clock, for all of them together
    tenant: str | None = None  # that asks, if cached answers are kept apart


@dataclass(frozen=True, slots=True, kw_only=True)
class _RegistryAnswer:
    """One registry's answer: `events` is None if it does not have the work or failed."""

    name: str
    events: tuple[IntegrityNotice, ...] | None = None
    error: CitewellError | None = None
    work: NoticedWork | None = None

    @property
    def is_conclusive(self) -> bool:
        """Whether the registry has the work and lists its notices, so that none means none."""
        return self.events is not None and self.name != BARE_FLAG_SOURCE


class RetractionChecker:
    weigh_notices = staticmethod(weigh_notices)

    def __init__(
        self,
        catalogue: ProviderCatalogue,
        table: SqlRetractionTable | None = None,
        *,
        notices: CachedNotices | None = None,
        registry_seconds: float = REGISTRY_SECONDS,
    ) -> None:
        """Without a table, or before one is imported, only the registries are asked.

        `notices` cache their answers; without it they are asked each time.
        """
        self._notices = notices
        self._catalogue = catalogue
        self._table = table
        self._patience = registry_seconds
        self._bundles = LookupBatcher()

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            kit.catalogue,
            SqlRetractionTable(kit.open_state().database),
            notices=CachedNotices(kit.store.cache, kit.sharing),
        )

    async def find_retraction_status(
        self, doi: str, *, paper: Paper | None = None
    ) -> RetractionStatus | None:
        """None if there is no notice about the work; raises Unavailable if that could not be checked."""
        return (await self.check_retraction(doi, paper=paper)).status

    async def check_retraction(
        self,
        doi: str,
        *,
        paper: Paper | None = None,
        thorough: bool = False,
        unaware_registries: Collection[str] = (),
        tenant: str | None = None,
    ) -> RetractionCheck:
        """The retraction status and who answered.

        Registries are asked until one has the work; with `thorough`, all of them. Those in
        `unaware_registries` are known not to have the work and are not asked.
        Raises Unavailable if neither a registry nor the table could answer.
        """
        wanted = {IdentifierScheme.DOI: doi.lower(), **(_find_pmid(paper))}
        scope = _CheckScope(thorough=thorough, unaware=unaware_registries, tenant=tenant)
        return await self._check_work(wanted, paper, scope)

    async def check_mention(
        self, doi: str, *, seconds: float, tenant: str | None = None
    ) -> RetractionCheck:
        """The retraction status of a work that a page mentions, from the best registry and the table.

        Works that are checked at the same time share requests. Raises Unavailable if nobody answered
        within these seconds.
        """
        deadline = asyncio.get_running_loop().time() + seconds
        scope = _CheckScope(best_only=True, deadline=deadline, tenant=tenant)
        return await self._check_work({IdentifierScheme.DOI: doi.lower()}, None, scope)

    async def check_paper(self, paper: Paper, *, seconds: float) -> RetractionCheck:
        """The retraction status of a search result, whoever found it, within these seconds.

        The best registry and the offline table are always asked, so that the same work has the
        same status from every provider. Raises Unavailable if nobody could answer.
        """
        doi = {IdentifierScheme.DOI: paper.doi.lower()} if paper.doi else {}
        scope = _CheckScope(
            asks_best=True,
            skips_bare_flags=True,
            deadline=asyncio.get_running_loop().time() + seconds,
        )
        return await self._check_work({**doi, **_find_pmid(paper)}, paper, scope)

    async def _check_work(
        self, wanted: dict[IdentifierScheme, str], paper: Paper | None, scope: _CheckScope
    ) -> RetractionCheck:
        (edition, rows), replies = await asyncio.gather(
            self._look_up_table(wanted), self._ask_registries(wanted, paper, scope)
        )
        heard = [reply for reply in replies if reply.events is not None]
        failed = tuple(reply.name for reply in replies if reply.error is not None)
        if not heard and edition is None and (failed or not replies):
            raise _build_unavailable_error(replies)
        alone = not heard and bool(failed or not replies)
        setting = WeighingContext(
            table_date=edition.newest_notice_date if edition else None,
            table_alone=alone,
            contradicted_by_registry=any(reply.is_conclusive for reply in replies),
        )
        events = [*rows, *(event for reply in heard for event in reply.events or ())]
        return RetractionCheck(
            status=weigh_notices(events, setting),
            answered=(
                *(reply.name for reply in heard),
                *([OFFLINE_TABLE_LABEL] if edition else []),
            ),
            failed=failed,
            as_of=setting.table_date if alone else None,
            work=next((reply.work for reply in heard if reply.work and reply.work.title), None),
        )

    async def _look_up_table(
        self, wanted: dict[IdentifierScheme, str]
    ) -> tuple[RetractionEdition | None, tuple[IntegrityNotice, ...]]:
        """The table's edition and its notices; a table that cannot be read counts as none."""
        if self._table is None:
            return None, ()
        try:
            edition = await self._table.load_edition()
            if edition is None:
                return None, ()
            return edition, await self._table.find_notices(
                doi=wanted.get(IdentifierScheme.DOI, ""),
                pmid=wanted.get(IdentifierScheme.PMID, ""),
            )
        except CitewellError as error:
            logger.warning("The offline retraction table cannot be read: %s", error.message)
            return None, ()

    async def _ask_registries(
        self, wanted: dict[IdentifierScheme, str], paper: Paper | None, scope: _CheckScope
    ) -> tuple[_RegistryAnswer, ...]:
        """Answers already known from the paper, then the best registry, then the others if needed."""
        replies = [
            *_collect_record_answers(paper),
            *(_RegistryAnswer(name=name) for name in scope.unaware if not scope.thorough),
        ]
        heard = {reply.name for reply in replies}
        able = self._catalogue.list_offering(Offer.INTEGRITY)
        best = [name for name in _REGISTRY_ORDER if name in able]
        every = [*best, *(name for name in able if name not in best)]
        names = [
            name
            for name in every
            if name not in heard
            and _choose_registry_scheme(name, wanted) is not None
            and not (scope.skips_bare_flags and name == BARE_FLAG_SOURCE)
        ]
        if scope.best_only:
            names = names[:1]
        for group in (names,) if scope.thorough else (names[:1], names[1:]):
            is_best = scope.asks_best and group == every[:1]
            if not (scope.thorough or is_best) and any(reply.is_conclusive for reply in replies):
                break
            replies += await asyncio.gather(
                *(self._ask_registry(name, wanted, scope) for name in group)
            )
        return tuple(replies)

    async def _ask_registry(
        self, name: str, wanted: dict[IdentifierScheme, str], scope: _CheckScope
    ) -> _RegistryAnswer:
        scheme = _choose_registry_scheme(name, wanted)
        if scheme is None:
            return _RegistryAnswer(name=name)
        latest = asyncio.get_running_loop().time() + self._patience
        try:
            async with asyncio.timeout_at(min(latest, scope.deadline or latest)):
                work = await self._load_notices(
                    name, PaperId(scheme=scheme, value=wanted[scheme]), scope.tenant
                )
        except TimeoutError:
            slow = NetworkFailed(
                "The registry took too long.", provider=name, reason=FailureReason.TIMEOUT
            )
            return _RegistryAnswer(name=name, error=slow)
        except CitewellError as error:
            return _RegistryAnswer(name=name, error=error)
        return _RegistryAnswer(name=name, events=work.events if work else None, work=work)

    async def _load_notices(
        self, name: str, paper_id: PaperId, tenant: str | None
    ) -> NoticedWork | None:
        if self._notices is None:
            return await self._fetch_notices(name, paper_id)
        return await self._notices.load_notices(
            name, paper_id, lambda: self._fetch_notices(name, paper_id), tenant=tenant
        )

    async def _fetch_notices(self, name: str, paper_id: PaperId) -> NoticedWork | None:
        """The notices, from the paper record if it contains them, because records are fetched in batches."""
        provider = self._catalogue.connect_provider(name)
        if (
            name != BARE_FLAG_SOURCE
            and name in _NOTICE_HOLDERS
            and isinstance(provider, PaperLookupMany)
        ):
            paper = await self._bundles.look_up_in_batch(provider, paper_id)
            if paper is None:
                return None
            return NoticedWork(
                events=paper.events, title=paper.title, authors=paper.authors[:_MAX_KEPT_AUTHORS]
            )
        if not isinstance(provider, IntegrityNotices):
            return None
        events = await provider.list_notices(paper_id)
        return None if events is None else NoticedWork(events=events)


def _choose_registry_scheme(
    name: str, wanted: dict[IdentifierScheme, str]
) -> IdentifierScheme | None:
    """The identifier to ask this registry by; None if it knows works by another kind only."""
    has_pmid = IdentifierScheme.PMID in wanted and name in _PMID_REGISTRIES
    if has_pmid and (name == "pubmed" or IdentifierScheme.DOI not in wanted):
        return IdentifierScheme.PMID
    return IdentifierScheme.DOI if IdentifierScheme.DOI in wanted else None


def _find_pmid(paper: Paper | None) -> dict[IdentifierScheme, str]:
    found = paper.ids.get(IdentifierScheme.PMID) if paper is not None else None
    return {IdentifierScheme.PMID: found} if found else {}


def _collect_record_answers(paper: Paper | None) -> Iterator[_RegistryAnswer]:
    """Answers contained in the paper record: the registries it came from need not be asked again."""
    if paper is None:
        return
    sources = {paper.source, *paper.provenance.values()}
    for name in _NOTICE_HOLDERS:
        events = tuple(
            event
            for event in paper.events
            # Crossref passes on the notices of publishers and of Retraction Watch.
            if (event.source if event.source in _NOTICE_HOLDERS else "crossref") == name
        )
        if events or name in sources:
            yield _RegistryAnswer(name=name, events=events)


def _build_unavailable_error(replies: Iterable[_RegistryAnswer]) -> CitewellError:
    first = next((reply.error for reply in replies if reply.error is not None), None)
    return UpstreamUnavailable(
        "No registry could say whether the work was retracted; `citewell data update` installs"
        " a table that works offline.",
        provider=first.provider if first else None,
        retry_after=first.retry_after if first else None,
    )
