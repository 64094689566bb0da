"""Dangerous calls outside tests, each with the origin of the value that decides.

A call whose danger depends on what the source does not show is possible, not certain. Calls are resolved through imports and aliases. The rules follow the warnings of the libraries' own
manuals; the reasons against bandit stand in docs/decisions/0001.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from courtroom.analysis.python.source_files import CallSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import constant_text, keyword_of, line_of_call, walk
from courtroom.analysis.security import shell_calls
from courtroom.analysis.security.assembled_queries import (
    QUERY_METHODS,
    assembled_query,
    takes_in_values,
)
from courtroom.analysis.security.own_data import (
    data_origin,
    has_foreign_archive,
    is_chosen,
    is_own_dump,
)
from courtroom.analysis.security.path_joins import client_joins, is_tainted_by_client
from courtroom.analysis.security.route_parameters import FRAMEWORKS, client_paths
from courtroom.analysis.security.value_origins import Origin, origin_of

# Deserializers that run code from their input.
UNSAFE_LOADERS = frozenset(
    {
        "pickle.load",
        "pickle.loads",
        "pickle.Unpickler",
        "_pickle.loads",
        "cPickle.loads",
        "marshal.load",
        "marshal.loads",
        "shelve.open",
        "dill.load",
        "dill.loads",
        "cloudpickle.load",
        "cloudpickle.loads",
        "jsonpickle.decode",
        "joblib.load",
        "pandas.read_pickle",
        "yaml.unsafe_load",
        "yaml.unsafe_load_all",
        "yaml.full_load",
    }
)
YAML_LOADS = frozenset({"yaml.load", "yaml.load_all"})
SAFE_YAML_LOADERS = ("SafeLoader", "CSafeLoader", "BaseLoader", "CBaseLoader")
ARCHIVES = ("tarfile", "zipfile", "shutil")
PATH_CALLS = frozenset({"os.path.join", "pathlib.Path", "open", "builtins.open"})
SAFE_ARCHIVE_FILTERS = frozenset({"data", "tar"})
HTTP_CLIENTS = ("requests", "httpx", "aiohttp", "urllib3")
# Functions and classes of these clients that connect.
REQUESTS = frozenset(
    {
        *("get", "post", "put", "patch", "delete", "head", "options", "request", "stream", "send"),
        *("Client", "AsyncClient", "ClientSession", "TCPConnector", "PoolManager"),
    }
)
UNVERIFIED_CONTEXTS = frozenset({"ssl._create_unverified_context", "ssl._create_stdlib_context"})
# A file with none of these words makes no such call.
MARKERS = (
    "pickle",
    "allow_dangerous_deserialization",
    "marshal",
    "shelve",
    "dill",
    "joblib",
    "yaml",
    "torch",
    "extractall",
    "unpack_archive",
    "verify",
    "ssl",
    "request",
    "system",
    "popen",
    "shell",
    "eval",
    "exec",
    "getoutput",
    "getstatus",
    "read_sql",
    ".raw(",
    "text(",
    *sorted(FRAMEWORKS),
)
# The kind of UnsafeCall for each fact of shell_calls.
SHELL_KINDS = {
    "os_system_calls": "os_system",
    "shell_true_calls": "shell_true",
    "eval_exec_calls": "eval_exec",
}


@dataclass(frozen=True, slots=True)
class Danger:
    """Kind of hazard, and the expression that decides what happens, with its origin if followed."""

    kind: str
    value: ast.expr
    is_certain: bool = True
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Hazard:
    """One dangerous use.

    `call` is its dotted name, `origin` that of the value that decides what happens. One that is
    not certain is shown and held against nobody.
    """

    kind: str
    source: SourceFile
    line: int
    call: str
    origin: Origin
    is_certain: bool = True

    @property
    def as_fact(self) -> dict[str, object]:
        """Fields of courtroom.models.facts.UnsafeCall; an unknown origin makes them null."""
        is_known = self.origin is not Origin.UNKNOWN
        return {
            "path": self.source.path,
            "line": self.line,
            "call": self.call,
            "kind": self.kind,
            "argument_is_literal": self.origin is Origin.LITERAL if is_known else None,
            "from_outside": self.origin is Origin.OUTSIDE if is_known else None,
        }


def find_hazards(symbols: SymbolTable) -> list[Hazard]:
    """Return every dangerous call of the production code, file by file."""
    hazards: list[Hazard] = []
    for source in symbols.codebase.production:
        if not any(marker in source.text for marker in MARKERS):
            continue
        file_hazards = [
            hazard
            for site, dotted in symbols.calls(source)
            for hazard in _hazards_of_call(symbols, source, site, dotted)
        ]
        file_hazards += _disabled_checks(source)
        file_hazards += list(_client_path_joins(symbols, source, file_hazards))
        file_hazards += list(_paths_of_routes(symbols, source, file_hazards))
        hazards += file_hazards

    return hazards


def _hazards_of_call(
    symbols: SymbolTable, source: SourceFile, site: CallSite, dotted: str
) -> Iterator[Hazard]:
    call_name = dotted or _method_name(site.node)
    for rule in RULES:
        for danger in rule(symbols, source, site, dotted):
            origin = danger.origin or origin_of(symbols, source, site.function, danger.value)
            line = line_of_call(site.node)
            yield Hazard(danger.kind, source, line, call_name, origin, danger.is_certain)


def _method_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _first_argument(call: ast.Call, *names: str) -> ast.expr:
    """Return the argument that decides; the call itself when there is none."""
    return call.args[0] if call.args else keyword_of(call, *names) or call


def _shell_call(
    symbols: SymbolTable, source: SourceFile, site: CallSite, dotted: str
) -> Iterator[Danger]:
    fact = shell_calls.shell_fact(symbols, source, site, dotted)
    if fact is not None:
        yield Danger(SHELL_KINDS[fact], _first_argument(site.node, "args", "command", "cmd"))


def _unsafe_deserialization(
    symbols: SymbolTable, source: SourceFile, site: CallSite, dotted: str
) -> Iterator[Danger]:
    call = site.node
    if dotted in YAML_LOADS:
        loader = call.args[1] if len(call.args) > 1 else keyword_of(call, "Loader")
        is_safe = loader is not None and symbols.dotted_name(source, loader).endswith(
            SAFE_YAML_LOADERS
        )
    elif dotted == "torch.load":
        is_safe = _is_constant(keyword_of(call, "weights_only"), True)
    elif (allowed := keyword_of(call, "allow_dangerous_deserialization")) is not None:
        is_safe = not _is_constant(allowed, True)
    elif dotted == "numpy.load":
        is_safe = not _is_constant(keyword_of(call, "allow_pickle"), True)
    else:
        is_safe = dotted not in UNSAFE_LOADERS
    if not is_safe:
        data = _first_argument(call, "stream", "f", "file")
        # PyTorch 2.6 and later load weights only, unless a call says otherwise.
        is_by_version = dotted == "torch.load" and keyword_of(call, "weights_only") is None
        # An index of vectors that the same file saves is the program's own.
        is_index = keyword_of(call, "allow_dangerous_deserialization") is not None
        is_open = is_by_version or (is_index and "save_local" in source.text)
        is_open = is_open or is_own_dump(symbols, source, site, data)
        origin = data_origin(symbols, source, site, data)
        is_certain = not is_open and origin is not Origin.UNKNOWN
        yield Danger("unsafe_deserialisation", data, is_certain, origin)


def _assembled_query(
    symbols: SymbolTable, source: SourceFile, site: CallSite, dotted: str
) -> Iterator[Danger]:
    """Yield a SQL statement assembled from strings; placeholders with values apart are safe."""
    if (dotted.rpartition(".")[2] or _method_name(site.node)) not in QUERY_METHODS:
        return
    statement = assembled_query(site)
    if statement is not None:
        is_certain = takes_in_values(symbols, source, site, statement)
        yield Danger("sql_from_strings", statement, is_certain)


def _path_traversal(
    symbols: SymbolTable, source: SourceFile, site: CallSite, dotted: str
) -> Iterator[Danger]:
    """Yield archives unpacked to the paths of their members, and paths from a client's data."""
    call = site.node
    is_extraction = _method_name(call) == "extractall" and _imports_any(source, ARCHIVES)
    if dotted == "shutil.unpack_archive" or is_extraction:
        if constant_text(keyword_of(call, "filter")) not in SAFE_ARCHIVE_FILTERS:
            archive = call.func.value if isinstance(call.func, ast.Attribute) else call
            is_certain = has_foreign_archive(symbols, source, site)
            yield Danger("path_traversal", archive, is_certain)
    elif dotted in PATH_CALLS:
        for value in call.args:
            if is_tainted_by_client(symbols, source, site.function, value):
                yield Danger("path_traversal", value)
                return


