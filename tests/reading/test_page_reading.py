"""Office documents and e-books keep their structure and lose what their authors hid."""

from __future__ import annotations

import pytest

from citewell.reading.documents.document_markdown import format_stored_number
from citewell.reading.documents.document_text import (
    Broken,
    DocumentLimits,
    DocumentRequest,
    DocumentText,
    EncryptedDocument,
)
from citewell.reading.documents.readers_by_kind import read_document_request
from citewell.reading.extracted_page import PageResponse
from citewell.reading.page_reading import extract_document_page
from tests.documents import (
    CORE,
    docx,
    epub,
    opendocument,
    packed,
    pptx,
    slide_shape,
    word_paragraph,
    word_table,
    xlsx,
)
from tests.requirements import requires


def open_document(body: bytes, *, pages: str | None = None) -> DocumentText:
    return read_document_request(
        DocumentRequest(body, "https://example.org/file", "", DocumentLimits(), pages)
    )


def test_a_word_document_keeps_headings_lists_tables_and_links() -> None:
    link = '<w:p><w:hyperlink r:id="h1"><w:r><w:t>a link</w:t></w:r></w:hyperlink></w:p>'
    body = (
        word_paragraph("Heading", style="Heading1")
        + word_paragraph("bold", run="<w:b/>")
        + word_paragraph("one", list_id=1)
        + word_paragraph("two", list_id=1)
        + word_paragraph("first", list_id=2)
        + word_table(("A", "B"), ("1", "x | y"))
        + link
    )

    found = open_document(docx(body))

    assert found.markdown == (
        "# Heading\n\n**bold**\n\n- one\n- two\n\n1. first\n\n"
        "| A | B |\n| --- | --- |\n| 1 | x \\| y |\n\n[a link](https://example.org/page)"
    )
    assert (found.kind, found.title, found.author) == ("docx", "A title", "An author")
    assert (found.created, found.language) == ("2024-02-03T04:05:06Z", "en")


def test_hidden_text_of_a_word_document_is_left_out() -> None:
    body = word_paragraph("Seen.") + word_paragraph("SECRET", run="<w:vanish/>")
    body += word_paragraph("Shown.", run='<w:vanish w:val="false"/>')

    found = open_document(docx(body))

    assert found.markdown == "Seen.\n\nShown."
    assert found.notes == ("1 piece of hidden text was left out.",)


def test_slides_come_in_the_order_they_are_shown_with_their_notes() -> None:
    first = slide_shape("Later on the slide", y=5_000_000) + slide_shape("The title", kind="title")
    first += slide_shape("One", "\tTwo", kind="body", y=2_000_000)
    body = pptx(first, slide_shape("Second", kind="title"), notes="Say this.")

    found = open_document(body)

    assert found.markdown == (
        "## Slide 1: The title\n\n- One\n  - Two\n\nLater on the slide\n\n> Notes: Say this.\n\n## Slide 2: Second"
    )
    assert found.page_count == 2


def test_hidden_slides_are_left_out_and_chosen_ones_read() -> None:
    body = pptx(*(slide_shape(f"S{n}", kind="title") for n in range(4)), hidden=1)

    found = open_document(body, pages="2-3")

    assert found.markdown == "## Slide 2: S1\n\n## Slide 3: S2"
    assert found.notes == ("1 hidden slide was left out.",)


def test_a_table_on_a_slide_becomes_a_gfm_table() -> None:
    def cell(text: str) -> str:
        return f"<a:tc><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    rows = "".join(f"<a:tr>{cell(a)}{cell(b)}</a:tr>" for a, b in (("H1", "H2"), ("x", "y")))
    frame = f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"

    assert "| H1 | H2 |\n| --- | --- |\n| x | y |" in open_document(pptx(frame)).markdown


