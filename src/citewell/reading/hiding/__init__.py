"""Decides which text of a page no reader sees, and what of it a reader or a script brings to light."""
