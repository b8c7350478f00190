"""Builds small documents of every kind, sound and hostile, without any library or file, and reads them."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from citewell.reading.documents.document_text import DocumentLimits, DocumentRequest, DocumentText
from citewell.reading.documents.readers_by_kind import read_document_request

FILLER = "words that fill the line of a paragraph until its right edge is nearly reached now"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def open_document(
    body: bytes,
    *,
    url: str = "https://example.org/file",
    content_type: str = "",
    pages: str | None = None,
) -> DocumentText:
    """The document as a worker reads it, within the usual limits."""
    return read_document_request(DocumentRequest(body, url, content_type, DocumentLimits(), pages))


def packed(parts: Mapping[str, str | bytes], *, stored: tuple[str, ...] = ()) -> bytes:
    """A ZIP archive of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name, (2024, 2, 3, 4, 5, 6))  # the same bytes every time
            info.compress_type = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return out.getvalue()


class Pdf:
    """Pages of text placed by hand, in Helvetica (F1), its bold (F2), Courier (F3) or F4.

    F4 reads bytes as letters of `alphabet`, for scripts that Helvetica does not have.
    """

    def __init__(
        self, *, title: str = "", author: str = "", alphabet: str = "", info: str = ""
    ) -> None:
        """`info` is the raw dictionary of properties, in place of title and author."""
        named = f"/Title ({title}) /Author ({author}) /CreationDate (D:20240203040506Z)"
        self._info = info or named
        self._alphabet = alphabet
        self._tags: list[tuple[int, str]] = []  # the page and tag of each piece of marked content
        self._bookmarks: list[tuple[int, str]] = []
        self._pages: list[list[str]] = []
        self._links: list[list[tuple[float, float, float, float, str]]] = []
        self.page()

    def page(self) -> Pdf:
        self._pages.append([])
        self._links.append([])
        return self

    def text(
        self, x: float, y: float, text: str, *, size: float = 10, font: str = "F1", extra: str = ""
    ) -> Pdf:
        if font == "F4":
            text = "".join(chr(self._alphabet.index(letter) + 65) for letter in text)
        safe = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        self._pages[-1].append(
            f"BT /{font} {size} Tf {extra} 1 0 0 1 {x} {842 - y} Tm ({safe}) Tj ET"
        )
        return self

    def lines(
        self, x: float, y: float, lines: list[str], *, size: float = 10, font: str = "F1"
    ) -> Pdf:
        for place, line in enumerate(lines):
            self.text(x, y + 1.2 * size * place, line, size=size, font=font)
        return self

    def tagged(
        self, tag: str, x: float, y: float, text: str, *, size: float = 10, font: str = "F1"
    ) -> Pdf:
        """Text inside an element of the structure tree."""
        page = len(self._pages) - 1
        content = sum(number == page for number, _ in self._tags)
        self._tags.append((page, tag))
        self.draw(f"/{tag} << /MCID {content} >> BDC").text(x, y, text, size=size, font=font)
        return self.draw("EMC")

    def bookmark(self, title: str) -> Pdf:
        """An entry of the outline that leads to this page."""
        self._bookmarks.append((len(self._pages) - 1, title))
        return self

    def draw(self, operators: str) -> Pdf:
        self._pages[-1].append(operators)
        return self

    def grid(self, xs: list[float], ys: list[float]) -> Pdf:
        for x in xs:
            self.draw(f"{x} {842 - ys[0]} m {x} {842 - ys[-1]} l S")
        for y in ys:
            self.draw(f"{xs[0]} {842 - y} m {xs[-1]} {842 - y} l S")
        return self

    def link(self, x0: float, y0: float, x1: float, y1: float, address: str) -> Pdf:
        self._links[-1].append((x0, 842 - y1, x1, 842 - y0, address))
        return self

    def image(self) -> Pdf:
        return self.draw("q 595 0 0 842 0 0 cm /Im1 Do Q")

    def build(self, *, encrypted: bool = False) -> bytes:
        objects: list[bytes] = []

        def add(content: str | bytes) -> int:
            objects.append(content.encode("latin-1") if isinstance(content, str) else content)
            return len(objects)

        catalog, tree = add("<< /Type /Catalog /Pages 2 0 R >>"), add("")
        fonts = [
            add(f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
            for name in ("Helvetica", "Helvetica-Bold", "Courier")
        ]
        fonts.append(self._lettered(add))
        named = " ".join(f"/F{n} {number} 0 R" for n, number in enumerate(fonts, 1))
        image = add(
            _stream(
                b"\x80" * 64,
                "/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8",
            )
        )
        kids: list[int] = []
        for operators, links in zip(self._pages, self._links, strict=True):
            content = add(_stream("\n".join(operators).encode("latin-1"), ""))
            notes = [
                add(
                    f"<< /Type /Annot /Subtype /Link /Rect [{a} {b} {c} {d}] /Border [0 0 0] /A << /S /URI /URI ({to}) >> >>"
                )
                for a, b, c, d, to in links
            ]
            listed = " ".join(f"{number} 0 R" for number in notes)
            kids.append(add(
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R /Annots [{listed}] "
                f"/StructParents {len(kids)} "
                f"/Resources << /Font << {named} >> /XObject << /Im1 {image} 0 R >> >> >>"
            ))  # fmt: skip
        objects[tree - 1] = (
            f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{k} 0 R' for k in kids)}] >>".encode()
        )
        objects[catalog - 1] = (
            f"<< /Type /Catalog /Pages 2 0 R{self._structure(add, kids)}{self._outline(add, kids)} >>"
        ).encode("latin-1")
        info = add(f"<< {self._info} >>")
        trailer = f"/Root {catalog} 0 R /Info {info} 0 R"
        if encrypted:
            lock = add(
                f"<< /Filter /Standard /V 1 /R 2 /P -44 /O <{'41' * 32}> /U <{'42' * 32}> >>"
            )
            trailer += f" /Encrypt {lock} 0 R /ID [<{'43' * 16}> <{'43' * 16}>]"
        return _assembled(objects, trailer)

    def _structure(self, add: Callable[..., Any], pages: list[int]) -> str:
        if not self._tags:
            return ""
        first = add("<< >>")
        root = first + len(self._tags) + 2
        parents: dict[int, list[int]] = {}
        for page, tag in self._tags:
            held = parents.setdefault(page, [])
            held.append(add(
                f"<< /Type /StructElem /S /{tag} /P {root} 0 R /Pg {pages[page]} 0 R /K {len(held)} >>"
            ))  # fmt: skip
        kids = " ".join(f"{one} 0 R" for held in parents.values() for one in held)
        listed = " ".join(
            f"{page} [{' '.join(f'{one} 0 R' for one in held)}]" for page, held in parents.items()
        )
        tree = add(f"<< /Nums [{listed}] >>")
        add(f"<< /Type /StructTreeRoot /K [{kids}] /ParentTree {tree} 0 R >>")
        return f" /MarkInfo << /Marked true >> /StructTreeRoot {root} 0 R"

    def _outline(self, add: Callable[..., Any], pages: list[int]) -> str:
        if not self._bookmarks:
            return ""
        first = add("") + 1
        last = first + len(self._bookmarks) - 1
        for number, (page, title) in enumerate(self._bookmarks, first):
            following = f" /Next {number + 1} 0 R" if number < last else ""
            add(f"<< /Title ({title}) /Dest [{pages[page]} 0 R /Fit]{following} >>")
        root = add(f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R >>")
        return f" /Outlines {root} 0 R"

    def _lettered(self, add: Callable[..., Any]) -> int:
        pairs = "\n".join(
            f"<{n + 65:02x}> <{ord(letter):04x}>" for n, letter in enumerate(self._alphabet)
        )
        cmap = (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
            "1 begincodespacerange <00> <ff> endcodespacerange\n"
            f"{len(self._alphabet)} beginbfchar\n{pairs}\nendbfchar\nendcmap end end"
        )
        mapping = add(_stream(cmap.encode(), ""))
        return add(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode {mapping} 0 R >>"
        )


def _stream(content: bytes, extra: str) -> bytes:
    squeezed = zlib.compress(content)
    head = f"<< {extra} /Filter /FlateDecode /Length {len(squeezed)} >>\nstream\n"
    return head.encode() + squeezed + b"\nendstream"


def _assembled(objects: list[bytes], trailer: str) -> bytes:
    out = bytearray(b"%PDF-1.5\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += f"trailer << /Size {len(objects) + 1} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def pdf(*paragraphs: str) -> bytes:
    return Pdf().lines(60, 80, list(paragraphs or ["A line of text."])).build()


CORE = (
    '<cp:coreProperties xmlns:cp="urn:c" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
    "<dc:title>A title</dc:title><dc:creator>An author</dc:creator><dc:language>en-GB</dc:language>"
    "<dcterms:created>2024-02-03T04:05:06Z</dcterms:created></cp:coreProperties>"
)


def relations(*listed: tuple[str, str, str, str]) -> str:
    items = "".join(
        f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{target}"{mode}/>'
        for key, kind, target, mode in listed
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{items}</Relationships>'


def _types(**overrides: str) -> str:
    listed = "".join(
        f'<Override PartName="{part}" ContentType="{kind}"/>' for part, kind in overrides.items()
    )
    return (
        f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{listed}</Types>'
    )


MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
CHARTS = (
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    f' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{OFFICE}"'
)


def word_equation(content: str) -> str:
    return f"<m:oMath {MATH}>{content}</m:oMath>"


def chart(plots: str, *, title: str = "") -> str:
    """The part of a chart with these plots."""
    named = (
        f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{title}</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    )
    return (
        f"<c:chartSpace {CHARTS}><c:chart>{named if title else ''}"
        f"<c:plotArea>{plots}</c:plotArea></c:chart></c:chartSpace>"
    )


def chart_points(kind: str, *values: str, code: str = "") -> str:
    """Values as a chart keeps them beside the reference to its workbook."""
    form = f"<c:formatCode>{code}</c:formatCode>" if code else ""
    points = "".join(f'<c:pt idx="{n}"><c:v>{value}</c:v></c:pt>' for n, value in enumerate(values))
    return (
        f"<c:{kind}Ref><c:f>S!A1</c:f><c:{kind}Cache>{form}{points}</c:{kind}Cache></c:{kind}Ref>"
    )


def chart_reference(key: str) -> str:
    """A frame that shows the chart with this relation id."""
    return (
        f'<p:graphicFrame {CHARTS} xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main">'
        f'<a:graphic><a:graphicData><c:chart r:id="{key}"/></a:graphicData></a:graphic></p:graphicFrame>'
    )


def docx(
    body: str = "<w:p><w:r><w:t>A paragraph.</w:t></w:r></w:p>",
    *,
    charts: Mapping[str, str] | None = None,
    related: Mapping[str, str] | None = None,
    parts: Mapping[str, str] | None = None,
) -> bytes:
    """A Word document whose body is this XML; `related` are its other parts by their kinds."""
    charts, related = charts or {}, related or {}
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>'
        for n in (1, 2, 3)
    )
    space = f'{MATH} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="{OFFICE}"'
    numbering = (
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
        '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    )
    return packed({
        "[Content_Types].xml": _types(),
        "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml", "")),
        "word/_rels/document.xml.rels": relations(
            ("s1", "styles", "styles.xml", ""),
            ("n1", "numbering", "numbering.xml", ""),
            ("h1", "hyperlink", "https://example.org/page", ' TargetMode="External"'),
            *((key, "chart", f"charts/{key}.xml", "") for key in charts),
            *((kind, kind, f"{kind}.xml", "") for kind in related),
        ),
        **{f"word/{kind}.xml": part for kind, part in related.items()},
        **{f"word/charts/{key}.xml": part for key, part in charts.items()},
        "word/document.xml": f"<w:document {space}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {space}>{styles}</w:styles>",
        "word/numbering.xml": f"<w:numbering {space}>{numbering}</w:numbering>",
        "docProps/core.xml": CORE,
        **(parts or {}),
    })  # fmt: skip


def word_paragraph(text: str, *, style: str = "", list_id: int = 0, run: str = "") -> str:
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if list_id:
        properties += f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{list_id}"/></w:numPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def word_table(*rows: tuple[str, ...]) -> str:
    made = "".join(
        "<w:tr>" + "".join(f"<w:tc>{word_paragraph(cell)}</w:tc>" for cell in row) + "</w:tr>"
        for row in rows
    )
    return f"<w:tbl>{made}</w:tbl>"


DRAWING = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
SLIDES = f'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" {DRAWING} xmlns:r="{OFFICE}"'


def slide_shape(*paragraphs: str, kind: str = "", y: int = 0) -> str:
    """A shape of paragraphs; a paragraph that begins with tabs is that deep in a list."""
    made = "".join(
        f'<a:p><a:pPr lvl="{len(text) - len(text.lstrip(chr(9)))}"/><a:r><a:t>{text.lstrip()}</a:t></a:r></a:p>'
        for text in paragraphs
    )
    holder = f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>' if kind else "<p:nvPr/>"
    return (
        f'<p:sp><p:nvSpPr>{holder}</p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="{y}"/></a:xfrm></p:spPr>'
        f"<p:txBody>{made}</p:txBody></p:sp>"
    )


def pptx(
    *slides: str,
    notes: str = "",
    hidden: int = 0,
    parts: Mapping[str, str] | None = None,
    core: str = CORE,
) -> bytes:
    """A presentation; `parts` are charts and diagrams of the first slide by their relation ids."""
    drawn = parts or {}
    slides = slides or (slide_shape("Some text."),)
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="r{n}"/>' for n in range(len(slides)))
    made: dict[str, str | bytes] = {
        "[Content_Types].xml": _types(),
        "ppt/presentation.xml": f"<p:presentation {SLIDES}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        # The numbers of the files run backwards: the order is in the list, not in the names.
        "ppt/_rels/presentation.xml.rels": relations(
            *(
                (f"r{n}", "slide", f"slides/slide{len(slides) - n}.xml", "")
                for n in range(len(slides))
            )
        ),
        "docProps/core.xml": core,
    }
    for n, shapes in enumerate(slides):
        name = f"slide{len(slides) - n}.xml"
        show = ' show="0"' if n >= len(slides) - hidden else ""
        made[f"ppt/slides/{name}"] = (
            f"<p:sld {SLIDES}{show}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
        if n == 0:
            noted = [("n1", "notesSlide", "../notesSlides/notesSlide1.xml", "")] if notes else []
            made[f"ppt/slides/_rels/{name}.rels"] = relations(
                *noted, *((key, "chart", f"../charts/{key}.xml", "") for key in drawn)
            )
    if notes:
        shape = slide_shape(notes, kind="body")
        made["ppt/notesSlides/notesSlide1.xml"] = (
            f"<p:notes {SLIDES}><p:cSld><p:spTree>{shape}</p:spTree></p:cSld></p:notes>"
        )
    return packed(made | {f"ppt/charts/{key}.xml": part for key, part in drawn.items()})


def xlsx(
    sheets: Mapping[str, str] | None = None,
    *,
    hidden: tuple[str, ...] = (),
    strings: tuple[str, ...] = (),
    charts: Mapping[str, str] | None = None,
) -> bytes:
    """A workbook; each sheet is the XML of its rows. Style 1 is a date, style 2 plain."""
    sheets = sheets or {"Data": '<row r="1"><c r="A1" t="inlineStr"><is><t>Text</t></is></c></row>'}
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"{" state=" + chr(34) + "hidden" + chr(34) if name in hidden else ""}/>'
        for n, name in enumerate(sheets, 1)
    )
    shared = "".join(f"<si><t>{text}</t></si>" for text in strings)
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _types(),
        "xl/workbook.xml": f'<workbook {space} xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            *(
                (f"r{n}", "worksheet", f"worksheets/sheet{n}.xml", "")
                for n in range(1, len(sheets) + 1)
            )
        ),
        "xl/sharedStrings.xml": f"<sst {space}>{shared}</sst>",
        "xl/styles.xml": (
            f'<styleSheet {space}><numFmts><numFmt numFmtId="164" formatCode="0.00 &quot;days&quot;"/></numFmts>'
            '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>'
        ),
        "docProps/core.xml": CORE,
    }
    for n, rows in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/sheet{n}.xml"] = (
            f"<worksheet {space}><sheetData>{rows}</sheetData></worksheet>"
        )
    if charts:
        parts["xl/worksheets/_rels/sheet1.xml.rels"] = relations(
            ("d1", "drawing", "../drawings/drawing1.xml", "")
        )
        frames = "".join(map(chart_reference, charts))
        parts["xl/drawings/drawing1.xml"] = f"<xdr>{frames}</xdr>"
        parts["xl/drawings/_rels/drawing1.xml.rels"] = relations(
            *((key, "chart", f"../charts/{key}.xml", "") for key in charts)
        )
        parts |= {f"xl/charts/{key}.xml": part for key, part in charts.items()}
    return packed(parts)


