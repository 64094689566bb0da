"""Paths made of the parameters of a web route: what a client sends in the path, query, form or body.

A part that a client adds to a folder leads out of it. A path that the client names as a whole may be
what the tool is for, and one behind a fixed beginning leads out on some systems only: possible.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    as_written,
    called_name,
    constant_text,
    last_name,
    walk,
)
from courtroom.analysis.security.path_joins import (
    PASSING_CALLS,
    is_path,
    is_sanitized,
    tests_containment,
)

FRAMEWORKS = frozenset({"fastapi", "starlette", "flask", "quart", "litestar"})
ROUTES = frozenset(
    {
        *("get", "post", "put", "patch", "delete", "head", "options"),
        *("route", "api_route", "websocket"),
    }
)
# A part of the address has no slash, unless the route says that it is a path.
ADDRESS_PART = re.compile(r"\{(\w+)\}|<(?:string:)?(\w+)>")
# Parameters of other types hold no path, or are the framework's own.
TEXT_TYPES = frozenset({"str", "Path", "FilePath"})
UPLOAD = "UploadFile"
INJECTED = frozenset({"Depends", "Security"})
FILE_CALLS = frozenset(
    {
        *("open", "builtins.open", "pathlib.Path", "os.path.join"),
        *("shutil.copytree", "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.move"),
        *("shutil.rmtree", "os.listdir", "os.walk", "os.scandir", "os.remove", "os.unlink"),
    }
)
# Methods of a text or a path whose result still leads where it led.
PASSING_METHODS = frozenset(
    {
        *("strip", "lstrip", "rstrip", "lower", "upper", "removeprefix", "removesuffix"),
        *("expanduser", "resolve", "absolute", "joinpath", "decode"),
    }
)
# Assignments that are followed.
MAX_STEPS = 6
# Calls from one function of the file to the next that are followed.
MAX_CALLS = 4


@dataclass(frozen=True, slots=True)
class ClientPath:
    node: ast.expr
    call: str
    is_certain: bool


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reader of a file. `name.` is a model of the body among the names: its fields count."""

    symbols: SymbolTable
    source: SourceFile

    def names_with_data(self, site: FunctionSite, parameters: frozenset[str]) -> frozenset[str]:
        """Return by which names a function holds a client's data, of its parameters on."""
        values = _assignments(site)
        names = parameters - values.keys()
        for _ in range(MAX_STEPS):
            added = {
                name
                for name in values.keys() - names
                for value in values[name]
                # The first value of a parameter is the client's.
                if self.holds(value, names | ({name} & parameters))
            }
            if not added:
                break
            names |= added
        return names

    def holds(self, node: ast.expr, names: frozenset[str]) -> bool:
        """Return true for an expression with a client's data, which these names hold."""
        if not names or is_sanitized(self.symbols, self.source, node):
            return False
        written = {as_written(part) for part in self._passed_on(node)} - {""}
        heads = {f"{name.partition('.')[0]}." for name in written if "." in name}
        return bool(names & (written | heads))

    def _passed_on(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield the names and attributes of an expression, without arguments of other calls."""
        stack: list[ast.AST] = [node]
        while stack:
            part = stack.pop()
            if isinstance(part, ast.Name | ast.Attribute):
                yield part
            if isinstance(part, ast.Call):
                dotted = self.symbols.dotted_name(self.source, part.func)
                if called_name(part) in PASSING_METHODS and isinstance(part.func, ast.Attribute):
                    stack.append(part.func.value)
                elif dotted not in PASSING_CALLS:
                    continue
                stack += part.args
            elif not isinstance(part, ast.Attribute):
                stack += ast.iter_child_nodes(part)


def route_handlers(symbols: SymbolTable) -> Iterator[FunctionRef]:
    """Yield the functions that a web server of the work calls for a route."""
    for source in symbols.codebase.production:
        if not FRAMEWORKS.isdisjoint(name.partition(".")[0] for name in source.imported_modules):
            yield from (
                FunctionRef(source, site) for site in source.functions if any(_routes_of(site))
            )


def _routes_of(site: FunctionSite) -> Iterator[str]:
    """Yield the addresses of the routes of a function."""
    for decorator in site.node.decorator_list:
        if isinstance(decorator, ast.Call) and decorator.args:
            address = constant_text(decorator.args[0]) or ""
            is_method = isinstance(decorator.func, ast.Attribute)
            if is_method and called_name(decorator) in ROUTES and address.startswith("/"):
                yield address


def client_paths(symbols: SymbolTable, source: SourceFile) -> Iterator[ClientPath]:
    """Yield the first path in each function that a client decides, a certain one before others."""
    if FRAMEWORKS.isdisjoint(name.partition(".")[0] for name in source.imported_modules):
        return
    reader = _Reader(symbols, source)
    parameters = {site: _of_route(symbols, source, site) for site in source.functions}
    for site, names in _with_data(reader, parameters).items():
        if names and not tests_containment(site):
            paths = sorted(_paths(reader, site, names), key=lambda path: not path.is_certain)
            yield from paths[:1]


def _with_data(
    reader: _Reader, parameters: dict[FunctionSite, frozenset[str]]
) -> dict[FunctionSite, frozenset[str]]:
    """Return by which names each function holds a client's data, calls within the file followed."""
    names = {site: reader.names_with_data(site, own) for site, own in parameters.items()}
    for _ in range(MAX_CALLS):
        changed = set[FunctionSite]()
        for site, name in _handed_on(reader, names):
            if name not in parameters[site]:
                parameters[site] |= {name}
                changed.add(site)
        if not changed:
            break
        names |= {site: reader.names_with_data(site, parameters[site]) for site in changed}
    return names


def _assignments(site: FunctionSite) -> dict[str, list[ast.expr]]:
    """Return the values that a function assigns to each of its names."""
    values: dict[str, list[ast.expr]] = {}
    for node in walk(site.node):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None) or getattr(node, "iter", None)
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(value, ast.expr):
                values.setdefault(target.id, []).append(value)
    return values


