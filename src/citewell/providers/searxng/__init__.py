"""SearXNG: your own instance, a list of instances, or public ones found through searx.space."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import replace

from citewell.core import errors
from citewell.core.values import search_queries
from citewell.providers.searxng import instance_search, instances
from citewell.providers.searxng.instance_capabilities import (
    CapabilityCache,
    InstanceClient,
    PublicPacing,
)
from citewell.providers.searxng.instance_health import InstanceHealth, build_search_failure
from citewell.providers.searxng.result_page import convert_to_hits, convert_to_images
from citewell.routing import ports

_MAX_PROBES = 6  # for one search; all run at the same time
_MIN_JSON_INSTANCES = 2  # if so many are known to offer JSON, no others are probed

InstanceProbe = Callable[[instances.SearxngInstance], Awaitable[None]]

SPEC = ports.ProviderSpec(
    name="searxng",
    title="SearXNG",
    homepage="https://docs.searxng.org/",
    base_url="http://127.0.0.1:8888",  # SearXNG's default; used only if configured
    offers=frozenset({ports.Offer.WEB, ports.Offer.NEWS, ports.Offer.IMAGES}),
    options=(
        ports.ProviderOption(
            env=instances.URL_SETTING,
            help="Address of your own SearXNG instance; it is asked first.",
            is_self_hosted=True,
        ),
        ports.accept_key(
            instances.BASIC_AUTH_SETTING, "user:password for your own instance; sent to no other."
        ),
        ports.accept_key(
            instances.HEADERS_SETTING,
            'More headers for your own instance, "Name: value, Name: value"; sent to no other.',
        ),
        ports.ProviderOption(
            env=instances.INSTANCES_SETTING,
            help="Other SearXNG instances, comma-separated; asked in turn when your own does not answer.",
        ),
        ports.ProviderOption(
            env=instances.DISCOVERY_SETTING,
            help=(
                "File or address of searx.space's instances.json "
                "(https://searx.space/data/instances.json). Off unless set: it sends your queries "
                "to public instances run by strangers."
            ),
        ),
        ports.ProviderOption(
            env=instances.FAILURES_SETTING,
            help="Failures in a row after which an instance is suspended; 3 when not set.",
        ),
        ports.ProviderOption(
            env=instances.BACKOFF_SETTING,
            help="Seconds an instance rests after its first failure, doubled after each further one; 60 when not set. After a 429 it rests for as long as it says, or for an hour.",
        ),
        ports.ProviderOption(
            env=instances.PAUSE_SETTING,
            help="Shortest and longest pause between requests to public instances, in milliseconds; 100-500 when not set.",
        ),
        ports.ProviderOption(
            env=instances.RANDOM_SETTING,
            help="true asks instances of one grade in random order instead of in turn.",
        ),
    ),
    requires_any=(instances.URL_SETTING, instances.INSTANCES_SETTING, instances.DISCOVERY_SETTING),
    filters=frozenset(
        {
            search_queries.SearchFilter.SITES,
            search_queries.SearchFilter.TIME_RANGE,
            search_queries.SearchFilter.SAFE,
            search_queries.SearchFilter.LANGUAGE,
            search_queries.SearchFilter.EXACT_TERMS,
            search_queries.SearchFilter.EXCLUDE_TERMS,
            search_queries.SearchFilter.CATEGORY,
        }
    ),
    image_filters={
        search_queries.ImageFilter.SAFE: frozenset(),
        search_queries.ImageFilter.LANGUAGE: frozenset(),
    },
    max_results=50,
    max_images=50,
    rank=10,
    terms="Public instances: an honest agent, a few calls an hour, an hour's rest after a 429.",
    test_evidence="a loopback double built from SearXNG's observed behaviour",
)

SEARCH_CATEGORIES = frozenset(
    {"general", "images", "videos", "news", "map", "music", "it", "science", "files"}
)

_MAX_INSTANCE_ATTEMPTS = 4  # instances tried for one search


class Provider:
    def __init__(self, kit: ports.ProviderKit, *, manners: PublicPacing | None = None) -> None:
        rules = instances.read_instance_rules(kit)
        manners = replace(
            manners or PublicPacing(clock=time.time),
            min_pause=rules.min_pause,
            max_pause=rules.max_pause,
        )
        plan = instances.read_instance_plan(kit, unset=SPEC.base_url)
        notebook, directory = instances.JsonMemory(kit.memory), None
        if plan.discovery_location:
            directory = instances.InstanceDirectory(
                plan.discovery_location,
                upstream=kit.upstream,
                notebook=notebook,
                clock=manners.clock,
            )
        client = InstanceClient(kit.upstream, manners=manners)
        self._health = InstanceHealth(notebook, clock=manners.clock, rules=rules)
        self._pool = InstancePool(
            plan,
            directory=directory,
            health=self._health,
            draw=(lambda: manners.jitter(0.0, 1.0)) if rules.is_random else None,
        )
        capabilities = CapabilityCache(client, notebook=notebook, clock=manners.clock)
        self._searcher = instance_search.InstanceSearcher(
            client, health=self._health, capabilities=capabilities, workers=kit.require_workers()
        )

    def list_rests(self) -> tuple[ports.ServerRest, ...]:
        return self._health.list_rests()

    async def search_web(self, query: search_queries.SearchQuery) -> search_queries.SearchHits:
        harvest = await self._search_instances(query)
        return search_queries.SearchHits(
            hits=convert_to_hits(harvest.results),
            total=harvest.total,
            engines=tuple(dict.fromkeys(name for row in harvest.results for name in row.engines)),
            unresponsive=harvest.unresponsive,
            instance=harvest.instance.url,
            instances_asked=harvest.instances_asked,
            notes=harvest.notes,
            remedy=harvest.remedy,
        )

    async def search_news(self, query: search_queries.SearchQuery) -> search_queries.SearchHits:
        return await self.search_web(query.with_changes(category="news"))

    async def search_images(
        self, query: search_queries.ImageQuery
    ) -> tuple[search_queries.FoundImage, ...]:
        """The images found. Raises Unavailable if there are none because engines failed."""
        asked = search_queries.SearchQuery(
            text=query.text,
            count=query.count,
            safe=query.safe,
            language=query.language,
            country=query.country,
            category="images",
        )
        harvest = await self._search_instances(asked)
        found = convert_to_images(harvest.results)
        if not found and (harvest.unresponsive or harvest.category_missing):
            failed = "; ".join((f"{engine}: {reason}" for engine, reason in harvest.unresponsive))
            causes = [f"Engines failed ({failed})."] if failed else []
            raise errors.UpstreamUnavailable(
                " ".join([f"{harvest.instance.url} found no images.", *causes, *harvest.notes]),
                provider=SPEC.name,
            )
        return found

    async def _search_instances(
        self, query: search_queries.SearchQuery
    ) -> instance_search.InstanceResults:
        if query.category not in SEARCH_CATEGORIES:
            known = ", ".join(sorted(SEARCH_CATEGORIES))
            raise errors.InvalidInput(f"{query.category!r} is not a category. Use one of: {known}.")
        asked = query.with_changes(count=min(query.count, SPEC.max_results))
        try:
            return await self._find_first_results(
                asked, instance_search.build_searxng_params(asked, limit=SPEC.max_query_chars)
            )
        except errors.CitewellError as error:
            error.provider = error.provider or SPEC.name
            raise
        finally:
            await self._health.save_records()

    async def _find_first_results(
        self, query: search_queries.SearchQuery, wanted: dict[str, str]
    ) -> instance_search.InstanceResults:
        """The first results that an instance returns, else the first empty response.

        Raises if no instance answered.
        """
        failures: list[tuple[instances.SearxngInstance, errors.CitewellError]] = []
        empty: list[instance_search.InstanceResults] = []
        asked: list[str] = []
        async for instance in self._pool.choose_instances(self._searcher.probe_json_support):
            asked.append(instance.url)
            try:
                harvest = await self._try_instance(instance, query, wanted)
            except (errors.UpstreamError, errors.Misconfigured) as error:
                failures.append((instance, error))
            else:
                if harvest.results or not (harvest.unresponsive or harvest.category_missing):
                    return replace(harvest, instances_asked=tuple(asked))
                empty.append(harvest)
            if len(failures) + len(empty) >= _MAX_INSTANCE_ATTEMPTS:
                break
        if empty:
            return replace(empty[0], instances_asked=tuple(asked))
        raise await self._build_no_answer_error(failures)

    async def _try_instance(
        self,
        instance: instances.SearxngInstance,
        query: search_queries.SearchQuery,
        wanted: dict[str, str],
    ) -> instance_search.InstanceResults:
        self._health.record_use(instance)
        try:
            harvest = await self._searcher.search_instance(instance, query, wanted)
        except (errors.RateLimited, errors.RejectedRequest):
            raise  # neither is a failure of the instance
        except errors.RefusedByPolicy as error:
            self._health.record_instance_failure(instance)
            raise _convert_guard_refusal(instance, error) from None
        except (errors.UpstreamError, errors.Misconfigured):
            self._health.record_instance_failure(instance)
            raise
        self._health.record_answer(instance)
        return harvest

    async def _build_no_answer_error(
        self, failures: list[tuple[instances.SearxngInstance, errors.CitewellError]]
    ) -> errors.CitewellError:
        members = await self._pool.list_known_instances()
        if members:
            return build_search_failure(failures, members=members, health=self._health)
        if self._pool.problem is not None:
            return self._pool.problem
        if not self._pool.has_sources:
            names = ", ".join(SPEC.requires_any)
            return errors.Misconfigured(f"SearXNG needs one of {names}.", action="inform_user")
        return build_search_failure((), members=(), health=self._health)


def _convert_guard_refusal(
    instance: instances.SearxngInstance, error: errors.RefusedByPolicy
) -> errors.CitewellError:
    """The error for an instance that our guard refused.

    Misconfigured for your own instance, because a setting can allow it; Unavailable for any other.
    """
    if not instance.is_own:
        return errors.UpstreamUnavailable(
            f"{instance.url} is not at a public address.", detail=error.message
        )
    authority = instance.url.partition("://")[2].partition("/")[0]
    message = f"{instances.URL_SETTING} is not at a public address. Add {authority} to CITEWELL_ALLOW_PRIVATE_HOSTS to allow it."
    return errors.Misconfigured(message, action="inform_user", detail=error.message)


# Chooses which instances to ask: your own, then the listed ones, then discovered ones by grade.


class InstancePool:
    """All known instances. `problem` is the error of the last discovery, if it failed."""

    def __init__(
        self,
        plan: instances.InstancePlan,
        *,
        directory: instances.InstanceDirectory | None,
        health: InstanceHealth,
        draw: Callable[[], float] | None = None,  # numbers for a random order; None for turns
    ) -> None:
        self._draw = draw
        self._plan = plan
        self._directory = directory
        self._health = health
        self.problem: errors.CitewellError | None = None

    @property
    def has_sources(self) -> bool:
        return bool(self._plan.configured_instances) or self._directory is not None

    async def list_known_instances(self) -> tuple[instances.SearxngInstance, ...]:
        """All known instances, resting or not; the first mention of an instance decides its place."""
        await self._health.load_records()
        chosen = {instance.url: instance for instance in self._plan.configured_instances}
        found = {instance.url: instance for instance in await self._list_discovered_instances()}
        return tuple((found | chosen)[url] for url in dict.fromkeys((*chosen, *found)))

    async def choose_instances(
        self, probe: InstanceProbe
    ) -> AsyncIterator[instances.SearxngInstance]:
        """The instances that may be asked now, in order.

        Your own instance comes first. Only if the caller needs more are public instances probed
        for JSON, before they see a query. Within a grade the one asked longest ago comes first,
        a round robin that survives a restart. Instances without JSON come last.
        """
        members = await self.list_known_instances()
        for instance in self._drop_resting_instances(members):
            if instance.is_own:
                yield instance
        public = [instance for instance in members if not instance.is_own]
        awake = sorted(self._drop_resting_instances(public), key=self._build_turn_key)
        fluent = sum(1 for instance in awake if self._health.has_json(instance))
        unknown = [instance for instance in awake if self._health.has_json(instance) is None]
        if fluent < _MIN_JSON_INSTANCES and unknown:
            await asyncio.gather(*(probe(instance) for instance in unknown[:_MAX_PROBES]))
        known = [
            instance
            for instance in self._drop_resting_instances(public)
            if self._health.has_json(instance) is not None
        ]
        for instance in sorted(known, key=self._build_turn_key):
            yield instance

    async def _list_discovered_instances(self) -> tuple[instances.SearxngInstance, ...]:
        self.problem = None
        if self._directory is None:
            return ()
        try:
            return await self._directory.list_public_instances()
        except errors.CitewellError as error:
            self.problem = error
            return ()

    def _drop_resting_instances(
        self, members: Iterable[instances.SearxngInstance]
    ) -> list[instances.SearxngInstance]:
        return [instance for instance in members if not self._health.measure_rest(instance)]

    def _build_turn_key(self, instance: instances.SearxngInstance) -> tuple[object, ...]:
        mute = self._health.has_json(instance) is False
        band, *measured = instances.build_rank_key(instance)
        turn = self._draw() if self._draw else self._health.look_up_record(instance).used_at
        return mute, instance.source, band, turn, *measured
