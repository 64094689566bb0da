"""Next steps: the gravest faults with what mends them, each with the score that it would make.

A step meets every check that asks for nothing else. The score with it is that of the judges without
a model on the outcomes with these checks met, under the same rules; all other outcomes and the
facts that guards read stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from courtroom.checks.phrases import MOST_IN_FULL, listed, number_of, place_of
from courtroom.checks.priority import URGENCY
from courtroom.checks.registry import subjects_of
from courtroom.models.audit_report import CriterionResult, Effort, NextStep, Remediation
from courtroom.models.check import CheckBase
from courtroom.models.judge_answer import HEURISTIC
from courtroom.models.rubric import Criterion, Rubric
from courtroom.replay.rubric_preview import answers_again
from courtroom.synthesis.advice.code_steps import MEND_FIRST
from courtroom.synthesis.advice.report_steps import BUILD_CLAIMED
from courtroom.synthesis.apply_rules import decide_criterion
from courtroom.synthesis.evidence_weight import SECURITY_TAG, Dossier, dossier_of
from courtroom.synthesis.opinions import answers_on
from courtroom.synthesis.remediation import changes_by_check
from courtroom.synthesis.rules import Constitution
from courtroom.synthesis.ruling_context import RulingContext
from courtroom.synthesis.stopped_runs import stopping_step

MOST_STEPS = 3
SIZES: tuple[Effort, ...] = ("small", "medium", "large")
# Size of the change by kind of check, small where it is not listed: small is one place or one text,
# medium a few places that belong together, large work over days or a part of its own. The table of
# docs/student.md says so too.
EFFORTS: dict[str, Effort] = {
    "commit_history": "large",
    "communication_log": "large",
    "feedback_log": "medium",
    "graph_topology": "medium",
    "structured_output": "medium",
    "persona_overlap": "medium",
    "synthesis_rules": "medium",
    "own_outputs": "medium",
    "diagram": "medium",
    "python_class": "medium",
}
# Kinds of checks on what the code does when it runs: their faults come before those of words.
OF_A_RUN = frozenset(
    {
        "failing_code",
        "graph_run",
        "graph_topology",
        "reducer",
        "sandboxed_clone",
        "state_flow",
        "structured_output",
        "synthesis_rules",
        "unsafe_call",
    }
)
# What is made and not used changes no run.
UNUSED = frozenset({"unused_prompt", "unused_result", "unused_verdict"})
OF_THE_REPORT = frozenset({"diagram", "pdf_concept", "pdf_paths"})
WRITE_REPORT = (
    "Write a report that explains and draws this work, as the PDF that was handed in does not."
)
Key = tuple[str, str | None, int | None]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Changes that a check asks for, with the score of its criterion now and with them."""

    criterion: Criterion
    changes: tuple[Remediation, ...]
    effort: Effort
    now: int
    then: int | None
    by_checks: bool
    is_security: bool = False
    # What is committed stays as it is.
    by_new_commits: bool = False
    # Checks that do not apply now are about what it brings.
    opens_checks: bool = False
    is_of_a_run: bool = False
    # Step of the graph at which every run stops; 0 is before the first node.
    stops_at: int | None = None
    # What raises the criterion together with a change that raises nothing alone, and to what.
    helpers: tuple[Remediation, ...] = ()
    with_helpers: int | None = None

    @property
    def gain(self) -> float:
        """Gain in the weighted score; what opens a whole part of the work is worth most."""
        if self.then is None:
            return float("inf")
        return (self.then - self.now) * self.criterion.weight


def next_steps(
    rubric: Rubric,
    constitution: Constitution,
    dossier: Dossier,
    results: Sequence[CriterionResult],
) -> tuple[NextStep, ...]:
    """Return at most three steps, the gravest fault first, of different criteria where possible."""
    by_id = {criterion.id: criterion for criterion in rubric.criteria}
    candidates = [
        candidate
        for result in results
        for candidate in _candidates(rubric, by_id[result.id], constitution, dossier, result)
    ]
    ranked = sorted(_as_one_report(candidates, dossier), key=_rank)
    return tuple(_step(chosen, _alike(chosen, ranked)) for chosen in _different(ranked))


def _as_one_report(candidates: Sequence[_Candidate], dossier: Dossier) -> list[_Candidate]:
    """Return the candidates; where two criteria find nothing in the report, one report for them."""
    empty = {
        candidate.criterion.id
        for candidate in candidates
        if candidate.then is not None and _finds_nothing(candidate.criterion, dossier)
    }
    if len(empty) < 2:
        return [*candidates]
    rest = [candidate for candidate in candidates if candidate.criterion.id not in empty]
    first = {c.criterion.id: c for c in reversed(candidates) if c.criterion.id in empty}
    for candidate in reversed(first.values()):
        update = {"action": WRITE_REPORT, "path": None, "line": None, "snippet": None}
        change = candidate.changes[0].model_copy(update=update)
        rest.append(replace(candidate, changes=(change,), effort="large", then=None))
    return rest


