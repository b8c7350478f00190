"""Collects the files of the container image: Python, the virtual environment and their libraries.

Run in the builder stage of the Dockerfile, with the Python that the image shall hold.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

USER_ID = 10001
# Parts of Python's own library that a server never loads.
UNUSED_LIBRARY = (
    *("ensurepip", "idlelib", "lib2to3", "pydoc_data", "site-packages", "test", "tkinter"),
    *("turtledemo", "config-*", "__pycache__"),
)
UNUSED_PACKAGES = (
    *("pip", "setuptools", "pkg_resources", "_distutils_hack", "hatchling", "editables"),
    *("pathspec", "trove_classifiers", "distutils-precedence.pth"),
    # Databases that we do not speak to; they are loaded by name only.
    *(f"sqlalchemy/dialects/{name}" for name in ("mssql", "mysql", "oracle")),
    "sqlalchemy/testing",
)
UNUSED_FILES = ("*.c", "*.cpp", "*.h", "*.pyx", "*.pxd", "*.pxi", "*.pyi", "*.a")
LIBRARY_PATH = re.compile(r"(?:=> )?(/\S+) \(0x")
PASSWD = f"""root:x:0:0:root:/:/sbin/nologin
citewell:x:{USER_ID}:{USER_ID}::/var/lib/citewell:/sbin/nologin
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--venv", type=Path, required=True)
    parser.add_argument("--root", type=Path, required=True)
    options = parser.parse_args()
    trim_environment(options.venv)
    collect_root(options.venv, options.root)


def trim_environment(venv: Path) -> None:
    """Remove what only an installation needs, compile what is left, and strip native libraries."""
    (packages,) = venv.glob("lib/python3*/site-packages")
    for name in UNUSED_PACKAGES:
        for path in (packages / name, *packages.glob(f"{name}-*.dist-info")):
            remove_path(path)
    for pattern in UNUSED_FILES:
        for path in packages.rglob(pattern):
            path.unlink()
    for path in [one for one in packages.rglob("tests") if one.is_dir()]:
        shutil.rmtree(path, ignore_errors=True)
    for path in (*venv.glob("bin/pip*"), *venv.glob("bin/[Aa]ctivate*")):
        path.unlink()
    strip_libraries(packages)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(packages)], check=False)


def strip_libraries(folder: Path) -> None:
    for path in list_native_files(folder):
        subprocess.run(["strip", "--strip-unneeded", str(path)], check=False)


def collect_root(venv: Path, root: Path) -> None:
    """Copy everything to `root`, at the paths it has here."""
    base = Path(sys.base_prefix)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = base / "lib" / version
    copy_path(base / "bin" / version, root)
    for name in ("python3", "python"):
        (root / base.relative_to("/") / "bin" / name).symlink_to(version)
    for path in base.glob("lib/libpython3*.so.*"):
        copy_path(path, root)
    ignore = shutil.ignore_patterns(*UNUSED_LIBRARY)
    shutil.copytree(library, root / library.relative_to("/"), symlinks=True, ignore=ignore)
    shutil.copytree(venv, root / venv.relative_to("/"), symlinks=True)
    # Compiled here, because the image is read-only when it runs.
    copied = str(root / library.relative_to("/"))
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", "-s", str(root), "-p", "/", copied], check=False
    )
    strip_libraries(root / base.relative_to("/"))
    copy_system_libraries(root)
    write_system_files(root)
    # The index of libraries: without it Python's own library, in its prefix, is not found.
    (root / "etc/ld.so.conf").write_text(f"{base}/lib\n", encoding="ascii")
    subprocess.run(["/sbin/ldconfig", "-r", str(root)], check=True)


def copy_system_libraries(root: Path) -> None:
    """Every library outside of `root` that something in it is linked to."""
    for name in ("lib", "lib64"):
        if Path("/", name).is_symlink():
            root.joinpath(name).symlink_to(Path("/", name).readlink())
    needed: set[Path] = set()
    for path in list_native_files(root):
        told = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False)
        needed |= {Path(found) for found in LIBRARY_PATH.findall(told.stdout)}
    for path in needed:
        if not path.is_relative_to(root):
            copy_path(path.parent.resolve() / path.name, root)


def write_system_files(root: Path) -> None:
    (root / "etc").mkdir(exist_ok=True)
    (root / "etc/passwd").write_text(PASSWD, encoding="ascii")
    (root / "etc/group").write_text(f"root:x:0:\ncitewell:x:{USER_ID}:\n", encoding="ascii")
    (root / "etc/nsswitch.conf").write_text("hosts: files dns\n", encoding="ascii")
    copy_path(Path("/etc/ssl/certs/ca-certificates.crt"), root)
    for name, mode in (("tmp", 0o1777), ("var/lib/citewell", 0o700)):
        (root / name).mkdir(parents=True)
        (root / name).chmod(mode)
    shutil.chown(root / "var/lib/citewell", USER_ID, USER_ID)


def list_native_files(folder: Path) -> Iterator[Path]:
    """Programs and shared libraries, by their first bytes."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def copy_path(path: Path, root: Path) -> None:
    """Copy one file to the same place below `root`; of a link, what it leads to, under its name."""
    target = root / path.relative_to("/")
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def remove_path(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
