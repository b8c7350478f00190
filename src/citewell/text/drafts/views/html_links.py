"""Links of an HTML draft: to other pages, to entries of its list, and to its notes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from citewell.model.draft import CitationForm
from citewell.text.drafts.draft_views import (
    CitationMark,
    CitationTarget,
    NoteEntry,
    TargetKind,
    TextSpan,
)
from citewell.text.drafts.marks.address_marks import build_link_mark
from citewell.text.web.addresses import is_web_address

_NUMBER_LABEL_PATTERN = re.compile(
    r"\s{0,5}[\[(]?\s?(?:note )?(\d{1,4}|[a-z]|[*†‡])\s?[\])]?\s{0,5}"
)
_CITING_LABEL_PATTERN = re.compile(r"(?:1[5-9]|20)\d\d[a-z]?|\bet al\b|\bn\.\s?d\.", re.IGNORECASE)
_RAISED_START_PATTERN = re.compile(r"<sup[^<>]{0,300}>\s{0,5}\[?\s{0,5}\Z", re.IGNORECASE)
_RAISED_END_PATTERN = re.compile(r"\s{0,5}\]?\s{0,5}</sup>", re.IGNORECASE)
_COMMA_PATTERN = re.compile(r"\s{0,200}[,;]\s{0,200}")
_MAX_RAISED_CHARS = 320
_MAX_NUMBER_CHARS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlLink:
    start: int
    label_start: int
    label_end: int = 0
    end: int = 0
    address: str = ""
    cited_keys: tuple[str, ...] = ()  # as pandoc writes them beside the citation

    def close_link(self, label_end: int, end: int) -> HtmlLink:
        return replace(self, label_end=label_end, end=end)


def build_link_marks(
    text: str,
    spoken: str,
    links: Sequence[HtmlLink],
    anchors: Mapping[str, int],
    notes: Sequence[NoteEntry],
) -> list[CitationMark]:
    """The marks of links that cite; a link to a heading, or back from a note, is none."""
    labels = {note.label for note in notes}
    made: list[CitationMark] = []
    for link in sorted(links, key=lambda link: (link.start, -link.end)):
        span = (link.start, link.end)
        label = (link.label_start, link.label_end)
        if link.cited_keys:
            found = [anchors[f"ref-{key}"] for key in link.cited_keys if f"ref-{key}" in anchors]
            if found:
                made.append(_build_entry_mark(span, tuple(found)))
        elif link.address.startswith("#"):
            mark = _build_inner_mark(text, spoken, link, anchors, labels)
            made += [mark] if mark is not None else []
        elif is_web_address(link.address) and spoken[label[0] : label[1]].strip():
            made.append(build_link_mark(spoken, span, label, link.address))
    return _join_neighbours(spoken, made)


def _join_neighbours(spoken: str, marks: list[CitationMark]) -> list[CitationMark]:
    """Numbers with nothing but commas between them are one citation, as in other formats."""
    joined: list[CitationMark] = []
    for mark in marks:
        before = joined[-1] if joined else None
        if (
            before is not None
            and before.form is CitationForm.NUMBER is mark.form
            and mark.start - before.end <= _MAX_RAISED_CHARS
            and _COMMA_PATTERN.fullmatch(spoken, before.end, mark.start)
        ):
            joined[-1] = replace(
                before,
                end=mark.end,
                targets=(*before.targets, *mark.targets),
                hidden=(*before.hidden, (before.end, mark.start), *mark.hidden),
            )
        else:
            joined.append(mark)
    return joined


def find_back_links(
    spoken: str, links: Sequence[HtmlLink], anchors: Mapping[str, int]
) -> list[TextSpan]:
    """The labels of links that lead back from a note or an entry to the text."""
    return [
        (link.label_start, link.label_end)
        for link in links
        if link.address.startswith("#")
        and anchors.get(link.address[1:], link.end) < link.start
        and len(spoken[link.label_start : link.label_end].strip()) <= _MAX_NUMBER_CHARS
    ]


def _build_inner_mark(
    text: str,
    spoken: str,
    link: HtmlLink,
    anchors: Mapping[str, int],
    labels: set[str],
) -> CitationMark | None:
    name = link.address[1:]
    target = anchors.get(name)
    if target is None or target < link.start:  # back from a note, or to an earlier heading
        return None
    words = "".join(spoken[link.label_start : link.label_end].split())
    if len(words) > _MAX_NUMBER_CHARS:
        words = spoken[link.label_start : link.label_end]
    span = _include_raised(text, (link.start, link.end))
    if name in labels:
        return CitationMark(
            start=link.start,
            end=link.end,
            form=CitationForm.NOTE,
            targets=(CitationTarget(kind=TargetKind.NOTE, value=name),),
            hidden=(span,),
        )
    if not (_NUMBER_LABEL_PATTERN.fullmatch(words) or _CITING_LABEL_PATTERN.search(words)):
        return None
    return replace(
        _build_entry_mark((link.start, link.end), (target,)),
        form=CitationForm.NUMBER
        if _NUMBER_LABEL_PATTERN.fullmatch(words)
        else CitationForm.AUTHOR_YEAR,
        hidden=(span,),
    )


def _build_entry_mark(span: TextSpan, targets: tuple[int, ...]) -> CitationMark:
    return CitationMark(
        start=span[0],
        end=span[1],
        form=CitationForm.AUTHOR_YEAR,
        targets=tuple(
            CitationTarget(kind=TargetKind.ENTRY, value=str(target)) for target in targets
        ),
        hidden=(span,),
    )


def _include_raised(text: str, span: TextSpan) -> TextSpan:
    """The span with the raised element or the brackets that hold nothing else."""
    start, end = span
    before = _RAISED_START_PATTERN.search(text, max(0, start - _MAX_RAISED_CHARS), start)
    after = _RAISED_END_PATTERN.match(text, end)
    if before is not None and after is not None:
        return before.start(), after.end()
    if text[start - 1 : start] == "[" and text[end : end + 1] == "]":
        return start - 1, end + 1
    return start, end
