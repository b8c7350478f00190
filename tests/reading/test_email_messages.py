"""E-mails and Outlook messages."""

from __future__ import annotations

from citewell.reading.documents.email_messages import unpack_rtf
from tests.documents import EML, open_document
from tests.old_documents import msg


def test_a_mail_shows_its_headers_text_and_attachments() -> None:
    body = (
        b"From: someone@example.org\r\nSubject: Report\r\nDate: Sat, 03 Feb 2024 04:05:06 +0000\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n<p>Gr\xfc\xdfe</p>\r\n"
        b"--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=report.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--b--\r\n"
    )

    found = open_document(body)

    assert found.kind == "eml"
    assert "**Subject:** Report" in found.markdown
    assert "Grüße" in found.markdown
    assert found.markdown.endswith("- report.pdf (application/pdf, 5 bytes)")


def test_an_encoded_subject_is_the_title() -> None:
    found = open_document(EML)

    assert (found.title, found.created) == ("Grüße", "2024-02-03T04:05:06+00:00")
    assert found.markdown.endswith("The text of the mail.")


def test_an_outlook_message_has_headers_text_and_attachments() -> None:
    found = open_document(msg(attached="report.pdf"))

    assert found.markdown == (
        "**From:** Someone \\<someone@example.org>  \n**To:** Other  \n**Date:** 2024-02-03T12:05:06Z  \n"
        "**Subject:** A subject\n\nThe text of the message.\n\n"
        "**Attachments:**\n\n- report.pdf (application/octet-stream, 0 bytes)"
    )
    assert (found.title, found.created) == ("A subject", "2024-02-03T12:05:06Z")


def test_an_outlook_message_without_plain_text_is_read_from_its_html_or_rich_text() -> None:
    html = msg(body="", html="<p>Some <b>text</b>.</p>")
    rich = msg(body="", rtf=rb"{\rtf1\ansi Rich {\b text}.\par}")

    assert open_document(html).markdown.endswith("\n\nSome **text**.")
    assert open_document(rich).markdown.endswith("\n\nRich text.")


def test_compressed_rich_text_is_unpacked() -> None:
    # The example of the format's specification: literals and references into the first window.
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232"
        "0af32068656c090020627705b06c647d0a800fa0"
    )

    assert unpack_rtf(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
