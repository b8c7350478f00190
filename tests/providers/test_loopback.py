"""Each provider against its double in the loopback web, over real sockets."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell import providers
from citewell.core import config
from citewell.core.errors import Blocked
from citewell.core.values.search_queries import ImageQuery, SearchHits, SearchQuery
from citewell.net.network import Network
from citewell.routing.ports import Offer
from tests.contract.recordings import METHODS, connect_kit, offers
from tests.internet import apis
from tests.internet.faults import Fault
from tests.internet.serve import Internet
from tests.providers.asking import keys

OFFERS = [
    (name, offer) for name, offer in offers() if name != "searxng" and name in apis.discover()
]


def ask(internet: Internet, name: str, offer: Offer, **fields: Any) -> Any:
    async def run() -> Any:
        env = internet.env() | {"CITEWELL_CONFIG": "/nonexistent"}
        network = Network(config.load_settings(env))
        address = env[providers.load(name).SPEC.base_url_env]
        try:
            kit = connect_kit(network, name, base_url=address, options=keys(name))
            provider: Any = providers.load(name).Provider(kit)
            query = ImageQuery(**fields) if offer is Offer.IMAGES else SearchQuery(**fields)
            return await getattr(provider, METHODS[offer])(query)
        finally:
            await network.aclose()

    return asyncio.run(run())


@pytest.mark.parametrize(("name", "offer"), OFFERS, ids=[f"{n}-{o}" for n, o in OFFERS])
def test_a_provider_finds_pages_of_the_loopback_web(
    internet: Internet, name: str, offer: Offer
) -> None:
    topic = _topic(internet, news=offer is Offer.NEWS)

    answer = ask(internet, name, offer, text=topic, count=5)

    found: tuple[Any, ...] = answer.hits if isinstance(answer, SearchHits) else answer
    assert 1 <= len(found) <= 5
    for item in found:
        address = item.link if offer is Offer.IMAGES else item.url
        assert address.startswith((internet.url, "https://news.ycombinator.com/"))


@pytest.mark.parametrize(("name", "offer"), OFFERS, ids=[f"{n}-{o}" for n, o in OFFERS])
def test_words_that_nobody_wrote_are_found_nowhere(
    internet: Internet, name: str, offer: Offer
) -> None:
    answer = ask(internet, name, offer, text="zzqxv wvuqz", count=5)

    assert not (answer.hits if isinstance(answer, SearchHits) else answer)


def test_the_answer_after_a_failure_is_good_again(internet: Internet) -> None:
    internet.world.fail("duckduckgo", Fault(status=202, body="<form id='challenge-form'></form>"))
    topic = _topic(internet, news=False)

    with pytest.raises(Blocked):
        ask(internet, "duckduckgo", Offer.WEB, text=topic)

    assert ask(internet, "duckduckgo", Offer.WEB, text=topic).hits


def _topic(internet: Internet, *, news: bool) -> str:
    """Words that some page has; of a news page where only those are searched."""
    pages = [page for page in internet.world.pages if page.kind == "news" or not news]
    return pages[0].title
