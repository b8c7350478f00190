"""Asks an SDMX service for its structures and for the observations of a series; says what refusals mean."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar
from xml.etree.ElementTree import Element

from citewell.core import errors
from citewell.core.values.counted_words import pluralize
from citewell.domains.series import ObservationList, ObservationQuery, SeriesHits, SeriesItem
from citewell.domains.series_ids import SeriesReference, parse_series_reference
from citewell.net.http.messages import HttpResponse
from citewell.providers.dialects import data_cubes, series_catalogue
from citewell.providers.dialects.sdmx_json import read_sdmx_window
from citewell.routing.ports import KitProvider
from citewell.routing.upstream_refusals import build_stated_refusal
from citewell.text.places import choose_office_code
from citewell.text.safety.xml_trees import UnusableXml, parse_xml_tree

_MAX_XML_DEPTH = 60
_MAX_XML_ELEMENTS = 500_000
_LANGUAGE_KEY = "{http://www.w3.org/XML/1998/namespace}lang"
_MAX_NOTE_CHARS = 300
_TIME_DIMENSIONS = frozenset({"TIME_PERIOD", "TIME"})
_JSON_KINDS = {
    "dataflows": "Dataflow", "dataStructures": "DataStructure", "codelists": "Codelist",
    "conceptSchemes": "ConceptScheme", "contentConstraints": "ContentConstraint",
    "dataConstraints": "DataConstraint", "categorySchemes": "CategoryScheme",
    "agencySchemes": "AgencyScheme", "metadataflows": "Metadataflow",
}  # fmt: skip

_COUNTRY_DIMENSIONS = ("REF_AREA", "COUNTRY", "LOCATION", "GEO", "AREA", "COU", "COUNT_AREA")
_BAD_REQUEST, _NOT_FOUND, _NOT_ACCEPTABLE, _TOO_LARGE, _UNPROCESSABLE = 400, 404, 406, 413, 422
_EXPECTED_STATUSES = (_BAD_REQUEST, _NOT_FOUND, _NOT_ACCEPTABLE, _TOO_LARGE, _UNPROCESSABLE)
_NO_DATA_WORDS = (b"norecordsfound", b"no results", b"no data", b"no observations")
_DAYS_OF_YEAR = 366  # the most observations that a year before the first day can have
_NARROW_ADVICE = (
    "Ask for less: give country, a shorter range of dates, or restrict the series in series_id,"
    " with a key after a slash or with filters such as ?FREQ=A."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SdmxService:
    """How one office's service is addressed."""

    office: str  # as in text
    flows_path: str  # the list of all data flows
    flows_params: Mapping[str, str] = field(default_factory=dict)
    write_flows: Callable[[bytes], str]  # as lines of a catalogue
    build_data_path: Callable[[str, str], str]  # from flow and key
    build_structure_path: Callable[[str], str]  # from flow
    structure_type: str  # media types that are asked for
    data_type: str = "application/json"
    params: Mapping[str, str]
    wildcard: str = ""  # an open position of a key
    whole_key: str = "all"
    # The range of years, as SDMX 2.1 has it.
    build_range: Callable[[str | None, str | None], dict[str, str]] = lambda first, last: (
        ({"startPeriod": first} if first else {}) | ({"endPeriod": last} if last else {})
    )


