"""Lines of detectives that report evidence as found without depending on what was examined."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from courtroom.analysis.langgraph.access_guards import (
    CRITERIA,
    DEFINITIONS,
    NO_GUARDS,
    AccessGuards,
    guards_of,
)
from courtroom.analysis.langgraph.dispatch_keys import dispatch_keys
from courtroom.analysis.langgraph.full_results import full_result
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.search_gaps import reading_gap
from courtroom.analysis.langgraph.routers import vocabulary
from courtroom.analysis.langgraph.unexamined_evidence import (
    NO_LOOK,
    SAID_FIELDS,
    affirming_evidence,
    filled,
    given_names,
    joined_tests,
    rendered_pages,
    shown_failures,
    shows_a_result,
    turned_evidence,
    unexamined_evidence,
    unexamined_pictures,
    written_words,
)
from courtroom.analysis.locations import shown
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    last_name,
    push_children,
    walk,
    words_of,
)

# Values that only sometimes are computed.
CONDITIONAL_VALUES = (
    ast.IfExp,
    ast.BoolOp,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Lambda,
)
BLOCKS = (ast.Try, ast.TryStar, ast.While, ast.Match)
# Fields that hold what was seen; a goal and a rationale may come from the rubric.
SHOWN_FIELDS = ("content", "location")
# Words of code that reports something to the judges.
REPORTED = frozenset(words_of("evidence evidences finding findings found"))
# Words of the name of a detective that looks at pictures.
PICTURES = frozenset(words_of("vision visual image images picture pictures diagram diagrams"))
# Of evidence that was not found these alone say so.
NOT_YET = NO_LOOK - {"unavailable"}
# A text that says that nothing was there begins so.
NOTHING = ("no ", "none", "nothing", "not ")
# What was examined where evidence says that the work was reached.
REACHED = frozenset(words_of("cloned downloaded fetched accessible reachable"))
OPENED = frozenset(words_of("ingest ingested ingestion parsed opened loaded indexed"))

# What is said of evidence that may hold a text by which a call says that it did not look.
FOUND_UNLOOKED = "reports evidence with found=True also where "
# What is said of a detective for pictures in a work whose code looks at none.
NO_PICTURE = "hands a picture to a model or reads what is on one."
# Signs of such code.
_LOOK_AT_PICTURE = re.compile(
    r"image_url|b64encode|inline_data|media_type|image/(?:png|jpe?g)|pytesseract|image_to_string"
    r"|\bcv2\b|getpixel|upload_file|from_bytes|files\.upload|generate_content|ocr\b|\bimages="
    r"|[\"']image[\"']"
)
_COMMENT = re.compile(r"#.*")

Nodes = Iterator[tuple[ast.AST, bool]]


@dataclass(frozen=True, slots=True)
class AssumedEvidence:
    """Evidence with a `found` that always holds, at `line` of the function.

    `found` and `confidence` are as written; a confidence of "" is none. `is_varied`: the content
    shows what a call gave. `denial` is what this content says where that was nothing, or "".
    `is_rest`: it stands for all of which nothing else was collected. `because`: why a `found` that
    is no constant always holds.
    """

    function: FunctionRef
    line: int
    found: str
    confidence: str
    is_varied: bool = False
    denial: str = ""
    is_rest: bool = False
    because: str = ""


def always_found(
    call_graph: CallGraph, layers: Layers, *, on_pictures: bool = False
) -> tuple[list[dict[str, Any]], str]:
    """Return the detectives' assumed evidence as facts, and why the search is incomplete or "".

    With `on_pictures` it is that of the detectives that look at pictures alone, else of the others.
    """
    names = [name for name, role in layers.roles.items() if role == "detective"]
    of_pictures = [name for name in names if not PICTURES.isdisjoint(words_of(name))]
    other_detectives = [layers.nodes[name] for name in names if name not in of_pictures]
    elsewhere = {function.key for function in call_graph.reachable_from(other_detectives)}
    detectives = [layers.nodes[name] for name in of_pictures] if on_pictures else other_detectives
    reached = [
        function
        for function in call_graph.reachable_from(detectives)
        if not on_pictures or function.key not in elsewhere
    ]
    rows = [
        shown(text, (function.source.path, line))
        for text, function, line in _statements(call_graph, detectives, reached)
    ]
    # A detective may look at pictures too, in a class or function of that name.
    besides = (
        function
        for function in call_graph.reachable_from(other_detectives)
        if not PICTURES.isdisjoint(words_of(function.shown_name))
    )
    of_pictures_alone = [*reached, *besides] if on_pictures else []
    unexamined = [
        (function, line, f"found=True {words}")
        for function, line, words in unexamined_pictures(call_graph, of_pictures_alone)
    ]
    for function, line, words in [*unexamined, *rendered_pages(of_pictures_alone)]:
        place = function.source.path, line
        if all(place != (p["path"], p["line"]) for row in rows for p in row["places"]):
            text = f"{function.shown_name} reports evidence with {words}."
            rows.append(shown(text, place))
    return rows, _gap(call_graph, layers)


def found_in_any_clone(
    call_graph: CallGraph, layers: Layers
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """Return evidence that hangs only on whether there is a work to read, and such evidence whose
    content shows what was read; detectives for pictures apart.

    The third value says why the search is incomplete, or "".
    """
    detectives = [
        layers.nodes[name]
        for name, role in layers.roles.items()
        if role == "detective" and PICTURES.isdisjoint(words_of(name))
    ]
    always = {
        (item.function.key, item.line)
        for item in assumed_evidence(call_graph, detectives)
        if not item.is_varied
    }
    rows, varied = [], []
    for item in assumed_evidence(call_graph, detectives, is_read=True):
        place = item.function.source.path, item.line
        if item.is_varied:
            varied.append(shown(_varied_sentence(item), place))
        elif (item.function.key, item.line) not in always:
            rows.append(shown(_guarded_sentence(item), place))
    varied += [
        shown(
            f"{function.shown_name} gives evidence the text “{text}” also where `{written}` is"
            " false.",
            (function.source.path, line),
        )
        for function, line, text, written in affirming_evidence(
            call_graph.reachable_from(detectives)
        )
    ]
    every = [layers.nodes[name] for name, role in layers.roles.items() if role == "detective"]
    varied += [
        shown(
            f"{function.shown_name} {FOUND_UNLOOKED}{words}.",
            (function.source.path, line),
        )
        for function, line, words in shown_failures(call_graph, call_graph.reachable_from(every))
    ]
    varied += _unseen_pictures(call_graph, layers)
    rows += [
        shown(
            f"{function.shown_name} reports evidence with found=False whose own text says “{word}”,"
            " for every work.",
            (function.source.path, line),
        )
        for function, line, word in denied_evidence(detectives)
    ]
    return rows, varied, _gap(call_graph, layers)


def _unseen_pictures(call_graph: CallGraph, layers: Layers) -> Iterator[dict[str, Any]]:
    """Yield a detective for pictures where no code of the product has a sign of a look at one."""
    sources = call_graph.symbols.codebase.production
    if any(_LOOK_AT_PICTURE.search(_COMMENT.sub("", source.text)) for source in sources):
        return
    for name, role in layers.roles.items():
        if role == "detective" and not PICTURES.isdisjoint(words_of(name)):
            function = layers.nodes[name]
            text = f"No code was recognised by which {name} {NO_PICTURE}"
            yield shown(text, (function.source.path, function.site.node.lineno))


def _guarded_sentence(item: AssumedEvidence) -> str:
    where = (
        "where it collected nothing else" if item.is_rest else "wherever there is a work to read"
    )
    return (
        f"{item.function.shown_name} reports {_written(item)}, {where}; nothing that was examined"
        " in it leads to it."
    )


def _varied_sentence(item: AssumedEvidence) -> str:
    beside = "beside content that comes from what was read"
    if item.denial:
        beside = f"also where the content is “{item.denial}”"
    if item.found.startswith("len("):
        beside += "; no length is less than 0"
    if item.because:
        beside += f"; {item.because}"
    return f"{item.function.shown_name} reports {_written(item)}, {beside}."


def _written(item: AssumedEvidence) -> str:
    if item.because:
        confidence = f" and confidence {item.confidence}" if item.confidence else ""
        return f"evidence with found={item.found}{confidence}, which always holds"
    both = f" and confidence {item.confidence}, both" if item.confidence else ","
    return f"evidence with found={item.found}{both} written in the code"


def _statements(
    call_graph: CallGraph, detectives: Sequence[FunctionRef], reached: Sequence[FunctionRef]
) -> Iterator[tuple[str, FunctionRef, int]]:
    """Yield what is said of each assumed evidence in the code that detectives reach, with its place."""
    keys = {function.key for function in reached}
    for item in assumed_evidence(call_graph, detectives):
        text = (
            f"{item.function.shown_name} reports {_written(item)}; no condition on what was"
            " examined leads to it, and its content shows nothing of it."
        )
        if item.function.key in keys and not item.is_varied:
            yield text, item.function, item.line
    for function, line, word in unexamined_evidence(reached):
        text = "reports evidence with found=True whose own text says"
        yield f"{function.shown_name} {text} “{word}”.", function, line
    for function, line in turned_evidence(reached):
        text = "sets found=True on evidence that says it was not found."
        yield f"{function.shown_name} {text}", function, line


def _gap(call_graph: CallGraph, layers: Layers) -> str:
    """Return why the search for assumed evidence is incomplete, "" where it is not."""
    detectives = [layers.nodes[name] for name, role in layers.roles.items() if role == "detective"]
    if not detectives:
        return "no node of a detective was found"
    if layers.unfollowed.get("detective"):
        return f"the code of the node {layers.unfollowed['detective'][0]} could not be followed"
    reached = call_graph.reachable_from(detectives)
    if not any(vocabulary(function.site.node) & REPORTED for function in reached):
        return "the detectives report no evidence"
    return reading_gap(call_graph.symbols.codebase)


def assumed_evidence(
    call_graph: CallGraph, starts: Iterable[FunctionRef], *, is_read: bool = False
) -> Iterator[AssumedEvidence]:
    """Yield evidence in `starts`, and in what they always call, that no condition leads to.

    The choice of a criterion, by a test, a loop or a table of lambdas, counts as no condition. With
    `is_read` nor does that there is a work to read, unless the evidence says so.
    A `try` around evidence that shows nothing of what a call gave counts as a condition, since an
    exception may decide, but not where every text is written in the code.
    """
    visited: set[tuple[str, int]] = set()
    queue = [(function, frozenset[str]()) for function in starts]
    while queue:
        function, keys = queue.pop(0)
        if function.key in visited:
            continue
        visited.add(function.key)
        guards = replace(guards_of(function) if is_read else NO_GUARDS, keys=keys)
        always = list(_always(function.site.node.body, guards))
        always += _chosen_lambdas(call_graph, function, always)
        given = given_names(function)
        calls: dict[str, list[ast.Call]] = {}
        for node, _ in always:
            if isinstance(node, ast.Call):
                calls.setdefault(called_name(node), []).append(node)
        queue += [
            (callee, dispatch_keys(callee, function, calls[callee.name]))
            for callee in call_graph.callees(function)
            if callee.name in calls
        ]
        for node, is_tried in always:
            full = full_result(call_graph, function, fields_of(node).get("found"))
            test = found_word(node, guards) or (full.test if full else "")
            confidence = _assumed_confidence(node)
            is_rest = is_read and _is_rest(function, node)
            is_said = is_read and (_says_reached(node) or (is_rest and _says_nothing(node)))
            if not test or confidence is None or is_said:
                continue
            is_varied = shows_a_result(node, given)
            if is_varied or not (is_tried and _says_something_examined(node)):
                line, denial = getattr(node, "lineno", 1), _denial(node, function)
                denial, because = (full.text or denial, full.because) if full else (denial, "")
                item = AssumedEvidence(function, line, test, confidence, is_varied, denial)
                yield replace(item, is_rest=is_rest, because=because)


def _chosen_lambdas(
    call_graph: CallGraph, function: FunctionRef, always: Iterable[tuple[ast.AST, bool]]
) -> Nodes:
    """Yield what the lambdas of a module's table compute where one of them is always called."""
    statements = call_graph.symbols.top_level_names(function.source)
    for node, is_tried in always:
        called = node.func if isinstance(node, ast.Call) else None
        if not isinstance(called, ast.Subscript) or not isinstance(called.value, ast.Name):
            continue
        table = getattr(statements.get(called.value.id), "value", None)
        for option in table.values if isinstance(table, ast.Dict) else ():
            if isinstance(option, ast.Lambda):
                yield from ((inner, is_tried) for inner in _values(option.body))


