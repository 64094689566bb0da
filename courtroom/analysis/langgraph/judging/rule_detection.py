"""Synthesis rules that the Chief Justice's code really applies.

A rule counts when a score is changed (or a text made, for dissent) under its condition, in code
that the Chief Justice reaches. A comment, a docstring, a function without a caller or a message is
no rule.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from courtroom.analysis.langgraph.judging.awaited_words import (
    awaited_words,
    enough_words,
    reads_denials,
    words_beside,
)
from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions, parameter_names
from courtroom.analysis.langgraph.judging.dissent_rule import dissents
from courtroom.analysis.langgraph.judging.ensured_citations import ensured_citations
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.later_settings import MEANS, Settings
from courtroom.analysis.langgraph.judging.misplaced_words import MisplacedWord, misplaced_words
from courtroom.analysis.langgraph.judging.re_evaluation import (
    loops_to_judges,
    re_evaluation_routes,
    re_evaluations,
    writes_text_alone,
)
from courtroom.analysis.langgraph.judging.rule_inputs import InputReader
from courtroom.analysis.langgraph.judging.rule_limits import (
    only_lift,
    penalties,
    take_highest,
    without_extremes,
)
from courtroom.analysis.langgraph.judging.rule_words import (
    CERTAIN_SPREAD,
    CONFLICTS,
    DEFENSE,
    ESTABLISHED,
    EVIDENCE,
    JUDGED,
    SAFE_TOOLS,
    SECURITY,
    SPREAD,
)
from courtroom.analysis.langgraph.judging.score_changes import (
    SCORE_WORDS,
    ChangeReader,
    ScoreChange,
    assignments_in,
    is_distance_of_scores,
    is_range_of_scores,
    is_verdict,
    words_in,
)
from courtroom.analysis.langgraph.judging.shown_scores import without_shown
from courtroom.analysis.langgraph.judging.tech_lead_rule import (
    LIMIT_WORDS,
    heavier_than_lead,
    lead_decides,
    lead_weighs_more,
)
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.tree_walk import called_name, last_name, walk, words_of

HIGHEST = 5
# Names for a score that another one replaces.
KEPT_WORDS = frozenset(words_of("old previous prev original before initial current"))

# Words of a line by which a reader sees the rule.
TELLING = {
    "security_override": re.compile(r"secur|unsafe|vulnerab|\bcap|min\(", re.IGNORECASE),
    "fact_supremacy": re.compile(
        r"fact|evidence|hallucinat|unsupported|found|cited", re.IGNORECASE
    ),
    "functionality_weight": re.compile(r"weigh|tech\w{0,12}\.score|\*", re.IGNORECASE),
    "dissent": re.compile(r"dissent", re.IGNORECASE),
    "variance_re_evaluation": re.compile(
        r"varian|spread|eval|debat|consider|mediat", re.IGNORECASE
    ),
}

Place = tuple[FunctionRef, int]
Lines = list[Place]


@dataclass(frozen=True, slots=True)
class RuleReading:
    """Lines that apply a rule, and lines that would if their condition could ever hold.

    `uncalled` are lines that would if anything called their function, `by_opinions` those that
    would let facts overrule opinions if their conditions read any evidence, `misplaced` those that
    wait in one criterion for a word of another. `final` decide on scores that lie far apart without
    a second look. `is_tie_break`: the lines apply to such scores alone; `is_of_near_scores`: to all
    others alone. `takes_highest`: they take the highest of all scores. `heavier_keys`: others than
    the three judges that weigh more than the Tech Lead. `is_lifting`: the lines raise scores and lower none.
    `is_of_far_scores`: they apply to scores far apart alone. `penalties`: what they take off a score,
    where they do nothing else. `is_text_alone`: they write
    texts. `awaited`: words, at least one of which a judge's argument must hold before any line
    applies; `enough`: words, one of which is enough for it beside other ways.
    `uncited` are lines that would apply to an opinion without a citation from the evidence, `ensured`
    the line of the judges' code that gives every opinion one.
    """

    lines: Lines
    dead: Lines = field(default_factory=list)
    uncalled: Lines = field(default_factory=list)
    by_opinions: Lines = field(default_factory=list)
    misplaced: tuple[MisplacedWord, ...] = ()
    final: Lines = field(default_factory=list)
    is_tie_break: bool = False
    is_of_near_scores: bool = False
    takes_highest: bool = False
    heavier_keys: tuple[str, ...] = ()
    is_lifting: bool = False
    is_of_far_scores: bool = False
    penalties: tuple[str, ...] = ()
    is_text_alone: bool = False
    awaited: tuple[str, ...] = ()
    enough: tuple[str, ...] = ()
    uncited: Lines = field(default_factory=list)
    ensured: Place | None = None


def read_rules(
    call_graph: CallGraph,
    layers: Layers,
    graph: GraphReading,
    conditions: DeadConditions | None = None,
) -> dict[str, RuleReading]:
    """Return the reading of each rule."""
    changes = ChangeReader(layers.justice, conditions).changes()
    alive = [change for change in changes if not change.is_dead]
    live = _rules_of_changes(alive, layers.justice)
    dead = _rules_of_changes([change for change in changes if change.is_dead], [])
    live["variance_re_evaluation"] += [
        *re_evaluations(call_graph, layers.justice),
        *re_evaluation_routes(layers, graph.routes),
        *loops_to_judges(call_graph, layers, graph),
    ]
    uncalled = _rules_of_changes(ChangeReader(_uncalled(layers)).changes(), [])
    readings = {
        rule: RuleReading(_telling_first(rule, lines), dead[rule], uncalled[rule])
        for rule, lines in live.items()
    }
    misplaced = _misplaced(alive, layers, conditions)
    elsewhere = {(word.function.key, word.line) for word in misplaced}
    at_home = [change for change in alive if (change.function.key, change.line) not in elsewhere]
    lines, by_opinions, by_citations = _facts_apart(at_home, layers.justice)
    ensured = ensured_citations(call_graph, layers.judges) if by_citations else None
    readings["fact_supremacy"] = replace(
        readings["fact_supremacy"],
        lines=[] if ensured else lines,
        uncited=lines if ensured else [],
        ensured=ensured,
        by_opinions=by_opinions,
        misplaced=misplaced,
        is_lifting=only_lift(lines, alive),
        penalties=penalties(lines),
        awaited=_awaited(lines, alive, layers.justice),
        enough=_awaited(lines, alive, layers.justice, words_beside),
    )
    cap = readings["security_override"]
    words = _awaited(cap.lines, alive, layers.justice)
    enough = _awaited(cap.lines, alive, layers.justice, enough_words)
    readings["security_override"] = replace(
        cap,
        awaited=() if reads_denials(words, layers.justice) else words,
        enough=() if words or reads_denials(enough, layers.justice) else enough,
    )
    far_apart, near = _decided_by_spread(alive, layers.justice)
    readings["fact_supremacy"] = replace(
        readings["fact_supremacy"], is_of_far_scores=bool(lines) and _at(lines, far_apart) == lines
    )
    second_look = readings["variance_re_evaluation"]
    by_name = {function.name: function for function in layers.justice}
    readings["variance_re_evaluation"] = replace(
        second_look,
        final=far_apart or near,
        is_text_alone=bool(second_look.lines)
        and all(writes_text_alone(function, line, by_name) for function, line in second_look.lines),
    )
    # A tie-break stands for the rule only where nothing else does.
    weight = readings["functionality_weight"]
    by_ties = _at(weight.lines, far_apart)
    by_near = [place for place in _at(weight.lines, near) if place not in by_ties]
    # A line that overrules an opinion by facts may take the Tech Lead's score: it proves less.
    by_facts = [p for p in _at(weight.lines, lines) if p not in (*by_ties, *by_near)]
    by_weight = [p for p in weight.lines if p not in (*by_ties, *by_near, *by_facts)]
    by_weight = without_extremes(by_weight, alive) or by_weight
    lines = by_weight or [*by_ties, *by_near] or by_facts
    readings["functionality_weight"] = replace(
        weight,
        lines=lines,
        is_tie_break=bool(by_ties) and not by_near and not by_weight,
        is_of_near_scores=bool(by_near) and not by_ties and not by_weight,
        takes_highest=take_highest(lines, alive),
        heavier_keys=tuple(dict.fromkeys(heavier_than_lead(layers.justice))),
        awaited=_awaited(lines, alive, layers.justice),
    )
    return readings


def _misplaced(
    changes: list[ScoreChange], layers: Layers, conditions: DeadConditions | None
) -> tuple[MisplacedWord, ...]:
    if conditions is None:
        return ()
    by_facts = filter(_depends_on_facts, changes)
    by_name = {function.name: function for function in layers.justice}
    data = conditions.symbols.codebase.data
    return tuple(misplaced_words(by_facts, by_name, data, layers.judges))


def _at(places: Lines, wanted: Lines) -> Lines:
    """Return those of the places that are among the wanted ones."""
    keys = {(function.key, line) for function, row in wanted for line in _lines_of(function, row)}
    return [place for place in places if (place[0].key, place[1]) in keys]


def _lines_of(function: FunctionRef, line: int) -> range:
    """Return the lines of the statement that begins at a line; that line of a block."""
    nodes = (node for node in walk(function.site.node) if isinstance(node, ast.stmt))
    ends = (node.end_lineno for node in nodes if node.lineno == line and not hasattr(node, "body"))
    return range(line, (next(ends, line) or line) + 1)


def _decided_by_spread(
    changes: list[ScoreChange], functions: list[FunctionRef]
) -> tuple[Lines, Lines]:
    """Return the lines that set a score under a test of their own on the spread.

    The first are those for scores that lie far apart, the others for scores that agree.
    """
    reader = ChangeReader(functions)
    by_spread = [
        change
        for change in without_shown(changes)
        if _is_spread(_words_of_tests(change, change.own_tests)) and not _hands_back(change)
        # A list of scores decides nothing yet.
        if not isinstance(change.value, ast.List | ast.ListComp)
    ]
    # A cap for security inside the branch decides on security, whatever it changes.
    direct: list[ScoreChange] = []
    nested: list[ScoreChange] = []
    for change in filter(_is_far_apart, by_spread):
        is_direct = _is_spread(_words_of_tests(change, change.own_tests[-1:]))
        (direct if is_direct and not is_security_cap(change) else nested).append(change)
    far_apart = [
        *_ranked("variance_re_evaluation", direct, SPREAD),
        *_returned_by_spread(functions, reader),
        *_ranked("variance_re_evaluation", nested, SPREAD),
    ]
    near = [change for change in by_spread if not _is_far_apart(change)]
    return far_apart, _ranked("variance_re_evaluation", near, SPREAD)


def _is_far_apart(change: ScoreChange) -> bool:
    """Return whether a test of the spread lets only scores far apart through, or does not say.

    What follows `else` after `if spread > 2` is about scores that agree.
    """
    held = {id(test) for test in change.holds}
    # An earlier test of an elif did not hold.
    tests = (
        t.operand if isinstance(t, ast.UnaryOp) else t for t in {*change.tests, *change.own_tests}
    )
    return any(
        (id(test) in held) is not _is_upper_bound(test)
        for test in tests
        if _is_spread(_words_of_tests(change, [test]))
    )


def _is_upper_bound(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[-1], ast.Lt | ast.LtE)


def _hands_back(change: ScoreChange) -> bool:
    """Return true for all scores as they were given: `if not is_wide(spread): return scores`."""
    name = change.value.id if isinstance(change.value, ast.Name) else ""
    return name in parameter_names(change.function) and "scores" in words_of(name)


def _returned_by_spread(functions: list[FunctionRef], reader: ChangeReader) -> Iterator[Place]:
    """Yield `if variance > 2: return t` where the function or what it returns is named a score."""
    for function in functions:
        assigned = assignments_in(function.site.node)
        for node in walk(function.site.node):
            if not isinstance(node, ast.If):
                continue
            last = node.body[-1]
            value = last.value if isinstance(last, ast.Return) else None
            is_score = _returns_score(function, value) or _changes_result(last, function)
            if is_score and _is_spread(reader.words_of_test(node.test, assigned)):
                yield function, last.lineno


def _changes_result(statement: ast.stmt, function: FunctionRef) -> bool:
    """Return true for `base = max(1, base - 1)` where a function that is named a score returns base."""
    if not isinstance(statement, ast.Assign) or not {*words_of(function.name)} & SCORE_WORDS:
        return False
    returns = [node for node in walk(function.site.node) if isinstance(node, ast.Return)]
    read, returned = (
        {last_name(name) for part in parts for name in walk(part) if isinstance(name, ast.Name)}
        for parts in ([statement.value], returns)
    )
    return bool({last_name(target) for target in statement.targets} & read & returned)


def _is_spread(words: frozenset[str]) -> bool:
    """Return whether the words of a test are of a spread, also as a range from min to max."""
    # Evidence may be in conflict as well as judges.
    telling = CERTAIN_SPREAD if words & JUDGED else CERTAIN_SPREAD - CONFLICTS
    return bool(words & telling) or (bool(words & SPREAD) and {"max", "min"} <= words)


def _returns_score(function: FunctionRef, value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        return bool(SCORE_WORDS.intersection(words_of(called_name(value))))
    return isinstance(value, ast.Name) and bool(SCORE_WORDS.intersection(words_of(function.name)))


def _facts_apart(
    changes: list[ScoreChange], functions: list[FunctionRef]
) -> tuple[Lines, Lines, bool]:
    """Return the lines of fact supremacy whose conditions read evidence, and the other ones.

    A line that sets what the score is anyway belongs to neither. The flag says whether the first
    read only what opinions cite of the evidence.
    """
    inputs = InputReader({function.name: function for function in functions})
    others = {
        (change.function.key, ast.dump(change.value))
        for change in changes
        if not _depends_on_facts(change) or not _reads_evidence(change, inputs)
    }
    by_facts, by_opinions = [], []
    by_citations = True
    for change in filter(_depends_on_facts, without_shown(changes)):
        if _is_set_before(change) or _takes_defense(change):
            continue
        if not _reads_evidence(change, inputs):
            by_opinions.append(_behind_kept(change, changes))
        # A mean of all scores that other branches compute too overrules nobody.
        elif (change.function.key, ast.dump(change.value)) not in others or not _is_mean(change):
            by_facts.append(_behind_kept(change, changes))
            by_citations &= inputs.rests_on_citations(change.own_tests, change.function)
    return (
        _ranked("fact_supremacy", by_facts, EVIDENCE),
        _ranked("fact_supremacy", by_opinions, EVIDENCE),
        by_citations and bool(by_facts),
    )


def _awaited(
    lines: Lines,
    changes: list[ScoreChange],
    functions: list[FunctionRef],
    words_of_tests: Callable[..., tuple[str, ...]] = awaited_words,
) -> tuple[str, ...]:
    """Return the words of which an argument has one wherever any of these lines applies."""
    by_name = {function.name: function for function in functions}
    keys = {(function.key, line) for function, line in lines}
    words = [
        words_of_tests(change.holds, change.function, by_name)
        for change in changes
        if (change.function.key, change.line) in keys
    ]
    return tuple(dict.fromkeys(w for row in words for w in row)) if all(words) else ()


def _behind_kept(change: ScoreChange, changes: list[ScoreChange]) -> ScoreChange:
    """Return the change that a branch which returns an opinion's score as it is stands before.

    `if is_cited: return Row(score=opinion.score)`: the rule is what follows.
    """
    end = _end_of_return(change)
    if not end or not _is_own_score(change):
        return change
    following = (
        other
        for other in changes
        if other.function.key == change.function.key
        and other.line > end
        and not other.own_tests
        and not _is_own_score(other)
    )
    return min(following, key=lambda other: other.line, default=change)


def _is_own_score(change: ScoreChange) -> bool:
    """Return true for a parameter, or the score of one, as of an opinion: `opinion.score`."""
    value = change.value
    owner = value.value if isinstance(value, ast.Attribute) else value
    return isinstance(owner, ast.Name) and owner.id in parameter_names(change.function)


def _end_of_return(change: ScoreChange) -> int:
    """Return the last line of the return by which a branch sets this score; 0 for another one."""
    returns = (
        statement.body[-1]
        for statement in change.function.site.node.body
        if isinstance(statement, ast.If) and not statement.orelse
    )
    lines = {node.lineno: node.end_lineno for node in returns if isinstance(node, ast.Return)}
    return lines.get(change.line) or 0


def _is_set_before(change: ScoreChange) -> bool:
    settings = Settings(change.function.site.node)
    setting = settings.of(change)
    return setting is not None and settings.same_before(setting) is not None


def _takes_defense(change: ScoreChange) -> bool:
    """Return true for `score = defense.score`: the facts bear the Defense out."""
    value = _converted(change.value)
    return isinstance(value, ast.Name | ast.Attribute) and bool(words_in(value) & DEFENSE)


def _is_mean(change: ScoreChange) -> bool:
    calls = (node for node in walk(change.value) if isinstance(node, ast.Call))
    return any(called_name(call) in MEANS for call in calls)


def _reads_evidence(change: ScoreChange, inputs: InputReader) -> bool:
    inline = [node.test for node in walk(change.value) if isinstance(node, ast.IfExp)]
    return inputs.reads_evidence([*change.own_tests, *inline], change.function)


def _telling_first(rule: str, lines: Lines) -> Lines:
    """Sort what a reader sees to be the rule first.

    Conditions tell more than words of the line: `_rules_of_changes` has put those first.
    """
    if rule in {"security_override", "fact_supremacy"}:
        return lines
    return sorted(lines, key=lambda place: not _tells(rule, *place))


def _tells(rule: str, function: FunctionRef, line: int) -> bool:
    text = function.source.text.split("\n")[line - 1]
    return TELLING[rule].search(text) is not None


def _uncalled(layers: Layers) -> list[FunctionRef]:
    """Return the functions beside the Chief Justice's that no run reaches."""
    reached = {function.key for function in (*layers.in_use, *layers.judges, *layers.justice)}
    sources = {function.source.path: function.source for function in layers.justice}
    functions = [
        FunctionRef(source, site) for source in sources.values() for site in source.functions
    ]
    return [function for function in functions if function.key not in reached]


