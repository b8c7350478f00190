"""How a list of references that was copied from somewhere is taken apart again."""
