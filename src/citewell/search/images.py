"""Images: the configured providers are asked in turn, and filters they lack are applied afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import (
    Card,
    CommandOption,
    SearchCommand,
    SessionId,
    Tool,
    ToolArguments,
    ToolCall,
)
from citewell.core.values.argument_types import (
    BLANK_IS_ABSENT,
    DEFAULT_SAFE_LEVEL,
    OptionalName,
    QueryText,
    SafeLevel,
)
from citewell.core.values.research_session import SessionSource
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import FoundImage, ImageFilter, ImageQuery, ImageSize
from citewell.core.values.search_results import EmptySearchHints, FilterReport
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, Spine, WireValue
from citewell.routing import provider_failures
from citewell.routing.ports import ImageSearch, Offer, ProviderSpec, ToolProviders
from citewell.routing.provider_catalogue import ProviderCatalogue, SearchRouter
from citewell.search import image_filters
from citewell.search.domain_search import DomainHarvest, DomainSearch
from citewell.search.lenses import LensCatalogue, SearchLens
from citewell.search.result_filters import merge_filter_reports
from citewell.search.search_hints import build_domain_hints
from citewell.search.search_request import (
    check_language_code,
    clean_query_text,
    clean_single_line,
    normalize_country_code,
    normalize_provider_name,
)
from citewell.text import addresses

_SPARE_FACTOR = 3  # images asked for each one wanted, if our own filters will drop some
_MAX_SIDE_PIXELS = 1_000_000  # a larger number is a mistake
_GOOGLE = "google"  # the provider that lenses with their own engine belong to
ImageType = Literal["clipart", "face", "lineart", "stock", "photo", "animated"]
ColorType = Literal["color", "gray", "mono", "trans"]
DominantColor = Literal[
    "black", "blue", "brown", "gray", "green", "orange", "pink", "purple", "red", "teal", "white",
    "yellow",
]  # fmt: skip
FileType = Literal["jpg", "gif", "png", "bmp", "svg", "webp"]


class ImageSearchQuery(ToolArguments):
    """Find images: the image's own link, the page that shows it, a thumbnail, size in pixels and, from open collections, licence, author and attribution. Filters that a provider lacks are checked on what it states; the answer says who applied which."""

    query: Annotated[QueryText, CommandOption("What to search for, 1 to 500 characters.")]
    count: Annotated[
        int, Field(ge=1, le=200, validation_alias="num_results"), CommandOption("How many images.")
    ] = 5
    size: Annotated[
        ImageSize | None,
        BLANK_IS_ABSENT,
        CommandOption("icon, small, medium, large, xlarge, xxlarge or huge."),
    ] = None
    type: Annotated[
        ImageType | None,
        BLANK_IS_ABSENT,
        CommandOption("clipart, face, lineart, stock, photo or animated."),
    ] = None
    color_type: Annotated[
        ColorType | None, BLANK_IS_ABSENT, CommandOption("color, gray, mono or trans.")
    ] = None
    dominant_color: Annotated[
        DominantColor | None, BLANK_IS_ABSENT, CommandOption("Such as red or teal.")
    ] = None
    file_type: Annotated[
        FileType | None, BLANK_IS_ABSENT, CommandOption("jpg, gif, png, bmp, svg or webp.")
    ] = None
    safe: Annotated[SafeLevel, CommandOption("off, medium or high.", default=None)] = (
        DEFAULT_SAFE_LEVEL
    )
    country: Annotated[
        OptionalName,
        Field(description="ISO 3166-1 alpha-2."),
        CommandOption("ISO 3166-1 alpha-2, such as GB."),
    ] = None
    language: Annotated[
        OptionalName, Field(description="ISO 639-1, such as de or pt-BR."), CommandOption()
    ] = None
    lens: Annotated[
        OptionalName,
        Field(description="Named set of domains; lenses://catalog lists them."),
        CommandOption("Only the hosts of a lens."),
    ] = None
    provider: Annotated[
        OptionalName,
        Field(description="Use this provider and no other."),
        CommandOption("Use only this provider."),
    ] = None
    session_id: SessionId = None

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

    def clean_values(self) -> Self:
        """The query in canonical form; raises InvalidInput for a value that is invalid."""
        return self.with_changes(
            query=clean_query_text(self.query),
            country=normalize_country_code(self.country),
            language=check_language_code(self.language),
            lens=clean_single_line(self.lens),
            provider=normalize_provider_name(self.provider),
        )

    def build_image_query(self) -> ImageQuery:
        """A clean query as providers take it, before a lens is applied."""
        own = self.model_dump(exclude={"query", "lens", "provider", "session_id"})
        return ImageQuery(text=self.query, **own)


class ImageResult(WireValue):
    """One image; what the provider does not state is absent."""

    title: str
    link: str  # the image itself
    display_link: str  # the host of the page, or of the image
    thumbnail_link: str | None = None
    context_link: str | None = None  # the page that shows it
    width: int | None = None
    height: int | None = None
    file_size: str | None = None
    license: str | None = None
    license_url: str | None = None
    author: str | None = None
    attribution: str | None = None  # to print beside the image


