"""Makes long pages out of gold ones, because no set has any: their content repeated in new words."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from citewell.reading.html.layout_blocks import LayoutBox, PageLayout, TextBlock
from citewell.reading.html.main_content import relate_boxes

if TYPE_CHECKING:
    from pages import Sample

_KINDS_LENGTHENED = (0, 1, 2)  # article, documentation, forum
_SHARE_LENGTHENED = 8
_MIN_CONTENT_SHARE = 0.9
_MIN_CONTENT_BLOCKS = 6
_LENGTHS = (300, 700, 1_500)


def lengthen_samples(samples: list[Sample]) -> list[Sample]:
    """One long page for one in eight of the samples that hold their content in a box of its own."""
    made = []
    for sample in samples:
        mark = hashlib.sha1(sample.id.encode(), usedforsecurity=False).digest()
        if sample.kind in _KINDS_LENGTHENED and mark[1] % _SHARE_LENGTHENED == 0:
            box = _find_content_box(sample)
            if box is not None:
                length = _LENGTHS[mark[2] % len(_LENGTHS)]
                made.append(_repeat_content(sample, box, max(2, length // (box.end - box.start))))
    return made


def _find_content_box(sample: Sample) -> LayoutBox | None:
    """The smallest box with nearly all of the gold words and little else."""
    sums = [0.0]
    for label, size in zip(sample.labels, sample.sizes, strict=True):
        sums.append(sums[-1] + label * size)
    best = None
    for box in sample.page.boxes:
        held = sums[box.end] - sums[box.start]
        size = sum(sample.sizes[box.start : box.end])
        if held >= _MIN_CONTENT_SHARE * max(sums[-1], size) and box.end > box.start:
            best = box
    if best is None or best.end - best.start < _MIN_CONTENT_BLOCKS:
        return None
    return best


def _repeat_content(sample: Sample, box: LayoutBox, times: int) -> Sample:
    """The page with the content of the box repeated; each copy has its words in another order."""
    old = sample.page
    page = PageLayout()
    order = list(range(box.end))
    inside = [b for b in old.boxes if b.depth > box.depth and _is_inside(b, box)]
    clones: dict[tuple[int, int], LayoutBox] = {}
    page.boxes = []
    place = {b.id: i for i, b in enumerate(old.boxes)}
    last = max((place[b.id] for b in inside), default=place[box.id])
    for b in old.boxes[: last + 1]:
        page.boxes.append(_copy_box(b, clones, 0, None))
    for turn in range(1, times):
        for b in inside:
            page.boxes.append(_copy_box(b, clones, turn, box.id))
    for b in old.boxes[last + 1 :]:
        page.boxes.append(_copy_box(b, clones, 0, None))
    labels: list[float] = []
    sizes: list[int] = []

    def add(index: int, turn: int) -> None:
        block = old.blocks[index]
        holder = clones.get((block.box.id, turn)) or clones[block.box.id, 0]
        words = block.text.split()
        shift = turn % len(words)
        words = words[shift:] + words[:shift]
        copy = TextBlock(holder, words, block.linked, [])
        copy.text = block.text if turn == 0 else f"{turn} {copy.text}"
        copy.words, copy.linked, copy.long = block.words, block.linked, block.long
        page.blocks.append(copy)
        labels.append(sample.labels[index])
        sizes.append(sample.sizes[index])

    for index in order:
        add(index, 0)
    for turn in range(1, times):
        for index in range(box.start, box.end):
            add(index, turn)
    for index in range(box.end, len(old.blocks)):
        add(index, 0)
    _mark_ranges(page)
    page.tags = Counter({tag: count * times for tag, count in old.tags.items()})
    page.name_words = old.name_words
    relate_boxes(page)
    grown = sum(sizes) - sum(sample.sizes)
    return replace(
        sample,
        id=f"{sample.id}+{times}",
        gold=None,
        page=page,
        sizes=sizes,
        labels=labels,
        gold_size=sample.gold_size + grown,
    )


def _is_inside(inner: LayoutBox, box: LayoutBox) -> bool:
    outer = inner.parent
    while outer is not None:
        if outer is box:
            return True
        outer = outer.parent
    return False


def _copy_box(
    old: LayoutBox, clones: dict[tuple[int, int], LayoutBox], turn: int, root: int | None
) -> LayoutBox:
    parent = None
    if old.parent is not None:
        key = (old.parent.id, turn if old.parent.id != root else 0)
        parent = clones[key]
    copy = LayoutBox(old.id if turn == 0 else -len(clones), old.tag, old.style, parent, old.flags)
    copy.tokens = old.tokens
    clones[old.id, turn] = copy
    return copy


def _mark_ranges(page: PageLayout) -> None:
    """Set where the blocks of each box start and end."""
    for box in page.boxes:
        box.start, box.end = len(page.blocks), 0
    for index, block in enumerate(page.blocks):
        outer: LayoutBox | None = block.box
        while outer is not None:
            outer.start = min(outer.start, index)
            outer.end = max(outer.end, index + 1)
            outer = outer.parent
    for box in page.boxes:
        if box.end == 0:
            box.start = 0
