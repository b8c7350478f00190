"""The sandboxed processes that parse documents, and how the server talks to them."""
