"""Turns an address into a readable page: the tiers that fetch it, the parsers, and the detection of bot walls."""
