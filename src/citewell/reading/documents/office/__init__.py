"""Readers of word processor, spreadsheet and presentation files."""
