"""Logs go to stderr, one line each, with credentials masked."""

from __future__ import annotations

import logging
import sys

from citewell.text.secrets import masked


class _Masked(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record))


def configure(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Masked("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("citewell").setLevel(
        level.upper() if level.upper() in logging.getLevelNamesMapping() else "INFO"
    )