class ImagesAnswer(WireValue):
    """What image_search returns."""

    images: Body[tuple[ImageResult, ...]]
    query: str
    result_count: int
    hints: EmptySearchHints | None = None
    requested_num_results: int | None = None  # if more were requested than possible
    filters: Spine[tuple[FilterReport, ...]] | None = None
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)


@dataclass(slots=True)
class _ImageHarvest:
    """What the providers returned after our own filters."""

    asked: DomainHarvest[tuple[FoundImage, ...]] = field(default_factory=DomainHarvest)
    images: dict[str, FoundImage] = field(default_factory=dict)  # by the address of the image
    reports: list[tuple[FilterReport, ...]] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)  # by provider
    limit: int = 0  # the most that an asked provider can return


class ImageSearchService:
    def __init__(
        self,
        search: DomainSearch,
        *,
        settings: Settings,
        catalogue: ProviderCatalogue,
        lenses: LensCatalogue,
    ) -> None:
        self._search = search
        self._catalogue = catalogue
        self._lenses = lenses
        self._router = SearchRouter(settings, catalogue)

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            kit.require_service(DomainSearch),
            settings=kit.settings,
            catalogue=kit.catalogue,
            lenses=kit.lenses,
        )

    async def search_images(self, query: ImageSearchQuery, *, trace: RoutingTrace) -> ImagesAnswer:
        """Images, or hints why there are none; raises if no provider could answer."""
        query = query.clean_values()
        lens = self._lenses.resolve_lens(query.lens) if query.lens else None
        harvest = await self._harvest_images(query, lens, trace)
        found = tuple(map(_build_image_result, list(harvest.images.values())[: query.count]))
        return ImagesAnswer(
            images=found,
            query=query.query,
            result_count=len(found),
            hints=None
            if found
            else build_domain_hints(
                filters=query.list_constraints(),
                attempted=harvest.asked.list_attempted_providers(),
                failures=tuple(harvest.asked.failures.values()),
                others=self._list_others(harvest),
                details=(*self._explain_lens(query, harvest), *_describe_dropped(harvest)),
            ),
            requested_num_results=query.count if query.count > harvest.limit else None,
            filters=merge_filter_reports(harvest.reports) or None,
            notes=_describe_harvest(query, harvest) or None,
        )

    def _choose_names(self, query: ImageSearchQuery, lens: SearchLens | None) -> tuple[str, ...]:
        named = query.provider or (lens.required_provider if lens else None)
        if named:
            return (self._catalogue.resolve_provider(named, Offer.IMAGES).name,)
        chain = self._router.require_chain(Offer.IMAGES)
        return (*chain.main, *chain.spare)

    async def _harvest_images(
        self, query: ImageSearchQuery, lens: SearchLens | None, trace: RoutingTrace
    ) -> _ImageHarvest:
        """Ask one provider after the other until there are enough images; raises if all failed."""
        harvest, whole = _ImageHarvest(), query.build_image_query()
        for name in self._choose_names(query, lens):
            spec = self._catalogue.find_spec(name)
            narrowed = _apply_image_lens(spec, whole, lens)
            await self._add_provider_images(harvest, spec, narrowed, trace)
            if len(harvest.images) >= query.count:
                break
        if not harvest.asked.replies:
            raise provider_failures.merge_failures(
                harvest.asked.failures, alternatives=self._list_others(harvest)
            )
        if not harvest.images:
            for name in harvest.asked.replies:
                trace.record_success(name)
        return harvest

    async def _add_provider_images(
        self, harvest: _ImageHarvest, spec: ProviderSpec, query: ImageQuery, trace: RoutingTrace
    ) -> None:
        """Add what one provider returns, or its error, to the harvest."""
        shares = image_filters.share_image_filters(query, spec)
        sent = image_filters.keep_native_image_filters(query, shares)
        room = query.count * (_SPARE_FACTOR if shares.afterwards else 1)
        sent = sent.with_changes(count=min(room, spec.max_images))
        reply = await self._search.ask_in_turn(
            (spec.name,),
            ImageSearch,
            lambda provider: provider.search_images(sent),
            trace=trace,
            is_enough=bool,
        )
        harvest.asked.replies |= reply.replies
        harvest.asked.failures |= reply.failures
        if reply.failures:
            return
        sieve = image_filters.ImageSieve(query, shares)
        images = reply.replies.get(spec.name, ())
        kept = [image for image in images if sieve.should_keep_image(image)]
        for image in kept:
            if addresses.is_web_address(image.link):
                harvest.images.setdefault(addresses.build_page_key(image.link), image)
        harvest.reports.append(image_filters.build_image_reports(shares, spec, sieve.unknown))
        harvest.dropped[spec.name] = len(images) - len(kept)
        harvest.limit = max(harvest.limit, spec.max_images)

    def _explain_lens(self, query: ImageSearchQuery, harvest: _ImageHarvest) -> tuple[str, ...]:
        """Whom a lens needs, if it was given and nobody asked could restrict a search to it."""
        specs = [self._catalogue.find_spec(name) for name in harvest.asked.replies]
        if not query.lens or any(ImageFilter.SITES in spec.image_filters for spec in specs):
            return ()
        able = [
            spec.title
            for spec in map(self._catalogue.find_spec, self._catalogue.list_provider_names())
            if Offer.IMAGES in spec.offers and ImageFilter.SITES in spec.image_filters
        ]
        hint = f" Those that can: {', '.join(able)}." if able else ""
        return (f"No provider that was asked can search images of a lens only.{hint}",)

    def _list_others(self, harvest: _ImageHarvest) -> tuple[str, ...]:
        asked = harvest.asked.list_attempted_providers()
        able = self._catalogue.list_offering(Offer.IMAGES)
        return self._search.list_healthy_providers(name for name in able if name not in asked)


