"""The judges, one after the other, from one template."""

from langchain_openai import ChatOpenAI

from pipeline.models import JudicialOpinion, PipelineState

TEMPLATE = """You are the {name} in a panel that reviews software projects written by students. Read the evidence
carefully, compare it with the criterion, think about strengths and weaknesses, and give a score between one and five
with an argument of at most three sentences. Refer to the evidence by its goal. Be fair, be precise, be brief, and do
not speculate about things that the evidence does not mention. Your point of view: {view}."""

PROSECUTOR = TEMPLATE.format(name="prosecutor", view="strict")
DEFENSE = TEMPLATE.format(name="defense", view="lenient")
TECH_LEAD = TEMPLATE.format(name="tech lead", view="practical")


def _opinion(prompt: str, state: PipelineState) -> dict:
    model = ChatOpenAI(model="gpt-4o-mini").with_structured_output(JudicialOpinion)
    facts = "\n".join(piece.model_dump_json() for piece in state.evidence)
    opinion = model.invoke(f"{prompt}\nCriterion: overall quality\n{facts}")
    return {"opinions": [*state.opinions, opinion]}


def prosecutor(state: PipelineState) -> dict:
    return _opinion(PROSECUTOR, state)


def defense(state: PipelineState) -> dict:
    return _opinion(DEFENSE, state)


def tech_lead(state: PipelineState) -> dict:
    return _opinion(TECH_LEAD, state)
