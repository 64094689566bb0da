"""Rules of the Chief Justice that apply where they should not: to everything, or upwards."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.langgraph.judging.awaited_words import (
    awaited_words,
    quoted,
    reads_denials,
)
from courtroom.analysis.langgraph.judging.dead_conditions import parameter_names
from courtroom.analysis.langgraph.judging.later_settings import Setting, Settings
from courtroom.analysis.langgraph.judging.lost_shares import lost_shares
from courtroom.analysis.langgraph.judging.rule_detection import is_security_cap
from courtroom.analysis.langgraph.judging.rule_inputs import InputReader
from courtroom.analysis.langgraph.judging.rule_places import score_lines
from courtroom.analysis.langgraph.judging.rule_words import (
    CERTAIN_SPREAD,
    SAFE_TOOLS,
    SECURITY,
    SPREAD,
)
from courtroom.analysis.langgraph.judging.score_changes import (
    Assignments,
    ChangeReader,
    ScoreChange,
    assignments_in,
    is_conjunction,
    words_in,
)
from courtroom.analysis.langgraph.judging.score_runs import ScoreSearch
from courtroom.analysis.langgraph.judging.security_ground import read_security_ground
from courtroom.analysis.langgraph.judging.spread_defaults import SpreadDefault, spread_defaults
from courtroom.analysis.langgraph.judging.tech_lead_rule import (
    LIMIT_WORDS,
    lead_decides,
    lead_weighs_more,
    lines_of_weights,
    names_tech_lead,
)
from courtroom.analysis.langgraph.judging.text_values import constants_of
from courtroom.analysis.langgraph.judging.weight_scope import ARCHITECTURE, may_be_limited
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

CRITERION = frozenset(
    words_of("criterion criteria dimension dim target artifact artefact category kind id")
)
# What a rule compares with a number.
MEASURES = frozenset(words_of("score scores confidence rating"))
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
}
BLIND = "caps a score for security under a condition that does not look for security"
BLIND_SETS = (
    "sets a score for security under a condition that does not look for security: a lower score is"
    " raised"
)
SETS = "sets the score for security instead of capping it: a lower score is raised"
# Of sentences on a cap: it lifts scores.
RAISED = re.compile(r"is raised|can lift a score")
# The lowest score: no cap can raise to it.
LOWEST = 1


@dataclass(frozen=True, slots=True)
class LooseRule:
    """Rule at a line; `is_lifted` for a line that lifts a score above the cap before it."""

    function: FunctionRef
    line: int
    sentence: str
    is_lifted: bool = False


@dataclass(frozen=True, slots=True)
class Default:
    """Constant at `line` that stands in where the value of `name` is missing."""

    name: str
    value: bool | float
    line: int


def loose_rules(functions: list[FunctionRef]) -> Iterator[LooseRule]:
    """Yield rules in the Chief Justice's code without the condition that their name promises.

    Lines under the same condition are one rule: the first stands for them. Where no cap for
    security holds, `loose_caps` returns what is wrong with them.
    """
    reader = ChangeReader(functions)
    changes = [change for change in reader.changes() if not change.is_dead]
    yield from _unlimited_weight(functions, changes)
    yield from _unlimited_bonuses(functions, changes)
    # That no cap reads evidence is a fault by itself, and the same one.
    has_ground = read_security_ground(functions) != "opinions"
    inputs = InputReader({f.name: f for f in functions}) if has_ground else None
    caps: dict[tuple[int, str], LooseRule] = {}
    for change in changes:
        fault = _fault_of_cap(change, reader, inputs)
        if fault:
            caps.setdefault((id(change.tests[-1]), fault), _named(change, fault))
    yield from _set_by_words(changes, functions)
    loose = loose_caps(functions)
    yield from (rule for rule in (*caps.values(), *_undone_caps(changes)) if rule not in loose)
    for function in functions:
        yield from _met_by_default(function, [c for c in changes if c.function is function])
    yield from map(_spread_by_default, spread_defaults(functions, changes))
    for function, line in lost_shares(functions):
        sentence = (
            f"{function.shown_name}() adds up weighted scores and divides them by no weights: where an"
            " opinion is absent, its share counts as 0"
        )
        yield LooseRule(function, line, sentence)


def raising_caps(
    functions: Sequence[FunctionRef], caps: Sequence[tuple[FunctionRef, int]], scale: range
) -> Iterator[LooseRule]:
    """Yield functions that return more by the lines of their cap than without them.

    Where another sentence on a function says so, this one adds nothing.
    """
    rules = (*loose_rules([*functions]), *loose_caps([*functions]))
    named = {rule.function.key for rule in rules if RAISED.search(rule.sentence)}
    lines: dict[tuple[str, int], tuple[FunctionRef, list[int]]] = {}
    for function, line in caps:
        lines.setdefault(function.key, (function, []))[1].append(line)
    search = ScoreSearch({function.name: function for function in functions}, scale)
    proofs = score_lines(ChangeReader([*functions]).changes())
    for function, at in lines.values():
        raised = None if function.key in named else search.raised(function, frozenset(at))
        if raised is None:
            continue
        scores = " and ".join((f"{raised.scores[0]}, {raised.scores[1]}", f"{raised.scores[2]}"))
        sentence = (
            f"{function.shown_name}() can give {raised.number:g} by its cap for security where"
            f" Prosecutor, Defense and Tech Lead give {scores}, and {raised.without:g} without it:"
            " a lower score is raised"
        )
        yield LooseRule(function, proofs.get((function.key, at[0]), at[0]), sentence)


def words_for_facts(function: FunctionRef, line: int, words: Sequence[str]) -> LooseRule:
    """Return the fault of a rule of facts that words in an argument set off as well."""
    sentence = (
        f"{function.shown_name}() takes {' or '.join(quoted(words))} in an argument for facts"
        " against an opinion, whatever the evidence shows: it matches words, not facts"
    )
    return LooseRule(function, line, sentence)


def _set_by_words(
    changes: Sequence[ScoreChange], functions: Sequence[FunctionRef]
) -> Iterator[LooseRule]:
    """Yield scores that are set where words stand in an argument, but for caps for security."""
    inputs = InputReader({function.name: function for function in functions})
    capped = {id(test) for c in changes if is_security_cap(c) for test in c.own_tests}
    for change in changes:
        words = awaited_words(change.holds, change.function, inputs.functions)
        value = change.value.value if isinstance(change.value, ast.Constant) else None
        if (
            words
            and isinstance(value, int | float)
            and capped.isdisjoint(map(id, change.own_tests))
            and not inputs.reads_evidence(change.own_tests, change.function)
            and not reads_denials(words, functions)
        ):
            fault = (
                f"sets the score {value:g} where {' or '.join(quoted(words))} stands in an"
                " argument, whatever it says of them: it matches words, not facts"
            )
            yield _named(change, fault)


def _named(change: ScoreChange, fault: str) -> LooseRule:
    return LooseRule(change.function, change.line, f"{change.function.shown_name}() {fault}")


def loose_caps(functions: list[FunctionRef]) -> list[LooseRule]:
    """Return why no cap for security holds: each looks for nothing, sets a score or can be lifted.

    Empty where one cap holds, or where there is none.
    """
    reader = ChangeReader(functions)
    changes = [change for change in reader.changes() if not change.is_dead]
    caps = [change for change in changes if is_security_cap(change)]
    blind = [(cap, fault) for cap in caps if (fault := _fault_of_limit(cap, reader))]
    undone = list(_undone_caps(changes))
    lifted = {rule.function.key for rule in undone}
    wrong = {id(cap) for cap, _ in blind}
    if any(id(cap) not in wrong and cap.function.key not in lifted for cap in caps):
        return []
    first: dict[int, LooseRule] = {}
    for cap, fault in blind:
        first.setdefault(id(cap.tests[-1]), _named(cap, fault))
    return [*first.values(), *undone]


def _undone_caps(changes: list[ScoreChange]) -> Iterator[LooseRule]:
    """Yield the last line of each function that can lift a score above its cap for security."""
    caps: dict[tuple[str, int], list[ScoreChange]] = {}
    for change in changes:
        if change.tests and is_security_cap(change):
            caps.setdefault(change.function.key, []).append(change)
    for in_function in caps.values():
        function = in_function[0].function
        settings = Settings(function.site.node)
        rows = [row for change in in_function if (row := settings.of(change)) is not None]
        undone = ((cap, later) for cap in rows if (later := settings.undoing(cap, rows)))
        for cap, later in list(undone)[:1]:
            sentence = _lifted(function, cap, later)
            yield LooseRule(function, later.line, sentence, is_lifted=True)


def _lifted(function: FunctionRef, cap: Setting, later: Setting) -> str:
    return (
        f"{function.shown_name}() caps `{cap.name}` for security in line {cap.line}, and line"
        f" {later.line} can lift it above the cap again"
    )


def _met_by_default(function: FunctionRef, changes: list[ScoreChange]) -> Iterator[LooseRule]:
    """Yield rules whose condition a default for a missing value meets."""
    assigned = assignments_in(function.site.node)
    reported: set[str] = set()
    for node in walk(function.site.node):
        if not isinstance(node, ast.If) or not any(_is_in_body(node, c.line) for c in changes):
            continue
        parts = node.test.values if is_conjunction(node.test) else [node.test]
        for part in parts:
            default = _default_that_meets(part, assigned)
            if default is None or default.name in reported:
                continue
            reported.add(default.name)
            applies = "can apply" if len(parts) > 1 else "applies"
            sentence = (
                f"{function.shown_name}() takes {default.value} for `{default.name}` where nothing"
                f" is known, and the rule in line {node.lineno} {applies} to that too"
            )
            yield LooseRule(function, default.line, sentence)


def _spread_by_default(default: SpreadDefault) -> LooseRule:
    is_same = default.ruling.key == default.function.key
    home = "" if is_same else f"of {default.ruling.shown_name}() "
    sentence = (
        f"{default.function.shown_name}() takes {default.number:g} for `{default.name}` where that"
        f" judge gave no opinion: beside a {default.farthest} of another judge it can set off the"
        f" rule {home}in line {default.rule}"
    )
    return LooseRule(default.function, default.line, sentence)


def _is_in_body(node: ast.If, line: int) -> bool:
    return node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0)


def _default_that_meets(test: ast.expr, assigned: Assignments) -> Default | None:
    """Return the default in a test that makes it true: of a score, or of what was looked for."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        default = _default_of(test.operand, assigned)
        return default if default and default.value is False else None
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    compare = COMPARISONS.get(type(test.ops[0]))
    limit = test.comparators[0]
    default = _default_of(test.left, assigned)
    if compare is None or default is None or not isinstance(limit, ast.Constant):
        return None
    is_score = bool(set(words_of(default.name)) & MEASURES)
    is_number = isinstance(limit.value, int | float) and type(default.value) in (int, float)
    return default if is_score and is_number and compare(default.value, limit.value) else None


