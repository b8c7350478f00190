"""Every provider, every offer: the same promises. A new provider joins by adding its recordings."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from citewell import providers
from citewell.core import config
from citewell.core.errors import (
    MalformedResponse,
    NetworkFailed,
    RateLimited,
    TooLarge,
    UpstreamError,
    UpstreamUnavailable,
)
from citewell.core.values.paper import IntegrityNotice, OpenCopy, Paper
from citewell.core.values.search_queries import FoundImage, SearchHit
from citewell.net.network import Network
from citewell.routing.ports import Offer
from tests.contract.domain_offers import DOMAIN_OFFERS
from tests.contract.recordings import (
    KEY,
    METHODS,
    SEARCHES,
    Recording,
    ask,
    connect_kit,
    encode,
    offers,
    path,
    recording,
    replay,
    spec,
)
from tests.contract.replay import Behaviour, Seen, serving
from tests.skipped_pauses import SkippedPauses

OFFERS = offers(METHODS)
KINDS = {
    Offer.IMAGES: FoundImage,
    Offer.WEB: SearchHit,
    Offer.NEWS: SearchHit,
    Offer.INTEGRITY: IntegrityNotice,
    Offer.COPIES: OpenCopy,
    Offer.REGISTRY: bool,
} | {offer: about.kind for offer, about in DOMAIN_OFFERS.items()}
COUNTED = (*SEARCHES, Offer.PAPERS, Offer.MATCH, Offer.GRAPH, *DOMAIN_OFFERS)
SINGLE = (Offer.LOOKUP, Offer.GRAPH, Offer.INTEGRITY, Offer.COPIES, Offer.REGISTRY)

SILENT_SECONDS = 0.05  # how long a server that never answers is waited for
# Providers that choose the time for a request themselves, whatever the settings say.
OWN_TIMEOUTS = {
    "gdelt": "citewell.providers.gdelt._TIMEOUT_SECONDS",
    "newsfeeds": "citewell.providers.newsfeeds._FEED_SECONDS",
}

every_offer = pytest.mark.parametrize(
    ("name", "offer"), OFFERS, ids=[f"{name}-{offer}" for name, offer in OFFERS]
)


def only(*among: Offer) -> pytest.MarkDecorator:
    some = [(name, offer) for name, offer in OFFERS if offer in among]
    return pytest.mark.parametrize(
        ("name", "offer"), some, ids=[f"{name}-{offer}" for name, offer in some]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    found: tuple[Any, ...] | None
    error: UpstreamError | None
    seen: tuple[Seen, ...]


async def _ask_at(record: Recording, base: str, *, seconds: float = 5.0) -> tuple[Any, ...]:
    about, waits = spec(record.provider), SkippedPauses()
    settings = config.load_settings(
        {"CITEWELL_CONFIG": "/nonexistent", "ALLOW_PRIVATE_IPS": "true"}, search_timeout=seconds
    )
    network = Network(settings, clock=waits.clock, sleep=waits.sleep)
    address = base + urlsplit(about.base_url).path
    try:
        kit = connect_kit(network, about.name, base_url=address, options=record.options(base))
        return await ask(kit, record)
    finally:
        await network.aclose()


async def _outcome(record: Recording, behaviour: Behaviour) -> Outcome:
    also = {end: encode(body) for end, body in record.data.get("also", {}).items()}
    async with serving(replace(behaviour, also=also)) as (server, base):
        try:
            seconds = SILENT_SECONDS if behaviour.silent else 5.0
            found, error = await _ask_at(record, base, seconds=seconds), None
        except UpstreamError as raised:
            found, error = None, raised
        return Outcome(found=found, error=error, seen=tuple(server.seen))


def outcome(record: Recording, **behaviour: Any) -> Outcome:
    given = {"headers": record.headers, "body": record.answer} | behaviour
    return asyncio.run(_outcome(record, Behaviour(**given)))


def refusal(record: Recording, body: bytes) -> UpstreamError:
    """What the provider raises for this body; no socket is needed to find out."""
    with pytest.raises(UpstreamError) as caught:
        replay(record, body)
    return caught.value


def shown(error: UpstreamError) -> str:
    return (
        f"{error} {error!r} {error.build_error_block()} {error.__cause__!r} {error.__context__!r}"
    )


def list_meaningless_bodies() -> list[tuple[str, Offer, bytes]]:
    """Bodies that say nothing, for every offer; without one that an upstream documents as empty."""
    bodies = (b"", b"{}", b"null", b"[]", b'"text"', b"[" * 100_000)
    return [
        (name, offer, body)
        for name, offer in OFFERS
        if path(name, offer).is_file()
        for body in bodies
        if body != encode(recording(name, offer).data.get("empty"))
    ]


@every_offer
def test_there_is_a_recording_that_names_its_source(name: str, offer: Offer) -> None:
    assert path(name, offer).is_file(), f"add tests/recorded/{name}/{offer}.json"
    assert recording(name, offer).data["source"]


@pytest.mark.parametrize("name", providers.NAMES)
def test_a_provider_has_the_method_of_each_offer_and_no_other(name: str) -> None:
    module = providers.load(name)

    made = {offer for offer in METHODS if callable(getattr(module.Provider, METHODS[offer], None))}

    assert module.SPEC.name == name
    assert made == module.SPEC.offers.intersection(METHODS)
    assert (Offer.LOOKUP in made) == bool(getattr(module.Provider, "schemes", None))


@every_offer
def test_the_recording_yields_results_with_absolute_addresses(name: str, offer: Offer) -> None:
    got = outcome(recording(name, offer))

    assert got.found, got.error
    for item in got.found:
        assert isinstance(item, KINDS.get(offer, Paper))
        if address := _address(item):
            assert urlsplit(address).scheme in {"http", "https"}
            assert urlsplit(address).hostname
        if offer in DOMAIN_OFFERS:
            DOMAIN_OFFERS[offer].check(item)
        if isinstance(item, SearchHit | FoundImage | Paper):
            assert address
            assert item.title
            assert "<" not in item.title


def _address(item: object) -> str:
    return item.link if isinstance(item, FoundImage) else getattr(item, "url", "")


@every_offer
def test_the_request_is_the_recorded_one(name: str, offer: Offer) -> None:
    record = recording(name, offer)
    wanted = record.data["request"]

    sent = outcome(record).seen
    # A provider may look up more about what it found, after the request that was recorded.
    seen = next((one for one in reversed(sent) if one.path == wanted["path"]), sent[-1])

    assert (seen.method, seen.path) == (wanted["method"], wanted["path"])
    assert seen.params == wanted.get("params", {})
    assert seen.content() == wanted.get("json", wanted.get("form"))
    for header, value in wanted.get("headers", {}).items():
        assert seen.headers[header] == value


@every_offer
def test_the_key_travels_in_no_address(name: str, offer: Offer) -> None:
    record = recording(name, offer)

    seen = outcome(record).seen

    # An upstream that takes its key in no header says so in its SPEC, with the parameter's name.
    named = spec(name).address_key
    others = [{key: one.params[key] for key in one.params if key != named} for one in seen]
    assert KEY not in str(others)
    assert all(KEY not in one.path for one in seen)
    needs_key = any(option.secret and option.required for option in spec(name).options)
    assert not needs_key or KEY in str(seen[-1].headers)


@only(*COUNTED)
def test_no_more_results_come_than_were_asked_for(name: str, offer: Offer) -> None:
    record = recording(name, offer)
    fewer = replace(record, data={**record.data, "ask": {**record.data["ask"], "count": 1}})

    assert len(outcome(fewer).found or ()) == 1


@every_offer
def test_a_429_is_reported_with_its_delay(name: str, offer: Offer) -> None:
    got = outcome(recording(name, offer), status=429, headers={"retry-after": "17"}, body=b"{}")

    assert isinstance(got.error, RateLimited)
    assert got.error.retry_after == pytest.approx(17, abs=1)
    assert got.error.provider == name


@every_offer
@pytest.mark.parametrize("status", [500, 503])
def test_a_server_failure_is_unavailable(name: str, offer: Offer, status: int) -> None:
    got = outcome(recording(name, offer), status=status, body=b"<h1>Oops</h1>")

    assert isinstance(got.error, UpstreamUnavailable)
    assert KEY not in shown(got.error)


@every_offer
@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_does_not_show_it(name: str, offer: Offer, status: int) -> None:
    echo = f'{{"error": "bad key {KEY}"}}'.encode()

    got = outcome(recording(name, offer), status=status, body=echo)

    assert got.error is not None
    assert KEY not in shown(got.error)


@every_offer
def test_a_silent_server_is_a_network_failure(
    name: str, offer: Offer, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = recording(name, offer)
    if "timeout_seconds" in record.data["ask"]:
        hasty = {**record.data["ask"], "timeout_seconds": SILENT_SECONDS}
        record = replace(record, data={**record.data, "ask": hasty})
    if name in OWN_TIMEOUTS:
        monkeypatch.setattr(OWN_TIMEOUTS[name], SILENT_SECONDS)

    got = outcome(record, silent=True)

    assert isinstance(got.error, NetworkFailed | UpstreamUnavailable)
    assert KEY not in shown(got.error)


@every_offer
def test_an_answer_cut_off_is_a_network_failure(name: str, offer: Offer) -> None:
    got = outcome(recording(name, offer), cut=True)

    assert isinstance(got.error, NetworkFailed | UpstreamUnavailable)


@every_offer
def test_a_refused_connection_is_a_network_failure(name: str, offer: Offer) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        base = f"http://127.0.0.1:{taken.getsockname()[1]}"

        with pytest.raises((NetworkFailed, UpstreamUnavailable)) as caught:
            asyncio.run(_ask_at(recording(name, offer), base))

    assert KEY not in shown(caught.value)


@every_offer
def test_a_page_in_place_of_the_answer_has_a_bad_shape(name: str, offer: Offer) -> None:
    page = b"<html><head><title>Welcome</title></head><body><h1>Hello</h1></body></html>"

    error = refusal(recording(name, offer), page)

    assert isinstance(error, MalformedResponse)
    assert error.provider == name


@every_offer
def test_an_error_body_with_status_200_is_an_error(name: str, offer: Offer) -> None:
    record = recording(name, offer)

    error = refusal(record, encode(record.data["failure"]))

    assert isinstance(error, UpstreamUnavailable)
    assert error.provider == name


@pytest.mark.parametrize(("name", "offer", "body"), list_meaningless_bodies())
def test_a_body_that_says_nothing_is_an_error(name: str, offer: Offer, body: bytes) -> None:
    assert isinstance(refusal(recording(name, offer), body), MalformedResponse)


@only(*(offer for offer in METHODS if offer not in {Offer.LOOKUP, Offer.REGISTRY}))
def test_an_empty_answer_gives_an_empty_tuple(name: str, offer: Offer) -> None:
    record = recording(name, offer)

    assert replay(record, encode(record.data["empty"])) == ()


@only(*SINGLE)
def test_a_work_that_the_registry_does_not_have_is_no_error(name: str, offer: Offer) -> None:
    record = recording(name, offer)
    absent = record.data["absent"]

    got = replay(record, encode(absent["body"]), status=absent["status"])

    assert got == ()


@every_offer
def test_a_body_of_ten_megabytes_is_refused(name: str, offer: Offer) -> None:
    got = outcome(recording(name, offer), body=b'{"x": "' + b"a" * 10 * 2**20 + b'"}')

    assert isinstance(got.error, TooLarge)
