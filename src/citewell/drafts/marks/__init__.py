"""Finds the marks of citations in a draft, one module for each way of writing them."""
