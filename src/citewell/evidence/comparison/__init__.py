"""Compares what a statement says with what its source says: numbers, dates, quotations, names."""
