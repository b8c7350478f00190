"""`citewell audit` on manuscripts and exports of every kind: what is checked, and what is told."""

from __future__ import annotations

import base64
import json
from html import escape
from pathlib import Path

import pytest

from tests import documents
from tests.citations.test_format_readers import (
    BIBER_BBL,
    ENDNOTE_XML,
    ENW,
    MODS,
    NBIB,
    PUBMED_XML,
    WORD_XML,
    WOS,
    WOS_TABLE,
    ZOTERO_CSV,
    ZOTERO_RDF,
)
from tests.command_runs import Run
from tests.requirements import requires

DEEP = "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521(7553), 436–444. https://doi.org/10.1038/nature14539"
SCIPY = "Virtanen, P. et al. (2020). SciPy 1.0: fundamental algorithms for scientific computing in Python. Nature Methods, 17, 261–272. https://doi.org/10.1038/s41592-019-0686-2"
BODY = "This paper says many things at length, as papers do, and cites the works that are listed at its end for what it says."
ITEM = {"type": "article-journal", "title": "Deep learning", "DOI": "10.1038/nature14539", "issued": {"date-parts": [[2015]]}, "author": [{"family": "LeCun", "given": "Yann"}]}  # fmt: skip
BIB = """@article{lecun, author={LeCun, Yann and Bengio, Yoshua and Hinton, Geoffrey}, title={Deep learning}, journal={Nature}, year={2015}, doi={10.1038/nature14539}}
@article{virtanen, author={Virtanen, Pauli and others}, title={SciPy 1.0: fundamental algorithms for scientific computing in Python}, year={2020}, doi={10.1038/s41592-019-0686-2}}
"""
TEX = "\\documentclass{article}\n\\begin{document}\nDeep \\cite[p.~3]{lecun} % \\cite{commented}\nand \\citep{gone}.\n\\bibliography{refs}\n\\end{document}\n"


def write(tmp_path: Path, name: str, content: str | bytes) -> str:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def field(code: str) -> str:
    begin, end = '<w:fldChar w:fldCharType="begin"/>', '<w:fldChar w:fldCharType="end"/>'
    half = len(code) // 2
    runs = "".join(f'<w:r><w:instrText xml:space="preserve">{escape(part, quote=False)}</w:instrText></w:r>' for part in (code[:half], code[half:]))  # fmt: skip
    return f"<w:p><w:r>{begin}</w:r>{runs}<w:r>{end}</w:r></w:p>"


def docx(*paragraphs: str, extra: str = "", parts: dict[str, str] | None = None) -> bytes:
    return documents.docx(
        "".join(documents.word_paragraph(escape(text)) for text in paragraphs) + extra, parts=parts
    )


