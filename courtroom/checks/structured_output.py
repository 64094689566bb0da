"""The kind `structured_output`: does a model answer in a schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from courtroom.checks.fault_words import options
from courtroom.checks.from_facts import (
    by_run,
    clues_at,
    decided,
    flag,
    from_facts,
    from_stored_facts,
    line_clue,
    nothing,
    unknown,
    with_place,
    with_reach,
)
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import (
    MOST_IN_FULL,
    by_kind,
    listed,
    named,
    place_of,
    places_of,
)
from courtroom.checks.result import MOST_CLUES, Clue, Finding, could_not_look, present
from courtroom.checks.subjects import Subjects
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey

RETRIED = (
    "An answer that does not fit its schema is requested again.",
    "An answer that does not fit its schema is not requested again.",
)
NOT_BY_ALL = "Not every judge requests an answer again that does not fit its schema."

BLIND = "A loop repeats the request where it raises an exception, and takes an answer as it comes."
NARROW = "Other failures of the request are not repeated, as no handler of the loop catches them"
ENDING = "Other failures of the request are neither repeated nor caught by a node: they end the run"
REPEAT_FAILS = "Where the repeated request fails too, the run ends: no node catches it"
UNCAUGHT = "A failure of the judges' model ends the run: no node catches it."
# Beside a handler that may catch some failures of the same call.
OTHERS_UNCAUGHT = "Other failures of the judges' model end the run: no node catches them."
UNBOUND = "The same model is also called without the schema, and its answer is cut out of text."
MADE_UP = "A score written in the code stands in for an answer that failed."
AT_ONCE = "A score written in the code stands in for an answer that is not requested again."
UNASKED = "A score written in the code stands in for an answer that was never requested."
UNHEARD = "A score written in the code stands in for an opinion that is absent."
# A failing answer is left out only where all of these were looked for, and are not there.
FAILURES = ("made_up_scores", "uncaught_answers", "unasked_scores", "absent_opinion_scores")
NOT_AT_ONCE = (
    "No score was recognised that is written in place of an answer before it is requested again."
)
# Of a verdict that lacks one opinion, not all.
ONE_ABSENT = "where an opinion is absent."
# Of an answer that came, and that holds no opinion on some criteria.
LACKED = "in place of an opinion that the answer lacks."
NO_WHOLE = "This holds of whole answers alone."
LEFT_OUT = (
    "Where the judges' model fails, the exception is caught, and no score was recognised that is"
    " written in place of its answer."
)


class StructuredOutput(CheckBase):
    kind: Literal["structured_output"] = "structured_output"
    aspect: Literal["called", "schema", "retry", "handled", "at_once"]
    schemas: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


def structured_output(check: StructuredOutput, survey: Survey) -> Finding:
    """Model calls bound to a schema: any schema, one of these, or with a retry on a misfit.

    A schema is one of these by its name, by a class that it holds, or by all of the fields.
    """
    if check.aspect == "retry":
        return with_reach("judges", _with_made_up(_repeated(survey), survey), survey)
    if check.aspect == "handled":
        return by_run("judges", _handled(survey), survey)
    if check.aspect == "at_once":
        return _at_once(survey)
    calls = survey.facts.get("structured_output_calls")
    if calls is None:
        return unknown("structured_output_calls", survey)
    # What binds a detective's model proves nothing about the judges.
    calls = [call for call in calls if call.get("by_judge")] or calls
    idle = [call for call in calls if call.get("is_idle")]
    calls = [call for call in calls if call not in idle]
    if idle and not calls:
        reason = f"{_bound(idle)}, in code that no run reaches."
        return present(reason, _clues(idle), met=False)
    finding = _on_calls(check, calls, survey)
    if not idle:
        return finding
    bind = "which binds a model too" if len(idle) == 1 else "which bind a model too"
    return replace(finding, reason=f"{finding.reason} No run reaches {places_of(idle)}, {bind}.")


def _on_calls(
    check: StructuredOutput, calls: Sequence[Mapping[str, Any]], survey: Survey
) -> Finding:
    """The finding on the calls of the judges, or on all where none is known as theirs."""
    if check.aspect == "called" and calls and all(c.get("by_judge") is False for c in calls):
        return present(f"{_bound(calls)}, and none of the judges'.", _clues(calls), met=False)

    # Only the aspect `schema` compares names; `called` is met by any schema.
    wanted = check.schemas if check.aspect == "schema" else ()
    with_schema = [call for call in calls if not call.get("of_tools")]
    matching = [call for call in with_schema if not wanted or _is_wanted(call, check)]
    if matching:
        finding = _matching(matching, is_strict=bool(wanted))
        return _with_bent_scores(finding, survey) if wanted else finding
    parsed = [row for row in survey.facts.get("parsed_answers") or () if _is_wanted(row, check)]
    if wanted and parsed:
        return present(
            f"{_parsed(parsed)}, though no model is bound to it.", _clues_of_parsers(parsed)
        )

    calls = with_schema or calls
    variable = next((call for call in with_schema if _is_variable(call["schema"])), None)
    if wanted and variable is not None:
        place = place_of(variable["path"], variable["line"])
        return could_not_look(
            f"{place} binds the variable {variable['schema']}: which schema that is depends on the"
            " run."
        )

    if not calls:
        return _unbound(survey)
    if not wanted:
        return present(f"{_bound(calls)}, and to no schema.", _clues(calls), met=False)
    sentence = f"{_bound(calls)}, and none to {options(wanted)}."
    return present(sentence, _clues(calls), met=False)


def _repeated(survey: Survey) -> Finding:
    """An answer that does not fit is requested again, by every judge."""
    once = survey.facts.get("judges_asking_once")
    if once:
        reason = f"{_judges(once)} {'asks' if len(once) == 1 else 'ask'} once."
        clues = [line_clue(row, NOT_BY_ALL) for row in once]
        return present(reason, clues, met=False, fault=NOT_BY_ALL)
    # What is missing belongs at the call, which a stored report does not hold.
    fallback = "model_call" if "model_call" in survey.fact_locations else "judging_calls"
    finding = flag("structured_output_retry", fallback, survey, RETRIED)
    blind = survey.facts.get("blind_retries")
    if finding.met is not False or not blind:
        return finding
    clues = [*(line_clue(row, BLIND) for row in blind), *finding.clues]
    reason = f"{finding.reason} {BLIND.removesuffix('.')} ({places_of(blind)})."
    return replace(finding, reason=reason, clues=tuple(clues[:MOST_CLUES]))


def _matching(calls: Sequence[Mapping[str, Any]], *, is_strict: bool) -> Finding:
    """Bound calls; strictly, the same model must not be asked beside them for text to cut apart."""
    unbound = [place for call in calls for place in call.get("unbound", ())]
    if not (is_strict and unbound):
        return _with_bypass(present(f"{_bound(calls)}.", _clues(calls)), calls)
    clues = [*(line_clue(place, UNBOUND) for place in unbound), *_clues(calls)]
    reason = f"{UNBOUND.removesuffix('.')} ({places_of(unbound)}). {_bound(calls)}."
    return present(reason, clues, met=False, fault=UNBOUND)


def _with_bent_scores(finding: Finding, survey: Survey) -> Finding:
    """The finding on the judges' schema, with scores that it cannot refuse any more."""
    rows = survey.facts.get("bent_scores") or ()
    if not finding.met or not rows:
        return finding
    sentences, clues = _written(rows)
    places = (*finding.clues, *clues)[:MOST_CLUES]
    reason = f"{finding.reason} {sentences}"
    return replace(finding, reason=reason, clues=places, has_reservation=True)


