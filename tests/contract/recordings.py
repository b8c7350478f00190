"""What upstreams answer, as kept under tests/recorded/<provider>/<offer>.json.

A file holds `ask` (our query), `request` (what must be sent for it), `response`, `empty` (the body
when nothing is found), `failure` (an error body sent with status 200) and `source`. `options` and
`also` (more answers by path) are there for providers that need them; "{base}" in an option stands
for the address of the server that replays the file.

Where works are asked for one at a time, `absent` is the answer (status and body) for one that the
registry does not have. `ask` then holds `scheme` and `value`, or `doi`; a graph's `ask` may name the
`method`, citing or cited.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from citewell import providers
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    PaperHits,
    PaperId,
    PaperQuery,
)
from citewell.core.values.search_queries import ImageQuery, SearchHits, SearchQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.net.network import Network
from citewell.net.upstream.origin_limits import (
    CircuitBreaker,
    OriginLimits,
    OriginLimitsTable,
    RequestPace,
)
from citewell.net.upstream.upstream_client import Upstream
from citewell.routing.ports import (
    ForgetfulMemory,
    Offer,
    ProviderKit,
    ProviderMemory,
    ProviderSpec,
)
from tests.contract.domain_offers import DOMAIN_OFFERS
from tests.task_thread import ThreadTasks

FOLDER = Path(__file__).parent.parent / "recorded"
KEY = "a-key-that-nobody-may-see"
Item = Any  # a value of whatever kind the offer has

SEARCHES = (Offer.WEB, Offer.NEWS, Offer.IMAGES)
METHODS = {
    Offer.WEB: "search_web",
    Offer.NEWS: "search_news",
    Offer.IMAGES: "search_images",
    Offer.PAPERS: "search_papers",
    Offer.LOOKUP: "look_up_paper",
    Offer.MATCH: "match_reference",
    Offer.GRAPH: "list_citing_papers",
    Offer.INTEGRITY: "list_notices",
    Offer.COPIES: "list_open_copies",
    Offer.REGISTRY: "is_registered",
} | {offer: about.method for offer, about in DOMAIN_OFFERS.items()}
SCHOLARLY = tuple(
    offer for offer in METHODS if offer not in SEARCHES and offer not in DOMAIN_OFFERS
)
_QUERIES: Mapping[Offer, Callable[..., object]] = {
    Offer.IMAGES: ImageQuery,
    Offer.PAPERS: PaperQuery,
    Offer.MATCH: BibliographicQuery,
} | {offer: about.query for offer, about in DOMAIN_OFFERS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    provider: str
    offer: Offer
    data: Mapping[str, Any]

    @property
    def answer(self) -> bytes:
        return encode(self.data["response"].get("body", self.data["response"].get("text")))

    @property
    def headers(self) -> dict[str, str]:
        return dict(self.data["response"]["headers"])

    @property
    def method(self) -> str:
        return str(self.data["ask"].get("method", METHODS[self.offer]))

    def query(self) -> tuple[tuple[object, ...], dict[str, object]]:
        """The arguments with which the provider's method is called."""
        ask: dict[str, Any] = {
            name: tuple(v) if isinstance(v, list) else v for name, v in self.data["ask"].items()
        }
        ask.pop("method", None)
        if "doi" in ask:
            return (ask["doi"],), {}
        if "scheme" not in ask or self.offer in DOMAIN_OFFERS:
            return (_QUERIES.get(self.offer, SearchQuery)(**ask),), {}
        paper_id = PaperId(scheme=IdentifierScheme(ask.pop("scheme")), value=ask.pop("value"))
        return (paper_id,), ask

    def options(self, base: str) -> dict[str, str]:
        """A value for everything the provider needs, and the recording's own wishes."""
        options = {
            option.env: KEY if option.secret else "engine-1"
            for option in spec(self.provider).options
            if option.required or (option.secret and "options" not in self.data)
        }
        own = self.data.get("options", {})
        return options | {env: value.replace("{base}", base) for env, value in own.items()}


def encode(body: Any) -> bytes:
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def spec(name: str) -> ProviderSpec:
    return providers.load(name).SPEC


def offers(of: Iterable[Offer] = SEARCHES) -> list[tuple[str, Offer]]:
    """Every provider that asks somebody over the network, with each of its offers among these."""
    return [
        (name, offer)
        for name in providers.NAMES
        if spec(name).base_url
        for offer in sorted(spec(name).offers.intersection(of))
    ]


def path(name: str, offer: Offer) -> Path:
    return FOLDER / name / f"{offer}.json"


@cache
def recording(name: str, offer: Offer) -> Recording:
    data = json.loads(path(name, offer).read_text(encoding="utf-8"))
    return Recording(provider=name, offer=offer, data=data)


async def ask(kit: ProviderKit, record: Recording) -> tuple[Item, ...]:
    """What the provider answers, as a tuple whatever its offer; nothing when it has no such work."""
    provider: Any = providers.load(record.provider).Provider(kit)
    args, more = record.query()
    found = await getattr(provider, record.method)(*args, **more)
    if record.offer in DOMAIN_OFFERS:
        return DOMAIN_OFFERS[record.offer].list_items(found)
    if isinstance(found, SearchHits | PaperHits):
        return found.hits if isinstance(found, SearchHits) else found.papers
    if isinstance(found, tuple):
        return found
    return (found,) if found else ()


class Canned:
    """A sender that answers in process, without sockets."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self._answer = answer
        self.sent: list[HttpRequest] = []

    async def send_request(self, request: HttpRequest) -> HttpResponse:
        self.sent.append(request)
        return self._answer(request)


def canned(body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Canned:
    return Canned(
        lambda request: HttpResponse(
            status=status, url=request.url, headers=dict(headers or {}), body=body
        )
    )


def connect_kit(
    network: Network,
    name: str,
    *,
    base_url: str,
    options: Mapping[str, str] | None = None,
    memory: ProviderMemory | None = None,
) -> ProviderKit:
    """A provider's kit that sends real requests to `base_url`."""
    given = dict(options or {})
    upstream = network.open_upstream(
        name, base_url=base_url, secret_headers=spec(name).build_key_headers(given)
    )
    return ProviderKit(
        workers=ThreadTasks(),
        upstream=upstream,
        options=given,
        memory=memory or ForgetfulMemory(),
    )


def kit_over(name: str, sender: Canned, options: Mapping[str, str]) -> ProviderKit:
    """A provider's kit whose door leads to `sender`."""
    about = spec(name)
    base_url = about.base_url
    lanes = OriginLimitsTable(
        name,
        base_url=base_url,
        build_limits=lambda owner: OriginLimits(
            pace=RequestPace(),
            breaker=CircuitBreaker(owner, threshold=5, reset=60.0, clock=lambda: 0.0),
        ),
    )
    defaults = HttpRequest(url=base_url, secret_headers=about.build_key_headers(options))
    upstream = Upstream(name, base_url=base_url, sender=sender, lanes=lanes, defaults=defaults)
    return ProviderKit(workers=ThreadTasks(), upstream=upstream, options=options)


def replay(record: Recording, body: bytes, *, status: int = 200) -> tuple[Item, ...]:
    """Ask the provider in process, with `body` for an answer."""
    base = spec(record.provider).base_url
    also = record.data.get("also", {})

    def answer(request: HttpRequest) -> HttpResponse:
        other = next((also[end] for end in also if request.url.endswith(end)), None)
        content = body if other is None else encode(other)
        return HttpResponse(status=status, url=request.url, headers=record.headers, body=content)

    kit = kit_over(record.provider, Canned(answer), record.options(base))
    return asyncio.run(ask(kit, record))
