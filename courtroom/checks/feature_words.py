"""Words for the features that a report can claim, by their ids in `analysis.pdf_claims`."""

from __future__ import annotations

# Ids of what a report says is not there begin with this.
DENIED = "lacks_"
# Evidence on such a passage.
NOT_THERE = "The code has what the report says is not there: "
# Faults of which a report accuses its own work: nobody should build them.
ACCUSATIONS = frozenset({"uses_os_system"})
# Id of a number of commits that the history does not reach.
COMMIT_COUNT = "commit_count"
# Id of a text in quotation marks that no file of the code has.
QUOTED_TEXT = "quoted_text"
# Id of lines of a file that hold another part than the report says.
CITED_LINES = "cited_lines"
# Id of scores of judges that the model of an opinion does not let through.
JUDGE_SCORES = "judge_scores"
# Id of a number or a setting that the code has otherwise.
STATED_VALUE = "stated_value"
# Features that say in which detail they are wrong.
WITH_DETAIL = frozenset({CITED_LINES, JUDGE_SCORES, STATED_VALUE})
# Id of a change in answer to an audit that the history does not have.
MADE_CHANGE = "made_change"
# Id of a check of the paths of a report that fails or finds nothing.
PATH_CHECK = "path_check"
# Features of one part of a work each.
GRAPH_FEATURES = (
    "detectives_parallel",
    "judges_parallel",
    "parallel_graph",
    "evidence_join",
    "opinion_join",
    "conditional_edges",
    "error_route",
)
CLONE_FEATURES = (
    "sandboxed_clone",
    "temporary_directory",
    "mkdtemp",
    "removed_clone",
    "clone_timeout",
    "url_validated",
)
FEATURE_WORDS = {
    "detectives_parallel": "parallel detectives",
    "judges_parallel": "parallel judges",
    "parallel_graph": "a parallel graph",
    "evidence_join": "a join of the evidence",
    "opinion_join": "a join of the opinions",
    "conditional_edges": "conditional edges",
    "error_route": "a route for errors",
    "reducer_ior": "the reducer operator.ior",
    "reducer_add": "the reducer operator.add",
    "reducers": "reducers",
    "typed_dict_state": "a TypedDict as state",
    "pydantic_state": "a Pydantic model as state",
    "pydantic_models": "Pydantic models",
    "sandboxed_clone": "a clone in a temporary folder",
    "temporary_directory": "a clone into a TemporaryDirectory",
    "mkdtemp": "a folder made by mkdtemp",
    "removed_clone": "a clone that is removed",
    "clone_timeout": "a timeout of the clone",
    "url_validated": "a check of the address",
    "no_os_system": "no use of os.system",
    "no_shell": "no use of shell=True",
    "structured_output": "structured output",
    "output_retry": "a retry after a bad answer",
    "retry_logic": "retry logic",
    "deterministic_verdict": "a deterministic verdict",
    "no_averages": "a verdict that is not an average",
    "distinct_personas": "distinct prompts",
    "tested_share": "the bound of a test of prompts",
    "no_shared_text": "prompts without shared text",
    "ast_alone": "an analysis of code by the module ast alone",
    "security_override": "a security override",
    "fact_supremacy": "fact supremacy",
    "functionality_weight": "a weight for functionality",
    "dissent": "an account of dissent",
    "variance_re_evaluation": "a re-evaluation of wide spreads",
    "markdown_report": "a Markdown report",
    "json_report": "a JSON report",
    "rate_limit": "a limit on the rate of calls",
    "call_retry": "a retry of failed calls",
    "model_fallback": "a fallback to another model",
    "call_timeout": "a timeout of calls",
    "cache": "a cache",
    COMMIT_COUNT: "more commits than the history has",
    "file_content": "content in each file that it names",
    QUOTED_TEXT: "a text that it quotes from the code",
    CITED_LINES: "the lines of a part",
    JUDGE_SCORES: "scores by its own judges",
    STATED_VALUE: "a value",
    PATH_CHECK: "a check of the paths that reports name",
    MADE_CHANGE: "a change in answer to an audit",
    "uses_tree_sitter": "the library tree-sitter",
    "uses_docling": "the library Docling",
    "uses_gitpython": "the library GitPython",
    "uses_pymupdf": "the library PyMuPDF",
    "uses_pdfplumber": "the library pdfplumber",
    "uses_pypdf": "the library pypdf",
    "uses_pypdf2": "the library PyPDF2",
    "uses_tenacity": "the library tenacity",
    "uses_gpt": "a GPT model",
    "uses_gemini": "a Gemini model",
    "uses_claude": "a Claude model",
    "uses_os_system": "calls of os.system",
    # What a report says is not there, by the ids of `denials`.
    "lacks_judges": "no judges in the graph",
    "lacks_chief_justice": "no Chief Justice in the graph",
    "lacks_vision_inspector": "no VisionInspector in the graph",
    "lacks_conditional_edges": "no conditional edges",
    "lacks_error_route": "no conditional edge for failures",
    "lacks_parallel_judges": "no parallel judges",
    "lacks_parallel_detectives": "no parallel detectives",
    "lacks_parallel_nodes": "no parallel nodes",
    "lacks_reducers": "no reducers",
    "lacks_pydantic_models": "no Pydantic models",
    "lacks_structured_output": "no structured output",
    "lacks_output_retry": "no retry after a bad answer",
    "lacks_security_override": "no cap for security",
    "lacks_fact_supremacy": "no rule by which facts overrule opinions",
    "lacks_markdown_report": "no Markdown report",
    "lacks_clone_timeout": "no timeout of the clone",
    "lacks_clone_retry": "no retry of the clone",
}
