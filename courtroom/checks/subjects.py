"""Subjects that checks are about, and how the facts establish that one is absent.

A check whose subject is absent is not applicable: the root cause is said once, and the checks hang
on it. A subject that could not be established is not absent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from courtroom.checks.phrases import listed, named, place_of
from courtroom.checks.result import Clue
from courtroom.models.evidence import CheckOutcome, DetectiveName
from courtroom.models.root_cause import RootCause, RootCauseCode

Subject = Literal[
    "report",
    "diagram",
    "graph",
    "clone",
    "judges",
    "model",
    "prompts",
    "synthesis",
    "cap",
    "dissent",
    "judges_run",
    "justice_run",
]
JsonFacts = Mapping[str, Any]

Part = Literal["judges", "justice"]
PARTS: dict[Part, str] = {"judges": "judges", "justice": "Chief Justice"}
# Root causes of code that is there, and that no run reaches.
IDLE: frozenset[RootCauseCode] = frozenset({"idle_judges", "idle_justice"})
# Words of a judge's own that hold nothing but its name, twice.
NAME_WORDS = 4
NO_GRAPH = "No LangGraph StateGraph is built anywhere in the code"


@dataclass(frozen=True, slots=True)
class Subjects:
    """Subjects of a check, the most basic one first.

    `states` is the root cause that the check itself is about: by it the check is not met.
    """

    needed: tuple[Subject, ...] = ()
    states: RootCauseCode | None = None


SubjectsOf = Callable[[Any], Subjects]


def no_subject(_: object) -> Subjects:
    return Subjects()


@dataclass(frozen=True, slots=True)
class Absence:
    """Root cause with the clue that shows it, and the detective that established it."""

    cause: RootCause
    clue: Clue
    detective: DetectiveName


def absence_of(subjects: Subjects, facts: JsonFacts, reason: str = "") -> Absence | None:
    """Return the first absence among the subjects; None where all are there or not established.

    What no run reaches is there: a check hangs on it where that is its `reason`.
    """
    absences = filter(None, (ABSENCES[subject](facts) for subject in subjects.needed))
    return next(
        (a for a in absences if a.cause.code not in IDLE or a.cause.sentence == reason), None
    )


def unreached(part: Part, facts: JsonFacts) -> Absence | None:
    """Return what says that no run reaches the code of the judges or of the Chief Justice."""
    rows = [row for row in facts.get("unreached_layers") or () if row["part"] == part]
    if not rows:
        return None
    node = "No node of the graph and no" if facts.get("graph") else "No"
    place = place_of(rows[0]["path"], rows[0]["line"])
    code: RootCauseCode = "idle_judges" if part == "judges" else "idle_justice"
    sentence = f"{node} entry point runs the {PARTS[part]} ({place})."
    return _absence(code, sentence, place=rows[0])


def is_held(rule: str, facts: JsonFacts) -> bool:
    """Return whether code that no run reaches holds the rule."""
    return any(rule in row.get("rules", ()) for row in facts.get("unreached_layers") or ())


def with_root_cause(
    outcome: CheckOutcome, subjects: Subjects, absence: Absence, evidence: str
) -> CheckOutcome:
    """Return the outcome of an unmet check without its subject; `evidence` shows the absence."""
    own = outcome.model_copy(update={"reason": absence.cause.sentence, "evidence": (evidence,)})
    if absence.cause.code == subjects.states:
        return own
    return own.model_copy(update={"met": None, "not_applicable": absence.cause})


def _report(facts: JsonFacts) -> Absence | None:
    # A report that could not be read has no number of pages.
    if facts.get("pdf_pages") != 0:
        return None
    empty = facts.get("empty_reports") or ()
    verb = "is" if len(empty) == 1 else "are"
    there = f" ({named(empty)} {verb} empty)" if empty else ""
    return _absence("no_report", f"No PDF report was handed in{there}.", detective="DocAnalyst")


def _diagram(facts: JsonFacts) -> Absence | None:
    if facts.get("pdf_diagram") != "none":
        return None
    sources = [f"the {d['drawn_as']} source of one (page {d['page']})" for d in _written(facts)]
    flows = [f"page {page}" for page in facts.get("pdf_flows") or ()]
    written = [*sources[:1], *([f"a flow written with arrows ({named(flows)})"] if flows else [])]
    only = f", only {listed(written)}" if written else ""
    return _absence("no_diagram", f"The report has no diagram{only}.", detective="VisionInspector")


def _written(facts: JsonFacts) -> list[Mapping[str, Any]]:
    """Return the report's diagrams that are printed as their source in a text language."""
    diagrams = facts.get("diagrams") or ()
    return [d for d in diagrams if d["page"] and d["drawn_as"] in ("mermaid", "plantuml")]


def _graph(facts: JsonFacts) -> Absence | None:
    # How a work that runs its parts in its own way runs them is not known: nothing is absent.
    if facts.get("own_runner") or not lacks_graph(facts):
        return None
    return _absence("no_graph", f"{NO_GRAPH}.")


def lacks_graph(facts: JsonFacts) -> bool:
    """Return whether it is established that LangGraph builds no graph.

    Where the sources were not read to their end, nothing is known of parallel nodes.
    """
    is_settled = facts.get("own_runner") is not None or facts.get("detectives_parallel") is False
    return facts.get("graph") is None and is_settled


