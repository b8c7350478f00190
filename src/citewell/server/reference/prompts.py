"""The page of prompts: ready instructions a client can offer its user."""

from __future__ import annotations

from citewell.server.prompts import PROMPTS, Argument, Prompt
from citewell.server.reference.markdown import code, codes, document, table

_INTRO = (
    "A prompt leads a model through the tools for one kind of task. Clients show them as commands."
)


def page() -> str:
    return document("Prompts", _INTRO, *map(_section, PROMPTS))


def _section(prompt: Prompt) -> str:
    rows = [
        (code(item.name), "required" if item.required else code(item.default), _meaning(item))
        for item in prompt.arguments
    ]
    return f"## {prompt.name}\n\n{prompt.description}\n\n{table(('Argument', 'Default', 'Meaning'), rows)}"


def _meaning(item: Argument) -> str:
    choices = f" One of {codes(item.choices)}." if item.choices else ""
    return f"{item.description}.{choices}"