def _default_of(node: ast.expr, assigned: Assignments) -> Default | None:
    """Return the constant that stands in for a missing value; a name set once is followed."""
    name = ""
    if isinstance(node, ast.Name) and len(assigned.get(node.id, ())) == 1:
        name, node = node.id, assigned[node.id][0]
    if isinstance(node, ast.IfExp) and name:
        return _as_default(name, node.orelse)
    if not isinstance(node, ast.Call):
        return None
    arguments = node.args[1:] if called_name(node) == "getattr" else node.args
    if called_name(node) in {"get", "getattr"} and len(arguments) == 2:
        return _as_default(name or constant_text(arguments[0]) or "", arguments[1])
    return None


def _as_default(name: str, node: ast.expr) -> Default | None:
    value = node.value if isinstance(node, ast.Constant) else None
    if not name or not isinstance(value, bool | int | float):
        return None
    return Default(name, value, node.lineno)


def _fault_of_cap(change: ScoreChange, reader: ChangeReader, inputs: InputReader | None) -> str:
    """Return what a cap for security does wrong, after the name of its function; "" for nothing.

    Without `inputs`, what the condition reads is not looked at.
    """
    if not is_security_cap(change) or not change.tests:
        return ""
    if fault := _fault_of_limit(change, reader):
        return fault
    if _takes_highest(change):
        return (
            "takes the highest score that a judge gave, up to a limit, for security:"
            " the lower scores no longer count, so the rule can lift a score"
        )
    if inputs and inputs.searches_arguments(change.own_tests, change.function):
        return (
            "caps a score for security where certain words stand in a judge's"
            " argument, whatever the argument says of them: it matches words, not facts"
        )
    return ""


