"""Reads style sheets: their rules, conditions, selectors and declarations."""
