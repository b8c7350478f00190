"""A request to the outside and its answer, whichever client carries it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from citewell.errors import BadShape

_MEDIA_TYPE = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,60}")

Pairs = Mapping[str, str] | Sequence[tuple[str, str]]


class Redirects(StrEnum):
    FOLLOW = "follow"  # each hop through the guard, five at most
    SAME_ORIGIN = "same_origin"  # a hop to another origin is refused
    NONE = "none"  # a 3xx is handed back as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    url: str
    method: str = "GET"
    params: Pairs = field(default_factory=dict, repr=False)  # some keys travel here
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secret_headers: Mapping[str, str] = field(
        default_factory=dict, repr=False
    )  # never leave the origin
    json: Any = field(default=None, repr=False)
    form: Mapping[str, str] | None = field(default=None, repr=False)
    timeout: float = 10.0  # one deadline for the whole exchange, redirects included
    max_bytes: int = 8 * 2**20  # after decompression
    document_bytes: int | None = (
        None  # the cap for answers that are neither HTML nor text, if another
    )
    beginning: int | None = None  # so many bytes will do, where they come unpacked
    redirects: Redirects = Redirects.FOLLOW
    page: bool = False  # a page somebody reads, not an API: ALLOWED_DOMAINS binds every hop

    def cap(self, content_type: str) -> int:
        """The most bytes of a body of this media type."""
        family = content_type.partition(";")[0].strip().lower()
        page = family.startswith("text/html") or family in {"", "application/xhtml+xml"}
        return self.max_bytes if page or self.document_bytes is None else self.document_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    status: int
    url: str = field(repr=False)  # where the last hop ended
    headers: Mapping[str, str]  # names in lower case; repeated ones joined by ", "
    body: bytes = field(repr=False)
    hops: tuple[str, ...] = field(default=(), repr=False)  # addresses left behind by redirects
    seconds: float = 0.0
    provider: str | None = None  # whose answer it is, so that complaints about it can say so

    @property
    def content_type(self) -> str:
        """The bare media type in lower case; empty when the server names none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def text(self) -> str:
        """The body as text for APIs, which speak UTF-8; pages go through `fetch.charset`."""
        return self.body.decode("utf-8", "replace")

    def parsed(self) -> Any:
        """The body as JSON; BadShape when it is anything else."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):  # the second for a body of a million brackets
            kind = (
                self.content_type if _MEDIA_TYPE.fullmatch(self.content_type) else "no media type"
            )
            message = f"Expected JSON and got {kind} of {len(self.body)} bytes."
            raise BadShape(message, provider=self.provider) from None
