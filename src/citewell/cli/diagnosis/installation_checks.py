"""The doctor's checks besides providers: Python, extras, settings, data directory, cache, routing, lenses."""

from __future__ import annotations

import difflib
import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from citewell import environment
from citewell.config import Settings, list_other_names
from citewell.errors import CitewellError
from citewell.ports import ProviderSpec
from citewell.server.reference.settings_page import ENVIRONMENT_ONLY_SETTINGS, list_site_entries
from citewell.store.cache_store import CACHE_FILE, CACHE_KEY_FILE

_SETTING_PREFIX = "CITEWELL_"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationCheck:
    name: str
    state: str  # ok, warning or failed
    detail: str
    change: str = ""


def check_python() -> InstallationCheck:
    return InstallationCheck(
        name="python", state="ok", detail=f"{platform.python_version()} on {platform.system()}"
    )


def check_extras() -> InstallationCheck:
    """Which of the extras that the package declares are installed."""
    try:
        requires = metadata.requires("citewell") or []
    except metadata.PackageNotFoundError:
        return InstallationCheck(
            name="extras",
            state="warning",
            detail="citewell is not installed as a package, so its extras are unknown",
        )
    parts = dict(_parse_extra_requirements(requires))
    there = [extra for extra, library in parts.items() if _is_installed(library)]
    absent = [extra for extra in parts if extra not in there]
    detail = (
        f"installed: {', '.join(there) or 'none'}; not installed: {', '.join(absent) or 'none'}"
    )
    change = f'pip install "citewell[{",".join(absent)}]" (optional)' if absent else ""
    return InstallationCheck(name="extras", state="ok", detail=detail, change=change)


def _parse_extra_requirements(requires: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in requires:
        found = re.fullmatch(r"([\w.-]+).*;.*\bextra == ['\"]([\w-]+)['\"].*", line)
        if found and found[2] != "all":
            yield found[2], found[1]


def _is_installed(library: str) -> bool:
    try:
        metadata.version(library)
    except metadata.PackageNotFoundError:
        return False
    return True


def check_config_file(environ: Mapping[str, str]) -> InstallationCheck:
    path = environment.find_config_path(environ)
    if path.is_file():
        return InstallationCheck(name="configuration file", state="ok", detail=str(path))
    named = environ.get(environment.CONFIG_FILE_VARIABLE)
    return InstallationCheck(
        name="configuration file",
        state="warning" if named else "ok",
        detail=f"none; {path} is read if it exists",
        change=f"create the file {environment.CONFIG_FILE_VARIABLE} names, or unset it"
        if named
        else "",
    )


def check_setting_names(settings: Settings, specs: Iterable[ProviderSpec]) -> InstallationCheck:
    """Warns of unknown names that start with CITEWELL_, which are usually misspelt."""
    known = collect_setting_names(specs)
    strangers = sorted(
        name for name in settings.raw if name.startswith(_SETTING_PREFIX) and name not in known
    )
    if not strangers:
        return InstallationCheck(
            name="setting names", state="ok", detail="every CITEWELL_ setting is known"
        )
    return InstallationCheck(
        name="setting names",
        state="warning",
        detail=f"unknown: {', '.join(strangers)}",
        change="; ".join(_suggest_setting_name(name, known) for name in strangers),
    )


def collect_setting_names(specs: Iterable[ProviderSpec]) -> frozenset[str]:
    ours = {field.alias for field in Settings.model_fields.values() if field.alias}
    ours |= set(list_other_names().values())
    theirs = {
        name
        for spec in specs
        for name in (spec.base_url_env, *(option.env for option in spec.options))
    }
    of_sites = {entry.name for entry in list_site_entries()}
    return frozenset(ours | theirs | of_sites | set(ENVIRONMENT_ONLY_SETTINGS))


def _suggest_setting_name(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.8)
    return f"write {close[0]} instead of {name}" if close else f"unset {name}"


def check_data_directory(settings: Settings) -> InstallationCheck:
    """Whether the data directory is writable, or can be created; it is not created here."""
    path = settings.data_path
    if reason := _describe_unusable_directory(path):
        return InstallationCheck(
            name="data directory",
            state="warning",
            detail=f"{reason}; answers are cached only in memory",
            change="CITEWELL_DATA_DIR=<a directory you can write to>",
        )
    detail = str(path) if path.exists() else f"{path}, created on first use"
    return InstallationCheck(name="data directory", state="ok", detail=detail)


def _describe_unusable_directory(path: Path) -> str:
    """Why nothing can be written into the directory; empty if it can, or if it can be created."""
    present = next((place for place in (path, *path.parents) if place.exists()), path)
    if not present.is_dir():
        return f"{path} cannot be used, because {present} is not a directory"
    if not os.access(present, os.W_OK | os.X_OK):
        return f"{path} cannot be used, because {present} is not writable"
    return ""


def check_cache(settings: Settings, warnings: Iterable[str]) -> InstallationCheck:
    """Whether the cache is on and works; `warnings` are those of the store, after a first lookup."""
    if not settings.cache_enabled:
        return InstallationCheck(
            name="cache", state="warning", detail="off", change="CITEWELL_CACHE=true"
        )
    told = [*warnings]
    if not told and not is_cache_remote(settings):
        told = [reason for reason in [_describe_unusable_directory(settings.cache_path)] if reason]
    if told:
        return InstallationCheck(name="cache", state="warning", detail=" ".join(told))
    return InstallationCheck(
        name="cache",
        state="ok",
        detail=f"encrypted with {_describe_cache_key(settings)}, in {_describe_cache_place(settings)}",
    )


def is_cache_remote(settings: Settings) -> bool:
    """True if the cache is kept by a database server, so that a lookup would be a request."""
    return bool(settings.redis_url or settings.database_url)


def has_cache_files(settings: Settings) -> bool:
    """True if a lookup would find the cache's files and create none."""
    key_is_there = settings.cache_key or (settings.data_path / CACHE_KEY_FILE).exists()
    return bool(key_is_there) and (settings.cache_path / CACHE_FILE).exists()


def _describe_cache_place(settings: Settings) -> str:
    if settings.redis_url:
        return "Redis"
    return "PostgreSQL" if settings.database_url else str(settings.cache_path)


def _describe_cache_key(settings: Settings) -> str:
    if settings.cache_key:
        return "CACHE_ENCRYPTION_KEY"
    if is_cache_remote(settings):
        return "a key derived from the master key"
    return f"the key file {Path(settings.data_path, CACHE_KEY_FILE)}"


def check_routing(
    problem: CitewellError | None, warnings: Iterable[str], chain: Iterable[str]
) -> InstallationCheck:
    """The providers that web search asks, in their order, or why there are none."""
    if problem is not None:
        return InstallationCheck(name="routing", state="failed", detail=problem.message)
    told = " ".join(warnings)
    order = ", ".join(chain)
    return InstallationCheck(
        name="routing",
        state="warning" if told else "ok",
        detail=f"web search asks {order}. {told}".strip(),
    )


def check_lenses(names: Iterable[str], warnings: Iterable[str]) -> InstallationCheck:
    told = " ".join(warnings)
    return InstallationCheck(
        name="lenses",
        state="warning" if told else "ok",
        detail=f"{len([*names])} known. {told}".strip(),
    )
