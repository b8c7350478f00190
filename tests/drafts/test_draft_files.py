"""Drafts in files: Word with fields and tracked changes, LaTeX with includes, PDF, odd encodings."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from citewell.core.config import Settings
from citewell.core.errors import CitewellError, InvalidInput
from citewell.drafts.draft import CitationForm, Draft
from citewell.drafts.draft_files import DraftFileReader
from citewell.drafts.draft_reading import MAX_DRAFT_CHARS
from tests.documents import Pdf, docx, pdf, word_paragraph
from tests.task_thread import ThreadTasks

pytestmark = pytest.mark.anyio

WORK = {
    "id": "1",
    "type": "article-journal",
    "title": "Sleep-dependent learning and memory consolidation",
    "DOI": "10.1016/j.neuron.2004.08.031",
    "author": [{"family": "Walker", "given": "M."}],
    "issued": {"date-parts": [[2004]]},
}
OTHER = {
    "id": "2",
    "type": "book",
    "title": "On naps",
    "author": [{"family": "Mednick", "given": "S."}],
    "issued": {"date-parts": [[2003]]},
}
NOTE_PART = '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:footnote w:id="2"><w:p><w:r><w:t>Doe, J. (2019). A treatise on rest. Nature, 1(2), 3–4. https://doi.org/10.1000/rest</w:t></w:r></w:p></w:footnote></w:footnotes>'
COMMENT_PART = '<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:comment w:id="0"><w:p><w:r><w:t>Is that so?</w:t></w:r></w:p></w:comment></w:comments>'


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def field(code: str, shown: str, *, data: str = "") -> str:
    held = f"<w:fldData>{data}</w:fldData>" if data else ""
    return (
        f'<w:r><w:fldChar w:fldCharType="begin">{held}</w:fldChar></w:r><w:r><w:instrText>{escape(code)}</w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(shown)}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def csl(*works: object) -> str:
    return json.dumps({"citationItems": [{"itemData": work} for work in works]})


async def read_file(folder: Path, name: str, content: bytes | str) -> Draft:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return await DraftFileReader(Settings(), ThreadTasks()).read_draft_file(path)


def list_titles(draft: Draft) -> list[list[str]]:
    titles = {reference.id: reference.reference.title for reference in draft.references}
    return [[titles[name] for name in citation.reference_ids] for citation in draft.citations]


async def test_fields_of_reference_managers_hold_the_works_they_cite(tmp_path: Path) -> None:
    tag = "MENDELEY_CITATION_v3_" + base64.b64encode(csl(OTHER).encode()).decode()
    record = "<EndNote><Cite><record><ref-type name='Book'>6</ref-type><contributors><authors><author>Doe, Jane</author></authors></contributors><titles><title>On rest</title></titles><dates><year>2011</year></dates></record></Cite></EndNote>"
    body = (
        f"<w:p>{run('Sleep helps memory in most adults ')}{field(f'ADDIN ZOTERO_ITEM CSL_CITATION {csl(WORK, OTHER)}', '(1,2)')}{run('.')}</w:p>"
        f'<w:p>{run("Naps of 90 minutes help too ")}<w:sdt><w:sdtPr><w:tag w:val="{tag}"/></w:sdtPr><w:sdtContent>{run("[2]")}</w:sdtContent></w:sdt>{run(".")}</w:p>'
        f"<w:p>{run('Rest is good for all people ')}{field('ADDIN EN.CITE', '(Doe, 2011)', data=base64.b64encode(record.encode()).decode())}{run('.')}</w:p>"
    )

    draft = await read_file(tmp_path, "paper.docx", docx(body))

    assert [citation.form for citation in draft.citations] == [CitationForm.FIELD] * 3
    assert [citation.text for citation in draft.citations] == ["(1,2)", "[2]", "(Doe, 2011)"]
    assert list_titles(draft) == [[WORK["title"], "On naps"], ["On naps"], ["On rest"]]
    assert [statement.text for statement in draft.statements] == [
        "Sleep helps memory in most adults.",
        "Naps of 90 minutes help too.",
        "Rest is good for all people.",
    ]
    assert [statement.place.line for statement in draft.statements] == [1, 2, 3]
    assert not draft.uncited_reference_ids


async def test_a_field_and_the_printed_list_are_one_reference(tmp_path: Path) -> None:
    body = (
        f"<w:p>{run('Sleep helps memory in most adults ')}{field(f'ADDIN ZOTERO_ITEM CSL_CITATION {csl(WORK)}', '(Walker, 2004)')}{run('.')}</w:p>"
        + word_paragraph("References", style="Heading1")
        + word_paragraph(
            "Walker, M. (2004). Sleep-dependent learning and memory consolidation. Neuron, 44(1), 121–133."
        )
    )

    draft = await read_file(tmp_path, "paper.docx", docx(body))

    assert len(draft.references) == 1
    assert draft.citations[0].reference_ids == (draft.references[0].id,)
    assert draft.references[0].reference.doi == "10.1016/j.neuron.2004.08.031"
    assert draft.references[0].place is not None


async def test_tracked_changes_are_accepted_and_comments_left_out(tmp_path: Path) -> None:
    body = (
        f"<w:p>{run('Recall fell by ')}<w:del><w:r><w:delText>50</w:delText></w:r></w:del><w:ins>{run('20')}</w:ins>{run(' % in adults')}"
        '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>1,2</w:t></w:r>'
        f'{run(".")}<w:r><w:commentReference w:id="0"/></w:r></w:p>'
        + word_paragraph("References", style="Heading1")
        + word_paragraph("Walker M. Sleep and human memory. Neuron. 2004;44:121–133.", list_id=2)
        + word_paragraph("Doe J. Rest in winter. Nature. 2019;12:3–4.", list_id=2)
    )

    draft = await read_file(tmp_path, "paper.docx", docx(body, related={"comments": COMMENT_PART}))

    assert [statement.text for statement in draft.statements] == ["Recall fell by 20 % in adults."]
    assert list_titles(draft) == [["Sleep and human memory", "Rest in winter"]]
    assert any("1 insertion is part of the text, 1 deletion is not" in note for note in draft.notes)
    assert any(note.startswith("Comments (1)") for note in draft.notes)


async def test_footnotes_of_word_are_references(tmp_path: Path) -> None:
    body = f'<w:p>{run("Rest doubles recall in mice.")}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>'

    draft = await read_file(tmp_path, "paper.docx", docx(body, related={"footnotes": NOTE_PART}))

    assert [citation.form for citation in draft.citations] == [CitationForm.NOTE]
    assert list_titles(draft) == [["A treatise on rest"]]
    assert draft.statements[0].citation_ids == ("c1",)


async def test_included_files_keep_their_names_and_lines(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.tex").write_text(
        "\\section{One}\nThings grew by 12\\% in France \\cite{smith}.\n"
    )
    (tmp_path / "refs.bib").write_text(
        "@article{smith, author={Smith, J.}, title={On things}, year={2019}}\n@book{unused, author={Roe, R.}, title={Nothing}, year={2001}}"
    )
    main = "\\documentclass{article}\n\\begin{document}\n\\input{parts/one}\nAll of them are blue \\cite{smith}.\n\\input{../secret}\n\\bibliography{refs}\n\\end{document}\n"
    (tmp_path.parent / "secret.tex").write_text("A secret of 1999.")

    draft = await read_file(tmp_path, "main.tex", main)

    assert [(citation.place.file, citation.place.line) for citation in draft.citations] == [
        ("parts/one.tex", 2),
        ("main.tex", 4),
    ]
    assert list_titles(draft) == [["On things"], ["On things"]]
    assert "secret" not in draft.text.replace("../secret", "")
    assert "../secret.tex was refused: it is outside the folder of the draft." in draft.notes
    assert any("1 entry of the bibliography is not cited: unused" in note for note in draft.notes)
    assert not draft.uncited_reference_ids


async def test_front_matter_names_the_bibliography_of_a_markdown_text(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(
        "@article{smith2019, author={Smith, J.}, title={On things}, year={2019}}"
    )

    draft = await read_file(
        tmp_path,
        "post.qmd",
        "---\ntitle: x\nbibliography: refs.bib\n---\n\nThings grow fast in spring [@smith2019, p. 3; @doe2020].\n",
    )

    assert list_titles(draft) == [["On things"]]
    assert draft.citations[0].missing == ("doe2020",)


async def test_lines_in_another_encoding_are_decoded_on_their_own(tmp_path: Path) -> None:
    lines = ["Müller (2018) found 12 % in Zürich.".encode()] * 3
    lines.append("Größe ist alles in Köln.".encode("cp1252"))

    draft = await read_file(tmp_path, "text.txt", b"\n\n".join(lines))

    assert draft.text.count("Müller") == 3
    assert "Größe ist alles in Köln." in draft.text
    assert any("line 7" in note for note in draft.notes)


async def test_text_of_a_pdf_is_read(tmp_path: Path) -> None:
    draft = await read_file(
        tmp_path,
        "paper.pdf",
        pdf(
            "Sleep helps the memory of adults [1].",
            "References",
            "[1] M. Walker. Sleep-dependent learning. Neuron, 2004.",
        ),
    )

    assert draft.format == "pdf"
    assert list_titles(draft) == [["Sleep-dependent learning"]]


async def test_a_pdf_of_pictures_is_refused_with_a_clear_word(tmp_path: Path) -> None:
    with pytest.raises(CitewellError, match=r"(?i)scan|no text|picture|image"):
        await read_file(tmp_path, "scan.pdf", Pdf().page().image().build())


async def test_a_draft_of_twenty_megabytes_is_refused_with_a_clear_word(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="in parts"):
        await read_file(tmp_path, "long.md", b"Some words [1]. " * (MAX_DRAFT_CHARS // 3))


@pytest.mark.parametrize("heading", ["References", "<b>References</b>", "Literaturverzeichnis"])
async def test_a_list_under_a_heading_that_is_only_typed_is_found(
    tmp_path: Path, heading: str
) -> None:
    bold = "<w:rPr><w:b/></w:rPr>" if heading.startswith("<b>") else ""
    title = heading.removeprefix("<b>").removesuffix("</b>")
    body = (
        word_paragraph("Recall fell by 20 % in adults [1]. Rest helps mice in winter [2].")
        + f"<w:p><w:r>{bold}<w:t>{title}</w:t></w:r></w:p>"
        + word_paragraph("1. Walker M. Sleep and human memory. Neuron. 2004;44:121–133.")
        + word_paragraph("2. Doe J. Rest in winter. Nature. 2019;12:3–4.")
    )

    draft = await read_file(tmp_path, "paper.docx", docx(body))

    assert [citation.missing for citation in draft.citations] == [(), ()]
    assert list_titles(draft) == [["Sleep and human memory"], ["Rest in winter"]]


async def test_one_line_in_another_encoding_does_not_spoil_a_short_draft(tmp_path: Path) -> None:
    lines = ["# Über Kessel".encode(), "Er kocht – schnell [1].".encode()]
    lines.append("Das Café ist groß [1].".encode("cp1252"))

    draft = await read_file(tmp_path, "mixed.md", b"\n\n".join(lines))

    assert "Er kocht – schnell" in draft.text
    assert "Das Café ist groß" in draft.text
    assert any("mixed encodings" in note for note in draft.notes)


@pytest.mark.parametrize(
    "content", [b"\x00\x01\x02data\xff\xfe" * 500, b"\x00\x01\x02\x03ab" * 500]
)
async def test_binary_data_are_no_draft(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InvalidInput, match="not text but binary data"):
        await read_file(tmp_path, "draft.md", content)


async def test_text_in_utf_16_is_no_binary_data(tmp_path: Path) -> None:
    draft = await read_file(tmp_path, "draft.md", "# Kessel\n\nEr kocht [1].\n".encode("utf-16"))

    assert draft.text.startswith("# Kessel")


@pytest.mark.parametrize(
    ("name", "message"),
    [("draft.docx", "named .docx but is no such document"), ("draft.md", "no draft that can be")],
)
async def test_an_archive_that_is_no_document_is_told_by_its_name(
    tmp_path: Path, name: str, message: str
) -> None:
    with pytest.raises(CitewellError, match=message):
        await read_file(tmp_path, name, b"PK\x03\x04 and nothing else")


async def test_a_pdf_without_text_comes_with_advice(tmp_path: Path) -> None:
    with pytest.raises(CitewellError, match=r"no text layer.*made from.*OCR"):
        await read_file(tmp_path, "empty.pdf", Pdf().page().build())
