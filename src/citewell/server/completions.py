"""Completions for the arguments whose values we know: lens, provider, depth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from citewell.server.prompts import BY_NAME

MOST = 100


class Completions:
    def __init__(self, sources: Mapping[str, Callable[[], Iterable[str]]]) -> None:
        self._sources = sources

    def values(self, argument: str, typed: str, *, prompt: str | None = None) -> list[str]:
        """Known values that begin with what was typed, whatever its case."""
        return [
            value
            for value in self._known(argument, prompt)
            if value.lower().startswith(typed.strip().lower())
        ]

    def _known(self, argument: str, prompt: str | None) -> Iterable[str]:
        if prompt in BY_NAME:
            declared = next(
                (item for item in BY_NAME[prompt].arguments if item.name == argument), None
            )
            if declared is not None and declared.choices:
                return declared.choices
        source = self._sources.get(argument)
        return source() if source else ()
