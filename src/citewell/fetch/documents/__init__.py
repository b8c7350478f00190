"""Reads documents that are not web pages, in worker processes with limits."""
