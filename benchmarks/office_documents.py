"""Office files of every kind beside markitdown: words and runs of four words kept.

`python -m benchmarks.office_documents --root DIR … [--folder DIR] [--peers PYTHON]`. The files are
those of unpacked packages, such as the tests of office libraries. What they say is taken from
LibreOffice, which exports each of them as text. Files of fewer than 20 words are left out.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as XmlTree  # noqa: ICN001 - LibreOffice wrote what is parsed

from benchmarks.document_corpus import Sample
from benchmarks.documents import (
    OURS,
    PEERS_VARIABLE,
    mean_scores,
    read_ours,
    read_theirs,
    text_scores,
    words,
)
from benchmarks.report import Goal, Section, table

ROOTS_VARIABLE = "CITEWELL_OFFICE_FILES"  # folders of unpacked packages, separated as in PATH
PEER = "markitdown"
MIN_WORDS = 20
BATCH = 8  # files in one run of LibreOffice
SECONDS = 120
_SHEET = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"
_TEXT = "txt:Text (encoded):UTF8"
EXPORTS = {
    "docx": _TEXT, "doc": _TEXT, "odt": _TEXT, "rtf": _TEXT, "pptx": "fodp", "ppt": "fodp",
    "odp": "fodp", "xlsx": _SHEET, "xls": _SHEET, "xlsb": _SHEET, "ods": _SHEET,
}  # fmt: skip
_OPENDOCUMENT = "{urn:oasis:names:tc:opendocument:xmlns:"
_PARAGRAPH, _SPACES = f"{_OPENDOCUMENT}text:1.0}}p", ("s", "tab", "line-break")
_NO_TEXT = (f"{_OPENDOCUMENT}office:1.0}}binary-data", f"{_OPENDOCUMENT}drawing:1.0}}object")
_PAGE_MARKS = frozenset({"page-number", "header", "footer", "date-time"})


def copied(roots: Iterable[Path], folder: Path) -> Iterator[tuple[str, Path]]:
    """Each different file under a short name of its own, with its kind."""
    for root in roots:
        for path in sorted(root.rglob("*")):
            kind = path.suffix.lower().removeprefix(".")
            if kind not in EXPORTS or not path.is_file() or path.is_symlink():
                continue
            body = path.read_bytes()
            copy = folder / kind / f"{hashlib.sha256(body).hexdigest()[:16]}.{kind}"
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists():
                copy.write_bytes(body)
                yield kind, copy


def export(kind: str, paths: Sequence[Path], folder: Path) -> None:
    """Have LibreOffice write the texts of these files; a file it cannot open gives none."""
    office = shutil.which("soffice")
    if office is None:
        raise SystemExit("the texts of office files need LibreOffice")
    for place in range(0, len(paths), BATCH):
        command = [office, "--headless", f"-env:UserInstallation={(folder / 'profile').as_uri()}"]
        command += ["--convert-to", EXPORTS[kind], "--outdir", str(folder / f"{kind}-text")]
        try:
            subprocess.run(
                [*command, *map(str, paths[place : place + BATCH])],
                capture_output=True, timeout=SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            print(f"LibreOffice hung at a {kind} file; {BATCH} are left out")


def exported(path: Path, folder: Path) -> str:
    made = sorted((folder / f"{path.suffix[1:]}-text").glob(f"{path.stem}*"))
    if path.suffix in {".pptx", ".ppt", ".odp"}:
        return "\n".join(slide_text(one) for one in made)
    return "\n".join(one.read_text("utf-8-sig", errors="replace") for one in made)


def slide_text(path: Path) -> str:
    """The paragraphs of slides and notes, without embedded files, page numbers and dates."""
    lines: list[str] = []

    def said(element: XmlTree.Element) -> str:
        if element.tag in _NO_TEXT:
            return ""
        own = " " if element.tag.rpartition("}")[2] in _SPACES else element.text or ""
        return own + "".join(said(item) + (item.tail or "") for item in element)

    def walk(element: XmlTree.Element) -> None:
        if (
            element.tag in _NO_TEXT
            or element.get(f"{_OPENDOCUMENT}presentation:1.0}}class") in _PAGE_MARKS
        ):
            return
        if element.tag == _PARAGRAPH:
            lines.append(said(element))
            return
        for item in element:
            walk(item)

    for body in XmlTree.parse(path).getroot().iter(f"{_OPENDOCUMENT}office:1.0}}presentation"):
        walk(body)
    return "\n".join(lines)


def collect(roots: Iterable[Path], folder: Path) -> list[Sample]:
    kinds: dict[str, list[Path]] = defaultdict(list)
    for kind, path in copied(roots, folder):
        kinds[kind].append(path)
    for kind, paths in kinds.items():
        export(kind, paths, folder)
    samples = []
    for path in sorted(folder.glob("*/*.*")):
        if path.suffix[1:] not in EXPORTS or path.parent.name != path.suffix[1:]:
            continue
        truth = exported(path, folder)
        if len(words(truth)) >= MIN_WORDS:
            samples.append(Sample(name=path.name, kind=path.suffix[1:], path=path, truth=truth))
    return samples


def compare(samples: Sequence[Sample], python: str | None) -> Section:
    texts = {OURS: asyncio.run(read_ours(samples))}
    if python:
        texts[PEER] = read_theirs(python, PEER, samples)
    rows, goals = [], []
    for kind in EXPORTS:
        held = [sample for sample in samples if sample.kind == kind]
        if not held:
            continue
        means = {name: mean_scores(found, held) for name, found in texts.items()}
        rows.append([f"{kind} ({len(held)})", *(f"{w:.3f} / {s:.3f}" for w, s in means.values())])
        best = means.get(PEER, (0.0, 0.0))
        goals.append(
            Goal(
                text=f"Office files, {kind}: words and shingles ahead of {PEER}",
                measured=f"{means[OURS][0]:.3f} / {means[OURS][1]:.3f}, {PEER} {best[0]:.3f} / {best[1]:.3f}",
                met=all(ours >= theirs for ours, theirs in zip(means[OURS], best, strict=True)),
            )
        )
    return Section(
        title="Text of office files, beside another reader",
        command="python -m benchmarks documents",
        body=table(("F1 of words / of four words in a row", *texts), rows),
        notes=(
            f"Files of the packages that {ROOTS_VARIABLE} names, with LibreOffice's export as the truth; "
            "hidden slides and deleted text, which it exports, are left out by Citewell and count "
            f"against it. {PEER} runs in the Python that {PEERS_VARIABLE} names; a kind that it does "
            "not read counts 0."
        ),
        goals=tuple(goals),
    )


def office_documents() -> Section | None:
    """The second table of the section about documents; None where no files are named."""
    roots = [Path(root) for root in os.environ.get(ROOTS_VARIABLE, "").split(os.pathsep) if root]
    if not roots:
        return None
    with tempfile.TemporaryDirectory() as folder:
        return compare(collect(roots, Path(folder)), os.environ.get(PEERS_VARIABLE))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.office_documents", description=__doc__
    )
    parser.add_argument(
        "--folder", type=Path, help="where files and texts are kept for the next run"
    )
    parser.add_argument("--root", type=Path, action="append", default=[], help="unpacked packages")
    parser.add_argument("--peers", default=os.environ.get(PEERS_VARIABLE), metavar="PYTHON")
    parser.add_argument("--each", action="store_true", help="also print every file's scores")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        samples = collect(options.root, folder)
        if options.each:
            for path, (text, seconds) in asyncio.run(read_ours(samples)).items():
                sample = next(one for one in samples if str(one.path) == path)
                shown = " ".join(f"{score:.3f}" for score in text_scores(text, sample))
                print(f"{shown} {seconds:.1f} s {sample.name}")
        print(compare(samples, options.peers).markdown())


if __name__ == "__main__":
    main()
