"""The International Monetary Fund's data, by its SDMX 3 service; no key."""

from __future__ import annotations

from citewell.core.errors import InvalidInput
from citewell.providers.dialects.sdmx_source import SdmxProvider, SdmxService, write_flow_lines
from citewell.routing.ports import Offer, ProviderSpec

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


class Provider(SdmxProvider):
    service = SdmxService(
        office="imf",
        flows_path=f"/structure/dataflow/all/*/{_LATEST}",
        write_flows=write_flow_lines,
        build_data_path=lambda flow, key: f"/data/dataflow/{_build_flow_path(flow)}/{key}",
        build_structure_path=lambda flow: f"/structure/dataflow/{_build_flow_path(flow)}",
        structure_type="application/vnd.sdmx.structure+json;version=2.0.0",
        params={"dimensionAtObservation": "TIME_PERIOD", "attributes": "dsd", "measures": "all"},
        wildcard="*",
        whole_key="*",
        build_range=_build_time_filter,
    )
