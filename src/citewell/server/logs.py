"""Logs go to stderr, one line each, with credentials masked."""

from __future__ import annotations

import logging

from citewell.server.middleware.audit import Aside, to_stderr
from citewell.text.secrets import masked


class _Masked(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record))


class _Aside(logging.Handler):
    """Lines leave on a thread of their own: a client that does not read stderr holds up nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._write = Aside(to_stderr)

    def emit(self, record: logging.LogRecord) -> None:
        self._write(self.format(record))


def configure(level: str) -> None:
    handler = _Aside()
    handler.setFormatter(_Masked("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("citewell").setLevel(
        level.upper() if level.upper() in logging.getLevelNamesMapping() else "INFO"
    )