def _says_reached(node: ast.AST) -> bool:
    words = {name: set(written_words(value)) for name, value in fields_of(node).items()}
    fields = set().union(*(words.get(name, ()) for name in (*SAID_FIELDS, "goal")))
    subject = {*words.get("goal", ()), *words.get("content", ())}
    return not (REACHED.isdisjoint(fields) and OPENED.isdisjoint(subject))


def _always(body: Iterable[ast.stmt], guards: AccessGuards, *, is_tried: bool = False) -> Nodes:
    """Yield the nodes that run however the conditions turn out, and whether a `try` is around."""
    for statement in body:
        if isinstance(statement, DEFINITIONS):
            continue
        yield from ((node, is_tried) for part in _heads(statement) for node in _values(part))
        is_tried_inside = is_tried or isinstance(statement, ast.Try)
        yield from _always(_bodies(statement, guards), guards, is_tried=is_tried_inside)
        # Code below runs only when no condition above leaves; the choice of a criterion may.
        if not _is_choice(statement, guards) and guards.may_leave(statement):
            return


def _heads(statement: ast.stmt) -> list[ast.AST]:
    """Return what a statement computes before its body, or the whole of a simple one."""
    if isinstance(statement, ast.If):
        return [statement.test]
    if isinstance(statement, ast.For | ast.AsyncFor):
        return [statement.iter]
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [item.context_expr for item in statement.items]
    return [] if isinstance(statement, BLOCKS) else [statement]


