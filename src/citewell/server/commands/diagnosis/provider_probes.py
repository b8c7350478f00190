"""Sends each provider one cheap request, and describes the result and which setting to change."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from citewell.core import errors
from citewell.core.values.court_case import CaseQuery
from citewell.core.values.paper import IdentifierScheme, PaperId, PaperQuery
from citewell.core.values.search_queries import ImageQuery, SearchHits, SearchQuery
from citewell.domains.filings import FilingLookup, FilingSearch
from citewell.domains.patents.patent_records import PatentQuery, PatentSearch
from citewell.domains.place_records import AreaLookup, AreaQuery, PlaceLookup, PlaceSearch
from citewell.domains.series import ObservationQuery, SeriesSearch
from citewell.domains.trials import TrialQuery, TrialSearch
from citewell.routing.ports import (
    CaseSearch,
    ImageSearch,
    NewsSearch,
    Offer,
    OpenCopies,
    PaperLookup,
    PaperSearch,
    ProviderSpec,
    WebSearch,
)
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.text.safety.secret_masking import mask_secrets

_PROBE_WORD = "sleep"
_PROBE_SERIES = {
    "worldbank": "NY.GDP.MKTP.CD",
    "fred": "GDP",
    "eurostat": "une_rt_m",
    "ecb": "EXR/A.USD.EUR.SP00.A",
    "oecd": "OECD.SDD.NAD,DSD_NAMAIN1@DF_QNA,1.0",
    "imf": "IMF.STA,CPI,5.0.0",
}
_PROBE_WORKS = (
    PaperId(scheme=IdentifierScheme.ISBN, value="9780262033848"),
    PaperId(scheme=IdentifierScheme.RFC, value="9110"),
)
_PROBE_COUNTRY = "DEU"
_PROBE_CITY, _PROBE_CITY_CENTRE = "Lyon", (45.7579, 4.8351)
_PROBE_PATENT = "US10165245B2"
_PROBE_TICKER = "AAPL"


def _ask_for_series(provider: Any) -> Any:
    """Observations of one series, because a catalogue may have megabytes."""
    name = _PROBE_SERIES.get(getattr(provider, "__module__", "").rpartition(".")[2])
    if name is None:
        return None
    return provider.list_observations(
        ObservationQuery(series_id=name, count=1, country=_PROBE_COUNTRY)
    )


def _ask_for_work(provider: Any) -> Any:
    work = next((work for work in _PROBE_WORKS if work.scheme in provider.schemes), None)
    return None if work is None else provider.look_up_paper(work)


def _ask_for_places(provider: Any) -> Any:
    latitude, longitude = _PROBE_CITY_CENTRE
    return provider.search_places(
        PlaceLookup(
            query="cafe", kinds=("amenity=cafe",), latitude=latitude, longitude=longitude,
            radius=500.0, count=1,
        )
    )  # fmt: skip


# For each offer the Protocol of its providers, the request for something that surely exists, and
# the field of the answer that has it. A request that cannot be made is None.
DOMAIN_PROBES: Mapping[Offer, tuple[type, Callable[[Any], Any], str | None]] = {
    Offer.TRIALS: (
        TrialSearch,
        lambda it: it.search_trials(TrialQuery(query=_PROBE_WORD, count=1)),
        "trials",
    ),
    Offer.CASES: (
        CaseSearch,
        lambda it: it.search_cases(CaseQuery(text=_PROBE_WORD, count=1)),
        "cases",
    ),
    Offer.SERIES: (SeriesSearch, _ask_for_series, "observations"),
    Offer.AREAS: (AreaLookup, lambda it: it.find_areas(AreaQuery(name=_PROBE_CITY)), None),
    Offer.PLACES: (PlaceSearch, _ask_for_places, "places"),
    Offer.PATENTS: (
        PatentSearch,
        lambda it: it.search_patents(
            PatentQuery(text=_PROBE_PATENT, numbers=(_PROBE_PATENT,), count=1)
        ),
        "patents",
    ),
    Offer.FILINGS: (
        FilingSearch,
        lambda it: it.search_filings(
            FilingLookup(text=_PROBE_TICKER, ticker=_PROBE_TICKER, count=1)
        ),
        "filings",
    ),
    Offer.NEWS: (
        NewsSearch,
        lambda it: it.search_news(SearchQuery(text=_PROBE_WORD, count=1)),
        "hits",
    ),
    Offer.IMAGES: (
        ImageSearch,
        lambda it: it.search_images(ImageQuery(text=_PROBE_WORD, count=1)),
        None,
    ),
    Offer.LOOKUP: (PaperLookup, _ask_for_work, None),
}


async def send_domain_probe(provider: object) -> bool:
    """Whether the registry found what surely exists; raises NotImplementedError if none can be probed."""
    for kind, send_probe, part in DOMAIN_PROBES.values():
        sent = send_probe(provider) if isinstance(provider, kind) else None
        if sent is not None:
            answer = await sent
            return bool(getattr(answer, part) if part else answer)
    raise NotImplementedError


PROBE_SECONDS = 5.0  # for one provider
PROBE_QUERY = SearchQuery(text="sleep", count=1)
PROBE_PAPERS = PaperQuery(text="sleep", count=1)
PROBE_DOI = "10.1038/nature12373"
_PROBED_OFFERS = frozenset({Offer.WEB, Offer.PAPERS, Offer.REGISTRY, Offer.COPIES, *DOMAIN_PROBES})

WORKING = "working"
NOT_TRIED = "not tried"
NOT_CONFIGURED = "not configured"
RATE_LIMITED = "rate limited"
BLOCKED = "blocked"
UNREACHABLE = "unreachable"
FAILING = "failing"
FINDS_NOTHING = "answers, finds nothing"

_STATES_BY_ERROR: tuple[tuple[type[errors.CitewellError], str], ...] = (
    (errors.RateLimited, RATE_LIMITED),
    (errors.Blocked, BLOCKED),
    (errors.NetworkFailed, UNREACHABLE),
    (errors.RefusedByPolicy, UNREACHABLE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderVerdict:
    """The state of one provider, the reason, and the setting to change."""

    name: str
    title: str
    offers: tuple[str, ...]
    configured: bool
    state: str
    detail: str = ""
    change: str = ""

    @property
    def is_usable(self) -> bool:
        """True if it works, or is configured and was not tried."""
        return self.configured and self.state in {WORKING, NOT_TRIED}


async def probe_providers(
    catalogue: ProviderCatalogue,
    raw: Mapping[str, str],
    *,
    offline: bool,
    paid: bool,
    probe_seconds: float = PROBE_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[ProviderVerdict, ...]:
    """The verdict on every provider; all are asked concurrently."""
    specs = [catalogue.find_spec(name) for name in catalogue.list_provider_names()]

    async def probe(spec: ProviderSpec) -> ProviderVerdict:
        if not catalogue.is_configured(spec.name):
            return _judge_unconfigured(spec, catalogue)
        if offline and not spec.base_url:
            return _build_verdict(
                spec,
                NOT_TRIED,
                configured=False,
                detail="your documents; not checked with --offline",
            )
        if reason := _describe_skip_reason(spec, raw, offline=offline, paid=paid):
            return _build_verdict(spec, NOT_TRIED, detail=reason)
        return await _probe_provider(spec, catalogue, raw, patience=probe_seconds, clock=clock)

    return tuple(await asyncio.gather(*map(probe, specs)))


def _describe_skip_reason(
    spec: ProviderSpec, raw: Mapping[str, str], *, offline: bool, paid: bool
) -> str:
    """Why no request is sent; empty if one is sent."""
    if offline:
        return "configured; not tried with --offline"
    if not spec.offers & _PROBED_OFFERS:
        why = "each request is charged" if is_metered(spec, raw) else "no request to it is cheap"
        return f"configured; not tried, because {why}"
    if is_metered(spec, raw) and not paid:
        return "key set; --paid tries it, which may be charged"
    return ""


def is_metered(spec: ProviderSpec, raw: Mapping[str, str]) -> bool:
    """True if a request may cost money: a key is set, and the server is not the user's own."""
    given = [option for option in spec.options if raw.get(option.env)]
    return any(option.secret for option in given) and not any(
        option.is_self_hosted for option in given
    )