class SdmxProvider(KitProvider):
    can_search_series = True
    service: ClassVar[SdmxService]

    def _set_up(self) -> None:
        self._catalogue = series_catalogue.SeriesCatalogue(self._kit.memory, self._fetch_flows)

    async def search_series(self, words: str, *, count: int) -> SeriesHits:
        return await self._catalogue.search_entries(words, count=count)

    async def _fetch_flows(self) -> str:
        response = await self._upstream.send_get(
            self.service.flows_path,
            params=self.service.flows_params,
            headers={"Accept": self.service.structure_type},
            timeout=series_catalogue.CATALOGUE_TIMEOUT_SECONDS,
        )
        return await series_catalogue.run_reader(
            self._kit.workers, self.service.write_flows, response
        )

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        """The observations; raises InvalidInput, NotFound or the upstream's error."""
        reference = parse_series_reference(query.series_id)
        country = self._choose_country(query)
        key, notes = await self._build_series_key(reference, country)
        path = self.service.build_data_path(reference.flow, key)
        response = await self._send_window(path, query)
        if response.status in {_NOT_FOUND, _NOT_ACCEPTABLE, _UNPROCESSABLE}:
            text = response.body[:4096].lower()
            if text.strip() and not any(word in text for word in _NO_DATA_WORDS):
                raise _build_unknown_flow(reference.flow, response.provider)
            return ObservationList(country=country, notes=notes)
        found = await series_catalogue.run_reader(
            self._kit.workers, read_sdmx_window, response, query
        )
        return found.with_changes(country=country, notes=(*notes, *found.notes))

    def _choose_country(self, query: ObservationQuery) -> str | None:
        if query.country is None:
            return None
        code = choose_office_code(query.country, self.service.office)
        if code is None:
            raise errors.InvalidInput(
                f"{self._upstream.name} has no code for {query.country}. Name a country, or put the"
                " provider's own code into series_id, such as ?REF_AREA=code."
            )
        return code

    async def _build_series_key(
        self, reference: SeriesReference, country: str | None
    ) -> tuple[str, tuple[str, ...]]:
        """The key of the request, and what must be said about it."""
        if not reference.filters and not country:
            return reference.key or self.service.whole_key, ()
        dimensions = await self._list_dimensions(reference.flow)
        slots = reference.key.split(".") if reference.key else [""] * len(dimensions)
        if len(slots) != len(dimensions):
            raise errors.InvalidInput(
                f"The key has {len(slots)} {pluralize(len(slots), 'position')}, and the data set has {len(dimensions)}:"
                f" {'.'.join(dimensions)}."
            )
        chosen = dict(zip(dimensions, slots, strict=True))
        for name, code in reference.filters.items():
            known = next(
                (dimension for dimension in dimensions if dimension.lower() == name.lower()), None
            )
            if known is None:
                raise errors.InvalidInput(
                    f"The data set has no dimension {name}. It has {', '.join(dimensions)}."
                )
            chosen[known] = code
        notes = _put_country(chosen, country)
        open_slot = self.service.wildcard
        return ".".join(
            code if code not in {"", "*"} else open_slot for code in chosen.values()
        ), notes

    async def _list_dimensions(self, flow: str) -> tuple[str, ...]:
        """The dimensions of a data set's keys, remembered for a day."""
        fact = f"dimensions {flow}"
        kept = await self._kit.memory.recall_fact(fact)
        if kept:
            return tuple(json.loads(kept))
        response = await self._upstream.send_get(
            self.service.build_structure_path(flow),
            params={"references": "datastructure"},
            headers={"Accept": self.service.structure_type},
            accept=_EXPECTED_STATUSES,
        )
        if response.status != 200:
            raise _build_unknown_flow(flow, self._upstream.name)
        found = await series_catalogue.run_reader(self._kit.workers, list_key_dimensions, response)
        await self._kit.memory.remember_fact(
            fact, json.dumps(found).encode(), ttl=series_catalogue.CATALOGUE_SECONDS
        )
        return found

    async def _send_window(self, path: str, query: ObservationQuery) -> HttpResponse:
        response = await self._send_sdmx(path, self._build_window(query))
        if response.status == _TOO_LARGE:  # very large data sets refuse to count observations
            response = await self._send_sdmx(path, self._build_year_window(query))
        if response.status == _TOO_LARGE:
            message = f"The data set is too large to be sent whole. {_NARROW_ADVICE}"
            raise errors.RejectedRequest(message, provider=self._upstream.name, detail="HTTP 413")
        if response.status == _BAD_REQUEST:
            raise build_stated_refusal(response)
        return response

    async def _send_sdmx(self, path: str, params: Mapping[str, str]) -> HttpResponse:
        try:
            return await self._upstream.send_get(
                path,
                params={**self.service.params, **params},
                headers={"Accept": self.service.data_type},
                accept=_EXPECTED_STATUSES,
            )
        except errors.TooLarge as error:
            raise error.copy_with_message(f"The answer is too large. {_NARROW_ADVICE}") from None

    def _build_window(self, query: ObservationQuery) -> dict[str, str]:
        """Years that contain the days asked for, and how many observations of each series to send."""
        first, last = query.date_from, query.date_to
        if first:
            early = 0 if first.endswith("-01-01") else _DAYS_OF_YEAR
            counted = {"firstNObservations": str(query.count + early)}
        elif last and not last.endswith("-12-31"):
            # Observations of the same year after the last day would use the count up.
            return self._build_year_window(query)
        else:
            counted = {"lastNObservations": str(query.count)}
        return self.service.build_range(first and first[:4], last and last[:4]) | counted

    def _build_year_window(self, query: ObservationQuery) -> dict[str, str]:
        """The same by years alone: as many as observations are asked for, which is enough for all."""
        last = int(query.date_to[:4]) if query.date_to else self._read_now().year
        first = int(query.date_from[:4]) if query.date_from else last - query.count - 1
        if query.date_from:
            last = min(last, first + query.count)
        return self.service.build_range(str(first), str(last))


