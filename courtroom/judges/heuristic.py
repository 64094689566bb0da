"""Three judges without a model: each looks at the check outcomes with a concern of its own.

The Prosecutor looks for risk, the Defense for effort, the Tech Lead for function. A judge's score
is 1 + 4 x met / (met + unmet), rounded half up, in sums of check weights; Prosecutor and Defense
count their own concern twice. 5 is for no gap, Prosecutor and Tech Lead give at most 3 without an
essential check, and nobody more than 2 without any of several, or than 1 without what the criterion
is about. Then the item that an opinion turns on decides: the Prosecutor takes a point off for a grave
gap, the Defense adds one for a merit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor
from typing import cast

from courtroom.checks.priority import URGENCY, priority_of
from courtroom.checks.registry import Check, concern_of, statement_on
from courtroom.judges.opinion import (
    Answer,
    Question,
    ReadPlaces,
    make_failure,
    make_opinion,
    read_nothing,
)
from courtroom.models.audit_report import JudgeReference
from courtroom.models.canonical_json import digest_of
from courtroom.models.check import CheckBase, Concern
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.judge_answer import HEURISTIC, Persona, Score
from courtroom.models.statement import continued, first_sentence, not_checked
from courtroom.synthesis.evidence_weight import HIGH, LOW

MODEL = f"{HEURISTIC}13"
CONCERNS: dict[Persona, Concern] = {
    "Prosecutor": "risk",
    "Defense": "effort",
    "TechLead": "function",
}
# With three concerns of equal weight, a judge's own is at 2 half of what it weighs. Rules settle on
# the Tech Lead, so its score keeps the weights that the rubric gives.
OWN_CONCERN: dict[Persona, float] = {"Prosecutor": 2, "Defense": 2, "TechLead": 1}
# One point is the smallest step of the scale. Without the factor above, Prosecutor and Defense lie
# one below and one above the Tech Lead, which explains a dissent and calls for no second round.
TURNING_ITEM = 1
# Below this share of established weight a score would be a guess.
LEAST_ESTABLISHED_SHARE = 0.5
HIGHEST, LOWEST = 5, 1
CEILING_WITH_A_GAP = 4
CEILING_WITHOUT_ESSENTIALS = 3
# Where several things are essential and none of them is there, what is beside them makes no half.
CEILING_WITHOUT_ANY = 2
# What stands beside an absent subject says nothing of it.
CEILING_WITHOUT_SUBJECT = 1
SECURITY_CEILING = 3
# Of two checks with the same other parameters, more is harder to meet by the first, less by the second.
LIMITS = ("minimum", "maximum")
PLACE_AT_END = re.compile(r" \([^()\s]+:\d+\)$")
# Evidence that an opinion cites of its turning item.
MOST_CITED = 2


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Check of the criterion with its outcome."""

    check: Check
    outcome: CheckOutcome


@dataclass(frozen=True, slots=True)
class OutcomeGroups:
    """Results of a criterion, grouped by outcome; a check that does not apply counts as unmet."""

    met: tuple[CheckResult, ...]
    unmet: tuple[CheckResult, ...]
    open: tuple[CheckResult, ...]

    @property
    def established(self) -> float:
        """Share of the weight, 0..1, whose outcome is established."""
        established = _weight([*self.met, *self.unmet])
        return established / (established + _weight(self.open)) if established else 0.0


class HeuristicBench:
    """Bench that scores check outcomes: no key, no network, the same bytes on every run."""

    @property
    def references(self) -> dict[Persona, JudgeReference]:
        return {
            persona: JudgeReference(kind="heuristic", model=MODEL, prompt_digest=_digest(persona))
            for persona in CONCERNS
        }

    @property
    def asks_all_at_once(self) -> bool:
        return False

    def key(self, question: Question) -> str:
        return question.digest(f"{MODEL} {_digest(question.persona)}")

    async def answer(
        self,
        questions: Sequence[Question],
        read: ReadPlaces = read_nothing,  # noqa: ARG002 -- the Bench protocol
    ) -> list[Answer]:
        return [answer_now(question, self.key(question)) for question in questions]

    async def close(self) -> None:
        """Do nothing: no connection is open."""


def answer_now(question: Question, key: str) -> Answer:
    """Answer one question without an event loop; `key` identifies the question in the report."""
    groups = group_outcomes(question)
    reason = _why_abstain(groups)
    if reason:
        return Answer(
            opinion=make_failure(question, kind="abstained", message=reason, model=MODEL, key=key)
        )

    score = score_of(question, groups)
    item = turning_item(question, groups, score)
    own = _own_evidence(question, item)
    sides = _other_sides(question, groups, item, score) if item or not own else []
    other = [i for side in sides for i in side.outcome.evidence[:1]]
    sentences = [
        _argue(question, groups, item),
        *(_against(side) for side in sides if item),
        _short_of_five(question, groups, item, score) if not sides else "",
        _open_checks(groups),
        _on_second_round(question, score),
    ]
    return Answer(
        opinion=make_opinion(
            question,
            score=score,
            argument=" ".join(filter(None, sentences)),
            cited=[*own, *other],
            model=MODEL,
            key=key,
        )
    )


