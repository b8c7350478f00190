"""What the doctor looks at besides providers: Python, extras, settings, the data directory, the cache."""

from __future__ import annotations

import difflib
import platform
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from citewell import environment
from citewell.config import Settings
from citewell.errors import CitewellError
from citewell.ports import Spec
from citewell.server.reference.settings import EARLY
from citewell.store.opened import KEY_FILE

_PREFIX = "CITEWELL_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    name: str
    state: str  # ok, warning or failed
    detail: str
    change: str = ""


def python() -> Check:
    return Check(
        name="python", state="ok", detail=f"{platform.python_version()} on {platform.system()}"
    )


def extras() -> Check:
    """Which optional parts are installed, by what the package itself declares."""
    try:
        requires = metadata.requires("citewell") or []
    except metadata.PackageNotFoundError:
        return Check(
            name="extras",
            state="warning",
            detail="citewell runs from a source tree; its extras are unknown",
        )
    parts = dict(_extras(requires))
    there = [extra for extra, library in parts.items() if _installed(library)]
    absent = [extra for extra in parts if extra not in there]
    detail = (
        f"installed: {', '.join(there) or 'none'}; not installed: {', '.join(absent) or 'none'}"
    )
    change = f'pip install "citewell[{",".join(absent)}]" (only if wanted)' if absent else ""
    return Check(name="extras", state="ok", detail=detail, change=change)


def _extras(requires: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in requires:
        found = re.fullmatch(r"([\w.-]+).*;.*\bextra == ['\"]([\w-]+)['\"].*", line)
        if found and found[2] != "all":
            yield found[2], found[1]


def _installed(library: str) -> bool:
    try:
        metadata.version(library)
    except metadata.PackageNotFoundError:
        return False
    return True


def configuration(environ: Mapping[str, str]) -> Check:
    path = environment.config_path(environ)
    if path.is_file():
        return Check(name="configuration file", state="ok", detail=str(path))
    named = environ.get(environment.CONFIG_FILE)
    return Check(
        name="configuration file",
        state="warning" if named else "ok",
        detail=f"none; {path} would be read",
        change=f"create the file {environment.CONFIG_FILE} names, or unset it" if named else "",
    )


def names(settings: Settings, specs: Iterable[Spec]) -> Check:
    """A setting nobody reads is nearly always a misspelt one."""
    known = known_names(specs)
    strangers = sorted(
        name for name in settings.raw if name.startswith(_PREFIX) and name not in known
    )
    if not strangers:
        return Check(
            name="setting names", state="ok", detail="every CITEWELL_ name set is a known one"
        )
    return Check(
        name="setting names",
        state="warning",
        detail=f"nothing reads {', '.join(strangers)}",
        change="; ".join(_meant(name, known) for name in strangers),
    )


def known_names(specs: Iterable[Spec]) -> frozenset[str]:
    ours = {field.alias for field in Settings.model_fields.values() if field.alias}
    theirs = {
        name
        for spec in specs
        for name in (spec.base_url_env, *(option.env for option in spec.options))
    }
    return frozenset(ours | theirs | set(EARLY))


def _meant(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.8)
    return f"write {close[0]} instead of {name}" if close else f"unset {name}"


def data_directory(settings: Settings) -> Check:
    """Whether what is kept can be kept."""
    path = settings.data_path
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        detail = f"{path} cannot be written: {error.strerror}; answers are kept in memory only"
        return Check(
            name="data directory",
            state="warning",
            detail=detail,
            change="CITEWELL_DATA_DIR=<a directory you can write>",
        )
    return Check(name="data directory", state="ok", detail=str(path))


def cache(settings: Settings, warnings: Iterable[str]) -> Check:
    """`warnings` are the store's own, after it was asked once."""
    if not settings.cache_enabled:
        return Check(name="cache", state="warning", detail="off", change="CITEWELL_CACHE=true")
    told = [*warnings]
    if told:
        return Check(name="cache", state="warning", detail=" ".join(told))
    return Check(
        name="cache",
        state="ok",
        detail=f"encrypted with {_key_source(settings)}, in {settings.cache_path}",
    )


def _key_source(settings: Settings) -> str:
    if settings.cache_key:
        return "CACHE_ENCRYPTION_KEY"
    return f"the key file {Path(settings.data_path, KEY_FILE)}"


def routing(problem: CitewellError | None, warnings: Iterable[str], chain: Iterable[str]) -> Check:
    """How a web search is routed, or why it cannot be."""
    if problem is not None:
        return Check(name="routing", state="failed", detail=problem.message)
    told = " ".join(warnings)
    order = ", ".join(chain)
    return Check(
        name="routing",
        state="warning" if told else "ok",
        detail=f"web search asks {order}. {told}".strip(),
    )


def lenses(names: Iterable[str], warnings: Iterable[str]) -> Check:
    told = " ".join(warnings)
    return Check(
        name="lenses",
        state="warning" if told else "ok",
        detail=f"{len([*names])} known. {told}".strip(),
    )