def _put_country(chosen: dict[str, str], country: str | None) -> tuple[str, ...]:
    """Put the country into its position unless the id has one there; say so if it cannot be."""
    if country is None:
        return ()
    upper = {name.upper(): name for name in chosen}
    slot = next((upper[name] for name in _COUNTRY_DIMENSIONS if name in upper), None)
    if slot is None:
        return ("country was not applied: the data set has no dimension of countries.",)
    if chosen[slot] not in {"", "*", country}:
        return (f"country was not applied: series_id already has {slot} {chosen[slot]}.",)
    chosen[slot] = country
    return ()


def _build_unknown_flow(flow: str, provider: str | None) -> errors.NotFound:
    return errors.NotFound(
        f"There is no data set {flow}. Search with query for ids that exist.", provider=provider
    )


# Reads structures in SDMX, as XML or JSON: names of data flows and others, and the dimensions of a key.


@dataclass(frozen=True, slots=True, kw_only=True)
class SdmxArtefact:
    """A maintained part of a structure message: a data flow, a code list and so on."""

    kind: str  # Dataflow, DataStructure, Codelist, …
    agency: str
    name: str  # its id
    version: str
    title: str
    notes: str = ""


def list_sdmx_artefacts(body: bytes) -> tuple[SdmxArtefact, ...]:
    """Everything in a structure message that has an id and an agency; raises MalformedResponse."""
    if body.lstrip()[:1] == b"<" or body[:3] == b"\xef\xbb\xbf":
        found = list(_iterate_xml_artefacts(_parse_structure_tree(body)))
    else:
        found = list(_iterate_json_artefacts(data_cubes.parse_exact_json(body)))
    if not found:
        raise errors.MalformedResponse("The structure message names nothing.")
    return tuple(found)


def write_flow_lines(body: bytes) -> str:
    """The data flows as lines of a catalogue, with agency,flow,version as ids."""
    return _write_lines(body, lambda flow: f"{flow.agency},{flow.name},{flow.version}")


def write_flow_names(body: bytes) -> str:
    """The data flows as lines of a catalogue, with the flow alone as id."""
    return _write_lines(body, lambda flow: flow.name)


def _write_lines(body: bytes, build_id: Callable[[SdmxArtefact], str]) -> str:
    flows = [artefact for artefact in list_sdmx_artefacts(body) if artefact.kind == "Dataflow"]
    return series_catalogue.write_catalogue_lines(
        SeriesItem(series_id=build_id(flow), title=flow.title, notes=flow.notes or None)
        for flow in flows
    )


def list_key_dimensions(body: bytes) -> tuple[str, ...]:
    """The dimensions of a key, in order, of the first data structure; raises MalformedResponse."""
    if body.lstrip()[:1] == b"<" or body[:3] == b"\xef\xbb\xbf":
        found = _list_xml_dimensions(_parse_structure_tree(body))
    else:
        found = _list_json_dimensions(data_cubes.parse_exact_json(body))
    names = tuple(name for name in found if name and name not in _TIME_DIMENSIONS)
    if not names:
        raise errors.MalformedResponse(
            "The structure message does not name the dimensions of a key."
        )
    return names


