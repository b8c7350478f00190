"""`.env.example`: every setting with its default, commented out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from citewell.ports import Spec
from citewell.server.reference import settings
from citewell.server.reference.settings import Entry

_HEAD = (
    "Written by `make reference`; docs/reference/settings.md says the same with more words. Nothing here is needed: "
    "without any setting the keyless providers are used. Citewell reads the environment and a TOML file, not .env by "
    "itself; a shell does: set -a; . ./.env; set +a"
)


def text(specs: Sequence[Spec]) -> str:
    parts = [_comment(_HEAD)]
    parts += [
        f"# {spec.title}: {spec.home}\n{_lines(settings.of(spec))}"
        for spec in _with_settings(specs)
    ]
    parts.append(f"# The server\n{_lines(settings.own())}")
    return "\n\n".join(parts) + "\n"


def _with_settings(specs: Sequence[Spec]) -> list[Spec]:
    return [spec for spec in sorted(specs, key=lambda spec: (spec.rank, spec.name)) if spec.options]


def _lines(entries: Iterable[Entry]) -> str:
    return "\n".join(f"{_comment(entry.help)}\n#{entry.name}={entry.default}" for entry in entries)


def _comment(words: str) -> str:
    return textwrap.fill(
        words, 100, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )
