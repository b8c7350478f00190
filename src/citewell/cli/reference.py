"""`citewell reference`: writes what is derived from the code, or checks that it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from citewell.cli import exits, screen
from citewell.config import Settings
from citewell.ports import Spec
from citewell.server import bake
from citewell.server.reference import differing, documents, version_of, write
from citewell.services.catalogue import Catalogue
from citewell.services.web.lenses import Lenses

MANIFEST = "src/citewell/server/manifest.json"


def command(
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 when a file differs.")
    ] = False,
    root: Annotated[
        Path, typer.Option(help="The repository.", file_okay=False, exists=True)
    ] = Path(),
) -> int:
    """Write the manifest, the reference pages, golden schemas, .env.example and server.json."""
    wanted = derived(root)
    if not check:
        for path in write(root, wanted):
            screen.say(f"wrote {path}")
        return exits.OK
    stale = differing(root, wanted)
    for path in stale:
        sys.stderr.write(f"{path} is out of date; run: make reference\n")
    return exits.NOTHING if stale else exits.OK


def derived(root: Path) -> dict[str, str]:
    """Every derived file of the repository at `root`, as the code would have it."""
    version = version_of(root)
    settings = Settings()  # nobody's environment shows in the pages
    catalogue = Catalogue(settings, connect=_unconnected)
    pages = documents(catalogue, Lenses(), bake.entries(), version=version)
    return pages | {MANIFEST: bake.baked()}


def _unconnected(spec: Spec, options: object) -> object:
    raise NotImplementedError("pages are written from descriptions; nothing is connected")
