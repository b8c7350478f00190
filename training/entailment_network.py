"""The entailment network: all-MiniLM-L6-v2 as a cross-encoder with a head of three classes, in plain torch."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

LAYERS, WIDTH, HEADS, INNER_WIDTH, MAX_POSITIONS, VOCABULARY = 6, 384, 12, 1536, 512, 30_522
CLASSES = 3
_NORM_EPSILON = 1e-12


class _Layer(nn.Module):  # type: ignore[misc]  # torch is not installed for checks
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.mixed = nn.Linear(WIDTH, WIDTH)
        self.mixed_norm = nn.LayerNorm(WIDTH, eps=_NORM_EPSILON)
        self.widened = nn.Linear(WIDTH, INNER_WIDTH)
        self.narrowed = nn.Linear(INNER_WIDTH, WIDTH)
        self.narrowed_norm = nn.LayerNorm(WIDTH, eps=_NORM_EPSILON)

    def forward(self, states: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        batch, length, _ = states.shape

        def split(part: nn.Linear) -> torch.Tensor:
            shaped = part(states).view(batch, length, HEADS, WIDTH // HEADS)
            return shaped.transpose(1, 2)

        query, key, value = split(self.query), split(self.key), split(self.value)
        weights = query @ key.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5
        attended = functional.softmax(weights + bias, dim=-1) @ value
        merged = attended.transpose(1, 2).reshape(batch, length, WIDTH)
        states = self.mixed_norm(states + self.mixed(merged))
        return self.narrowed_norm(states + self.narrowed(functional.gelu(self.widened(states))))


class EntailmentNetwork(nn.Module):  # type: ignore[misc]  # torch is not installed for checks
    """Scores of entailment, contradiction and neither for pairs of passage and claim."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(MAX_POSITIONS, WIDTH)
        self.types = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=_NORM_EPSILON)
        self.layers = nn.ModuleList(_Layer() for _ in range(LAYERS))
        self.joined = nn.Linear(2 * WIDTH, WIDTH)
        self.classes = nn.Linear(WIDTH, CLASSES)

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        states = self.words(input_ids) + self.positions(places) + self.types(token_type_ids)
        states = self.norm(states)
        kept = attention_mask.to(states.dtype)
        bias = ((1.0 - kept) * -10_000.0)[:, None, None, :]
        for layer in self.layers:
            states = layer(states, bias)
        mean = (states * kept[:, :, None]).sum(1) / kept.sum(1, keepdim=True)
        joined = torch.cat([states[:, 0], mean], dim=-1)
        scores: torch.Tensor = self.classes(torch.tanh(self.joined(joined)))
        return scores


def load_encoder_weights(network: EntailmentNetwork, file: Path) -> None:
    """Fill all but the head from the safetensors of all-MiniLM-L6-v2."""
    stored = load_file(file)
    names = {
        "words.weight": "embeddings.word_embeddings.weight",
        "positions.weight": "embeddings.position_embeddings.weight",
        "types.weight": "embeddings.token_type_embeddings.weight",
        "norm.weight": "embeddings.LayerNorm.weight",
        "norm.bias": "embeddings.LayerNorm.bias",
    }
    parts = {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "mixed": "attention.output.dense",
        "mixed_norm": "attention.output.LayerNorm",
        "widened": "intermediate.dense",
        "narrowed": "output.dense",
        "narrowed_norm": "output.LayerNorm",
    }
    for layer in range(LAYERS):
        for ours, theirs in parts.items():
            for kind in ("weight", "bias"):
                names[f"layers.{layer}.{ours}.{kind}"] = f"encoder.layer.{layer}.{theirs}.{kind}"
    missing, unknown = network.load_state_dict(
        {ours: stored[theirs] for ours, theirs in names.items()}, strict=False
    )
    if unknown or {name.partition(".")[0] for name in missing} != {"joined", "classes"}:
        raise ValueError(f"Weights do not fit: missing {missing}, unknown {unknown}.")


def save_learned_weights(network: EntailmentNetwork, file: Path) -> None:
    """Write all but the word vectors, which are not learned, with half their digits."""
    learned = {
        name: weight.half().contiguous()
        for name, weight in network.state_dict().items()
        if not name.startswith("words.")
    }
    save_file(learned, file)


def load_learned_weights(network: EntailmentNetwork, file: Path) -> None:
    """Take the weights of `save_learned_weights`; the word vectors must be there already."""
    missing, unknown = network.load_state_dict(load_file(file), strict=False)
    if unknown or missing != ["words.weight"]:
        raise ValueError(f"Weights do not fit: missing {missing}, unknown {unknown}.")