def opendocument(kind: str, body: str, *, styles: str = "", manifest: str = "") -> bytes:
    """An OpenDocument text, spreadsheet or presentation whose body is this XML."""
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    names = "".join(
        f' xmlns:{prefix}="{urn}:{name}:1.0"'
        for prefix, name in (("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"),
                             ("draw", "drawing"), ("presentation", "presentation"), ("meta", "meta"))
    ) + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'  # fmt: skip
    content = (
        f"<office:document-content{names}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    meta = (
        f"<office:document-meta{names}><office:meta><dc:title>A title</dc:title><meta:initial-creator>An author</meta:initial-creator>"
        "<meta:creation-date>2024-02-03T04:05:06</meta:creation-date></office:meta></office:document-meta>"
    )
    return packed(
        {"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content, "meta.xml": meta,
         "META-INF/manifest.xml": manifest or "<manifest/>"},
        stored=("mimetype",),
    )  # fmt: skip


def epub(*chapters: str, locked: bool = False) -> bytes:
    chapters = chapters or ("<h1>Chapter</h1><p>Text.</p>",)
    items = "".join(
        f'<item id="c{n}" href="text/chapter%20{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        "<dc:title>A book</dc:title><dc:creator>An author</dc:creator><dc:language>fr</dc:language><dc:date>2020-05-06</dc:date>"
        f"</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:c"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        "OEBPS/book.opf": opf,
    }
    for n, chapter in enumerate(chapters):
        parts[f"OEBPS/text/chapter {n}.xhtml"] = (
            f'<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{chapter}</body></html>'
        )
    if locked:
        parts["META-INF/encryption.xml"] = (
            '<encryption xmlns:e="urn:e"><e:CipherReference URI="OEBPS/text/chapter%200.xhtml"/></encryption>'
        )
    return packed(parts, stored=("mimetype",))


