"""Places that prove what is said of the Chief Justice's rules: the condition, the operand, the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.checks.result import Finding
from courtroom.checks.synthesis_rules import SynthesisRules
from courtroom.models.check import CheckBase
from tests.courtroom.analysis.test_shown_places import FILES, surveyed
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, detected

JUSTICE = """
def chief_justice(state):
    prosecutor, defense, tech_lead = state["opinions"]
    scores = [prosecutor.score, defense.score, tech_lead.score]
    final_score = resolve(prosecutor, scores, is_flawed(prosecutor))
    plan = ""
    if not scores:
        plan = "Nothing to mend."
        return {"verdict": 0, "report": Report(remediation=plan)}
    dissent = None
    if max(scores) - min(scores) > 2:
        dissent = argued(prosecutor)
        dissent = (dissent or "") + " The Prosecutor"
    plan = (
        "Mend these first: "
        + "; ".join([f"{prosecutor.argument}"])
    )
    return {"verdict": final_score, "report": Report(dissent=dissent, remediation=plan)}


def is_flawed(prosecutor):
    return "security" in prosecutor.argument


def argued(prosecutor):
    lines = ["The judges do not agree."]
    lines.append(f"It says: {prosecutor.argument}")
    return " ".join(lines)


def resolve(prosecutor, scores, has_security_flaw):
    variance = max(scores) - min(scores)
    if variance > 2:
        applied = []
        applied.append(
            f"The prosecutor gives {scores[0]}, the defense {scores[1]}: "
            f"re-evaluation applied."
        )
    weighted_score = (
        scores[0] * 0.25
        + scores[1] * 0.25
        + tech_lead_score * 0.5
    )
    if has_security_flaw:
        return (
            min(weighted_score, 3),
            "capped",
        )
    return weighted_score
"""


def found(aspect: str, tmp_path: Path, justice: str = JUSTICE) -> Finding:
    work = surveyed({**FILES, "src/justice.py": justice}, tmp_path)
    check: CheckBase = SynthesisRules.model_validate({**CHECK_FIELDS, "aspect": aspect})
    return detected(check, work)


def verdict_of(*body: str) -> str:
    rows = "\n    ".join(body)
    return (
        "def chief_justice(state):\n"
        "    prosecutor, defense, tech_lead = state['opinions']\n"
        "    variance = max(prosecutor.score, defense.score) - tech_lead.score\n"
        "    final_score = (prosecutor.score + defense.score + tech_lead.score) / 3\n"
        f"    {rows}\n    return {{'verdict': final_score}}\n"
    )


def line_with(text: str, justice: str = JUSTICE) -> int:
    return next(n for n, line in enumerate(justice.split("\n"), start=1) if text in line)


@pytest.mark.parametrize(
    ("aspect", "lines"),
    [
        ("security_override", ["min(weighted_score, 3)"]),
        ("security_by_evidence", ["is_flawed(prosecutor))"]),
        ("functionality_weight", ["+ tech_lead_score * 0.5"]),
        ("variance_re_evaluation", ['f"re-evaluation applied."']),
        ("dissent_reasons", ['lines.append(f"It says']),
        ("remediation", ['"; ".join(']),
    ],
)
def test_sentence_on_a_rule_is_shown_by_the_line_that_proves_it(
    tmp_path: Path, aspect: str, lines: list[str]
) -> None:
    finding = found(aspect, tmp_path)
    assert clue_lines(finding) == [("src/justice.py", line_with(text)) for text in lines]


def test_rule_that_sets_the_score_by_the_spread_is_shown_before_a_text_that_claims_more(
    tmp_path: Path,
) -> None:
    justice = verdict_of(
        "if variance > 2:",
        "    final_score = tech_lead.score",
        "    note = 'Scores were re-evaluated.'",
        "    return {'verdict': final_score, 'report': Report(remediation=note)}",
    )
    finding = found("variance_re_evaluation", tmp_path, justice)
    assert clue_lines(finding) == [("src/justice.py", line_with("= tech_lead.score", justice))]


def test_ground_of_a_cap_that_a_helper_finds_is_shown_where_the_helper_is_asked(
    tmp_path: Path,
) -> None:
    justice = verdict_of(
        "security_cap = cap_for_security(prosecutor)",
        "if security_cap is not None and final_score > security_cap:",
        "    final_score = security_cap",
    )
    justice += (
        "\n\ndef cap_for_security(prosecutor):\n"
        "    if prosecutor.score == 1:\n        return 3\n    return None\n"
    )
    finding = found("security_by_evidence", tmp_path, justice)
    assert clue_lines(finding) == [("src/justice.py", line_with("= cap_for_security(", justice))]


RUBRIC_RULES = """
def rules_of(rubric):
    return {"fact_supremacy": rubric.get("facts", ""), "security_override": rubric.get("cap", "")}


def is_flaw_confirmed(evidences):
    return any(piece.found and "unsafe" in piece.goal for piece in evidences)
