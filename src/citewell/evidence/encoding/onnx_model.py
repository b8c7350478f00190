"""Runs an ONNX encoder in its own process, which loads the libraries; rounds and compares its vectors."""

from __future__ import annotations

import base64
import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul
from pathlib import Path
from typing import Any

from citewell.core.errors import Misconfigured

_MAX_LEVEL = 127  # the largest value of a signed byte that has an opposite

MAX_TEXT_PIECES = 256  # what MiniLM was trained to read; longer texts are cut
MAX_TEXT_CHARS = 8000  # cut before they are split into pieces, which takes time as well
_SENTENCE_OUTPUT = "sentence_embedding"
_MASK_INPUT, _IDS_INPUT, _TYPES_INPUT = "attention_mask", "input_ids", "token_type_ids"


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedTexts:
    """The vectors of some texts, one after the other, as they travel."""

    dimensions: int
    packed: str  # signed bytes in base64


def embed_model_texts(
    model_file: str, tokenizer_file: str, texts: tuple[str, ...], *, takes_first: bool
) -> EncodedTexts:
    """The vectors of `texts`; raises Misconfigured if the model or the libraries cannot be used.

    Each text is run by itself: a quantized model rounds by what else is in the batch, and on one
    processor a batch is no faster.
    """
    model = _load_model(model_file, tokenizer_file, Path(model_file).stat().st_mtime_ns)
    rows = [model.embed_text(text, takes_first=takes_first) for text in texts]
    packed = base64.b64encode(b"".join(rows)).decode("ascii")
    return EncodedTexts(dimensions=len(rows[0]) if rows else 0, packed=packed)


class OnnxModel:
    """A loaded model with its tokenizer."""

    def __init__(self, session: Any, tokenizer: Any) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._inputs = {tensor.name for tensor in session.get_inputs()}
        outputs = [tensor.name for tensor in session.get_outputs()]
        self._has_sentence = _SENTENCE_OUTPUT in outputs
        self._output = _SENTENCE_OUTPUT if self._has_sentence else outputs[0]

    def embed_text(self, text: str, *, takes_first: bool) -> bytes:
        import numpy as np

        # A blank text may have no piece at all; the model still wants one.
        pieces = self._tokenizer.encode(text[:MAX_TEXT_CHARS]).ids or [0]
        ids = np.array([pieces], dtype=np.int64)
        given = {_IDS_INPUT: ids, _MASK_INPUT: np.ones_like(ids), _TYPES_INPUT: np.zeros_like(ids)}
        used = {name: value for name, value in given.items() if name in self._inputs}
        output = self._session.run([self._output], used)[0][0]
        if output.ndim > 1:  # a vector for each piece; none of them is padding
            output = output[0] if takes_first else output.mean(axis=0)
        vector = output.tolist()
        if not vector or not all(map(math.isfinite, vector)):
            raise Misconfigured(
                "The encoder's model gives no numbers.", settings=("CITEWELL_ENCODER",)
            )
        return round_vector(vector)


@lru_cache(maxsize=1)
def _load_model(model_file: str, tokenizer_file: str, _changed_at: int) -> OnnxModel:
    """The model, which stays loaded for the next task as long as its file is the same."""
    session, tokenizer = load_onnx_files(
        model_file, tokenizer_file, subject="The encoder", setting="CITEWELL_ENCODER"
    )
    tokenizer.enable_truncation(MAX_TEXT_PIECES)
    return OnnxModel(session, tokenizer)


def load_onnx_files(
    model_file: str, tokenizer_file: str, *, subject: str, setting: str
) -> tuple[Any, Any]:
    """A session of the model and its tokenizer; raises Misconfigured, which names the setting."""
    try:
        import numpy as np  # noqa: F401 - missing libraries are found before the model is loaded
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError:
        raise Misconfigured(
            f"{subject} needs the libraries of the extra `semantic`, which are not installed.",
            action="inform_user",
            remedy='pip install "citewell[semantic]"',
        ) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep what the longest text took
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            model_file, options, providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_file(tokenizer_file)
    except Exception as error:  # noqa: BLE001 - the libraries raise bare exceptions for bad files
        raise Misconfigured(
            f"{subject}'s files are damaged, or of a kind that cannot be run.",
            action="inform_user",
            detail=type(error).__name__,
            settings=(setting,),
        ) from None
    tokenizer.no_padding()  # files may ask for padding to a fixed length, and for another limit
    return session, tokenizer


# Vectors of an encoder in signed bytes, and how alike two of them are.


def round_vector(values: Sequence[float]) -> bytes:
    """The direction of a vector in signed bytes; its length does not matter for a cosine."""
    largest = max(map(abs, values), default=0.0)
    factor = _MAX_LEVEL / largest if largest else 0.0
    return array("b", [round(value * factor) for value in values]).tobytes()


def measure_cosines(vector: bytes, others: Iterable[bytes]) -> tuple[float, ...]:
    """The cosine of `vector` with each of `others`, from -1 to 1; 0 for a vector without direction.

    Vectors are signed bytes, and all of the same length (ValueError otherwise).
    """
    mine = memoryview(vector).cast("b").tolist()
    length = math.sqrt(sum(map(mul, mine, mine)))
    return tuple(_measure_cosine(mine, length, other) for other in others)


def _measure_cosine(mine: list[int], length: float, other: bytes) -> float:
    theirs = memoryview(other).cast("b").tolist()
    if len(theirs) != len(mine):
        raise ValueError("vectors of different encoders cannot be compared")
    both = length * math.sqrt(sum(map(mul, theirs, theirs)))
    return sum(map(mul, mine, theirs)) / both if both else 0.0
