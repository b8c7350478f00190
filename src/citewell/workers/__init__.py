"""The sandboxed processes that parse whatever comes from outside, and how the server gives them tasks."""
