"""How callers prove who they are: API tokens, signed tokens, introspection, an authenticating proxy."""
