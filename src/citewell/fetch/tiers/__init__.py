"""The ways of fetching one page, from the cheapest to the most expensive, and the loop that tries them."""