def _digest(persona: Persona) -> str:
    return digest_of([MODEL, CONCERNS[persona], OWN_CONCERN[persona], TURNING_ITEM])


def group_outcomes(question: Question) -> OutcomeGroups:
    outcomes = {outcome.check: outcome for outcome in question.outcomes}
    results = [
        CheckResult(check, outcomes[check.id])
        for check in question.criterion.checks
        if check.id in outcomes
    ]
    return OutcomeGroups(
        met=tuple(f for f in results if f.outcome.met is True),
        unmet=tuple(f for f in results if f.outcome.speaks_against),
        open=tuple(f for f in results if not f.outcome.is_established),
    )


def _why_abstain(groups: OutcomeGroups) -> str:
    if not (groups.met or groups.unmet or groups.open):
        return "This criterion has no checks; it can be judged by a model or a person only."
    if groups.established < LEAST_ESTABLISHED_SHARE:
        return (
            "Too little of this criterion could be established"
            f" ({groups.established:.0%} of its weight). {_missing(groups.open)}"
        )
    return ""


def _missing(results: Sequence[CheckResult]) -> str:
    """Return each reason once, with the goals that it leaves open."""
    goals: dict[str, list[str]] = {}
    for result in results:
        statement = statement_on(result.check, result.outcome)
        goals.setdefault(statement.fact, []).append(result.check.goal)
    return " ".join(f"{reason} {not_checked(names)}".strip() for reason, names in goals.items())


def score_of(question: Question, groups: OutcomeGroups) -> Score:
    """Return the persona's score: its share of met weight, its ceilings, then its turning item.

    In a second round the persona has heard the others: its own concern counts once, as theirs do.
    """
    persona = question.persona
    factor = OWN_CONCERN[persona] if question.round == 1 else 1
    met, unmet = (_weight(part, persona, factor) for part in (groups.met, groups.unmet))
    score = min(floor(1 + 4 * met / (met + unmet) + 0.5), _ceiling(persona, groups))

    if persona == "Prosecutor" and any(map(_is_grave, groups.unmet)):
        score -= TURNING_ITEM
    # Where nothing is missing, the Defense has nothing to argue against.
    if persona == "Defense" and groups.unmet and any(map(_is_merit, groups.met)):
        score += TURNING_ITEM
    if persona == "Prosecutor" and _security_evidence(question):
        score = min(score, SECURITY_CEILING)
    return cast("Score", min(max(score, LOWEST), HIGHEST))


def _ceiling(persona: Persona, groups: OutcomeGroups) -> int:
    if any(_states_absence(result, groups.unmet) for result in groups.unmet):
        return CEILING_WITHOUT_SUBJECT
    done, missing = (sum(map(_is_essential_part, part)) for part in (groups.met, groups.unmet))
    if missing > 1 and not done:
        return CEILING_WITHOUT_ANY
    if persona != "Defense" and any(result.check.essential for result in groups.unmet):
        return CEILING_WITHOUT_ESSENTIALS
    return CEILING_WITH_A_GAP if groups.unmet else HIGHEST


def _states_absence(result: CheckResult, unmet: Sequence[CheckResult]) -> bool:
    """Return true for an essential check unmet by the root cause on which others hang."""
    causes = {f.outcome.not_applicable.sentence for f in unmet if f.outcome.not_applicable}
    return (
        result.check.essential
        and result.outcome.reason in causes
        and not (result.outcome.not_applicable)
    )


def _is_essential_part(result: CheckResult) -> bool:
    """Return true for what must be there; an essential flaw must not be."""
    return result.check.essential and result.check.is_positive


def _weight(
    results: Iterable[CheckResult], persona: Persona | None = None, factor: float = 1
) -> float:
    """Return the sum of weights; `factor` multiplies those of the persona's own concern."""
    return sum(
        result.check.weight * (factor if persona and _is_own(persona, result) else 1)
        for result in results
    )


def _is_own(persona: Persona, result: CheckResult) -> bool:
    is_credited = persona == "Defense" and result.check.effort
    return is_credited or concern_of(result.check) == CONCERNS[persona]


def _is_grave(result: CheckResult) -> bool:
    return result.check.essential or _is_own("Prosecutor", result)


