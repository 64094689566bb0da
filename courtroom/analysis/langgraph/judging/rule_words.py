"""Words by which the conditions of synthesis rules are recognised."""

from __future__ import annotations

from courtroom.analysis.python.tree_walk import words_of

SECURITY = frozenset(
    words_of(
        """security secure insecure unsafe vulnerability vulnerabilities vulnerable os.system shell
        injection malicious sandbox exploit negligence"""
    )
)
# The criterion safe_tool_engineering is about security by its name.
SAFE_TOOLS = frozenset({"safe", "tool"})
EVIDENCE = frozenset(
    words_of(
        """evidence evidences ev evs fact facts factual forensic hallucination hallucinations
        hallucinated cited citation citations"""
    )
)
ESTABLISHED = frozenset(
    words_of(
        """found confidence supported unsupported verified exists exist missing absent hallucination
        hallucinations hallucinated cited citation citations contradict contradicts contradicted
        reliability strong supports unverified weak ungrounded"""
    )
)
PROSECUTION = frozenset({"prosecutor", "prosecution"})
DEFENSE = frozenset({"defense", "defence", "defender"})
SPREAD = frozenset(
    words_of(
        """variance spread conflict conflicts conflicting disagreement divergence range gap diff
        debate discrepancy dissent"""
    )
)
# The others may speak of evidence, of a text, or of a rule before.
CERTAIN_SPREAD = SPREAD - {"range", "gap", "debate", "dissent"}
CONFLICTS = frozenset({"conflict", "conflicts", "conflicting"})
# What judges give.
JUDGED = frozenset(words_of("judge judges opinion opinions score scores"))
# The note on a line that would apply a rule.
NEVER_HOLDS = "the condition of this rule never holds"
# The note on a function that would apply one begins so.
UNCALLED = "nothing calls "
# Of a line of the judges' code.
ENSURES = "gives every opinion a citation from the evidence, whatever its judge cited"
ENSURED = f"this line {ENSURES}"
WAITS_FOR_WORD = "this rule waits for “"
