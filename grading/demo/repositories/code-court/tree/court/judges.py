"""The judges."""

from langchain_openai import ChatOpenAI

from court.state import CourtState, JudicialOpinion

CRITERIA = {"history": "Was the work done in steps?", "report": "Does the report explain the architecture?"}

PROSECUTOR_PROMPT = "You prosecute. Be skeptical, look for gaps and lazy shortcuts, and score low when something is missing."
DEFENSE_PROMPT = "As the defending lawyer, point out effort and good ideas. Forgive small mistakes and reward the intent."
TECH_LEAD_PROMPT = "You lead a team that has to maintain this code for years. Say whether it works in production."


def _hear(judge: str, prompt: str, state: CourtState) -> dict:
    model = ChatOpenAI(model="gpt-4o-mini").with_structured_output(JudicialOpinion)
    opinions = []
    for criterion, question in CRITERIA.items():
        facts = "\n".join(f"{e.source}: found={e.found}, {e.note}" for e in state["evidences"])
        opinions.append(model.invoke(f"{prompt}\nYou are {judge}. Criterion {criterion}: {question}\n{facts}"))
    return {"opinions": opinions}


def prosecutor(state: CourtState) -> dict:
    return _hear("Prosecutor", PROSECUTOR_PROMPT, state)


def defense(state: CourtState) -> dict:
    return _hear("Defense", DEFENSE_PROMPT, state)


def tech_lead(state: CourtState) -> dict:
    return _hear("TechLead", TECH_LEAD_PROMPT, state)