def _is_merit(result: CheckResult) -> bool:
    # A flaw that is absent is nothing that somebody did.
    is_done = result.check.is_positive
    return is_done and (result.check.essential or _is_own("Defense", result))


def _security_evidence(question: Question) -> tuple[Evidence, ...]:
    return tuple(item for item in question.evidence if item.found and "security" in item.tags)


def turning_item(question: Question, groups: OutcomeGroups, score: Score) -> CheckResult | None:
    """Return the result that the opinion turns on; None for a persona that finds none.

    The Prosecutor turns on the gravest gap, the Defense on the best thing done, and the Tech Lead
    on the gravest gap below a score that claims the criterion to be met, or where it is essential.
    """
    persona = question.persona
    if persona == "Prosecutor":
        return _gravest(question, groups.unmet)
    if persona == "Defense" or not groups.unmet:
        return _best(question, groups.met)

    is_broken = score < HIGH or any(result.check.essential for result in groups.unmet)
    return _gravest(question, groups.unmet) if is_broken else _best(question, groups.met)


def _gravest(question: Question, unmet: Sequence[CheckResult]) -> CheckResult | None:
    """Return the first of the heaviest: essential, then as the plan ranks it, then the own concern."""
    total = sum(check.weight for check in question.criterion.checks)

    def gravity(result: CheckResult) -> tuple[object, ...]:
        rank = -URGENCY.index(priority_of(result.check, total))
        return result.check.essential, rank, *_own_weight(question.persona, result)

    return max(unmet, default=None, key=gravity)


def _best(question: Question, met: Sequence[CheckResult]) -> CheckResult | None:
    """Return the first of the heaviest: what was done, then the own concern, then essential.

    What was seen comes before a search that recognised no fault, and what has no reservation before
    the rest. Where others differ from it in their limit alone, the one that is hardest to meet.
    """

    def merit(result: CheckResult) -> tuple[object, ...]:
        is_seen = not _is_vain_search(question, result)
        is_whole = not result.outcome.has_reservation
        own_weight = _own_weight(question.persona, result)
        return is_seen, is_whole, result.check.is_positive, *own_weight

    best = max(met, default=None, key=merit)
    if best is None:
        return None
    reserved = best.outcome.has_reservation
    rivals = (result for result in met if result.outcome.has_reservation is reserved)
    return max((row for row in rivals if _question(row) == _question(best)), key=_limit)


def _question(result: CheckResult) -> dict[str, object]:
    """Return the parameters of the kind but its limits."""
    return result.check.model_dump(exclude={*CheckBase.model_fields, *LIMITS})


def _limit(result: CheckResult) -> tuple[int, int]:
    least, most = (getattr(result.check, name, 0) for name in LIMITS)
    return least, -most


def _own_weight(persona: Persona, result: CheckResult) -> tuple[bool, bool, float]:
    return _is_own(persona, result), result.check.essential, result.check.weight


def _argue(question: Question, groups: OutcomeGroups, item: CheckResult | None) -> str:
    """Return the turning item in a sentence, with the first fact that shows it and its place.

    The checks of the report have all its facts, and the first round's opinion has the first.
    """
    made = _listed([*groups.met, *groups.unmet])
    if item:
        subject = _subject(question, groups, item)
        text = continued(_words(item) if question.round == 1 else _headline(item))
        place = _place(question, item.outcome.evidence)
        return f"{subject}: {text}" + (f" See {place}." if place and place not in text else "")
    if question.persona == "Defense":
        if not made:
            return (
                "I found nothing to credit: what the checks of this criterion look at is not there."
            )
        return f"I looked for something to credit and found nothing in {_checks(made)}."
    if flaws := _security_evidence(question):
        place = _place(question, [flaws[0].id])
        return "A security flaw is confirmed" + (f" at {place}." if place else ".")
    reserved = _listed([result for result in groups.met if result.outcome.has_reservation])
    beside = f"; {reserved} of {made} met with a reservation" if reserved else ""
    return f"No check of this criterion failed{beside}."


def _words(result: CheckResult) -> str:
    """Return what to say of a result: of a check that does not apply its root cause alone."""
    cause = result.outcome.not_applicable
    if cause:
        return cause.sentence
    statement = statement_on(result.check, result.outcome)
    sentences = first_sentence(statement.sentence), first_sentence(statement.fact)
    return " ".join(filter(None, sentences))


def _headline(result: CheckResult) -> str:
    cause = result.outcome.not_applicable
    return cause.sentence if cause else statement_on(result.check, result.outcome).sentence


