"""Reads manifest.json: all tools and the SDK's first replies, without importing any tool.

`make reference` writes the file. Standard library only, because the instant start needs it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MANIFEST_PATH = Path(__file__).with_name("manifest.json")


def load_manifest(path: Path = MANIFEST_PATH) -> dict[str, Any]:
    """`tools`: an entry per tool (name, toolset, default, readOnly, wire); `replies`: the SDK's results."""
    manifest: dict[str, Any] = json.loads(path.read_bytes())
    return manifest