def _of_route(symbols: SymbolTable, source: SourceFile, site: FunctionSite) -> frozenset[str]:
    """Return the parameters of a route that hold what a client sends; none for another function."""
    routes = list(_routes_of(site))
    if not routes:
        return frozenset()
    parts = {name for route in routes for match in ADDRESS_PART.findall(route) for name in match}
    arguments = [*site.node.args.posonlyargs, *site.node.args.args]
    defaults = dict(zip(reversed(arguments), reversed(site.node.args.defaults), strict=False))
    for argument, default in zip(
        site.node.args.kwonlyargs, site.node.args.kw_defaults, strict=True
    ):
        arguments.append(argument)
        if default is not None:
            defaults[argument] = default
    return frozenset(
        name
        for argument in arguments
        if argument.arg not in parts and not _is_injected(defaults.get(argument))
        for name in _names_of(symbols, source, argument)
    )


def _is_injected(default: ast.expr | None) -> bool:
    return isinstance(default, ast.Call) and called_name(default) in INJECTED


def _names_of(symbols: SymbolTable, source: SourceFile, argument: ast.arg) -> Iterator[str]:
    """Yield `name` for a text, `name.` for a model of the body, `name.filename` for an upload."""
    if argument.annotation is None:
        yield argument.arg
        return
    parts = [part for part in walk(argument.annotation) if isinstance(part, ast.expr)]
    types = {last_name(part) for part in parts}
    if types & TEXT_TYPES:
        yield argument.arg
    if UPLOAD in types:
        yield f"{argument.arg}.filename"
    if any(_is_model(symbols, source, part) for part in parts if last_name(part)):
        yield f"{argument.arg}."


def _is_model(symbols: SymbolTable, source: SourceFile, annotation: ast.expr) -> bool:
    site = symbols.find_class(source, annotation)
    bases = symbols.base_names(site.source, site.node) if site is not None else []
    return any(base.rpartition(".")[2] == "BaseModel" for base in bases)


def _handed_on(
    reader: _Reader, names: Mapping[FunctionSite, frozenset[str]]
) -> Iterator[tuple[FunctionSite, str]]:
    """Yield the parameters that functions of the file get a client's data in."""
    sites = reader.source.functions
    functions = {s.node.name: s for s in sites if s.owner is None and s.outer is None}
    for call in reader.source.calls:
        called = functions.get(as_written(call.node.func))
        if called is None or call.function is None:
            continue
        arguments = [*called.node.args.posonlyargs, *called.node.args.args]
        given = [*zip((a.arg for a in arguments), call.node.args, strict=False)]
        given += [(k.arg, k.value) for k in call.node.keywords if k.arg is not None]
        for name, value in given:
            if reader.holds(value, names[call.function]):
                yield called, name


def _paths(reader: _Reader, site: FunctionSite, names: frozenset[str]) -> list[ClientPath]:
    """Return the paths of a function that hold a client's data, in the order of the source."""
    symbols, source = reader.symbols, reader.source
    rows = []
    for call, dotted in symbols.calls(source):
        if call.function is not site or dotted not in FILE_CALLS:
            continue
        for position, value in enumerate(call.node.args):
            if reader.holds(value, names):
                is_part = dotted == "os.path.join" and position > 0 and not _has_beginning(value)
                rows.append(ClientPath(call.node, dotted, is_part))
                break
    for node in walk(site.node):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
            continue
        if reader.holds(node.right, names) and is_path(symbols, source, site, node.left):
            is_part = not _has_beginning(node.right)
            rows.append(ClientPath(node, "pathlib.Path.__truediv__", is_part))
    return sorted(rows, key=lambda row: row.node.lineno)


def _has_beginning(node: ast.expr) -> bool:
    """Return true for a text that begins with written words: f"report_{name}"."""
    if isinstance(node, ast.JoinedStr):
        first = node.values[0] if node.values else None
        return isinstance(first, ast.Constant) and not str(first.value).endswith("/")
    while isinstance(node, ast.BinOp):
        node = node.left
    return isinstance(node, ast.Constant)