def _faults(unmet: Sequence[CheckResult]) -> int:
    """Count the faults as the report lists them; a root cause is one, whatever hangs on it."""
    stated = {result.outcome.reason for result in unmet if not result.outcome.not_applicable}
    causes = {f.outcome.not_applicable.sentence for f in unmet if f.outcome.not_applicable}
    return _listed(unmet) + len(causes - stated)


def _listed(results: Sequence[CheckResult]) -> int:
    """Count the checks as the report lists them: several that one fact shows are one."""
    statements = [
        statement_on(result.check, result.outcome)
        for result in results
        if not result.outcome.not_applicable
    ]
    return len({(statement.met, statement.fact or statement.sentence) for statement in statements})


def _subject(question: Question, groups: OutcomeGroups, item: CheckResult) -> str:
    persona = question.persona
    if persona == "TechLead":
        return f"{'For' if item.outcome.met else 'Against'} it I put first"
    if persona == "Prosecutor":
        # One check may say of several faults that they are there.
        if len(groups.unmet) == 1:
            return "The only check that is not met"
        faults = _faults(groups.unmet)
        return "The only fault" if faults == 1 else f"Of {faults} faults I put first"
    # A search that recognised no fault is not listed as met.
    met = [result for result in groups.met if not _is_vain_search(question, result)]
    count = _listed(met or groups.met)
    is_only = count == 1
    return (
        "The only check that is met" if is_only else f"Of {count} checks that are met I put first"
    )


def _is_vain_search(question: Question, result: CheckResult) -> bool:
    vain = {piece.id for piece in question.evidence if piece.is_vain_search}
    return result.outcome.met is True and vain.issuperset(result.outcome.evidence)


def _place(question: Question, evidence_ids: Iterable[str]) -> str:
    """Return the first file or page of the evidence; "" for what is absent everywhere."""
    evidence = {item.id: item for item in question.evidence}
    places = (evidence[i].location for i in evidence_ids if i in evidence)
    # The ends of a history prove no number of commits: the fact names the commits that matter.
    return next((place.words for place in places if place.path or place.page), "")


def _checks(count: int) -> str:
    return "1 check" if count == 1 else f"{count} checks"


def _own_evidence(question: Question, item: CheckResult | None) -> list[str]:
    """Return the ids of the turning item's evidence, and for the Prosecutor a security flaw's."""
    # Beside what bears out a check that is met may stand what it reserves.
    most = 1 if item and item.outcome.has_reservation else MOST_CITED
    cited = item.outcome.evidence[:most] if item else ()
    flaws = _security_evidence(question) if question.persona == "Prosecutor" else ()
    return [*cited, *(flaw.id for flaw in flaws[:1])]


def _other_sides(
    question: Question, groups: OutcomeGroups, item: CheckResult | None, score: int
) -> list[CheckResult]:
    """Return the other side's strongest result where the score rests on it.

    A high score in spite of a fault needs what was done, a low one in spite of a merit the faults.
    """
    if item and item.outcome.evidence:
        is_met = item.outcome.met is True
        if not (score <= LOW if is_met else score >= HIGH):
            return []
    sides = _gravest(question, groups.unmet), _best(question, groups.met)
    return [side for side in sides if side and side is not item and side.outcome.evidence]


def _against(side: CheckResult) -> str:
    """Return what else the score rests on, with the evidence of it that the opinion cites."""
    words = continued(_headline(side)).rstrip(".")
    which = "In its favour" if side.outcome.met else "Against it"
    # The place that some sentences end with is that of the evidence.
    return f"{which}: {PLACE_AT_END.sub('', words)} ({side.outcome.evidence[0]})."


def _short_of_five(
    question: Question, groups: OutcomeGroups, item: CheckResult | None, score: int
) -> str:
    """Return the gravest gap of a Tech Lead who speaks of what works, and does not give 5."""
    gap = _gravest(question, groups.unmet)
    is_silent = question.persona == "TechLead" and item in groups.met and score < HIGHEST
    if not gap or not is_silent:
        return ""
    faults = _faults(groups.unmet)
    reason = ", as" if faults == 1 else f" for {faults} faults, first:"
    return f"Not {HIGHEST}{reason} {continued(_headline(gap))}"


def _open_checks(groups: OutcomeGroups) -> str:
    left_out = f"Left out: {_checks(len(groups.open))} that could not be made."
    return left_out if groups.open else ""


def _on_second_round(question: Question, score: Score) -> str:
    if question.round == 1 or OWN_CONCERN[question.persona] == 1:
        return ""
    counts = f"After the others' arguments I count checks on {CONCERNS[question.persona]} once, not twice"
    before = [opinion.score for opinion in question.earlier if opinion.judge == question.persona]
    return f"{counts}: my score stays {score}." if before == [score] else f"{counts}."
