"""The rooms may only import as the table in CONTRIBUTING.md allows."""

from __future__ import annotations

import ast
import graphlib
import gzip
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT: dict[str, set[str]] = {
    "tracer": set(),
    "prompts": set(),
    "exporters": set(),
    "scorer": {"tracer.attributes", "tracer.redaction", "prompts", "exporters"},
}


CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()


def test_contributors_are_told_the_arrows_that_are_held() -> None:
    """The page was empty for a day, and nothing said so."""
    rows = re.findall(r"^\| `(\w+)/` \|.*\| (.+) \|$", CONTRIBUTING, re.MULTILINE)
    assert {room: set(re.findall(r"`([\w.]+)`", imports)) for room, imports in rows} == MAY_IMPORT


def test_contributors_are_told_of_files_that_exist() -> None:
    """Rooms move, and a page about them does not move with them."""
    named = set(re.findall(r"[`( ]((?:tests|docs|\.ci|examples)/[\w./-]*\w)", CONTRIBUTING))
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def imported_rooms(source: str) -> set[str]:
    """Rooms that a module imports, and what it takes of the tracer, as ``room`` or ``tracer.module``."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module in ("ragvigil", "ragvigil.tracer"):
                names += [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                names.append(node.module)
    parts = [name.split(".") for name in names if name.startswith("ragvigil.")]
    return {".".join(part[1:3]) if part[1] == "tracer" else part[1] for part in parts}


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_along_the_arrows(room: str) -> None:
    """Three leaves and one root."""
    for path in (ROOT / room / "ragvigil" / room).rglob("*.py"):
        if path.parent.name == "demo" and path.name == "service.py":
            continue  # stands for somebody else's service, so it uses the tracer as a service does
        foreign = {name for name in imported_rooms(path.read_text()) if name.split(".")[0] != room}
        assert foreign <= MAY_IMPORT[room], path


def modules() -> dict[str, Path]:
    """Every module of the four rooms, by its name."""
    paths = [(room, path) for room in MAY_IMPORT for path in (ROOT / room / "ragvigil").rglob("*.py")]
    names = [(".".join(path.relative_to(ROOT / room).with_suffix("").parts), path) for room, path in paths]
    return {name.removesuffix(".__init__"): path for name, path in names}


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside functions count: they hide a circle from Python, and not from whoever reads the two files."""
    known = modules()
    imports: dict[str, set[str]] = {}
    for name, path in known.items():
        taken: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                taken |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                taken |= {module if module in known else node.module for module in inner}
        imports[name] = (taken & known.keys()) - {name}
    assert len(imports) > 500
    graphlib.TopologicalSorter(imports).prepare()  # CycleError names the circle


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_the_namespace_package_has_no_init(room: str) -> None:
    """A stray ``ragvigil/__init__.py`` would hide the other three rooms."""
    entries = (ROOT / room / "ragvigil").iterdir()
    assert [entry.name for entry in entries if entry.name != "__pycache__"] == [room]


def content(path: Path) -> bytes:
    """The bytes of a file, unpacked."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    """Tracebacks in fixtures, paths in docs: they tell strangers what they need not know, and work nowhere else."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    telling = re.compile(rb"/(?:home|Users|root|work|tmp)/[\w.-]+/[\w.-]+")
    found = {
        name.decode(): match[0]
        for name in filter(None, listed.split(b"\0"))
        if (match := telling.search(content(ROOT / name.decode())))
    }
    assert found == {}
