"""Clones of the last commits only whose history the work reads: the rest is cut off."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, Place
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    walk,
)

HISTORY_COMMANDS = frozenset({"log", "rev-list", "shortlog"})
# The most commits that the shipped rubrics count to are more than fifteen.
ENOUGH_COMMITS = 16
MOST_DIGITS = 10
# Ways to fetch the rest of a history.
DEEPENING = ("unshallow", "--deepen", "shallow-since")

Tests = tuple[ast.expr, ...]


@dataclass(frozen=True, slots=True)
class _Depth:
    """Number of commits of a clone, what lifts the limit, or "", and the words that set it later."""

    commits: str
    exception: str = ""
    words: ast.List | None = None


def shallow_histories(in_use: Sequence[FunctionRef]) -> Iterator[FlowFault]:
    """Yield the clone with a small depth where all have one and a function reads the history."""
    if any(word in function.source.text for function in in_use for word in DEEPENING):
        return
    nodes = [(function, node) for function in in_use for node in walk(function.site.node)]
    clones = [(function, node) for function, node in nodes if is_clone(node)]
    readers = [(function, node) for function, node in nodes if _reads_history(node)]
    depths = [_depth_of(clone, node, nodes) for clone, node in clones]
    if readers and depths and all(depths) and (depth := depths[0]):
        (clone, command), (reader, reading) = clones[0], readers[0]
        reads = "" if reader.key == clone.key else f"{reader.name}() "
        count = depth.commits
        # By merges a depth holds more commits than steps.
        held = (
            "one commit"
            if count == "1"
            else f"only what lies within {count} steps of the last commit"
        )
        sentence = (
            f"{clone.name}() clones with depth {count}{depth.exception} and {reads}reads the history:"
            f" the clone {'then ' * bool(depth.exception)}holds {held}"
        )
        place = _place(reader, reading)
        yield FlowFault("shallow_history", sentence, *_place(clone, depth.words or command), place)


def _place(function: FunctionRef, node: ast.AST) -> Place:
    return function.source.path, getattr(node, "lineno", function.site.node.lineno)


def _words(node: ast.AST) -> list[str | None]:
    """Return the words of a command that is written as a list; None for what is computed."""
    return [constant_text(part) for part in node.elts] if isinstance(node, ast.List) else []


def is_clone(node: ast.AST) -> bool:
    """Return true for GitPython's clone, and for a command: git or what is computed, then clone.

    Where clone is the first word, a runner puts git before it. An address is never written out: a
    list of other words is looked for in a text.
    """
    words = _words(node)
    if "clone" not in words:
        return isinstance(node, ast.Call) and called_name(node) == "clone_from"
    place = words.index("clone")
    before, after = words[:place], words[place + 1 :]
    is_git = any(word and word.removesuffix(".exe").endswith("git") for word in before)
    # Options alone wait for the address; any other words are those of a search.
    is_command = None in after or all(map(_waits_for_more, after))
    return (is_git and is_command) or (before in ([], [None]) and None in after)


def _waits_for_more(word: str | None) -> bool:
    return word is not None and (word.startswith("-") or word.isdigit())


def _depth_of(
    function: FunctionRef, node: ast.AST, nodes: Sequence[tuple[FunctionRef, ast.AST]]
) -> _Depth | None:
    """Return the depth of a clone as far as the code tells; None where it may have none."""
    commits = _depth(node) or _default_depth(function, node, nodes)
    return _Depth(commits) if commits else _added_depth(function, node)


def _added_depth(function: FunctionRef, node: ast.AST) -> _Depth | None:
    """Return the depth by words that are added to a command later, always or by default."""
    assigned = (part for part in walk(function.site.node) if isinstance(part, ast.Assign))
    targets = [target for part in assigned if part.value is node for target in part.targets]
    for tests, words in _additions(
        function.site.node.body, last_name(targets[0]) if targets else ""
    ):
        commits = _depth(words)
        exception = _exception(tests[0], function) if len(tests) == 1 else ""
        if commits and (exception or not tests):
            return _Depth(commits, exception, words)
    return None


def _additions(
    body: Iterable[ast.stmt], name: str, tests: Tests = ()
) -> Iterator[tuple[Tests, ast.List]]:
    """Yield the lists that are added to the one of this name, with the conditions around."""
    for statement in body if name else ():
        value: ast.AST | None = getattr(statement, "value", None)
        target: ast.AST | None = getattr(statement, "target", None)
        if isinstance(value, ast.Call) and called_name(value) == "extend" and value.args:
            target, value = getattr(value.func, "value", None), value.args[0]
        elif not isinstance(statement, ast.AugAssign):
            target = None
        if isinstance(target, ast.Name) and target.id == name and isinstance(value, ast.List):
            yield tests, value
        inner = (*tests, statement.test) if isinstance(statement, ast.If) else tests
        yield from _additions(getattr(statement, "body", ()), name, inner)


def _exception(test: ast.expr, function: FunctionRef) -> str:
    """Return what makes a test of a parameter false that holds by its default, in words."""
    is_denied = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    name = last_name(test.operand if isinstance(test, ast.UnaryOp) else test)
    default = _defaults(function.site.node.args).get(name)
    value = default.value if isinstance(default, ast.Constant) else None
    if value is not (not is_denied) or _is_set(name, function):
        return ""
    return f" unless {name} is {'true' if is_denied else 'false'}"


def _depth(node: ast.AST) -> str:
    """Return the depth of a clone, "" where it has none, a large or a computed one."""
    if isinstance(node, ast.Call):
        depth = keyword_of(node, "depth")
        depths = [str(depth.value)] if isinstance(depth, ast.Constant) else []
        return _small(depths)
    words = _words(node)
    joined = [word.removeprefix("--depth=") for word in words if word and "--depth=" in word]
    apart = [number for word, number in itertools.pairwise(words) if word == "--depth"]
    return _small([*joined, *apart])


def _default_depth(
    function: FunctionRef, node: ast.AST, nodes: Sequence[tuple[FunctionRef, ast.AST]]
) -> str:
    """Return the depth that a parameter of the cloning function has where no call hands one over.

    `nodes` are those of all functions, with their functions.
    """
    name = _depth_name(node)
    arguments = function.site.node.args
    places = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    place = places.index(name) if name in places else len(places)
    calls = [
        call
        for _, call in nodes
        if isinstance(call, ast.Call) and called_name(call) == function.name
    ]
    is_open = not calls or any(_hands_over(call, name, place) for call in calls)
    default = _defaults(arguments).get(name)
    if is_open or not isinstance(default, ast.Constant) or _is_set(name, function):
        return ""
    return _small([str(default.value)])


def _defaults(arguments: ast.arguments) -> dict[str, ast.expr | None]:
    places = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    named = [argument.arg for argument in arguments.kwonlyargs]
    last = zip(reversed(places), reversed(arguments.defaults), strict=False)
    return dict([*last, *zip(named, arguments.kw_defaults, strict=True)])


def _is_set(name: str, function: FunctionRef) -> bool:
    names = (part for part in walk(function.site.node) if isinstance(part, ast.Name))
    return any(part.id == name and isinstance(part.ctx, ast.Store) for part in names)


def _depth_name(node: ast.AST) -> str:
    """Return the name after --depth: `str(depth)`, `depth=depth`."""
    if isinstance(node, ast.Call):
        return last_name(keyword_of(node, "depth") or node)
    words = node.elts if isinstance(node, ast.List) else []
    after = (later for word, later in itertools.pairwise(words) if constant_text(word) == "--depth")
    value = next(after, None)
    is_text = isinstance(value, ast.Call) and called_name(value) == "str" and len(value.args) == 1
    part = value.args[0] if is_text and isinstance(value, ast.Call) else value
    return part.id if isinstance(part, ast.Name) else ""


def _hands_over(call: ast.Call, name: str, place: int) -> bool:
    """Return true for a call that may set the parameter; `place` counts from a method's self."""
    is_open = any(isinstance(part, ast.Starred) for part in call.args)
    is_method = isinstance(call.func, ast.Attribute)
    named = {keyword.arg for keyword in call.keywords}
    return is_open or None in named or name in named or len(call.args) + is_method > place


def _small(depths: Sequence[str | None]) -> str:
    # A text of a student may be no number that int() takes.
    known = (text for text in depths if text and text.isdecimal() and len(text) < MOST_DIGITS)
    return next((text for text in known if 0 < int(text) < ENOUGH_COMMITS), "")


def _reads_history(node: ast.AST) -> bool:
    if isinstance(node, ast.List):
        return _is_history_command(_words(node))
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    is_git_log = node.func.attr == "log" and last_name(node.func.value) == "git"
    return is_git_log or node.func.attr == "iter_commits"


def _is_history_command(words: Sequence[str | None]) -> bool:
    """Return true for git and its command, and for a command with an option: a runner adds git."""
    if "git" in words:
        return not HISTORY_COMMANDS.isdisjoint(words)
    command, options = words[:1], words[1:2]
    return not HISTORY_COMMANDS.isdisjoint(command) and any(map(_is_option, options))


def _is_option(word: str | None) -> bool:
    return word is not None and word.startswith("-")
