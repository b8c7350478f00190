"""The baked `tools/list`, read without importing any tool. `make reference` writes it.

Standard library only: the instant start answers from it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("manifest.json")


def load(path: Path = PATH) -> dict[str, Any]:
    """`tools`: one entry each (name, toolset, default, readOnly, wire); `replies`: the SDK's answers."""
    manifest: dict[str, Any] = json.loads(path.read_bytes())
    return manifest
