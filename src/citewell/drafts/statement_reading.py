"""Finds the statements of a draft block by block, with the citations that stand for each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from citewell.drafts import statement_parts
from citewell.drafts.citation_linking import LinkedMark
from citewell.drafts.draft import (
    ABBREVIATION_DOT,
    CELL_MARK,
    SUBJECT_MARK,
    DraftBlock,
    DraftBlockKind,
    DraftStatement,
    DraftView,
    blank_spans,
    cut_spans,
)
from citewell.drafts.reference_table import PlaceIndex
from citewell.evidence import statement_kinds
from citewell.text.language.sentences import find_sentence_spans
from citewell.text.language.word_forms import count_words

_OTHERS_END_PATTERN = re.compile(r"\b(?:al|cols?|coll|a|др|fl)(\.)\s{0,3}\Z")
_MAX_OTHERS_CHARS = 12
_FULL_STOPS = frozenset(".!?。！？")
# Sentences that go on about the work that the sentence before them names.
_CONTINUING_PATTERN = re.compile(
    r"(?:they|the (?:authors?|researchers|team|study|paper|report|trial|survey|analysis|article|investigators)|these (?:authors|researchers|findings|results)|this (?:study|paper|report|trial|survey|analysis|finding|result)|their|his|her|he|she|its?"
    r"|die (?:autor\w{0,6}|studie|untersuchung|arbeit|forschenden)|sie|diese (?:studie|arbeit|ergebnisse)|les auteurs|l['’]étude|cette étude|ils|elles|ces résultats|los autores|el estudio|este estudio|la investigación|estos resultados|该研究|作者|他们|同研究|著者ら)\b",
    re.IGNORECASE,
)
_POINTER_PATTERN = re.compile(
    r"\W{0,4}(?:see|sources?|cf\.|compare|read more|more (?:at|on|in)|further reading|via|quellen?|siehe|vgl\.|source|voir|fuentes?|véase|ver|来源|出典|参照)\b",
    re.IGNORECASE,
)
# Headings of the column of a table that says where a row is from.
_SOURCE_COLUMN_PATTERN = re.compile(
    r"(?:sources?|refs?\.?|references?|citations?|links?|quellen?|belege?|nachweise?|références?|fuentes?|referencias?)",
    re.IGNORECASE,
)
# The words of a link that name its authors: "Smith et al.", "Smith & Jones (2019)".
_AUTHORS_LABEL_PATTERN = re.compile(
    r"\W{0,6}[^\W\d_][\w'’-]{1,30}(?: (?:and|&|und|et|y|e) [^\W\d_][\w'’-]{1,30})?"
    r"(?: et al\.?(?:,? \(?\d{4}[a-z]?)?|,? \(?\d{4}[a-z]?)\W{0,6}"
)
_MIN_STATEMENT_WORDS = statement_parts.MIN_CLAUSE_WORDS
_MIN_CITED_WORDS = 3  # a sentence with a citation may be shorter
_MIN_ROW_WORDS = 2
_MAX_POINTER_WORDS = 9
_MAX_PROVENANCE_WORDS = 16


@dataclass(slots=True)
class _Sentence:
    """A sentence or a clause on its way to become a statement."""

    start: int
    end: int
    text: str
    block: DraftBlock
    marks: tuple[LinkedMark, ...] = ()
    shared: list[str] = field(default_factory=list)
    is_after_stop: bool = False  # its citation stands behind its full stop


class StatementReader:
    """Reads the statements of the body of a draft; `ids` are those of the linked marks."""

    def __init__(
        self,
        view: DraftView,
        *,
        linked: Sequence[LinkedMark],
        ids: Sequence[str],
        places: PlaceIndex,
        draft_format: str,
        language: str,
    ) -> None:
        self._view = view
        self._linked = linked
        self._ids = {id(link): name for link, name in zip(linked, ids, strict=True)}
        self._places = places
        self._format = draft_format
        self._language = language
        self._unmarked = _blank_marks(view.spoken, linked)
        notes = [(entry.start, entry.end) for entry in view.note_entries]
        # A note within a paragraph is no part of it.
        self._body = blank_spans(self._unmarked, notes)
        self._starts = [link.mark.start for link in linked]
        self._is_paper = any(
            statement_kinds.is_paper_heading(heading.title) for heading in view.headings
        )

    def read_statements(self, blocks: Sequence[DraftBlock]) -> tuple[DraftStatement, ...]:
        """The statements that have a citation or a sign that one is wanted, in order."""
        groups = [self._read_text_block(blocks, place) for place in range(len(blocks))]
        self._share_between_blocks(blocks, groups)
        made = [statement for group in groups for statement in map(self._build_statement, group)]
        kept = sorted(
            (row for row in made if row is not None), key=lambda statement: statement.place.start
        )
        return tuple(
            replace(statement, id=f"s{number}") for number, statement in enumerate(kept, start=1)
        )

    def _read_text_block(self, blocks: Sequence[DraftBlock], place: int) -> list[_Sentence]:
        block = blocks[place]
        if block.kind is DraftBlockKind.HEADING:
            return []
        if block.kind is DraftBlockKind.ROW:
            return self._read_draft_row(blocks, place)
        sentences = list(self._iterate_sentences(block))
        merged = _merge_short_sentences(sentences)
        _share_in_block(merged, self._list_ids)
        return merged

    def _iterate_sentences(self, block: DraftBlock) -> Iterator[_Sentence]:
        whole = self._choose_text(block)
        piece = whole[block.start : block.end].replace("\n", " ")
        spans = [
            (block.start + start, block.start + end) for start, end in find_sentence_spans(piece)
        ]
        marks = self._select_marks(block.start, block.end)
        if not spans:
            if marks:
                yield self._build_sentence(
                    statement_parts.StatementClause(
                        start=block.start, end=block.end, text_start=block.start, marks=marks
                    ),
                    block,
                    is_whole=True,
                )
            return
        begins = [start for start, _ in spans]
        held: list[list[LinkedMark]] = [[] for _ in spans]
        for mark in marks:
            held[max(0, bisect_right(begins, mark.mark.start) - 1)].append(mark)
        for (start, end), own in zip(spans, held, strict=True):
            clauses = list(statement_parts.split_clauses(whole, start, end, own))
            for clause in clauses:
                yield self._build_sentence(clause, block, is_whole=len(clauses) == 1)

    def _choose_text(self, block: DraftBlock) -> str:
        return self._unmarked if block.kind is DraftBlockKind.NOTE else self._body

    def _build_sentence(
        self, clause: statement_parts.StatementClause, block: DraftBlock, *, is_whole: bool
    ) -> _Sentence:
        whole = self._choose_text(block)
        text = whole[clause.text_start : clause.end]
        printed = cut_spans(whole, clause.text_start, clause.end, self._view.unprinted)
        clean = statement_parts.clean_statement if is_whole else statement_parts.clean_clause
        start = clause.start + len(text) - len(text.lstrip()) if is_whole else clause.start
        end = max([clause.end, *(mark.mark.end for mark in clause.marks)])
        stop = whole[clause.start : clause.end].rstrip()[-1:] in _FULL_STOPS
        return _Sentence(
            start=min([start, *(mark.mark.start for mark in clause.marks)]),
            end=end,
            text=clean(printed, self._format),
            block=block,
            marks=clause.marks,
            is_after_stop=stop and any(mark.mark.start >= clause.end for mark in clause.marks),
        )

    def _read_draft_row(self, blocks: Sequence[DraftBlock], place: int) -> list[_Sentence]:
        """A row of a table as one statement: its cells, each after the heading of its column."""
        first = place
        while first > 0 and blocks[first - 1].kind is DraftBlockKind.ROW and place - first < 200:
            first -= 1
        block = blocks[place]
        marks = self._select_marks(block.start, block.end)
        if first == place and not marks:
            return []
        heads = self._split_draft_cells(blocks[first]) if first < place else []
        cells = self._split_draft_cells(block)
        named = [
            f"{head}: {cell}" if head and head != cell and number else cell
            for number, (head, cell) in enumerate(
                zip([*heads, *[""] * len(cells)], cells, strict=False)
            )
            if cell and not _SOURCE_COLUMN_PATTERN.fullmatch(head)
        ]
        return [
            _Sentence(
                start=block.start, end=block.end, text="; ".join(named), block=block, marks=marks
            )
        ]

    def _split_draft_cells(self, block: DraftBlock) -> list[str]:
        text = self._unmarked
        bars = [
            place
            for place in range(block.start, block.end)
            if text[place] == CELL_MARK and self._view.text[place - 1 : place] != "\\"
        ]
        edges = [block.start - 1, *bars, block.end]
        cells = [
            statement_parts.clean_statement(
                cut_spans(text, start + 1, end, self._view.unprinted), self._format
            )
            for start, end in pairwise(edges)
        ]
        # Rows of markdown begin and end with a bar.
        return cells[bool(bars and not cells[0]) : len(cells) - bool(bars and not cells[-1])]

    def _select_marks(self, start: int, end: int) -> tuple[LinkedMark, ...]:
        first = bisect_right(self._starts, start - 1)
        last = bisect_right(self._starts, end - 1)
        return tuple(self._linked[first:last])

    def _list_ids(self, sentence: _Sentence) -> list[str]:
        return [self._ids[id(mark)] for mark in sentence.marks]

    def _share_between_blocks(
        self, blocks: Sequence[DraftBlock], groups: list[list[_Sentence]]
    ) -> None:
        """Items share the citation of the line that leads them in; a source line that of its table."""
        lead: list[str] = []
        for place, (block, group) in enumerate(zip(blocks, groups, strict=True)):
            if block.kind in {DraftBlockKind.ITEM, DraftBlockKind.QUOTE, DraftBlockKind.ROW}:
                for sentence in group if lead else ():
                    if not sentence.marks and not sentence.shared:
                        sentence.shared += lead
            else:
                ends = self._unmarked[block.start : block.end].rstrip()[-1:]
                lead = self._list_ids(group[-1]) if group and ends in {":", "："} else []
            is_source = len(group) == 1 and group[0].marks and _is_bare_citation(group[0])
            if is_source and block.kind is DraftBlockKind.PARAGRAPH:
                self._share_with_run(self._list_ids(group[0]), groups, place, step=-1)
            elif block.kind is DraftBlockKind.CAPTION and group:
                cited = [name for sentence in group for name in self._list_ids(sentence)]
                for step in (-1, 1):
                    self._share_with_run(cited, groups, place, step=step, kind=DraftBlockKind.ROW)

    def _share_with_run(
        self,
        cited: list[str],
        groups: list[list[_Sentence]],
        place: int,
        *,
        step: int,
        kind: DraftBlockKind | None = None,
    ) -> None:
        """A line of nothing but citations, or a caption, stands for the block or table beside it."""
        at = place + step
        if not cited or not 0 <= at < len(groups) or not groups[at]:
            return
        own = groups[at][0].block.kind
        if kind is not None and own is not kind:
            return
        while 0 <= at < len(groups) and groups[at] and groups[at][0].block.kind is own:
            for sentence in groups[at]:
                if not sentence.marks and not sentence.shared:
                    sentence.shared += cited
            if own is not DraftBlockKind.ROW:
                break
            at += step

    def _build_statement(self, sentence: _Sentence) -> DraftStatement | None:
        cited = self._list_ids(sentence)
        signs = tuple(statement_parts.find_statement_signs(sentence.text, self._language))
        if not cited:
            if not signs or not self._wants_source(sentence):
                return None
        elif _is_bare_citation(sentence):
            return None
        return DraftStatement(
            id="",
            text=sentence.text,
            place=self._places.build_place(sentence.start, sentence.end),
            citation_ids=tuple(dict.fromkeys(cited)),
            shared_citation_ids=tuple(dict.fromkeys(sentence.shared)),
            signs=signs,
            heading=sentence.block.heading,
        )

    def _wants_source(self, sentence: _Sentence) -> bool:
        """Whether a statement without a citation is one that a reader would want a source for."""
        if sentence.block.kind is DraftBlockKind.CAPTION:
            return False
        if statement_kinds.is_unchecked_heading(sentence.block.heading, is_paper=self._is_paper):
            return False
        text = sentence.text
        if count_words(text) < _MIN_STATEMENT_WORDS or statement_kinds.is_label_line(text):
            return False
        return not statement_kinds.is_question(text) and not statement_kinds.is_own_statement(text)


def _is_bare_citation(sentence: _Sentence) -> bool:
    """Whether a sentence says nothing but where something is from: "See [3]", "Source: WHO"."""
    words = count_words(sentence.text)
    if sentence.block.kind is DraftBlockKind.ROW:
        return words < _MIN_ROW_WORDS
    return (
        words < _MIN_CITED_WORDS
        or _AUTHORS_LABEL_PATTERN.fullmatch(sentence.text) is not None
        or (words < _MAX_POINTER_WORDS and _POINTER_PATTERN.match(sentence.text) is not None)
        or (
            words < _MAX_PROVENANCE_WORDS and statement_kinds.is_provenance_statement(sentence.text)
        )
    )


def _merge_short_sentences(sentences: list[_Sentence]) -> list[_Sentence]:
    """A sentence that is too short to say something gives its citations to the one before it."""
    merged: list[_Sentence] = []
    for sentence in sentences:
        is_textual = any(
            mark.mark.is_textual for mark in sentence.marks
        ) and not _AUTHORS_LABEL_PATTERN.fullmatch(sentence.text)
        if merged and sentence.marks and not is_textual and _is_bare_citation(sentence):
            before = merged[-1]
            before.marks = (*before.marks, *sentence.marks)
            before.end = max(before.end, sentence.end)
            before.is_after_stop = True
        else:
            merged.append(sentence)
    return merged


def _share_in_block(sentences: list[_Sentence], list_ids: Callable[[_Sentence], list[str]]) -> None:
    """Gives sentences without a citation those that stand for their run or for the paragraph."""
    cited = [place for place, sentence in enumerate(sentences) if sentence.marks]
    for number, place in enumerate(cited):
        sentence = sentences[place]
        is_last = place == len(sentences) - 1
        first = cited[number - 1] + 1 if number else 0
        whole = is_last and len(cited) == 1
        if whole or sentence.is_after_stop:
            for before in sentences[first:place]:
                before.shared += list_ids(sentence)
        following = cited[number + 1] if number + 1 < len(cited) else len(sentences)
        for after in sentences[place + 1 : following]:
            if not _CONTINUING_PATTERN.match(after.text):
                break
            after.shared += list_ids(sentence)


def _blank_marks(spoken: str, linked: Sequence[LinkedMark]) -> str:
    """The text without the marks; one that is the subject of a sentence leaves a sign."""
    text = blank_spans(spoken, [span for link in linked for span in link.mark.hidden])
    text = _name_authors(text, linked)
    places = [
        link.mark.hidden[0][0]
        for link in linked
        if link.mark.hidden and not link.authors and _is_subject(spoken, link.mark.hidden[0])
    ]
    pieces: list[str] = []
    done = 0
    for place in places:
        if place >= done:
            pieces += [text[done:place], SUBJECT_MARK]
            done = place + 1
    pieces.append(text[done:])
    return _keep_abbreviations("".join(pieces), linked)


def _name_authors(text: str, linked: Sequence[LinkedMark]) -> str:
    """The text with the names of authors in place of keys that are words of their sentence."""
    pieces: list[str] = []
    done = 0
    for link in linked:
        if not link.authors or not link.mark.hidden:
            continue
        start, end = link.mark.hidden[0]
        # The longest form of the authors that fits in the place of the mark.
        fitting = next((name for name in link.authors if len(name) <= end - start), "")
        if fitting and start >= done:
            pieces += [text[done:start], fitting.ljust(end - start)]
            done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _keep_abbreviations(text: str, linked: Sequence[LinkedMark]) -> str:
    """The text with another dot where a mark followed "et al.", so that no sentence ends there."""
    pieces: list[str] = []
    done = 0
    for link in linked:
        place = link.mark.hidden[0][0] if link.mark.hidden else link.mark.start
        match = _OTHERS_END_PATTERN.search(text, max(done, place - _MAX_OTHERS_CHARS), place)
        if match is not None:
            pieces += [text[done : match.start(1)], ABBREVIATION_DOT]
            done = match.end(1)
    pieces.append(text[done:])
    return "".join(pieces)


def _is_subject(spoken: str, span: tuple[int, int]) -> bool:
    """Whether a mark begins a sentence, whose verb follows it."""
    start, end = span
    before = spoken[max(0, start - 4) : start]
    after = spoken[end : end + 3]
    return (
        before.rstrip()[-1:] in _FULL_STOPS
        and before[-1:].isspace()
        and after[:1] == " "
        and after[1:2].islower()
    )