def _bodies(statement: ast.stmt, guards: AccessGuards) -> list[ast.stmt]:
    """Return the statements inside that no condition but the choice of a criterion leads to."""
    if isinstance(statement, ast.If) and (
        _is_choice(statement, guards) or guards.is_guard(statement.test)
    ):
        return [*statement.body, *statement.orelse]
    if isinstance(statement, ast.For | ast.AsyncFor) and _is_choice(statement, guards):
        return statement.body
    if isinstance(statement, ast.With | ast.AsyncWith | ast.Try):
        return statement.body
    return []


def _is_choice(statement: ast.stmt, guards: AccessGuards) -> bool:
    if isinstance(statement, ast.If):
        if guards.names is not None and _fills_the_empty(statement):
            return True
        parts = [part for part in joined_tests(statement.test) if not guards.is_guard(part)]
        return bool(parts) and all(_chooses_criterion(part, guards.keys) for part in parts)
    return isinstance(statement, ast.For | ast.AsyncFor) and _goes_over_criteria(statement)


def _values(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the node and all inside it that is always computed with it."""
    stack: list[ast.AST] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, CONDITIONAL_VALUES):
            continue
        yield current
        push_children(current, stack)


def _goes_over_criteria(loop: ast.For | ast.AsyncFor) -> bool:
    return _names_criterion(loop.iter) or any(
        isinstance(statement, ast.If) and _chooses_criterion(statement.test)
        for statement in loop.body
    )


def _chooses_criterion(test: ast.expr, keys: frozenset[str] = frozenset()) -> bool:
    """Return true for a comparison of a criterion's name, or of a key, with texts, and nothing else."""
    if not isinstance(test, ast.Compare):
        return False
    if not (_names_criterion(test.left) or last_name(test.left) in keys):
        return False
    options = [
        option
        for side in test.comparators
        for option in (side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side])
    ]
    return all(constant_text(option) is not None for option in options)


