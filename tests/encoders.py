"""A tiny real encoder: a tokenizer of forty words, and an ONNX graph that looks up a vector for each.

And an entailment model of the same kind. The graph is written as protobuf by hand, because the library that writes it is larger than the tests.
Field numbers are those of onnx.proto.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

DIMENSIONS = 8
_FLOAT, _INT64, _INT, _INTS = 1, 7, 2, 7  # data types of tensors, kinds of attributes
# Words of one line lie near each other; all others lie nowhere. The first six lines are the subjects
# by which an encoder is tried in English.
_TOPICS = (
    "boil eggs yolk minutes bubbling",
    "tip tipping japan waiter money gratuity",
    "bridge built structure river completed",
    "plants shade ferns hostas sun",
    "rust tools vinegar iron oxide",
    "headache migraine ease rest",
    "battery anode charge electrolyte",
    "sugar tax sales price",
)
_WORDS = {word: topic for topic, line in enumerate(_TOPICS) for word in line.split()}
_VECTORS: dict[str, tuple[float, ...]] = {
    "[PAD]": (9.0,) * DIMENSIONS,  # shows if padding is ever read
    "[UNK]": (0.001,) * DIMENSIONS,
    **{
        word: tuple(1.0 if place == topic else 0.001 * len(word) for place in range(DIMENSIONS))
        for word, topic in _WORDS.items()
    },
}


def build_tiny_encoder(folder: Path, *, gives_sentence: bool = False) -> Path:
    """Write an encoder into `folder`; with `gives_sentence` the graph takes the mean itself."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(_build_tokenizer()))
    (folder / "model.onnx").write_bytes(_build_model(gives_sentence=gives_sentence))
    return folder


ENTAILMENT_LABELS = ("contradiction", "entailment", "neutral")
# A passage with the first word agrees with every claim, one with the second contradicts it.
AGREEING_WORD, DENYING_WORD = "indeed", "wrongly"
_PLAIN_VECTOR = (0.0, 0.0, 1.0)
_STANCES = {
    "[PAD]": _PLAIN_VECTOR,
    "[UNK]": _PLAIN_VECTOR,
    AGREEING_WORD: (0.0, 600.0, 0.0),
    DENYING_WORD: (600.0, 0.0, 0.0),
}


def build_tiny_judge(folder: Path, *, labels: Sequence[str] = ENTAILMENT_LABELS) -> Path:
    """Write an entailment model into `folder`, whose outputs stand in the order of `labels`.

    A label is known by its first letter: c, e or n, in any spelling.
    """
    folder.mkdir(parents=True, exist_ok=True)
    order = ["cen".index(label[0].lower()) for label in labels]
    table = {word: tuple(vector[place] for place in order) for word, vector in _STANCES.items()}
    (folder / "tokenizer.json").write_text(json.dumps(_build_tokenizer(table)))
    (folder / "model.onnx").write_bytes(_build_classifier(table, len(labels)))
    names = {str(place): label for place, label in enumerate(labels)}
    config = {"id2label": names, "max_position_embeddings": 512}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def _build_classifier(table: Mapping[str, Sequence[float]], count: int) -> bytes:
    """A graph whose answer is the mean of the vectors of all words."""
    numbers = [value for vector in table.values() for value in vector]
    attributes = (_ints("axes", (1,)), _int("keepdims", 0))
    graph = b"".join([
        _field(1, _node("Gather", ("table", "input_ids"), "stances")),
        _field(1, _node("ReduceMean", ("stances",), "logits", attributes)),
        _field(2, b"tiny"),
        _field(5, _tensor("table", (len(table), count), numbers)),
        _field(11, _value("input_ids", _INT64, ("batch", "sequence"))),
        _field(12, _value("logits", _FLOAT, ("batch", count))),
    ])  # fmt: skip
    return _number(1, 8) + _field(7, graph) + _field(8, _field(1, b"") + _number(2, 13))


def _build_tokenizer(words: Iterable[str] = _VECTORS) -> dict[str, object]:
    return {
        "version": "1.0",
        "truncation": {"max_length": 2, "stride": 0, "strategy": "LongestFirst", "direction": "Right"},
        "padding": {
            "strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": None,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]",
        },
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: number for number, word in enumerate(words)},
            "unk_token": "[UNK]",
        },
    }  # fmt: skip


def _build_model(*, gives_sentence: bool) -> bytes:
    numbers = [value for vector in _VECTORS.values() for value in vector]
    table = _tensor("table", (len(_VECTORS), DIMENSIONS), numbers)
    nodes = [_node("Gather", ("table", "input_ids"), "last_hidden_state")]
    output = _value("last_hidden_state", _FLOAT, ("batch", "sequence", DIMENSIONS))
    if gives_sentence:
        attributes = (_ints("axes", (1,)), _int("keepdims", 0))
        nodes.append(_node("ReduceMean", ("last_hidden_state",), "sentence_embedding", attributes))
        output = _value("sentence_embedding", _FLOAT, ("batch", DIMENSIONS))
    graph = b"".join([
        *(_field(1, node) for node in nodes),
        _field(2, b"tiny"),
        _field(5, table),
        _field(11, _value("input_ids", _INT64, ("batch", "sequence"))),
        _field(12, output),
    ])  # fmt: skip
    opset = _field(1, b"") + _number(2, 13)
    return _number(1, 8) + _field(7, graph) + _field(8, opset)


def _node(kind: str, inputs: Iterable[str], output: str, attributes: Sequence[bytes] = ()) -> bytes:
    given = b"".join(_field(1, name.encode()) for name in inputs)
    more = b"".join(_field(5, attribute) for attribute in attributes)
    return given + _field(2, output.encode()) + _field(4, kind.encode()) + more


def _ints(name: str, values: Iterable[int]) -> bytes:
    listed = b"".join(_number(8, value) for value in values)
    return _field(1, name.encode()) + listed + _number(20, _INTS)


def _int(name: str, value: int) -> bytes:
    return _field(1, name.encode()) + _number(3, value) + _number(20, _INT)


def _tensor(name: str, dims: Iterable[int], values: Sequence[float]) -> bytes:
    shape = b"".join(_number(1, size) for size in dims)
    raw = struct.pack(f"<{len(values)}f", *values)
    return shape + _number(2, _FLOAT) + _field(8, name.encode()) + _field(9, raw)


def _value(name: str, kind: int, dims: Iterable[str | int]) -> bytes:
    sizes = (
        _number(1, size) if isinstance(size, int) else _field(2, size.encode()) for size in dims
    )
    shape = b"".join(_field(1, size) for size in sizes)
    tensor = _number(1, kind) + _field(2, shape)
    return _field(1, name.encode()) + _field(2, _field(1, tensor))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    packed = bytearray()
    while value > 0x7F:
        packed.append(value & 0x7F | 0x80)
        value >>= 7
    packed.append(value)
    return bytes(packed)