def _rules_of_changes(changes: list[ScoreChange], functions: list[FunctionRef]) -> dict[str, Lines]:
    changes = without_shown(changes)
    factual = [change for change in changes if _depends_on_facts(change)]
    caps = [change for change in changes if is_security_cap(change)]
    return {
        "security_override": _ranked("security_override", caps, SECURITY),
        "fact_supremacy": _ranked("fact_supremacy", factual, EVIDENCE),
        "functionality_weight": [*lead_decides(changes), *lead_weighs_more(functions)],
        "dissent": list(dissents(functions)),
        "variance_re_evaluation": [
            (c.function, c.line) for c in factual if _names_spread(c) and not _is_limit(c.value)
        ],
    }


def _is_limit(value: ast.expr) -> bool:
    """Return true for `min(score, 3)`: a limit is no second look, whatever its condition reads."""
    return (
        isinstance(value, ast.Call)
        and called_name(value) in {"min", "max"}
        and any(isinstance(argument, ast.Constant) for argument in value.args)
    )


def _names_spread(change: ScoreChange) -> bool:
    inline = [node.test for node in walk(change.value) if isinstance(node, ast.IfExp)]
    tests = [*change.tests, *inline]
    # A call behind a name may be handed a text on the dissent.
    return bool(_words_of_tests(change, tests) & CERTAIN_SPREAD) or any(
        words_in(test) & SPREAD for test in tests
    )