def test_a_workbook_shows_values_as_a_reader_sees_them() -> None:
    rows = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><r><t>ri</t></r><r><t>ch</t></r></is></c></row>'
        '<row r="2"><c r="A2"><v>0.30000000000000004</v></c><c r="B2" s="1"><v>45293</v></c><c r="C2" t="b"><v>1</v></c><c r="D2" s="2"><v>3</v></c></row>'
        '<row r="3"><c r="B3" s="1"><v>45293.5</v></c><c r="D3" t="str"><f>A1</f><v>a|b</v></c></row>'
        '<row r="4" hidden="1"><c r="A4"><v>666</v></c></row>'
    )
    found = open_document(
        xlsx({"Data": rows, "Secret": rows}, hidden=("Secret",), strings=("Name", "When"))
    )

    assert found.markdown == (
        "## Data\n\n| Name | When |  | rich |\n| --- | --- | --- | --- |\n"
        "| 0.3 | 2024-01-02 | TRUE | 3 |\n|  | 2024-01-02 12:00:00 |  | a\\|b |"
    )
    assert found.notes == ("Hidden sheets were left out: Secret.",)


def test_an_opendocument_text_keeps_its_structure() -> None:
    styles = (
        '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
        '<text:list-style style:name="N"><text:list-level-style-number text:level="1"/></text:list-style>'
    )
    body = (
        '<text:h text:outline-level="2">A heading</text:h>'
        '<text:p>Text<text:span text:style-name="H">SECRET</text:span> with<text:s/>a <text:a xlink:href="https://example.org/">link</text:a>'
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>The note.</text:p></text:note-body></text:note>.</text:p>"
        "<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list></text:list-item></text:list>"
        '<text:list text:style-name="N"><text:list-item><text:p>first</text:p></text:list-item></text:list>'
        "<table:table><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell><text:p>B</text:p></table:table-cell></table:table-row>"
        "<table:table-row><table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table>"
    )

    found = open_document(opendocument("text", body, styles=styles))

    assert found.markdown == (
        "## A heading\n\nText with a [link](https://example.org/)[^1].\n\n- one\n  - deep\n\n1. first\n\n"
        "| A | B |\n| --- | --- |\n| 1 | 2 |\n\n[^1]: The note."
    )
    assert (found.title, found.author, found.created) == (
        "A title",
        "An author",
        "2024-02-03T04:05:06",
    )
    assert found.notes == ("1 piece of hidden text was left out.",)


def test_a_sheet_that_repeats_a_million_empty_cells_stays_small() -> None:
    def cell(text: str) -> str:
        return f"<table:table-cell><text:p>{text}</text:p></table:table-cell>"

    rows = f"<table:table-row>{cell('A')}{cell('B')}<table:table-cell table:number-columns-repeated='16000'/></table:table-row>"
    rows += f"<table:table-row>{cell('1')}{cell('2')}</table:table-row><table:table-row table:number-rows-repeated='1048000'><table:table-cell/></table:table-row>"

    found = open_document(
        opendocument("spreadsheet", f'<table:table table:name="S">{rows}</table:table>')
    )

    assert found.markdown == "## S\n\n| A | B |\n| --- | --- |\n| 1 | 2 |"


def test_an_opendocument_presentation_is_read_slide_by_slide() -> None:
    page = (
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Title</text:p></draw:text-box></draw:frame>'
        "<draw:frame><draw:text-box><text:p>Body</text:p></draw:text-box></draw:frame></draw:page>"
    )

    found = open_document(opendocument("presentation", page + page))

    assert found.markdown == "## Title\n\nBody\n\n## Title\n\nBody"
    assert found.page_count == 2


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    found = open_document(
        epub(
            "<h1>One</h1><p>First <a/>part.</p>",
            "<h1>Two</h1><script>x()</script><p>Second &amp; last.</p>",
        )
    )

    assert found.markdown == "# One\n\nFirst part.\n\n# Two\n\nSecond & last."
    assert (found.title, found.author, found.language, found.created) == (
        "A book",
        "An author",
        "fr",
        "2020-05-06",
    )


