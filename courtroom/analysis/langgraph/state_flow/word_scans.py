"""Scans of sources for unsafe calls that take words for a call, or leave out a file by its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import FunctionRef, is_of_inner
from courtroom.analysis.python.tree_walk import called_name, constant_text, last_name, walk
from courtroom.analysis.security.value_origins import assigned_values

# By danger of `unsafe_call`: the beginnings of the words that a scan looks for.
WORDS = {
    "os_system": ("os.system", "os.popen"),
    "shell_true": ("shell=True",),
    "eval_exec": ("eval(", "exec("),
}
# Names that are followed from a text to the path of its file.
MOST_NAMES = 8
_READERS = frozenset({"read_text", "read", "getsource"})
_WALKERS = frozenset({"walk", "rglob", "glob", "iterdir", "listdir", "scandir"})
# A scan that reads the syntax as well may only use the words to save time.
_PARSERS = frozenset({"parse", "iter_child_nodes", "tokenize", "generate_tokens"})
_SAFETY = re.compile(r"unsafe|secur|danger|os\.system|shell=True", re.IGNORECASE)


def word_scans(in_use: Sequence[FunctionRef]) -> Iterator[FlowFault]:
    """Yield the tests by which such a scan goes; `keys` of a fault are the dangers it looks for."""
    for function in in_use:
        nodes = list(walk(function.site.node))
        calls = {called_name(node) for node in nodes if isinstance(node, ast.Call)}
        path = function.source.path
        text = _text_of(function)
        if calls & _WALKERS and _SAFETY.search(text):
            dangers = tuple(d for d, begins in WORDS.items() if any(b in text for b in begins))
            for line, sentence in _passed_over(function, nodes):
                yield FlowFault("word_scan", sentence, path, line, keys=dangers or ("os_system",))
        if not calls & _PARSERS:
            for line, danger, words, text_name in _searches(function, nodes):
                if is_of_inner(line, function, in_use):
                    continue
                sentence = (
                    f"{function.shown_name}() looks for the text “{words}” in sources: any mention of it"
                    f" counts as a call{_own_mention(function, text_name)}"
                )
                yield FlowFault("word_scan", sentence, path, line, keys=(danger,))


def _own_mention(function: FunctionRef, text: str) -> str:
    """Return what is said of the scan's own line, unless it reads another file by its name."""
    opened = {
        last_name(item.optional_vars): item.context_expr
        for node in walk(function.site.node)
        if isinstance(node, ast.With)
        for item in node.items
        if item.optional_vars is not None
    }
    # The text is read from a file, which is opened by a path.
    values, names = list[ast.expr](), [text]
    for name in names:
        own = [*assigned_values(function.site, name), *filter(None, [opened.get(name)])]
        values += own
        further = (n.id for value in own for n in walk(value) if isinstance(n, ast.Name))
        names += [n for n in further if n not in names] if len(names) < MOST_NAMES else []
    texts = [constant_text(node) or "" for value in values for node in walk(value)]
    files = {PurePosixPath(path).name for path in texts if path.endswith(".py")} - {".py", "*.py"}
    is_other = bool(files) and PurePosixPath(function.source.path).name not in files
    return "" if is_other else ", as this line itself would"


def _text_of(function: FunctionRef) -> str:
    node = function.site.node
    return "\n".join(function.source.text.split("\n")[node.lineno - 1 : node.end_lineno])


def _searches(
    function: FunctionRef, nodes: Sequence[ast.AST]
) -> Iterator[tuple[int, str, str, str]]:
    """Yield line, danger, words and text of tests on what was read, the first of every danger."""
    done: set[str] = set()
    for node in nodes:
        match node:
            case ast.Compare(
                left=left, ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() as text]
            ):
                words = constant_text(left) or ""
                danger = next((d for d, begins in WORDS.items() if words.startswith(begins)), "")
                if danger and danger not in done and _is_read(function, text.id):
                    done.add(danger)
                    yield node.lineno, danger, words, text.id


def _is_read(function: FunctionRef, name: str) -> bool:
    return any(
        isinstance(inner, ast.Call) and called_name(inner) in _READERS
        for value in assigned_values(function.site, name)
        for inner in walk(value)
    )


def _passed_over(function: FunctionRef, nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield the test by which a walk over files leaves out those of the file's own name."""
    own = PurePosixPath(function.source.path).name
    for node in nodes:
        match node:
            case ast.If(
                test=ast.Compare(ops=[ast.In() | ast.Eq()], comparators=[names]),
                body=[ast.Continue()],
            ):
                values = (
                    assigned_values(function.site, names.id)
                    if isinstance(names, ast.Name)
                    else [names]
                )
                texts = {constant_text(inner) for value in values for inner in walk(value)}
                if own in texts:
                    sentence = (
                        f"{function.shown_name}() passes over every file named {own}, as its own is,"
                        " whatever a work holds in it"
                    )
                    yield node.lineno, sentence
                    return
