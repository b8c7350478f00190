"""One grounded answer with checked citations."""