def _with_bypass(finding: Finding, calls: Sequence[Mapping[str, Any]]) -> Finding:
    """The finding on bound calls, with the branches in which the model is asked without the schema."""
    rows = {(r["path"], r["line"]): r for call in calls for r in call.get("bypassed", ())}
    if not rows:
        return finding
    tests = listed(dict.fromkeys(f"`{row['test']}`" for row in rows.values()))
    reason = f"{finding.reason} Where {tests} holds, the model is not bound ({places_of(rows.values())})."
    clues = [line_clue(row, "The model is left unbound here.") for row in rows.values()]
    return replace(
        finding, reason=reason, clues=(*finding.clues, *clues)[:MOST_CLUES], has_reservation=True
    )


def _handled(survey: Survey) -> Finding:
    """A failing answer is requested again, or left out: it ends no run and becomes no score."""
    is_retried = survey.facts.get("structured_output_retry")
    once = survey.facts.get("judges_asking_once") or ()
    again = flag("structured_output_retry", "judging_calls", survey, (_retried(once), RETRIED[1]))
    narrow = survey.facts.get("narrow_retries") or ()
    uncaught_answers = survey.facts.get("uncaught_answers") or ()
    if is_retried and not once and (narrow or uncaught_answers):
        ending = ENDING if narrow else REPEAT_FAILS
        places = places_of(uncaught_answers or narrow)
        reason = f"{again.reason} {ending if uncaught_answers else NARROW} ({places})."
        return replace(again, reason=reason, has_reservation=True)
    if is_retried and not once:
        return again
    # Judges that do not repeat their call may invent its score; what others write at the end is none.
    at_once = [(MADE_UP, *_written(survey.facts.get("scores_at_once") or ()))]
    faults = [row for row in at_once if row[2]] if is_retried else _failures(survey)
    # What the verdict makes of an absent opinion is no fault of the judges alone.
    if faults and faults[0][0] != UNHEARD:
        # The first place of each fault, then the others.
        clues = [clues[0] for *_, clues in faults]
        clues += [clue for *_, clues in faults for clue in clues[1:]]
        reason = " ".join(sentences for _, sentences, _ in faults)
        return present(reason, clues, met=False, fault=faults[0][0])
    if is_retried:
        return replace(again, has_reservation=True)
    if survey.facts.get("plain_judges"):
        return nothing("No judge asks a model.", "requests of the judges' model", survey)
    for name in ("structured_output_retry", *FAILURES):
        if survey.facts.get(name) is None:
            return unknown(name, survey)
    if faults:
        _, sentences, clues = faults[0]
        return present(sentences, clues, met=False, fault=UNHEARD)
    return decided(True, survey.fact_locations.get("model_call", ()), survey, (LEFT_OUT, UNCAUGHT))


