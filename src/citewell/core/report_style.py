"""The style sheets of reports. The palette is shared with the pages of the server."""

from __future__ import annotations

from functools import cache
from importlib import resources


def load_report_stylesheet() -> str:
    """All that a report needs: the palette and its own rules."""
    return load_palette() + _load_stylesheet("report.css")


def load_palette() -> str:
    """Colours for light and dark, and the font of the text."""
    return _load_stylesheet("palette.css")


@cache
def _load_stylesheet(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")
