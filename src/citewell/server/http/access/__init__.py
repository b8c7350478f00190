"""The layers that let callers in: whether they are verified, and whether their scopes allow the call."""
