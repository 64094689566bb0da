"""Borders between modules that import-linter has no contract for."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def modules_of(package: str) -> dict[str, Path]:
    """Return the files of a package by their dotted name."""
    paths = [p for p in (ROOT / package).rglob("*.py") if "repositories" not in p.parts]
    return {
        ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p
        for p in paths
    }


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports_in(path: Path, modules: dict[str, Path], *, with_types: bool) -> Iterator[str]:
    """Yield the modules that a file imports anywhere, also inside functions."""
    tree = ast.parse(path.read_text())
    if not with_types:
        tree.body = [node for node in tree.body if not is_for_types(node)]

    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                member = f"{node.module}.{alias.name}"
                yield member if member in modules else node.module


@pytest.mark.parametrize(
    ("package", "with_types"),
    # A rubric's checks name, for types alone, the analysis whose results they read.
    [("auditor_site", True), ("courtroom", False), ("grading", True)],
)
def test_no_module_imports_itself_through_others(package: str, with_types: bool) -> None:
    modules = modules_of(package)
    graph = {
        name: set(imports_in(path, modules, with_types=with_types)) & modules.keys() - {name}
        for name, path in modules.items()
    }
    circle: list[str] = []
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1]
    assert circle == []


def imports_in_statement(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]


def test_the_engine_imports_the_courtroom_inside_functions_only() -> None:
    at_import = {
        path.name: module
        for path in modules_of("grading/engine").values()
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for module in imports_in_statement(node)
        if module.split(".")[0] == "courtroom"
    }
    assert at_import == {}


def test_the_root_of_grading_holds_at_most_ten_modules() -> None:
    assert len(list((ROOT / "grading").glob("*.py"))) <= 10
