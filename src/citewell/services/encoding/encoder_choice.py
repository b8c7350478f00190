"""Which encoder the settings choose: a folder, a server, or none."""

from __future__ import annotations

from pathlib import Path

from citewell.config import Settings
from citewell.net.guard.loopback_rule import is_loopback_address
from citewell.services.encoding.encoder_folder import TOKENIZER_FILE

_AUTO_WORDS = frozenset({"", "auto"})
_OFF_WORDS = frozenset({"off", "none", "false", "no", "0"})
_DOWNLOADED_FOLDER = "encoder"  # in the data directory


def find_server_address(settings: Settings) -> str | None:
    """The address of the embeddings server; None if the settings name none."""
    chosen = settings.encoder.strip()
    is_address = chosen.lower().startswith(("http://", "https://"))
    return chosen.rstrip("/") if is_address else None


def find_model_folder(settings: Settings) -> Path | None:
    """The folder of the local model; None if there is none, or if a server or no encoder is chosen."""
    chosen = settings.encoder.strip()
    if find_server_address(settings) or chosen.lower() in _OFF_WORDS:
        return None
    if chosen.lower() not in _AUTO_WORDS:
        return Path(chosen).expanduser()
    folder = locate_downloaded_encoder(settings)
    return folder if (folder / TOKENIZER_FILE).is_file() else None


def locate_downloaded_encoder(settings: Settings) -> Path:
    """Where `citewell data encoder` puts its model, whether it is there or not."""
    return settings.data_path / _DOWNLOADED_FOLDER


def is_own_machine(address: str, settings: Settings) -> bool:
    """Whether what is sent to this address stays on this machine: it is loopback, and has no proxy."""
    return is_loopback_address(address) and not settings.outbound_proxy
