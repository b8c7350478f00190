"""Citewell: a research server that never returns a claim it cannot trace to a source."""


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version

        return version("citewell")
    raise AttributeError(name)
