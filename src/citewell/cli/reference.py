"""`citewell reference`: writes the files generated from the code, or checks that they are up to date."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from citewell.cli.running import exit_codes
from citewell.cli.terminal import screen
from citewell.config import Settings
from citewell.ports import ProviderSpec
from citewell.server.reference import (
    build_reference_files,
    find_outdated_files,
    manifest_builder,
    read_project_version,
    write_outdated_files,
)
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.web.lenses import LensCatalogue

MANIFEST_PATH = "src/citewell/server/manifest.json"


def command(
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 if a file is out of date.")
    ] = False,
    root: Annotated[
        Path, typer.Option(help="The root of the repository.", file_okay=False, exists=True)
    ] = Path(),
) -> int:
    wanted = build_derived_files(root)
    if not check:
        for path in write_outdated_files(root, wanted):
            screen.print_text(f"wrote {path}")
        return exit_codes.OK
    stale = find_outdated_files(root, wanted)
    for path in stale:
        sys.stderr.write(f"{path} is out of date; run: make reference\n")
    return exit_codes.NOTHING_FOUND if stale else exit_codes.OK


def build_derived_files(root: Path) -> dict[str, str]:
    """The text of every generated file, by its path in the repository at `root`."""
    version = read_project_version(root)
    settings = Settings()  # the defaults, so that the environment does not affect the pages
    catalogue = ProviderCatalogue(settings, connect=_refuse_connection)
    pages = build_reference_files(
        catalogue, LensCatalogue(), manifest_builder.build_manifest_entries(), version=version
    )
    return pages | {MANIFEST_PATH: manifest_builder.render_manifest()}


def _refuse_connection(spec: ProviderSpec, options: object) -> object:
    raise NotImplementedError("The reference is generated without connecting to providers")
