"""Lists of recommendations: who gains by them, whether their sources stand, who says the same."""
