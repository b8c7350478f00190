"""MCP prompts: instructions that lead a model through the tools for one kind of task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from citewell.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptArgument:
    name: str
    description: str
    required: bool = False
    default: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    render_text: Callable[[Mapping[str, str]], str]

    def render_prompt(self, given: Mapping[str, str]) -> str:
        return self.render_text(
            {
                argument.name: self._require_prompt_value(argument, given)
                for argument in self.arguments
            }
        )

    def _require_prompt_value(self, argument: PromptArgument, given: Mapping[str, str]) -> str:
        value = given.get(argument.name, "").strip() or argument.default
        if argument.required and not value:
            raise InvalidInput(f"The prompt {self.name} needs {argument.name}.")
        if argument.choices and value not in argument.choices:
            raise InvalidInput(f"{argument.name} must be one of {', '.join(argument.choices)}.")
        return value


_SEARCHES_BY_DEPTH = {"quick": "two or three", "standard": "five to eight", "deep": "ten or more"}


def _render_research_prompt(given: Mapping[str, str]) -> str:
    lens = f" Begin with the lens {given['lens']}." if given["lens"] else ""
    return (
        f"Research this topic: {given['topic']}\n\n"
        f"Search with web_search in {_SEARCHES_BY_DEPTH[given['depth']]} different wordings.{lens} Read the pages you rely on "
        "(fetch_content), prefer primary sources and note each one's date. Where sources disagree, say so and show "
        "both figures. Write the answer first, then the evidence; after every statement give the address it came "
        "from. Cite only addresses that a tool returned. Name what you could not find out."
    )


def _render_fact_check_prompt(given: Mapping[str, str]) -> str:
    context = f"\nContext: {given['context']}" if given["context"] else ""
    return (
        f"Check this claim: {given['claim']}{context}\n\n"
        "Search for it with web_search, giving the claim itself as `claim`, and once more for evidence against it. "
        "Read the most reliable sources on each side. Then say whether it is supported, contradicted or undecided, "
        "quote the sentences that decide it with their addresses and dates, and name what would settle it if "
        "nothing does. A snippet alone is not evidence; a page that could not be read is not evidence either."
    )


PROMPTS = (
    PromptTemplate(
        name="comprehensive-research",
        title="Comprehensive research",
        description="Research a topic from several angles and answer with cited sources.",
        arguments=(
            PromptArgument(name="topic", description="What to research", required=True),
            PromptArgument(
                name="depth",
                description="How far to go",
                default="standard",
                choices=tuple(_SEARCHES_BY_DEPTH),
            ),
            PromptArgument(name="lens", description="A field's authoritative hosts to begin with"),
        ),
        render_text=_render_research_prompt,
    ),
    PromptTemplate(
        name="fact-check",
        title="Fact check",
        description="Find the evidence for and against one claim.",
        arguments=(
            PromptArgument(name="claim", description="The claim to check", required=True),
            PromptArgument(name="context", description="Where it was said, when, by whom"),
        ),
        render_text=_render_fact_check_prompt,
    ),
)
PROMPTS_BY_NAME = {prompt.name: prompt for prompt in PROMPTS}
