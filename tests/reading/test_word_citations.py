"""Works that citation programs keep in a document."""

from __future__ import annotations

import base64
import json
from typing import Any

from citewell.reading.documents.document_text import DocumentLimits
from citewell.reading.documents.office.word_citations import (
    collect_csl_items,
    decode_control_tag,
    iterate_endnote_records,
    read_docx_citations,
    read_odt_citations,
    wrap_csl_items,
)
from tests.documents import docx, opendocument

WORK = {"title": "Tides", "DOI": "10.1000/tides"}
FIELD = f"ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps({'citationItems': [{'itemData': WORK}]})}"


def test_a_work_that_is_cited_twice_is_kept_once() -> None:
    items: dict[str, Any] = {}

    for _ in range(2):
        collect_csl_items(FIELD, items)

    assert list(items) == ["10.1000/tides"]
    assert [json.loads(stored.text) for stored in wrap_csl_items(items)] == [[WORK]]


def test_a_damaged_field_holds_nothing() -> None:
    items: dict[str, Any] = {}

    collect_csl_items("ADDIN CSL_CITATION {not json", items)

    assert items == {}


def test_records_of_endnote_are_found_and_a_cut_one_is_not() -> None:
    field = "ADDIN EN.CITE <EndNote><record>a</record><record>b</record><record>c"

    assert list(iterate_endnote_records(field)) == ["<record>a</record>", "<record>b</record>"]


def test_the_tag_of_a_control_is_decoded() -> None:
    coded = base64.b64encode(b'{"citationItems": []}').decode()

    assert list(decode_control_tag(f"MENDELEY_CITATION_v3_{coded}")) == [
        'CSL_CITATION {"citationItems": []}'
    ]
    assert list(decode_control_tag("another")) == []


def test_the_fields_of_a_word_document_are_read() -> None:
    code = FIELD.replace('"', "&quot;")
    body = docx(f'<w:p><w:fldSimple w:instr="{code}"><w:r><w:t>(1)</w:t></w:r></w:fldSimple></w:p>')

    (stored,) = read_docx_citations(body, DocumentLimits())

    assert (stored.format, json.loads(stored.text)) == ("csl-json", [WORK])


def test_the_reference_marks_of_an_opendocument_text_are_read() -> None:
    name = FIELD.removeprefix("ADDIN ").replace('"', "&quot;")
    body = opendocument(
        "text", f'<text:p><text:reference-mark-start text:name="{name}"/>1</text:p>'
    )

    (stored,) = read_odt_citations(body, DocumentLimits())

    assert json.loads(stored.text) == [WORK]
