"""Which sentences bear on a question or claim, how well they support it, and which repeat each other."""
