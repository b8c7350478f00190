"""Renders the Helm chart by Go's own template engine (go-template), without Helm.

The templates use only what that engine has by itself. `python -m tests.deployment.chart [NAME]`
prints the manifests of a release.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.services import absent

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy" / "helm" / "citewell"
# The engine ends its process when a template is wrong, so it runs in one of its own.
_RENDER = """
import sys, go_template
values, *pairs = sys.argv[1:]
for template, output in zip(pairs[::2], pairs[1::2]):
    go_template.render_template(template, values, output)
"""


def render_chart(changes: Mapping[str, Any] | None = None, release: str = "test") -> dict[str, str]:
    """The text of each template by file name; `changes` are values by dotted path."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        absent("The template engine is a library for Linux on x86-64.")
    values = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
    for path, value in (changes or {}).items():
        *parents, last = path.split(".")
        place = values
        for name in parents:
            place = place[name]
        place[last] = value
    shared = (CHART / "templates" / "_names.tpl").read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        data = {"Values": values, "Release": {"Name": release, "Service": "Helm"}}
        (room / "values.json").write_text(json.dumps(data), encoding="utf-8")
        command = [sys.executable, "-c", _RENDER, str(room / "values.json")]
        outputs = {}
        for template in sorted((CHART / "templates").glob("*.yaml")):
            whole = room / f"{template.name}.tpl"
            whole.write_text(shared + template.read_text("utf-8"), encoding="utf-8")
            outputs[template.name] = room / template.name
            command += [str(whole), str(outputs[template.name])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
        return {name: path.read_text("utf-8") for name, path in outputs.items()}


def load_manifests(changes: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Every object of the chart."""
    texts = render_chart(changes).values()
    return [one for text in texts for one in yaml.safe_load_all(text) if one]


if __name__ == "__main__":
    print("---\n".join(render_chart(release=(sys.argv[1:] or ["citewell"])[0]).values()))  # noqa: T201 - a command
