"""Word documents as drafts: their text, their citation fields, and what was not read."""

from __future__ import annotations

import json

import pytest

from citewell.reading.documents.document_text import Broken, DocumentLimits
from citewell.reading.documents.office.word_documents import read_docx_draft
from tests.documents import docx, open_document, packed, word_paragraph

WORK = {"title": "Tides", "DOI": "10.1000/tides"}


def test_a_citation_field_is_found_in_its_place() -> None:
    code = f"ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps({'citationItems': [{'itemData': WORK}]})}"
    field = f'<w:fldSimple w:instr="{code.replace(chr(34), "&quot;")}"><w:r><w:t>(1)</w:t></w:r></w:fldSimple>'
    body = docx(f"<w:p><w:r><w:t>As shown </w:t></w:r>{field}<w:r><w:t>.</w:t></w:r></w:p>")

    draft = read_docx_draft(body, DocumentLimits())

    (found,) = draft.fields
    assert draft.text == "As shown (1)."
    assert draft.text[found.start : found.end] == "(1)"
    assert [json.loads(works.text) for works in found.works] == [[WORK]]


def test_a_typed_heading_above_the_references_is_one() -> None:
    body = "".join(map(word_paragraph, ("Text of it.", "References", "A work.")))

    assert "## References" in read_docx_draft(docx(body), DocumentLimits()).text


def test_tracked_changes_are_read_as_accepted_and_counted() -> None:
    body = f"<w:ins>{word_paragraph('New.')}</w:ins>" + word_paragraph("Old.")

    draft = read_docx_draft(docx(body), DocumentLimits())

    assert draft.text == "New.\n\nOld."
    assert "1 insertion is part of the text, 0 deletions are not." in draft.notes[0]


def test_a_package_without_a_text_part_is_broken() -> None:
    with pytest.raises(Broken, match="no text part"):
        read_docx_draft(packed({"[Content_Types].xml": "<Types/>"}), DocumentLimits())


def test_a_document_states_its_title() -> None:
    assert open_document(docx(word_paragraph("Text."))).kind == "docx"
