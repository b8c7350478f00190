"""The request of one search for images, and its check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import (
    BLANK_IS_ABSENT,
    DEFAULT_SAFE_LEVEL,
    OptionalName,
    QueryText,
    SafeLevel,
)
from citewell.model.domains.image_sizes import ImageSize
from citewell.model.search_queries import ImageQuery
from citewell.services.web.search_request import (
    check_language_code,
    clean_query_text,
    clean_single_line,
    normalize_country_code,
    normalize_provider_name,
)

ImageType = Literal["clipart", "face", "lineart", "stock", "photo", "animated"]
ColorType = Literal["color", "gray", "mono", "trans"]
DominantColor = Literal[
    "black", "blue", "brown", "gray", "green", "orange", "pink", "purple", "red", "teal", "white",
    "yellow",
]  # fmt: skip
FileType = Literal["jpg", "gif", "png", "bmp", "svg", "webp"]


@dataclass(frozen=True, kw_only=True)
class ImageSearchRequest:
    """One search for images, as the caller wrote it; the arguments of image_search."""

    query: QueryText
    count: Annotated[int, Field(ge=1, le=200, validation_alias="num_results")] = 5
    size: Annotated[ImageSize | None, BLANK_IS_ABSENT] = None
    type: Annotated[ImageType | None, BLANK_IS_ABSENT] = None
    color_type: Annotated[ColorType | None, BLANK_IS_ABSENT] = None
    dominant_color: Annotated[DominantColor | None, BLANK_IS_ABSENT] = None
    file_type: Annotated[FileType | None, BLANK_IS_ABSENT] = None
    safe: SafeLevel = DEFAULT_SAFE_LEVEL
    country: Annotated[OptionalName, Field(description="ISO 3166-1 alpha-2.")] = None
    language: Annotated[OptionalName, Field(description="ISO 639-1, such as de or pt-BR.")] = None
    lens: Annotated[
        OptionalName, Field(description="Named set of domains; lenses://catalog lists them.")
    ] = None
    provider: Annotated[OptionalName, Field(description="Use this provider and no other.")] = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that are set, the narrowest first."""
        given = {
            "dominant_color": self.dominant_color,
            "color_type": self.color_type,
            "type": self.type,
            "file_type": self.file_type,
            "size": self.size,
            "lens": self.lens,
            "language": self.language,
            "country": self.country,
            "safe": self.safe == "high",
        }
        return tuple(name for name, value in given.items() if value)


def check_image_request(ask: ImageSearchRequest) -> ImageSearchRequest:
    """The request in canonical form; raises InvalidInput for a value that is invalid."""
    check_declared_bounds(ask)
    return replace(
        ask,
        query=clean_query_text(ask.query),
        size=ask.size or None,
        type=ask.type or None,
        color_type=ask.color_type or None,
        dominant_color=ask.dominant_color or None,
        file_type=ask.file_type or None,
        country=normalize_country_code(ask.country),
        language=check_language_code(ask.language),
        lens=clean_single_line(ask.lens),
        provider=normalize_provider_name(ask.provider),
    )


def build_image_query(ask: ImageSearchRequest) -> ImageQuery:
    """A checked request as the query that providers take, before a lens is applied."""
    return ImageQuery(
        text=ask.query,
        count=ask.count,
        safe=ask.safe,
        size=ask.size,
        type=ask.type,
        color_type=ask.color_type,
        dominant_color=ask.dominant_color,
        file_type=ask.file_type,
        country=ask.country,
        language=ask.language,
    )