def test_rich_text_is_read_in_its_code_page_with_tables_and_links() -> None:
    body = (
        rb"{\rtf1\ansi\ansicpg1251{\fonttbl{\f0\fcharset204 Arial;}{\f1\fcharset0 Arial;}}{\info{\title T}{\author A}}"
        rb"{\pard\outlinelevel0 Heading\par}\pard\f0\'cf\'f0\'e8\'e2\'e5\'f2\f1  caf\u233?\par"
        rb'{\field{\*\fldinst HYPERLINK "https://example.org/a"}{\fldrslt the link}}\par'
        rb"{\v SECRET}\trowd\intbl a\cell b\cell\row\trowd\intbl 1\cell 2\cell\row\pard Last {\*\unknown gone}line.\par}"
    )

    found = open_document(body)

    assert found.markdown == (
        "# Heading\n\nПривет café\n\n[the link](https://example.org/a)\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nLast line."
    )
    assert (found.title, found.author) == ("T", "A")


@pytest.mark.parametrize(
    "body",
    [
        epub(locked=True),
        opendocument(
            "text", "<text:p>x</text:p>", manifest="<manifest><encryption-data/></manifest>"
        ),
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + b"\x00" * 600
        + "EncryptedPackage".encode("utf-16-le")
        + b"\x00" * 600,
    ],
    ids=["epub", "odt", "office"],
)
def test_an_encrypted_document_says_so(body: bytes) -> None:
    with pytest.raises(EncryptedDocument, match="encrypted"):
        open_document(body)


@pytest.mark.parametrize(
    "parts",
    [
        {"word/other.xml": "<x/>"},
        {"ppt/other.xml": "<x/>"},
        {"xl/other.xml": "<x/>"},
        {"mimetype": "application/vnd.oasis.opendocument.text"},
        {"META-INF/container.xml": "<container/>"},
    ],
    ids=["docx", "pptx", "xlsx", "odt", "epub"],
)
def test_a_package_without_its_main_part_is_broken(parts: dict[str, str]) -> None:
    with pytest.raises(Broken, match=r"has no|names no"):
        open_document(packed(parts))


def test_rich_text_from_a_macintosh_has_its_letters() -> None:
    assert open_document(rb"{\rtf1\mac\deff0 lanc\'8e\par}").markdown == "lancé"


def test_a_character_that_does_not_exist_is_shown_as_unknown() -> None:
    assert open_document(rb"{\rtf1 a\u-99999999 ?b\u9999999 ?c\par}").markdown == "a\ufffdb\ufffdc"


@pytest.mark.parametrize(
    ("raw", "code", "shown"),
    [
        ("1234567890123450", "", "1234567890123450"),
        ("1.5E+15", "General", "1500000000000000"),
        ("0.1", "", "0.1"),
        ("0.25", "0%", "25%"),
        ("0.1234", "0%", "12.34%"),
        ("0.5", "0.00%", "50.00%"),
        ("45293", "d\\.m\\.yyyy", "2024-01-02"),
        ("0.5", "hh:mm", "12:00:00"),
        ("1.25", "[h]:mm", "30:00:00"),
        ("3", '"hours" 0', "3"),
        ("45293", "[Red]0.00", "45293"),
        ("1e300", "yyyy", "1e300"),
        ("text", "yyyy", "text"),
        ("nan", "", "nan"),
    ],
)
def test_a_number_is_shown_by_its_format(raw: str, code: str, shown: str) -> None:
    assert format_stored_number(raw, code) == shown


def test_word_lists_have_the_numbers_that_word_shows() -> None:
    levels = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{label}"/></w:lvl>'
        for n, (form, label) in enumerate(
            (("decimal", "%1."), ("lowerLetter", "%2)"), ("decimal", "%1.%2.%3"))
        )
    )
    numbering = (
        f'<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num></w:numbering>'
    )

    def item(text: str, level: int, list_id: int = 1) -> str:
        made = word_paragraph(text, list_id=list_id)
        return made.replace('w:ilvl w:val="0"', f'w:ilvl w:val="{level}"')

    body = item("one", 0) + item("under", 1) + item("two", 0) + word_paragraph("Between.")
    body += item("three", 0) + item("seven", 0, 2) + item("eight", 0, 2)

    found = open_document(docx(body, parts={"word/numbering.xml": numbering}))

    assert found.markdown == (
        "1. one\n   - a) under\n2. two\n\nBetween.\n\n3. three\n7. seven\n8. eight"
    )


