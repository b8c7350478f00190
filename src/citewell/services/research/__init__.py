"""Deep research: planned, carried out in durable steps, checked against its sources, and reported."""