def _parse_structure_tree(body: bytes) -> Element:
    try:
        root = parse_xml_tree(body, max_depth=_MAX_XML_DEPTH, max_elements=_MAX_XML_ELEMENTS)
    except UnusableXml:
        raise errors.MalformedResponse(
            f"Expected XML and got {len(body)} {pluralize(len(body), 'other byte')}."
        ) from None
    if _get_local_name(root) == "html":
        raise errors.MalformedResponse("Expected a structure message and got a page.")
    return root


def _get_local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _iterate_xml_artefacts(root: Element) -> Iterator[SdmxArtefact]:
    for element in root.iter():
        if "id" not in element.attrib or "agencyID" not in element.attrib:
            continue
        kind = _get_local_name(element)
        if kind in {"Ref", "Sender", "Receiver"}:
            continue
        yield SdmxArtefact(
            kind=kind,
            agency=data_cubes.clean_label(element.attrib["agencyID"]),
            name=data_cubes.clean_label(element.attrib["id"]),
            version=data_cubes.clean_label(element.attrib.get("version", "")),
            title=_pick_xml_text(element, "Name") or data_cubes.clean_label(element.attrib["id"]),
            notes=_pick_xml_text(element, "Description"),
        )


def _pick_xml_text(element: Element, name: str) -> str:
    """The text of a direct child: the English one, or the first."""
    texts = [child for child in element if _get_local_name(child) == name]
    chosen = next((child for child in texts if child.get(_LANGUAGE_KEY) == "en"), None)
    chosen = chosen if chosen is not None else next(iter(texts), None)
    return data_cubes.clean_label("".join(chosen.itertext())) if chosen is not None else ""


def _list_xml_dimensions(root: Element) -> list[str]:
    lists = (element for element in root.iter() if _get_local_name(element) == "DimensionList")
    first = next(lists, None)
    if first is None:
        return []
    kept = [child for child in first if _get_local_name(child) in {"Dimension", "MeasureDimension"}]
    kept.sort(key=lambda child: _parse_position(child.get("position")))
    return [data_cubes.clean_label(child.get("id") or _find_concept(child)) for child in kept]


def _find_concept(dimension: Element) -> str:
    references = (element for element in dimension.iter() if _get_local_name(element) == "Ref")
    return next((element.get("id", "") for element in references), "")


def _parse_position(text: object) -> int:
    return int(text) if isinstance(text, str) and text.isdecimal() and len(text) < 5 else 0


def _iterate_json_artefacts(message: Any) -> Iterator[SdmxArtefact]:
    data = data_cubes.get_object(message, "data") or data_cubes.get_object(message, "references")
    for group in data:
        own = data[group]
        items = own if isinstance(own, list) else [own]
        for item in items:
            if isinstance(item, dict) and isinstance(item.get("id"), str):
                yield _read_json_artefact(_JSON_KINDS.get(group, group), item)


def _read_json_artefact(kind: str, item: dict[str, Any]) -> SdmxArtefact:
    named = data_cubes.clean_label(item["id"])
    return SdmxArtefact(
        kind=kind,
        agency=data_cubes.clean_label(item.get("agencyID")),
        name=named,
        version=data_cubes.clean_label(item.get("version")),
        title=_pick_json_text(item, "name") or named,
        notes=_pick_json_text(item, "description")[:_MAX_NOTE_CHARS],
    )


def _pick_json_text(item: dict[str, Any], name: str) -> str:
    several = data_cubes.get_object(item, f"{name}s") or data_cubes.get_object(item, name)
    return data_cubes.clean_label(
        several.get("en") or item.get(name) or next(iter(several.values()), "")
    )


def _list_json_dimensions(message: Any) -> list[str]:
    structures = data_cubes.get_list(data_cubes.get_object(message, "data"), "dataStructures")
    first = structures[0] if structures else None
    parts = data_cubes.get_object(
        data_cubes.get_object(first, "dataStructureComponents"), "dimensionList"
    )
    kept = [part for part in data_cubes.get_list(parts, "dimensions") if isinstance(part, dict)]
    kept.sort(key=lambda part: own if isinstance(own := part.get("position"), int) else 0)
    return [data_cubes.clean_label(part.get("id")) for part in kept]
