"""What counts as code, and what a module imports."""

from __future__ import annotations

from pathlib import Path

from tests.meta.written_trees import write_tree


def test_blanks_comments_and_docstrings_are_no_code(tmp_path: Path) -> None:
    text = '''
        """A module.

        With two paragraphs."""
        # a comment
        LIMIT = 3  # a comment beside code


        class Shelf:
            """A class."""

            def count(self) -> int:
                """A method."""
                return """
        text, not a docstring
        """.count("t")
    '''

    (module,) = write_tree(tmp_path, {"house/shelf.py": text})

    assert module.code == (
        "LIMIT = 3  # a comment beside code",
        "class Shelf:",
        "def count(self) -> int:",
        'return """',
        "text, not a docstring",
        '""".count("t")',
    )


def test_a_package_has_the_name_of_its_folder(tmp_path: Path) -> None:
    modules = write_tree(tmp_path, {"house/__init__.py": "", "house/shelf.py": ""})

    assert [module.name for module in modules] == ["house", "house.shelf"]
    assert [module.is_package for module in modules] == [True, False]


def test_relative_imports_are_resolved(tmp_path: Path) -> None:
    modules = write_tree(
        tmp_path,
        {
            "house/__init__.py": "from . import shelf\n",
            "house/room/desk.py": "import os.path\nfrom . import lamp\nfrom ..shelf import LIMIT\n",
        },
    )

    assert [list(module.list_imported_names()) for module in modules] == [
        [("house", "shelf")],
        [("os.path", ""), ("house.room", "lamp"), ("house.shelf", "LIMIT")],
    ]