def test_fields_notes_boxes_and_changes_of_a_word_document_are_read_as_shown() -> None:
    body = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "https://example.org/"</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>a page</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
        '<w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
        "<w:p><w:ins><w:r><w:t>Added</w:t></w:r></w:ins><w:del><w:r><w:delText>removed</w:delText></w:r></w:del>"
        '<w:r><w:t>, 10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r></w:p>'
        "<w:p><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p>"
        "<w:p><w:r><w:t>He</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>llo</w:t></w:r><w:r><w:t> there</w:t></w:r></w:p>"
    )
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    notes = f'<w:footnotes {space}><w:footnote w:id="2">{word_paragraph("The note.")}</w:footnote></w:footnotes>'

    found = open_document(docx(body, related={"footnotes": notes}))

    assert found.markdown == (
        "[a page](https://example.org/)[^1]\n\nAdded, 10^6\n\nIn a box.\n\nHello there\n\n[^1]: The note."
    )


@pytest.mark.parametrize(
    ("run", "ground", "left_out"),
    [
        ('<w:color w:val="FFFFFF"/>', "", True),
        ('<w:color w:val="FFFFFF"/><w:shd w:fill="000000"/>', "", False),
        ('<w:color w:val="FFFFFF"/>', '<w:shd w:fill="1F3864"/>', False),
        ('<w:sz w:val="2"/>', "", True),
        ('<w:sz w:val="16"/>', "", False),
    ],
)
def test_text_that_no_reader_of_a_word_document_sees_is_left_out(
    run: str, ground: str, left_out: bool
) -> None:
    shown = word_paragraph("SECRET", run=run).replace("<w:pPr>", f"<w:pPr>{ground}")

    found = open_document(docx(word_paragraph("Seen.") + shown))

    assert ("SECRET" not in found.markdown) == left_out
    assert bool(found.notes) == left_out


def test_a_word_document_of_nothing_but_a_header_is_read() -> None:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    header = f"<w:hdr {space}>{word_paragraph('On every page.')}</w:hdr>"

    assert open_document(docx("<w:p/>", related={"header": header})).markdown == "On every page."


@pytest.mark.parametrize(
    "rows",
    [
        "".join(f'<row r="{n}"/>' for n in range(1, 1_048_577)),
        '<row r="1"><c r="XFD1"/></row>' * 1000,
    ],
    ids=["rows", "columns"],
)
def test_a_sheet_of_empty_rows_or_columns_costs_little(rows: str) -> None:
    rows += '<row r="1048577"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>'
    limits = DocumentLimits(max_ratio=10**9)

    found = read_document_request(DocumentRequest(xlsx({"S": rows}), "", "", limits, None))

    assert found.markdown == "## S\n\n| 1 | 2 |\n| --- | --- |"


def test_a_long_text_that_every_cell_names_is_bounded() -> None:
    cells = '<row><c t="s"><v>0</v></c></row>' * 2000
    limits = DocumentLimits(max_ratio=10**9)

    found = read_document_request(
        DocumentRequest(xlsx({"S": cells}, strings=("x" * 100_000,)), "", "", limits, None)
    )

    assert len(found.markdown) == limits.max_text
    assert found.notes == ("Only the first 10000000 characters are returned.",)


