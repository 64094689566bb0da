"""Trial of a check as it is typed in the editor, or as it stands in a published version."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from redis.exceptions import RedisError

from grading.audits.queries import document_of as report_document_of
from grading.engine import check_trials
from grading.engine.rubrics import RubricFault
from grading.models import Audit, RubricVersion
from grading.rubrics.check_trials.actions import answer_to, request_trial
from grading.rubrics.check_trials.presenters import TrialView, present_trial
from grading.rubrics.check_trials.queries import WorkGroup, works_to_try_on
from grading.rubrics.editor import labels
from grading.rubrics.editor.posted_values import FormTexts
from grading.rubrics.editor.rubric_form import document_of

# The button `try <path of a check>`, and the field with the work to try it on.
TRY = "try"
WORK = "try-work"
LABEL = "Try checks on"
# Posted by a read-only page: its checks are tried as stored.
STORED = "stored"
# Of a position in a path, which comes from the browser.
MAX_DIGITS = 6
NO_WORK = "Choose a submission first."
UNKNOWN_WORK = "Choose one of the listed submissions."


@dataclass(frozen=True, slots=True)
class TypedTrial:
    """Outcome of a trial below its check.

    `problems` are faults of the typed check, by the label of the field. With `key` a worker reads
    the repository, and the answer follows.
    """

    path: str
    audit: Audit | None = None
    problems: tuple[tuple[str, str], ...] = ()
    outcome: TrialView | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Bench:
    """Works to choose from, the chosen one, and the trial that was asked for."""

    groups: tuple[WorkGroup, ...]
    work: str = ""
    trial: TypedTrial | None = None

    @property
    def audits(self) -> dict[str, Audit]:
        return {str(audit.pk): audit for group in self.groups for audit in group.audits}

    @property
    def chosen(self) -> Audit | None:
        """Return the chosen work, else the first; None without any."""
        return self.audits.get(self.work) or next(iter(self.audits.values()), None)

    @property
    def refusal(self) -> str:
        """Sentence on a posted work that is not, or no longer, among the listed."""
        return UNKNOWN_WORK if self.trial and self.work and self.work not in self.audits else ""


def trial_bench(version: RubricVersion, posted: QueryDict, texts: FormTexts) -> Bench:
    """Return the works and, after the button of a check, the trial of that check as typed."""
    bench = Bench(tuple(works_to_try_on(version)), posted.get(WORK, ""))
    verb, _, path = posted.get("do", "").partition(" ")
    check = _check_at(texts, path) if verb == TRY else None
    if check is None:
        return bench
    if bench.work and bench.work not in bench.audits:
        return Bench(bench.groups, bench.work, TypedTrial(path, problems=((LABEL, UNKNOWN_WORK),)))
    return Bench(bench.groups, bench.work, _tried(check, path, bench.chosen))


def _check_at(texts: FormTexts, path: str) -> dict[str, Any] | None:
    """Return the check at `criteria.<n>.checks.<m>` as JSON, or None for any other path."""
    match path.split("."):
        case ["criteria", criterion, "checks", position]:
            criteria = document_of(texts)["criteria"]
            places = (criterion, position)
            if not all(place.isdecimal() and len(place) < MAX_DIGITS for place in places):
                return None
            checks = criteria[int(criterion)]["checks"] if int(criterion) < len(criteria) else []
            return dict(checks[int(position)]) if int(position) < len(checks) else None
    return None


def _tried(check: dict[str, Any], path: str, audit: Audit | None) -> TypedTrial:
    if audit is None:
        return TypedTrial(path, problems=((LABEL, NO_WORK),))
    # Both are only for the rubric, and may still be blank.
    named = {"id": "trial", "goal": labels.kind_title(check["kind"]), **check}
    valid, faults = check_trials.read_check(json.dumps(named))
    if faults:
        problems = tuple(_problem(check["kind"], fault) for fault in faults)
        return TypedTrial(path, audit, problems=problems)

    tried = check_trials.try_check(valid, report_document_of(audit) or {})
    if tried.needs_submission:
        return _on_repository(valid, path, audit)
    return TypedTrial(path, audit, outcome=present_trial(audit, tried))


def _problem(kind: str, fault: RubricFault) -> tuple[str, str]:
    # The kind stands first in the place of a fault within a union.
    steps = [str(step) for step in fault.place if str(step) != kind]
    label = labels.label_of(kind, steps[0]) if steps else "The check"
    return label, labels.error_sentence(fault.kind, fault.message)


def _on_repository(check: dict[str, Any], path: str, audit: Audit) -> TypedTrial:
    """Return the worker's answer, or its key while it runs. The same question is queued once."""
    try:
        key = request_trial(audit=audit, check=check)
        answer = answer_to(audit_id=audit.pk, key=key)
    except RedisError:
        problem = ("Not tried", "The queue cannot be reached. Try again in a minute.")
        return TypedTrial(path, audit, problems=(problem,))
    if answer is None or not answer.is_final:
        return TypedTrial(path, audit, key=key)
    if answer.trial is None:
        return TypedTrial(path, audit, problems=(("Not tried", answer.refusal),))
    return TypedTrial(path, audit, outcome=present_trial(audit, answer.trial))
