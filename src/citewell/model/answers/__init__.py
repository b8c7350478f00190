"""The answers of tools as callers receive them, with the field names of the specifications."""
