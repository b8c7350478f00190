"""Records of the registries as pages to read, for deep research and the connector."""