def _words_of_tests(change: ScoreChange, tests: Iterable[ast.expr]) -> frozenset[str]:
    """Return the words of tests and of the values of names in them.

    A function that they call may speak of a conflict for another reason.
    """
    tests = list(tests)
    assigned = assignments_in(change.function.site.node)
    names = {node.id for test in tests for node in walk(test) if isinstance(node, ast.Name)}
    read = [*tests, *(value for name in names for value in assigned.get(name, ()))]
    nodes = [node for part in read for node in walk(part)]
    words = {
        *(["spread"] if any(map(is_distance_of_scores, nodes)) else []),
        *(["range"] if any(map(is_range_of_scores, nodes)) else []),
    }
    return frozenset(words).union(*map(words_in, read))


def _ranked(rule: str, changes: list[ScoreChange], words: frozenset[str]) -> Lines:
    """Return the changes whose own condition, name or value has one of these words; else all."""

    def is_named(change: ScoreChange) -> bool:
        own = change.target.union(words_in(change.value), *map(words_in, change.tests))
        return bool(own & words)

    def is_copy(change: ScoreChange) -> bool:
        value = _converted(change.value)
        if isinstance(value, ast.IfExp):
            # `lead.score if lead else 3` reads a score, and sets none.
            return isinstance(value.body, ast.Name | ast.Attribute)
        return isinstance(value, ast.Name | ast.ListComp | ast.Subscript)

    def rank(change: ScoreChange) -> tuple[bool, bool]:
        # A list of scores keeps them, where a later line changes one.
        return is_copy(change), not _tells(rule, change.function, change.line)

    # `old_score = final_score` only remembers what a later line changes.
    changing = [c for c in changes if not (is_copy(c) and c.target & KEPT_WORDS)] or changes
    named = list(filter(is_named, changing)) or changing
    return [(change.function, change.line) for change in sorted(named, key=rank)]


