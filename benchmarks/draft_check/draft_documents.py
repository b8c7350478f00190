"""A draft before it has a format: headings, and paragraphs of sentences with what they cite."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.draft_check.draft_gold import CitationKind, GoldCitation
from benchmarks.draft_check.written_references import WrittenReference, format_zotero
from tests.internet.papers import Work
from tests.trust import styles

FRAGMENT_CHARS = 60
_HEADINGS = {"en": "References", "de": "Literatur", "fr": "Références", "es": "Referencias"}
_TEX_SIGNS = str.maketrans({"%": r"\%", "&": r"\&", "$": r"\$", "#": r"\#", "_": r"\_"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSentence:
    text: str  # without its full stop
    references: tuple[WrittenReference, ...] = ()
    kind: CitationKind = CitationKind.SOUND  # of the statement

    @property
    def fragment(self) -> str:
        return self.text[-FRAGMENT_CHARS:]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainDocument:
    title: str
    language: str
    sections: tuple[tuple[str, tuple[tuple[CitedSentence, ...], ...]], ...]
    style: Callable[[Work, str], str] = field(default=styles.apa)

    @property
    def references(self) -> list[WrittenReference]:
        """Each once, in the order of their first citation."""
        found = (
            reference
            for _, paragraphs in self.sections
            for sentences in paragraphs
            for sentence in sentences
            for reference in sentence.references
        )
        return list({one.key: one for one in found}.values())

    @property
    def heading(self) -> str:
        return _HEADINGS[self.language]

    def list_gold(self) -> tuple[GoldCitation, ...]:
        return tuple(
            reference.build_gold(sentence.fragment, sentence.kind)
            for _, paragraphs in self.sections
            for sentences in paragraphs
            for sentence in sentences
            for reference in sentence.references
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedText:
    body: str
    bibliography: str = ""


Mark = Callable[[CitedSentence], str]  # a sentence with its mark and its full stop


def render_document(document: PlainDocument, form: str) -> RenderedText:
    """`form` is the format and the kind of marks, such as "markdown numbers"."""
    return _RENDERERS[form](document)


def _number_all(document: PlainDocument) -> dict[str, int]:
    return {one.key: place for place, one in enumerate(document.references, 1)}


def _join_numbers(numbers: list[int]) -> str:
    """1, 3-5."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


def _mark_numbers(document: PlainDocument) -> Mark:
    numbers = _number_all(document)

    def mark(sentence: CitedSentence) -> str:
        chosen = [numbers[one.key] for one in sentence.references]
        return f"{sentence.text} [{_join_numbers(chosen)}]."

    return mark


def _mark_labels(sentence: CitedSentence) -> str:
    return f"{sentence.text} ({'; '.join(one.label for one in sentence.references)})."


def _mark_links(sentence: CitedSentence) -> str:
    shown = ", ".join(f"[{one.family}]({one.address})" for one in sentence.references)
    return f"{sentence.text} ({shown})."


def _mark_addresses(sentence: CitedSentence) -> str:
    return f"{sentence.text} ({' '.join(one.address for one in sentence.references)})."


def _mark_keys(sentence: CitedSentence) -> str:
    return f"{sentence.text} [{'; '.join(f'@{one.key}' for one in sentence.references)}]."


def _mark_footnotes(document: PlainDocument) -> Mark:
    numbers = _number_all(document)

    def mark(sentence: CitedSentence) -> str:
        return f"{sentence.text}.{''.join(f'[^{numbers[one.key]}]' for one in sentence.references)}"

    return mark


def _write_paragraphs(document: PlainDocument, mark: Mark, *, heading: str = "## ") -> list[str]:
    blocks: list[str] = []
    for title, paragraphs in document.sections:
        blocks.append(f"{heading}{title}")
        for sentences in paragraphs:
            written = (mark(one) if one.references else f"{one.text}." for one in sentences)
            blocks.append(" ".join(written))
    return blocks


def _write_list(document: PlainDocument, number: str) -> str:
    """`number` is a pattern such as "[{}] "; empty for a list in the order of names."""
    entries = [one.format_entry(document.style) for one in document.references]
    if not number:
        return "\n\n".join(sorted(entries))
    return "\n".join(f"{number.format(place)}{one}" for place, one in enumerate(entries, 1))


def _render_markdown(document: PlainDocument, mark: Mark, number: str | None) -> RenderedText:
    blocks = [f"# {document.title}", *_write_paragraphs(document, mark)]
    if number is not None:
        blocks += [f"## {document.heading}", _write_list(document, number)]
    return RenderedText(body="\n\n".join(blocks) + "\n")


def _render_footnotes(document: PlainDocument) -> RenderedText:
    text = _render_markdown(document, _mark_footnotes(document), None).body
    notes = _write_list(document, "[^{}]: ")
    return RenderedText(body=f"{text}\n{notes}\n")


def _render_keys(document: PlainDocument) -> RenderedText:
    body = _render_markdown(document, _mark_keys, None).body
    records = "\n".join(one.format_bibtex() for one in document.references)
    return RenderedText(body=body, bibliography=records)