def _client_path_joins(
    symbols: SymbolTable, source: SourceFile, hazards: list[Hazard]
) -> Iterator[Hazard]:
    """Yield `folder / value` of a client's value, unless its line has such a hazard already."""
    if "request" not in source.text:
        return
    lines = {hazard.line for hazard in hazards if hazard.kind == "path_traversal"}
    for node, function in client_joins(symbols, source):
        if node.lineno not in lines:
            lines.add(node.lineno)
            origin = origin_of(symbols, source, function, node.right)
            yield Hazard("path_traversal", source, node.lineno, "pathlib.Path.__truediv__", origin)


def _paths_of_routes(
    symbols: SymbolTable, source: SourceFile, hazards: list[Hazard]
) -> Iterator[Hazard]:
    lines = {hazard.line for hazard in hazards if hazard.kind == "path_traversal"}
    for path in client_paths(symbols, source):
        if path.node.lineno not in lines:
            yield Hazard(
                "path_traversal",
                source,
                path.node.lineno,
                path.call,
                Origin.OUTSIDE,
                path.is_certain,
            )


def _unverified_tls(
    _symbols: SymbolTable, source: SourceFile, site: CallSite, dotted: str
) -> Iterator[Danger]:
    verify = keyword_of(site.node, "verify", "verify_ssl")
    if dotted in UNVERIFIED_CONTEXTS:
        yield Danger("tls_unverified", site.node, not is_chosen(source, site.node))
    elif verify and _is_constant(verify, False) and _imports_any(source, HTTP_CLIENTS):
        # Other functions have a `verify` of their own.
        is_request = (dotted.rpartition(".")[2] or _method_name(site.node)) in REQUESTS
        is_certain = is_request and not is_chosen(source, site.node)
        yield Danger("tls_unverified", verify, is_certain)


def _disabled_checks(source: SourceFile) -> Iterator[Hazard]:
    """Yield assignments that disable certificate checks: `context.check_hostname = False`."""
    if "CERT_NONE" not in source.text and "check_hostname" not in source.text:
        return

    for node in walk(source.tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Attribute):
            continue
        target, value = node.targets[0].attr, node.value
        ignores_certificate = target == "verify_mode" and getattr(value, "attr", "") == "CERT_NONE"
        ignores_hostname = target == "check_hostname" and _is_constant(value, False)
        if ignores_certificate or ignores_hostname:
            is_certain = not is_chosen(source, node)
            yield Hazard("tls_unverified", source, node.lineno, target, Origin.LITERAL, is_certain)


def _imports_any(source: SourceFile, modules: tuple[str, ...]) -> bool:
    return any(name.partition(".")[0] in modules for name in source.imported_modules)


def _is_constant(node: ast.expr | None, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


RULES: tuple[Callable[[SymbolTable, SourceFile, CallSite, str], Iterator[Danger]], ...] = (
    _shell_call,
    _unsafe_deserialization,
    _assembled_query,
    _path_traversal,
    _unverified_tls,
)
