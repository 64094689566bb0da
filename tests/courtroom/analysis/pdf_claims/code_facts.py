"""Facts on code, against which the tests hold claims."""

from __future__ import annotations

from typing import Any

NO_RULES = dict.fromkeys(
    [
        "security_override",
        "fact_supremacy",
        "functionality_weight",
        "dissent",
        "variance_re_evaluation",
    ],
    False,
)
CODE: dict[str, Any] = {
    "detectives_parallel": True,
    "judges_parallel": False,
    "fan_in_before_judges": True,
    "fan_in_before_justice": None,
    "conditional_error_route": False,
    "graph": {"path": "src/graph.py", "state_graph_line": 9, "conditional": []},
    "state_class": {"path": "src/state.py", "line": 4, "name": "AgentState", "kind": "TypedDict"},
    "reducers": [
        {"path": "src/state.py", "line": 6, "field": "opinions", "reducer": "operator.add"}
    ],
    "pydantic_models": ["Evidence"],
    "clone_in_tempdir": True,
    "clone_temporary_directory": False,
    "clone_timeout": False,
    "clone_function": {"path": "src/tools.py", "line": 3, "name": "clone"},
    "url_validated": False,
    "os_system_calls": [],
    "shell_true_calls": [],
    "structured_output_calls": [],
    "structured_output_retry": False,
    "justice_deterministic": True,
    "persona_prompts_distinct": True,
    "markdown_report": True,
    "rules": {**NO_RULES, "security_override": True},
}
