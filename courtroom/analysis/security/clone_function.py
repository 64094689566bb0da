"""Function that clones the audited repository, and its precautions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from courtroom.analysis.python.call_graph import BUILTIN_METHODS, CallGraph, FunctionRef
from courtroom.analysis.python.source_files import CallSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    keyword_of,
    last_name,
    line_of_call,
    walk,
    words_of,
)
from courtroom.analysis.security.address_checks import (
    URL_WORDS,
    Lines,
    admissions,
    names_url,
    recorded_errors,
    refusals_of,
    validations,
)

CLONE_METHODS = frozenset({"clone_from"})
CLONE_FUNCTIONS = frozenset({"pygit2.clone_repository", "dulwich.porcelain.clone"})
TEMPORARY_FOLDERS = frozenset({"tempfile.TemporaryDirectory", "tempfile.mkdtemp"})
WAIT_CALLS = ("communicate", "wait", "wait_for", "result")
PROCESS_CALLS = frozenset({"run", "Popen", "call", "check_call", "check_output", *WAIT_CALLS})
TIMEOUTS = ("timeout", "kill_after_timeout")
LOG_WORDS = frozenset({"logger", "log", "logging", "console"})
# Methods and functions that return the words they are given in another form.
REWORDING = frozenset({"join", "split", "format"})
MAX_CALLER_ROUNDS = 2
# Further up, a folder counts when it is handed down.
MAX_HANDED_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class CloneReading:
    """Clone function, null when nothing clones.

    `calls` are the calls that clone, the chosen one first. `lines`: for each precaution,
    by fact name, where it is taken. `gap`: why a precaution that is not
    there may stand elsewhere, or a clone that was not recognized; "" when there is no such reason.
    `refusals`: where some addresses are refused before the clone, by whatever test. `others` are
    the further functions that clone.
    """

    function: FunctionRef | None = None
    lines: dict[str, list[tuple[SourceFile, int]]] = field(default_factory=dict)
    gap: str = ""
    calls: tuple[ast.Call, ...] = ()
    refusals: tuple[tuple[SourceFile, int], ...] = ()
    others: tuple[FunctionRef, ...] = ()

    @property
    def call_lines(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(map(line_of_call, self.calls)))

    @property
    def is_repeated(self) -> bool:
        """Return whether a loop of attempts holds the clone: `for attempt in range(3)`, `while True`."""
        nodes = walk(self.function.site.node) if self.function else ()
        loops = [node for node in nodes if isinstance(node, ast.While) or _counts_attempts(node)]
        return any(inner in self.calls for loop in loops for inner in walk(loop))

    @property
    def address(self) -> str | None:
        """Parameter that holds the address, by its name."""
        if self.function is None:
            return None
        parameters = self.function.site.node.args
        names = (arg.arg for arg in (*parameters.posonlyargs, *parameters.args))
        return next(filter(names_url, names), None)


def _counts_attempts(node: ast.AST) -> bool:
    """Return true for a loop over a range of numbers; one over len(rows) clones each row once."""
    if not isinstance(node, ast.For) or not isinstance(node.iter, ast.Call):
        return False
    calls = [inner for inner in walk(node.iter) if isinstance(inner, ast.Call)]
    return [called_name(call) for call in calls] == ["range"]


def read_clone(
    symbols: SymbolTable, call_graph: CallGraph, in_use: Iterable[FunctionRef]
) -> CloneReading:
    """Return the clone function; of several, one that runs and is named after it.

    `in_use` are the functions that run.
    """
    clones = list(_clone_calls(symbols)) or list(_handed_clones(call_graph))
    if not clones:
        return CloneReading(gap=_unrecognized_clone(call_graph))
    running = list(in_use)
    running_keys = {function.key for function in running}
    function, call = min(clones, key=lambda clone: _preference(clone[0], running_keys))
    calls = [other for home, other in clones if home.key == function.key]
    others = {home.key: home for home, _ in clones if home.key != function.key}

    context = _context_of(symbols, function)
    lines = {
        # A folder of its own is for callers who hand it none.
        "clone_in_tempdir": list(_passed_folders(symbols, function))
        or list(_temporary_folders(symbols, call_graph, [function]))
        or list(_temporary_folders(symbols, call_graph, context))
        or list(_handed_folders(call_graph, function)),
        "clone_timeout": [
            place for other in calls for place in _timeouts(call_graph, function, other)
        ],
        "clone_errors_handled": list(_error_handlers(function, calls, context)),
        "url_validated": [
            # A caller's own test may stand on a way that this clone does not take.
            *(
                list(validations(function, call, [function]))
                or validations(function, call, context)
            ),
            *recorded_errors(running),
            *admissions(running, function),
        ],
    }
    unique = {
        fact: list({(source.path, line): (source, line) for source, line in places}.values())
        for fact, places in lines.items()
    }
    ordered = (call, *(other for other in calls if other is not call))
    gap = _unknown_runner(call_graph, function, calls)
    refusals = tuple(refusals_of(function, call))
    return CloneReading(function, unique, gap, ordered, refusals, tuple(others.values()))


def _unrecognized_clone(call_graph: CallGraph) -> str:
    """Name a function that is called after a clone and passes an address to code nobody can read."""
    for source in call_graph.symbols.codebase.production:
        for site in source.functions:
            if "clone" in words_of(site.node.name) and any(
                _passes_address(call_graph, source, node) for node in walk(site.node)
            ):
                return (
                    f"{site.node.name} ({source.path}:{site.node.lineno}) is named after a clone,"
                    " but its way of cloning could not be followed"
                )
    return ""


def _passes_address(call_graph: CallGraph, source: SourceFile, node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not call_graph.is_unknown(source, node):
        return False
    receiver = last_name(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    words = {word for argument in node.args for word in words_of(last_name(argument))}
    return bool(words & URL_WORDS) and not set(words_of(receiver)) & LOG_WORDS


def _unknown_runner(call_graph: CallGraph, function: FunctionRef, calls: list[ast.Call]) -> str:
    """Name the call that runs the clone when its code is neither a library's nor readable."""
    if any(
        called_name(call) in CLONE_METHODS or not call_graph.is_unknown(function.source, call)
        for call in calls
    ):
        return ""
    place = f"{function.source.path}:{calls[0].lineno}"
    return f"{place} clones by {called_name(calls[0])}, which could not be followed"


