"""Builds texts of the evaluation from the bank of statements and the works of the loopback registries."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from benchmarks.draft_check.draft_documents import CitedSentence, PlainDocument, render_document
from benchmarks.draft_check.draft_gold import (
    HALVES,
    STATEMENT_FAULTS,
    CitationKind,
    DraftSpecimen,
)
from benchmarks.draft_check.draft_parts import PARTS, DraftPart
from benchmarks.draft_check.draft_sources import StatedSource, build_work
from benchmarks.draft_check.draft_stock import (
    DraftStock,
    list_uncited_works,
    split_retracted,
    split_works,
)
from benchmarks.draft_check.draft_works import load_retracted_works
from benchmarks.draft_check.draft_world import build_dead_address, build_old_address
from benchmarks.draft_check.handwritten_drafts import load_handwritten
from benchmarks.draft_check.reference_faults import (
    FAULT_MAKERS,
    PLAUSIBLE_FAULT_MAKERS,
    keep_work,
)
from benchmarks.draft_check.written_references import WrittenReference, build_key
from tests.internet.papers import Work
from tests.trust import slips, styles

_LABEL_TRIES = 12
_STYLES = (
    styles.apa,
    styles.vancouver,
    styles.chicago,
    styles.ieee,
    styles.harvard,
    styles.nature,
    styles.mla,
    styles.springer,
)
_LABEL_STYLES = (styles.apa, styles.harvard, styles.chicago)
_SLIPS: tuple[Callable[[Work, random.Random], Work], ...] = (
    slips.subtitle_dropped,
    slips.plain_letters,
    slips.title_case,
    slips.typo,
)


@cache
def build_specimens() -> tuple[DraftSpecimen, ...]:
    """The same texts every time."""
    made: list[DraftSpecimen] = []
    for part in PARTS:
        made += _build_part(part, _fill_stock(part, made))
    return tuple(made)


def _fill_stock(part: DraftPart, made: Sequence[DraftSpecimen]) -> DraftStock:
    """The last two parts cite what no text before them does."""
    rng = random.Random(part.seed)
    if part.is_plausible:
        # Texts written by hand for a later half leave those of an earlier one as they are.
        known_halves = HALVES[: HALVES.index(part.half) + 1]
        written = [text for text in load_handwritten() if text.half in known_halves]
        works = list_uncited_works((*made, *written))
        cited = {one.source for text in written for one in text.citations}
        retracted = [work for work in load_retracted_works(part.half) if work.key not in cited]
    else:
        works, retracted = split_works(part.name), split_retracted(part.name)
    return DraftStock(
        part=part.name,
        rng=rng,
        works=works,
        retracted=retracted,
        invented_titles=part.invented_titles,
    )


class _TextBuilder:
    """Chooses what one text says and cites."""

    def __init__(self, part: DraftPart, stock: DraftStock, language: str, form: str) -> None:
        self._part, self._stock, self._language, self._form = part, stock, language, form
        self._rng = stock.rng
        self._taken: set[str] = set()
        phrases = part.words.work_phrases[language]
        self._phrases = self._rng.sample(phrases, len(phrases))
        self._labels: dict[str, str] = {}  # with the key of the reference that has it

    def build_sentence(self, kind: CitationKind) -> CitedSentence | None:
        """None if there is nothing (more) of this kind to say in the language."""
        for _ in range(_LABEL_TRIES):
            sentence = self._try_sentence(kind)
            if sentence is None or self._claim_labels(sentence):
                return sentence
        return None

    def _claim_labels(self, sentence: CitedSentence) -> bool:
        """Whether every label leads to one entry alone, which readers of the first two parts had to do without."""
        if not self._part.is_plausible:
            return True
        if any(self._labels.get(one.label, one.key) != one.key for one in sentence.references):
            return False
        self._labels |= {one.label: one.key for one in sentence.references}
        return True

    def _try_sentence(self, kind: CitationKind) -> CitedSentence | None:
        if kind in STATEMENT_FAULTS:
            return self._state(kind)
        if kind in {CitationKind.DEAD, CitationKind.MOVED}:
            return self._state_of_lost_page(kind)
        if kind is CitationKind.SOUND:
            # Half of the sound ones say something that can be looked up.
            return (self._rng.random() < 0.6 and self._state(kind)) or self._cite_work(kind)
        return self._cite_work(kind)

    def _state(self, kind: CitationKind) -> CitedSentence | None:
        taken = self._stock.take_statement(kind, self._language, self._taken)
        if taken is None:
            return None
        source, row = taken
        return CitedSentence(text=row.text, references=(self._write_source(source),), kind=kind)

    def _state_of_lost_page(self, kind: CitationKind) -> CitedSentence | None:
        taken = self._stock.take_statement(
            CitationKind.SOUND, self._language, self._taken, is_page=True
        )
        if taken is None:
            return None
        source, row = taken
        build = build_dead_address if kind is CitationKind.DEAD else build_old_address
        url = build(source)
        reference = WrittenReference(
            key=f"{source.key}{kind.value}",
            kind=kind,
            source=source.url,
            title=source.title,
            url=url,
            site_name=self._name_site(source),
        )
        return CitedSentence(text=row.text, references=(reference,))

    def _write_source(self, source: StatedSource) -> WrittenReference:
        if source.url:
            return WrittenReference(
                key=source.key,
                kind=CitationKind.SOUND,
                source=source.url,
                title=source.title,
                url=source.url,
                site_name=self._name_site(source),
            )
        work = build_work(source)
        return WrittenReference(
            key=build_key(work),
            kind=CitationKind.SOUND,
            source=work.key,
            title=work.title,
            work=work,
            doi=work.doi,
        )

    def _name_site(self, source: StatedSource) -> str:
        return source.site if self._part.is_plausible else ""

    def _cite_work(self, kind: CitationKind) -> CitedSentence | None:
        reference = self._write_work(kind)
        if not self._phrases:
            return None
        topic = re.split(r"[:?—–(]", reference.title)[0].strip().rstrip(".")
        return CitedSentence(text=self._phrases.pop().format(topic=topic), references=(reference,))

    def _write_work(self, kind: CitationKind) -> WrittenReference:
        work = self._take_work(kind)
        makers = PLAUSIBLE_FAULT_MAKERS if self._part.is_plausible else FAULT_MAKERS
        written, doi = makers.get(kind, keep_work)(work, self._stock)
        if kind is CitationKind.SOUND and self._rng.random() < 0.2:
            written = self._rng.choice(_SLIPS)(written, self._rng)
        needs_doi = self._form.endswith(("links", "addresses"))
        if not needs_doi and kind is not CitationKind.NEIGHBOUR_DOI and self._rng.random() < 0.25:
            doi = ""
        return WrittenReference(
            key=build_key(written),
            kind=kind,
            source=work.key,
            title=written.title,
            work=written,
            doi=doi,
        )

    def _take_work(self, kind: CitationKind) -> Work:
        if kind is CitationKind.RETRACTED:
            return self._stock.take_retracted()
        if self._part.is_plausible and kind is CitationKind.NEIGHBOUR_DOI:
            return self._stock.take_work_with_neighbour()
        if self._part.is_plausible and kind is CitationKind.INVENTED:
            return self._stock.take_invented()
        return self._stock.take_work()


def _build_part(part: DraftPart, stock: DraftStock) -> Iterator[DraftSpecimen]:
    rng = stock.rng
    turn = 0
    for number, (form, language, manner) in enumerate(part.recipes):
        kinds, turn = _choose_kinds(part, form, turn)
        builder = _TextBuilder(part, stock, language, form)
        sentences = [one for kind in kinds if (one := builder.build_sentence(kind))]
        rng.shuffle(sentences)
        document = _arrange_document(part, sentences, form, number, rng)
        rendered = render_document(document, form)
        yield DraftSpecimen(
            id=f"{part.name}-{form.replace(' ', '-')}",
            half=part.half,
            format=form.split()[0],
            language=language,
            manner=manner,
            is_handwritten=False,
            body=rendered.body,
            bibliography=rendered.bibliography,
            citations=document.list_gold(),
        )


def _choose_kinds(part: DraftPart, form: str, turn: int) -> tuple[list[CitationKind], int]:
    """Faults in turns; where a citation is nothing but an address, the address cannot name its authors."""
    unsuited = (
        {CitationKind.WRONG_AUTHOR, CitationKind.WRONG_YEAR, CitationKind.NEIGHBOUR_DOI}
        if form.endswith(("links", "addresses"))
        else set()
    )
    kinds: list[CitationKind] = []
    while len(kinds) < part.faults_per_text:
        kind = part.faults[turn % len(part.faults)]
        turn += 1
        if kind not in unsuited:
            kinds.append(kind)
    return kinds + [CitationKind.SOUND] * (part.citations_per_text - len(kinds)), turn


def _arrange_document(
    part: DraftPart, sentences: Sequence[CitedSentence], form: str, number: int, rng: random.Random
) -> PlainDocument:
    """Three sections of short paragraphs, with sentences in between that cite nothing."""
    language = part.recipes[number][1]
    fillers = rng.sample(part.words.fillers[language], len(part.words.fillers[language]))
    paragraphs: list[tuple[CitedSentence, ...]] = []
    rest = _merge_sentences(list(sentences), part.references_per_mark, rng)
    while rest:
        size = rng.choice((2, 3, 3, 4))
        chosen, rest = rest[:size], rest[size:]
        if fillers and rng.random() < 0.7:
            chosen.insert(rng.randrange(len(chosen) + 1), CitedSentence(text=fillers.pop()))
        paragraphs.append(tuple(chosen))
    third = -(-len(paragraphs) // 3)
    headings = part.words.headings[language]
    sections = tuple(
        (headings[place], tuple(paragraphs[start : start + third]))
        for place, start in enumerate(range(0, len(paragraphs), third))
    )
    listed = _LABEL_STYLES if form.endswith(("labels", "fields")) else _STYLES
    titles = part.words.titles[language]
    return PlainDocument(
        title=titles[number % len(titles)],
        language=language,
        sections=sections,
        style=listed[number % len(listed)],
    )


def _merge_sentences(
    sentences: list[CitedSentence], most_references: int, rng: random.Random
) -> list[CitedSentence]:
    """Now and then two or three works that only need to exist stand behind one sentence."""
    merged: list[CitedSentence] = []
    for sentence in sentences:
        last = merged[-1] if merged else None
        if (
            last is not None
            and len(last.references) < most_references
            and last.references[0].work is not None
            and sentence.references[0].work is not None
            and not last.references[0].work.ids.get("arxiv")
            and not sentence.references[0].work.ids.get("arxiv")
            and rng.random() < 0.5
        ):
            merged[-1] = replace(last, references=last.references + sentence.references)
        else:
            merged.append(sentence)
    return merged
