"""Synthesis rules: a score changes under a condition, in code the Chief Justice reaches."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.rules import readings_of, rules_in
from tests.courtroom.sources import justice

WEIGHT = "functionality_weight"
RULES = {
    "security_override": [
        "if 'security' in p.argument and score > 3:\n    score = 3",
        "if has_vulnerability(p):\n    score = min(score, 3)",
        (
            "score_cap = security_rule(evidences)\n"
            "final_score = min(score, score_cap) if score_cap is not None else score"
        ),
        "overall = score\nif has_vulnerability(p):\n    overall = min(overall, 3)\nreturn overall",
        "score = min(score, 3) if p.found_injection else score",
        (
            "if has_vulnerability(p):\n    final_avg = min(score, 3.0)\nelse:\n    final_avg = score\n"
            "lines.append(f'Overall score: {final_avg:.2f} of 5')"
        ),
        "if p.score <= 2:\n    score = 2\n    notes.append('Security override')",
        "if criterion_id == 'safe_tool_engineering' and p.score == 1:\n    score = min(score, 3.0)",
        (
            "insecure = any(w in p.argument for w in ('os.system', 'unsafe'))\n"
            "if insecure:\n"
            "    return min(score, 3)"
        ),
    ],
    "fact_supremacy": [
        (
            "kept = []\n"
            "for opinion in opinions:\n"
            "    cited = [evidences[key] for key in opinion.cited_evidence]\n"
            "    if opinion.score > 3 and not any(piece.found for piece in cited):\n"
            "        continue\n"
            "    kept.append(opinion)\n"
            "score = sum(opinion.score for opinion in kept) / len(kept)"
        ),
        (
            "for place in d.cited_evidence:\n"
            "    if not is_verified(evidences, place):\n"
            "        d = d.model_copy(update={'score': 1, 'argument': 'overruled'})\n"
            "score = mean([p, d, t])"
        ),
        "if not any(e.found for e in d.cited_evidence):\n    d = replace(d, score=1)",
        "if not any(e.found for e in evidences):\n    score = min(score, p.score)",
        "for ev in evidences:\n    if ev.found and ev.confidence > 0.8:\n        final_score = 5",
        "if any(not evidences[i].found for i in d.cited_evidence):\n    score = p.score",
        (
            "has_hallucination = False\n"
            "for name in d.cited_evidence:\n"
            "    ev = pool.get(name)\n"
            "    if not ev or not ev.found:\n"
            "        has_hallucination = True\n"
            "if has_hallucination:\n"
            "    score = max(1, score - 2)"
        ),
        (
            "scores = []\n"
            "for opinion in (p, d, t):\n"
            "    if opinion.score > 3 and evidences.confidence < 0.5:\n"
            "        continue\n"
            "    scores.append(opinion.score)\n"
            "score = sum(scores) / len(scores)"
        ),
    ],
    "functionality_weight": [
        (
            "scores = []\n"
            "for judge, opinion in state.items():\n"
            "    if 'architecture' in state['criterion'] and judge == 'TechLead':\n"
            "        scores.append(opinion.score * 0.5)\n"
            "    else:\n"
            "        scores.append(opinion.score * 0.25)\n"
            "score = sum(scores)"
        ),
        (
            "if state['criterion'] == 'graph_orchestration' and t.judge == 'TechLead':\n"
            "    score = t.score"
        ),
        "tech_lead = t\nscore = tech_lead.score * 0.5 + p.score * 0.25 + d.score * 0.25",
        "weights = {'Prosecutor': 1, 'Defense': 1, 'TechLead': 2}",
        "weights = [('Prosecutor', 0.25), ('Defense', 0.25), ('TechLead', 0.5)]",
        (
            "for o in state['opinions']:\n"
            "    w = HEAVY if o.judge == 'TechLead' else (1.2 if o.judge == 'Prosecutor' else 0.9)\n"
            "HEAVY = 1.5"
        ),
        (
            "tech = pick('TechLead')\n"
            "tech_score = tech.score if tech else 0\n"
            "if state['id'] == 'graph_orchestration':\n"
            "    score = tech_score\n"
            "    note('Tech Lead decides')"
        ),
        (
            "tech_lead = t\n"
            "weighted = round(score * 0.5 + tech_lead.score * 0.5)\n"
            "if tech_lead and weighted != score:\n"
            "    return weighted, 'note'"
        ),
        "tech_lead = t\nif tech_lead.score >= 4:\n    score = (score + tech_lead.score) / 2",
        "tech_lead = pick('TechLead')\nif p.score != d.score:\n    score = tech_lead.score",
        "lead = pick('TechLead')\nfinal_score = lead.score if lead else 3",
        (
            "lead = scores.get('TechLead')\n"
            "base = lead if lead is not None else p.score\n"
            "final_score = int(base)"
        ),
        "total = p.score\ntech_lead = t\ntotal += tech_lead.score * 2\nscore = total / 3",
    ],
    "dissent": [
        "dissent = explain(p, d)\nreturn Result(score=score, dissent_summary=dissent)",
        "return {'score': score, 'dissent': explain(p, d)}",
        "dissent_text = explain(p, d)\nlines.append(f'Dissent: {dissent_text}')",
        "state.report.dissent_summary = explain(p, d)",
    ],
}
NO_RULES = [
    "for e in evidences:\n    if not e.found:\n        continue\n    names.append(e.goal)",
    "overall_text = 'poor' if p.found_injection else 'fair'",
    "# security_override: cap at 3 when os.system is found\nscore = round(score)",
    "'''Rule of security: cap the score at 3.'''",
    "if 'security' in p.argument:\n    notes.append('security!')",
    "if not evidences:\n    notes.append('fact supremacy flagged')",
    "dissent_summary = explain(p, d)",
    "if max(p.score, d.score) - min(p.score, d.score) > 2:\n    score = min(p.score, d.score)",
    "log('functionality_weight: the Tech Lead decides')",
    "score_cap = 5\nif score > score_cap:\n    score = score_cap",
    "d = d.model_copy(update={'judge': 'Defense'})\nlead = pick('TechLead')\nfinal = int(score)",
    "tech_lead = t\nif tech_lead:\n    score = (p.score + prosecutor.score + tech_lead.score) / 3",
    (
        "if criterion == 'graph':\n    tech_lead_score = score\n"
        "    for o in state['opinions']:\n        if o.judge == 'TechLead':\n"
        "            tech_lead_score = o.score\n    score = boosted(score)"
    ),
    "report = made('Mend what the Tech Lead names.')\nfinal_report = report",
    "order = [('Prosecutor', 1), ('TechLead', 1)]",
    "order = {'Defense': 0, 'Prosecutor': 1, 'TechLead': 2}\nreturn sorted(opinions, key=order.get)",
    "tech_score = tech_lead.score if tech_lead else 3",
    (
        "scores = [p.score]\ntech_lead = t\nif d:\n    scores.append(d.score)\n"
        "if tech_lead:\n    scores.append(tech_lead.score)\nscore = sum(scores) / len(scores)"
    ),
    (
        "summary = f'Facts first: cited evidence is missing for {p}'\n"
        "if p.score > 2 and not summary:\n"
        "    score = p.score"
    ),
    (
        "for o in state['opinions']:\n"
        "    w = 1.0 if o.judge == 'TechLead' else (1.2 if o.judge == 'Prosecutor' else 1.0)"
    ),
]


@pytest.mark.parametrize(
    ("rule", "body"), [(rule, body) for rule, bodies in RULES.items() for body in bodies]
)
def test_a_rule_is_detected_in_every_form(rule, body):
    assert rule in rules_in(justice(body))


@pytest.mark.parametrize("body", NO_RULES)
def test_words_comments_and_dropped_values_are_no_rules(body):
    assert rules_in(justice(body)) == set()


BY_OPINIONS = [
    "if not d.cited_evidence:\n    score = max(p.score, t.score)",
    (
        "p_ev = len(p.cited_evidence)\n"
        "if p_ev > len(d.cited_evidence):\n"
        "    score = p.score  # more evidence found"
    ),
    "if 'no evidence' in p.argument and 'found' in d.argument:\n    score = p.score",
    "if contradicts_facts(p, d):\n    score = (p.score + t.score) / 2",
]
CONTRADICTS = (
    "def contradicts_facts(p, d):\n"
    '    """Return whether the evidence contradicts the Defense."""\n'
    "    claim = d.argument.lower()\n"
    "    return any(word in claim for word in ('found', 'exists')) and 'missing' in p.argument\n"
)


@pytest.mark.parametrize("body", BY_OPINIONS)
def test_an_opinion_that_overrules_an_opinion_is_no_fact_supremacy(body):
    reading = readings_of(justice(body, CONTRADICTS))["fact_supremacy"]

    assert (reading.lines, len(reading.by_opinions)) == ([], 1)


@pytest.mark.parametrize(("weight", "is_larger"), [("2", True), ("1", False)])
def test_weight_that_is_passed_as_an_argument_is_shown_at_its_call(weight, is_larger):
    mean = (
        "def mean(p, d, tech_lead, lead_weight=1):\n    total = p.score * 1\n"
        "    total += tech_lead.score * lead_weight\n    return total / (1 + lead_weight)\n"
    )
    call = f"return mean(p, d, t, lead_weight={weight})"
    code = justice(f"if state['id'] in ARCHITECTURE:\n    {call}", mean)
    lines = readings_of(code)["functionality_weight"].lines

    code_lines = [code.split("\n")[line - 1].strip() for _, line in lines[:1]]
    assert code_lines == ([call] if is_larger else [])


def test_line_that_overrules_an_opinion_by_facts_is_no_weight_beside_another_line():
    facts = "if tech_lead and not any(e.found for e in evidences):\n    score = tech_lead.score"
    weight = "elif criterion == 'architecture' and tech_lead:\n    score = tech_lead.score"
    lines = [line for _, line in readings_of(justice(f"{facts}\n{weight}"))[WEIGHT].lines]
    assert lines == [7]
    assert [line for _, line in readings_of(justice(facts))[WEIGHT].lines] == [5]


def test_dissent_is_shown_where_its_text_is_made_and_not_where_it_is_counted():
    summary = (
        "def summary(criteria):\n    dissent_count = sum(1 for c in criteria if c.dissent)\n"
        "    parts = []\n    parts.append(f'{dissent_count} contested')\n    return parts\n"
    )
    body = (
        "summary(state)\ndissent = None\nif max(p, d, t) - min(p, d, t) > 2:\n"
        "    dissent = f'{p} against {d}'\nreturn Result(score=score, dissent=dissent)"
    )
    code = justice(body, summary)
    _, line = readings_of(code)["dissent"].lines[0]
    assert code.split("\n")[line - 1].strip() == "dissent = f'{p} against {d}'"


def test_return_that_hands_a_dissent_on_and_a_flag_show_no_dissent_beside_its_text():
    before = (
        "def is_contested(p, d) -> bool:\n    return p != d\n"
        "def explain(p, d, dissent):\n    if not p:\n        return 1, dissent\n"
        "    dissent = f'{p} against {d}'\n    return 2, dissent\n"
    )
    body = (
        "dissents = {}\ndissent = is_contested(p, d)\nscore, text = explain(p, d, None)\n"
        "return Result(score=score, dissent=text)"
    )
    code = justice(body, before)
    lines = [code.split("\n")[line - 1].strip() for _, line in readings_of(code)["dissent"].lines]
    assert lines == ["dissent = f'{p} against {d}'", "return Result(score=score, dissent=text)"]


def test_text_for_want_of_a_dissent_is_not_shown_beside_another():
    body = (
        "dissent = None\nvariance = max(p, d, t) - min(p, d, t)\nif variance > 2:\n"
        "    dissent = f'{p} against {d}'\nif variance > 2 and not dissent:\n"
        "    dissent = f'{p}, {d}'\nreturn Result(score=score, dissent=dissent)"
    )
    shown = [line for _, line in readings_of(justice(body))["dissent"].lines]
    code_lines = [justice(body).split("\n")[line - 1].strip() for line in shown]
    assert "dissent = f'{p} against {d}'" in code_lines
    assert "dissent = f'{p}, {d}'" not in code_lines


def test_dissent_under_a_test_of_the_spread_is_shown_without_another_note():
    body = (
        "dissent = None\nif is_unsafe(p):\n    dissent = f'capped for {p}'\n"
        "variance = max(p, d, t) - min(p, d, t)\nif variance > 2:\n"
        "    dissent = f'{p} against {d}'\nreturn Result(score=score, dissent=dissent)"
    )
    code = justice(body)
    lines = [line for _, line in readings_of(code)["dissent"].lines]
    code_lines = [code.split("\n")[line - 1].strip() for line in lines]
    assert (code_lines[0], {*code_lines[1:]}) == (
        "dissent = f'{p} against {d}'",
        {body.rsplit("\n", maxsplit=1)[-1]},
    )


@pytest.mark.parametrize("line", ["score_variance = max(p, d) - min(p, d)", "score = score - 1"])
def test_line_after_a_cap_for_security_in_one_chain_is_no_such_cap(line):
    cap = "if 'security' in p.argument:\n    score = min(score, 3)"
    code = justice(f"{cap}\nelif state['id'] == 'graph':\n    score = t.score\nelse:\n    {line}")
    lines = readings_of(code)["security_override"].lines
    assert [code.split("\n")[n - 1].strip() for _, n in lines] == ["score = min(score, 3)"]


def test_score_that_is_set_before_the_facts_are_looked_up_is_no_fact_supremacy():
    overrule = (
        "def check_facts(opinion, evidences):\n"
        "    supported = [c for c in opinion.cited_evidence if evidences[c].found]\n"
        "    if len(supported) == 0:\n        opinion.score = 1\n    return opinion\n"
    )
    body = (
        "for opinion in (p, d, t):\n    rounded_score = round(opinion.score)\n"
        "    if rounded_score != opinion.score:\n        opinion.score = rounded_score\n"
        "    opinion = check_facts(opinion, evidences)"
    )
    code = justice(body, overrule)
    lines = readings_of(code)["fact_supremacy"].lines
    assert [code.split("\n")[n - 1].strip() for _, n in lines] == ["opinion.score = 1"]


def test_score_of_the_defense_that_evidence_bears_out_overrules_nobody():
    overruled = "if not any(e.found for e in evidences):\n    score = tech_lead.score"
    code = justice(f"{overruled}\nelse:\n    score = defense.score")
    lines = readings_of(code)["fact_supremacy"].lines
    assert [code.split("\n")[n - 1].strip() for _, n in lines] == ["score = tech_lead.score"]


def test_tie_break_is_the_weight_of_the_tech_lead_only_where_nothing_else_is():
    tie = "variance = max(p, d, t) - min(p, d, t)\nif variance > 2:\n    score = tech_lead.score"
    weight = "if criterion == 'architecture' and tech_lead:\n    score = tech_lead.score"
    alone, both = (
        readings_of(justice(body))["functionality_weight"] for body in (tie, f"{weight}\n{tie}")
    )

    assert (alone.is_tie_break, len(alone.lines)) == (True, 1)
    assert (both.is_tie_break, len(both.lines)) == (False, 1)


def test_score_that_a_function_returns_by_the_spread_is_decided_by_it():
    resolve = (
        "def resolve_score(p, d, t):\n"
        "    variance = max(p, d, t) - min(p, d, t)\n"
        "    if variance > 2:\n        return t\n    return (p + d + t) / 3\n"
    )
    body = "score = resolve_score(p.score, d.score, t.score)"
    reading = readings_of(justice(body, resolve))["variance_re_evaluation"]

    assert (reading.lines, len(reading.final)) == ([], 1)


def test_cap_under_a_security_flaw_of_the_evidence_is_no_fact_supremacy():
    rules = rules_in(
        justice(
            "is_insecure = any(e.found and 'os.system' in e.text for e in evidences)\n"
            "if is_insecure:\n"
            "    score = min(score, 3)"
        )
    )
    assert rules == {"security_override"}


def test_a_mean_of_all_scores_is_no_branch_of_fact_supremacy():
    mean = "(p.score + d.score + t.score) / sum([1, 1, 1])"
    body = (
        "if all(not e.found for e in evidences):\n"
        "    if p:\n"
        "        score = p.score\n"
        "    else:\n"
        f"        score = {mean}\n"
        "elif state['x']:\n"
        "    score = t.score\n"
        "else:\n"
        f"    score = {mean}"
    )

    assert [line for _, line in readings_of(justice(body))["fact_supremacy"].lines] == [6]


LEAD_AND_FALLBACK = (
    "leads = [o for o in state['opinions'] if o.judge == 'TechLead']\n"
    "if 'architecture' in state['criterion']:\n"
    "    if leads:\n"
    "        score = leads[0].score\n"
    "    else:\n"
    "        score = round(sum(o.score for o in state['opinions']) / 3)"
)
LEAD_IN_A_TEXT = (
    "leads = [o for o in state['opinions'] if o.judge == 'TechLead']\n"
    "if leads:\n"
    "    tech_score = leads[0].score\n"
    "    lines.append(f'Tech Lead scored {tech_score}.')"
)


def test_a_branch_without_the_tech_lead_is_not_quoted_for_the_weight():
    reading = readings_of(justice(LEAD_AND_FALLBACK))["functionality_weight"]

    assert [line for _, line in reading.lines] == [7]


def test_a_score_that_only_a_text_shows_is_no_weight():
    assert rules_in(justice(LEAD_IN_A_TEXT)) == set()


def test_a_verdict_in_words_is_a_rule_in_code_that_names_no_score():
    code = justice(
        "result = verdict_of(p)",
        before=(
            "def verdict_of(p):\n    if 'injection' in p.argument:\n        return 'FAIL'\n"
            "    return 'PASS'\n"
        ),
    )

    assert "security_override" in rules_in(code)


def test_a_number_of_code_that_names_no_score_is_no_rule():
    code = justice(
        "line = first(evidences)",
        before=(
            "def first(lines):\n"
            "    for number, line in enumerate(lines):\n"
            "        if not evidence_found(line):\n"
            "            return number - 1\n"
        ),
    )

    assert rules_in(code) == set()


def test_a_rule_in_an_uncalled_function_is_no_rule():
    rule = (
        "def security_override(score, insecure):\n"
        "    if insecure:\n"
        "        return min(score, 3)\n"
        "    return score\n"
    )

    uncalled = readings_of(justice("pass", rule))["security_override"]

    assert (uncalled.lines, [(f.name, n) for f, n in uncalled.uncalled]) == (
        [],
        [("security_override", 3)],
    )
    assert rules_in(justice("score = security_override(score, p)", rule)) == {"security_override"}


SWITCHED = (
    "def resolve(score, p, rules):\n"
    "    if 'security' in p.argument and rules.get('security_override'):\n"
    "        score = min(score, 3)\n"
    "    return score\n"
    "def chief_justice(state, p):\n"
    "    {}\n"
    "    return resolve(p.score, p, rules)\n"
)


@pytest.mark.parametrize(
    ("assignment", "is_applied"),
    [
        ("rules = {}", False),
        ("rules = getattr(state, 'rules', {})", False),
        ("rules = state.get('rules', {}).get('x')", False),
        ("rules = state.get('rubric', {})", True),
        ("rules = state['rules']", True),
        ("rules = {}\n    rules['security_override'] = True", True),
        ("rules = load_rules()", True),
    ],
)
def test_a_rule_behind_a_switch_that_is_never_set_is_dead(assignment, is_applied):
    reading = readings_of(SWITCHED.format(assignment), frozenset({"rubric"}))["security_override"]

    assert (bool(reading.lines), bool(reading.dead)) == (is_applied, not is_applied)


def test_a_switch_of_an_unknown_state_may_be_set():
    code = SWITCHED.format("rules = getattr(state, 'rules', {})")

    assert readings_of(code, None)["security_override"].dead == []


def test_a_verdict_in_words_is_a_score():
    words = "if any(w in p.argument for w in ('shell injection',)):\n    return VERDICT_FAIL"

    assert rules_in(justice(words)) == {"security_override"}


def test_weights_are_followed_through_parameters_and_two_assignments():
    code = (
        "def blend(p, d, t):\n    return round((p + d + 2 * t) / 4)\n"
        "def chief_justice(opinions):\n"
        "    lead = [o for o in opinions if o.judge == 'TechLead']\n"
        "    t_score = lead[0].score\n"
        "    return blend(opinions[0].score, opinions[1].score, t_score)\n"
    )

    assert rules_in(code) == {"functionality_weight"}
    assert rules_in(code.replace("2 * t", "2 * p")) == set()


@pytest.mark.parametrize(
    "added", ["text += {}", "lines.append({})", "lines.extend([{}, ''])", "lines += [{}]"]
)
def test_both_sides_in_a_text_about_the_spread_are_a_dissent(added):
    thesis, antithesis = "f'Thesis (Prosecutor): {p.argument}'", "f'Antithesis (Defense): {d}'"
    body = (
        "spread = max(p.score, d.score) - min(p.score, d.score)\n"
        f"if spread > 1:\n    {added.format(thesis)}\n    {added.format(antithesis)}"
    )

    assert rules_in(justice(body)) == {"dissent"}


def test_facts_overrule_behind_the_branch_that_returns_the_score_as_it_is():
    code = (
        "def is_valid(cited_evidence, evidences):\n"
        "    return any(place in evidences for place in cited_evidence)\n"
        "def row(opinion, evidences):\n"
        "    is_cited = is_valid(opinion.cited_evidence, evidences)\n"
        "    if is_cited:\n"
        "        return Row(score=opinion.score, is_discounted=False)\n"
        "    score = max(1, opinion.score - 1)\n"
        "    return Row(score=score, is_discounted=True)\n"
        "def chief_justice(state):\n"
        "    evidences = {e.goal for e in state['evidences']}\n"
        "    return sum(row(o, evidences).score for o in state['opinions'])\n"
    )

    assert [line for _, line in readings_of(code)["fact_supremacy"].lines] == [7]


def test_facts_of_an_earlier_branch_are_none_of_the_next():
    code = "def weigh(evidence):\n    return 'low' if not evidence.found else 'high'\n"
    body = (
        "status = weigh(evidence)\nif status == 'low':\n    score = 1\n"
        "elif lead is not None:\n    score = lead.rank"
    )
    lines = [line for _, line in readings_of(justice(body, code))["fact_supremacy"].lines]
    text = justice(body, code).split("\n")
    assert [text[line - 1].strip() for line in lines] == ["score = 1"]


def test_rule_of_facts_is_shown_where_it_sets_the_score():
    kept = (
        "def limited(score, evidence):\n    if evidence.found:\n        return score, ''\n"
        "    capped = min(score, 2)\n    return capped, 'missing'\n"
    )
    read = (
        "if not evidence.found:\n    lead_score = lead.score if lead else 3\n"
        "    score = min(lead_score, 2)"
    )
    for body, functions, first in (
        ("score, why = limited(score, evidence)", kept, "capped = min(score, 2)"),
        (read, "", "score = min(lead_score, 2)"),
    ):
        code = justice(body, functions)
        place = readings_of(code)["fact_supremacy"].lines[0]
        assert code.split("\n")[place[1] - 1].strip() == first


@pytest.mark.parametrize(
    ("rule", "is_lifting"),
    [
        ("if any(e.found for e in evidences) and score < 4:\n    score = 5", True),
        ("if any(e.found for e in evidences):\n    return 'PASS'", True),
        ("if not any(e.found for e in evidences) and score > 3:\n    score = 3", False),
        ("if any(e.found for e in evidences):\n    score = 5", False),
    ],
)
def test_a_rule_of_facts_that_raises_scores_alone_is_told_from_one_that_lowers_them(
    rule, is_lifting
):
    reading = readings_of(justice(f"score = p.score\n{rule}"))["fact_supremacy"]

    assert (bool(reading.lines), reading.is_lifting) == (True, is_lifting)


def test_a_rule_that_asks_what_the_score_is_and_what_opinions_cite_reads_no_evidence():
    body = (
        "score = p.score\n"
        "if any(e.found for e in evidences):\n    score = 2\n"
        "cited = [c for o in opinions for c in o.cited_evidence]\n"
        "if not cited and score > 5:\n    score = 4"
    )
    reading = readings_of(justice(body))["fact_supremacy"]
    lines = justice(body).split("\n")

    assert [lines[line - 1].strip() for _, line in reading.lines] == ["score = 2"]