RTF = rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}}{\info{\title A title}{\author An author}}\pard Plain text.\par}"
RSS = b"""<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>A feed</title><description>About</description>
<item><title>First</title><link>https://example.org/1</link><pubDate>Sat, 03 Feb 2024 04:05:06 GMT</pubDate><description>&lt;p&gt;Some &lt;b&gt;text&lt;/b&gt;.&lt;/p&gt;</description></item>
</channel></rss>"""
EML = b"""From: Someone <someone@example.org>\r\nTo: other@example.org\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nDate: Sat, 03 Feb 2024 04:05:06 +0000\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe text of the mail.\r\n"""


def sound() -> dict[str, bytes]:
    """One small document of every kind."""
    from tests import old_documents

    paragraph = "<text:p>A paragraph.</text:p>"
    return {
        "pdf": pdf(),
        "docx": docx(),
        "odt": opendocument("text", paragraph),
        "rtf": RTF,
        "pptx": pptx(),
        "odp": opendocument(
            "presentation",
            f"<draw:page><draw:frame><draw:text-box>{paragraph}</draw:text-box></draw:frame></draw:page>",
        ),
        "xlsx": xlsx(),
        "ods": opendocument(
            "spreadsheet",
            f'<table:table table:name="S"><table:table-row><table:table-cell>{paragraph}</table:table-cell></table:table-row></table:table>',
        ),
        "doc": old_documents.doc(),
        "ppt": old_documents.ppt(),
        "xls": old_documents.xls(),
        "xlsb": old_documents.xlsb(),
        "msg": old_documents.msg(),
        "csv": b"name,value\nfirst,1\nsecond,2\n",
        "tsv": b"name\tvalue\nfirst\t1\n",
        "epub": epub(),
        "eml": EML,
        "feed": RSS,
        "json": b'{"name": "first", "values": [1, 2, 3]}',
        "xml": b'<?xml version="1.0"?><root><title>A title</title><item>Text</item></root>',
        "markdown": b"# Heading\n\nSome *text*.\n",
        "text": b"Plain text.\n",
        "html": b"<!doctype html><title>T</title><p>Some text.</p>",
    }


def laughs(levels: int = 10) -> str:
    """The XML that expands to billions of words."""
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels))
    return f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY l0 "ha">{entities}]><r>&l{levels - 1};</r>'