async def _probe_provider(
    spec: ProviderSpec,
    catalogue: ProviderCatalogue,
    raw: Mapping[str, str],
    *,
    patience: float,
    clock: Callable[[], float],
) -> ProviderVerdict:
    started = clock()
    try:
        provider = catalogue.connect_provider(spec.name)
        async with asyncio.timeout(patience):
            found = await _send_probe(provider)
    except NotImplementedError:
        return _build_verdict(
            spec, FAILING, detail="it does not implement what it declares to offer"
        )
    except TimeoutError:
        detail = f"no answer within {patience:g} s"
        return _build_verdict(
            spec, UNREACHABLE, detail=detail, change=_suggest_network_setting(spec, raw)
        )
    except errors.CitewellError as error:
        return _judge_failure(spec, error, raw)
    milliseconds = round(1000 * (clock() - started))
    if isinstance(found, SearchHits):
        return _judge_answer(spec, found, milliseconds=milliseconds)
    if found:
        return _build_verdict(spec, WORKING, detail=f"answered in {milliseconds} ms.")
    return _build_verdict(spec, FINDS_NOTHING, detail="it does not have what was asked for")


async def _send_probe(provider: object) -> SearchHits | bool:
    """Ask the provider for something that exists: web results, or whether it has found the work.

    Raises NotImplementedError if the provider has none of the offers that are probed.
    """
    if isinstance(provider, WebSearch):
        return await provider.search_web(PROBE_QUERY)
    if isinstance(provider, PaperSearch):
        return bool((await provider.search_papers(PROBE_PAPERS)).papers)
    if hasattr(provider, "is_registered"):
        return bool(await provider.is_registered(PROBE_DOI))
    if isinstance(provider, OpenCopies):
        return bool(await provider.list_open_copies(PROBE_DOI))
    return await send_domain_probe(provider)


