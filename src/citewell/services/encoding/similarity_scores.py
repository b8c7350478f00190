"""What an encoder says about passages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityScores:
    """The cosines of the passages with the question, or why there are none."""

    cosines: tuple[float, ...] = ()  # one for each passage, or none at all
    closeness: tuple[float, ...] = ()  # the same from 0 to 1, alike for all encoders
    encoder: str = ""  # its name; empty if none was used
    note: str = ""  # why the chosen encoder was not used; empty if none is chosen
