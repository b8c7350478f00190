"""An address to a readable document: the ladder of tiers, what they read, and what stands before it."""
