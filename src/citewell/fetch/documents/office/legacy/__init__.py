"""Readers of the binary formats that Office wrote before 2007."""
