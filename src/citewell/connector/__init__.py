"""The search and fetch pair that assistants expect of a document connector, over the library and the web."""