def _apply_image_lens(spec: ProviderSpec, query: ImageQuery, lens: SearchLens | None) -> ImageQuery:
    """The query with the lens applied in the way this provider supports."""
    if lens is None:
        return query
    if lens.google_engine_id and spec.name == _GOOGLE:
        return query.with_changes(engine_id=lens.google_engine_id)
    if not lens.domains:
        raise Misconfigured(
            f"The lens {lens.name} lists no domains and cannot restrict a search for images.",
            provider=spec.name,
            action="try_different_provider",
        )
    return query.with_changes(sites=lens.domains)


def _describe_dropped(harvest: _ImageHarvest) -> tuple[str, ...]:
    return tuple(
        f"{name}: our own filters removed {count} of its images."
        for name, count in harvest.dropped.items()
        if count
    )


def _describe_harvest(query: ImageSearchQuery, harvest: _ImageHarvest) -> tuple[str, ...]:
    notes = []
    if query.count > harvest.limit:
        notes.append(f"{harvest.limit} images are the maximum that the provider can return.")
    if harvest.images and harvest.asked.failures:
        failed = ", ".join(f"{name} ({e.kind})" for name, e in harvest.asked.failures.items())
        notes.append(f"Did not answer: {failed}.")
    if any(image.license for image in harvest.images.values()):
        notes.append("Licences are as the source states them; check them on the image's page.")
    return tuple(notes)


def _build_image_result(image: FoundImage) -> ImageResult:
    return ImageResult(
        title=image.title or addresses.format_host_name(image.link),
        link=image.link,
        display_link=addresses.format_host_name(image.context or image.link),
        thumbnail_link=image.thumbnail,
        context_link=image.context,
        width=_keep_possible_side(image.width),
        height=_keep_possible_side(image.height),
        file_size=image.file_size,
        license=image.license,
        license_url=image.license_url,
        author=image.author,
        attribution=image.attribution,
    )


def _keep_possible_side(pixels: int | None) -> int | None:
    return pixels if pixels is not None and 0 < pixels <= _MAX_SIDE_PIXELS else None


async def run(query: ImageSearchQuery, call: ToolCall) -> ImagesAnswer:
    answer = await call.require_service(ImageSearchService).search_images(query, trace=call.trace)
    call.report_sources(
        SessionSource(url=image.context_link or image.link, title=image.title, author=image.author)
        for image in answer.images
    )
    return answer


TOOL = Tool(
    args=ImageSearchQuery,
    result=ImagesAnswer,
    run=run,
    toolset="domains",
    ttl_seconds=1800,
    cache_version=2,
    has_long_timeout=True,
    is_empty_result=lambda answer: answer.result_count == 0,
    served_by=ToolProviders(
        offer=Offer.IMAGES,
        filters=tuple(kind for kind in ImageFilter if kind != ImageFilter.SITES),
        applied_by_us=frozenset({"size", "type", "file_type"}),
    ),
)


def show_images(body: Mapping[str, Any]) -> Iterator[Card]:
    for image in body["images"]:
        sides = f"{image['width']} × {image['height']}" if {"width", "height"} <= set(image) else ""
        page = image.get("contextLink")
        yield Card(
            title=image["title"],
            url=image["link"],
            facts=(sides, image.get("license")),
            lines=(
                f"Page: {page}" if page else "",
                image.get("attribution") or image.get("author"),
            ),
            preview_url=image.get("thumbnailLink"),
        )


async def fetch_previews(app: ServiceKit, links: Sequence[str]) -> Sequence[bytes | None]:
    from citewell.search.image_filters import ThumbnailFetcher

    return await app.require_service(ThumbnailFetcher).fetch_thumbnails(links)


COMMAND = SearchCommand(
    name="images",
    tool="image_search",
    help="""Search images, with licence and author where they are stated.

The images are what an assistant would get from image_search. Small previews are shown in terminals that
can show them; CITEWELL_THUMBNAILS=false switches them off.""",
    show_answer=show_images,
    fetch_previews=fetch_previews,
)
