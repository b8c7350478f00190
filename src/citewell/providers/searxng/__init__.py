"""SearXNG: your own instance, a list of them, or public ones found through searx.space."""

from __future__ import annotations

import time

from citewell.errors import (
    CitewellError,
    InvalidInput,
    Misconfigured,
    RateLimited,
    Refused,
    RejectedRequest,
    Unavailable,
    UpstreamError,
)
from citewell.model.search import Filter, Found, Picture, PictureQuery, Query
from citewell.ports import Kit, Offer, Option, Spec
from citewell.providers.searxng.answer import hits, pictures
from citewell.providers.searxng.capabilities import Almanac
from citewell.providers.searxng.directory import Directory
from citewell.providers.searxng.door import Door, Manners
from citewell.providers.searxng.failure import verdict
from citewell.providers.searxng.health import Health
from citewell.providers.searxng.instance import (
    BASIC_AUTH,
    DISCOVERY,
    HEADERS,
    INSTANCES,
    URL,
    Instance,
    read,
)
from citewell.providers.searxng.notebook import Notebook
from citewell.providers.searxng.pool import Pool
from citewell.providers.searxng.query import params
from citewell.providers.searxng.search import Harvest, Searcher

SPEC = Spec(
    name="searxng",
    title="SearXNG",
    home="https://docs.searxng.org/",
    base_url="http://127.0.0.1:8888",  # SearXNG's own default; asked only when configured
    offers=frozenset({Offer.WEB, Offer.NEWS, Offer.IMAGES}),
    options=(
        Option(
            env=URL,
            help="Address of your own SearXNG instance; it is asked first.",
            own_address=True,
        ),
        Option(
            env=BASIC_AUTH,
            help="user:password for your own instance; sent to no other.",
            secret=True,
        ),
        Option(
            env=HEADERS,
            help='More headers for your own instance, "Name: value, Name: value"; sent to no other.',
            secret=True,
        ),
        Option(
            env=INSTANCES,
            help="Other SearXNG instances, comma-separated; asked in turn when your own does not answer.",
        ),
        Option(
            env=DISCOVERY,
            help=(
                "File or address of searx.space's instances.json "
                "(https://searx.space/data/instances.json). Off unless set: it sends your queries "
                "to public instances run by strangers."
            ),
        ),
    ),
    requires_any=(URL, INSTANCES, DISCOVERY),
    filters=frozenset(
        {
            Filter.SITES,
            Filter.TIME_RANGE,
            Filter.SAFE,
            Filter.LANGUAGE,
            Filter.EXACT_TERMS,
            Filter.EXCLUDE_TERMS,
            Filter.CATEGORY,
        }
    ),
    max_results=50,
    rank=10,
    terms="Public instances: an honest agent, a few calls an hour, an hour's rest after a 429.",
    evidence="a loopback double built from SearXNG's observed behaviour",
)

CATEGORIES = frozenset(
    {"general", "images", "videos", "news", "map", "music", "it", "science", "files"}
)

_ATTEMPTS = 4  # instances asked for one search


