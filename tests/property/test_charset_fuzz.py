"""Text in any charset of pages comes back exactly where it is declared, and as some text where not."""

from __future__ import annotations

import codecs
import contextlib
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewell.reading.page_charset import decode_body, resolve_charset_label

LABELS = (
    "utf-8", "gbk", "gb2312", "gb18030", "big5", "shift_jis", "euc-jp", "iso-2022-jp", "euc-kr", "windows-1250",
    "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257",
    "windows-1258", "windows-874", "iso-8859-2", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8",
    "iso-8859-10", "iso-8859-13", "iso-8859-15", "koi8-r", "koi8-u", "macintosh", "utf-16le", "utf-16be",
)  # fmt: skip
BOMS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
}
CANDIDATES = (
    *range(0x20, 0x7F),
    *range(0xA0, 0x600),
    *range(0xE01, 0xE5C),
    *range(0x2010, 0x2030),
    *range(0x3001, 0x3100),
    *range(0x4E00, 0x9FA0, 23),
    *range(0xAC00, 0xD7A4, 41),
    *range(0x1F600, 0x1F610),
)
QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def charset(label: str) -> str:
    """The charset that browsers take the label for; every one here is known."""
    found = resolve_charset_label(label)
    assert found is not None
    return found


@cache
def alphabet(label: str) -> str:
    """What the charset can write and gives back as it was; control characters are no text."""
    codec, kept = charset(label), []
    for number in CANDIDATES:
        char = chr(number)
        with contextlib.suppress(UnicodeError):
            if char.encode(codec).decode(codec) == char:
                kept.append(char)
    return "".join(kept)


def text_in(label: str) -> st.SearchStrategy[str]:
    characters = st.sampled_from(alphabet(label)) | st.sampled_from(" \n<>&éд")
    codec = charset(label)
    drawn = st.lists(characters, min_size=1, max_size=200).map("".join)
    return drawn.map(lambda text: text.encode(codec, "ignore").decode(codec)).filter(bool)


@pytest.mark.parametrize("label", LABELS)
@given(data=st.data())
@QUICK
def test_declared_in_the_header_it_is_exact(label: str, data: st.DataObject) -> None:
    text = data.draw(text_in(label))

    found = decode_body(text.encode(charset(label)), content_type=f'text/html; charset="{label}"')

    # Only what could be nothing else but UTF-8, or another's escapes, is taken out of a label's hands.
    assert found.text == text.removeprefix("\ufeff") or found.charset != charset(label)
    if found.charset != charset(label):
        text.encode(charset(label)).decode(found.charset)


@pytest.mark.parametrize("label", [one for one in LABELS if not one.startswith("utf-16")])
@given(data=st.data())
@QUICK
def test_declared_in_a_meta_element_it_is_exact(label: str, data: st.DataObject) -> None:
    text = data.draw(text_in(label))
    html = f'<html><head><meta charset="{label}"></head><body>{text}</body></html>'

    found = decode_body(html.encode(charset(label)), content_type="text/html")

    assert found.text == html or found.charset != charset(label)
    if found.charset != charset(label):
        html.encode(charset(label)).decode(found.charset)


@pytest.mark.parametrize("label", BOMS)
@given(text=st.text(max_size=200), declared=st.sampled_from(LABELS))
@QUICK
def test_after_a_byte_order_mark_it_is_exact_whatever_is_declared(
    label: str, text: str, declared: str
) -> None:
    body = BOMS[label] + text.encode(label)
    if label == "utf-16-le" and text.startswith("\x00"):
        return  # its mark and a zero are the mark of UTF-32

    found = decode_body(body, content_type=f"text/html; charset={declared}")

    assert (found.text, found.basis) == (text, "bom")


@pytest.mark.parametrize("label", LABELS)
@given(data=st.data())
@QUICK
def test_undeclared_it_is_some_text_and_never_an_error(label: str, data: st.DataObject) -> None:
    text = data.draw(text_in(label))

    found = decode_body(text.encode(charset(label)))

    assert found.text
    assert codecs.lookup(found.charset)


@given(
    body=st.binary(max_size=2000),
    label=st.sampled_from([*LABELS, "nope", "rot13", "utf-7", "\x00", "utf-8;;", "ü"]),
    where=st.sampled_from(["header", "meta", "xml", "both"]),
)
@settings(QUICK, max_examples=150)
def test_any_bytes_under_any_label_become_text(body: bytes, label: str, where: str) -> None:
    head = {
        "meta": f"<meta charset={label}>",
        "both": f"<meta charset={label}>",
        "xml": f'<?xml version="1.0" encoding="{label}"?>',
    }.get(where, "")
    content_type = f"text/html; charset={label}" if where in {"header", "both"} else ""

    found = decode_body(head.encode() + body, content_type=content_type)

    found.text.encode()


@given(body=st.binary(max_size=300), times=st.integers(1, 2000))
@settings(QUICK, max_examples=20)
def test_long_bodies_become_text(body: bytes, times: int) -> None:
    assert isinstance(decode_body(body * times).text, str)