CITATION = json.dumps({"citationItems": [{"id": 1, "itemData": ITEM}, {"id": 2, "itemData": ITEM}]})
MENDELEY = "MENDELEY_CITATION_v3_" + base64.b64encode(CITATION.encode()).decode()
FILES: dict[str, str | bytes] = {
    "savedrecs.txt": WOS[: WOS.index("PT S")] + "EF\n",
    "savedrecs16.txt": ("\ufeff" + WOS_TABLE).encode("utf-16-le"),
    "refs.enw": ENW[: ENW.index("%0 Book")], "refs.nbib": NBIB[: NBIB.index("PMID- 1\n")],
    "export.xml": ENDNOTE_XML, "pubmed.xml": PUBMED_XML, "mods.xml": MODS, "Sources.xml": WORD_XML,
    "lib.rdf": ZOTERO_RDF, "lib.csv": ZOTERO_CSV, "paper.bbl": BIBER_BBL,
    "list.docx": docx(BODY, "References", DEEP),
    "zotero.docx": docx(BODY, extra=field(f"ADDIN ZOTERO_ITEM CSL_CITATION {CITATION} ")),
    "mendeley.docx": docx(BODY, extra=f'<w:sdt><w:sdtPr><w:tag w:val="{MENDELEY}"/></w:sdtPr><w:sdtContent><w:p/></w:sdtContent></w:sdt>'),
    "endnote.docx": docx(BODY, extra=field("ADDIN EN.CITE <EndNote><Cite>" + ENDNOTE_XML[ENDNOTE_XML.index("<record>") : ENDNOTE_XML.index("</records>")] + "</Cite></EndNote>")),
    "word.docx": docx(BODY, parts={"customXml/item1.xml": WORD_XML}),
    "list.odt": documents.opendocument("text", f"<text:p>{BODY}</text:p><text:h>References</text:h><text:p>{escape(DEEP)}</text:p>"),
    "list.pdf": documents.pdf(BODY, "References", "[1] LeCun Y, Bengio Y, Hinton G. Deep learning. Nature 2015; 521: 436. doi:10.1038/nature14539"),
    "items.tex": "\\begin{thebibliography}{9}\n\\bibitem[LeCun et~al.(2015)]{lecun} Y.~LeCun, Y.~Bengio, and G.~Hinton. \\newblock Deep learning. \\newblock {\\em Nature}, 521:436--444, 2015. \\newblock \\href{https://doi.org/10.1038/nature14539}{doi:10.1038/nature14539}.\n\\end{thebibliography}\n",
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@requires("audit_bibliography.manuscripts")
def test_the_references_of_every_kind_of_file_are_checked(run: Run, tmp_path: Path, name: str) -> None:  # fmt: skip
    ran = run("audit", write(tmp_path, name, FILES[name]), "--json", "--no-links")

    assert ran.code == 0, ran.err
    [entry] = ran.json()["entries"]
    assert (entry["doi"], entry["flags"]) == ("10.1038/nature14539", [])


def test_only_cited_entries_are_checked_and_the_others_are_told(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "refs.bib", BIB)

    ran = run("audit", write(tmp_path, "paper.tex", TEX), "--no-links")

    assert "1 reference: 1 ok; 1 damaged." in ran.out
    assert "The key gone is cited, and no entry has it." in ran.out
    assert "1 entry is not cited, and so not checked: virtanen." in ran.out
    assert "commented" not in ran.out


def test_citations_in_included_files_count(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "refs.bib", BIB)
    write(tmp_path, "chapter.tex", "More of \\textcite{virtanen}.")
    main = TEX.replace("and \\citep{gone}.", "\\input{chapter}\\nocite{lecun}")

    ran = run("audit", write(tmp_path, "paper.tex", main), "--no-links", "--json")

    assert len(ran.json()["entries"]) == 2


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("paper.tex", TEX, "refs.bib"),
        ("paper.tex", "\\documentclass{article}\\begin{document}Nothing.\\end{document}", "no list of references"),
        ("fake.docx", documents.packed({"readme.txt": "not a Word file"}), "fake.docx"),
        ("note.docx", docx(BODY, BODY), "no list of references"),
        ("empty.docx", b"", "empty.docx"), ("empty.bib", "", "empty.bib"), ("empty.nbib", "", "empty.nbib"),
        ("cut.xml", MODS[:900], "line"), ("other.xml", "<note><to>You</to></note>", "other.xml"),
        ("year.txt", "2019\n", "year.txt"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said_plainly(run: Run, tmp_path: Path, name: str, content: str | bytes, words: str) -> None:  # fmt: skip
    ran = run("audit", write(tmp_path, name, content))

    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_a_bomb_is_not_unpacked(run: Run, tmp_path: Path) -> None:
    bomb = documents.packed(
        {"word/document.xml": b"0" * 30_000_000, "[Content_Types].xml": "<Types/>"}
    )

    ran = run("audit", write(tmp_path, "bomb.docx", bomb))

    assert ran.code == 2


def test_a_list_that_holds_more_than_a_program_stored_is_read_as_printed(run: Run, tmp_path: Path) -> None:  # fmt: skip
    paper = docx(
        BODY, "References", DEEP, SCIPY, extra=field(f"ADDIN ZOTERO_ITEM CSL_CITATION {CITATION} ")
    )

    ran = run("audit", write(tmp_path, "paper.docx", paper), "--no-links", "--json")

    assert ran.json()["source"] == "bibliography:prose"
    assert len(ran.json()["entries"]) == 2


def test_stored_works_are_named_as_such(run: Run, tmp_path: Path) -> None:
    ran = run("audit", write(tmp_path, "zotero.docx", FILES["zotero.docx"]), "--no-links")

    assert "keeps in the document" in ran.out


@pytest.mark.parametrize("name", ["refs.nbib", "export.xml", "zotero.docx", "lib.csv", "list.pdf"])
def test_the_works_of_a_file_are_cited(run: Run, tmp_path: Path, name: str) -> None:
    ran = run("cite", "--style", "ris", write(tmp_path, name, FILES[name]))

    assert ran.code == 0
    assert "TI  - Deep learning" in ran.out
    assert "DO  - 10.1038/nature14539" in ran.out


def test_a_file_and_an_identifier_can_be_cited_together(run: Run, tmp_path: Path) -> None:
    ran = run("cite", write(tmp_path, "refs.enw", ENW), "10.1038/s41592-019-0686-2")

    assert ran.code == 0
    assert ran.out.count("\n\n") == 2
    assert "Doe, J. (1999)" in ran.out