def _names_criterion(node: ast.expr) -> bool:
    names = [last_name(inner) or constant_text(inner) or "" for inner in walk(node)]
    return any(CRITERIA & set(words_of(name)) for name in names)


def _assumed_confidence(node: ast.AST) -> str | None:
    """Return the written confidence of evidence, None for a computed one.

    "" is evidence without a confidence whose every text is written in the code.
    """
    fields = fields_of(node)
    confidence = fields.get("confidence")
    if confidence is None:
        texts = [fields[name] for name in SAID_FIELDS if name in fields]
        return "" if texts and all(constant_text(text) for text in texts) else None
    options = (
        [confidence.body, confidence.orelse] if isinstance(confidence, ast.IfExp) else [confidence]
    )
    numbers = [
        str(option.value)
        for option in options
        if isinstance(option, ast.Constant) and type(option.value) in (int, float)
    ]
    return " or ".join(numbers) if len(numbers) == len(options) else None


def _says_something_examined(node: ast.AST) -> bool:
    """Return whether a field for what was seen holds more than a text of the code."""
    fields = fields_of(node)
    texts = [fields[name] for name in SHOWN_FIELDS if name in fields]
    return not texts or any(constant_text(value) is None for value in texts)


def found_word(node: ast.AST, guards: AccessGuards) -> str:
    """Return the `found` of a record as it is written where it always holds, "" for all else."""
    match fields_of(node).get("found"):
        case ast.Constant(value=True):
            return "True"
        case (
            ast.Compare(
                left=ast.Call(func=ast.Name(id="len")),
                ops=[ast.GtE()],
                comparators=[ast.Constant(value=0)],
            ) as value
        ):
            return ast.unparse(value)
        case ast.expr() as value if guards.always_holds(value):
            return ast.unparse(value)
    return ""


