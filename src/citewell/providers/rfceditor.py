"""The RFC Editor: the standards and memos of the Internet by their number; no key."""

from __future__ import annotations

import re

from citewell.citations import record_fields
from citewell.citations import record_fields as publisher_markup
from citewell.core.errors import InvalidInput, MalformedResponse, NotFound
from citewell.core.values.paper import IdentifierScheme, OpenCopy, Paper, PaperId, WorkAuthor
from citewell.net.upstream import json_responses as wire
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.text.calendar_dates import extract_year

SPEC = ProviderSpec(
    name="rfceditor",
    title="RFC Editor",
    homepage="https://www.rfc-editor.org/",
    base_url="https://www.rfc-editor.org",
    offers=frozenset({Offer.LOOKUP}),
    per_second=5.0,
    burst=10,
    rank=95,
    terms="No key; keep the number of parallel requests modest.",
)

_MAX_NUMBER_DIGITS = 5
_EDITOR_MARK_PATTERN = re.compile(r",? Eds?\.$", re.IGNORECASE)


class _RfcRecord(wire.JsonResponse):
    doc_id: str  # RFC9110
    title: str
    authors: wire.TolerantItems[str] = ()
    pub_date: wire.OptionalField[str] = None  # June 2022
    abstract: wire.OptionalField[str] = None
    status: wire.OptionalField[str] = None
    doi: wire.OptionalField[str] = None


class Provider(KitProvider):
    schemes = frozenset({IdentifierScheme.RFC})

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        number = paper_id.value
        plain = number.isascii() and number.isdigit() and len(number) <= _MAX_NUMBER_DIGITS
        if paper_id.scheme is not IdentifierScheme.RFC or not plain:
            raise InvalidInput("The RFC Editor looks up RFC numbers only.", provider=SPEC.name)
        try:
            response = await self._upstream.send_get(f"/rfc/rfc{int(number)}.json")
        except NotFound:
            return None
        record = wire.read_json_response(_RfcRecord, response)
        stated = re.sub(r"\D", "", record.doc_id).lstrip("0")
        if stated != number.lstrip("0") or not publisher_markup.clean_markup_line(record.title):
            raise MalformedResponse("The record is not that of this RFC.", provider=SPEC.name)
        return _build_rfc_paper(record, number)


def _build_rfc_paper(record: _RfcRecord, number: str) -> Paper:
    published = record_fields.parse_issued_date(record.pub_date)
    doi = record_fields.normalize_doi_field(record.doi)
    page = f"https://www.rfc-editor.org/rfc/rfc{number}"
    # The authors, written as R. Fielding, Ed.; a name without an initial is an organisation.
    cleaned = (
        _EDITOR_MARK_PATTERN.sub("", publisher_markup.clean_markup_line(name))
        for name in record.authors
    )
    return Paper(
        title=record_fields.clean_title_field(publisher_markup.clean_markup_line(record.title)),
        source=SPEC.name,
        url=page,
        ids={IdentifierScheme.RFC: number} | ({IdentifierScheme.DOI: doi} if doi else {}),
        authors=tuple(
            WorkAuthor(name=name, organisation="." not in name) for name in cleaned if name
        ),
        kind="standard",
        year=extract_year(published),
        published=published,
        venue=f"RFC {number}",
        publisher="RFC Editor",
        abstract=publisher_markup.clean_abstract(record.abstract),
        language="en",
        open_access=True,
        copies=(
            OpenCopy(url=page, version="publishedVersion", host="publisher", source=SPEC.name),
        ),
    )