def test_hidden_sheets_slides_rows_and_sections_of_opendocument_files_are_left_out() -> None:
    def sheet(name: str, style: str, visible: str = "") -> str:
        cell = f"<table:table-cell><text:p>{name}</text:p></table:table-cell>"
        return f'<table:table table:name="{name}" table:style-name="{style}"><table:table-row {visible}>{cell}</table:table-row></table:table>'

    styles = (
        '<style:style style:name="H"><style:table-properties table:display="false"/></style:style>'
        '<style:style style:name="P"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
        '<style:style style:name="V"><style:table-properties table:display="true"/></style:style>'
    )
    rows = (
        sheet("Shown", "V") + sheet("Secret", "H") + sheet("Row", "V", 'table:visibility="filter"')
    )
    page = "<draw:page {}><draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame></draw:page>"
    slides = page.format("", "Shown") + page.format('draw:style-name="P"', "SECRET")
    text = '<text:section text:display="none"><text:p>SECRET</text:p></text:section><text:p>Shown</text:p>'

    book = open_document(opendocument("spreadsheet", rows, styles=styles))
    show = open_document(opendocument("presentation", slides, styles=styles))
    letter = open_document(opendocument("text", text))

    assert (book.markdown, book.notes) == (
        "## Shown\n\nShown",
        ("Hidden sheets were left out: Secret.",),
    )
    assert (show.markdown, show.notes) == (
        "## Slide 1\n\nShown",
        ("1 hidden slide was left out.",),
    )
    assert (letter.markdown, letter.notes) == ("Shown", ("1 piece of hidden text was left out.",))


def test_lists_of_opendocument_and_rich_text_have_the_labels_that_are_shown() -> None:
    styles = (
        '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="." text:start-value="3"/>'
        '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/></text:list-style>'
        '<number:date-style xmlns:number="urn:n"><number:text>/</number:text></number:date-style>'
    )
    inner = "<text:list><text:list-item><text:p>under</text:p></text:list-item></text:list>"
    items = f"<text:list-item><text:p>one</text:p>{inner}</text:list-item><text:list-item><text:p>two</text:p></text:list-item>"
    headed = '<text:list><text:list-item><text:h text:outline-level="1">Head</text:h></text:list-item></text:list>'
    body = f'{headed}<text:list text:style-name="N">{items}</text:list>'
    rich = rb"{\rtf1{\listtext\pard 1.\tab}\pard\ls1 one\par{\listtext\pard a)\tab}\pard\ls1\ilvl1 under\par{\listtext\pard \'b7\tab}\pard\ls2 dot\par}"

    assert open_document(opendocument("text", body, styles=styles)).markdown == (
        "# Head\n\n3. one\n  - a) under\n4. two"
    )
    assert open_document(rich).markdown == "1. one\n   - a) under\n- dot"


@requires("scrape_page.document_dates")
@pytest.mark.parametrize(
    ("body", "created"),
    [
        (docx(word_paragraph("Text of a report.")), "2024-02-03T04:05:06Z"),
        (opendocument("text", "<text:p>Text of a report.</text:p>"), "2024-02-03T04:05:06"),
    ],
    ids=["docx", "odt"],
)
def test_the_stamp_in_a_file_is_no_date_of_publication(body: bytes, created: str) -> None:
    response = PageResponse(url="https://example.org/f", final_url="https://example.org/f")

    found = extract_document_page(body, response, DocumentLimits())

    assert (found.metadata.published, found.metadata.published_basis) == (None, None)
    assert found.created == created


@requires("scrape_page.document_dates")
def test_a_book_states_when_it_was_published() -> None:
    response = PageResponse(url="https://example.org/b", final_url="https://example.org/b")

    found = extract_document_page(epub("<p>Text of a book.</p>"), response, DocumentLimits())

    assert (found.metadata.published, found.metadata.published_basis) == ("2020-05-06", "document")


@pytest.mark.parametrize(
    ("title", "author", "created", "shown"),
    [
        ("PowerPoint Presentation", "Steve Canny", "2013-01-27T09:14:16Z", (None, None)),
        ("Harbours", "Steve Canny", "2013-01-27T09:14:16Z", ("Harbours", None)),
        ("PowerPoint Presentation", "Ada Berg", "2024-02-03T04:05:06Z", (None, "Ada Berg")),
        ("Making slides", "Steve Canny", "2024-02-03T04:05:06Z", ("Making slides", "Steve Canny")),
    ],
)
def test_what_a_template_declares_is_not_the_documents(
    title: str, author: str, created: str, shown: tuple[str | None, str | None]
) -> None:
    core = CORE.replace("A title", title).replace("An author", author)

    found = open_document(pptx(core=core.replace("2024-02-03T04:05:06Z", created)))

    assert (found.title, found.author) == shown