def _judge_answer(spec: ProviderSpec, found: SearchHits, *, milliseconds: int) -> ProviderVerdict:
    where = f" from {found.instance}" if found.instance else ""
    notes = " ".join(found.notes)
    if found.hits:
        detail = f"answered in {milliseconds} ms{where}. {notes}".strip()
        return _build_verdict(spec, WORKING, detail=detail, change=found.remedy)
    failed = "; ".join(f"{engine}: {reason}" for engine, reason in found.unresponsive)
    if failed:
        return _build_verdict(spec, FAILING, detail=f"its engines fail{where}: {failed}")
    return _build_verdict(
        spec, FINDS_NOTHING, detail=notes or f"no result for {PROBE_QUERY.text!r}{where}"
    )


def _judge_failure(
    spec: ProviderSpec, error: errors.CitewellError, raw: Mapping[str, str]
) -> ProviderVerdict:
    if error.reason is errors.FailureReason.NOT_CONFIGURED:
        return _build_verdict(
            spec,
            NOT_CONFIGURED,
            configured=False,
            detail=error.message,
            change=error.remedy,
        )
    state = next((word for kind, word in _STATES_BY_ERROR if isinstance(error, kind)), FAILING)
    wait = (
        f" Wait {error.retry_after:.0f} s."
        if isinstance(error, errors.RateLimited) and error.retry_after
        else ""
    )
    return _build_verdict(
        spec,
        state,
        detail=mask_secrets(error.message + wait),
        change=_suggest_setting_change(spec, error, raw),
    )


def _suggest_setting_change(
    spec: ProviderSpec, error: errors.CitewellError, raw: Mapping[str, str]
) -> str:
    """The setting to change; empty if only waiting helps and the error has no remedy."""
    if isinstance(error, errors.AuthRequired | errors.OutOfCredit):
        secrets = [option.env for option in spec.options if option.secret]
        return f"{' '.join(f'{env}=…' for env in secrets)} (a key from {spec.homepage})"
    if isinstance(error, errors.RefusedByPolicy):
        return "CITEWELL_ALLOW_PRIVATE_HOSTS=… (host:port of that address)"
    if isinstance(error, errors.NetworkFailed):
        return _suggest_network_setting(spec, raw)
    return error.remedy


def _suggest_network_setting(spec: ProviderSpec, raw: Mapping[str, str]) -> str:
    if raw.get(spec.base_url_env):
        return f"{spec.base_url_env}=… (an address that answers)"
    own = next((env for env in spec.requires_any if raw.get(env)), None)
    return (
        f"{own}=… (an address that answers)"
        if own
        else "CITEWELL_PROXY=env (if your network needs a proxy)"
    )


def _judge_unconfigured(spec: ProviderSpec, catalogue: ProviderCatalogue) -> ProviderVerdict:
    required = [option.env for option in spec.options if option.required]
    names: Iterable[str] = required or spec.requires_any[:1]
    return _build_verdict(
        spec,
        NOT_CONFIGURED,
        configured=False,
        detail=f"needs {catalogue.describe_missing_settings(spec.name)}",
        change=f"{' '.join(f'{env}=…' for env in names)} (see {spec.homepage})",
    )


def _build_verdict(
    spec: ProviderSpec, state: str, *, configured: bool = True, detail: str = "", change: str = ""
) -> ProviderVerdict:
    return ProviderVerdict(
        name=spec.name,
        title=spec.title,
        offers=tuple(sorted(spec.offers)),
        configured=configured,
        state=state,
        detail=detail,
        change=change,
    )
