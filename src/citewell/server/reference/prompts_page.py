"""Renders the reference page of prompts."""

from __future__ import annotations

from citewell.server.capabilities.prompts import PROMPTS, PromptArgument, PromptTemplate
from citewell.server.reference.page_markdown import (
    format_code,
    format_code_list,
    join_page_parts,
    render_reference_table,
)

_PROMPTS_INTRO = (
    "A prompt leads a model through the tools for one kind of task. Clients show them as commands. "
    "It is offered only where all the tools that it needs are."
)


def render_prompts_page() -> str:
    return join_page_parts("Prompts", _PROMPTS_INTRO, *map(_render_prompt_section, PROMPTS))


def _render_prompt_section(prompt: PromptTemplate) -> str:
    rows = [
        (
            format_code(item.name),
            "required" if item.required else format_code(item.default),
            _describe_prompt_argument(item),
        )
        for item in prompt.arguments
    ]
    needs = f"Needs {format_code_list(prompt.tools)}."
    return f"## {prompt.name}\n\n{prompt.description} {needs}\n\n{render_reference_table(('Argument', 'Default', 'Meaning'), rows)}"


def _describe_prompt_argument(item: PromptArgument) -> str:
    choices = f" One of {format_code_list(item.choices)}." if item.choices else ""
    return f"{item.description}.{choices}"
