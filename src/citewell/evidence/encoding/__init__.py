"""Ranking by meaning: the encoders that turn texts into vectors, and what is asked of them."""