def no_graph_sentence(runner: Mapping[str, Any]) -> str:
    """Return the sentence on a work that runs its parts in its own way, without LangGraph."""
    place = place_of(runner["path"], runner["line"])
    if "." in runner["name"]:
        return f"{NO_GRAPH}: it runs functions side by side by `{runner['name']}` ({place})."
    return f"{NO_GRAPH}: its {runner['name']} is a class of its own ({place})."


def _clone(facts: JsonFacts) -> Absence | None:
    # What is not known of the clone is null, also its folder.
    if facts.get("clone_function") is not None or facts.get("clone_in_tempdir") is not False:
        return None
    return _absence("no_clone", "No function that clones the repository under audit was found.")


def _judges(facts: JsonFacts) -> Absence | None:
    # A search for repeated calls that led nowhere is false only where all code was followed.
    is_searched = facts.get("structured_output_retry") is False
    if facts.get("structured_output_calls") or not is_searched or _functions("judges", facts) != 0:
        return None
    return _absence("no_judges", "No code of judges was found.")


def _model(facts: JsonFacts) -> Absence | None:
    """Judges without a model, or no judges."""
    if not (judges := facts.get("plain_judges")):
        return _judges(facts)
    first = judges[0]
    sentence = (
        "The judges are plain Python code: no model is called"
        f" ({place_of(first['path'], first['line'])})."
    )
    return _absence("no_model", sentence, place=first)


def _prompts(facts: JsonFacts) -> Absence | None:
    # What looks like a prompt beside judges without a model is none.
    if facts.get("plain_judges"):
        return _model(facts)
    prompts = facts.get("persona_prompts")
    if prompts and len(prompts) > 1 and all(map(is_name_in_template, prompts)):
        return _one_prompt(prompts[0])
    if prompts != []:
        return None
    return _judges(facts) or _absence("no_prompts", "No prompt of a judge was found.")


def is_name_in_template(prompt: Mapping[str, Any]) -> bool:
    """Return whether little but the name of a judge stands in a text that another judge gets too.

    A prompt of a few words of its own is none. Reports of early versions do not say which it is.
    """
    own = prompt.get("own_words")
    return own is not None and own <= NAME_WORDS and prompt.get("mostly_own") is False


def _one_prompt(prompt: Mapping[str, Any]) -> Absence:
    place = place_of(prompt["path"], prompt["line"])
    sentence = (
        f"All judges get one prompt, in which little more than their names differs ({place})."
    )
    return _absence("no_prompts", sentence, place=prompt)


def _synthesis(facts: JsonFacts) -> Absence | None:
    if facts.get("justice_deterministic") is not False or _functions("justice", facts) != 0:
        return None
    return _absence("no_synthesis", "No code of a Chief Justice was found.")


def _rule(name: str, code: RootCauseCode, sentence: str) -> Callable[[JsonFacts], Absence | None]:
    """Return what says that a rule of the verdict is absent: nothing can be said of how it is."""

    def absence(facts: JsonFacts) -> Absence | None:
        is_there = (facts.get("rules") or {}).get(name)
        is_absent = is_there is False and not is_held(name, facts)
        return _absence(code, sentence) if is_absent else None

    return absence


def _functions(part: str, facts: JsonFacts) -> int | None:
    """Return how many functions of this part a run reaches; None where that is not known."""
    fact = facts.get("failing_code")
    return None if fact is None else fact["functions"].get(part, 0)


def _absence(
    code: RootCauseCode,
    sentence: str,
    *,
    detective: DetectiveName = "RepoInvestigator",
    place: Mapping[str, Any] | None = None,
) -> Absence:
    line = place["line"] if place else None
    clue = Clue(
        rationale=sentence,
        statement=None if place else sentence,
        path=place["path"] if place else None,
        line_start=line,
        line_end=line,
    )
    return Absence(RootCause(code=code, sentence=sentence), clue, detective)


ABSENCES: dict[Subject, Callable[[JsonFacts], Absence | None]] = {
    "report": _report,
    "diagram": _diagram,
    "graph": _graph,
    "clone": _clone,
    "judges": _judges,
    "model": _model,
    "prompts": _prompts,
    "synthesis": _synthesis,
    "cap": _rule("security_override", "no_cap", "No rule caps the score for security."),
    "dissent": _rule("dissent", "no_dissent", "The Chief Justice's code writes down no dissent."),
    "judges_run": lambda facts: unreached("judges", facts),
    "justice_run": lambda facts: unreached("justice", facts),
}


def unlocked_imports(facts: JsonFacts, part: str | None = None) -> str:
    """Sentence, with a space before it, on imports that an install does not bring; else "".

    They are those of the functions of a part, or those at the top of files.
    """
    scope = facts.get("scope") or {}
    rows = [row for row in scope.get("unlocked", ()) if row.get("part") == part]
    faults = (facts.get("state_flow") or {}).get("faults", ())
    counted = {(f["path"], f["line"]) for f in faults if f["kind"] == "undeclared_import"}
    rows = [row for row in rows if (row["path"], row["line"]) not in counted]
    if not rows:
        return ""
    names = listed(
        [f"{row['name']} ({place_of(row['path'], row['line'])}{_need(row)})" for row in rows]
    )
    fail = "1 import fails" if len(rows) == 1 else f"{len(rows)} imports fail"
    return f" Not counted: as far as recognised, at least {fail} in an install by {scope['lock']}: {names}."


def _need(row: Mapping[str, Any]) -> str:
    """Words on the function that gives nothing without an import that is caught, or ""."""
    return f"; without it {row['user']}() cannot work" if row.get("user") else ""
