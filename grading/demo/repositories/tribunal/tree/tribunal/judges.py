"""Three nodes that argue in parallel over the same evidence, each as its own persona."""

import json
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from pydantic import ValidationError

from tribunal.personas import ANSWER, DEFENSE, PROSECUTOR, TECH_LEAD
from tribunal.state import AgentState, Criterion, Evidence, JudicialOpinion

MODEL = "gpt-4o-mini"
ATTEMPTS = 3


def _question(criterion: Criterion, evidences: dict[str, list[Evidence]]) -> str:
    shown = [piece.model_dump() for pieces in evidences.values() for piece in pieces]
    return f"Criterion {criterion.id}: {criterion.question}\n{ANSWER}\n\nEvidence:\n{json.dumps(shown, indent=1)}"


def ask(judge: str, persona: str, criterion: Criterion, evidences: dict[str, list[Evidence]]) -> JudicialOpinion:
    """One opinion; an answer that does not fit the schema is sent back with what was wrong with it."""
    model = ChatOpenAI(model=MODEL, temperature=0, timeout=60).with_structured_output(JudicialOpinion)
    messages = [SystemMessage(persona), HumanMessage(_question(criterion, evidences))]
    problem = ""
    for _ in range(ATTEMPTS):
        try:
            opinion = model.invoke(messages)
        except ValidationError as error:
            problem = str(error)
        else:
            if isinstance(opinion, JudicialOpinion):
                return opinion.model_copy(update={"judge": judge, "criterion_id": criterion.id})
            problem = "the answer was empty"
        messages.append(HumanMessage(f"That answer does not fit: {problem}. Answer again."))
    raise RuntimeError(f"{judge} gave no valid opinion on {criterion.id}: {problem}")


def _hear(judge: str, persona: str, state: AgentState) -> dict[str, Any]:
    opinions, errors = [], []
    for criterion in state["criteria"]:
        try:
            opinions.append(ask(judge, persona, criterion, state["evidences"]))
        except RuntimeError as error:
            errors.append(str(error))
    return {"opinions": opinions, "errors": errors}


def prosecutor(state: AgentState) -> dict[str, Any]:
    return _hear("Prosecutor", PROSECUTOR, state)


def defense(state: AgentState) -> dict[str, Any]:
    return _hear("Defense", DEFENSE, state)


def tech_lead(state: AgentState) -> dict[str, Any]:
    return _hear("TechLead", TECH_LEAD, state)
