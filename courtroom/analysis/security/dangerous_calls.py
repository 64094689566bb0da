"""Calls a safe tool would not make, beyond the shell and the interpreter, each with where its value comes from.

Outside tests, resolved through imports and aliases. The rules follow the warnings of the libraries' own manuals;
why bandit is not asked for them: docs/decisions/0001.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import CallSite, SourceFile
from courtroom.analysis.python.tree_walk import keyword_of, line_of_call, walk
from courtroom.analysis.security import shell_calls
from courtroom.analysis.security.path_joins import client_joins, sent_by_client
from courtroom.analysis.security.value_origins import Origin, assigned_in, origin_of

LOADERS = frozenset(
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
SAFE_YAML = ("SafeLoader", "CSafeLoader", "BaseLoader", "CBaseLoader")
QUERYING = frozenset(
    {"execute", "executemany", "executescript", "raw", "read_sql", "read_sql_query", "text"}
)
ARCHIVES = ("tarfile", "zipfile", "shutil")
PATHS = frozenset({"os.path.join", "pathlib.Path", "open", "builtins.open"})
SAFE_FILTERS = frozenset({"data", "tar"})
HTTP_CLIENTS = ("requests", "httpx", "aiohttp", "urllib3")
UNVERIFIED = frozenset({"ssl._create_unverified_context", "ssl._create_stdlib_context"})
# A file with none of these words makes no such call.
TELLING = (
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
_QUERY = re.compile(
    r"\s*(?:select\b.+\bfrom\b|insert\s+into\b|update\s+\S+\s+set\b|delete\s+from\b|drop\s+table\b"
    r"|create\s+table\b|alter\s+table\b)",
    re.IGNORECASE | re.DOTALL,
)
SHELL_KINDS = {
    "os_system_calls": "os_system",
    "shell_true_calls": "shell_true",
    "eval_exec_calls": "eval_exec",
}

# A kind of danger, and the expression that decides what happens.
Danger = tuple[str, ast.expr]


@dataclass(frozen=True, slots=True)
class Hazard:
    """One dangerous use. `call` is its dotted name; `origin` is that of the value that decides what happens."""

    kind: str
    source: SourceFile
    line: int
    call: str
    origin: Origin

    @property
    def as_fact(self) -> dict[str, object]:
        """The fields of courtroom.models.facts.UnsafeCall; what could not be told is null."""
        known = self.origin is not Origin.UNKNOWN
        return {
            "path": self.source.path,
            "line": self.line,
            "call": self.call,
            "kind": self.kind,
            "argument_is_literal": self.origin is Origin.LITERAL if known else None,
            "from_outside": self.origin is Origin.OUTSIDE if known else None,
        }


def hazards(names: Names) -> list[Hazard]:
    """Every dangerous call of the production code, file by file."""
    found: list[Hazard] = []
    for source in names.codebase.production:
        if any(word in source.text for word in TELLING):
            found += (
                hazard
                for site, dotted in names.calls(source)
                for hazard in _of_call(names, source, site, dotted)
            )
            found += _switched_off(source)
            found += list(_joined(names, source, found))
    return found


def _of_call(names: Names, source: SourceFile, site: CallSite, dotted: str) -> Iterator[Hazard]:
    written = dotted or _method(site.node)
    for rule in RULES:
        for kind, value in rule(names, source, site, dotted):
            origin = origin_of(names, source, site.function, value)
            yield Hazard(kind, source, line_of_call(site.node), written, origin)


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _first(call: ast.Call, *names: str) -> ast.expr:
    """The argument that decides; the call itself when nothing is given."""
    return call.args[0] if call.args else keyword_of(call, *names) or call


def _to_a_shell(names: Names, source: SourceFile, site: CallSite, dotted: str) -> Iterator[Danger]:
    fact = shell_calls.kind_of(names, source, site, dotted)
    if fact is not None:
        yield SHELL_KINDS[fact], _first(site.node, "args", "command", "cmd")


def _deserialised(
    names: Names, source: SourceFile, site: CallSite, dotted: str
) -> Iterator[Danger]:
    call = site.node
    if dotted in YAML_LOADS:
        loader = call.args[1] if len(call.args) > 1 else keyword_of(call, "Loader")
        is_safe = loader is not None and names.dotted(source, loader).endswith(SAFE_YAML)
    elif dotted == "torch.load":
        is_safe = _is(keyword_of(call, "weights_only"), True)
    elif dotted == "numpy.load":
        is_safe = not _is(keyword_of(call, "allow_pickle"), True)
    else:
        is_safe = dotted not in LOADERS
    if not is_safe:
        yield "unsafe_deserialisation", _first(call, "stream", "f", "file")


def _query(_names: Names, _source: SourceFile, site: CallSite, dotted: str) -> Iterator[Danger]:
    """A statement put together from strings; one with placeholders and separate values is fine."""
    called = dotted.rpartition(".")[2] or _method(site.node)
    if called not in QUERYING or not site.node.args:
        return
    given = site.node.args[0]
    candidates = [given]
    if isinstance(given, ast.Name) and site.function is not None:
        candidates = assigned_in(site.function, given.id)
    for one in candidates:
        if _is_assembled(one) and _QUERY.match(_leading_text(one)):
            yield "sql_from_strings", one
            return


def _is_assembled(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mod) and not _is_constant(node)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "format"
    )


def _is_constant(node: ast.BinOp) -> bool:
    return all(isinstance(inner, ast.Constant | ast.BinOp | ast.operator) for inner in walk(node))


def _leading_text(node: ast.expr) -> str:
    return "".join(
        inner.value
        for inner in walk(node)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    )


def _traversed(names: Names, source: SourceFile, site: CallSite, dotted: str) -> Iterator[Danger]:
    """Archives unpacked wherever their members say, and paths made of what a client sent."""
    call = site.node
    if dotted == "shutil.unpack_archive" or (
        _method(call) == "extractall" and _imports(source, ARCHIVES)
    ):
        chosen = keyword_of(call, "filter")
        if not (isinstance(chosen, ast.Constant) and chosen.value in SAFE_FILTERS):
            yield (
                "path_traversal",
                call.func.value if isinstance(call.func, ast.Attribute) else call,
            )
    elif dotted in PATHS:
        for value in call.args:
            if sent_by_client(names, source, site.function, value):
                yield "path_traversal", value
                return


def _joined(names: Names, source: SourceFile, known: list[Hazard]) -> Iterator[Hazard]:
    """`folder / value` of what a client sent, unless the call it stands in is named already."""
    told = {one.line for one in known if one.source is source and one.kind == "path_traversal"}
    if "request" not in source.text:
        return
    for node, function in client_joins(names, source):
        if node.lineno not in told:
            told.add(node.lineno)
            origin = origin_of(names, source, function, node.right)
            yield Hazard("path_traversal", source, node.lineno, "pathlib.Path.__truediv__", origin)


def _unverified(_names: Names, source: SourceFile, site: CallSite, dotted: str) -> Iterator[Danger]:
    off = keyword_of(site.node, "verify", "verify_ssl")
    if dotted in UNVERIFIED:
        yield "tls_unverified", site.node
    elif off is not None and _is(off, False) and _imports(source, HTTP_CLIENTS):
        yield "tls_unverified", off


def _switched_off(source: SourceFile) -> Iterator[Hazard]:
    """Assignments that take certificate checks away: `context.verify_mode = ssl.CERT_NONE` and the like."""
    if "CERT_NONE" not in source.text and "check_hostname" not in source.text:
        return
    for node in walk(source.tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Attribute):
            continue
        target, value = node.targets[0].attr, node.value
        without_check = target == "verify_mode" and getattr(value, "attr", "") == "CERT_NONE"
        if without_check or (target == "check_hostname" and _is(value, False)):
            yield Hazard("tls_unverified", source, node.lineno, target, Origin.LITERAL)


def _imports(source: SourceFile, modules: tuple[str, ...]) -> bool:
    return any(name.partition(".")[0] in modules for name in source.imported_modules)


def _is(node: ast.expr | None, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


RULES: tuple[Callable[[Names, SourceFile, CallSite, str], Iterator[Danger]], ...] = (
    _to_a_shell,
    _deserialised,
    _query,
    _traversed,
    _unverified,
)
