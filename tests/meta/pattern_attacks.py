"""Builds texts on which a bad regular expression takes quadratic time, and measures the growth.

An attack repeats what a pattern begins with, or what one of its loops matches, so that an engine
that tries again at every place reads the same text again and again.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from tests.meta.used_patterns import UsedPattern

LAST_SIZE = 16_384
MAX_GROWTH_POWER = 1.6  # linear time is 1, with a logarithm a little more, and quadratic time 2
MIN_SECONDS = (
    0.02  # less is not told from the noise of a busy machine; a square of LAST_SIZE takes longer
)
# For 22, 256 and 512 repeats: exponential and cubic patterns are not waited for.
MAX_TINY_SECONDS = (0.02, 0.2, 0.4)
_DOUBTFUL_POWER = 1.1  # a square that is a sixth of the time on the short text, and noise
_SLOW_SECONDS = 0.05
_LONG_SECONDS = 1.0  # a second measurement of so much is not repeated
_CERTAIN_SECONDS = 3.0  # neither a busy machine nor a collection of garbage adds as much
_REPEATED_PAIRS = 4  # before growth is believed
_PROBE_SIZE = 22  # enough for exponential time to be seen, few enough for it to end
_MAX_STRETCH = 2  # a longer part is repeated fewer times, so its text is longer by up to this
_MAX_LOOP = 40  # a loop that ends earlier cannot grow with the text
_CLASS_SAMPLES = {
    kinds.CATEGORY_DIGIT: "1",
    kinds.CATEGORY_NOT_DIGIT: "a",
    kinds.CATEGORY_SPACE: " \n",
    kinds.CATEGORY_NOT_SPACE: "a",
    kinds.CATEGORY_WORD: "a",
    kinds.CATEGORY_NOT_WORD: "-",
}


def list_attacks(pattern: UsedPattern) -> list[tuple[str, str, str]]:
    """Beginning, repeated part and end of every attack on the pattern."""
    try:
        parsed = parser.parse(_restore_source(pattern), pattern.flags)
    except re.error:
        return []
    attacks: dict[tuple[str, str, str], None] = {}
    for before, pump in _list_loops(list(parsed), ""):
        for end in ("\x00", ""):
            attacks[before, pump, end] = None
        if before:
            attacks["", before + pump, "\x00"] = None
            attacks["", before, "\x00"] = None
    sample = _build_sample(list(parsed))
    if sample:
        attacks["", sample, "\x00"] = None
        attacks["", sample[:-1] or sample, "\x00"] = None
    return list(attacks)


def _list_loops(items: list[Any], before: str) -> Iterator[tuple[str, str]]:
    """Each loop of the pattern: what must stand before it, and what it repeats."""
    for kind, value in items:
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            low, high, inner = value
            if high >= _MAX_LOOP:
                for pump in _list_samples(list(inner)):
                    yield before, pump
            yield from _list_loops(list(inner), before)
            before += _build_sample(list(inner)) * max(low, 1 if high else 0)
            continue
        for part in _list_parts(kind, value):
            yield from _list_loops(part, before)
        before += _build_sample([(kind, value)])


def _list_parts(kind: Any, value: Any) -> list[list[Any]]:
    if kind == kinds.SUBPATTERN:
        return [list(value[3])]
    if kind == kinds.BRANCH:
        return [list(branch) for branch in value[1]]
    if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
        return [list(value[1])]
    return [list(value)] if kind == kinds.ATOMIC_GROUP else []


def _list_samples(items: list[Any]) -> list[str]:
    """A few texts that the items match: one for each branch or member of a class at their start."""
    if len(items) == 1:
        kind, value = items[0]
        if kind == kinds.BRANCH:
            return [_build_sample(list(branch)) for branch in value[1] if branch][:6]
        if kind == kinds.SUBPATTERN:
            return _list_samples(list(value[3]))
        if kind == kinds.IN:
            return _list_members(value)
        if kind in (kinds.ANY, kinds.NOT_LITERAL):
            return ["a", " ", "\n", "<", "("]
    sample = _build_sample(items)
    return [sample] if sample else []


def _list_members(members: list[Any]) -> list[str]:
    if members[0][0] == kinds.NEGATE:
        refused = {chr(v) for k, v in members[1:] if k == kinds.LITERAL}
        return [c for c in 'a \n<([-"1' if c not in refused][:5]
    found = []
    for kind, value in members:
        if kind == kinds.LITERAL:
            found.append(chr(value))
        elif kind == kinds.RANGE:
            found.append(chr(value[0]))
        elif kind == kinds.CATEGORY:
            found.extend(_CLASS_SAMPLES[value])
    return found[:5]


def _build_sample(items: list[Any]) -> str:
    """One text that the items match, as a rule."""
    pieces: list[str] = []
    for kind, value in items:
        if kind == kinds.LITERAL:
            pieces.append(chr(value))
        elif kind in (kinds.ANY, kinds.NOT_LITERAL):
            pieces.append("a")
        elif kind == kinds.IN:
            pieces.append((_list_members(value) or ["a"])[0])
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            low, _, inner = value
            pieces.append(_build_sample(list(inner)) * low)
        elif kind == kinds.SUBPATTERN:
            pieces.append(_build_sample(list(value[3])))
        elif kind == kinds.ATOMIC_GROUP:
            pieces.append(_build_sample(list(value)))
        elif kind == kinds.ASSERT and value[0] < 0:
            pieces.append(_build_sample(list(value[1])))  # it must stand there already
        elif kind == kinds.BRANCH:
            pieces.append(_build_sample(list(value[1][0])))
    return "".join(pieces)


def build_attack(attack: tuple[str, str, str], size: int) -> str:
    before, pump, end = attack
    length = size * min(len(pump), _MAX_STRETCH)
    return before + pump * (length // len(pump)) + end


def find_growth(
    run: Callable[[str], object],
    attacks: Iterable[tuple[str, str, str]],
    *,
    last_size: int = LAST_SIZE,
) -> str:
    """What is wrong with the growth of the time that `run` takes, or an empty text.

    Every attack is measured on short texts. Texts of the last size are for those that may grow
    faster than the text, and always for the one that grows fastest.
    """
    fastest: tuple[float, tuple[str, str, str]] | None = None
    for attack in attacks:
        power, problem = _look_at_growth(run, attack, last_size // 8)
        if not problem and power >= _DOUBTFUL_POWER:
            problem = _judge_growth(run, attack, last_size // 8)
        if problem:
            return problem
        if fastest is None or power > fastest[0]:
            fastest = power, attack
    if fastest is None or fastest[0] >= _DOUBTFUL_POWER:
        return ""
    return _judge_growth(run, fastest[1], last_size // 8)


def _look_at_growth(
    run: Callable[[str], object], attack: tuple[str, str, str], small_size: int
) -> tuple[float, str]:
    """The power of the text's length with which the time seems to grow, and what is wrong."""
    sizes = (_PROBE_SIZE, small_size // 8, small_size // 4)
    times: list[float] = []
    for size, limit in zip(sizes, MAX_TINY_SECONDS, strict=True):
        text = build_attack(attack, size)
        spent = _measure_cpu(run, text)
        if spent > limit and (spent := min(spent, _measure_cpu(run, text))) > limit:
            return 0.0, f"{spent:.3f} s at {size} characters: {attack!r:.200}"
        times.append(spent)
    fixed, before, spent = times
    # A cubic pattern may keep below these limits on a fast machine, and take minutes further down.
    if spent > _SLOW_SECONDS and _grows_too_fast(before, spent, 2):
        before, spent = _measure_again(run, build_attack(attack, sizes[1]), text, factor=2)
        if _grows_too_fast(before, spent, 2):
            wrong = f"{spent:.3f} s after {before:.3f} s for half of the text: {attack!r:.200}"
            return 0.0, wrong
    long_text = build_attack(attack, small_size)
    longer = _measure_cpu(run, long_text)
    if longer > _SLOW_SECONDS and _grows_too_fast(spent, longer, 4):
        # Decided here, because a text three times as long takes a cubic pattern a minute.
        spent, longer = _measure_again(run, text, long_text, factor=4)
        if _grows_too_fast(spent, longer, 4):
            wrong = f"{longer:.3f} s after {spent:.3f} s for a quarter of the text: {attack!r:.200}"
            return 0.0, wrong
    if longer * 8**2 < MIN_SECONDS:
        return 0.0, ""  # even a square would keep below what is judged
    # Neither what the first call or a busy machine adds nor what any text costs hides the growth.
    spent = min(spent, _measure_cpu(run, text))
    fixed = min(fixed, _measure_cpu(run, build_attack(attack, _PROBE_SIZE)))
    growth = (longer - fixed) / max(spent - fixed, longer / 4**2)
    return math.log(max(growth, 1), 4), ""


def _judge_growth(
    run: Callable[[str], object], attack: tuple[str, str, str], small_size: int
) -> str:
    shorter = build_attack(attack, small_size)
    before = _measure_cpu(run, shorter)
    # Where a short text takes long, a little more text shows the growth.
    factor = 3 if before > _SLOW_SECONDS else 4 if before * 4**2 > MIN_SECONDS else 8
    text = build_attack(attack, small_size * factor)
    spent = _measure_cpu(run, text)
    if _grows_too_fast(before, spent, factor) and spent < _CERTAIN_SECONDS:
        before, spent = _measure_again(run, shorter, text, factor=factor)
    if _grows_too_fast(before, spent, factor):
        return f"{spent:.3f} s after {before:.3f} s for {factor} times the text: {attack!r:.200}"
    return ""


def _measure_again(
    run: Callable[[str], object], shorter: str, text: str, *, factor: int
) -> tuple[float, float]:
    """The times of both texts in the first pair that grows no faster than allowed, or in the last.

    A busy machine slows one measurement of a pair, but hardly the same one in every pair.
    """
    for _ in range(_REPEATED_PAIRS):
        before, spent = _measure_cpu(run, shorter), _measure_cpu(run, text)
        if not _grows_too_fast(before, spent, factor) or spent > _LONG_SECONDS:
            break
    return before, spent


def _grows_too_fast(before: float, spent: float, factor: int) -> bool:
    return spent > MIN_SECONDS and spent > before * factor**MAX_GROWTH_POWER


def _measure_cpu(run: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    run(text)
    return time.thread_time() - start


def find_slow_attack(pattern: UsedPattern) -> str:
    """The first attack on which the pattern takes more than linear time, or an empty text."""
    compiled: Any = re.compile(_restore_source(pattern), pattern.flags)
    if pattern.method in {"match", "fullmatch", "search"}:
        use = getattr(compiled, pattern.method)
    else:
        use = lambda text: sum(1 for _ in compiled.finditer(text))  # noqa: E731 - one line is plainest

    def run(text: str) -> None:
        use(text.encode("latin-1", "replace") if pattern.is_bytes else text)

    return find_growth(run, list_attacks(pattern))


def _restore_source(pattern: UsedPattern) -> str | bytes:
    return pattern.source.encode("latin-1") if pattern.is_bytes else pattern.source
