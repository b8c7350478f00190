"""Tables, feeds, mails and data as text, in their charsets, and told apart by their content."""

from __future__ import annotations

import pytest

from citewell.fetch.decoding.content_kinds import detect_document_kind
from citewell.fetch.decoding.zip_directory import list_zip_names
from citewell.fetch.documents.document_text import (
    DocumentLimits,
    DocumentText,
    TookTooMuch,
    UnsupportedDocument,
)
from citewell.fetch.documents.readers_by_kind import DocumentRequest, read_document_request
from tests.documents import EML, RSS, laughs, packed, sound

SOUND = sound()


def open_text(
    body: bytes, *, url: str = "https://example.org/", content_type: str = ""
) -> DocumentText:
    return read_document_request(DocumentRequest(body, url, content_type, DocumentLimits(), None))


@pytest.mark.parametrize("kind", SOUND)
def test_every_kind_is_known_by_its_content(kind: str) -> None:
    named = {"csv": "text/csv", "tsv": "text/tab-separated-values", "markdown": "text/markdown"}
    wrong = named.get(kind, "application/octet-stream")

    assert (
        detect_document_kind(SOUND[kind], content_type=wrong, url="https://example.org/file.html")
        == kind
    )


@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "html", "rtf", "feed"])
def test_a_wrong_name_changes_nothing(kind: str) -> None:
    assert (
        detect_document_kind(
            SOUND[kind], content_type="text/csv", url="https://example.org/file.csv"
        )
        == kind
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 60, "image"),
        (b"\x1f\x8b\x08\x00" + bytes(range(60)), "gzip archive"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le") + b"\x00" * 60,
            "old Word document",
        ),
        (b"\x00\x00\x00\x20ftypisom" + b"\x00" * 60, "film"),
        (bytes(range(256)) * 4, "binary data"),
        (packed({"notes.txt": "hello"}), "ZIP archive"),
    ],
)
def test_what_holds_no_text_is_named_in_the_complaint(body: bytes, said: str) -> None:
    with pytest.raises(UnsupportedDocument, match=said):
        open_text(body)


def test_text_that_begins_like_a_bitmap_is_text() -> None:
    assert detect_document_kind(b"BM25 is a ranking function used by search engines.") == "text"


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_of_a_table_is_found(mark: str) -> None:
    body = (
        f'name{mark}said\na{mark}"x{mark} y\nz"\nb{mark}p|q\n'.encode()
        if mark != "|"
        else b'name|said\na|"x| y\nz"\nb|pq\n'
    )

    found = open_text(body, content_type="text/csv").markdown

    assert found.startswith("| name | said |\n| --- | --- |\n| a | x")
    assert found.count("\n") == 3


def test_a_table_in_an_old_charset_is_decoded() -> None:
    body = "Stadt;Größe\nKöln;groß\nMünchen;größer\n".encode("cp1252")

    assert "| Köln | groß |" in open_text(body, content_type="text/csv").markdown


def test_a_table_of_one_column_degrades_to_lines() -> None:
    assert open_text(b"only\none\n", content_type="text/csv").markdown == "only  \none"


def test_a_feed_lists_its_entries() -> None:
    found = open_text(RSS)

    assert found.markdown == (
        "# A feed\n\nAbout\n\n## [First](https://example.org/1)\n\n2024-02-03T04:05:06+00:00\n\nSome **text**."
    )
    assert (found.kind, found.title, found.created) == (
        "feed",
        "A feed",
        "2024-02-03T04:05:06+00:00",
    )


def test_an_atom_feed_keeps_authors_and_relative_links() -> None:
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>F</title><entry><title>E</title>
    <link rel="self" href="/self"/><link rel="alternate" href="/e"/><author><name>An author</name></author>
    <updated>2024-02-03T04:05:06Z</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>In <em>it</em></p></div></content></entry></feed>"""

    found = open_text(body)

    assert (
        found.markdown
        == "# F\n\n## [E](https://example.org/e)\n\n2024-02-03T04:05:06Z · An author\n\nIn *it*"
    )
    assert found.language == "de"


def test_a_sloppy_feed_is_mended() -> None:
    body = RSS.replace(b"About", b"Q&A with&nbsp;caf&eacute; \x0b")

    assert "Q&A with café" in open_text(body).markdown


def test_an_rdf_feed_finds_its_items_beside_the_channel() -> None:
    body = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
    <channel><title>F</title></channel><item><title>E</title><link>https://example.org/e</link></item></rdf:RDF>"""

    assert open_text(body).markdown == "# F\n\n## [E](https://example.org/e)"