class Provider:
    def __init__(self, kit: Kit, *, manners: Manners | None = None) -> None:
        manners = manners or Manners(clock=time.time)
        plan = read(kit, unset=SPEC.base_url)
        notebook, directory = Notebook(kit.memory), None
        if plan.discovery:
            directory = Directory(
                plan.discovery, upstream=kit.upstream, notebook=notebook, clock=manners.clock
            )
        door = Door(kit.upstream, manners=manners)
        self._health = Health(notebook, clock=manners.clock)
        self._pool = Pool(plan, directory=directory, health=self._health)
        almanac = Almanac(door, notebook=notebook, clock=manners.clock)
        self._searcher = Searcher(door, health=self._health, almanac=almanac)

    async def web(self, query: Query) -> Found:
        harvest = await self._search(query)
        return Found(
            hits=hits(harvest.results),
            total=harvest.total,
            engines=tuple(dict.fromkeys(name for row in harvest.results for name in row.engines)),
            unresponsive=harvest.unresponsive,
            instance=harvest.instance.url,
            notes=harvest.notes,
        )

    async def news(self, query: Query) -> Found:
        return await self.web(query.with_(category="news"))

    async def images(self, query: PictureQuery) -> tuple[Picture, ...]:
        """Pictures; raises when there are none because engines failed, which no tuple could say."""
        asked = Query(
            text=query.text,
            count=query.count,
            safe=query.safe,
            language=query.language,
            country=query.country,
            category="images",
        )
        harvest = await self._search(asked)
        found = pictures(harvest.results)
        if not found and (harvest.unresponsive or harvest.lacking):
            raise Unavailable(_why_empty(harvest), provider=SPEC.name)
        return found

    async def _search(self, query: Query) -> Harvest:
        if query.category not in CATEGORIES:
            known = ", ".join(sorted(CATEGORIES))
            raise InvalidInput(f"{query.category!r} is not a category; there are: {known}.")
        asked = query.with_(count=min(query.count, SPEC.max_results))
        try:
            return await self._first_good(asked, params(asked, limit=SPEC.max_query))
        except CitewellError as error:
            error.provider = error.provider or SPEC.name
            raise
        finally:
            await self._health.save()

    async def _first_good(self, query: Query, wanted: dict[str, str]) -> Harvest:
        """The first instance with results; else the first empty answer; else why nobody answered."""
        failures: list[tuple[Instance, CitewellError]] = []
        empty: list[Harvest] = []
        async for instance in self._pool.turns(self._searcher.probe):
            try:
                harvest = await self._attempt(instance, query, wanted)
            except (UpstreamError, Misconfigured) as error:
                failures.append((instance, error))
            else:
                if harvest.results or not (harvest.unresponsive or harvest.lacking):
                    return harvest
                empty.append(harvest)
            if len(failures) + len(empty) >= _ATTEMPTS:
                break
        if empty:
            return empty[0]
        raise await self._nobody(failures)

    async def _attempt(self, instance: Instance, query: Query, wanted: dict[str, str]) -> Harvest:
        self._health.used(instance)
        try:
            harvest = await self._searcher.search(instance, query, wanted)
        except (RateLimited, RejectedRequest):
            raise  # neither is a failure of the instance
        except Refused as error:
            self._health.failed(instance)
            raise _unreachable(instance, error) from None
        except (UpstreamError, Misconfigured):
            self._health.failed(instance)
            raise
        self._health.answered(instance)
        return harvest

    async def _nobody(self, failures: list[tuple[Instance, CitewellError]]) -> CitewellError:
        members = await self._pool.members()
        if members:
            return verdict(failures, members=members, health=self._health)
        if self._pool.problem is not None:
            return self._pool.problem
        if not self._pool.configured:
            names = ", ".join(SPEC.requires_any)
            return Misconfigured(f"SearXNG needs one of {names}.", action="inform_user")
        return verdict((), members=(), health=self._health)


def _unreachable(instance: Instance, error: Refused) -> CitewellError:
    """Our guard's refusal is a matter of settings for the own instance, and a fault of any other."""
    if not instance.own:
        return Unavailable(f"{instance.url} is not at a public address.", detail=error.message)
    authority = instance.url.partition("://")[2].partition("/")[0]
    message = f"{URL} is not at a public address. Put {authority} into CITEWELL_ALLOW_PRIVATE_HOSTS to allow it."
    return Misconfigured(message, action="inform_user", detail=error.message)


def _why_empty(harvest: Harvest) -> str:
    failed = "; ".join(f"{engine}: {reason}" for engine, reason in harvest.unresponsive)
    told = [f"Engines failed ({failed})."] if failed else []
    return " ".join([f"{harvest.instance.url} found no pictures.", *told, *harvest.notes])
