"""As much of CSS as it takes to tell which text of a page nobody would see."""
