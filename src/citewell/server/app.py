"""The only constructor: settings in, a running research server out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from citewell import providers, tools
from citewell.config import Settings
from citewell.errors import CitewellError, Misconfigured, RateLimited, Refused
from citewell.net import breaker
from citewell.net.network import Network
from citewell.ports import Kit, Spec
from citewell.server import manifest, selection
from citewell.server.completions import Completions
from citewell.server.middleware.audit import Aside, Audit, to_file, to_stderr
from citewell.server.middleware.cache import Caching
from citewell.server.middleware.errors import Errors
from citewell.server.middleware.metrics import Metrics
from citewell.server.middleware.recent import Recent
from citewell.server.middleware.routing import Routing
from citewell.server.middleware.session import SessionLink
from citewell.server.middleware.size import Size
from citewell.server.middleware.timeout import Timeout
from citewell.server.middleware.validation import Validation
from citewell.server.pipeline import Invocation, Middleware, Outcome, compose
from citewell.server.resources import Resources
from citewell.server.views import Shown, views
from citewell.services.artifacts import Shelf
from citewell.services.catalogue import Catalogue
from citewell.services.library.asking import Privacy, asking
from citewell.services.sessions.tracking import Sessions
from citewell.services.web.lenses import Lenses
from citewell.store.opened import Store, open_store
from citewell.store.state import State, open_state
from citewell.tooling import Call, Owner, Tool, nobody_listens

if TYPE_CHECKING:
    from citewell.services.library.index import Index
    from citewell.store.retractions import SqlRetractions

if TYPE_CHECKING:
    from citewell.services.web.rounds import Rest

PAGE_LENGTH = 50_000  # characters of each page that web_search fetches
CONTENT_TIMEOUT = 45.0  # seconds for one such page

S = TypeVar("S")
Report = Callable[[float, float | None, str | None], Awaitable[None]]


class App:
    """Everything one server process holds. Nothing here touches disk or network until it is used."""

    def __init__(
        self,
        settings: Settings,
        *,
        network: Network | None = None,
        store: Store | None = None,
        entries: Sequence[Mapping[str, Any]]
        | None = None,  # the manifest's, unless it is being baked
    ) -> None:
        self.settings = settings
        self.network = network or Network(settings)
        self.store = store or open_store(settings)
        self.catalogue = Catalogue(settings, connect=self._connect)
        self.lenses = Lenses(settings.custom_lenses_path)
        self.metrics = Metrics()
        self.recent = Recent()
        self._entries = manifest.load()["tools"] if entries is None else entries
        self.tools = self.offered()
        self._state: State | None = None
        self._privacy = Privacy(settings)
        self._audited: Aside | None = None
        self._loaded: dict[str, Tool] = {}
        self._services: dict[type[Any], Any] = {}
        self._run = compose(self._middleware())
        shown = Shown(
            tallies=self.metrics.tools,
            recent=self.recent,
            catalogue=self.catalogue,
            lenses=self.lenses,
            network=self.network,
            sessions=self._session_count,
        )
        self.resources = Resources(views(shown), shelf=lambda: self.service(Shelf))
        self.completions = Completions(
            {"lens": self.lenses.names, "provider": self.catalogue.names}
        )

    def offered(self, profile: str | None = None) -> dict[str, dict[str, Any]]:
        """The wire form of every tool by name: as the settings choose, or those of one profile or toolset."""
        settings = self.settings
        try:
            chosen = selection.chosen(
                self._entries,
                profile=profile or settings.profile,
                toolsets=() if profile else settings.toolsets,
                tools=() if profile else settings.tools,
                read_only=settings.read_only,
            )
        except ValueError as error:
            raise Misconfigured(
                f"The choice of tools cannot be used: {error}.", action="inform_user"
            ) from None
        return {
            entry["name"]: selection.offered(entry["wire"], settings.profile) for entry in chosen
        }

    def toolsets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry["toolset"] for entry in self._entries))

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        owner: Owner | None = None,
        report: Report = nobody_listens,
        request_id: str = "",
    ) -> Outcome:
        """Run one offered tool through the whole pipeline; failures come back as outcomes."""
        call = Call(owner=owner or Owner(), provide=self.service, report=report)
        invocation = Invocation(
            name=name, tool=self._tool(name), raw=arguments, call=call, request_id=request_id
        )
        private = invocation.tool.ttl is None or self._privacy.covers(arguments)
        with asking(str(call.owner), private=private):
            return await self._run(invocation)

    async def known(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        owner: Owner | None = None,
        request_id: str = "",
    ) -> Outcome | None:
        """The answer when it is in memory and comes whole, through the pipeline; None otherwise."""
        if not self.settings.structured_text:
            return None
        call = Call(owner=owner or Owner(), provide=self.service)
        invocation = Invocation(
            name=name, tool=self._tool(name), raw=arguments, call=call, request_id=request_id
        )
        try:
            self._validation.check(invocation)
        except CitewellError:
            return None
        size = self._caching.held(invocation)
        linked = size >= self.settings.link_threshold and not invocation.tool.inline
        return await self._run(invocation) if size and not linked else None

    def service(self, kind: type[S]) -> S:
        """The one instance of a service, built on first use."""
        if kind not in self._services:
            self._services[kind] = self._build(kind)
        return cast("S", self._services[kind])

    async def aclose(self) -> None:
        while self._services:  # the last built first: research stops before what it reads with
            _, service = self._services.popitem()
            if close := getattr(service, "aclose", None):
                await close()
        if self._state is not None:
            await self._state.aclose()
        if self._audited is not None:
            await asyncio.to_thread(self._audited.close)
        await self.network.aclose()
        await self.store.aclose()

    def _tool(self, name: str) -> Tool:
        if name not in self._loaded:
            self._loaded[name] = tools.load(name)
        return self._loaded[name]

    def _middleware(self) -> tuple[Middleware, ...]:
        settings = self.settings
        self._validation = Validation(selection.defaults(settings.profile))
        self._caching = Caching(self.store.loader, isolation=settings.cache_isolation)
        layers: list[Middleware] = [self.metrics]
        if settings.audit_enabled:
            self._audited = Aside(
                to_file(settings.audit_path) if settings.audit_path else to_stderr
            )
            layers.append(Audit(self._audited, include_query=settings.audit_include_query))
        layers += [
            self.recent,
            Errors(),
            Timeout(short=settings.tool_timeout, long=settings.long_tool_timeout),
            self._validation,
            Size(self.store.artifacts, threshold=settings.link_threshold),
            SessionLink(lambda: self.service(Sessions)),
            Routing(),
            self._caching,
        ]
        return tuple(layers)

    def _build(self, kind: type[Any]) -> Any:
        builders: dict[str, Callable[[], Any]] = {
            "Web": self._web,
            "Read": self._read,
            "Connector": self._connector,
            "Scrape": self._scrape,
            "Gather": self._gather,
            "Shelf": lambda: Shelf(self.store.artifacts),
            "Sessions": self._sessions,
            "Assist": self._assist,
            "Links": self._links,
            "Index": self._index,
            "Retractions": self._retractions,
            "Importing": self._importing,
            "Archive": self._archive,
            "Recommendations": self._recommendations,
        }
        builders |= self._scholarly()
        builders["Research"] = self._research
        return builders[kind.__name__]()

    def _research(self) -> Any:
        from citewell.server.deep import research

        return research(
            settings=self.settings,
            state=self.state(),
            catalogue=self.catalogue,
            searches=self._searches(),
            provide=self.service,
        )

    def _scholarly(self) -> dict[str, Callable[[], Any]]:
        return {
            "Panel": self._panel,
            "Records": self._records,
            "Literature": self._literature,
            "Citations": self._citations,
            "FullText": self._fulltext,
            "Verify": lambda: self._trusting("verify"),
            "Audit": lambda: self._trusting("audit"),
        }

    def _trusting(self, kind: str) -> Any:
        """Citations one at a time, or a whole bibliography: the same checks."""
        from citewell.services.links import Links
        from citewell.services.read import Read
        from citewell.services.scholar.records import Records
        from citewell.services.trust.audit import Audit
        from citewell.services.trust.lookup import Lookup
        from citewell.services.trust.retraction import Retractions
        from citewell.services.trust.verify import Verify

        lookup = Lookup(self.service(Records), self.service(Retractions))
        pages: Any = self.service(Read)
        service = Verify if kind == "verify" else Audit
        return service(lookup=lookup, links=self.service(Links), pages=pages)

    def _panel(self) -> Any:
        from citewell.services.scholar.panel import Panel

        settings = self.settings
        return Panel(self.catalogue, resting=self._resting, patience=settings.search_timeout + 5)

    def _records(self) -> Any:
        from citewell.services.scholar.panel import Panel
        from citewell.services.scholar.records import Records

        return Records(self.service(Panel), loader=self.store.loader, isolated=self._isolated)

    def _literature(self) -> Any:
        from citewell.services.scholar.copies import Copies
        from citewell.services.scholar.ladder import Ladder
        from citewell.services.scholar.panel import Panel
        from citewell.services.scholar.search import Literature
        from citewell.services.trust.weighing import weigh
        from citewell.services.web.search import Web

        panel = self.service(Panel)
        thin = self.settings.search_thin_threshold
        return Literature(
            catalogue=self.catalogue,
            ladder=Ladder(self.catalogue, panel, Copies(panel), thin=thin),
            web=lambda: self.service(Web),
            resting=self._resting,
            weigh=weigh,
        )

    def _citations(self) -> Any:
        from citewell.services.scholar.graph import Citations
        from citewell.services.scholar.panel import Panel
        from citewell.services.scholar.records import Records
        from citewell.services.trust.weighing import weigh

        panel, records = self.service(Panel), self.service(Records)
        return Citations(catalogue=self.catalogue, panel=panel, records=records, weigh=weigh)

    def _fulltext(self) -> Any:
        from citewell.services.read import Read
        from citewell.services.scholar.candidates import Candidates
        from citewell.services.scholar.copies import Copies
        from citewell.services.scholar.fulltext import FullText
        from citewell.services.scholar.panel import Panel
        from citewell.services.scholar.records import Records
        from citewell.services.scholar.subjects import Subjects
        from citewell.services.trust.retraction import Retractions
        from citewell.services.trust.weighing import weigh

        panel = self.service(Panel)
        pages: Any = self.service(Read)
        return FullText(
            subjects=Subjects(self.service(Records)),
            candidates=Candidates(
                panel, Copies(panel), resolver=self.catalogue.spec("doi").base_url
            ),
            pages=pages,
            weigh=weigh,
            retractions=self.service(Retractions),
            deadline=self.settings.long_tool_timeout - 10,
        )

    def _sessions(self) -> Any:
        settings = self.settings
        return Sessions(
            self.state().sessions, max_steps=settings.session_max_steps, ttl=settings.session_ttl
        )

    def _assist(self) -> Any:
        from citewell.services import standing
        from citewell.services.sessions.assist import Assist
        from citewell.services.web.search import Web

        return Assist(
            self.service(Sessions),
            lambda: self.service(Web),
            lambda url: standing.of_host(url).source_type,
        )

    def _links(self) -> Any:
        from citewell.services.links import Links

        return Links(
            self.network,
            wayback=self.settings.wayback_url,
            archive=self.settings.archive_url,
            loader=self.store.loader,
            isolated=self._isolated,
        )

    def _retractions(self) -> Any:
        from citewell.services.trust.retraction import Retractions

        return Retractions(self.catalogue, self.retraction_table())

    def retraction_table(self) -> SqlRetractions:
        """The offline table, where one was imported."""
        from citewell.store.retractions import SqlRetractions

        return SqlRetractions(self.state().database, clock=time.time)

    def _archive(self) -> Any:
        from citewell.services.archive import Archive

        settings = self.settings
        access, secret = settings.ia_access_key, settings.ia_secret_key
        return Archive(
            self.network,
            availability=settings.wayback_url,
            archive=settings.archive_url,
            keys=(access, secret) if access and secret else None,
        )

    def _recommendations(self) -> Any:
        from citewell.services.links import Links
        from citewell.services.recommendation.audit import Recommendations
        from citewell.services.recommendation.corroboration import Corroboration

        return Recommendations(
            links=self.service(Links),
            corroboration=Corroboration(self._searches()),
            deadline=self.settings.long_tool_timeout - 20,
        )

    def _importing(self) -> Any:
        from citewell.net.download import Downloads
        from citewell.services.trust.importing import Importing

        downloads = Downloads(self.network.guard, self.settings)
        return Importing(self.retraction_table(), downloads, today=lambda: datetime.now(UTC).date())

    async def _session_count(self, owner: Owner) -> int:
        return len(await self.state().sessions.heads(str(owner)))

    def state(self) -> State:
        """What must not be lost; opened on first use."""
        if self._state is None:
            self._state = open_state(self.settings)
        return self._state

    def _web(self) -> Any:
        from citewell.services.read import Read
        from citewell.services.web.contents import reading
        from citewell.services.web.search import Web

        settings = self.settings
        reader = reading(
            self.service(Read).read,
            max_length=PAGE_LENGTH,
            at_once=settings.max_page_concurrency,
            timeout=CONTENT_TIMEOUT,
        )
        return Web(
            settings=settings,
            catalogue=self.catalogue,
            lenses=self.lenses,
            reader=reader,
            resting=self._resting,
        )

    def _trust_own(self, spec: Spec, options: Mapping[str, str]) -> None:
        for option in spec.options:
            address = options.get(option.env) if option.own_address else None
            try:
                if address:
                    self.network.guard.trust(address)
            except Refused as error:
                message = f"{option.env} is not an address that can be used: {error.message}"
                raise Misconfigured(message, provider=spec.name) from None

    def _resting(self, provider: str) -> Rest | None:
        """How long a provider is left alone, and whether it asked for that; None when it may be asked."""
        from citewell.services.web.rounds import Rest

        snapshot = self.network.health().get(provider)
        if snapshot is None or snapshot.state is not breaker.State.OPEN:
            return None
        limited = snapshot.last_error == RateLimited.kind
        return Rest(seconds=snapshot.retry_after or 0.0, limited=limited)

    def _read(self) -> Any:
        """Every tool reads through the same kept pages."""
        from citewell.services.pages import CachedRead
        from citewell.services.read import Read

        read = Read(settings=self.settings, network=self.network)
        return CachedRead(
            read,
            loader=self.store.loader,
            cache=self.store.cache,
            isolated=self._isolated,
            renew=read.renew,
            on_page=self._keeper(),
            own=lambda document_id: self.library().page(document_id),
        )

    def library(self) -> Index:
        """The documents of whoever is asking."""
        from citewell.services.library.index import Index

        return self.service(Index)

    def _index(self) -> Any:
        from citewell.services.library.index import Index

        return Index(self.state().library)

    def _keeper(self) -> Any:
        if not self.settings.library_keep_pages:
            return None
        from citewell.services.library.keeping import Keeper

        return Keeper(self.state().library)

    def _scrape(self) -> Any:
        from citewell.services.read import Read
        from citewell.services.scrape import Scrape
        from citewell.services.trust.retraction import Retractions
        from citewell.services.verbatim import Verbatim

        settings, network = self.settings, self.network
        robots = network.robots if settings.respect_robots else None
        raw = Verbatim(network.client, robots=robots, timeout=settings.page_timeout)
        pages: Any = self.service(Read)
        return Scrape(pages=pages, verbatim=raw, retractions=self.service(Retractions))

    def _gather(self) -> Any:
        from citewell.services.gather import Gather
        from citewell.services.read import Read

        pages: Any = self.service(Read)
        return Gather(settings=self.settings, searches=self._searches(), pages=pages)

    def _searches(self) -> Any:
        from citewell.services.searches import Searches
        from citewell.services.web.search import Web

        return Searches(self.service(Web), loader=self.store.loader, isolated=self._isolated)

    @property
    def _isolated(self) -> bool:
        return self.settings.cache_isolation == "tenant"

    def _connector(self) -> Any:
        from citewell.services.connector import Connector
        from citewell.services.read import Read

        return Connector(searches=self._searches(), read=self.service(Read), library=self.library())

    def _connect(self, spec: Spec, options: Mapping[str, str]) -> object:
        """A provider with its door to the network and its memory."""
        self._trust_own(spec, options)
        upstream = self.network.upstream(
            spec.name,
            base_url=spec.base_url or f"https://{spec.name}.invalid",  # asked over no network
            per_second=spec.pace(options),
            burst=spec.burst,
            timeout=self.settings.search_timeout,
        )
        own = self.library() if spec.name == "library" else None
        memory = self.store.memory(spec.name)
        kit = Kit(upstream=upstream, options=options, memory=memory, library=own)
        return providers.load(spec.name).Provider(kit)