def _finds_nothing(criterion: Criterion, dossier: Dossier) -> bool:
    """Return whether a criterion on the report alone has no check of something there that is met."""
    outcomes = [dossier.outcomes.get(check.id) for check in criterion.checks if check.is_positive]
    is_of_report = all(check.kind in OF_THE_REPORT for check in criterion.checks)
    return is_of_report and not any(outcome and outcome.met for outcome in outcomes)


def _candidates(
    rubric: Rubric,
    criterion: Criterion,
    constitution: Constitution,
    dossier: Dossier,
    result: CriterionResult,
) -> Iterator[_Candidate]:
    """Yield what raises the criterion, and what is urgent although it raises nothing alone."""
    if result.final_score is None:
        return
    changes = {id_: rows for id_, rows in changes_by_check(criterion, dossier.work).items() if rows}
    checks = {check.id: check for check in criterion.checks}
    now = _score(rubric, criterion, constitution, dossier) if changes else None
    if now is None:
        return
    # A model's score is its own: what the checks alone give is said beside it.
    by_models = any(not row.model.startswith(HEURISTIC) for row in result.opinions)
    by_checks = by_models or now != result.final_score

    def score_with(met: Iterable[str]) -> int | None:
        return _score(rubric, criterion, constitution, _with_met(dossier, met))

    for id_, rows in changes.items():
        if dossier.outcomes[id_].not_applicable:
            yield _Candidate(criterion, rows, "large", now, None, by_checks)
            continue
        check = checks[id_]
        # Work that is written does not come in another order.
        if getattr(check, "aspect", None) == "progression":
            continue
        wanted = _keys(rows)
        met = [other for other, own in changes.items() if _keys(own) <= wanted]
        then = score_with(met)
        if then is not None and (then > now or (then == now and rows[0].priority != "low")):
            others = changes if then == now else {}
            helpers, with_helpers = _raised_together(met, others, now, score_with)
            yield _Candidate(
                criterion,
                rows,
                _effort(check, rows),
                now,
                then,
                by_checks,
                is_security=SECURITY_TAG in check.tags,
                by_new_commits=check.kind == "commit_history",
                opens_checks=_opens_checks(criterion, met, dossier),
                is_of_a_run=_is_of_a_run(check),
                stops_at=stopping_step(check, dossier.work.facts),
                helpers=helpers,
                with_helpers=with_helpers,
            )


def _raised_together(
    met: Sequence[str],
    changes: Mapping[str, tuple[Remediation, ...]],
    now: int,
    score_with: Callable[[Sequence[str]], int | None],
) -> tuple[tuple[Remediation, ...], int | None]:
    """Return the next changes of the plan that raise the criterion together, with its score then."""
    helpers: list[Remediation] = []
    for id_, rows in changes.items():
        if id_ in met:
            continue
        met = [*met, id_]
        helpers += rows
        then = score_with(met)
        if then is not None and then > now:
            return tuple(helpers), then
    return (), None


def _effort(check: CheckBase, changes: Sequence[Remediation]) -> Effort:
    """Return the size by the kind; what the report claims is built in more than one place."""
    action = changes[0].action
    is_built = action.startswith(BUILD_CLAIMED) or MEND_FIRST in action
    return "medium" if is_built else EFFORTS.get(check.kind, "small")


def _is_of_a_run(check: CheckBase) -> bool:
    faults = {*getattr(check, "faults", ())}
    return check.kind in OF_A_RUN and not (check.kind == "state_flow" and faults <= UNUSED)


def _opens_checks(criterion: Criterion, met: Iterable[str], dossier: Dossier) -> bool:
    """Return whether one of the met checks states why others of the criterion do not apply."""
    mended = {subjects_of(check).states for check in criterion.checks if check.id in {*met}}
    outcomes = (dossier.outcomes.get(check.id) for check in criterion.checks)
    causes = {row.not_applicable.code for row in outcomes if row and row.not_applicable}
    return bool(causes & mended)


def _score(
    rubric: Rubric, criterion: Criterion, constitution: Constitution, dossier: Dossier
) -> int | None:
    """Return the score that the judges without a model and the rules give; None without one."""
    answers = answers_again(
        rubric,
        (criterion,),
        constitution,
        tuple(dossier.evidence.values()),
        tuple(dossier.outcomes.values()),
        dossier.facts,
    )
    context = RulingContext(criterion, constitution, answers_on(criterion.id, answers), dossier)
    return decide_criterion(context).score


def _with_met(dossier: Dossier, checks: Iterable[str]) -> Dossier:
    """Return the dossier with these checks met; what showed a flaw is tagged as none any more."""
    met = set(checks)
    outcomes = {
        id_: outcome.model_copy(update={"met": True}) if id_ in met else outcome
        for id_, outcome in dossier.outcomes.items()
    }
    still = {i for o in outcomes.values() if o.speaks_against for i in o.evidence}
    gone = {i for id_ in met for i in outcomes[id_].evidence} - still
    evidence = (
        piece.model_copy(update={"tags": ()}) if piece.id in gone else piece
        for piece in dossier.evidence.values()
    )
    return dossier_of(evidence, outcomes.values(), dossier.facts)


