"""Formats works with the program pandoc, if it is installed."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from citewell.errors import InvalidInput, UpstreamUnavailable

PANDOC_NAME = "pandoc"
PANDOC_SECONDS = 60.0  # for one list
_MAX_MESSAGE_CHARS = 300


def find_pandoc() -> str | None:
    """The path of the program, or None."""
    return shutil.which(PANDOC_NAME)


async def render_with_pandoc(
    program: str, style: bytes, records: Sequence[dict[str, Any]]
) -> list[str]:
    """The works as lines of text. Raises InvalidInput with pandoc's words if it refuses the style."""
    with tempfile.TemporaryDirectory(prefix="citewell-csl-") as folder:
        style_path, works_path = Path(folder) / "style.csl", Path(folder) / "works.json"
        style_path.write_bytes(style)
        works_path.write_text(json.dumps(list(records), ensure_ascii=False), "utf-8")
        # A sandboxed pandoc opens no other file and no address.
        command = [
            *(program, "--sandbox", "--from=csljson", "--to=plain", "--wrap=none", "--citeproc"),
            *(f"--csl={style_path}", str(works_path)),
        ]
        text = await _run_pandoc(command)
    return [" ".join(block.split()) for block in text.split("\n\n") if block.strip()]


async def _run_pandoc(command: Sequence[str]) -> str:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, said = await asyncio.wait_for(process.communicate(), PANDOC_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise UpstreamUnavailable(
            f"pandoc did not finish within {PANDOC_SECONDS:g} seconds."
        ) from None
    if process.returncode:
        message = " ".join(said.decode("utf-8", "replace").split())[:_MAX_MESSAGE_CHARS]
        raise InvalidInput(f"pandoc cannot use this style: {message}")
    return out.decode("utf-8", "replace")
