"""Reads a draft: its statements, the citations that stand for them, and the references they mean."""
