"""Chooses the windows of the answer: the best of every part in turn, none that repeats another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from citewell.services.research.analysis.page_analysis import PageAnalysis
from citewell.text.passages.answer_windows import AnswerWindow

_ANSWER_WORDS = 250
_FURTHER_WORDS = 200
_MAX_SHARED_STEMS = 0.75  # of the shorter of two windows; more is a repetition
_MAX_COPIED_SHARE = 0.35  # of a window's words in sentences that were taken already
_SURE_WINDOWS = 3  # of a part, shown even if they are far behind the best
# Windows with less than this share of the best one's words are of another subject, unless they score
# nearly as well, as an encoder may see to.
_OFF_TOPIC_SHARE, _NEAR_BEST_SHARE = 0.45, 0.85
_LEAST_SCORE_SHARE = 0.6  # of the best score, for the windows after these


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenWindow:
    window: AnswerWindow
    parts: tuple[int, ...]  # of the question that it answers


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenAnswer:
    answer: tuple[ChosenWindow, ...]
    further: tuple[ChosenWindow, ...]  # what else the pages say, for the next section
    left_out: tuple[str, ...] = ()  # for each window quoted before in the thread, the job that did


class _WindowPicker:
    """Takes windows that neither overlap nor repeat what was taken before."""

    def __init__(self, found: PageAnalysis, quoted: Mapping[tuple[str, int, int], str]) -> None:
        self._found = found
        self._quoted = quoted
        self._taken: list[tuple[AnswerWindow, frozenset[str]]] = []
        self._said: set[str] = set()  # sentences, items and rows of the windows taken
        self.left_out: dict[tuple[int, int], str] = {}  # the job that quoted a window before
        self._queues = [self._iterate_fresh(part) for part in range(len(found.windows))]

    def take_next(self, part: int) -> ChosenWindow | None:
        window = next(self._queues[part], None)
        return None if window is None else ChosenWindow(window=window, parts=(part,))

    def count_words(self, chosen: ChosenWindow) -> int:
        return sum(unit.words for unit in self._found.list_window_units(chosen.window))

    def _iterate_fresh(self, part: int) -> Iterator[AnswerWindow]:
        windows = self._found.windows[part]
        least = _LEAST_SCORE_SHARE * windows[0].score if windows else 0.0
        off_topic = _OFF_TOPIC_SHARE * max((one.coverage for one in windows), default=0.0)
        given = left_out = 0
        for window in windows:
            # Where the best was quoted before, worse passages are no substitute.
            is_sure = given < _SURE_WINDOWS and not left_out
            if window.score < (0.5 * least if is_sure else least):
                return
            if window.coverage < off_topic and window.score < _NEAR_BEST_SHARE * windows[0].score:
                continue
            if job := self._find_quoting_job(window):
                left_out += 1
                self.left_out[(window.page, window.first)] = job
                continue
            stems = self._collect_stems(window)
            if self._repeats(window, stems):
                continue
            self._taken.append((window, stems))
            self._said |= {unit.text for unit in self._found.list_window_units(window)}
            given += 1
            yield window

    def _collect_stems(self, window: AnswerWindow) -> frozenset[str]:
        return frozenset(
            stem for unit in self._found.list_window_units(window) for stem in unit.stems
        )

    def _repeats(self, window: AnswerWindow, stems: frozenset[str]) -> bool:
        units = self._found.list_window_units(window)
        words = sum(unit.words for unit in units)
        twice = sum(unit.words for unit in units if unit.text in self._said)
        if twice > _MAX_COPIED_SHARE * words:
            return True
        for other, held in self._taken:
            if other.page == window.page and not (
                window.last < other.first or window.first > other.last
            ):
                return True
            if len(stems & held) > _MAX_SHARED_STEMS * max(1, min(len(stems), len(held))):
                return True
        return False

    def _find_quoting_job(self, window: AnswerWindow) -> str | None:
        """The earlier job of the thread that quoted some of this window."""
        units = self._found.list_window_units(window)
        sha256 = self._found.pages[window.page].sha256 or ""
        return next(
            (
                job
                for (page, start, end), job in self._quoted.items()
                if sha256 == page and start < units[-1].end and units[0].start < end
            ),
            None,
        )


def choose_answer(
    found: PageAnalysis, *, quoted: Mapping[tuple[str, int, int], str] | None = None
) -> ChosenAnswer:
    """The windows of the answer and of the section after it.

    `quoted` are places that earlier jobs of the thread quoted (the page's sha256, start and end),
    each with its job.
    """
    picker = _WindowPicker(found, quoted or {})
    answer = _join_shared_parts(found, _fill_words(picker, len(found.windows), _ANSWER_WORDS))
    further = _fill_words(picker, len(found.windows), _FURTHER_WORDS)
    return ChosenAnswer(
        answer=tuple(answer), further=tuple(further), left_out=tuple(picker.left_out.values())
    )


def _join_shared_parts(found: PageAnalysis, chosen: list[ChosenWindow]) -> list[ChosenWindow]:
    """A window that is the best for a second part too answers both, and is printed once."""
    joined = list(chosen)
    for part, windows in enumerate(found.windows):
        if not windows:
            continue
        best = windows[0]
        for at, one in enumerate(joined):
            if part not in one.parts and one.window.page == best.page:
                overlap = best.first <= one.window.last and one.window.first <= best.last
                if overlap:
                    joined[at] = ChosenWindow(window=one.window, parts=(*one.parts, part))
                    break
    return joined


def _fill_words(picker: _WindowPicker, parts: int, words: int) -> list[ChosenWindow]:
    """One window of each part in turn until there are enough words; ordered by part in the end."""
    chosen: list[ChosenWindow] = []
    used, open_parts = 0, list(range(parts))
    while open_parts and used < words:
        for part in tuple(open_parts):
            taken = picker.take_next(part)
            if taken is None:
                open_parts.remove(part)
                continue
            chosen.append(taken)
            used += picker.count_words(taken)
    return chosen