def _fills_the_empty(statement: ast.If) -> bool:
    """Return true for `if not items: items.append(...)`: what stands for all that is left."""
    match statement.test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
            fills = (filled(node) for part in statement.body for node in walk(part))
            return any(target is not None and target.id == name for target in fills)
    return False


def _says_nothing(node: ast.AST) -> bool:
    """Return true where a text says "No unsafe calls": to collect nothing was what was looked for."""
    texts = (constant_text(fields_of(node).get(name)) or "" for name in SAID_FIELDS)
    return any(text.lower().startswith(NOTHING) for text in texts)


def _is_rest(function: FunctionRef, evidence: ast.AST) -> bool:
    blocks = (n for n in walk(function.site.node) if isinstance(n, ast.If) and _fills_the_empty(n))
    return any(inner is evidence for b in blocks for part in b.body for inner in walk(part))


def _denial(node: ast.AST, function: FunctionRef) -> str:
    """Return the text, such as "No paths.", that the content has where nothing was there."""
    names = {n.id for n in walk(fields_of(node).get("content") or node) if isinstance(n, ast.Name)}
    assigned = (n for n in walk(function.site.node) if isinstance(n, ast.Assign))
    values = [n.value for n in assigned if any(last_name(t) in names for t in n.targets)]
    options = [
        constant_text(option) or ""
        for value in (*values, fields_of(node).get("content"))
        if value is not None
        for choice in walk(value)
        if isinstance(choice, ast.IfExp)
        for option in (choice.body, choice.orelse)
    ]
    return next((text for text in options if text.lower().startswith(NOTHING)), "")


def denied_evidence(functions: Iterable[FunctionRef]) -> Iterator[tuple[FunctionRef, int, str]]:
    """Yield evidence with a written `found=False` that every work gets and whose text says that
    the look did not happen; after a failed access that is as it should be.
    """
    for function in functions:
        guards = guards_of(function)
        tests = (n for n in walk(function.site.node) if isinstance(n, ast.If))
        failed = {id(n) for test in tests if guards.is_guard(test.test) for n in walk(test)}
        for node, _ in _always(function.site.node.body, guards):
            fields = fields_of(node)
            is_found = fields.get("found")
            if not isinstance(is_found, ast.Constant) or is_found.value is not False:
                continue
            words = [
                w for name in SAID_FIELDS if name in fields for w in written_words(fields[name])
            ]
            word = next((word for word in words if word in NOT_YET), "")
            if word and id(node) not in failed:
                yield function, getattr(node, "lineno", 1), word
