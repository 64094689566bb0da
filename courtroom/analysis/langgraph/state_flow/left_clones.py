"""Clones that nothing removes, and clones that are made more than once: after the first is deleted
unread, or by several nodes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.state_flow.deleted_clone import (
    FOLDER,
    own_nodes,
    paths_from,
)
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.langgraph.state_flow.shallow_history import is_clone
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.certain_nodes import certain_nodes
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

MAKER = "tempfile.mkdtemp"
# Words of code that removes a folder.
REMOVALS = ("rmtree", "removedirs", "remove_tree", "rmdir", "rm -r", '"rm"', "'rm'", "cleanup(")
# Arguments that only say where git runs.
PLACES = frozenset({"cwd", "prefix", "dir", "env"})

# Words of keys that tell whether there is a clone.
_OF_PATHS = frozenset(
    words_of("path paths dir directory folder repo repository url clone cloned error")
)
Key = tuple[str, int]
Removals = Sequence[tuple[SourceFile, FunctionSite | None, int]]


def left_clones(call_graph: CallGraph, in_use: Sequence[FunctionRef]) -> Iterator[FlowFault]:
    """Yield clones into a folder of mkdtemp that no code removes once they are made.

    Where nothing that runs clones, the functions that nothing calls are read.
    """
    symbols = call_graph.symbols
    removals = list(_removals(symbols))
    cloners = list(filter(_clones, in_use))
    for function in cloners or filter(_clones, _functions_of(symbols)):
        if _is_called_in_folder(symbols, in_use, function):
            continue
        homes = [function, *call_graph.callees(function)]
        lines = (line for home in homes for line in _makers(symbols, home))
        rest = _why_left(symbols, function, removals)
        passing = "" if rest else _passing_return(call_graph, function, removals)
        for path, line in [*lines][:1] if rest or passing else ():
            time = "each run" if cloners else "each call"
            sentence = (
                f"{function.shown_name}() clones into a folder of"
                f" tempfile.mkdtemp(){rest or passing}: {'such a run' if passing else time} leaves"
                " its clone behind"
            )
            yield FlowFault("left_clone", sentence, path, line)


def _clones(function: FunctionRef) -> bool:
    has_word = "clone" in function.source.text
    return has_word and any(map(is_clone, own_nodes(function.site.node)))


def _functions_of(symbols: SymbolTable) -> Iterator[FunctionRef]:
    for source in symbols.codebase.production:
        yield from (FunctionRef(source, site) for site in source.functions)


def _removals(symbols: SymbolTable) -> Iterator[tuple[SourceFile, FunctionSite | None, int]]:
    """Yield the lines of code that may remove a folder, each with its innermost function."""
    for source in symbols.codebase.production:
        if not any(word in source.text for word in REMOVALS):
            continue
        for line, text in enumerate(source.text.split("\n"), start=1):
            code = text.strip()
            if any(word in code for word in REMOVALS) and not code.startswith(("#", "def ")):
                homes = [
                    site
                    for site in source.functions
                    if site.node.lineno <= line <= (site.node.end_lineno or line)
                ]
                yield source, max(homes, key=lambda site: site.node.lineno, default=None), line


def _why_left(
    symbols: SymbolTable,
    function: FunctionRef,
    removals: Removals,
) -> str:
    """Return the words on removals in vain; "" where one may remove the clone that was made."""
    failing = _failing_lines(function.site.node)
    idle: list[str] = []
    for source, site, line in removals:
        if source is function.source and line in failing:
            continue
        if site is None or _is_named(symbols, site):
            return ""
        idle.append(site.node.name)
    if idle:
        return f", and nothing calls {idle[0]}(), which removes a folder"
    return (
        " and removes it only where it fails"
        if removals
        else ", and no code of the product removes a folder"
    )


def _passing_return(call_graph: CallGraph, function: FunctionRef, removals: Removals) -> str:
    """Return the words on a return before the only removal, in code that does not clone itself.

    It hangs on other keys of the state than those of a path: another node has cloned by then.
    """
    failing = _failing_lines(function.site.node)
    homes = [row for row in removals if row[0] is not function.source or row[2] not in failing]
    source, site, line = homes[0] if len(homes) == 1 else (function.source, None, 0)
    if site is None:
        return ""
    remover = FunctionRef(source, site)
    reached = {other.key for other in call_graph.reachable_from([remover])}
    for test in site.node.body if function.key not in reached else ():
        last = test.body[-1] if isinstance(test, ast.If) else test
        if not isinstance(test, ast.If) or not isinstance(last, ast.Return) or last.lineno > line:
            continue
        keys = [key for node in walk(test.test) if (key := constant_text(node))]
        names = {node.id for node in walk(test.test) if isinstance(node, ast.Name)}
        words = {word for key in keys for word in words_of(key)}
        if keys and names == {_first_parameter(site)} and words.isdisjoint(_OF_PATHS):
            end = f"but not where it returns in line {last.lineno}"
            return f", which {remover.shown_name}() removes, {end}"
    return ""


def _first_parameter(site: FunctionSite) -> str:
    return next((argument.arg for argument in site.node.args.args), "")


def _failing_lines(function: ast.AST) -> frozenset[int]:
    """Return the lines of exception handlers and of branches that raise."""
    parts: list[Sequence[ast.stmt]] = []
    for node in own_nodes(function):
        if isinstance(node, ast.ExceptHandler):
            parts.append(node.body)
        elif isinstance(node, ast.If):
            branches = (node.body, node.orelse)
            parts += [part for part in branches if part and isinstance(part[-1], ast.Raise)]
    return frozenset(
        line
        for part in parts
        for line in range(part[0].lineno, (part[-1].end_lineno or part[-1].lineno) + 1)
    )


def _is_named(symbols: SymbolTable, site: FunctionSite) -> bool:
    """Return whether other code of the product names a function; imports alone call nothing."""
    name = site.node.name
    if name.startswith("__"):
        return True
    for source in symbols.codebase.production:
        if name not in source.text:
            continue
        if any(name in other.mentions for other in source.functions if other is not site):
            return True
        for statement in source.tree.body:
            is_own = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if not is_own and any(last_name(node) == name for node in walk(statement)):
                return True
    return False


def doubled_clones(symbols: SymbolTable, in_use: Sequence[FunctionRef]) -> Iterator[FlowFault]:
    """Yield clones into a TemporaryDirectory that is left without a look, before a second clone."""
    for function in in_use:
        nodes = own_nodes(function.site.node)
        clones = [node for node in nodes if is_clone(node)]
        for block in nodes if len(clones) > 1 else ():
            name = _entered_folder(symbols, function, block)
            inner = list(walk(block)) if name else []
            ids = {id(node) for node in inner}
            first = next((node for node in clones if id(node) in ids), None)
            second = next((node for node in clones if id(node) not in ids), None)
            if first is None or second is None or _is_used(inner, name):
                continue
            sentence = (
                f"{function.shown_name}() clones into a TemporaryDirectory that is deleted before"
                " anything reads it, and then clones again"
            )
            path = function.source.path
            other = path, getattr(second, "lineno", 1)
            yield FlowFault("doubled_clone", sentence, path, getattr(first, "lineno", 1), other)


def repeated_clones(
    call_graph: CallGraph, layers: Layers, again: Mapping[str, Sequence[int]]
) -> Iterator[FlowFault]:
    """Yield the clone that several nodes lead to, or one that runs in several steps of `again`."""
    cloners = {
        function.key: (function, node)
        for function in layers.in_use
        if "clone" in function.source.text
        for node in own_nodes(function.site.node)
        if is_clone(node)
    }
    makers: dict[str, tuple[FunctionRef, ast.AST]] = {}
    for name, function in layers.nodes.items() if cloners else ():
        reached = (cloners.get(other.key) for other in _surely_named(call_graph, function))
        if cloner := next(filter(None, reached), None):
            makers[name] = cloner
    steps = [step for name in makers for step in again.get(name, ())]
    if len(makers) < 2 and not steps:
        return
    function, node = next(iter(makers.values()))
    subject, where = f"the nodes {joined([*makers])} each lead", "more than one of them comes"
    if len(makers) == 1:
        subject = f"the node {next(iter(makers))}, which runs in the steps {joined([*map(str, steps)])}, leads"
        where = "the node comes each time"
    # A condition may keep a node from it.
    sentence = (
        f"{subject} to a clone of the repository: it is cloned more than once in a run in which"
        f" {where} to it"
    )
    line = getattr(node, "lineno", function.site.node.lineno)
    yield FlowFault("repeated_clone", sentence, function.source.path, line)


def cloned_again(call_graph: CallGraph, in_use: Sequence[FunctionRef]) -> Iterator[FlowFault]:
    """Yield the second of two statements of one block that each call what clones."""
    cloners = {function.key: True for function in filter(_clones, in_use)}
    for function in in_use if cloners else ():
        for node in (function.site.node, *own_nodes(function.site.node)):
            block = getattr(node, "body", None)
            calls: list[ast.Call] = []
            for statement in block if isinstance(block, list) else ():
                calls += list(_cloning(call_graph, function, statement, cloners))[:1]
            if len(calls) > 1:
                first, second = calls[:2]
                sentence = (
                    f"{function.shown_name}() clones by {called_name(first)}(), and"
                    f" {called_name(second)}() clones once more: a run may clone the repository"
                    " twice"
                )
                path = function.source.path
                other = path, first.lineno
                yield FlowFault("repeated_clone", sentence, path, second.lineno, other)


def _cloning(
    call_graph: CallGraph, function: FunctionRef, statement: ast.stmt, cloners: dict[Key, bool]
) -> Iterator[ast.Call]:
    """Yield the calls of a statement, made whenever it runs, of what comes to a clone by calls."""
    for node in certain_nodes([statement]):
        if isinstance(node, ast.Call):
            for callee in _only_called(call_graph, function, node):
                if callee.key not in cloners:
                    cloners[callee.key] = _comes_to_clone(call_graph, callee, cloners)
                if cloners[callee.key]:
                    yield node


def _comes_to_clone(call_graph: CallGraph, start: FunctionRef, cloners: dict[Key, bool]) -> bool:
    reached, keys = [start], {start.key}
    for function in reached:
        for node in own_nodes(function.site.node):
            for callee in _only_called(call_graph, function, node):
                if cloners.get(callee.key):
                    return True
                if callee.key not in keys:
                    keys.add(callee.key)
                    reached.append(callee)
    return False


def _only_called(call_graph: CallGraph, home: FunctionRef, node: ast.AST) -> list[FunctionRef]:
    """Return the function of the work that a call means, where it can mean no other."""
    callees = call_graph.called_by(home.source, node) if isinstance(node, ast.Call) else []
    called = {callee.key: callee for callee in callees}
    return list(called.values()) if len(called) == 1 else []


def _surely_named(call_graph: CallGraph, start: FunctionRef) -> Iterator[FunctionRef]:
    """Yield a function and those that it leads to by names that mean no other function."""
    reached, queue = {start.key}, [start]
    for function in queue:
        yield function
        callees = call_graph.callees(function)
        names = [callee.name for callee in callees]
        for callee in callees:
            if callee.key not in reached and names.count(callee.name) == 1:
                reached.add(callee.key)
                queue.append(callee)


def _makers(symbols: SymbolTable, function: FunctionRef) -> Iterator[tuple[str, int]]:
    for node in walk(function.site.node):
        if isinstance(node, ast.Call) and symbols.dotted_name(function.source, node.func) == MAKER:
            yield function.source.path, node.lineno


def _is_called_in_folder(
    symbols: SymbolTable, in_use: Sequence[FunctionRef], function: FunctionRef
) -> bool:
    """Return whether a caller has a TemporaryDirectory, which it may hand over."""
    for caller in in_use:
        nodes = list(walk(caller.site.node))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        is_caller = any(called_name(call) == function.name for call in calls)
        makers = (symbols.dotted_name(caller.source, call.func) for call in calls)
        if is_caller and FOLDER in makers:
            return True
    return False


def _entered_folder(symbols: SymbolTable, function: FunctionRef, block: ast.AST) -> str:
    """Return the name of the path of a TemporaryDirectory in a `with`, "" where it is none."""
    for item in block.items if isinstance(block, ast.With) else ():
        maker, name = item.context_expr, item.optional_vars
        called = symbols.dotted_name(function.source, getattr(maker, "func", maker))
        if isinstance(name, ast.Name) and called == FOLDER:
            return name.id
    return ""


def _is_used(nodes: Sequence[ast.AST], folder: str) -> bool:
    """Return whether a path in the folder is used for more than the clone and where git runs."""
    plain = [node for node in nodes if is_clone(node)]
    plain += [node.value for node in nodes if isinstance(node, ast.keyword) and node.arg in PLACES]
    paths = paths_from(nodes, frozenset({folder}), folder)
    assigned = (n for n in nodes if isinstance(n, ast.Assign | ast.AnnAssign))
    plain += [
        n.value
        for n in assigned
        if n.value
        for target in (n.targets if isinstance(n, ast.Assign) else [n.target])
        if isinstance(target, ast.Name) and target.id in paths
    ]
    ids = {id(inner) for node in plain for inner in walk(node)}
    return any(
        isinstance(node, ast.Name)
        and node.id in paths
        and isinstance(node.ctx, ast.Load)
        and id(node) not in ids
        for node in nodes
    )