def _at_once(survey: Survey) -> Finding:
    """Return whether no score is written in place of an answer before it is requested again."""
    is_retried = survey.facts.get("structured_output_retry")
    if is_retried is None:
        return unknown("structured_output_retry", survey)
    if not is_retried:
        return replace(_repeated(survey), fault=RETRIED[1])
    rows = survey.facts.get("scores_at_once")
    if rows is None:
        return unknown("scores_at_once", survey)
    if rows:
        sentences, clues = _written(rows)
        if all(row["text"].endswith(LACKED) for row in rows):
            return replace(present(f"{NO_WHOLE} {sentences}", clues), has_reservation=True)
        return present(sentences, clues, met=False)
    return decided(
        True,
        survey.fact_locations.get("structured_output_retry", ()),
        survey,
        (NOT_AT_ONCE, AT_ONCE),
    )


def _failures(survey: Survey) -> list[tuple[str, str, list[Clue]]]:
    """Faults of this work, the gravest first, each with its sentences and the lines that show it."""
    made_up, uncaught, unasked, unheard = (survey.facts.get(name) or () for name in FAILURES)
    ends = OTHERS_UNCAUGHT if made_up else UNCAUGHT
    ends = f"{ends.removesuffix('.')} ({places_of(uncaught)})."
    faults = [
        (MADE_UP, *_written(made_up)),
        (UNCAUGHT, ends, [line_clue(row, UNCAUGHT) for row in uncaught]),
        (UNASKED, *_written(unasked)),
        (UNHEARD, *_written(unheard)),
    ]
    return [fault for fault in faults if fault[2]]


def _written(rows: Sequence[Mapping[str, Any]]) -> tuple[str, list[Clue]]:
    """The sentences on written scores with their places, of many the first two; and the lines."""
    shown = [(row["text"], row["places"][0]) for row in rows]
    sentences = [with_place(text, place["path"], place["line"]) for text, place in shown]
    clues = [line_clue(place, text) for text, place in shown]
    if len(sentences) <= MOST_IN_FULL:
        return " ".join(sentences), clues
    others = places_of([place for _, place in shown[2:]])
    return f"{sentences[0]} {sentences[1]} Such scores stand also at {others}.", clues


def _retried(once: Sequence[Mapping[str, Any]]) -> str:
    """The sentence on an answer that is requested again, but by those that ask once."""
    if not once:
        return RETRIED[0]
    return f"{RETRIED[0].removesuffix('.')}, but not by {_judges(once)}."


def _judges(rows: Sequence[Mapping[str, Any]]) -> str:
    """Judges with the places of their calls."""
    return f"{named([row['name'] for row in rows])} ({places_of(rows)})"


