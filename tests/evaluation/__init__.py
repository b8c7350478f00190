"""Questions that research must answer on the bundled web; `benchmarks research-quality` asks them."""