def _converted(value: ast.expr) -> ast.expr:
    """Return the name that float(opinion.score) converts, for an attribute too; else the value."""
    is_conversion = isinstance(value, ast.Call) and called_name(value) in {"float", "int"}
    if is_conversion and isinstance(value, ast.Call) and value.args and last_name(value.args[0]):
        return ast.Name(last_name(value.args[0]))
    return value


def _depends_on_facts(change: ScoreChange) -> bool:
    return bool(
        change.own_guard & EVIDENCE and change.own_guard & ESTABLISHED
    ) and not _caps_for_security_alone(change)


def _caps_for_security_alone(change: ScoreChange) -> bool:
    """Return true for a cap, also a penalty, under a test of a security flaw: it overrules nobody."""
    innermost = change.own_tests[-1:]
    words = frozenset().union(*map(words_in, innermost))
    return bool(words & SECURITY) and (is_security_cap(change) or _is_bounded_penalty(change.value))


def _is_bounded_penalty(value: ast.expr) -> bool:
    """Return true for `max(1, score - 1)`."""
    is_bounded = isinstance(value, ast.Call) and called_name(value) == "max"
    parts = value.args if isinstance(value, ast.Call) and is_bounded else []
    return any(isinstance(p, ast.BinOp) and isinstance(p.op, ast.Sub) for p in parts)


def is_security_cap(change: ScoreChange) -> bool:
    # Without a condition, the words of the branch are those of the whole function.
    block = change.block if change.guard else frozenset()
    # An earlier test of an elif did not hold.
    words = change.own_guard | block | words_in(change.value)
    return bool(words & SECURITY or words >= SAFE_TOOLS) and _is_cap(change.value)


def _is_cap(value: ast.expr) -> bool:
    if is_verdict(value):
        return True
    if isinstance(value, ast.Constant):
        # The highest score of the usual scale caps nothing.
        return value.value != HIGHEST
    if isinstance(value, ast.Call):
        return called_name(value) == "min"
    if isinstance(value, ast.IfExp):
        return _is_cap(value.body) or _is_cap(value.orelse)
    # A mean is computed anew; a penalty is taken off.
    is_mean = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div)
    is_penalty = isinstance(value, ast.BinOp) and not (
        is_mean and not isinstance(value.right, ast.Constant)
    )
    return bool(words_in(value) & LIMIT_WORDS) or is_penalty
