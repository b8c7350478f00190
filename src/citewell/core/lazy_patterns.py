"""Regular expressions that are compiled when they are first used, not when their module is imported."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast


class LazyPattern:
    """Stands for a compiled pattern; each of its methods is looked up once and then kept."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.compiled, name)
        setattr(self, name, value)
        return value


def compile_on_use(source: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, without its cost until the pattern is used."""
    return cast("re.Pattern[str]", LazyPattern(source, flags))
