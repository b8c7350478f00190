"""How near passages are to a question in meaning; without a usable encoder there is no answer, and no error."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from itertools import chain
from statistics import fmean
from typing import Self

from citewell.core.errors import CitewellError, MalformedResponse
from citewell.core.service_kit import ServiceKit
from citewell.core.values.counted_words import pluralize
from citewell.evidence.encoding.onnx_model import measure_cosines
from citewell.evidence.settings import EvidenceSettings
from citewell.routing.ports import TextEncoder
from citewell.store.cache.tiered_cache import RecentValues, TieredCache
from citewell.text.language.detection import detect_language

_MIN_RIGHT_SHARE = 0.8  # of the questions; by chance it is a sixth
_MAX_SAMPLED_PASSAGES = 20
_MAX_SAMPLE_CHARS = 400  # of one passage

EmbedTexts = Callable[[Sequence[str]], Awaitable[Sequence[bytes]]]


REST_SECONDS = 60.0  # an encoder that failed is not tried again for this long
_KEPT_SECONDS = 30 * 86400.0
_PRIVATE_BYTES = 16 * 2**20  # of memory, for about 30,000 passages of the library
_TEXTS_PER_STEP = 64
_CACHE_OWNER = "encoder"
_NOT_USED = "Passages were ranked by their words alone, without the encoder: "
_PRIVATE_NOTE = (
    f"{_NOT_USED}its server is not on this machine, and the text of your library stays here."
)
_LANGUAGE_NOTE = f"{_NOT_USED}it does not know the language of the text ({{language}})."

OpenEncoder = Callable[[], Awaitable[TextEncoder | None]]


class PassageSimilarity:
    """Asks the chosen encoder, and keeps vectors for the next question: of public texts on disk."""

    def __init__(
        self,
        open_encoder: OpenEncoder,
        vectors: TieredCache,
        *,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`seconds` is the longest time that one question may take."""
        self._open_encoder = open_encoder
        self._vectors = vectors
        self._seconds = seconds
        self._clock = clock
        self._encoder: TextEncoder | None = None
        self._opening = asyncio.Lock()
        self._private_vectors: RecentValues[str, bytes] = RecentValues(_PRIVATE_BYTES)
        self._scales: dict[tuple[str, str], CosineScale | None] = {}
        self._rests_until = 0.0
        self._resting_note = ""

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.evidence.encoding.encoders import open_chosen_encoder

        return cls(
            partial(open_chosen_encoder, kit),
            kit.store.facts,
            seconds=kit.settings[EvidenceSettings].encoder_timeout,
        )

    async def score_passages(
        self, question: str, passages: Sequence[str], *, is_private: bool = False
    ) -> SimilarityScores:
        """The cosine of each passage with the question; a failure is told in the note, never raised.

        Private passages go to no encoder outside this machine, and their vectors to no disk.
        """
        if self._clock() < self._rests_until:
            return SimilarityScores(note=self._resting_note)
        try:
            async with asyncio.timeout(self._seconds):
                return await self._score_with_encoder(question, passages, is_private=is_private)
        except TimeoutError:
            return self._rest_after(
                f"it took longer than {self._seconds:g} {pluralize(self._seconds, 'second')}."
            )
        except CitewellError as error:
            await self.aclose()  # it is opened anew, for its files may have been mended by then
            return self._rest_after(error.message)

    async def has_encoder(self) -> bool:
        """Whether an encoder is chosen, usable or not: asking it tells."""
        try:
            return await self.find_encoder() is not None
        except CitewellError:
            return True

    async def find_encoder(self) -> TextEncoder | None:
        """The chosen encoder, opened once; None if none is chosen. Raises what is wrong with it."""
        async with self._opening:
            if self._encoder is None:
                self._encoder = await self._open_encoder()
            return self._encoder

    async def aclose(self) -> None:
        """End the encoder's process; the next question starts another."""
        close = getattr(self._encoder, "aclose", None)
        self._encoder = None
        if close is not None:
            await close()

    def _rest_after(self, reason: str) -> SimilarityScores:
        self._rests_until = self._clock() + REST_SECONDS
        self._resting_note = f"{_NOT_USED}{reason[:1].lower()}{reason[1:]}"
        return SimilarityScores(note=self._resting_note)

    async def _score_with_encoder(
        self, question: str, passages: Sequence[str], *, is_private: bool
    ) -> SimilarityScores:
        encoder = await self.find_encoder()
        if encoder is None or not passages:
            return SimilarityScores()
        if is_private and not encoder.is_local:
            return SimilarityScores(note=_PRIVATE_NOTE)
        scale = CosineScale()
        sample = "\n".join(text[:_MAX_SAMPLE_CHARS] for text in passages[:_MAX_SAMPLED_PASSAGES])
        for language in dict.fromkeys((detect_language(sample), detect_language(question))):
            if not language:
                continue
            measured = await self._measure_fit(encoder, language)
            if measured is None:
                return SimilarityScores(note=_LANGUAGE_NOTE.format(language=language))
            scale = measured
        texts = (question, *passages)
        vectors = await self._load_vectors(encoder, texts, is_private=is_private)
        if len({len(vector) for vector in vectors}) > 1:  # the server has another model by now
            vectors = await self._embed_texts(encoder, texts, is_private=is_private)
        try:
            cosines = measure_cosines(vectors[0], vectors[1:])
        except ValueError:
            raise MalformedResponse("Its vectors have different lengths.") from None
        return SimilarityScores(
            cosines=cosines, closeness=tuple(map(scale.scale_cosine, cosines)), encoder=encoder.name
        )

    async def _measure_fit(self, encoder: TextEncoder, language: str) -> CosineScale | None:
        place = (encoder.name, language)
        if place not in self._scales:
            self._scales[place] = await measure_language_fit(
                language, partial(self._load_vectors, encoder, is_private=False)
            )
        return self._scales[place]

    async def _load_vectors(
        self, encoder: TextEncoder, texts: Sequence[str], *, is_private: bool
    ) -> list[bytes]:
        """The vectors of all texts, each from where it is kept, if it is there."""
        known: dict[str, bytes] = {}
        for text in dict.fromkeys(texts):
            key = _build_key(encoder, text)
            if is_private:
                vector = self._private_vectors.find_recent_value(key)
            else:
                entry = await self._vectors.look_up_entry(_CACHE_OWNER, key)
                vector = entry.value if entry is not None else None
            if vector:
                known[text] = vector
        wanted = [text for text in dict.fromkeys(texts) if text not in known]
        fresh = await self._embed_texts(encoder, wanted, is_private=is_private)
        known |= zip(wanted, fresh, strict=True)
        return [known[text] for text in texts]

    async def _embed_texts(
        self, encoder: TextEncoder, texts: Sequence[str], *, is_private: bool
    ) -> list[bytes]:
        """New vectors, kept a few at a time: what was done before a time limit is not lost."""
        vectors: list[bytes] = []
        for start in range(0, len(texts), _TEXTS_PER_STEP):
            step = texts[start : start + _TEXTS_PER_STEP]
            fresh = await encoder.embed_texts(step)
            for text, vector in zip(step, fresh, strict=True):
                key = _build_key(encoder, text)
                if is_private:
                    self._private_vectors.add_recent_value(key, vector, len(key) + len(vector))
                else:
                    await self._vectors.store_entry(_CACHE_OWNER, key, vector, ttl=_KEPT_SECONDS)
            vectors += fresh
        return vectors


def _build_key(encoder: TextEncoder, text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{encoder.name}:{digest}"


# What an encoder says about passages.


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityScores:
    """The cosines of the passages with the question, or why there are none."""

    cosines: tuple[float, ...] = ()  # one for each passage, or none at all
    closeness: tuple[float, ...] = ()  # the same from 0 to 1, alike for all encoders
    encoder: str = ""  # its name; empty if none was used
    note: str = ""  # why the chosen encoder was not used; empty if none is chosen


# Whether an encoder knows a language: it is tried on a few questions, as most models know one or some.


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
    listed = files("citewell.evidence.encoding").joinpath("language_probes.tsv")
    probes: dict[str, tuple[tuple[str, str], ...]] = {}
    for line in listed.read_text(encoding="utf-8").splitlines():
        language, question, passage = line.split("\t")
        probes[language] = (*probes.get(language, ()), (question, passage))
    return probes
