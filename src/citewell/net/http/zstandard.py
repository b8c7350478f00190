"""Zstandard from the standard library (Python 3.14 and newer), else from its backport."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import DecompressionParameter, ZstdDecompressor, ZstdError
else:
    from backports.zstd import DecompressionParameter, ZstdDecompressor, ZstdError

__all__ = ["DecompressionParameter", "ZstdDecompressor", "ZstdError"]
