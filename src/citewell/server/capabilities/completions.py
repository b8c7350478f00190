"""Completions for arguments with a known set of values: lens, provider, depth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from citewell.server.capabilities.prompts import PROMPTS_BY_NAME

MAX_COMPLETIONS = 100


class ArgumentCompletions:
    def __init__(self, sources: Mapping[str, Callable[[], Iterable[str]]]) -> None:
        self._sources = sources

    def complete_value(self, argument: str, typed: str, *, prompt: str | None = None) -> list[str]:
        """Known values that start with `typed`, ignoring case."""
        return [
            value
            for value in self._list_known_values(argument, prompt)
            if value.lower().startswith(typed.strip().lower())
        ]

    def _list_known_values(self, argument: str, prompt: str | None) -> Iterable[str]:
        if prompt in PROMPTS_BY_NAME:
            declared = next(
                (item for item in PROMPTS_BY_NAME[prompt].arguments if item.name == argument), None
            )
            if declared is not None and declared.choices:
                return declared.choices
        source = self._sources.get(argument)
        return source() if source else ()
