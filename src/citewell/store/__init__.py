"""Where things are kept, encrypted, for one process or many: databases, cache, keys, objects."""
