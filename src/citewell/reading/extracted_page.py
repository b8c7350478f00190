"""A page as it was read, before it is given to a caller, and what was received to read it from."""

from __future__ import annotations

import base64
import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field

from citewell.core.errors import CitewellError
from citewell.core.values.scrape_results import InjectedSentence
from citewell.reading.content_kinds import detect_page_kind
from citewell.reading.metadata.page_metadata import ExtractedMetadata
from citewell.reading.page_charset import decode_body
from citewell.text.language import word_forms
from citewell.text.safety.injection_signals import find_injection_signals
from citewell.text.safety.text_cleaning import strip_invisible_characters


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResponse:
    """What a page's reader needs to know of the response, beside its body."""

    url: str  # as requested
    final_url: str  # after redirects
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)  # names in lower case
    redirected: bool = False

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")

    @property
    def media_type(self) -> str:
        """The content type in lower case, without its parameters."""
        return self.content_type.partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedPage:
    """The page as a tier read it. `finish_extracted_page` cleans the content and fills the last four fields."""

    final_url: str
    content: str
    content_type: str
    kind: str = "article"
    charset: str | None = None
    metadata: ExtractedMetadata = field(default_factory=ExtractedMetadata)
    extracted_by: str | None = None
    quality: str = "complete"
    page_count: int | None = None
    file_size: int | None = None
    created: str | None = None  # of documents: the stamp in the file
    notes: tuple[str, ...] = ()
    hidden_counts: Mapping[str, int] = field(default_factory=dict)
    etag: str | None = None
    last_modified: str | None = None
    language: str | None = None  # as declared by the page, else as detected
    word_count: int = 0
    truncated: bool = False  # the content was longer than any caller gets
    signals: tuple[InjectedSentence, ...] = ()
    comments: str = ""  # what readers wrote under an article, as markdown
    comment_signals: tuple[InjectedSentence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReading:
    """A page as it was read and, if it should not be trusted, the reason; other tiers may then read more."""

    extracted: ExtractedPage
    doubt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawText:
    """A body that is not to be changed: as text or, if it is binary, in base64."""

    text: str
    encoding: str | None  # "base64" for binary content
    charset: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanText:
    """A text without invisible characters, and what is counted and found in it."""

    text: str
    hidden_counts: Mapping[str, int]
    word_count: int
    signals: tuple[InjectedSentence, ...]


class UnsurePage(Exception):
    """Raised by a tier with a doubtful page: later tiers are tried, and the page is the fallback."""

    def __init__(self, extracted: ExtractedPage, error: CitewellError) -> None:
        super().__init__(error.message)
        self.extracted = extracted
        self.error = error


# What worker processes do with text that is not read from a page's markup.


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