def _render_plain(document: PlainDocument, mark: Mark, number: str | None) -> RenderedText:
    blocks = [document.title.upper(), *_write_paragraphs(document, mark, heading="")]
    if number is not None:
        blocks += [document.heading, _write_list(document, number)]
    return RenderedText(body="\n\n".join(blocks) + "\n")


def _render_html(document: PlainDocument, *, is_linked: bool) -> RenderedText:
    numbers = _number_all(document)

    def mark(sentence: CitedSentence) -> str:
        text = html.escape(sentence.text, quote=False)
        if is_linked:
            shown = ", ".join(
                f'<a href="{html.escape(one.address)}">{html.escape(one.family)}</a>'
                for one in sentence.references
            )
            return f"{text} ({shown})."
        shown = ",".join(
            f'<a href="#ref{numbers[one.key]}">{numbers[one.key]}</a>'
            for one in sentence.references
        )
        return f"{text}.<sup>{shown}</sup>"

    blocks = []
    for title, paragraphs in document.sections:
        blocks.append(f"<h2>{html.escape(title)}</h2>")
        for sentences in paragraphs:
            written = " ".join(
                mark(one) if one.references else html.escape(f"{one.text}.", quote=False)
                for one in sentences
            )
            blocks.append(f"<p>{written}</p>")
    if not is_linked:
        entries = "\n".join(
            f'<li id="ref{place}">{_link_address(html.escape(one.format_entry(document.style)))}</li>'
            for place, one in enumerate(document.references, 1)
        )
        blocks.append(f"<h2>{document.heading}</h2>\n<ol>\n{entries}\n</ol>")
    head = f"<title>{html.escape(document.title)}</title>"
    content = "\n".join(blocks)
    return RenderedText(
        body=f'<!DOCTYPE html>\n<html lang="{document.language}">\n<head><meta charset="utf-8">{head}'
        f"</head>\n<body>\n<h1>{html.escape(document.title)}</h1>\n{content}\n</body>\n</html>\n"
    )


def _link_address(entry: str) -> str:
    return re.sub(r"(https://[^\s<]+?)(?=[.,]?(?:\s|$))", r'<a href="\1">\1</a>', entry)


def _render_latex(document: PlainDocument, command: str) -> RenderedText:
    def mark(sentence: CitedSentence) -> str:
        keys = ",".join(one.key for one in sentence.references)
        return f"{sentence.text.translate(_TEX_SIGNS)}~\\{command}{{{keys}}}."

    blocks = []
    for title, paragraphs in document.sections:
        blocks.append(f"\\section{{{title.translate(_TEX_SIGNS)}}}")
        for sentences in paragraphs:
            written = (
                mark(one) if one.references else f"{one.text}.".translate(_TEX_SIGNS)
                for one in sentences
            )
            blocks.append("\n".join(written))
    content = "\n\n".join(blocks)
    records = "\n".join(one.format_bibtex() for one in document.references)
    return RenderedText(
        body="\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\begin{document}\n"
        f"\\title{{{document.title.translate(_TEX_SIGNS)}}}\n\\maketitle\n\n{content}\n\n"
        "\\bibliographystyle{plain}\n\\bibliography{refs}\n\\end{document}\n",
        bibliography=records,
    )


def _render_zotero(document: PlainDocument) -> RenderedText:
    def mark(sentence: CitedSentence) -> str:
        shown = f"({'; '.join(one.label for one in sentence.references)})"
        code = format_zotero(list(sentence.references), shown)
        return f"{sentence.text} ⟦field:{code}⟧{shown}⟦/field⟧."

    return _render_markdown(document, mark, "")


def _render_word_notes(document: PlainDocument) -> RenderedText:
    def mark(sentence: CitedSentence) -> str:
        notes = "".join(f"⟦note:{one.format_entry(document.style)}⟧" for one in sentence.references)
        return f"{sentence.text}.{notes}"

    return _render_markdown(document, mark, None)


_RENDERERS: dict[str, Callable[[PlainDocument], RenderedText]] = {
    "markdown links": lambda one: _render_markdown(one, _mark_links, None),
    "markdown numbers": lambda one: _render_markdown(one, _mark_numbers(one), "[{}] "),
    "markdown ordered": lambda one: _render_markdown(one, _mark_numbers(one), "{}. "),
    "markdown footnotes": _render_footnotes,
    "markdown labels": lambda one: _render_markdown(one, _mark_labels, ""),
    "markdown keys": _render_keys,
    "plain numbers": lambda one: _render_plain(one, _mark_numbers(one), "[{}] "),
    "plain labels": lambda one: _render_plain(one, _mark_labels, ""),
    "plain addresses": lambda one: _render_plain(one, _mark_addresses, None),
    "html links": lambda one: _render_html(one, is_linked=True),
    "html superscripts": lambda one: _render_html(one, is_linked=False),
    "docx numbers": lambda one: _render_markdown(one, _mark_numbers(one), "{}. "),
    "docx fields": _render_zotero,
    "docx notes": _render_word_notes,
    "latex cite": lambda one: _render_latex(one, "cite"),
    "latex autocite": lambda one: _render_latex(one, "autocite"),
    "pdf numbers": lambda one: _render_plain(one, _mark_numbers(one), "[{}] "),
    "pdf labels": lambda one: _render_plain(one, _mark_labels, ""),
}
