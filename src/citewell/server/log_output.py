"""Log output: one line per record on stderr, with credentials masked."""

from __future__ import annotations

import logging

from citewell.server.middleware.audit_logging import BackgroundLineWriter, write_to_stderr
from citewell.text.safety.secret_masking import mask_secrets


class _MaskingFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return mask_secrets(super().format(record))


class _BackgroundHandler(logging.Handler):
    """Writes on a separate thread, so that a client that does not read stderr blocks nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._write = BackgroundLineWriter(write_to_stderr)

    def emit(self, record: logging.LogRecord) -> None:
        self._write(self.format(record))


def configure_logging(level: str) -> None:
    handler = _BackgroundHandler()
    handler.setFormatter(_MaskingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("citewell").setLevel(
        level.upper() if level.upper() in logging.getLevelNamesMapping() else "INFO"
    )
