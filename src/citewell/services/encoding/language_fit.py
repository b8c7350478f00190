"""Whether an encoder knows a language: it is tried on a few questions, as most models know one or some."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from statistics import fmean

from citewell.text.evidence.vector_similarity import measure_cosines
from citewell.text.language.detection import detect_language

_MIN_RIGHT_SHARE = 0.8  # of the questions; by chance it is a sixth
_MAX_SAMPLED_PASSAGES = 20
_MAX_SAMPLE_CHARS = 400  # of one passage

EmbedTexts = Callable[[Sequence[str]], Awaitable[Sequence[bytes]]]


def find_text_languages(question: str, passages: Sequence[str]) -> tuple[str, ...]:
    """The languages of the passages and of the question; none where they cannot be told."""
    sample = "\n".join(text[:_MAX_SAMPLE_CHARS] for text in passages[:_MAX_SAMPLED_PASSAGES])
    found = (detect_language(sample), detect_language(question))
    return tuple(dict.fromkeys(language for language in found if language))


@dataclass(frozen=True, slots=True, kw_only=True)
class CosineScale:
    """What the cosines of an encoder mean in a language; some crowd between 0.7 and 0.9."""

    unrelated: float = 0.0  # the mean of questions and passages that have nothing in common
    nearest: float = 1.0  # the largest of a question and the passage that answers it

    def scale_cosine(self, cosine: float) -> float:
        """From 0 (unrelated) to 1 (as near as an answer gets), alike for all encoders."""
        return min(1.0, max(0.0, (cosine - self.unrelated) / (self.nearest - self.unrelated)))


async def measure_language_fit(language: str, embed: EmbedTexts) -> CosineScale | None:
    """Try the encoder on questions whose answers share no word with them; None if it fails.

    In a language that it was not trained for, its vectors are little better than chance, and would
    spoil what words find. None also for a language that we have no questions in.
    """
    probes = _load_probes().get(language, ())
    if not probes:
        return None
    vectors = await embed([*chain.from_iterable(probes)])
    questions, passages = vectors[0::2], vectors[1::2]
    table = [measure_cosines(question, passages) for question in questions]
    right = [row[place] for place, row in enumerate(table)]
    wrong = [(*row[:place], *row[place + 1 :]) for place, row in enumerate(table)]
    found = sum(own > max(others) for own, others in zip(right, wrong, strict=True))
    if found < _MIN_RIGHT_SHARE * len(probes):
        return None
    return CosineScale(unrelated=fmean(chain.from_iterable(wrong)), nearest=max(right))


@cache
def _load_probes() -> dict[str, tuple[tuple[str, str], ...]]:
    """Questions with the passages that answer them, by language."""
    listed = files("citewell.services.encoding").joinpath("language_probes.tsv")
    probes: dict[str, tuple[tuple[str, str], ...]] = {}
    for line in listed.read_text(encoding="utf-8").splitlines():
        language, question, passage = line.split("\t")
        probes[language] = (*probes.get(language, ()), (question, passage))
    return probes
