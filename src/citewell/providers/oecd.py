"""The OECD's data, by its SDMX service; no key."""

from __future__ import annotations

from citewell.dialects.statistics.sdmx_source import SdmxService, SdmxSource
from citewell.dialects.statistics.sdmx_structures import write_flow_lines
from citewell.dialects.statistics.series_catalogue import (
    CATALOGUE_TIMEOUT_SECONDS,
    SeriesCatalogue,
    run_reader,
)
from citewell.errors import InvalidInput
from citewell.model.domains.economic_series import (
    ObservationList,
    ObservationQuery,
    SeriesHits,
    SeriesQuery,
)
from citewell.ports import Offer, ProviderKit, ProviderSpec

SPEC = ProviderSpec(
    name="oecd",
    title="OECD",
    homepage="https://gitlab.algobank.oecd.org/public-documentation/dotstat-migration",
    base_url="https://sdmx.oecd.org/public/rest",
    offers=frozenset({Offer.SERIES}),
    applied_arguments={Offer.SERIES: frozenset({"country", "date_from", "date_to"})},
    max_results=100,
    per_second=0.5,
    burst=4,
    rank=30,
    covers_whole_web=False,
    terms="Free; 60 data downloads an hour; VPN exits are refused; cite the OECD.",
    test_evidence="recorded SDMX-JSON of the OECD's older host, and the standard's own samples",
)

_STRUCTURE_TYPE = "application/vnd.sdmx.structure+json"
_MIN_PARTS, _MAX_PARTS = 2, 3


def _split_flow(flow: str) -> list[str]:
    parts = flow.split(",")
    if not _MIN_PARTS <= len(parts) <= _MAX_PARTS or not all(parts):
        raise InvalidInput(
            "An OECD series_id is agency,dataflow,version as a search returns it, such as"
            " OECD.SDD.NAD,DSD_NAMAIN1@DF_QNA,1.0, optionally with /key or ?DIMENSION=code."
        )
    return parts


def _build_structure_path(flow: str) -> str:
    agency, name, version = (*_split_flow(flow), "latest")[:_MAX_PARTS]
    return f"/dataflow/{agency}/{name}/{version}"


def _build_data_path(flow: str, key: str) -> str:
    return f"/data/{','.join(_split_flow(flow))}/{key}"


_SERVICE = SdmxService(
    office="oecd",
    build_data_path=_build_data_path,
    build_structure_path=_build_structure_path,
    structure_params={"references": "datastructure"},
    structure_type=_STRUCTURE_TYPE,
    data_type="application/vnd.sdmx.data+json;version=2.0.0",
    params={"dimensionAtObservation": "TIME_PERIOD"},
)


class Provider:
    can_search_series = True

    def __init__(self, kit: ProviderKit) -> None:
        self._kit = kit
        self._catalogue = SeriesCatalogue(kit.memory, self._fetch_oecd_flows)
        self._source = SdmxSource(
            _SERVICE, upstream=kit.upstream, memory=kit.memory, workers=kit.workers
        )

    async def search_series(self, query: SeriesQuery) -> SeriesHits:
        return await self._catalogue.search_entries(query)

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        return await self._source.list_observations(query)

    async def _fetch_oecd_flows(self) -> str:
        response = await self._kit.upstream.send_get(
            "/dataflow/all/all/latest",
            params={"detail": "allstubs"},
            headers={"Accept": _STRUCTURE_TYPE},
            timeout=CATALOGUE_TIMEOUT_SECONDS,
        )
        return await run_reader(self._kit.workers, write_flow_lines, response)
