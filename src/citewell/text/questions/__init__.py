"""What a question asks, what an answer to it looks like, and how it is put to a model."""
