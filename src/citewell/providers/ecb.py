"""The European Central Bank's data, by its SDMX service; no key."""

from __future__ import annotations

from citewell.domains.series import ObservationList, ObservationQuery
from citewell.domains.series_ids import split_dotted_key
from citewell.providers.dialects.sdmx_source import SdmxProvider, SdmxService, write_flow_names
from citewell.routing.ports import Offer, ProviderSpec

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


class Provider(SdmxProvider):
    service = SdmxService(
        office="ecb",
        flows_path="/dataflow",
        write_flows=write_flow_names,
        build_data_path=lambda flow, key: f"/data/{flow}/{key}",
        build_structure_path=lambda flow: f"/dataflow/ECB/{flow}/latest",
        structure_type="application/vnd.sdmx.structure+xml;version=2.1",
        params={"format": "jsondata"},
    )

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        return await super().list_observations(
            query.with_changes(series_id=split_dotted_key(query.series_id))
        )