def _fault_of_limit(cap: ScoreChange, reader: ChangeReader) -> str:
    """Return why a cap limits nothing, or not for security; "" where it does."""
    if cap.tests and not _looks_for_security(cap, reader):
        return BLIND_SETS if _sets_constant(cap) else BLIND
    return SETS if cap.tests and _sets_constant(cap) else ""


def _takes_highest(change: ScoreChange) -> bool:
    """Return true for `min(3, max(scores))`; `max(1, score)` is a floor.

    Where the function gives `max(scores)` in all other cases, the rule only lowers.
    """
    value = change.value
    if not isinstance(value, ast.Call) or called_name(value) != "min":
        return False
    assigned = assignments_in(change.function.site.node)
    origins = [
        assigned[part.id][0]
        if isinstance(part, ast.Name) and len(assigned.get(part.id, ())) == 1
        else part
        for part in value.args
    ]
    highest_scores = {
        ast.dump(origin)
        for origin in origins
        if isinstance(origin, ast.Call)
        and called_name(origin) == "max"
        and not any(isinstance(part, ast.Constant) for part in origin.args)
    }
    *statements, end = change.function.site.node.body
    nodes = (node for statement in statements for node in walk(statement))
    is_only_exception = len([node for node in nodes if isinstance(node, ast.Return)]) == 1
    usual = end.value if is_only_exception and isinstance(end, ast.Return) else None
    is_usual = usual is not None and ast.dump(usual) in highest_scores
    return bool(highest_scores) and not is_usual


