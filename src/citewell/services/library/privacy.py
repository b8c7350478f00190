"""Which calls the library may answer: their results belong to one owner and are never shared."""

from __future__ import annotations

from collections.abc import Mapping

from citewell.config import Settings
from citewell.services.library.index import ENGINE
from citewell.services.library.names import PREFIX


class Privacy:
    """Decides by the arguments alone, before anything is searched, read or cached."""

    def __init__(self, settings: Settings) -> None:
        chosen = f"{settings.search_provider or ''} {settings.search_routing or ''}"
        self._routed = ENGINE in chosen.lower()  # searches may go there without naming it

    def covers(self, arguments: Mapping[str, object]) -> bool:
        """Whether a call may be answered from the library."""
        if self._routed and "query" in arguments:
            return True
        return any(_own(value) for value in arguments.values())


def _own(value: object) -> bool:
    if isinstance(value, list | tuple):
        return any(_own(one) for one in value)
    if not isinstance(value, str):
        return False
    plain = value[:64].strip().lower()
    return plain == ENGINE or plain.startswith(PREFIX)
