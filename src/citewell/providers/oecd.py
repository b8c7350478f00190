"""The OECD's data, by its SDMX service; no key."""

from __future__ import annotations

from citewell.core.errors import InvalidInput
from citewell.providers.dialects.sdmx_source import SdmxProvider, SdmxService, write_flow_lines
from citewell.routing.ports import Offer, ProviderSpec

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
_MIN_PARTS, _MAX_PARTS = 2, 3


def _split_flow(flow: str) -> list[str]:
    parts = flow.split(",")
    if not _MIN_PARTS <= len(parts) <= _MAX_PARTS or not all(parts):
        raise InvalidInput(
            "An OECD series_id is agency,dataflow,version as a search returns it, such as"
            " OECD.SDD.NAD,DSD_NAMAIN1@DF_QNA,1.0, optionally with /key or ?DIMENSION=code."
        )
    return parts


class Provider(SdmxProvider):
    service = SdmxService(
        office="oecd",
        flows_path="/dataflow/all/all/latest",
        flows_params={"detail": "allstubs"},
        write_flows=write_flow_lines,
        build_data_path=lambda flow, key: f"/data/{','.join(_split_flow(flow))}/{key}",
        build_structure_path=lambda flow: (
            f"/dataflow/{'/'.join((*_split_flow(flow), 'latest')[:_MAX_PARTS])}"
        ),
        structure_type="application/vnd.sdmx.structure+json",
        data_type="application/vnd.sdmx.data+json;version=2.0.0",
        params={"dimensionAtObservation": "TIME_PERIOD"},
    )