def _looks_for_security(change: ScoreChange, reader: ChangeReader) -> bool:
    """Return true where any test of the function, or what calls it by its name, is about security.

    A test that leaves the function early decides as one around the change does.
    """
    function = change.function
    names = [function.name, *parameter_names(function), function.source.module]
    names += [function.site.owner.name] if function.site.owner else []
    words = change.guard.union(*map(words_of, names))
    assigned = assignments_in(function.site.node)
    for node in walk(function.site.node):
        if isinstance(node, ast.If | ast.IfExp):
            words |= reader.words_of_test(node.test, assigned)
    return bool(words & SECURITY) or words >= SAFE_TOOLS


def _unlimited_weight(
    functions: list[FunctionRef], changes: list[ScoreChange]
) -> Iterator[LooseRule]:
    """Yield the Tech Lead's weight where nothing in the code names architecture."""
    lines = [*lead_weighs_more(functions), *lead_decides(changes)]
    lines = [place for place in lines if not _is_tie_break(*place)]
    if not lines or any(may_be_limited(place, functions) for place in lines):
        return
    limits = [words for place in lines for words in _criteria_in_tests(*place)]
    if any(not _is_repository(words) for words in limits):
        return
    function, line = lines[0]
    line = lines_of_weights(functions, changes).get((function.key, line), line)
    which = "every criterion on the repository" if limits else "every criterion"
    sentence = (
        f"{function.shown_name}() lets the Tech Lead weigh more in {which}, not only in those on"
        " architecture"
    )
    yield LooseRule(function, line, sentence)


