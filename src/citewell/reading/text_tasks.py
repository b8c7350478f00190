"""What worker processes do with text that is not read from a page's markup."""

from __future__ import annotations

import base64
import codecs

from citewell.reading.content_kinds import detect_page_kind
from citewell.reading.extracted_page import CleanText, RawText
from citewell.reading.page_charset import decode_body
from citewell.text.language import word_forms
from citewell.text.safety.injection_signals import find_injection_signals
from citewell.text.safety.text_cleaning import strip_invisible_characters


def clean_page_text(text: str) -> CleanText:
    """The text as every page's is given out: cleaned, stripped, counted, with its injection signals."""
    cleaned = strip_invisible_characters(text)
    content = cleaned.text.strip()
    return CleanText(
        text=content,
        hidden_counts=cleaned.removed_counts,
        word_count=word_forms.count_words(content),
        signals=find_injection_signals(content),
    )


def decode_raw_body(body: bytes, content_type: str, length: int) -> RawText:
    """The first `length` bytes, decoded with the charset of the whole body, or in base64."""
    media_type = content_type.partition(";")[0].strip().lower()
    if not detect_page_kind(body, media_type).is_text:
        packed = base64.b64encode(body[:length]).decode("ascii")
        return RawText(text=packed, encoding="base64", charset=None)
    charset = decode_body(body, content_type=content_type).charset
    # A character cut at the end of the body is dropped; an invalid one inside is replaced.
    decoder = codecs.getincrementaldecoder(charset)("replace")
    text = decoder.decode(body[:length], final=len(body) <= length)
    return RawText(text=text, encoding=None, charset=charset)
