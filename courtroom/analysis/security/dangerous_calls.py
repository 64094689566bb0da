"""Dangerous calls outside tests, each with the origin of the value that decides.

Calls are resolved through imports and aliases. The rules follow the warnings of the libraries' own
manuals; the reasons against bandit stand in docs/decisions/0001.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from courtroom.analysis.python.source_files import CallSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import constant_text, keyword_of, line_of_call, walk
from courtroom.analysis.security import shell_calls
from courtroom.analysis.security.path_joins import client_joins, is_tainted_by_client
from courtroom.analysis.security.value_origins import Origin, assigned_values, origin_of

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
QUERY_METHODS = frozenset(
    {"execute", "executemany", "executescript", "raw", "read_sql", "read_sql_query", "text"}
)
ARCHIVES = ("tarfile", "zipfile", "shutil")
PATH_CALLS = frozenset({"os.path.join", "pathlib.Path", "open", "builtins.open"})
SAFE_ARCHIVE_FILTERS = frozenset({"data", "tar"})
HTTP_CLIENTS = ("requests", "httpx", "aiohttp", "urllib3")
UNVERIFIED_CONTEXTS = frozenset({"ssl._create_unverified_context", "ssl._create_stdlib_context"})
# A file with none of these words makes no such call.
MARKERS = (
    "pickle",
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
)
# SQL at the beginning of a text; other texts are passed to execute() and text() too.
_QUERY = re.compile(
    r"\s*(?:select\b.+\bfrom\b|insert\s+into\b|update\s+\S+\s+set\b|delete\s+from\b|drop\s+table\b"
    r"|create\s+table\b|alter\s+table\b)",
    re.IGNORECASE | re.DOTALL,
)
# The kind of UnsafeCall for each fact of shell_calls.
SHELL_KINDS = {
    "os_system_calls": "os_system",
    "shell_true_calls": "shell_true",
    "eval_exec_calls": "eval_exec",
}

# Kind of hazard, and the expression that decides what happens.
Danger = tuple[str, ast.expr]


@dataclass(frozen=True, slots=True)
class Hazard:
    """One dangerous use.

    `call` is its dotted name, `origin` that of the value that decides what happens.
    """

    kind: str
    source: SourceFile
    line: int
    call: str
    origin: Origin

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
        hazards += file_hazards

    return hazards


def _hazards_of_call(
    symbols: SymbolTable, source: SourceFile, site: CallSite, dotted: str
) -> Iterator[Hazard]:
    call_name = dotted or _method_name(site.node)
    for rule in RULES:
        for kind, value in rule(symbols, source, site, dotted):
            origin = origin_of(symbols, source, site.function, value)
            yield Hazard(kind, source, line_of_call(site.node), call_name, origin)


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
        yield SHELL_KINDS[fact], _first_argument(site.node, "args", "command", "cmd")


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
    elif dotted == "numpy.load":
        is_safe = not _is_constant(keyword_of(call, "allow_pickle"), True)
    else:
        is_safe = dotted not in UNSAFE_LOADERS
    if not is_safe:
        yield "unsafe_deserialisation", _first_argument(call, "stream", "f", "file")


def _assembled_query(
    _symbols: SymbolTable, _source: SourceFile, site: CallSite, dotted: str
) -> Iterator[Danger]:
    """Yield a SQL statement assembled from strings; placeholders with values apart are safe."""
    method = dotted.rpartition(".")[2] or _method_name(site.node)
    if method not in QUERY_METHODS or not site.node.args:
        return
    argument = site.node.args[0]
    candidates = [argument]
    if isinstance(argument, ast.Name) and site.function is not None:
        candidates = assigned_values(site.function, argument.id)

    for candidate in candidates:
        if _is_assembled(candidate) and _QUERY.match(_literal_text(candidate)):
            yield "sql_from_strings", candidate
            return


def _is_assembled(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mod) and not _has_only_constants(node)
    return isinstance(node, ast.Call) and _method_name(node) == "format"


def _has_only_constants(node: ast.BinOp) -> bool:
    return all(isinstance(inner, ast.Constant | ast.BinOp | ast.operator) for inner in walk(node))


def _literal_text(node: ast.expr) -> str:
    return "".join(constant_text(inner) or "" for inner in walk(node))


def _path_traversal(
    symbols: SymbolTable, source: SourceFile, site: CallSite, dotted: str
) -> Iterator[Danger]:
    """Yield archives unpacked to the paths of their members, and paths from a client's data."""
    call = site.node
    is_extraction = _method_name(call) == "extractall" and _imports_any(source, ARCHIVES)
    if dotted == "shutil.unpack_archive" or is_extraction:
        archive_filter = keyword_of(call, "filter")
        if constant_text(archive_filter) not in SAFE_ARCHIVE_FILTERS:
            archive = call.func.value if isinstance(call.func, ast.Attribute) else call
            yield "path_traversal", archive
    elif dotted in PATH_CALLS:
        for value in call.args:
            if is_tainted_by_client(symbols, source, site.function, value):
                yield "path_traversal", value
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


def _unverified_tls(
    _symbols: SymbolTable, source: SourceFile, site: CallSite, dotted: str
) -> Iterator[Danger]:
    verify = keyword_of(site.node, "verify", "verify_ssl")
    if dotted in UNVERIFIED_CONTEXTS:
        yield "tls_unverified", site.node
    # Other functions have a `verify` of their own.
    elif verify and _is_constant(verify, False) and _imports_any(source, HTTP_CLIENTS):
        yield "tls_unverified", verify


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
            yield Hazard("tls_unverified", source, node.lineno, target, Origin.LITERAL)


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