def _unlimited_bonuses(
    functions: list[FunctionRef], changes: list[ScoreChange]
) -> Iterator[LooseRule]:
    """Yield what is added to a score for the Tech Lead's where no test names architecture.

    `if tech_lead_score >= 4: final_score = min(final_score + 1, 5)`.
    """
    if any(map(_tests_architecture, functions)):
        return
    for change in changes:
        is_for_lead = any(names_tech_lead(words_in(test)) for test in change.holds)
        sums = [n for n in walk(change.value) if isinstance(n, ast.BinOp)]
        is_raised = any(
            isinstance(node.op, ast.Add)
            and isinstance(node.right, ast.Constant)
            and frozenset(words_of(last_name(node.left))) == change.target
            for node in sums
        )
        if is_for_lead and is_raised:
            fault = (
                "adds to the score where the Tech Lead's is high, in every criterion, not only in"
                " those on architecture"
            )
            yield _named(change, fault)


def _is_tie_break(function: FunctionRef, line: int) -> bool:
    """Return true in the body of an `if` on the spread; its else is for all other scores."""
    return any(
        words_in(node.test) & CERTAIN_SPREAD
        for node in walk(function.site.node)
        if isinstance(node, ast.If) and _is_in_body(node, line)
    )


def _criteria_in_tests(function: FunctionRef, line: int) -> Iterator[frozenset[str]]:
    """Yield the words of the tests around a line that are about the criterion."""
    for node in walk(function.site.node):
        if isinstance(node, ast.If | ast.IfExp):
            words = words_in(node.test)
            if node.lineno <= line <= (node.end_lineno or line) and words & CRITERION:
                yield words


def _is_repository(words: frozenset[str]) -> bool:
    """Return true for `target_artifact == "github_repo"`: most criteria are about it."""
    is_of_artifact = bool(words & {"artifact", "artefact"}) and not words & {"id", "name"}
    return is_of_artifact and bool(words & {"repo", "repository"})


def _tests_architecture(function: FunctionRef) -> bool:
    """Return whether a test, or a constant of the file that it names, is about architecture."""
    for node in walk(function.site.node):
        if isinstance(node, ast.If | ast.IfExp):
            names = (part.id for part in walk(node.test) if isinstance(part, ast.Name))
            constants = (value for name in names for value in constants_of(name, function))
            if any(ARCHITECTURE & words_in(part) for part in (node.test, *constants)):
                return True
    return False


def _sets_constant(change: ScoreChange) -> bool:
    """Return true for `score = 3` under no test that the score is higher."""
    value = change.value
    if not isinstance(value, ast.Constant) or not isinstance(value.value, int | float):
        return False
    held = {id(test) for test in change.holds}
    is_limited = any(_asks_for_more(test, id(test) in held) for test in change.tests)
    name = change.target or _key_of(change) or _returned_by(change)
    return value.value > LOWEST and not is_limited and bool(name) and not name & LIMIT_WORDS


def _returned_by(change: ScoreChange) -> frozenset[str]:
    """Return the words of a function that returns this score beside other ones that it computes."""
    returns = [n for n in walk(change.function.site.node) if isinstance(n, ast.Return) and n.value]
    is_returned = any(node.lineno == change.line for node in returns)
    computed = any(
        isinstance(inner, ast.Call) and called_name(inner) in {"sum", "mean", "round", "sorted"}
        for inner in walk(change.function.site.node)
    )
    return frozenset(words_of(change.function.name)) if is_returned and computed else frozenset()


def _asks_for_more(test: ast.expr, is_held: bool) -> bool:
    """Return true for `score > 3` and `3 < score`, and where the test fails for `score <= 3`."""
    more, less = (ast.Gt, ast.GtE), (ast.Lt, ast.LtE)
    for node in walk(test):
        # How far scores lie apart says nothing of how high they are.
        if not isinstance(node, ast.Compare) or words_in(node) & SPREAD:
            continue
        begins_with_limit = isinstance(node.left, ast.Constant)
        signs = more if is_held != begins_with_limit else less
        if any(isinstance(sign, signs) for sign in node.ops):
            return True
    return False


def _key_of(change: ScoreChange) -> frozenset[str]:
    """Return the words of the key under which a dict holds the value of a change."""
    for node in walk(change.function.site.node):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if value is change.value and key is not None:
                    return words_in(key)
    return frozenset()
