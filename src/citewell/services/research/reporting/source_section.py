"""The section of a report that lists its sources: its heading, and how it is taken out."""

from __future__ import annotations

import re

# Stored reports are searched for this line: a changed heading needs the old one in the pattern too.
SOURCES_HEADING = "## Sources"
_SOURCE_SECTION_PATTERN = re.compile(
    rf"^{re.escape(SOURCES_HEADING)}\s*$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL
)


def strip_source_section(report: str) -> str:
    """The markdown of a report without its list of sources."""
    return _SOURCE_SECTION_PATTERN.sub("", report)
