"""The measures of size, on small trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.meta import size_figures
from tests.meta.written_trees import write_tree


def test_imports_of_any_kind_make_an_importer_and_several_by_one_module_count_once(
    tmp_path: Path,
) -> None:
    modules = write_tree(
        tmp_path,
        {
            "house/desk.py": """
                from typing import TYPE_CHECKING
                from house.lamp import light
                from house import shelf
                if TYPE_CHECKING:
                    from house.lamp import Lamp
                def open_drawer():
                    from house.drawer import drawer
            """,
            "house/chair.py": "from house import shelf\nimport house.desk\n",
            "house/lamp.py": "",
            "house/drawer.py": "from house.drawer import drawer\n",
            "house/shelf.py": "",
        },
    )

    found = size_figures.find_one_importer_modules(modules)

    assert found == ["house.desk", "house.drawer", "house.lamp"]


def test_what_python_or_a_name_loads_is_no_module_with_one_importer(tmp_path: Path) -> None:
    files = {
        "house/room/__init__.py": "",
        "house/__main__.py": "",
        "house/search.py": "TOOL = 1\n",
        "house/upstream.py": "SPEC: int = 1\n",
        "house/list.py": "def command(): ...\n",
        "house/task.py": "",
        "house/mentioned.py": "",
    }
    importer = """
        import house.room, house.__main__, house.search, house.upstream, house.list
        import house.task, house.mentioned
        TASK = "house.task:run"
        NOTE = "house.mentioned is a sentence"
    """

    modules = write_tree(tmp_path, files | {"house/importer.py": importer})

    assert size_figures.find_one_importer_modules(modules) == ["house.mentioned"]


def test_a_class_implements_a_protocol_by_its_members_or_by_inheritance(tmp_path: Path) -> None:
    modules = write_tree(
        tmp_path,
        {
            "house/ports.py": """
                class Opener(Protocol):
                    name: str
                    def open(self): ...
                class Closer(Opener, Protocol[T]):
                    def close(self): ...
                class Unused(typing.Protocol):
                    def paint(self): ...
                class Marker(Protocol): ...
            """,
            "house/doors.py": """
                class Door:
                    def __init__(self):
                        self.name = "door"
                    def open(self): ...
                class FrontDoor(Door):
                    def close(self): ...
                class Marked(ports.Marker): ...
                class Window:
                    def open(self): ...
            """,
        },
    )

    counts = size_figures.count_protocol_implementers(modules)

    assert counts == {
        "house.ports.Opener": 2,
        "house.ports.Closer": 1,
        "house.ports.Unused": 0,
        "house.ports.Marker": 1,
    }


@pytest.mark.parametrize(
    ("definition", "use", "is_found"),
    [
        ("def build():\n    return 1\n", "build()", True),
        ("async def build():\n    return 1\n", "build()", True),
        ("class Shelf:\n    def build(self):\n        return 1\n", "Shelf().build()", True),
        ('def build():\n    """Text.\n\n    More."""\n    a = b\n    return a\n', "build()", True),
        ("def build():\n    a = 1\n    b = a\n    c = b\n    return c\n", "build()", True),
        ("def build():\n    a = 1\n    b = a\n    c = b\n    d = c\n    return d\n", "build()", False),
        ("def build():\n    return 1\n", "build() + build()", False),
        ("def build():\n    return 1\n", "1", False),
        ("def build():\n    return 1\n", '"house.shelf:build"', True),
        ("@cache\ndef build():\n    return 1\n", "build()", False),
        ("def outer():\n    def build():\n        return 1\n", "build()", False),
        ("class A:\n    def build(self): ...\nclass B:\n    def build(self): ...\n", "a.build()", False),
        ("def __getattr__(name):\n    return 1\n", "__getattr__", False),
    ],
)  # fmt: skip
def test_a_short_function_used_once_is_found(
    definition: str, use: str, is_found: bool, tmp_path: Path
) -> None:
    caller = f"from house.shelf import build\nRESULT = {use}\n"

    modules = write_tree(tmp_path, {"house/shelf.py": definition, "house/caller.py": caller})

    assert size_figures.find_short_functions(modules) == ["house.shelf.build"] * is_found


def test_wiring_is_found_by_file_folder_or_table(tmp_path: Path) -> None:
    modules = write_tree(
        tmp_path,
        {
            "house/light_wiring.py": "",
            "house/wiring/plugs.py": "",
            "house/table.py": "BUILDERS: dict = {}\n",
            "house/lamp.py": "def build(): ...\n",
        },
    )

    found = size_figures.find_wiring_modules(modules)

    assert [module.name for module in found] == [
        "house.light_wiring",
        "house.table",
        "house.wiring.plugs",
    ]


def test_a_file_with_two_fields_of_a_domain_contains_it(tmp_path: Path) -> None:
    fields = frozenset({"nct_id", "phase", "with_results"})
    modules = write_tree(
        tmp_path,
        {
            "house/values.py": "class Trial:\n    nct_id: str\n    phases: tuple\n",
            "house/mapping.py": "row = dict(phase=1)\nprint(row['nctId'])\n",
            "house/query.py": "def ask(phase, *, with_results): ...\n",
            "house/plurals.py": "phase = phases\n",
            "house/prose.py": 'TEXT = "the phase and the nct_id of a trial"\n',
        },
    )

    found = size_figures.find_domain_files(modules, fields)

    assert [module.name for module in found] == ["house.mapping", "house.query", "house.values"]


def test_a_filter_is_counted_by_its_code_lines(tmp_path: Path) -> None:
    text = '''
        """About phase."""
        phase = phase or None  # twice in a line
        phases = ()
        # phase
        ask(phase=1)
    '''

    modules = write_tree(tmp_path, {"house/query.py": text})

    assert size_figures.find_filter_lines(modules, "phase") == [
        "house.query: phase = phase or None  # twice in a line",
        "house.query: ask(phase=1)",
    ]


def test_folders_and_lines_are_counted_by_room(tmp_path: Path) -> None:
    modules = write_tree(
        tmp_path,
        {
            "house/__init__.py": "a = 1\n",
            "house/kitchen/draft_oven.py": "a = 1\nb = 2\n",
            "house/kitchen/deep/pan.py": "a = 1\n",
            "house/study/drafts/desk.py": "a = 1\n",
            "house/hall/draughts.py": "",
        },
    )

    assert size_figures.count_room_lines(modules) == {".": 1, "kitchen": 3, "study": 1, "hall": 0}
    assert size_figures.find_capability_folders(modules, "draft") == ["kitchen", "study"]


def test_a_module_is_tested_by_a_file_of_its_name(tmp_path: Path) -> None:
    modules = write_tree(
        tmp_path / "src",
        {"house/__init__.py": "", "house/lamp.py": "", "house/room/desk.py": ""},
    )
    write_tree(tmp_path / "tests", {"room/deep/test_desk.py": "", "lamp.py": ""})

    assert size_figures.find_untested_modules(modules, tmp_path / "tests") == ["house.lamp"]
