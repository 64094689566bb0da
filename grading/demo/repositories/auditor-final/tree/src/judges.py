"""The bench."""

from langchain_openai import ChatOpenAI

from src.schema import AgentState, JudicialOpinion

PROSECUTOR = """Prosecute this submission. You are sceptical by trade: look for gaps between what is claimed and what is
shown, for steps that were skipped and for errors that nobody catches. Do not give more than 3 without proof."""

DEFENSE = """Defend the author of this submission before a strict court. Show the effort behind the result, explain the
intent of unfinished parts, and ask for the benefit of the doubt wherever evidence allows two readings."""

TECH_LEAD = """As the engineer who will own this code next year, rate how viable it is. Technical debt, missing tests
and unclear names cost points; a small design that simply works earns them."""


def _judge(name: str, persona: str, state: AgentState) -> dict:
    llm = ChatOpenAI(model="gpt-4o-mini", temperature=0).with_structured_output(JudicialOpinion).with_retry(stop_after_attempt=3)
    evidence = [piece.model_dump_json() for pieces in state["evidences"].values() for piece in pieces]
    opinion = llm.invoke([("system", persona), ("human", f"You are {name}.\n" + "\n".join(evidence))])
    return {"opinions": [opinion]}


def prosecutor(state: AgentState) -> dict:
    return _judge("Prosecutor", PROSECUTOR, state)


def defense(state: AgentState) -> dict:
    return _judge("Defense", DEFENSE, state)


def tech_lead(state: AgentState) -> dict:
    return _judge("TechLead", TECH_LEAD, state)