def _unbound(survey: Survey) -> Finding:
    """No model call is bound: where the judges call theirs, if the survey shows it."""
    reason = "No model call is bound to a schema."
    parsed = survey.facts.get("parsed_answers") or ()
    if parsed:
        reason = f"{_parsed(parsed)}; no model call is bound to a schema."
        return present(reason, _clues_of_parsers(parsed), met=False)
    places = survey.fact_locations.get("model_call", ())
    if not places:
        return nothing(reason, "model calls that are bound to a schema", survey)
    reason = with_place(reason, places[0].path, places[0].line_start)
    return present(reason, clues_at(places), met=False)


def _with_made_up(finding: Finding, survey: Survey) -> Finding:
    """The finding on repeated requests, with the scores that are written when all have failed.

    The highest misleads most. What the verdict counts where a judge is left out comes last. Without a
    repeated request, `handled` names each.
    """
    names = "made_up_scores", "unasked_scores"
    rows = [row for name in names for row in survey.facts.get(name) or ()]
    absent = survey.facts.get("absent_opinion_scores") or ()
    rows += [row for row in absent if not rows or row["text"].endswith(ONE_ABSENT)]
    if not finding.met or not rows:
        return finding
    shown = [(row["text"], row["places"][0]) for row in rows]
    text, place = shown[0]
    sentences = [(_occasion(t), with_place(t, p["path"], p["line"])) for t, p in shown]
    reason = f"{finding.reason} {by_kind(sentences)}"
    clues = (*finding.clues[: MOST_CLUES - 1], line_clue(place, text))
    return replace(finding, reason=reason, clues=clues, has_reservation=True)


def _occasion(text: str) -> str:
    """The words of a sentence on a written score that tell when it is given."""
    return text.partition(" gives the score ")[2].partition(" ")[2]


def _is_wanted(call: Mapping[str, Any], check: StructuredOutput) -> bool:
    names = {call["schema"].rsplit(".", 1)[-1], *call.get("holds", ())}
    has_fields = bool(check.fields) and set(check.fields) <= set(call.get("fields", ()))
    return has_fields or not names.isdisjoint(check.schemas)


def _clues(calls: Sequence[Mapping[str, Any]], deed: str = "A model is bound to") -> list[Clue]:
    return [line_clue(call, f"{deed} {_schema(call)} here.") for call in calls]


def _parsed(rows: Sequence[Mapping[str, Any]]) -> str:
    """Which class a parser fits an answer into, with its places."""
    schemas = named(list(dict.fromkeys(map(_schema, rows))))
    return f"PydanticOutputParser fits an answer into {schemas} ({places_of(rows)})"


def _clues_of_parsers(rows: Sequence[Mapping[str, Any]]) -> list[Clue]:
    return _clues(rows, "An answer is fitted into")


def _bound(calls: Sequence[Mapping[str, Any]]) -> str:
    """Which schemas models are bound to, each with its places."""
    by_schema: dict[str, list[Mapping[str, Any]]] = {}
    for call in calls:
        by_schema.setdefault(_schema(call), []).append(call)
    bindings = [f"{schema} ({places_of(rows)})" for schema, rows in by_schema.items()]
    return f"Model calls are bound to {named(bindings)}"


def _schema(call: Mapping[str, Any]) -> str:
    schema: str = call["schema"]
    if not schema:
        return "a schema without a name"
    if call.get("of_tools"):
        return f"the tools that the variable {schema} holds"
    return f"the schema that the variable {schema} holds" if _is_variable(schema) else schema


def _is_variable(schema: str) -> bool:
    """Return true for a name in lower case: classes and constants are not."""
    return schema.rsplit(".", 1)[-1].islower()


def _fault(check: StructuredOutput) -> str:
    if check.aspect == "retry":
        return RETRIED[1]
    if check.aspect == "at_once":
        return AT_ONCE
    if check.aspect == "handled":
        return "The code does not provide for a failed request to the judges' model."
    if check.aspect != "schema" or not check.schemas:
        return "No model call is bound to a schema."
    if len(check.schemas) == 1:
        return f"No model call is bound to {check.schemas[0]}."
    return "No model call is bound to any schema that the rubric names."


def _subjects(check: StructuredOutput) -> Subjects:
    return Subjects(("model", "judges_run"), "no_model" if check.aspect == "called" else None)


KIND = CheckKind(
    model=StructuredOutput,
    detective="RepoInvestigator",
    detect=from_facts(structured_output),
    replay=from_stored_facts(structured_output),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="Structured output",
        about="Whether a model's answers are bound to a schema.",
    ),
    order=110,
)
