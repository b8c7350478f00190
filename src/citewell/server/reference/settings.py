"""The page of settings: the process's own, then each provider's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.config import Settings
from citewell.environment import CONFIG_FILE
from citewell.ports import Spec
from citewell.server.reference.markdown import code, document, shown, table

INTRO = (
    "Every setting is an environment variable. The same names, in any case, may stand in a TOML file, "
    "`citewell/config.toml` in the user's configuration directory. The environment wins. "
    "Durations are written `90s`, `15m` or `4h`, lists with commas. `citewell doctor` shows which "
    "file was read and names that nothing reads."
)
# Read before there are settings, and so from the environment alone.
EARLY = {
    CONFIG_FILE: "The settings file to read instead of the usual one.",
    "CITEWELL_FRONT": "`0` switches the instant start off: every answer then waits for the whole server.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One setting as the derived files show it."""

    name: str
    default: str
    help: str
    secret: bool = False


def early() -> Iterator[Entry]:
    for name, meaning in EARLY.items():
        yield Entry(name=name, default="", help=meaning)


def own() -> Iterator[Entry]:
    """The process's settings, in the order they are declared."""
    for field in Settings.model_fields.values():
        if field.alias:
            extra: Any = field.json_schema_extra or {}
            yield Entry(
                name=field.alias,
                default=shown(field.default),
                help=field.description or "",
                secret=bool(extra.get("secret")),
            )


def of(spec: Spec) -> Iterator[Entry]:
    """A provider's settings, its base URL last."""
    for option in spec.options:
        private = " May be on a private network." if option.own_address else ""
        yield Entry(
            name=option.env,
            default=option.default or "",
            help=option.help + private,
            secret=option.secret,
        )
    if spec.base_url:
        yield Entry(
            name=spec.base_url_env, default=spec.base_url, help=f"Where {spec.title}'s API is."
        )


def page(specs: Sequence[Spec]) -> str:
    providers = [
        f"## {spec.title}\n\n{listed(of(spec))}"
        for spec in sorted(specs, key=lambda spec: spec.name)
        if _has(spec)
    ]
    return document(
        "Settings", INTRO, listed(own()), *providers, f"## Environment only\n\n{listed(early())}"
    )


def _has(spec: Spec) -> bool:
    return any(True for _ in of(spec))


def listed(entries: Iterable[Entry]) -> str:
    rows = [
        (code(entry.name), code(entry.default), entry.help + (" Secret." if entry.secret else ""))
        for entry in entries
    ]
    return table(("Setting", "Default", "Meaning"), rows)
