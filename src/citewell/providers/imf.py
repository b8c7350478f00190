"""The International Monetary Fund's data, by its SDMX 3 service; no key."""

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
    name="imf",
    title="IMF Data",
    homepage="https://portal.api.imf.org",
    base_url="https://api.imf.org/external/sdmx/3.0",
    offers=frozenset({Offer.SERIES}),
    applied_arguments={Offer.SERIES: frozenset({"country", "date_from", "date_to"})},
    max_results=100,
    per_second=2.0,
    burst=4,
    rank=60,
    covers_whole_web=False,
    terms="Free to use; cite the IMF as the source.",
    test_evidence="the recorded list of data flows and recorded structures; data shape-tested only",
)

_STRUCTURE_TYPE = "application/vnd.sdmx.structure+json;version=2.0.0"
_LATEST = "+"
_MIN_PARTS, _MAX_PARTS = 2, 3


def _build_flow_path(flow: str) -> str:
    parts = flow.split(",")
    if not _MIN_PARTS <= len(parts) <= _MAX_PARTS or not all(parts):
        raise InvalidInput(
            "An IMF series_id is agency,dataflow,version as a search returns it, such as"
            " IMF.STA,CPI,5.0.0, optionally with /key or ?DIMENSION=code."
        )
    return "/".join((*parts, _LATEST)[:_MAX_PARTS])


def _build_time_filter(first: str | None, last: str | None) -> dict[str, str]:
    bounds = [f"ge:{first}"] * bool(first) + [f"le:{last}"] * bool(last)
    return {"c[TIME_PERIOD]": "+".join(bounds)} if bounds else {}


_SERVICE = SdmxService(
    office="imf",
    build_data_path=lambda flow, key: f"/data/dataflow/{_build_flow_path(flow)}/{key}",
    build_structure_path=lambda flow: f"/structure/dataflow/{_build_flow_path(flow)}",
    structure_params={"references": "datastructure"},
    structure_type=_STRUCTURE_TYPE,
    data_type="application/json",
    params={"dimensionAtObservation": "TIME_PERIOD", "attributes": "dsd", "measures": "all"},
    wildcard="*",
    whole_key="*",
    build_range=_build_time_filter,
)


class Provider:
    can_search_series = True

    def __init__(self, kit: ProviderKit) -> None:
        self._kit = kit
        self._catalogue = SeriesCatalogue(kit.memory, self._fetch_imf_flows)
        self._source = SdmxSource(
            _SERVICE, upstream=kit.upstream, memory=kit.memory, workers=kit.workers
        )

    async def search_series(self, query: SeriesQuery) -> SeriesHits:
        return await self._catalogue.search_entries(query)

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        return await self._source.list_observations(query)

    async def _fetch_imf_flows(self) -> str:
        response = await self._kit.upstream.send_get(
            f"/structure/dataflow/all/*/{_LATEST}",
            headers={"Accept": _STRUCTURE_TYPE},
            timeout=CATALOGUE_TIMEOUT_SECONDS,
        )
        return await run_reader(self._kit.workers, write_flow_lines, response)
