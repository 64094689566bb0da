"""The LangGraph graph of an audit: state, nodes, wiring.

The state is plain JSON; keys that parallel nodes write have reducers; the recursion limit is
explicit. Answers are merged in the order of rubric and judges, never of completion, so the same
answers give the same bytes.
"""
