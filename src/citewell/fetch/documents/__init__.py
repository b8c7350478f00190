"""Reads documents that are not web pages, each in a process of its own with limits."""
