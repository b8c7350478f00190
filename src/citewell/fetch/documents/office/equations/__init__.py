"""Equations of office documents as LaTeX."""