def _preference(function: FunctionRef, running_keys: set[tuple[str, int]]) -> tuple[bool, ...]:
    owner = function.site.owner.name if function.site.owner else ""
    is_named_clone = "clone" in words_of(f"{owner} {function.name}")
    return (
        function.key not in running_keys,
        "test" in function.source.path,
        not is_named_clone,
    )


def _clone_calls(symbols: SymbolTable) -> Iterator[tuple[FunctionRef, ast.Call]]:
    for source in symbols.codebase.production:
        if "clone" not in source.text:
            continue
        commands = _clone_command_names(source)
        for site, dotted in symbols.calls(source):
            if site.function is None:
                continue
            if _is_clone(site, dotted, commands.get(id(site.function.node), set())):
                yield FunctionRef(source, site.function), site.node


def _handed_clones(call_graph: CallGraph) -> Iterator[tuple[FunctionRef, ast.Call]]:
    """Yield calls that hand on a list of words, "clone" first, to code that puts git before it."""
    for source in call_graph.symbols.codebase.production:
        if '"clone"' not in source.text and "'clone'" not in source.text:
            continue
        for site in source.functions:
            if not any(
                isinstance(node, ast.List) and _begins_clone(node) for node in walk(site.node)
            ):
                continue
            function = FunctionRef(source, site)
            runners = {runner.name for runner in _git_runners(call_graph, function)}
            for node in walk(site.node):
                if isinstance(node, ast.Call) and called_name(node) in runners:
                    yield function, node


def _git_runners(call_graph: CallGraph, function: FunctionRef) -> list[FunctionRef]:
    """Return the functions that one calls and that come to a list of words with git first."""
    reached = call_graph.reachable_from([function])
    git_keys = {other.key for other in reached if any(map(_begins_git, walk(other.site.node)))}
    return [
        other
        for other in reached
        if other.key != function.key
        and any(inner.key in git_keys for inner in call_graph.reachable_from([other]))
    ]


def _begins_git(node: ast.AST) -> bool:
    return isinstance(node, ast.List) and bool(node.elts) and constant_text(node.elts[0]) == "git"


def _clone_command_names(source: SourceFile) -> dict[int, set[str]]:
    """Return by function the local names that hold the words of a git clone command."""
    commands: dict[int, set[str]] = {}
    lines = source.text.split("\n")
    for site in source.functions:
        node = site.node
        # A search in the text spares the walk over most functions.
        if not any("clone" in line for line in lines[node.lineno - 1 : node.end_lineno]):
            continue
        for inner in walk(node):
            if (
                isinstance(inner, ast.Assign | ast.AnnAssign)
                and inner.value
                and _is_clone_command(inner.value)
            ):
                targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                names = {target.id for target in targets if isinstance(target, ast.Name)}
                commands.setdefault(id(node), set()).update(names)

    return commands


