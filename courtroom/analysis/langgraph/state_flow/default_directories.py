"""Tools that look at the auditor's own directory: by a call that leaves out the path of the clone,
or below the address as if it was a path.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.langgraph.state_flow.unused_work import (
    OWN_DATA,
    PATH_WORDS,
    WORKING_DIRECTORY,
)
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

ADDRESS_WORDS = frozenset({"url", "uri"})
# Calls that keep an address an address.
SAME_ADDRESS = frozenset({"get", "strip", "str"})
# Calls by which a path of this machine is told from an address.
LOCAL_TESTS = frozenset({"exists", "is_dir", "isdir", "startswith", "urlparse", "urlsplit"})
# Words of a path of the work; a mere root may be that of the auditor's own data.
WORK_WORDS = frozenset(words_of("repo repository clone cloned target"))


def defaulted_directories(call_graph: CallGraph, in_use: list[FunctionRef]) -> Iterator[FlowFault]:
    """Yield calls without the path for which a function then takes the directory it runs in."""
    symbols = call_graph.symbols
    if any(_moves(source.text) for source in symbols.codebase.production):
        return
    for caller in in_use:
        for tool in call_graph.callees(caller):
            for parameter, line in _own_directory_by_default(symbols, tool):
                for call in _calls_without(caller, tool, parameter):
                    sentence = (
                        f"{caller.shown_name}() calls {tool.shown_name}() without `{parameter}`, for"
                        " which it takes the auditor's own directory, not the clone"
                    )
                    place = tool.source.path, line
                    yield FlowFault(
                        "own_directory", sentence, caller.source.path, call.lineno, place
                    )


def address_directories(call_graph: CallGraph, in_use: list[FunctionRef]) -> Iterator[FlowFault]:
    """Yield paths of a file or folder that are made from the address: `Path(repo_url) / "docs"`.

    A function that tests whether the address is a path of this machine may mean one.
    """
    symbols = call_graph.symbols
    for function in in_use:
        nodes = list(walk(function.site.node))
        for node in nodes:
            name, rest = _below(symbols, function, node)
            if not (name and _is_address(nodes, name)) or may_be_local(nodes, name):
                continue
            sentence = (
                f"{function.shown_name}() looks for {rest!r} below the address `{name}` as if it was a"
                " path: that is in the auditor's own directory, not in the clone"
            )
            line = getattr(node, "lineno", 1)
            yield FlowFault("own_directory", sentence, function.source.path, line)


def _below(symbols: SymbolTable, function: FunctionRef, node: ast.AST) -> tuple[str, str]:
    """Return the name and the text of `Path(name) / "text"` and `os.path.join(name, "text")`."""
    match node:
        case ast.BinOp(
            left=ast.Call(func=maker, args=[ast.Name(id=name)]),
            op=ast.Div(),
            right=ast.Constant(value=str() as text),
        ) if symbols.dotted_name(function.source, maker) == "pathlib.Path":
            return name, text
        case ast.Call(func=joins, args=[ast.Name(id=name), ast.Constant(value=str() as text), *_]):
            is_join = symbols.dotted_name(function.source, joins) == "os.path.join"
            return (name, text) if is_join else ("", "")
    return "", ""


def _is_address(nodes: list[ast.AST], name: str) -> bool:
    """Return whether the name gets the address of the state: `repo_url = state["repo_url"]`."""
    values = [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign) and any(last_name(t) == name for t in node.targets)
    ]
    keys = (
        node.attr if isinstance(node, ast.Attribute) else constant_text(node) or ""
        for value in values
        for node in walk(value)
    )
    return any(not ADDRESS_WORDS.isdisjoint(words_of(key)) for key in keys)


def may_be_local(nodes: list[ast.AST], name: str) -> bool:
    """Return whether the name is tested for a path, or holds more than an address."""
    for node in nodes:
        if isinstance(node, ast.Call) and called_name(node) in LOCAL_TESTS:
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            for part in (owner, *node.args):
                is_made = isinstance(part, ast.Call) and len(part.args) == 1
                plain = part.args[0] if is_made and isinstance(part, ast.Call) else part
                if isinstance(plain, ast.Name) and plain.id == name:
                    return True
        if isinstance(node, ast.Assign) and any(last_name(t) == name for t in node.targets):
            calls = {called_name(n) for n in walk(node.value) if isinstance(n, ast.Call)}
            if calls - SAME_ADDRESS:
                return True
    return False


def _moves(text: str) -> bool:
    """Return true for code that may run where the clone lies."""
    return "chdir(" in text


def _own_directory_by_default(symbols: SymbolTable, tool: FunctionRef) -> Iterator[tuple[str, int]]:
    """Yield the parameters that stand for the own directory where they are None, with the line."""
    node = tool.site.node
    texts = {constant_text(n) or "" for n in walk(node) if isinstance(n, ast.Constant)}
    docstring = ast.get_docstring(node, clean=False)
    if any(OWN_DATA.intersection(words_of(text.replace(".", " "))) for text in texts - {docstring}):
        return
    for name in _without_value(node):
        words = set(words_of(name))
        if words & WORK_WORDS and words & PATH_WORDS:
            choices = (n for n in walk(node) if isinstance(n, ast.expr | ast.stmt))
            lines = (n.lineno for n in choices if _falls_back(symbols, tool, n, name))
            yield from ((name, line) for line in list(lines)[:1])


def _without_value(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """Yield the parameters whose default is None."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(reversed(positional), reversed(arguments.defaults), strict=False),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    for argument, default in pairs:
        if isinstance(default, ast.Constant) and default.value is None:
            yield argument.arg


def _falls_back(symbols: SymbolTable, tool: FunctionRef, node: ast.AST, name: str) -> bool:
    """Return true for `Path(root) if root else Path.cwd()`, `root or "."` and their `if`."""
    if isinstance(node, ast.IfExp):
        test, choices = node.test, [node.body, node.orelse]
    elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        test, choices = node.values[0], node.values[1:]
    elif isinstance(node, ast.If):
        values = [n.value for n in (*node.body, *node.orelse) if isinstance(n, ast.Assign)]
        test, choices = node.test, values
    else:
        return False
    is_asked = any(isinstance(n, ast.Name) and n.id == name for n in walk(test))
    return is_asked and any(_is_own_directory(symbols, tool, choice) for choice in choices)


def _is_own_directory(symbols: SymbolTable, tool: FunctionRef, node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and called_name(node) == "Path" and len(node.args) == 1:
        node = node.args[0]
    if isinstance(node, ast.Call):
        return symbols.dotted_name(tool.source, node.func) in WORKING_DIRECTORY
    return constant_text(node) in {".", "./"}


def _calls_without(caller: FunctionRef, tool: FunctionRef, name: str) -> Iterator[ast.Call]:
    """Yield the calls of the tool that certainly do not give the parameter."""
    arguments = tool.site.node.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    place = positional.index(name) if name in positional else len(positional)
    for call in walk(caller.site.node):
        if not isinstance(call, ast.Call) or called_name(call) != tool.name:
            continue
        is_open = any(isinstance(argument, ast.Starred) for argument in call.args)
        is_given = any(keyword.arg in {name, None} for keyword in call.keywords)
        count = len(call.args) + (tool.site.owner is not None)
        if not (is_open or is_given or count > place):
            yield call
