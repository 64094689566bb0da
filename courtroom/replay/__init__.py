"""Work on stored reports, without repository, model or graph.

| change of the rubric | effect |
|---|---|
| constitution; a criterion's weight, points, levels, exclusion | computed again, no judge answers |
| a check's id, weight, wording, `essential`, `effort`, `concern` | outcome stays, heuristics answer again |
| a check's question, or a new check | answered from facts, else left open and named |
| anything that a model was asked | opinions stay, and the criterion is named as outdated |

`resynthesis.py` writes the whole report with exactly the verdict that `rubric_preview.py` shows.
`report_reuse.py` decides whether an earlier report spares a new audit its detectives.
"""
