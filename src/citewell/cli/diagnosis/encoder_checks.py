"""The doctor's check of the encoder: which one is chosen, and whether it works."""

from __future__ import annotations

import importlib.util

from citewell.cli.diagnosis.installation_checks import InstallationCheck
from citewell.errors import CitewellError
from citewell.model.counted_words import pluralize
from citewell.server.app import App
from citewell.services.encoding.encoder_choice import find_model_folder, find_server_address
from citewell.services.encoding.passage_similarity import PassageSimilarity

_NAME = "encoder"
_PROBE_TEXT = "What is an encoder?"
SEMANTIC_LIBRARIES = ("onnxruntime", "tokenizers")
INSTALL_COMMAND = 'pip install "citewell[semantic]"'


def has_semantic_libraries() -> bool:
    """Whether the libraries that run a local model are installed; they are not loaded."""
    return all(importlib.util.find_spec(name) for name in SEMANTIC_LIBRARIES)


async def check_encoder(app: App, *, offline: bool) -> InstallationCheck:
    """Whether passages are ranked by meaning, and with what; a server is not asked with `offline`."""
    server, folder = find_server_address(app.settings), find_model_folder(app.settings)
    if server is None and folder is None:
        return _describe_absence(app)
    if server is not None and offline:
        return InstallationCheck(name=_NAME, state="ok", detail=f"{server}, not tried")
    if folder is not None and not has_semantic_libraries():
        detail = f"{folder} cannot be used without the extra `semantic`; words alone rank"
        return InstallationCheck(name=_NAME, state="warning", detail=detail, change=INSTALL_COMMAND)
    return await _try_encoder(app, str(server or folder))


def _describe_absence(app: App) -> InstallationCheck:
    if app.settings.encoder.strip().lower() not in {"", "auto"}:
        return InstallationCheck(name=_NAME, state="ok", detail="off; words alone rank passages")
    detail = "none; words alone rank passages"
    steps = ["citewell data encoder"]
    if not has_semantic_libraries():
        steps.insert(0, INSTALL_COMMAND)
    change = f"{' && '.join(steps)} (optional)"
    return InstallationCheck(name=_NAME, state="ok", detail=detail, change=change)


async def _try_encoder(app: App, place: str) -> InstallationCheck:
    try:
        encoder = await app.require_service(PassageSimilarity).find_encoder()
        vectors = await encoder.embed_texts([_PROBE_TEXT]) if encoder is not None else ()
    except CitewellError as error:
        detail = f"{error.message} Words alone rank passages."
        change = error.remedy or "mend CITEWELL_ENCODER, or set CITEWELL_ENCODER=off"
        return InstallationCheck(name=_NAME, state="warning", detail=detail, change=change)
    sizes = ", ".join(f"{len(vector)} {pluralize(len(vector), 'dimension')}" for vector in vectors)
    return InstallationCheck(name=_NAME, state="ok", detail=f"{place} works: {sizes}")