"""


def test_cap_is_shown_where_evidence_is_read_and_not_where_the_rubric_is(tmp_path: Path) -> None:
    justice = RUBRIC_RULES + verdict_of(
        "evidences = state['evidences']",
        "security_override = str(rules_of(state).get('security_override', ''))",
        "if is_flaw_confirmed(evidences):",
        "    if 'cap' in security_override and '3' in security_override:",
        "        final_score = min(final_score, 3)",
        "    else:",
        "        final_score = max(1, final_score - 1)",
    )
    line = line_with("if is_flaw_confirmed(", justice)
    assert clue_lines(found("security_by_evidence", tmp_path / "a", justice)) == [
        ("src/justice.py", line)
    ]
    assert not found("fact_supremacy", tmp_path / "b", justice).met


def test_text_on_another_rule_is_no_dissent_where_one_is_named(tmp_path: Path) -> None:
    lines = [line for _, line in clue_lines(found("dissent", tmp_path))]
    assert lines
    assert all(line < line_with("def resolve(") for line in lines)


def test_condition_that_never_holds_is_shown_and_not_what_it_would_do(tmp_path: Path) -> None:
    justice = JUSTICE.replace(
        "    if has_security_flaw:", "    has_security_flaw = False\n    if has_security_flaw:"
    )
    finding = found("security_override", tmp_path, justice)
    assert clue_lines(finding)[0][1] == line_with("    if has_security_flaw:", justice)


def test_weight_of_scores_that_agree_is_not_said_to_be_for_all(tmp_path: Path) -> None:
    justice = """
def chief_justice(state):
    p, d, t = [opinion.score for opinion in state["opinions"]]
    variance = max(p, d, t) - min(p, d, t)
    if variance > 2:
        final_score = min(p, d)
    else:
        final_score = round(
            (
                p * 0.25
                + d * 0.25
                + tech_lead_score * 0.5
            )
        )
    return {"verdict": final_score}
"""
    finding = found("functionality_weight", tmp_path, justice)
    line = line_with("tech_lead_score", justice)
    assert finding.reason == (
        "The Tech Lead's score counts most where scores do not lie far apart (src/justice.py:"
        f"{line})."
    )


def test_words_are_not_the_only_ground_of_the_tech_leads_weight(tmp_path):
    justice = """
def chief_justice(state):
    by_judge = {opinion.judge: opinion for opinion in state["opinions"]}
    return {"verdict": resolve(state["criterion_id"], by_judge)}

def resolve(criterion_id, by_judge):
    tech_lead = by_judge.get("TechLead")
    scores = [opinion.score for opinion in by_judge.values()]
    if criterion_id == "graph_orchestration" and tech_lead:
        text = tech_lead.argument.lower()
        if "modular" in text:
            return tech_lead.score
    variance = max(scores) - min(scores)
    if tech_lead and variance > 2:
        final = tech_lead.score
    else:
        final = round(sum(scores) / len(scores))
    return final
"""
    reason = found("functionality_weight", tmp_path, justice).reason
    assert "The Tech Lead's score counts most where an argument has “modular”, " in reason


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (
            ("    final_score -= 0.5",),
            "by taking 0.5 off the score: every opinion stays in it",
        ),
        (
            ("    if variance > 2:", "        final_score = min(final_score, 2)"),
            "where scores lie far apart",
        ),
    ],
)
def test_rule_of_facts_that_does_little_has_that_reservation(
    tmp_path: Path, body: tuple[str, ...], sentence: str
) -> None:
    justice = verdict_of("if not any(e.found for e in state['evidences']):", *body)
    finding = found("fact_supremacy", tmp_path, justice)
    line = line_with(body[-1], justice)
    assert (finding.met, finding.has_reservation) == (True, True)
    assert finding.reason == (
        f"A rule lets facts overrule opinions only {sentence} (src/justice.py:{line})."
    )


def test_weight_in_a_sum_of_several_lines_stands_before_a_choice_of_the_highest(
    tmp_path: Path,
) -> None:
    justice = verdict_of(
        "if state['criterion'] == 'graph_orchestration' and tech_lead.score >= 4:",
        "    final_score = max(state['scores'])",
        "total = 0.0",
        "total += prosecutor.score * 0.3",
        "total += tech_lead.score * 0.4",
        "final_score = total",
    )
    finding = found("functionality_weight", tmp_path, justice)
    assert clue_lines(finding) == [("src/justice.py", line_with("* 0.4", justice))]


def test_dissent_without_arguments_is_told_where_the_report_prints_them(tmp_path: Path) -> None:
    justice = verdict_of(
        "dissent = ''",
        "if variance > 2:",
        "    dissent = f'They lie {variance} apart.'",
        "text = f'# Audit report\\n## Verdict: {final_score}\\n### Dissent: {dissent}'",
        "for opinion in state['opinions']:",
        "    text += f'{opinion.argument}'",
        "open('audit.md', 'w').write(text)",
        "report = Report(dissent=dissent)",
    )
    finding = found("dissent_reasons", tmp_path, justice)
    line = line_with("opinion.argument", justice)
    assert finding.reason.endswith(
        f"What the judges argue is printed apart from it (src/justice.py:{line})."
    )