def test_a_json_feed_is_a_feed() -> None:
    body = b'{"version": "https://jsonfeed.org/version/1.1", "title": "F", "items": [{"title": "E", "url": "https://example.org/e", "content_html": "<p>x</p>"}]}'

    assert open_text(body).markdown == "# F\n\n## [E](https://example.org/e)\n\nx"


def test_a_mail_shows_its_headers_text_and_attachments() -> None:
    body = (
        b"From: someone@example.org\r\nSubject: Report\r\nDate: Sat, 03 Feb 2024 04:05:06 +0000\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n<p>Gr\xfc\xdfe</p>\r\n"
        b"--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=report.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--b--\r\n"
    )

    found = open_text(body)

    assert found.kind == "eml"
    assert "**Subject:** Report" in found.markdown
    assert "Grüße" in found.markdown
    assert found.markdown.endswith("- report.pdf (application/pdf, 5 bytes)")


def test_an_encoded_subject_is_the_title() -> None:
    found = open_text(EML)

    assert (found.title, found.created) == ("Grüße", "2024-02-03T04:05:06+00:00")
    assert found.markdown.endswith("The text of the mail.")


def test_json_stays_json() -> None:
    body = b'{"a": [1, 2], "b": "\xc3\xbc"}'

    found = open_text(body, content_type="application/json")

    assert (found.kind, found.markdown) == ("json", '{"a": [1, 2], "b": "ü"}')


def test_damaged_json_is_given_with_a_note() -> None:
    found = open_text(b'{"a": [1, 2', content_type="application/json")

    assert found.markdown == '{"a": [1, 2'
    assert "not well formed" in found.notes[0]


@pytest.mark.parametrize(
    "body", [laughs().encode(), laughs().encode("utf-16")], ids=["utf-8", "utf-16"]
)
def test_an_xml_bomb_is_refused(body: bytes) -> None:
    with pytest.raises(TookTooMuch, match="entities"):
        open_text(body, content_type="application/xml")


def test_xml_that_asks_for_a_file_is_refused() -> None:
    body = b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><r>&f;</r>'

    with pytest.raises(TookTooMuch, match="entities"):
        open_text(body)


def test_plain_text_loses_its_control_characters_only() -> None:
    body = b"NAME\r\n\x1b[1mbold\x1b[0m N\x08No\x07ise\ttab\r\n  indented"

    assert open_text(body).markdown == "NAME\nbold Noise\ttab\n  indented"


@pytest.mark.parametrize("charset", ["utf-16", "gb18030", "shift_jis", "cp1251", "euc-kr"])
def test_text_with_a_declared_charset_is_decoded(charset: str) -> None:
    words = {
        "gb18030": "文档内容",
        "shift_jis": "文書の内容",
        "cp1251": "Документ",
        "euc-kr": "문서 내용",
    }.get(charset, "Größe")

    found = open_text(words.encode(charset), content_type=f"text/plain; charset={charset}")

    assert found.markdown == words


def test_a_zip_of_sixty_thousand_files_is_known_by_a_few_of_its_names() -> None:
    body = packed({f"f{n}": "" for n in range(60_000)})

    assert detect_document_kind(body) == "ZIP archive"
    listing = list_zip_names(body, most=100)
    assert listing is not None
    assert (len(listing.names), listing.is_whole, listing.declared_count) == (100, False, 60_000)


def test_an_archive_that_names_fewer_files_than_it_holds_is_refused_all_the_same() -> None:
    body = bytearray(packed({"word/document.xml": "<x/>"} | {f"f{n}": "" for n in range(50)}))
    place = body.rindex(b"PK\x05\x06")
    body[place + 8 : place + 12] = b"\x01\x00\x01\x00"
    limits = DocumentLimits(max_members=20)

    with pytest.raises(TookTooMuch, match="21 files, more than are allowed"):
        read_document_request(DocumentRequest(bytes(body), "", "", limits, None))


def test_an_opendocument_file_that_puts_sizes_after_its_members_is_known() -> None:
    body = bytearray(SOUND["odt"])
    body[6] |= 8  # sizes follow the members
    body[14:26] = bytes(12)

    assert detect_document_kind(bytes(body)) == "odt"
