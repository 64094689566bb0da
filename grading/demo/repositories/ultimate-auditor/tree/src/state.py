"""AgentState is a TypedDict with Annotated reducers operator.ior and operator.add, plus Pydantic BaseModel classes
Evidence and JudicialOpinion (judge, criterion_id, score, argument, cited_evidence)."""

# class AgentState(TypedDict):
#     evidences: Annotated[dict[str, list[Evidence]], operator.ior]
#     opinions: Annotated[list[JudicialOpinion], operator.add]
FEATURES = [
    "TypedDict",
    "BaseModel",
    "Annotated[dict, operator.ior]",
    "Annotated[list, operator.add]",
    "class Evidence(BaseModel)",
    "class JudicialOpinion(BaseModel)",
]
