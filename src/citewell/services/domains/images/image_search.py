"""Searches images with the configured providers in turn; filters they lack are applied afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field

from citewell.config import Settings
from citewell.errors import InternalError, Misconfigured
from citewell.model.answers.image_results import ImageResult, ImagesAnswer
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_queries import FoundImage, ImageFilter, ImageQuery
from citewell.model.search_results import FilterReport
from citewell.ports import ImageSearch, Offer, ProviderSpec
from citewell.services.domains.images import image_filters
from citewell.services.domains.images.image_request import (
    ImageSearchRequest,
    build_image_query,
    check_image_request,
)
from citewell.services.domains.routing.domain_search import DomainHarvest, DomainSearch
from citewell.services.routing import provider_failures
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.routing.provider_chains import SearchRouter
from citewell.services.web.lenses import LensCatalogue, SearchLens
from citewell.services.web.result_filters import merge_filter_reports
from citewell.services.web.search_hints import build_domain_hints
from citewell.text.web import addresses

__all__ = ["ImageSearchRequest", "ImageSearchService"]

_SPARE_FACTOR = 3  # images asked for each one wanted, if our own filters will drop some
_MAX_SIDE_PIXELS = 1_000_000  # a larger number is a mistake
_GOOGLE = "google"  # the provider that lenses with their own engine belong to


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

    async def search_images(self, ask: ImageSearchRequest, *, trace: RoutingTrace) -> ImagesAnswer:
        """Images, or hints why there are none; raises if no provider could answer."""
        asked = check_image_request(ask)
        lens = self._lenses.resolve_lens(asked.lens) if asked.lens else None
        harvest = await self._harvest_images(asked, lens, trace)
        found = tuple(map(_build_image_result, list(harvest.images.values())[: asked.count]))
        return ImagesAnswer(
            images=found,
            query=asked.query,
            result_count=len(found),
            hints=None
            if found
            else build_domain_hints(
                filters=asked.list_constraints(),
                attempted=harvest.asked.list_attempted_providers(),
                failures=tuple(harvest.asked.failures.values()),
                others=self._list_others(harvest),
                details=(*self._explain_lens(asked, harvest), *_describe_dropped(harvest)),
            ),
            requested_num_results=asked.count if asked.count > harvest.limit else None,
            filters=merge_filter_reports(harvest.reports) or None,
            notes=_describe_harvest(asked, harvest) or None,
        )

    def _choose_names(self, ask: ImageSearchRequest, lens: SearchLens | None) -> tuple[str, ...]:
        named = ask.provider or (lens.required_provider if lens else None)
        if named:
            return (self._catalogue.resolve_provider(named, Offer.IMAGES).name,)
        chain = self._router.require_chain(Offer.IMAGES)
        return (*chain.main, *chain.spare)

    async def _harvest_images(
        self, ask: ImageSearchRequest, lens: SearchLens | None, trace: RoutingTrace
    ) -> _ImageHarvest:
        """Ask one provider after the other until there are enough images; raises if all failed."""
        harvest, query = _ImageHarvest(), build_image_query(ask)
        for name in self._choose_names(ask, lens):
            spec = self._catalogue.find_spec(name)
            whole = _apply_image_lens(spec, query, lens)
            await self._add_provider_images(harvest, spec, whole, trace)
            if len(harvest.images) >= ask.count:
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

        async def ask_image_provider(provider: object) -> tuple[FoundImage, ...]:
            if not isinstance(provider, ImageSearch):
                raise InternalError(f"{spec.name} declares images but cannot search them.")
            return await provider.search_images(sent)

        reply = await self._search.ask_in_turn(
            (spec.name,), ask_image_provider, trace=trace, is_enough=bool
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

    def _explain_lens(self, ask: ImageSearchRequest, harvest: _ImageHarvest) -> tuple[str, ...]:
        """Whom a lens needs, if it was given and nobody asked could restrict a search to it."""
        specs = [self._catalogue.find_spec(name) for name in harvest.asked.replies]
        if not ask.lens or any(ImageFilter.SITES in spec.image_filters for spec in specs):
            return ()
        able = [
            spec.title
            for spec in map(self._catalogue.find_spec, self._catalogue.list_provider_names())
            if Offer.IMAGES in spec.offers and ImageFilter.SITES in spec.image_filters
        ]
        told = f" Those that can: {', '.join(able)}." if able else ""
        return (f"No provider that was asked can search images of a lens only.{told}",)

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


def _describe_harvest(ask: ImageSearchRequest, harvest: _ImageHarvest) -> tuple[str, ...]:
    notes = []
    if ask.count > harvest.limit:
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
