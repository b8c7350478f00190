"""The European Central Bank's data, by its SDMX service; no key."""

from __future__ import annotations

from dataclasses import replace

from citewell.dialects.statistics.sdmx_source import SdmxService, SdmxSource
from citewell.dialects.statistics.sdmx_structures import write_flow_names
from citewell.dialects.statistics.series_catalogue import (
    CATALOGUE_TIMEOUT_SECONDS,
    SeriesCatalogue,
    run_reader,
)
from citewell.dialects.statistics.series_ids import split_dotted_key
from citewell.model.domains.economic_series import (
    ObservationList,
    ObservationQuery,
    SeriesHits,
    SeriesQuery,
)
from citewell.ports import Offer, ProviderKit, ProviderSpec

SPEC = ProviderSpec(
    name="ecb",
    title="ECB Data Portal",
    homepage="https://data.ecb.europa.eu/help/api/overview",
    base_url="https://data-api.ecb.europa.eu/service",
    offers=frozenset({Offer.SERIES}),
    applied_arguments={Offer.SERIES: frozenset({"country", "date_from", "date_to"})},
    max_results=100,
    per_second=2.0,
    burst=4,
    rank=50,
    covers_whole_web=False,
    terms="Free to use; cite the ECB as the source.",
    test_evidence="a recorded structure of the ECB, and the standard's own sample of its data",
)

_STRUCTURE_TYPE = "application/vnd.sdmx.structure+xml;version=2.1"


_SERVICE = SdmxService(
    office="ecb",
    build_data_path=lambda flow, key: f"/data/{flow}/{key}",
    build_structure_path=lambda flow: f"/dataflow/ECB/{flow}/latest",
    structure_params={"references": "datastructure"},
    structure_type=_STRUCTURE_TYPE,
    data_type="application/json",
    params={"format": "jsondata"},
)


class Provider:
    can_search_series = True

    def __init__(self, kit: ProviderKit) -> None:
        self._kit = kit
        self._catalogue = SeriesCatalogue(kit.memory, self._fetch_ecb_flows)
        self._source = SdmxSource(
            _SERVICE, upstream=kit.upstream, memory=kit.memory, workers=kit.workers
        )

    async def search_series(self, query: SeriesQuery) -> SeriesHits:
        return await self._catalogue.search_entries(query)

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        return await self._source.list_observations(
            replace(query, series_id=split_dotted_key(query.series_id))
        )

    async def _fetch_ecb_flows(self) -> str:
        response = await self._kit.upstream.send_get(
            "/dataflow", headers={"Accept": _STRUCTURE_TYPE}, timeout=CATALOGUE_TIMEOUT_SECONDS
        )
        return await run_reader(self._kit.workers, write_flow_names, response)
