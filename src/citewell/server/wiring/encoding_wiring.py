"""Builds what ranks passages by their meaning, with the encoder that the settings choose."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.ports import TextEncoder
    from citewell.services.encoding.model_download import ModelDownload
    from citewell.services.encoding.passage_similarity import PassageSimilarity


def build_passage_similarity(kit: ServiceKit) -> PassageSimilarity:
    from citewell.services.encoding.passage_similarity import PassageSimilarity

    return PassageSimilarity(
        partial(open_chosen_encoder, kit), kit.store.facts, seconds=kit.settings.encoder_timeout
    )


def build_model_download(kit: ServiceKit) -> ModelDownload:
    from citewell.net.http.file_downloads import FileDownloader
    from citewell.services.encoding.encoder_choice import locate_downloaded_encoder
    from citewell.services.encoding.model_download import ModelDownload

    return ModelDownload(
        FileDownloader(kit.network.guard, kit.settings),
        base_url=kit.settings.encoder_download_url,
        folder=locate_downloaded_encoder(kit.settings),
    )


async def open_chosen_encoder(kit: ServiceKit) -> TextEncoder | None:
    """The encoder that the settings choose; None if they choose none, Misconfigured if it is broken."""
    from citewell.services.encoding import encoder_choice

    if address := encoder_choice.find_server_address(kit.settings):
        if kit.settings.is_sealed and not encoder_choice.is_own_machine(address, kit.settings):
            return None  # it would be given the query
        return _open_server_encoder(kit, address)
    folder = encoder_choice.find_model_folder(kit.settings)
    if folder is None:
        return None
    from citewell.services.encoding.encoder_folder import open_encoder_folder
    from citewell.services.encoding.local_encoder import LocalEncoder, open_encoder_workers

    opened = await asyncio.to_thread(open_encoder_folder, folder)
    return LocalEncoder(opened, open_encoder_workers(opened))


def _open_server_encoder(kit: ServiceKit, address: str) -> TextEncoder:
    from citewell.services.encoding.encoder_choice import is_own_machine
    from citewell.services.encoding.server_encoder import ENCODER_UPSTREAM, ServerEncoder

    settings = kit.settings
    kit.network.guard.trust_service(address)
    return ServerEncoder(
        kit.network.open_upstream(ENCODER_UPSTREAM, base_url=address),
        model=settings.encoder_model or "",
        key=settings.encoder_key,
        is_local=is_own_machine(address, settings),
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.encoding.model_download:ModelDownload": build_model_download,
    "citewell.services.encoding.passage_similarity:PassageSimilarity": build_passage_similarity,
}
