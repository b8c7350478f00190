"""A whole deployment on one machine, as processes: database, pooler, cache, instances, workers, balancer."""