def _keys(changes: Iterable[Remediation]) -> set[Key]:
    return {(change.action, change.path, change.line) for change in changes}


def _rank(candidate: _Candidate) -> tuple[float, ...]:
    """Return the order: what stops every run, what is missing as a whole, a security flaw, then the
    gravest fault.

    Of what stops every run the earliest comes first. Of equally grave ones what a run does comes
    before words, and what raises more before the rest; a history that takes new commits comes last.
    """
    is_first = candidate.is_security or candidate.then is None
    return (
        float("inf") if candidate.stops_at is None else candidate.stops_at,
        not is_first,
        candidate.by_new_commits,
        URGENCY.index(candidate.changes[0].priority),
        not candidate.is_of_a_run,
        -candidate.gain,
        SIZES.index(candidate.effort),
    )


def _different(ranked: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the first of each criterion and what stops every run, then others, each step once."""
    chosen: list[_Candidate] = []
    for is_first_round in (True, False):
        for candidate in ranked:
            has_step = any(_keys(candidate.changes) & _keys(other.changes) for other in chosen)
            criteria = {other.criterion.id for other in chosen}
            is_next = is_first_round and candidate.stops_at is None
            if has_step or (is_next and candidate.criterion.id in criteria):
                continue
            if len(chosen) < MOST_STEPS:
                chosen.append(candidate)
    return sorted(chosen, key=_rank)


def _alike(chosen: _Candidate, ranked: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the first candidate of each criterion that the same change raises or opens."""
    by_criterion = {chosen.criterion.id: chosen}
    for candidate in ranked:
        is_same = _keys(candidate.changes) == _keys(chosen.changes)
        is_worth = candidate.then is None or candidate.then > candidate.now
        if is_same and is_worth and (candidate.then is None) == (chosen.then is None):
            by_criterion.setdefault(candidate.criterion.id, candidate)
    return list(by_criterion.values())


def _step(candidate: _Candidate, alike: Sequence[_Candidate]) -> NextStep:
    first = candidate.changes[0]
    return NextStep(
        criterion_id=candidate.criterion.id,
        action=first.action,
        path=first.path,
        line=first.line,
        places=len(_keys(change for change in candidate.changes if change.action == first.action)),
        effort=candidate.effort,
        score_now=candidate.now,
        score_then=candidate.then,
        by_checks=candidate.by_checks,
        effect=_effect(alike),
    )


def _effect(alike: Sequence[_Candidate]) -> str:
    """Return what one step does, as the end of a sentence: all criteria that it raises."""
    first = alike[0]
    if first.then is None:
        checks = " by the checks" if first.by_checks else ""
        now = listed(f"{row.criterion.name} is {row.now}" for row in alike)
        of_them = "it" if len(alike) == 1 else "them"
        return f"{now}{checks}; what this makes of {of_them} depends on how it is done"
    stops = "" if first.stops_at is None else "before it no run reaches a verdict; "
    return stops + _raises(alike)


def _raises(alike: Sequence[_Candidate]) -> str:
    first = alike[0]
    checks = " by the checks" if first.by_checks else ""
    if first.then == first.now:
        stays = f"{first.criterion.name} stays {first.now}{checks} with this step alone"
        if first.with_helpers is None:
            return stays
        # The step may mend what one of these changes is for.
        at_most = "at most " * (len(_keys(first.helpers)) > 1)
        return (
            f"{stays}, and is {first.with_helpers} together with {at_most}{_others(first.helpers)}"
        )
    new = " once enough new commits have come" if first.by_new_commits else ""
    new += (
        ", without the checks that depend on it" if any(row.opens_checks for row in alike) else ""
    )
    raised = (f"from {row.now} to {row.then}" for row in alike)
    names = (f"{row.criterion.name}{checks if row is first else ''}" for row in alike)
    rises = listed(f"{name} {points}" for name, points in zip(names, raised, strict=True))
    return f"raises {rises}{_together(first)}{new}"


def _together(candidate: _Candidate) -> str:
    """Return what its check asks for beside the action of the step, with a comma before it."""
    action = candidate.changes[0].action
    others = [change for change in candidate.changes if change.action != action]
    return f", together with {_others(others)}" if others else ""


def _others(changes: Sequence[Remediation]) -> str:
    """Return the number of other changes, and their places."""
    places = dict.fromkeys(place_of(row.path, row.line) if row.path else "" for row in changes)
    named_places = [place for place in places if place]
    is_short = 0 < len(named_places) <= MOST_IN_FULL
    where = f" at {listed(named_places)}" if is_short else ""
    return f"{number_of(len(_keys(changes)), 'other change')}{where}"
