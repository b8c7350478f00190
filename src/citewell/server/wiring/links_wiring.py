"""Builds the services that check links and archive pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.links.link_checks import LinkChecker
    from citewell.services.links.page_archive import PageArchive


def build_link_checker(kit: ServiceKit) -> LinkChecker:
    from citewell.services.links.link_checks import LinkChecker

    return LinkChecker(
        kit.network,
        kit.workers,
        wayback=kit.settings.wayback_url,
        archive=kit.settings.archive_url,
        loader=kit.store.loader,
        sharing=kit.sharing,
    )


def build_page_archive(kit: ServiceKit) -> PageArchive:
    from citewell.services.links.page_archive import PageArchive

    settings = kit.settings
    access, secret = settings.ia_access_key, settings.ia_secret_key
    return PageArchive(
        kit.network,
        availability=settings.wayback_url,
        archive=settings.archive_url,
        keys=(access, secret) if access and secret else None,
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.links.link_checks:LinkChecker": build_link_checker,
    "citewell.services.links.page_archive:PageArchive": build_page_archive,
}
