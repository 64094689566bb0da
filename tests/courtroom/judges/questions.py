"""Small, complete questions for tests of the bench."""

from courtroom.checks.file_exists import FileExists
from courtroom.judges.material import Submission, files_of, material_of
from courtroom.judges.opinion import Question
from courtroom.models.evidence import CheckOutcome, Location, evidence
from courtroom.models.root_cause import RootCause
from courtroom.models.rubric import Criterion

NO_GRAPH = RootCause(code="no_graph", sentence="No StateGraph is built.")


def check(name, **fields):
    words = {"goal": f"goal of {name}", "fault": f"No {name}"}
    return FileExists(id=name, any_of=(f"{name}.py",), **words, **fields)


def make_evidence(check_id, *, found=True, tags=(), content=None):
    return evidence(
        detective="RepoInvestigator",
        check=check_id,
        goal=f"goal of {check_id}",
        found=found,
        rationale="looked for it",
        content=content,
        location=Location(path=f"{check_id}.py"),
        tags=tags,
    )


def make_question(
    persona,
    met=(),
    unmet=(),
    unknown=(),
    *,
    checks=None,
    round_number=1,
    earlier=(),
    extra_evidence=(),
    reserved=(),
):
    """Return a question whose checks `met`, `unmet` and `unknown` are named by id.

    `checks` overrides their definitions; `reserved` are met with a reservation.
    """
    definitions = {c.id: c for c in checks or ()}
    names = [*met, *unmet, *unknown]
    items = {name: make_evidence(name, found=name in met) for name in [*met, *unmet]}
    outcomes = [
        CheckOutcome(
            check=n,
            met=n in met,
            reason="",
            evidence=(items[n].id,),
            has_reservation=n in reserved,
        )
        for n in items
    ]
    outcomes += [CheckOutcome(check=n, met=None, reason="could not look") for n in unknown]
    criterion = Criterion(
        id="c", name="A criterion", checks=tuple(definitions.get(n) or check(n) for n in names)
    )
    evidence_items = (*items.values(), *extra_evidence)
    submission = Submission(evidence_items, outcomes, files_of(evidence_items), "s")
    return Question(
        persona=persona,
        criterion=criterion,
        evidence=evidence_items,
        outcomes=tuple(outcomes),
        round=round_number,
        earlier=earlier,
        material=material_of(criterion, evidence_items, None, submission),
    )


def without_subject(question, *names, stated_by=""):
    """Return the question with these checks on an absent graph; one piece of evidence shows it.

    `stated_by` is the check that is about the graph itself.
    """
    absence = make_evidence("no_graph", found=False)
    update = {
        "met": None,
        "not_applicable": NO_GRAPH,
        "reason": NO_GRAPH.sentence,
        "evidence": (absence.id,),
    }
    outcomes = tuple(
        outcome.model_copy(update=update) if outcome.check in names else outcome
        for outcome in question.outcomes
    )
    stated = {"reason": NO_GRAPH.sentence, "evidence": (absence.id,)}
    outcomes = tuple(
        outcome.model_copy(update=stated) if outcome.check == stated_by else outcome
        for outcome in outcomes
    )
    kept = tuple(item for item in question.evidence if item.check not in names)
    return question.model_copy(update={"outcomes": outcomes, "evidence": (*kept, absence)})
