from langchain_openai import ChatOpenAI

from auditor.state import AuditState, JudicialOpinion

PROSECUTOR = "Act as an adversarial prosecutor. Find flaws. Anything unproven is guilty. Low scores are your craft."
DEFENSE = "Act for the student. Weigh effort and intent, and look for the best reading of each piece of evidence."
TECH_LEAD = "You decide what goes to production. Is this maintainable and does it run? Ignore rhetoric on both sides."
llm = ChatOpenAI(model="gpt-4o-mini")


def ask(judge: str, persona: str, state: AuditState) -> dict:
    model = llm.with_structured_output(JudicialOpinion)
    facts = {key: piece.model_dump() for key, piece in state["evidences"].items()}
    for attempt in range(3):
        try:
            opinion = model.invoke(f"{persona}\nJudge: {judge}\nEvidence: {facts}")
            return {"opinions": [opinion]}
        except ValueError:
            continue
    return {"opinions": []}


def prosecutor(state: AuditState) -> dict:
    return ask("Prosecutor", PROSECUTOR, state)


def defense(state: AuditState) -> dict:
    return ask("Defense", DEFENSE, state)


def tech_lead(state: AuditState) -> dict:
    return ask("TechLead", TECH_LEAD, state)