def _is_clone(site: CallSite, dotted: str, commands: set[str]) -> bool:
    func = site.node.func
    if dotted in CLONE_FUNCTIONS or dotted.endswith("git.clone"):
        return True
    if isinstance(func, ast.Attribute) and func.attr in CLONE_METHODS:
        return True

    if _only_words(site.node):
        return False
    arguments = [arg.value if isinstance(arg, ast.Starred) else arg for arg in site.node.args]
    # run_git(["clone", url]): the wrapper puts git in front.
    if "git" in words_of(called_name(site.node)) and arguments and _begins_clone(arguments[0]):
        return True
    if any(last_name(arg) in commands or _is_clone_command(arg) for arg in arguments):
        return True
    # The words may be arguments of their own, as for create_subprocess_exec.
    constants: list[ast.expr] = [arg for arg in arguments if isinstance(arg, ast.Constant)]
    return _is_clone_command(ast.List(constants, ast.Load()))


def _only_words(call: ast.Call) -> bool:
    """Return true for a call that runs nothing: a method of a text or list, a log, an error."""
    receiver = last_name(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    name = called_name(call)
    return (
        (isinstance(call.func, ast.Attribute) and name in BUILTIN_METHODS)
        or name == "print"
        or name.endswith(("Error", "Exception"))
        or bool(set(words_of(receiver)) & LOG_WORDS)
    )


def _begins_clone(node: ast.expr) -> bool:
    first = node.elts[0] if isinstance(node, ast.List | ast.Tuple) and node.elts else node
    return constant_text(first) == "clone"


def _is_clone_command(node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Tuple):
        words = [constant_text(member) for member in node.elts]
        return "clone" in words and any(word and word.endswith("git") for word in words)
    if isinstance(node, ast.BinOp):
        return _is_clone_command(node.left)
    if isinstance(node, ast.Call) and called_name(node) in REWORDING:
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return any(map(_is_clone_command, [*receiver, *node.args]))
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = constant_text(parts[0]) if parts else None
    return bool(text and text.strip().startswith("git clone"))


def _context_of(symbols: SymbolTable, function: FunctionRef) -> list[FunctionRef]:
    """Return the function, the methods of its class, and its callers, two calls up."""
    context = {function.key: function}
    if function.site.owner is not None:
        for site in function.source.functions:
            if site.owner is function.site.owner:
                method = FunctionRef(function.source, site)
                context.setdefault(method.key, method)

    names = {function.name}
    for _ in range(MAX_CALLER_ROUNDS):
        callers = [caller for caller in _callers(symbols, names) if caller.key not in context]
        context.update((caller.key, caller) for caller in callers)
        names = {caller.name for caller in callers}
    return list(context.values())


def _callers(symbols: SymbolTable, names: set[str]) -> Iterator[FunctionRef]:
    for source in symbols.codebase.production:
        if any(name in source.text for name in names):
            for site in source.functions:
                mentioned = site.mentions & names
                if mentioned and not mentioned <= _variables_of(site.node):
                    yield FunctionRef(source, site)


def _variables_of(function: ast.AST) -> set[str]:
    """Return the parameters and variables of a function: by their names it calls no other."""
    return {
        node.arg if isinstance(node, ast.arg) else node.id
        for node in walk(function)
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    }


def _temporary_folders(
    symbols: SymbolTable, call_graph: CallGraph, context: list[FunctionRef]
) -> Lines:
    """Yield where one of the functions, or one that they call, makes a temporary folder."""
    functions = [*context, *(callee for other in context for callee in call_graph.callees(other))]
    node_ids = {id(function.site.node) for function in functions}
    for source in {function.source.path: function.source for function in functions}.values():
        for site, dotted in symbols.calls(source):
            if (
                dotted in TEMPORARY_FOLDERS
                and site.function is not None
                and id(site.function.node) in node_ids
            ):
                yield source, site.node.lineno


def _passed_folders(symbols: SymbolTable, function: FunctionRef) -> Lines:
    """Yield the temporary folders that callers of the clone hand it themselves."""
    names = {_name_in_calls(function)}
    for caller in _callers(symbols, names):
        if caller.key != function.key:
            yield from _folders_handed_to(symbols, caller, names)


def _handed_folders(call_graph: CallGraph, function: FunctionRef) -> Lines:
    """Yield temporary folders that callers further up hand down to the clone."""
    below, names = {function.key}, {_name_in_calls(function)}
    for _ in range(MAX_HANDED_ROUNDS):
        callers = [
            caller
            for caller in _callers(call_graph.symbols, names)
            if caller.key not in below
            and any(callee.key in below for callee in call_graph.callees(caller))
        ]
        for caller in callers:
            yield from _folders_handed_to(call_graph.symbols, caller, names)
        below |= {caller.key for caller in callers}
        names = {_name_in_calls(caller) for caller in callers}


def _name_in_calls(function: FunctionRef) -> str:
    owner = function.site.owner
    return owner.name if owner is not None and function.name == "__init__" else function.name


def _folders_handed_to(symbols: SymbolTable, caller: FunctionRef, names: set[str]) -> Lines:
    """Yield where a function makes a temporary folder and hands it to one of `names`."""
    handed = {
        last_name(argument)
        for node in walk(caller.site.node)
        if isinstance(node, ast.Call) and called_name(node) in names
        for argument in (*node.args, *(keyword.value for keyword in node.keywords))
    }
    for node in walk(caller.site.node):
        makers: list[tuple[ast.expr, ast.expr | None]] = []
        if isinstance(node, ast.With | ast.AsyncWith):
            makers = [(item.context_expr, item.optional_vars) for item in node.items]
        elif isinstance(node, ast.Assign):
            makers = [(node.value, target) for target in node.targets]
        for maker, target in makers:
            is_folder = isinstance(maker, ast.Call) and (
                symbols.dotted_name(caller.source, maker.func) in TEMPORARY_FOLDERS
            )
            if is_folder and target is not None and last_name(target) in handed:
                yield caller.source, maker.lineno


def _timeouts(call_graph: CallGraph, function: FunctionRef, call: ast.Call) -> Lines:
    """Yield limits on the call itself, on its wrapper's call, or on waiting for the process."""
    if _has_timeout(call):
        yield function.source, call.lineno
    wrappers = [
        other for other in call_graph.reachable_from([function]) if other.name == called_name(call)
    ]
    wrapper_keys = {wrapper.key for wrapper in wrappers}

    for home in [function, *call_graph.reachable_from(wrappers)]:
        for site in home.source.calls:
            if site.function is not home.site or site.node is call:
                continue
            name = called_name(site.node)
            # Beside the clone itself, another process with a limit says nothing about it.
            is_process = name in PROCESS_CALLS and (
                home.key in wrapper_keys or _runs_what_it_is_given(home, site.node)
            )
            if (name in WAIT_CALLS or is_process) and _has_timeout(site.node):
                yield home.source, site.node.lineno


def _runs_what_it_is_given(function: FunctionRef, call: ast.Call) -> bool:
    """Return true for subprocess.run(words), where `words` is a parameter of the function."""
    parameters = {node.arg for node in walk(function.site.node.args) if isinstance(node, ast.arg)}
    return any(
        isinstance(node, ast.Name) and node.id in parameters
        for argument in call.args[:1]
        for node in walk(argument)
    )


def _has_timeout(call: ast.Call) -> bool:
    value = keyword_of(call, *TIMEOUTS)
    return value is not None and not (isinstance(value, ast.Constant) and value.value is None)


def _error_handlers(
    function: FunctionRef, clones: list[ast.Call], context: list[FunctionRef]
) -> Lines:
    """Yield a try around the clone or its function, or a test of the return code."""
    for other in context:
        is_clone = other.key == function.key
        for node in walk(other.site.node):
            handlers = [h for h in getattr(node, "handlers", ()) if not _is_silent(h)]
            if isinstance(node, ast.Try) and handlers:
                calls = [
                    inner
                    for statement in node.body
                    for inner in walk(statement)
                    if isinstance(inner, ast.Call)
                ]
                calls_function = not is_clone and any(
                    called_name(inner) == function.name for inner in calls
                )
                if calls_function or any(inner in clones for inner in calls):
                    yield other.source, handlers[0].lineno
            elif is_clone and isinstance(node, ast.If) and tests_return_code(node.test):
                yield other.source, node.lineno


def _is_silent(handler: ast.ExceptHandler) -> bool:
    """Return true for `except Exception: pass`, which neither notices nor reports anything."""
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in handler.body
    )


def tests_return_code(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "returncode" for node in walk(test))
